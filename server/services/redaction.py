"""Taking an entry's words out of a session, as an operator does it: look first, then do."""

from __future__ import annotations

from typing import Any

from parley.listeners.sessions.redaction import Preview, preview, redact
from parley.memory.fold.due import due_summaries, list_upgrades
from parley.memory.text.plain_text import clip, one_line
from parley.server.runtime.backend import Backend

SHOWN = 80  # characters of the words that go


async def preview_redaction(backend: Backend, session: str, n: int, renumber: bool) -> Preview:
    """What would go. Raises `SessionNotFound`, `InvalidEntry`, `RedactionRefused`."""
    return await preview(backend.bus, backend.packs.known, session, n, renumber=renumber)


async def redact_entry(
    backend: Backend, session: str, n: int, *, reason: str, by: str, renumber: bool
) -> dict[str, Any]:
    """Redacts, and says what has to be made again; no copy of the words is kept here."""
    known = backend.packs.known
    done = await redact(backend.bus, known, session, n, reason=reason, by=by, renumber=renumber)
    backend.reader.forget(session)
    owed = await _owed(backend, session)
    return {
        "session": session, "n": n, "again": done.again, "tombstones": len(done.derived),
        "due": owed,
    }  # fmt: skip


async def _owed(backend: Backend, session: str) -> list[str]:
    memory = await backend.reader.current(session)
    return [effect.id for effect in (*due_summaries(memory), *list_upgrades(memory))]


def preview_lines(preview: Preview) -> list[str]:
    """The preview in words, one thing a line."""
    lines = [
        f"entry {preview.n}, {preview.kind} of {preview.participant}: {_shown(preview.words)!r}"
    ]
    for n, words in preview.edits.items():
        lines.append(f"entry {n}, an edit of it: {_shown(words)!r}")
    for kind, count in preview.derived.items():
        lines.append(f"to be made again: {count} {kind}")
    for ref, (before, after) in preview.moved.items():
        lines.append(f"{ref}: {before} becomes {after}")
    return lines


def redaction_lines(done: dict[str, Any]) -> list[str]:
    """What was done, in words."""
    if done["again"]:
        return [f"entry {done['n']} of {done['session']} was redacted before"]
    owed = ", ".join(done["due"]) or "nothing"
    return [
        f"the words of entry {done['n']} of {done['session']} are gone; due now: {owed}",
        "they may still be in the append-only file until it is rewritten, in files exported, "
        "sessions forked and lessons imported before: see docs/runbook.md",
    ]


def _shown(words: str) -> str:
    return clip(one_line(words), SHOWN)
