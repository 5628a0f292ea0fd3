"""As what one joins a session: the entry that takes a seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import Listens, ParticipantJoined
from parley.listeners.models.model_port import Model
from parley.listeners.sessions import argument_checks
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.voice import is_voice


class JoinOptions(TypedDict, total=False):
    """What may be said of oneself; each has a default."""

    role: Literal["agent", "person"]  # agent; a person speaks without the floor
    description: str  # when it should speak
    interests: Sequence[str]  # words that an evaluation without a model goes by
    may: Sequence[str] | None  # acts and capabilities; None: every act, no capability
    listens: Listens  # evaluates each message (bids or passes), when it is asked, or only speaks
    answer_seconds: float | None  # that it takes to answer; None: as the session has it


class SessionOptions(JoinOptions, total=False):
    """What a seat and the session that it joins may be given."""

    packs: Sequence[Pack]  # patterns beside the shipped ones
    create: bool  # open it where it is not there
    settings: Mapping[str, Any] | None  # with these
    model: Model | None  # words inline summaries, rewrites the notebook


def join_entry(
    name: str,
    *,
    role: Literal["agent", "person"] = "agent",
    description: str = "",
    interests: Sequence[str] = (),
    may: Sequence[str] | None = None,
    listens: Listens = "evaluates",
    answer_seconds: float | None = None,
) -> ParticipantJoined:
    """The entry that seats `name`, in a seat like no other. Raises `InvalidEntry`."""
    if is_voice(name):
        raise InvalidEntry(f"{name!r} is the server's own voice; join under another name")
    return validate_entry(
        ParticipantJoined, participant=name, role=role, seat=secrets.token_hex(6),
        description=description, interests=tuple(interests), may=argument_checks.check_powers(may),
        listens=listens, answer_ms=None if answer_seconds is None else round(answer_seconds * 1000),
    )  # fmt: skip
