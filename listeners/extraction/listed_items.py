"""The ledger as a model is shown it: one line an item, as it was when a stretch ended. Pure.

A reading may run long after its messages, so what was said later is left out: items that were
born later, later sides, later endings. Denied items are never listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from parley.memory.context.item_lines import visible_line
from parley.memory.extraction.structure.shelves import is_marked
from parley.memory.ledger.ledger_rows import Grant, LedgerItem, Side
from parley.memory.ledger.ledger_view import Ledger, ledger_of
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.fences import FENCE
from parley.memory.text.plain_text import clip
from parley.memory.text.text_sizes import count_tokens

SETTLED: Final = 12  # items that were settled lately and are listed still
WORDS: Final = 120  # characters of an item's words
_SHORT: Final = 60  # characters of them where there is little room
_NAMES: Final = 8  # in a list of sides
_NAME: Final = 40  # characters
_CONDITION: Final = 60  # characters
_OPEN: Final = {"proposal": "open", "decision": "claimed"}


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item as it is listed. `doubtful`: rules read it in prose, and no model agreed yet.

    `sides` are the participants who have one on it. `place` is where its message says it.
    """

    handle: str
    kind: str
    n: int
    who: str
    head: str  # handle to status
    words: str
    tail: str  # sides, tasks
    doubtful: bool = False
    settled: int = 0  # n of what settled it; 0: it is open
    sides: frozenset[str] = frozenset()
    place: tuple[int, int] | None = None

    @property
    def line(self) -> str:
        """One line of quoted material."""
        tail = f" ({self.tail})" if self.tail else ""
        return f"{FENCE}{self.head}: {self.words}{tail}"


@dataclass(frozen=True, slots=True)
class Listing:
    """What is listed: open items by the message they were born in, then lately settled ones."""

    items: tuple[ListedItem, ...] = ()
    settled: tuple[ListedItem, ...] = ()
    rulers: tuple[str, ...] = ()  # lines: who may rule, and why
    by_handle: dict[str, ListedItem] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.by_handle.update((item.handle, item) for item in (*self.items, *self.settled))

    @property
    def doubtful(self) -> int:
        """How many items are to be judged."""
        return sum(item.doubtful for item in self.by_handle.values())

    @property
    def tokens(self) -> int:
        """The size of its lines."""
        return _tokens([*self.items, *self.settled])

    def within(self, room: int) -> Listing:
        """The listing in about `room` tokens.

        Settled items go first, then words are shortened, then the oldest open items go.
        """
        items, settled = list(self.items), list(self.settled)
        spare = room - _tokens(items)
        while settled and _tokens(settled) > spare:
            settled.pop(0)
        if spare < 0:
            items = [replace(item, words=clip(item.words, _SHORT)) for item in items]
            sizes = [count_tokens(item.line) + 1 for item in items]
            over, gone = sum(sizes) - room, 0
            while over > 0 and gone < len(items):
                over -= sizes[gone]
                gone += 1
            items = items[gone:]
        return Listing(tuple(items), tuple(settled), self.rulers)


def list_items(memory: Memory, effect: ReadingEffect) -> Listing:
    """The ledger at the end of the stretch of `effect`."""
    ledger = ledger_of(memory)
    found = [
        _listed(memory, ledger, item, effect)
        for item in (*ledger.proposals(), *ledger.decisions())
        if _is_listed(item, effect)
    ]
    opened = [item for item in found if not item.settled]
    settled = sorted(
        (item for item in found if item.settled), key=lambda item: (item.settled, item.n)
    )
    order = sorted(opened, key=lambda item: (item.n, item.handle))
    grants = [grant for grant in ledger.grants if grant.origin.cites[0].n <= effect.last]
    return Listing(tuple(order), tuple(settled[-SETTLED:]), tuple(_rulers(memory, grants)))


def _tokens(items: Sequence[ListedItem]) -> int:
    return sum(count_tokens(item.line) + 1 for item in items)


def _is_listed(item: LedgerItem, effect: ReadingEffect) -> bool:
    """True for what was known when the stretch ended; repeats only while their words are shown."""
    known = item.item
    if item.shelf == "denied" or item.born > effect.last:
        return False
    if known is None and item.born >= effect.first:
        return False  # another reading's, which landed first
    if known is not None and known.detected > effect.last:
        return False
    return item.relation != "repeats" or item.born >= effect.lead


def _listed(memory: Memory, ledger: Ledger, item: LedgerItem, effect: ReadingEffect) -> ListedItem:
    doubtful = _is_doubtful(memory, item)
    status, settled = _status(item, effect.last)
    if item.kind == "decision" and status == "claimed" and not doubtful:
        settled = item.born  # it waits for nothing that a reading could say
    sides = _sides_then(item, effect)
    author = visible_line(item.participant, _NAME)
    mark = "?" if doubtful else ""
    return ListedItem(
        handle=item.handle,
        kind=item.kind,
        n=item.born,
        who=item.participant,
        head=f"{item.handle}{mark} {item.kind} {item.born} {author}, {status}{_relation(item)}",
        words=visible_line(item.words, WORDS),
        tail="; ".join(_tail(ledger, item, sides, effect.last)),
        doubtful=doubtful,
        settled=settled,
        sides=frozenset(side.participant for side in sides),
        place=_place(item),
    )


