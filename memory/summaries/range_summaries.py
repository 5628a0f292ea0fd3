"""Which stretches of the log are owed a summary, and which summary stands.

Ranges follow from primary entries alone: one of level 0 closes with every
`summary.interval` messages, one of the next level with every `summary.fanout`
below it (sooner when more would stand side by side than `caps.summaries`).
Summaries land in whatever order effects finish: one stands per range, a
model's over an extract, and what a summary of the next level covers for good
is let go. So memory holds the frontier of a pyramid, not its stones.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from itertools import islice
from typing import Final

from parley.bus.entries import Message, SummaryMade
from parley.memory.state.effects import SummaryEffect
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.state.summary_state import Summary, SummaryRange
from parley.memory.summaries.ledger_changes import heaviest
from parley.memory.text.plain_text import clip
from parley.memory.text.text_sizes import count_tokens, measure_text

CHARS_PER_WORD: Final = 12  # a summary longer than its words times this is cut
CHARS_OF_EXTRACT: Final = 24  # one without a model has these for each word: it quotes in full
_MOST_TOKENS = 2**53 - 1  # what any reader of JSON can hold; a stranger may claim more

Key = tuple[int, int]


def count_open_tokens(memory: Memory, n: int, entry: Message) -> list[Fact]:
    """Count a message's tokens; past `limits.short_term` the open stretch closes with it.

    The fact is the warning, once a stretch.
    """
    limit = memory.settings.limits.short_term
    before = memory.open_tokens
    memory.open_tokens += count_tokens(entry.content)
    if memory.open_tokens > limit.cap:
        memory.open_count = memory.interval  # the fold closes it with this message
        return []
    warn = min(limit.warn, limit.cap)
    if before < warn <= memory.open_tokens:
        sizes = {"size": memory.open_tokens, "cap": limit.cap}
        return [Fact("limit.warned", None, n, {"limit": "limits.short_term", **sizes})]
    return []


def close_heavy_range(memory: Memory, last: int, at: str | None) -> None:
    """Close the open stretch where `limits.short_term`, as it is now, has no room for it."""
    if memory.short_term and memory.open_tokens > memory.short_term and memory.open_count:
        close_range(memory, last, at)


def close_range(memory: Memory, last: int, at: str | None) -> None:
    """Close the open stretch of level 0 at `last`; it is owed a summary from now on."""
    changes = heaviest(memory.open_changes)
    _hold(memory, SummaryRange(0, memory.open_first, last, at, changes=changes))
    memory.open_changes = []
    memory.open_first, memory.open_count, memory.open_tokens = last + 1, 0, 0
    cover_ranges(memory)


def _hold(memory: Memory, made: SummaryRange) -> None:
    memory.ranges[made.key] = made
    memory.owed[made.key] = None
    memory.front.setdefault(made.level, []).append(made)


def cover_ranges(memory: Memory) -> None:
    """Cover ranges by one of the next level wherever enough, or too many, stand side by side."""
    while (level := _ripe_level(memory)) is not None:
        _hold(memory, _cover(memory, level))


def _ripe_level(memory: Memory) -> int | None:
    fanout = memory.settings.summary.fanout
    front = memory.front
    for level in sorted(front):
        if len(front[level]) >= fanout:
            return level
    if sum(map(len, front.values())) <= memory.settings.caps.summaries:
        return None
    count, level = max((len(ranges), -level) for level, ranges in front.items())
    return -level if count > 1 else None


def _cover(memory: Memory, level: int) -> SummaryRange:
    """The range of the next level over all that stand side by side at `level`."""
    below = memory.front.pop(level)
    made = SummaryRange(
        level=level + 1,
        first=below[0].first,
        last=below[-1].last,
        at=below[-1].at,
        changes=heaviest([change for part in below for change in part.changes]),
    )
    for summary_range in below:
        summary_range.above = made.first
    memory.below[made.key] = below
    return made


def keep_summary(moment: FoldStep, entry: SummaryMade) -> None:
    """Let a summary stand, unless its range is unknown or a better one does."""
    memory = moment.memory
    key = (entry.level, entry.first)
    owed = memory.ranges.get(key)
    if owed is None or owed.last != entry.last:
        return
    standing = memory.summaries.get(key)
    if standing is not None and (standing.how == "model" or entry.how == "extract"):
        return
    most = CHARS_OF_EXTRACT if entry.how == "extract" else CHARS_PER_WORD
    text = clip(entry.text.strip(), memory.era(entry.last).words * most)
    memory.summaries[key] = Summary(
        level=entry.level,
        first=entry.first,
        last=entry.last,
        how=entry.how,
        text=text,
        size=measure_text(text, "tokens"),
        was=min(max(entry.was, 0), _MOST_TOKENS),
        at=owed.at,
    )
    memory.owed.pop(key, None)
    made = {"level": entry.level, "first": entry.first, "last": entry.last, "how": entry.how}
    moment.record_fact("summary.made", None, **made)
    if entry.level == 0 and entry.first not in memory.newest:
        insort(memory.newest, entry.first)
    while len(memory.newest) > memory.settings.summary.keep:
        _release(memory, (0, memory.newest.pop(0)))
    for below in covered_ranges(memory, *key):
        _release(memory, below.key)


def covered_ranges(memory: Memory, level: int, first: int) -> list[SummaryRange]:
    """The ranges that (`level`, `first`) covers and memory still holds, oldest first."""
    below = memory.below.get((level, first), ())
    return [summary_range for summary_range in below if summary_range.key in memory.ranges]


def _release(memory: Memory, key: Key) -> None:
    """Let go of a range, and of those below it, once what covers it is final.

    The newest of level 0 stay.
    """
    held = memory.ranges.get(key)
    if held is None or held.above is None or not _is_final(memory, (held.level + 1, held.above)):
        return
    if held.level == 0 and held.first in memory.newest:
        return
    below = covered_ranges(memory, *key)
    memory.below.pop(key, None)
    del memory.ranges[key]
    memory.summaries.pop(key, None)
    memory.owed.pop(key, None)
    for part in below:
        _release(memory, part.key)


def _is_final(memory: Memory, key: Key) -> bool:
    """True when no better summary than the standing one is waited for at `key`."""
    standing = memory.summaries.get(key)
    if standing is None:
        return key not in memory.ranges
    return standing.how == "model" or memory.era(standing.last).how != "model"


def list_due_summaries(memory: Memory, most: int | None = None) -> tuple[SummaryEffect, ...]:
    """The effects that `memory` is owed now, those of the range that ends first, first.

    Of ranges that end together the lower comes first. All of them, or the first
    `most`. Pure: the same memory always owes the same
    effects, with the same ids, so running one twice is harmless. A range of a
    higher level is due once every range below it has a standing summary.
    """
    ends = sorted((memory.ranges[key].last, *key) for key in memory.owed)
    ready = (
        _summary_effect(memory, *end)
        for end in ends
        if all(part.key in memory.summaries for part in covered_ranges(memory, *end[1:]))
    )
    return tuple(islice(ready, most))


def _summary_effect(memory: Memory, last: int, level: int, first: int) -> SummaryEffect:
    """The effect that a range is owed; a redaction within it makes it another one."""
    again = bisect_right(memory.redacted, last) - bisect_left(memory.redacted, first)
    return SummaryEffect(level, first, last, again)


def list_summary_upgrades(memory: Memory, most: int | None = None) -> tuple[SummaryEffect, ...]:
    """The standing extracts that a model could better, lowest level and oldest first.

    Those of ranges that closed while the session took a model's. A range of a
    higher level waits for the models' summaries of the ranges below it that memory still holds.
    """
    found = (
        _summary_effect(memory, standing.last, *key)
        for key, standing in sorted(memory.summaries.items())
        if standing.how == "extract"
        and memory.era(standing.last).how != "extract"
        and all(
            lower.how == "model"
            for part in covered_ranges(memory, *key)
            if (lower := memory.summaries.get(part.key)) is not None
        )
    )
    return tuple(islice(found, most))


def uncovered_summaries(memory: Memory) -> list[Summary]:
    """The standing summaries that no standing summary of a higher level covers, in log order."""
    found = []
    ranges = [summary_range for level in memory.front.values() for summary_range in level]
    while ranges:
        key = ranges.pop().key
        if key in memory.summaries:
            found.append(memory.summaries[key])
        else:
            ranges += covered_ranges(memory, *key)
    return sorted(found, key=lambda summary: summary.first)
