"""The layers of a memory in words: those of a context, so nothing can pose as something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from parley.memory.context import layer_lines
from parley.memory.context.item_lines import visible_line
from parley.memory.exchanges import short_forms, tool_cache
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.notebooks.notebooks import render_lines_since
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.fences import fence_lines
from parley.memory.text.text_sizes import measure_text
from parley.server.basics.output import count_of
from parley.server.verdicts.status_words import candidate_words, denial_words, status_words
from parley.server.verdicts.tallies import item_tally

Lines = Iterable[str]


def conversation(memory: Memory) -> Lines:
    for summary in uncovered_summaries(memory):
        saved = f"{summary.size} tokens for {summary.was}"
        how = f"{summary.how}, level {summary.level}, {saved}"
        yield f"Summary of {summary.first}-{summary.last} ({how})"
        yield fence_lines(summary.text)
    tokens = f", {memory.open_tokens} tokens" if memory.short_term else ""
    talk = count_of(memory.open_count, "message")
    yield f"{talk} from {memory.open_first} on{tokens}, no summary yet"
    if memory.owed:
        yield f"{count_of(len(memory.owed), 'summary', 'summaries')} due"


def session(memory: Memory) -> Lines:
    episodes = memory.episodes.by_ref.values()
    return _told(memory, [episode for episode in episodes if episode.kind in ("goal", "task")])


def _told(memory: Memory, episodes: Iterable[Episode]) -> Iterator[str]:
    for episode in episodes:
        if episode.talk is not None:
            answer = short_forms.answer_text(memory, episode)
            yield layer_lines.exchange_lines(episode, answer)
        elif episode.status != "open":
            yield layer_lines.closed_episode_lines(
                episode, short_forms.episode_text(memory, episode)
            )
        elif episode.work is not None:
            yield layer_lines.open_work_lines(episode)
        else:
            yield layer_lines.stage_line(episode)
    if memory.episodes.evicted:
        yield f"{memory.episodes.evicted} closed before are in the log alone"


def execution(memory: Memory) -> Lines:
    for episode in (memory.episodes.by_ref[ref] for ref in memory.episodes.open):
        if episode.work is None:
            continue
        yield layer_lines.open_work_lines(episode)
        for step in episode.work.steps:
            for key, value in step.discovered:
                yield f"| {visible_line(key)}: {visible_line(value)} (n {step.n})"


def episodes(memory: Memory) -> Lines:
    yield from _told(memory, memory.episodes.by_ref.values())
    if memory.episodes.refused:
        yield f"{memory.episodes.refused} openings were refused"


def notebooks(memory: Memory) -> Lines:
    for name, note in sorted(memory.notebooks.notes.items()):
        size = count_of(len(note.text), "character")
        revision = f"revision {note.cause} of {size}" if note.cause else "no revision yet"
        since = count_of(len(render_lines_since(memory, name)), "line")
        owed = f"; a revision up to n {note.owed} is owed" if note.owed > note.answered else ""
        yield f"{visible_line(name, 64)}: {revision}, {since} since{owed}"
        if note.text:
            yield layer_lines.note_lines(note.text, note.cause, len(note.text))


def history(memory: Memory) -> Lines:
    books = memory.notebooks
    if books.dropped:
        yield f"{books.dropped} lines up to n {books.through} are in the log alone"
    for history_line in books.history:
        topic = f" on {visible_line(history_line.topic, 100)}" if history_line.topic else ""
        yield f"{history_line.n} {history_line.kind} of {visible_line(history_line.who, 64)}{topic}"
        yield fence_lines(history_line.text)
        yield from (
            f"| {visible_line(key)}: {visible_line(value)}" for key, value in history_line.facts
        )


def exchanges(memory: Memory) -> Lines:
    store, episodes = memory.exchanges, memory.episodes.by_ref
    running = short_forms.running_text(memory)
    pressed = count_of(store.compressions, "compression")
    yield f"{store.turn} closed, {len(store.window)} kept, {pressed}"
    if running:
        yield f"Before them, in {measure_text(running, 'bytes')} bytes:"
        yield layer_lines.running_lines(running)
    for ref in [*store.window, store.open]:
        if ref in episodes:
            episode = episodes[ref]
            yield layer_lines.exchange_lines(episode, short_forms.answer_text(memory, episode))


def tools(memory: Memory) -> Lines:
    tools = memory.tools
    misses = count_of(tools.misses, "miss", "misses")
    yield f"{count_of(tools.hits, 'hit')}, {misses}, {len(tools.cached)} kept"
    for cached in tool_cache.list_live_results(memory):
        value = short_forms.result_text(memory, cached)
        yield layer_lines.cached_lines(memory, cached, value)
    for call in tools.calls.values():
        yield f"{visible_line(call.call_id)} is under way since n {call.n}"
    for name, shown in sorted(tools.injected.items()):
        yield f"Shown to {visible_line(name, 64)}:"
        yield from (
            layer_lines.injection_lines(key, injection) for key, injection in sorted(shown.items())
        )


def insights(memory: Memory) -> Lines:
    yield from map(layer_lines.insight_line, memory.insights.by_ref.values())
    if memory.insights.dropped:
        yield f"{memory.insights.dropped} more are in the log alone"


def lessons(memory: Memory) -> Lines:
    return map(layer_lines.lesson_line, memory.lessons.values())


def ledger(memory: Memory) -> Lines:
    view = ledger_of(memory)
    for item in (*view.decisions(), *view.proposals()):
        if item.shelf == "denied":
            yield f"{item.handle} denied, n {item.born}: {denial_words(item)}"
        if item.shelf != "firm":
            continue
        count = item_tally(memory, item)
        tally = f"+{count['support']} -{count['oppose']} ~{count['neutral']}"
        status = visible_line(status_words(item))
        yield f"{item.handle} {status} {tally}, n {item.born}: {visible_line(item.topic)}"
        if item.text:
            yield fence_lines(item.text)
    for item in view.candidates():
        topic = visible_line(item.topic)
        yield f"{item.handle} candidate, n {item.born}, {candidate_words(item)}: {topic}"
