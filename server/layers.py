"""The layers of a memory, one at a time: as a tree, and in words.

The tree is the store as memory holds it, with handles where items have one;
the words are those of a context, so nothing in them can pose as something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec import to_builtins

from memory import condensed, render_layers
from memory.render import line
from memory.state import Memory
from memory.stores import Episode, Store
from memory.summaries import frontier
from memory.text import fenced, measure
from server.errors import Misuse
from server.output import many

Lines = Iterable[str]


@dataclass(frozen=True, slots=True)
class Layer:
    """How one layer is told."""

    tree: Callable[[Memory], dict[str, Any]]
    lines: Callable[[Memory], Lines]


@dataclass(frozen=True, slots=True)
class Told:
    """A layer of one memory, both ways."""

    tree: dict[str, Any]
    text: str


def layer(name: str) -> Layer:
    """The layer of that name. Raises `Misuse`, listing them."""
    found = LAYERS.get(name)
    if found is None:
        raise Misuse(f"--layer {name!r}: there is none; the layers are {', '.join(LAYERS)}")
    return found


def _plain(store: Any) -> Any:
    return to_builtins(store, str_keys=True)


def _row(episode: Episode) -> dict[str, Any]:
    """An episode as its store has it, by handles."""
    parent = None if episode.parent is None else f"E{episode.parent}"
    after = [f"E{ref}" for ref in episode.after]
    return {"handle": episode.handle, **_plain(episode), "parent": parent, "after": after}


# -- conversation --------------------------------------------------------------


def _conversation_tree(memory: Memory) -> dict[str, Any]:
    return {
        "open": {
            "first": memory.open_first, "messages": memory.open_count,
            "tokens": memory.open_tokens if memory.short_term else None,
        },
        "summaries": [_plain(summary) for summary in frontier(memory)],
        "owed": [{"level": level, "first": first} for level, first in sorted(memory.owed)],
    }  # fmt: skip


def _conversation_lines(memory: Memory) -> Lines:
    for one in frontier(memory):
        saved = f"{one.size} tokens for {one.was}"
        yield f"Summary of {one.first}-{one.last} ({one.how}, level {one.level}, {saved})"
        yield fenced(one.text)
    tokens = f", {memory.open_tokens} tokens" if memory.short_term else ""
    talk = many(memory.open_count, "message")
    yield f"{talk} from {memory.open_first} on{tokens}, no summary yet"
    if memory.owed:
        yield f"{many(len(memory.owed), 'summary', 'summaries')} due"


# -- session, execution, episodes ----------------------------------------------


def _goals(memory: Memory) -> list[Episode]:
    return [one for one in memory.episodes.held.values() if one.kind in ("goal", "task")]


def _open(memory: Memory) -> list[Episode]:
    return [memory.episodes.held[ref] for ref in memory.episodes.open]


def _session_tree(memory: Memory) -> dict[str, Any]:
    found = _goals(memory)
    return {
        "open": [_row(one) for one in found if one.status == "open"],
        "archived": [_row(one) for one in found if one.status != "open"],
        "evicted": memory.episodes.evicted,
    }


def _session_lines(memory: Memory) -> Lines:
    return _told(memory, _goals(memory))


def _told(memory: Memory, found: Iterable[Episode]) -> Iterator[str]:
    for one in found:
        if one.talk is not None:
            answer = condensed.answer_text(memory, one)
            yield render_layers.exchange_lines(one, answer)
        elif one.status != "open":
            yield render_layers.past_lines(one, condensed.episode_text(memory, one))
        elif one.work is not None:
            yield render_layers.work_lines(one)
        else:
            yield render_layers.stage_line(one)
    if memory.episodes.evicted:
        yield f"{memory.episodes.evicted} closed before are in the log alone"


def _execution_tree(memory: Memory) -> dict[str, Any]:
    return {"work": [_row(one) for one in _open(memory) if one.work is not None]}


def _execution_lines(memory: Memory) -> Lines:
    for one in _open(memory):
        if one.work is None:
            continue
        yield render_layers.work_lines(one)
        for step in one.work.steps:
            for key, value in step.discovered:
                yield f"| {line(key)}: {line(value)} (n {step.n})"


def _episodes_tree(memory: Memory) -> dict[str, Any]:
    tree = _store(memory.episodes)
    return {
        **tree,
        "held": [_row(one) for one in memory.episodes.held.values()],
        "open": [f"E{ref}" for ref in memory.episodes.open],
    }


def _episodes_lines(memory: Memory) -> Lines:
    yield from _told(memory, memory.episodes.held.values())
    if memory.episodes.refused:
        yield f"{memory.episodes.refused} openings were refused"


# -- notebooks, history --------------------------------------------------------


def _notebooks_tree(memory: Memory) -> dict[str, Any]:
    notes = {name: _plain(note) for name, note in sorted(memory.notebooks.notes.items())}
    return {"policy": memory.settings.note.policy, "notes": notes}


def _notebooks_lines(memory: Memory) -> Lines:
    for name, note in sorted(memory.notebooks.notes.items()):
        revision = f"revision {note.revisions}" if note.revisions else "no revision yet"
        owed = f", owed for {note.owed}" if note.owed > note.answered else ""
        yield f"{line(name, 64)}: {len(note.text)} characters, {revision}{owed}"
        if note.text:
            yield render_layers.note_lines(note.text, note.cause, len(note.text))


def _history_tree(memory: Memory) -> dict[str, Any]:
    tree: dict[str, Any] = _plain(memory.notebooks)
    return {name: value for name, value in tree.items() if name != "notes"}


def _history_lines(memory: Memory) -> Lines:
    books = memory.notebooks
    if books.dropped:
        yield f"{books.dropped} lines up to n {books.through} are in the log alone"
    for told in books.history:
        topic = f" on {line(told.topic, 100)}" if told.topic else ""
        yield f"{told.n} {told.kind} of {line(told.who, 64)}{topic}"
        yield fenced(told.text)
        yield from (f"| {line(key)}: {line(value)}" for key, value in told.facts)


# -- exchanges, tools ----------------------------------------------------------


def _exchanges_tree(memory: Memory) -> dict[str, Any]:
    held = memory.episodes.held
    return {
        **_store(memory.exchanges),
        "window": [_row(held[ref]) for ref in memory.exchanges.window if ref in held],
        "running": memory.exchanges.running,
        "open": f"E{memory.exchanges.open}" if memory.exchanges.open else None,
    }


def _exchanges_lines(memory: Memory) -> Lines:
    store, held = memory.exchanges, memory.episodes.held
    running = condensed.running_text(memory)
    pressed = many(store.compressions, "compression")
    yield f"{store.turn} closed, {len(store.window)} kept, {pressed}"
    if running:
        yield f"Before them, in {measure(running, 'bytes')} bytes:"
        yield render_layers.running_lines(running)
    for ref in [*store.window, store.open]:
        if ref in held:
            found = held[ref]
            yield render_layers.exchange_lines(found, condensed.answer_text(memory, found))


def _tools_tree(memory: Memory) -> dict[str, Any]:
    turn = memory.exchanges.turn
    cached = [
        {**_plain(one), "remaining": max(0, one.expires - turn - 1)}
        for one in memory.tools.cached.values()
    ]
    return {**_store(memory.tools), "turn": turn, "cached": cached}


def _tools_lines(memory: Memory) -> Lines:
    tools = memory.tools
    misses = many(tools.misses, "miss", "misses")
    yield f"{many(tools.hits, 'hit')}, {misses}, {len(tools.cached)} kept"
    for cached in tools.cached.values():
        value = condensed.result_text(memory, cached)
        yield render_layers.cached_lines(memory, cached, value)
    for call in tools.calls.values():
        yield f"{line(call.call_id)} is under way since n {call.n}"
    for name, shown in sorted(tools.injected.items()):
        yield f"Shown to {line(name, 64)}:"
        yield from (render_layers.injection_lines(key, one) for key, one in sorted(shown.items()))


# -- insights, lessons, ledger -------------------------------------------------


def _insights_tree(memory: Memory) -> dict[str, Any]:
    held = [{"handle": one.handle, **_plain(one)} for one in memory.insights.held.values()]
    return {**_store(memory.insights), "held": held}


def _insights_lines(memory: Memory) -> Lines:
    yield from map(render_layers.insight_line, memory.insights.held.values())
    if memory.insights.dropped:
        yield f"{memory.insights.dropped} more are in the log alone"


def _lessons_tree(memory: Memory) -> dict[str, Any]:
    return {"lessons": [_plain(one) for one in memory.lessons.values()]}


def _lessons_lines(memory: Memory) -> Lines:
    return map(render_layers.lesson_line, memory.lessons.values())


def _ledger_tree(memory: Memory) -> dict[str, Any]:
    rows = []
    for ref, found in memory.decisions.items():
        if memory.decision(ref) is found:
            tree = {key: value for key, value in _plain(found).items() if key != "fingerprint"}
            resolves = None if found.resolves is None else f"P{found.resolves}"
            rows.append({"handle": found.handle, **tree, "resolves": resolves})
    return {"decisions": rows}


def _ledger_lines(memory: Memory) -> Lines:
    for ref, found in memory.decisions.items():
        if memory.decision(ref) is not found:
            continue
        support, oppose, neutral = found.tally
        tally = f"+{support} -{oppose} ~{neutral}"
        yield f"{found.handle} {found.status} {tally}, n {found.born}: {line(found.topic)}"
        if found.outcome:
            yield fenced(found.outcome)


def _store(store: Store) -> dict[str, Any]:
    """Every field of a store, those at their defaults included."""
    return {name: _plain(getattr(store, name)) for name in store.__struct_fields__}


LAYERS: Final[Mapping[str, Layer]] = {
    "conversation": Layer(_conversation_tree, _conversation_lines),
    "session": Layer(_session_tree, _session_lines),
    "execution": Layer(_execution_tree, _execution_lines),
    "notebooks": Layer(_notebooks_tree, _notebooks_lines),
    "history": Layer(_history_tree, _history_lines),
    "exchanges": Layer(_exchanges_tree, _exchanges_lines),
    "tools": Layer(_tools_tree, _tools_lines),
    "episodes": Layer(_episodes_tree, _episodes_lines),
    "insights": Layer(_insights_tree, _insights_lines),
    "lessons": Layer(_lessons_tree, _lessons_lines),
    "ledger": Layer(_ledger_tree, _ledger_lines),
}
