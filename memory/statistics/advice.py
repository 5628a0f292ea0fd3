"""Advice: the limits that a session's own use calls for.

Everything is told from what memory measured as it went; nothing is guessed
from the text. Pure, integers only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parley.memory.notebooks.reflections import note_limit
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import ELLIPSIS

_MOST = 10**9  # nothing is advised beyond it


@dataclass(frozen=True, slots=True)
class Advice:
    """Set `key`, which is `now`, to `suggested`."""

    key: str
    now: int
    suggested: int
    because: str


def advise_limits(memory: Memory) -> list[Advice]:
    """What to set otherwise, by key; empty where the limits fit, or nothing was measured yet."""
    advices = [
        *_lines(memory), *_notes(memory), *_answers(memory), *_cache(memory),
        *_episodes(memory), *_insights(memory), *_summaries(memory),
    ]  # fmt: skip
    return sorted(
        (advice for advice in advices if advice.suggested != advice.now),
        key=lambda advice: advice.key,
    )


def _rounded(size: int) -> int:
    """`size`, up to two digits that count."""
    step = 1
    while size >= 100 * step:
        step *= 10
    return min(_MOST, -(-size // step) * step)


def _upper(sizes: Iterable[int]) -> int:
    """What nine of ten of `sizes` are within."""
    ordered = sorted(sizes)
    return ordered[(len(ordered) * 9 - 1) // 10]


def _lines(memory: Memory) -> Iterator[Advice]:
    books, limits = memory.notebooks, memory.settings.limits
    for kind, now in (("statement", limits.statement), ("reasoning", limits.reasoning)):
        texts = [line.text for line in books.history if line.kind == kind]
        cut = sum(now // 2 <= len(text) <= now and text.endswith(ELLIPSIS) for text in texts)
        if now and len(texts) >= 4 and cut * 4 >= len(texts):
            because = f"{cut} of {len(texts)} lines of the history were cut"
            yield Advice(f"limits.{kind}", now, _rounded(now * 2), because)
    if books.dropped and books.history:
        count, now = len(books.history), limits.history.cap
        wanted = min(now * 4, now * (count + books.dropped) // count)
        because = f"{books.dropped} of {count + books.dropped} lines of the history were dropped"
        yield Advice("limits.history.cap", now, _rounded(wanted), because)


def _notes(memory: Memory) -> Iterator[Advice]:
    now = memory.settings.limits.note.cap
    failed = sorted(
        name
        for name, note in memory.notebooks.notes.items()
        if note.answered > note.cause and note_limit(memory, name) == now
    )
    if failed:
        because = f"no revision of {', '.join(failed)} fitted"
        yield Advice("limits.note.cap", now, _rounded(now * 5 // 4), because)


def _answers(memory: Memory) -> Iterator[Advice]:
    now = memory.settings.limits.answer.cap
    episodes = memory.episodes.by_ref
    talks = (episodes[ref].talk for ref in memory.exchanges.window if ref in episodes)
    sizes = [talk.answer_bytes for talk in talks if talk is not None and talk.answer_n]
    sizes += [cached.bytes for cached in memory.tools.cached.values()]
    over = sum(size > now for size in sizes)
    if len(sizes) >= 4 and over * 4 >= len(sizes):
        because = f"{over} of {len(sizes)} answers and tool results were longer"
        yield Advice("limits.answer.cap", now, _rounded(min(now * 4, _upper(sizes))), because)


def _cache(memory: Memory) -> Iterator[Advice]:
    tools, cache = memory.tools, memory.settings.cache
    aged = sum(
        cached.hits > 0 and cached.expires >= cached.limit for cached in tools.cached.values()
    )
    if aged:
        because = f"{aged} results that were asked for again end at their greatest age"
        yield Advice("cache.max_age", cache.max_age, max(1, cache.max_age * 2), because)
    if tools.evicted:
        now = memory.settings.limits.cached
        wanted = min(max(1, now * 2), now + tools.evicted)
        because = f"{tools.evicted} tool results were let go of before their time"
        yield Advice("limits.cached", now, _rounded(wanted), because)


def _episodes(memory: Memory) -> Iterator[Advice]:
    store, limits = memory.episodes, memory.settings.limits
    if store.refused:
        now = limits.open_episodes
        because = f"{store.refused} openings were refused"
        yield Advice("limits.open_episodes", now, _rounded(now + min(now, store.refused)), because)
    if not store.evicted:
        return
    kept = len(store.archived)
    because = f"{store.evicted} closed episodes were let go of"
    if kept >= limits.archive.items:
        now = limits.archive.items
        yield Advice("limits.archive.items", now, _rounded(_doubled(now, store.evicted)), because)
    if store.archive_size * 4 >= limits.archive.cap * 3:
        now = limits.archive.cap
        share = now * store.evicted // max(1, kept)
        yield Advice("limits.archive.cap", now, _rounded(_doubled(now, share)), because)


def _doubled(now: int, more: int) -> int:
    """`more` than now, at most twice as much."""
    return now + min(max(1, now), max(1, more))


def _insights(memory: Memory) -> Iterator[Advice]:
    dropped = memory.insights.dropped
    if dropped:
        now = memory.settings.limits.insights
        because = f"{dropped} insights were let go of"
        yield Advice("limits.insights", now, _rounded(_doubled(now, dropped)), because)


def _summaries(memory: Memory) -> Iterator[Advice]:
    """A summary nearly as long as the talk comes too early, one of a fiftieth too late."""
    made = [summary for summary in memory.summaries.values() if summary.level == 0 and summary.was]
    was, size = sum(summary.was for summary in made), sum(summary.size for summary in made)
    now = memory.settings.summary.interval
    if len(made) < 2 or now >= 10_000:
        return
    permille = size * 1000 // was
    because = f"summaries have {permille} thousandths of the length of the talk"
    if permille > 500:
        yield Advice("summary.interval", now, min(10_000, now * 2), because)
    elif permille < 20 and now > 1:
        yield Advice("summary.interval", now, -(-now // 2), because)
