"""Notebooks: each participant's standing revision, and the lines since that it may see.

Of revisions the one with the newest cause stands, in whatever order they land;
what a participant writes itself is digested up to the entry that says it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import get_args

from parley.bus.entries import NoteRefused, NoteRevised, NoteWritten
from parley.memory.notebooks.event_templates import render_event
from parley.memory.notebooks.reflections import find_or_begin_note, note_limit, note_policy
from parley.memory.notebooks.shared_history import is_public
from parley.memory.settings.setting_defaults import Route, RouteSettings
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import HistoryLine, LineKind, Note
from parley.memory.text.plain_text import clip


def write_note(moment: FoldStep, entry: NoteWritten) -> None:
    """A participant's own new text, unless it read an older revision than was written since."""
    memory, name = moment.memory, moment.participant
    note, limit = find_or_begin_note(memory, name, moment.n), note_limit(memory, name)
    size = len(entry.content)
    if note is None or not note.written <= entry.base < moment.n or size > limit:
        reason = "off" if note is None else "too long" if size > limit else "stale"
        row: dict[str, object] = {"attempts": 1, "sizes": [size], "limit": limit}
        moment.record_fact(
            "note.refused", None, participant=name, cause=moment.n, **row, reason=reason
        )
        return
    note.written = note.cause = moment.n
    note.answered = max(note.answered, moment.n)
    note.owed, note.why = moment.n, "written"
    note.text, note.size = entry.content, size
    note.mark, note.apart = memory.notebooks.public_size, 0
    _revision(moment, moment.n, entry.base, entry.content, "written")


def revise_note(moment: FoldStep, entry: NoteRevised) -> None:
    """Let a revision stand, unless a newer one does."""
    if entry.cause > moment.n:
        return
    note = moment.memory.notebooks.notes.setdefault(moment.participant, Note())
    note.answered = max(note.answered, entry.cause)
    if entry.cause == note.written or (entry.cause, entry.text) <= (note.cause, note.text):
        return
    note.cause, note.text = entry.cause, entry.text
    _revision(moment, entry.cause, entry.base, entry.text, entry.why)


def _revision(moment: FoldStep, cause: int, base: int, text: str, why: str) -> None:
    moment.record_fact(
        "note.revised",
        None,
        participant=moment.participant,
        cause=cause,
        base=base,
        size=len(text),
        why=why,
    )


def record_refusal(moment: FoldStep, entry: NoteRefused) -> None:
    """Note that no answer fitted; the note stays as it was."""
    if entry.cause > moment.n:
        return
    note = moment.memory.notebooks.notes.setdefault(moment.participant, Note())
    note.answered = max(note.answered, entry.cause)
    moment.record_fact(
        "note.refused",
        None,
        participant=moment.participant,
        cause=entry.cause,
        attempts=entry.attempts,
        sizes=list(entry.sizes),
        limit=entry.limit,
        reason="too long",
    )


def merge_notes(memory: Memory, old: str, new: str) -> None:
    """Make one note of two, because two names are one participant: the newest of each stands."""
    notes = memory.notebooks.notes
    gone = notes.pop(old, None)
    if gone is None:
        return
    note = notes.get(new)
    if note is None:
        notes[new] = gone
        gone.joined = 0 if new in memory.participants else gone.joined
        return
    note.text, note.cause = max((note.text, note.cause), (gone.text, gone.cause), key=_newest)
    calling = max(
        note, gone, key=lambda note: (note.owed, note.mark, note.size, note.apart, note.why)
    )
    note.owed, note.why, note.size = calling.owed, calling.why, calling.size
    note.mark, note.apart = calling.mark, calling.apart
    note.answered = max(note.answered, gone.answered)
    note.written = max(note.written, gone.written)
    note.joined = min(note.joined, gone.joined)


def _newest(revision: tuple[str, int]) -> tuple[int, str]:
    return revision[1], revision[0]


def standing_revision(memory: Memory, participant: str) -> tuple[str, int]:
    """The text of the standing revision, within its limit, and its cause (0: none)."""
    name = memory.named(participant)
    note = memory.notebooks.notes.get(name)
    if note is None or note_policy(memory, name) == "off":
        return "", 0
    return clip(note.text, note_limit(memory, name)), note.cause


def render_lines_since(memory: Memory, participant: str | None) -> list[str]:
    """What the participant saw since its standing revision, a line an event, oldest first.

    For None the whole of the history, as far as it was told to everyone.
    """
    return [render_line(memory, line) for line in list_lines_since(memory, participant)]


def list_lines_since(memory: Memory, participant: str | None) -> list[HistoryLine]:
    """The lines of `render_lines_since`, untold:
    a history has more than most readers have room for.
    """
    history = memory.notebooks.history
    if participant is None:
        return list(filter(is_public, history))
    name = memory.named(participant)
    if note_policy(memory, name) == "off":
        return []
    note = memory.notebooks.notes.get(name)
    start = 0 if note is None else bisect_right(history, note.cause, key=lambda line: line.n)
    return list(filter(_seen_by(memory, name), history[start:]))


def render_line(memory: Memory, line: HistoryLine) -> str:
    """A line in the style of the session."""
    return render_event(line, memory.settings.note.style, memory.named)


def render_notebook(memory: Memory, participant: str) -> str:
    """The participant's notebook as its owner's context holds it, within its limit.

    The standing revision, then the lines since, the newest that fit, after a
    line that counts those left out, where there is room for both.
    """
    name = memory.named(participant)
    if note_policy(memory, name) == "off":
        return ""
    text, cause = standing_revision(memory, name)
    lines = list_lines_since(memory, name)
    room = note_limit(memory, name) - len(text)
    shown = _that_fit(memory, lines, room)
    older = memory.notebooks.through > cause
    if len(shown) < len(lines) or older:
        fewer = _that_fit(memory, lines, room - len(_left_out(len(lines), older)) - 1)
        marker = _left_out(len(lines) - len(fewer), older)
        if len(marker) < room and (fewer or not shown):
            shown = [marker, *fewer]
    return "\n".join([text, *shown] if text else shown)


def _that_fit(memory: Memory, lines: list[HistoryLine], room: int) -> list[str]:
    """The newest of `lines`, oldest first, in `room` characters with their line feeds."""
    fit: list[str] = []
    for line in reversed(lines):
        text = render_line(memory, line)
        if len(text) >= room:
            break
        fit.append(text)
        room -= len(text) + 1
    return fit[::-1]


def _left_out(count: int, older: bool) -> str:
    """The line that counts what the log alone still has."""
    return f"(left out: {count} and older ones)" if older else f"(left out: {count})"


def _seen_by(memory: Memory, name: str) -> Callable[[HistoryLine], bool]:
    """What tells whether a line is told in the notebook of that canonical name."""
    routes, named = memory.settings.routes, memory.named
    kinds: tuple[LineKind, ...] = get_args(LineKind)
    own = {kind for kind in kinds if event_route(routes, kind, own=True) != "off"}
    heard = {kind for kind in kinds if event_route(routes, kind, own=False) != "off"}

    def sees(line: HistoryLine) -> bool:
        if named(line.who) == name:
            return line.kind in own
        return line.kind in heard and (not line.to or name in map(named, line.to))

    return sees


def event_route(routes: RouteSettings, kind: LineKind, own: bool) -> Route:
    """The route of such an event for somebody; off for others' internal reasoning."""
    if kind == "reasoning":
        return routes.reasoning if own else "off"
    route: Route = routes.own if own and kind == "statement" else getattr(routes, kind)
    return route
