"""Numbers of a session's memory: counts by kind and status, sizes, compression, each layer's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from msgspec.json import encode

from parley.bus.entries import Record
from parley.memory.context.chat_messages import prepare_messages
from parley.memory.floor.seats import present_agents
from parley.memory.fold.canonical_bytes import dump
from parley.memory.goals import eviction, lessons
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.ledger.reading_counts import count_readings
from parley.memory.state.episode_state import Episode
from parley.memory.state.floor_state import Account
from parley.memory.state.item_state import UNLISTED, Proposal
from parley.memory.state.lookup import innermost_open_episode
from parley.memory.state.memory import Memory
from parley.memory.statistics.forecast import forecast_limits
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.text_sizes import count_tokens, measure_text

_UNBOUNDED: Final = 2**53 - 1  # tokens: nothing is left out


def count_memory(memory: Memory, recent: Sequence[Record] = ()) -> dict[str, Any]:
    """Counts and sizes. Sizes are bytes of canonical JSON, and tokens of the summaries.

    `recent` are the newest messages, those without a summary (`memory.open_count`) at least: of
    these the tokens are counted.

    Those bytes are without notebooks and the ballots of secret votes: everybody is shown
    how many there are, and from one entry to the next could tell what was chosen.
    `proposals` counts the active ones, as the others have their own count by status. Items are
    those of the ledger: firm ones by the status they are shown with, candidates and those that a
    model denies apart. Those that left memory are counted by the status that they left with, and
    in all as `left_memory`; candidates of them are not among `candidates`.
    Shares are per mille, null where there is nothing to share.
    """
    ledger = ledger_of(memory)
    items = [*ledger.proposals(), *ledger.decisions()]
    firm = [item for item in items if item.shelf == "firm"]
    left = memory.evictions
    offered = _by_status(firm, "proposal", left.proposals)
    decided = _by_status(firm, "decision", left.decisions)
    covered = sum(summary.was for summary in memory.summaries.values())
    written = sum(summary.size for summary in memory.summaries.values())
    return {
        "messages": memory.messages,
        "participants": len(memory.participants),
        "summaries": len(memory.summaries),
        "summaries_owed": len(memory.owed),
        "decisions": sum(decided.values()),
        "decisions_by_status": decided,
        "proposals": offered.get("active", 0),
        "proposals_by_status": offered,
        "candidates": len(ledger.candidates()),
        "left_memory": {"proposals": left.count_proposals(), "decisions": left.count_decisions()},
        "denied": sum(item.shelf == "denied" for item in items),
        "flips": sum(
            position.was is not None and position.stance != "neutral"
            for person in memory.participants.values()
            for position in person.positions.values()
        )
        + sum(map(_read_flips, firm)),
        "echoes": sum(
            isinstance(item.item, Proposal) and item.item.echoes is not None for item in firm
        ),
        "unknown": dict(sorted(memory.unknown.items())),
        "sizes": {
            "memory_bytes": len(dump(memory)) - _kept_apart(memory),
            "summary_tokens": written,
            "summarised_tokens": covered,
            "open_messages": memory.open_count,
        },
        "compression_permille": _permille(written, covered),
        **_count_layers(memory, recent),
        **_limits(memory),
    }


def _by_status(items: Iterable[LedgerItem], kind: str, left: Mapping[str, int]) -> dict[str, int]:
    """How many of that kind have each shown status, by status, with the firm ones that `left`."""
    counts: Counter[str] = Counter(item.status for item in items if item.kind == kind)
    counts.update({status: count for status, count in left.items() if status not in UNLISTED})
    return dict(sorted(counts.items()))


def _kept_apart(memory: Memory) -> int:
    """Bytes of what not every reader is shown."""
    secret = [vote.ballots for vote in memory.votes.by_ref.values() if vote.secret]
    return sum(len(encode(kept)) for kept in (memory.notebooks.notes, *secret))


def _limits(memory: Memory) -> dict[str, Any]:
    forecasts = forecast_limits(memory)
    return {
        "forecasts": [asdict(forecast) for forecast in forecasts],
        "alerts": [
            f"{forecast.limit} {forecast.of}".strip() for forecast in forecasts if forecast.alert
        ],
    }


def _count_layers(memory: Memory, recent: Sequence[Record] = ()) -> dict[str, Any]:
    """The counts of each layer: conversation, session, execution, notebooks, …, the table."""
    return {
        "conversation": _conversation(memory, recent),
        "session": _session(memory),
        "execution": _execution(memory),
        "notebooks": _notebooks(memory),
        "exchanges": _exchanges(memory),
        "cache": _cache(memory),
        "extraction": count_readings(memory),
        **count_table(memory),
    }


def _conversation(memory: Memory, recent: Sequence[Record]) -> dict[str, Any]:
    """The open stretch and its summaries; tokens are null where nothing tells those of its talk."""
    summaries = sum(summary.size for summary in uncovered_summaries(memory))
    spoken = _open_tokens(memory, recent)
    return {
        "buffer_messages": memory.open_count,
        "has_summary": bool(memory.summaries),
        "summary_tokens": summaries,
        "estimated_tokens": None if spoken is None else spoken + summaries,
    }


def _open_tokens(memory: Memory, recent: Sequence[Record]) -> int | None:
    """Of the messages without a summary; memory counts them under `limits.short_term` alone."""
    if memory.settings.limits.short_term.cap > 0:
        return memory.open_tokens
    if memory.open_count and not recent:
        return None
    newest = recent[max(0, len(recent) - memory.open_count) :]
    return sum(count_tokens(getattr(record.entry, "content", "")) for record in newest)


def _session(memory: Memory) -> dict[str, Any]:
    goal = innermost_open_episode(memory, "goal")
    episodes = memory.episodes.by_ref.values()
    under = [episode for episode in episodes if goal is not None and episode.parent == goal.ref]
    closed = [
        episode for episode in episodes if episode.kind == "goal" and episode.status != "open"
    ]
    return {
        "current_goal": None if goal is None else f"{goal.handle} {goal.title}",
        "tool_executions": sum(map(_runs, [*([] if goal is None else [goal]), *under])),
        "subtasks": _open(under, "task") + _tasks_done(goal),
        "completed_goals": sum(episode.status == "completed" for episode in closed),
        "archived_goals": len(closed),
        "evicted": memory.episodes.evicted,
        "refused": memory.episodes.refused,
        "estimated_tokens": eviction.session_size(memory),
    }


def _runs(episode: Episode) -> int:
    return 0 if episode.work is None or episode.status != "open" else episode.work.tally.runs


def _open(episodes: Iterable[Episode], kind: str) -> int:
    return sum(episode.kind == kind and episode.status == "open" for episode in episodes)


def _tasks_done(goal: Episode | None) -> int:
    return 0 if goal is None or goal.work is None else sum(goal.work.tally.tasks.values())


def _execution(memory: Memory) -> dict[str, Any]:
    task = innermost_open_episode(memory, "task")
    at_work = [memory.episodes.by_ref[ref].work for ref in memory.episodes.open]
    steps = [step for work in at_work if work is not None for step in work.steps]
    learnt = sum(insight.kind == "discovered" for insight in memory.insights.by_ref.values())
    return {
        "current_task": None if task is None else f"{task.handle} {task.title}",
        "execution_steps": len(steps),
        "discovered_context_entries": sum(len(step.discovered) for step in steps) + learnt,
        "insights": len(memory.insights.by_ref),
        "lessons": len(lessons.list_lessons(memory)),
    }


def _notebooks(memory: Memory) -> dict[str, Any]:
    books = memory.notebooks
    return {
        "policy": memory.settings.note.policy,
        "lines": len(books.history),
        "characters": books.size,
        "dropped": books.dropped,
        "notes": {
            name: {"characters": len(note.text), "revision": note.cause}
            for name, note in sorted(books.notes.items())
        },
    }


def _exchanges(memory: Memory) -> dict[str, Any]:
    """`estimated_tokens` is what an assistant is told before its next question."""
    store = memory.exchanges
    in_use = bool(store.turn or memory.tools.cached)
    return {
        "turn": store.turn,
        "window": len(store.window),
        "running_bytes": measure_text(store.running, "bytes"),
        "compressions": store.compressions,
        "estimated_tokens": prepare_messages(memory, budget=_UNBOUNDED).size if in_use else 0,
    }


def _cache(memory: Memory) -> dict[str, Any]:
    tools = memory.tools
    return {
        "kept": len(tools.cached),
        "hits": tools.hits,
        "misses": tools.misses,
        "hit_permille": _permille(tools.hits, tools.hits + tools.misses),
        "evicted": tools.evicted,
    }


def count_table(memory: Memory) -> dict[str, Any]:
    """The counts of the floor, of what was spent, and of votes."""
    floor, ledger = memory.floor, memory.ledger
    return {
        "floor": {
            "policy": memory.settings.floor.policy,
            "seats": sum(seat.present for seat in floor.seats.values()),
            "agents": len(present_agents(memory)),
            "epoch": floor.epoch,
            "holder": floor.holder or None,
            "paused": floor.paused or None,
            "turns": floor.turns,
            "hops": floor.hops,
            "evaluations": floor.evaluations,
            "speakers": {
                name: {"turns": seat.turns, "tokens": seat.spoken_tokens}
                for name, seat in sorted(floor.seats.items())
                if seat.turns
            },
        },
        "spend": {
            **_spent(ledger.total),
            "refused": ledger.refused,
            "overrun": ledger.overrun,
            "purposes": dict(sorted(ledger.purposes.items())),
            "accounts": {
                name: _spent(account) for name, account in sorted(ledger.accounts.items())
            },
        },
        "votes": dict(
            sorted(Counter(vote.status for vote in memory.votes.by_ref.values()).items())
        ),
    }


def _spent(account: Account) -> dict[str, int]:
    return {
        "tokens": account.tokens,
        "micros": account.micros,
        "calls": account.calls,
        "failed": account.failed,
        "held_tokens": account.held_tokens,
    }


def _read_flips(item: LedgerItem) -> int:
    """How many participants have another side on `item` than one a model read before."""
    sides = [side for side in item.earlier_sides if side.stance != "neutral"]
    before = {side.participant: side.stance for side in sides}
    return sum(
        side.as_read and side.stance not in ("neutral", before.get(name, side.stance))
        for name, side in item.sides.items()
    )


def _permille(part: int, whole: int) -> int | None:
    return part * 1000 // whole if whole else None
