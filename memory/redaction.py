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

from bus.entries import DERIVED, Entry, Record, Unknown
from memory.blanks import blank
from memory.canonical import dump, load
from memory.errors import RedactionRefused
from memory.fold import apply
from memory.items import Decision, Fact, Proposal
from memory.state import Memory, Packs

_NAMES = ("proposal.made", "decision.claimed", "episode.opened", "insight.found")
Born = dict[str, int]  # handle -> n of the entry that it was born at


@dataclass(frozen=True, slots=True)
class Blanked:
    """What stands instead of an entry; `moved` are the items whose status it changes."""

    entry: Entry | Unknown
    moved: dict[str, tuple[str, str]] = field(default_factory=dict)  # handle -> before, after


def blanked(packs: Packs, log: Sequence[Record], n: int, *, renumber: bool = False) -> Blanked:
    """What may stand in the place of primary entry `n` of the whole `log`.

    Raises `RedactionRefused` where every blank changes what later items are called,
    naming the entry that has to go first, unless `renumber` allows it; `PackMissing`.
    """
    skips = {getattr(one.entry, "seq", 0) for one in log if one.entry.kind == "entry.set_aside"}
    read = [one for one in log if one.seq not in skips and one.entry.kind not in DERIVED]
    target = next(one for one in log if one.n == n)
    memory = Memory(packs)
    place = sum(one.seq < target.seq for one in read)
    facts = _folded(memory, read[:place])
    before = dump(memory)
    if target.seq in skips:
        return Blanked(next(blank(target, [])))
    own = apply(memory, target)
    rest = read[place + 1 :]
    after = [*own, *_folded(memory, rest)]
    known, standing = _born([*facts, *after]), statuses(memory)
    options: list[tuple[int, Blanked]] = []
    differing = n
    for entry in blank(target, own):
        other = load(before, packs, target.seq - 1)
        found = _folded(other, [replace(target, entry=entry), *rest])
        otherwise = _born([*facts, *found])
        if otherwise == known or renumber:
            renamed = len(known.items() ^ otherwise.items())
            moved = _moved(standing, statuses(other))
            options.append((renamed, Blanked(entry, moved)))
            if not renamed and not moved:
                break
        else:
            differing = max(differing, _first_difference(known, otherwise))
    if not options:
        raise RedactionRefused(n, differing)
    return min(options, key=lambda option: (option[0], len(option[1].moved)))[1]


def _folded(memory: Memory, records: Iterable[Record]) -> list[Fact]:
    facts: list[Fact] = []
    for record in records:
        facts += apply(memory, record)
    return facts


def _born(facts: Iterable[Fact]) -> Born:
    born: Born = {}
    for fact in facts:
        if fact.kind in _NAMES and fact.ref is not None:
            born.setdefault(fact.ref, fact.n)
    return born


def _first_difference(known: Born, other: Born) -> int:
    """The n at which the numbering parts."""
    parted = set(known.items()) ^ set(other.items())
    return min(n for _, n in parted)


def statuses(memory: Memory) -> dict[str, str]:
    """The status of each proposal and decision, by handle."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    return {item.handle: item.status for item in items}


def _moved(before: dict[str, str], after: dict[str, str]) -> dict[str, tuple[str, str]]:
    refs = sorted({*before, *after}, key=lambda ref: (ref[0], int(ref[1:])))
    pairs = {ref: (before.get(ref, "none"), after.get(ref, "none")) for ref in refs}
    return {ref: pair for ref, pair in pairs.items() if pair[0] != pair[1]}
