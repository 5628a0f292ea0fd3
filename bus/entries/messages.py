"""What participants say, and what they are told came of it."""

from __future__ import annotations

from typing import Final, Literal, get_args

from pydantic import Field

from parley.bus.entries.fields import Content, EntryModel, Name

Act = Literal[
    "propose", "amend", "withdraw", "support", "oppose", "abstain", "accept",
    "reject", "decide", "ratify", "dispute", "ask", "inform",
]  # fmt: skip
ACTS: Final[tuple[str, ...]] = get_args(Act)
# On a proposal or a decision, each of them; the others may be on one.
ACTS_ON_ITEMS: Final = frozenset(
    {"amend", "support", "oppose", "abstain", "accept", "reject", "ratify", "dispute"}
)


class Message(EntryModel):
    """Something said. `act`, `re` and `topic` are the speaker's own word for it."""

    kind: Literal["message"] = "message"
    participant: Name
    content: Content
    act: Act | None = None
    re: int | str | None = None  # the n of an entry, or a handle such as P3 or D2
    topic: str | None = None
    to: tuple[str, ...] = ()
    form: Literal["statement", "reasoning"] = "statement"


class MessageEdited(EntryModel):
    """Other words for message `of`, in whole and from here on; none: it is taken back.

    What else is known of the message (`act`, `re`, `topic`, `to`, `form`) is said again.
    """

    kind: Literal["message.edited"] = "message.edited"
    participant: Name  # who wrote the message
    of: int = Field(ge=1)  # its n
    content: str = ""
    act: Act | None = None
    re: int | str | None = None
    topic: str | None = None
    to: tuple[str, ...] = ()
    form: Literal["statement", "reasoning"] = "statement"


class ResultsFinal(EntryModel):
    """What came of it for the participant `to` (everyone where empty). Never shortened."""

    kind: Literal["results.final"] = "results.final"
    participant: Name  # who announces it
    content: Content
    to: tuple[str, ...] = ()
    consensus: bool | None = None  # whether they came of one; None: it is not said
    earnings: int | str | None = None  # text where it is not a whole number
    counterfactuals: dict[str, int | str] = Field(default_factory=dict)  # had it been otherwise
