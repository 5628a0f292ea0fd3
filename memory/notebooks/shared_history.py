"""The history that notebooks share: each event told once, in order, within its limit."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import HistoryLine, LineKind
from parley.memory.text.plain_text import clip

_TOPIC_CHARS: Final = 100
_REF_CHARS: Final = 20
_ROOM: Final = 9  # tenths of the cap: trimming goes at least this low, so that it is seldom


def history_line(
    memory: Memory,
    n: int,
    kind: LineKind,
    who: str,
    text: str,
    at: str | None,
    act: str | None = None,
    topic: str | None = None,
    re: int | str | None = None,
    facts: tuple[tuple[str, str], ...] = (),
    to: tuple[str, ...] = (),
) -> HistoryLine:
    """What is known of an event, as the history holds it."""
    return HistoryLine(
        n=n,
        kind=kind,
        who=who,
        text=text,
        act=act,
        topic=clip(topic, _TOPIC_CHARS) if topic else None,
        re=None if re is None else _handle(memory, re),
        round=_round(memory),
        at=at,
        facts=facts,
        to=tuple(to),
    )


def _handle(memory: Memory, re: int | str) -> str:
    if isinstance(re, int):
        item = memory.known(re)
        return f"n {re}" if item is None else item.handle
    return clip(re, _REF_CHARS)


def _round(memory: Memory) -> int | None:
    """The ref of the innermost open phase, stage or round."""
    for ref in reversed(memory.episodes.open):
        if memory.episodes.by_ref[ref].kind in ("phase", "stage", "round"):
            return ref
    return None


def _line_size(line: HistoryLine) -> int:
    """Characters of its text and of what else is known of it; at least 1, so that none is free."""
    known = sum(len(key) + len(value) for key, value in line.facts)
    return max(1, len(line.text) + known + sum(map(len, line.to)))


def add_history_line(memory: Memory, line: HistoryLine) -> None:
    """Tell an event: to everyone, or to those alone who may see it."""
    store, size = memory.notebooks, _line_size(line)
    store.history.append(line)
    store.size += size
    if is_public(line):
        store.public_size += size
    else:
        seers = () if line.kind == "reasoning" else line.to
        for name in {line.who, *map(memory.named, seers)}:
            if (note := store.notes.get(name)) is not None:
                note.apart += size
    enforce_history_limit(memory)


def is_public(line: HistoryLine) -> bool:
    """True for what everyone is told: no reasoning, and nothing meant for some alone."""
    return line.kind != "reasoning" and not line.to


def enforce_history_limit(memory: Memory, *, wanted: bool = False) -> None:
    """Hold the history to its limit: past the cap (or when `wanted`) the oldest lines go.

    Down to the target, so that it is some while until the next time. The newest
    stays; alone beyond the cap, it is clipped.
    """
    store, limit = memory.notebooks, memory.settings.limits.history
    if store.size <= limit.cap and not wanted:
        return
    target = min(limit.target, limit.cap * _ROOM // 10)
    size, gone = store.size, 0
    while gone < len(store.history) - 1 and size > target:
        size -= _line_size(store.history[gone])
        gone += 1
    if gone:
        store.dropped += gone
        store.through = store.history[gone - 1].n
        del store.history[:gone]
    if size > limit.cap:
        store.history[-1] = _shortened(store.history[-1], limit.cap)
        size = _line_size(store.history[-1])
    store.size = size


def _shortened(line: HistoryLine, cap: int) -> HistoryLine:
    """`line` in `cap` characters: its text clipped, and without the rest where that is too much.

    What was for some alone is then for nobody else: never for more than before.
    """
    room = cap - (_line_size(line) - len(line.text))
    if room > 0:
        return replace(line, text=clip(line.text, room))
    return replace(line, text=clip(line.text, cap), facts=(), to=("",) if line.to else ())
