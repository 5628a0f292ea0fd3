"""The layers of a memory as trees, with handles where items have one; kept results as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from parley.memory.exchanges.short_forms import result_text
from parley.memory.exchanges.tool_cache import list_live_results, remaining_exchanges
from parley.memory.goals.lessons import list_lessons
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.state.store import StateTree
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.server.rows.cite_rows import NO_RECORDS, handle_of
from parley.server.rows.digest_rows import ruler_rows, task_row
from parley.server.rows.item_rows import candidate_row, decision_row, denial_row, proposal_row


def conversation(memory: Memory) -> dict[str, Any]:
    return {
        "open": {
            "first": memory.open_first, "messages": memory.open_count,
            "tokens": memory.open_tokens if memory.short_term else None,
        },
        "summaries": [_plain(summary) for summary in uncovered_summaries(memory)],
        "owed": [{"level": level, "first": first} for level, first in sorted(memory.owed)],
    }  # fmt: skip


def session(memory: Memory) -> dict[str, Any]:
    episodes = [
        episode for episode in memory.episodes.by_ref.values() if episode.kind in ("goal", "task")
    ]
    return {
        "open": [_row(episode) for episode in episodes if episode.status == "open"],
        "archived": [_row(episode) for episode in episodes if episode.status != "open"],
        "evicted": memory.episodes.evicted,
    }


def execution(memory: Memory) -> dict[str, Any]:
    at_work = [memory.episodes.by_ref[ref] for ref in memory.episodes.open]
    return {"work": [_row(episode) for episode in at_work if episode.work is not None]}


def episodes(memory: Memory) -> dict[str, Any]:
    tree = _store(memory.episodes)
    return {
        **tree,
        "held": [_row(episode) for episode in memory.episodes.by_ref.values()],
        "open": [f"E{ref}" for ref in memory.episodes.open],
    }


def notebooks(memory: Memory) -> dict[str, Any]:
    notes = {name: _plain(note) for name, note in sorted(memory.notebooks.notes.items())}
    return {"policy": memory.settings.note.policy, "notes": notes}


def history(memory: Memory) -> dict[str, Any]:
    tree: dict[str, Any] = _plain(memory.notebooks)
    return {name: value for name, value in tree.items() if name != "notes"}


def exchanges(memory: Memory) -> dict[str, Any]:
    episodes = memory.episodes.by_ref
    return {
        **_store(memory.exchanges),
        "window": [_row(episodes[ref]) for ref in memory.exchanges.window if ref in episodes],
        "running": memory.exchanges.running,
        "open": f"E{memory.exchanges.open}" if memory.exchanges.open else None,
    }


def tools(memory: Memory) -> dict[str, Any]:
    cached = [
        {**_plain(cached), "remaining": max(0, remaining_exchanges(memory, cached))}
        for cached in memory.tools.cached.values()
    ]
    return {**_store(memory.tools), "turn": memory.exchanges.turn, "cached": cached}


def insights(memory: Memory) -> dict[str, Any]:
    rows = [
        {"handle": insight.handle, **_plain(insight)} for insight in memory.insights.by_ref.values()
    ]
    return {**_store(memory.insights), "held": rows}


def lessons(memory: Memory) -> dict[str, Any]:
    return {"lessons": [_plain(lesson) for lesson in list_lessons(memory)]}


def ledger(memory: Memory) -> dict[str, Any]:
    """The whole ledger, what was denied included; without the words of messages."""
    view = ledger_of(memory)
    proposals, decisions = [*view.proposals()], [*view.decisions()]
    return {
        "proposals": [proposal_row(memory, i, NO_RECORDS) for i in proposals if i.shelf == "firm"],
        "decisions": [decision_row(memory, i, NO_RECORDS) for i in decisions if i.shelf == "firm"],
        "candidates": [candidate_row(memory, item) for item in view.candidates()],
        "denied": [
            {**candidate_row(memory, item), "denied": denial_row(item, NO_RECORDS)}
            for item in (*proposals, *decisions)
            if item.shelf == "denied"
        ],
        "tasks": [task_row(task, NO_RECORDS) for task in view.tasks],
        "rulers": ruler_rows(memory, NO_RECORDS),
    }


def kept_result_rows(memory: Memory) -> Iterator[dict[str, Any]]:
    """What is kept in `memory`, oldest first."""
    for cached in list_live_results(memory):
        yield {
            "tool": cached.tool,
            "arguments": cached.arguments,
            "remaining": remaining_exchanges(memory, cached),
            "original": cached.ttl,
            "hits": cached.hits,
            "bytes": cached.bytes,
            "n": cached.n,
            "call_id": cached.call_id,
            "text": result_text(memory, cached),
        }


def _plain(store: Any) -> Any:
    return to_builtins(store, str_keys=True)


def _row(episode: Episode) -> dict[str, Any]:
    """An episode as its store has it, by handles."""
    parent = handle_of("E", episode.parent)
    after = [f"E{ref}" for ref in episode.after]
    return {"handle": episode.handle, **_plain(episode), "parent": parent, "after": after}


def _store(store: StateTree) -> dict[str, Any]:
    """Every field of a store, those at their defaults included."""
    fields = zip(store.__struct_encode_fields__, store.__struct_fields__, strict=True)
    return {name: _plain(getattr(store, field)) for name, field in fields}