def _place(item: LedgerItem) -> tuple[int, int] | None:
    """The characters of its own message that say it; None if they are not known."""
    cites = (cite for cite in item.origin.cites if cite.n == item.born and cite.end)
    return next(((cite.start, cite.end) for cite in cites), None)


def _relation(item: LedgerItem) -> str:
    if item.relation == "new" or not item.related:
        return ""
    to = " to" if item.relation == "alternative" else ""
    return f", {item.relation}{to} {' '.join(item.related[:3])}"


def _status(item: LedgerItem, last: int) -> tuple[str, int]:
    """Its status at the end of message `last`, and the message that settled it; 0 if it is open."""
    ending = item.ending or (item.outcomes[-1] if item.outcomes else None)
    if item.status in ("active", "claimed", "disputed"):
        return ("open" if item.kind == "proposal" else item.status), 0
    if ending is not None and item.as_read:
        if ending.n > last:
            return _OPEN[item.kind], 0
        word = "carried out" if item.status == "adopted" else item.status
        settled = 0 if item.status == "put_off" else ending.n
        return f"{word} by {visible_line(ending.by, _NAME)} at {ending.n}", settled
    n = _settled_by_participants(item.item)
    return (_OPEN[item.kind], 0) if n > last else (item.status, n or item.born)


def _settled_by_participants(known: Proposal | Decision | None) -> int:
    """The entry at which the fold saw it settled; 0 if it does not say."""
    if known is None:
        return 0
    origin = known.settled if isinstance(known, Proposal) else known.ratified
    return 0 if origin is None else max(cite.n for cite in origin.cites)


def _is_doubtful(memory: Memory, item: LedgerItem) -> bool:
    """True if rules read it in prose, and neither a model nor a participant confirmed it."""
    if item.item is None or item.confirmed is not None or is_marked(item.origin):
        return False
    return item.handle not in memory.claims.touched


def _sides_then(item: LedgerItem, effect: ReadingEffect) -> list[Side]:
    """The sides until the end of the stretch.

    Those that rules read in prose of the stretch itself are left out: a model says them anew.
    """
    earlier = [side for side in item.earlier_sides if side.n <= effect.last]
    latest = [side for side in item.sides.values() if side.n <= effect.last]
    by_name = {side.participant: side for side in (*earlier, *latest)}
    return [
        side
        for side in by_name.values()
        if side.n < effect.first or side.counted or side.vote or is_marked(side.origin)
    ]


def _tail(ledger: Ledger, item: LedgerItem, sides: Sequence[Side], last: int) -> list[str]:
    parts = []
    for stance, word in (("support", "for"), ("oppose", "against"), ("neutral", "neutral")):
        names = sorted(side.participant for side in sides if side.stance == stance)
        if names:
            parts.append(f"{word}: {_names(names)}")
    parts += [
        f"{visible_line(side.participant, _NAME)} only if "
        + visible_line(side.condition, _CONDITION)
        for side in sides
        if side.conditional and side.condition
    ]
    if item.kind == "decision" and item.settles:
        parts.append(f"settles {' '.join(item.settles[:6])}")
    if item.kind == "proposal":
        ruled = [ruling for ruling in ledger.rulings_on(item) if ruling.n <= last]
        parts += [
            f"{ruling.word} by {visible_line(ruling.by, _NAME)} at {ruling.n}, whose right to rule "
            "is not known"
            for ruling in ruled[-1:]
            if item.status == "active"
        ]
    owners = sorted(
        {
            task.who
            for task in ledger.tasks
            if item.handle in task.targets and not task.done and task.origin.cites[0].n <= last
        }
    )
    if owners:
        parts.append(f"task of {_names(owners)}")
    return parts


def _names(names: Sequence[str]) -> str:
    listed = ", ".join(visible_line(name, _NAME) for name in names[:_NAMES])
    more = len(names) - _NAMES
    return f"{listed} and {more} more" if more > 0 else listed


def _rulers(memory: Memory, grants: Iterable[Grant]) -> list[str]:
    lines = [f"{visible_line(name, _NAME)}: chair" for name in sorted(memory.chairs)]
    for grant in grants:
        on = " ".join(grant.targets[:6]) or "everything"
        line = f"{visible_line(grant.who, _NAME)}: on {on}, says {visible_line(grant.by, _NAME)}"
        if line not in lines and grant.who != grant.by:
            lines.append(line)
    people = [
        f"{visible_line(name, _NAME)}: {seat.role}"
        for name, seat in memory.floor.seats.items()
        if seat.role != "agent"
    ]
    return [FENCE + line for line in (*lines, *people)]
