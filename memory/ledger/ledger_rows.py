"""The shapes of the ledger: items, sides, endings, tasks. Plain data; `ledger_view` makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from parley.bus.entries import Doubt, Relation, Right
from parley.memory.extraction.structure.shelves import Shelf
from parley.memory.state.item_state import Decision, Origin, Proposal, Stance

EndingWord = Literal[
    "accepted", "accepted_with_changes", "rejected", "put_off", "withdrawn", "replaced",
    "carried_out",
]  # fmt: skip
ShownStatus = Literal[
    "active", "accepted", "adopted", "rejected", "withdrawn", "modified", "lapsed", "put_off",
    "claimed", "ratified", "disputed", "superseded",
]  # fmt: skip


class Side(Struct, frozen=True, gc=False):
    """The side that a participant has on an item, as it is shown.

    `counted` sides came from an act, a handle or a vote: only they count toward a quorum.
    """

    participant: str
    stance: Stance
    origin: Origin
    counted: bool = False
    conditional: bool = False
    condition: str = ""  # in a model's words
    text: str = ""  # the words that a model quotes for it
    vote: bool = False

    @property
    def as_read(self) -> bool:
        """True if a model read it in prose."""
        return self.origin.how == "model"

    @property
    def n(self) -> int:
        """The entry that says so."""
        return self.origin.cites[0].n


class Ending(Struct, frozen=True, gc=False):
    """How a proposal ended according to a model's reading: the outcome, by whom, by what right."""

    word: EndingWord
    by: str
    origin: Origin
    right: Right | None = None
    reporter: str = ""  # the author of the message, if it reports the ruling of somebody else
    detail: str = ""  # the changes; until when it is put off
    decision: str = ""  # handle of the decision that says so

    @property
    def n(self) -> int:
        """The entry that says so."""
        return self.origin.cites[0].n


class Task(Struct, frozen=True, gc=False):
    """Work that somebody took on, or reports as done."""

    who: str
    what: str
    when: str
    done: bool
    targets: tuple[str, ...]
    origin: Origin


class Grant(Struct, frozen=True, gc=False):
    """A right to rule: `who` may rule on `targets` (on everything if empty), says `by`."""

    who: str
    by: str
    targets: tuple[str, ...]
    origin: Origin


@dataclass(slots=True)
class LedgerItem:
    """A proposal or a decision as it is shown.

    `item` is that of the fold, None if only a model reads it. `status` is the shown one;
    `as_read` is True if a model's reading sets it. `sides` has one for each participant,
    the latest; `earlier_sides` those before them, oldest first.
    """

    handle: str
    kind: Literal["proposal", "decision"]
    participant: str
    topic: str  # one line, at most 100 characters
    text: str
    born: int
    origin: Origin
    item: Proposal | Decision | None = None
    shelf: Shelf = "firm"
    status: ShownStatus = "active"
    as_read: bool = False
    statement: str = ""  # a sentence that stands alone, in a model's words
    sides: dict[str, Side] = field(default_factory=dict)
    earlier_sides: list[Side] = field(default_factory=list)
    ending: Ending | None = None  # of a proposal
    outcomes: list[Ending] = field(default_factory=list)  # of a decision that a model reads
    settles: tuple[str, ...] = ()  # handles of the proposals that a decision settles
    relation: Relation = "new"
    related: tuple[str, ...] = ()  # handles that `relation` is to
    question: str = ""  # that it shares with its alternatives
    again: list[Origin] = field(default_factory=list)  # where the same is proposed again
    confirmed: Origin | None = None  # where a model agrees that it is one
    denied: Origin | None = None  # where a model says that it is not
    doubt: Doubt | None = None  # what it is instead

    @property
    def words(self) -> str:
        """The sentence that says it best: the model's statement, else its text, else its topic."""
        return self.statement or self.text or self.topic

    @property
    def tally(self) -> tuple[int, int, int]:
        """Sides in support, in opposition, and neutral ones; of a shrunk item those it had."""
        if self.item is not None and self.item.shrunk and not self.sides:
            return self.item.tally
        stances = [side.stance for side in self.sides.values()]
        return stances.count("support"), stances.count("oppose"), stances.count("neutral")

    @property
    def is_open(self) -> bool:
        """True for a firm proposal that nothing has settled, and that repeats no earlier one."""
        return self.shelf == "firm" and self.status == "active" and self.relation != "repeats"

    def names(self, stance: Stance) -> list[str]:
        """Who has that side, sorted."""
        return sorted(name for name, side in self.sides.items() if side.stance == stance)
