"""Which blank an entry may get: the one that leaves every handle where it is. Pure.

Proposals, decisions, episodes and insights are numbered as they are found. An
entry without its words may be found to say less, and whatever comes after it
would be called otherwise; so each blank is folded, and the first that changes no
number is taken, of those the one after which most items stand as they stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from parley.bus.entries import DERIVED, Entry, Record, Unknown
from parley.memory.errors import RedactionRefused
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import list_set_aside, replay
from parley.memory.fold.tombstones import birth_entry, build_tombstone
from parley.memory.state.item_state import Decision, Fact, Proposal
from parley.memory.state.line_state import UnlinkedVote
from parley.memory.state.memory import Memory, Packs

_NAMES = ("proposal.made", "decision.claimed", "episode.opened", "insight.found")
Born = dict[str, tuple[int, int]]  # handle -> n of the entries it was told by, and born at


@dataclass(frozen=True, slots=True)
class RedactionResult:
    """What stands instead of an entry; `moved` are the items whose status it changes."""

    entry: Entry | Unknown
    moved: dict[str, tuple[str, str]] = field(default_factory=dict)  # handle -> before, after


def choose_tombstone(
    packs: Packs, log: Sequence[Record], n: int, *, renumber: bool = False
) -> RedactionResult:
    """What may stand in the place of primary entry `n` of the whole `log`.

    Raises `RedactionRefused` where every blank changes what later items are called,
    naming the entry that has to go first, unless `renumber` allows it; `PackMissing`.
    """
    skips = list_set_aside(log)
    read = [
        record for record in log if record.seq not in skips and record.entry.kind not in DERIVED
    ]
    target = next(record for record in log if record.n == n)
    memory = Memory(packs)
    place = sum(record.seq < target.seq for record in read)
    facts = _folded(memory, read[:place])
    before = dump(memory)
    if target.seq in skips:
        return RedactionResult(next(build_tombstone(target, [])))
    own = apply(memory, target)
    vote = _vote(memory, n)
    rest = read[place + 1 :]
    after = [*own, *_folded(memory, rest)]
    known, standing = _born([*facts, *after]), item_statuses(memory)
    options: list[tuple[int, RedactionResult]] = []
    differing = n
    for entry in build_tombstone(
        target, [fact for fact in after if n in (fact.n, birth_entry(fact))], vote
    ):
        other = load(before, packs, target.seq - 1)
        folded = _folded(other, [replace(target, entry=entry), *rest])
        otherwise = _born([*facts, *folded])
        parted = _parted(known, otherwise, n)
        if not parted or renumber:
            renamed = len(known.items() ^ otherwise.items())
            moved = _moved(standing, item_statuses(other))
            options.append((renamed, RedactionResult(entry, moved)))
            if not renamed and not moved:
                break
        else:
            differing = max(differing, min(parted))
    if not options:
        raise RedactionRefused(n, differing)
    return min(options, key=lambda option: (option[0], len(option[1].moved)))[1]


def _folded(memory: Memory, records: Iterable[Record]) -> list[Fact]:
    return [fact for _, facts in replay(memory, records) for fact in facts]


def _vote(memory: Memory, n: int) -> UnlinkedVote | None:
    """The bare vote that entry `n`, the last one folded, is."""
    casts = memory.structure.casts
    return casts[-1] if casts and casts[-1].n == n else None


def _born(facts: Iterable[Fact]) -> Born:
    born: Born = {}
    for fact in facts:
        if fact.kind in _NAMES and fact.ref is not None:
            born.setdefault(fact.ref, (fact.n, birth_entry(fact)))
    return born


def _parted(known: Born, other: Born, n: int) -> list[int]:
    """The entries that told of what the two name otherwise.

    A handle names what it named where that is born at the same entry, or told by the same
    one and born at `n`: what only later lines showed is told by its own blank, and what a line
    showed whose words are gone is told there.
    """
    nothing = (0, 0)
    pairs = [(known.get(ref, nothing), other.get(ref, nothing)) for ref in {*known, *other}]
    return [
        min(filter(None, (left[0], two[0])))
        for left, two in pairs
        if left[1] != two[1] and not (left[0] == two[0] and two[1] == n)
    ]


def item_statuses(memory: Memory) -> dict[str, str]:
    """The status of each proposal and decision, by handle."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    return {item.handle: item.status for item in items}


def _moved(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str, str]]:
    refs = sorted({*before, *after}, key=lambda ref: (ref[0], int(ref[1:])))
    pairs = {ref: (before.get(ref, "none"), after.get(ref, "none")) for ref in refs}
    return {ref: pair for ref, pair in pairs.items() if pair[0] != pair[1]}
