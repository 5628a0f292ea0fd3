"""Every limit of a session, measured from the state: what is over its cap, by the limit's key."""

from __future__ import annotations

from collections.abc import Iterator

from parley.memory.exchanges.exchanges import list_kept_exchanges
from parley.memory.exchanges.short_forms import answer_text, result_text, running_text
from parley.memory.goals import eviction
from parley.memory.goals.lessons import list_lessons
from parley.memory.notebooks import notebooks
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens, measure_text

_KEYS = 20  # contexts kept per participant, the newest


def over(memory: Memory) -> list[str]:
    """The limits that do not hold, with what was measured; empty when all do."""
    return [
        f"{limit}: {size} > {cap}" for limit, size, cap in sizes(memory) if not 0 <= size <= cap
    ]


def sizes(memory: Memory) -> Iterator[tuple[str, int, int]]:
    """(limit, size, cap) of everything that has a cap.

    `limits.open_episodes` is none of them: it refuses openings, and closes nothing
    when it is lowered.
    """
    yield from _items(memory)
    yield from _notebooks(memory)
    yield from _exchanges(memory)
    yield from _tools(memory)
    yield from _work(memory)
    limits = memory.settings.limits
    yield "limits.insights", len(memory.insights.by_ref), limits.insights
    yield "limits.lessons", len(list_lessons(memory)), limits.lessons
    if limits.short_term.cap:
        yield "limits.short_term", memory.open_tokens, limits.short_term.cap


def _items(memory: Memory) -> Iterator[tuple[str, int, int]]:
    caps = memory.settings.caps
    full = [item for item in memory.proposals.values() if not item.shrunk]
    yield "caps.proposals", len(full), caps.proposals
    settled = [item for item in memory.decisions.values() if not item.shrunk]
    yield "caps.decisions", len(settled), caps.decisions
    open_ones = len(memory.live)
    yield "caps.live", open_ones, caps.live + _voted_on(memory)
    left_over = len(memory.proposals) - open_ones
    yield "caps.settled", left_over, caps.settled + caps.candidates + _voted_on(memory)
    held = len(memory.decisions)
    yield "caps.ratified", held, caps.claims + caps.ratified + _voted_on(memory)
    outspoken = [p for p in memory.participants.values() if p.positions or p.contributions]
    yield "caps.outspoken", len(outspoken), caps.outspoken
    for person in memory.participants.values():
        yield "caps.positions", len(person.positions), caps.positions
        yield "caps.key_points", len(person.contributions), caps.key_points
    side_by_side = sum(row.above is None for row in memory.ranges.values())
    yield "caps.summaries", side_by_side, max(caps.summaries, len(memory.front))


def _voted_on(memory: Memory) -> int:
    """How many items running votes may be on, which no cap lets go of."""
    return sum(1 + len(memory.votes.by_ref[ref].options) for ref in memory.votes.running)


def _notebooks(memory: Memory) -> Iterator[tuple[str, int, int]]:
    settings, store = memory.settings, memory.notebooks
    size = sum(
        len(line.text) + sum(len(name) + len(value) for name, value in line.facts)
        for line in store.history
    )
    assert store.size >= size, "the history measures more than it is taken for"
    yield "limits.history", size, settings.limits.history.cap
    clips = {"statement": settings.limits.statement, "reasoning": settings.limits.reasoning}
    for line in store.history:
        if clip := clips.get(line.kind):
            assert len(line.text) <= max(clip, 300), line  # a limit may have been lowered since
    for name in store.notes.keys() | memory.participants.keys():
        agent = settings.note.agents.get(name)
        limit = agent.limit if agent is not None and agent.limit else settings.limits.note.cap
        yield f"limits.note of {name!r}", len(notebooks.render_notebook(memory, name)), limit


def _exchanges(memory: Memory) -> Iterator[tuple[str, int, int]]:
    limits, store = memory.settings.limits, memory.exchanges
    yield "limits.exchanges", len(store.window), limits.exchanges
    yield "limits.running", measure_text(store.running, "bytes"), limits.running.cap
    for episode in memory.episodes.by_ref.values():
        if episode.talk is not None:
            yield "limits.answer", measure_text(episode.talk.answer, "bytes"), limits.answer.cap


def _tools(memory: Memory) -> Iterator[tuple[str, int, int]]:
    limits, store = memory.settings.limits, memory.tools
    yield "limits.cached", len(store.cached), limits.cached
    for cached in store.cached.values():
        for text in (cached.value, result_text(memory, cached)):
            yield "limits.answer of a result", measure_text(text, "bytes"), limits.answer.cap
    for shown in store.injected.values():
        yield "contexts", len(shown), _KEYS
        for injection in shown.values():
            yield "limits.context_text", len(injection.text), limits.context_text
    for exchange in list_kept_exchanges(memory):
        size = measure_text(answer_text(memory, exchange), "bytes")
        yield "limits.answer as read", size, limits.answer.cap
    yield "limits.running as read", measure_text(running_text(memory), "bytes"), limits.running.cap


def _work(memory: Memory) -> Iterator[tuple[str, int, int]]:
    limits, store = memory.settings.limits, memory.episodes
    for episode in store.by_ref.values():
        if episode.work is None:
            continue
        text = limits.context_text if episode.status == "open" else limits.archived_text
        yield "limits.context_text", len(episode.work.context), text
        yield "limits.tool_history", len(episode.work.runs), limits.tool_history
        yield "limits.failed_tasks", len(episode.work.failed), limits.failed_tasks
        yield "limits.steps", len(episode.work.steps), limits.steps
    assert eviction.session_size(memory) == measured(memory), "the session's size is not its texts'"
    yield "limits.session", measured(memory), limits.session.cap
    archived = [store.by_ref[ref] for ref in store.archived]
    assert all(row.status != "open" for row in archived)
    yield "limits.archive.items", len(archived), limits.archive.items
    yield "limits.archive", sum(row.size for row in archived), limits.archive.cap
    kept = {*store.open, *store.archived, *memory.exchanges.window, *_failed_tasks(memory)}
    assert store.by_ref.keys() == kept, "an episode is held for nothing"


def _failed_tasks(memory: Memory) -> Iterator[int]:
    """The failed tasks that open goals still tell of in full."""
    for episode in memory.episodes.by_ref.values():
        yield from episode.work.failed if episode.work is not None else ()


def measured(memory: Memory) -> int:
    """Tokens that `limits.session` counts, measured anew from the texts."""
    work = sum(map(_measured, memory.episodes.by_ref.values()))
    return work + sum(count_tokens(insight.text) for insight in memory.insights.by_ref.values())


def _measured(episode: Episode) -> int:
    if episode.talk is not None:
        return 0  # exchanges have limits of their own
    if episode.status != "open":
        return count_tokens(eviction.episode_line(episode))
    work = episode.work
    if work is None:
        return 0
    return (
        sum(count_tokens(run.text) for run in work.runs)
        + sum(map(eviction.step_size, work.steps))
        + count_tokens(work.context)
    )
