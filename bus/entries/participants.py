"""Who takes part: names, seats, and what their holders may do."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from parley.bus.entries.fields import EntryModel, Name

Role = Literal["agent", "person", "observer"]
# How a seat comes to speak: it judges every message, it judges when it is asked, it just speaks.
Listens = Literal["evaluates", "asked", "speaks"]
LONGEST_ANSWER_MS = 3_600_000


class ParticipantAliased(EntryModel):
    """From here on `alias` is another name of `participant`; earlier entries too."""

    kind: Literal["participant.aliased"] = "participant.aliased"
    alias: Name
    participant: Name
    by: str | None = None


class ParticipantJoined(EntryModel):
    """A participant takes its seat, or takes it again. Who speaks without joining is a person.

    `seat` names the process that speaks for it: of two, the newer one does.
    """

    kind: Literal["participant.joined"] = "participant.joined"
    participant: Name
    role: Role = "person"
    seat: str = ""
    description: str = ""  # when it should speak
    interests: tuple[str, ...] = ()
    may: tuple[str, ...] | None = None  # acts and capabilities; None: every act, no capability
    weight: int = Field(default=1, ge=0, le=1_000_000)  # of its ballots
    reactivity: int = Field(default=0, ge=0, le=1000)  # per mille of one degree of urgency
    cooldown: int | None = Field(default=None, ge=0)  # turns of others between two of its own
    turns: int | None = Field(default=None, ge=0)  # its budget; None: the session's alone
    tokens: int | None = Field(default=None, ge=0)
    micros: int | None = Field(default=None, ge=0)
    listens: Listens = "evaluates"
    answer_ms: int | None = Field(default=None, ge=1, le=LONGEST_ANSWER_MS)  # time that it takes


class ParticipantLeft(EntryModel):
    kind: Literal["participant.left"] = "participant.left"
    participant: Name
    seat: str = ""
    reason: str = ""
