"""Forecasts: how full each limit is, how fast it fills, and how many turns are left until its cap.

A turn is a primary entry: what the session was given, message or not. Rates
are averages over what memory holds, in thousandths of a unit a turn. Pure,
integers only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from parley.memory.goals import eviction, lessons
from parley.memory.notebooks.notebooks import list_lines_since
from parley.memory.notebooks.reflections import note_limit, note_policy, note_warning
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import Unit, measure_text


@dataclass(frozen=True, slots=True)
class Forecast:
    """One limit. `turns_left` is 0 at the cap, None where nothing grows."""

    limit: str
    unit: Unit
    size: int
    cap: int
    # size from which it is told: what the settings say, else 75 % of the cap; 0: never,
    # where what goes beyond the cap is told elsewhere
    warn: int
    per_turn_permille: int
    turns_left: int | None
    of: str = ""  # whose limit it is, where everybody has one

    @property
    def alert(self) -> bool:
        return 0 < self.warn <= self.size


def forecast_limits(memory: Memory) -> list[Forecast]:
    """Each limit with a running size; those of layers that a session does not use are left out."""
    return [
        *_talk(memory),
        *_items(memory),
        *_notebooks(memory),
        *_episodes(memory),
        *_exchanges(memory),
        *_tools(memory),
    ]


def _made(
    limit: str, unit: Unit, size: int, cap: int, grown: int, turns: int,
    *, warn: int | None = None, of: str = "",
) -> Forecast:  # fmt: skip
    """`grown` units came in `turns` turns, whether they are still there or not."""
    rate = max(0, grown) * 1000 // max(1, turns)
    left = 0 if size >= cap else -(-(cap - size) * 1000 // rate) if rate else None
    threshold = max(1, cap * 3 // 4) if warn is None else min(warn, cap)
    return Forecast(limit, unit, size, cap, threshold, rate, left, of)


def _talk(memory: Memory) -> Iterator[Forecast]:
    count, turns = memory.open_count, memory.n - memory.open_first + 1
    cap = memory.settings.summary.interval
    yield _made("summary.interval", "items", count, cap, count, turns, warn=cap)
    short = memory.settings.limits.short_term
    if short.cap:
        size = memory.open_tokens
        yield _made("limits.short_term", "tokens", size, short.cap, size, turns, warn=short.warn)


def _items(memory: Memory) -> Iterator[Forecast]:
    caps = memory.settings.caps
    left = memory.evictions
    for limit, full, ever in (
        ("caps.proposals", memory.full_proposals, left.count_proposals() + len(memory.proposals)),
        ("caps.decisions", memory.full_decisions, left.count_decisions() + len(memory.decisions)),
    ):
        cap = caps.proposals if limit == "caps.proposals" else caps.decisions
        warn = -(-cap * caps.threshold // 1000)
        yield _made(limit, "items", len(full), cap, ever, memory.n, warn=warn)
    insights = memory.insights
    if insights.last:
        cap = memory.settings.limits.insights
        yield _made("limits.insights", "items", len(insights.by_ref), cap, insights.last, memory.n)
    if memory.lessons:
        yield _made("limits.lessons", "items", len(lessons.list_lessons(memory)),
                    memory.settings.limits.lessons, 0, memory.n)  # fmt: skip


def _notebooks(memory: Memory) -> Iterator[Forecast]:
    books, limits = memory.notebooks, memory.settings.limits
    if not memory.keeps_notes:
        return
    count = len(books.history)
    ever = books.size * (count + books.dropped) // count if count else 0
    yield _made("limits.history", "chars", books.size, limits.history.cap, ever, memory.n)
    for name in sorted(books.notes):
        note = books.notes[name]
        if note_policy(memory, name) == "off":
            continue
        cap, warn = note_limit(memory, name), note_warning(memory, name)
        characters = sum(len(line.text) for line in list_lines_since(memory, name))
        size, turns = len(note.text) + characters, memory.n - note.cause
        yield _made("limits.note", "chars", size, cap, characters, turns, warn=warn, of=name)


def _episodes(memory: Memory) -> Iterator[Forecast]:
    store, limits = memory.episodes, memory.settings.limits
    if not store.last:
        return
    yield _made("limits.open_episodes", "items", len(store.open), limits.open_episodes,
                len(store.open), memory.n)  # fmt: skip
    session, archive, kept = limits.session, limits.archive, len(store.archived)
    size = eviction.session_size(memory)
    yield _made("limits.session", "tokens", size, session.cap, size, memory.n, warn=session.warn)
    ever = kept + store.evicted
    tokens = store.archive_size
    yield _made("limits.archive", "tokens", tokens, archive.cap,
                tokens * ever // max(1, kept), memory.n)  # fmt: skip
    yield _made("limits.archive.items", "items", kept, archive.items, ever, memory.n)


def _exchanges(memory: Memory) -> Iterator[Forecast]:
    store, limits = memory.exchanges, memory.settings.limits
    if not store.turn:
        return
    window = [memory.episodes.by_ref[ref] for ref in store.window if ref in memory.episodes.by_ref]
    count, turn = len(window), store.turn
    yield _made("limits.exchanges", "items", count, limits.exchanges, turn, memory.n, warn=0)
    size = measure_text(store.running, "bytes")
    each = sum(map(_told, window)) // len(window) if window else 0
    grown, cap = each * turn, limits.running.cap
    yield _made("limits.running", "bytes", size, cap, grown, memory.n, warn=0)


def _told(exchange: Episode) -> int:
    """Bytes that an exchange will add to the running summary, near enough."""
    talk = exchange.talk
    return 0 if talk is None else measure_text(talk.question + talk.answer, "bytes")


def _tools(memory: Memory) -> Iterator[Forecast]:
    tools = memory.tools
    kept = len(tools.cached)
    if kept or tools.evicted:
        cap = memory.settings.limits.cached
        yield _made("limits.cached", "items", kept, cap, kept + tools.evicted, memory.n)
