"""Taking an entry's words out of a session, as an operator does it: look first, then do."""

from __future__ import annotations

from typing import Any

from parley.listeners.sessions.redaction import Preview, preview, redact
from parley.memory.fold.due import due_summaries, list_upgrades
from parley.memory.text.plain_text import clip, one_line
from parley.server.runtime.backend import Backend, open_backend
from parley.server.settings import Settings

SHOWN = 80  # characters of the words that go


async def foreseen(settings: Settings, session: str, n: int, renumber: bool) -> Preview:
    """What would go. Raises `SessionNotFound`, `InvalidEntry`, `RedactionRefused`."""
    async with open_backend(settings) as held:
        return await foreseen_in(held, session, n, renumber)


async def foreseen_in(held: Backend, session: str, n: int, renumber: bool) -> Preview:
    """What would go, as `foreseen` has it."""
    return await preview(held.bus, held.packs.known, session, n, renumber=renumber)


async def redacted(
    settings: Settings, session: str, n: int, *, reason: str, by: str, renumber: bool
) -> dict[str, Any]:
    """Redacts, and says what has to be made again."""
    async with open_backend(settings) as held:
        return await redacted_in(held, session, n, reason=reason, by=by, renumber=renumber)


async def redacted_in(
    held: Backend, session: str, n: int, *, reason: str, by: str, renumber: bool
) -> dict[str, Any]:
    """Redacts, and says what has to be made again; no copy of the words is kept here."""
    known = held.packs.known
    done = await redact(held.bus, known, session, n, reason=reason, by=by, renumber=renumber)
    held.reader.forget(session)
    owed = await _owed(held, session)
    return {
        "session": session, "n": n, "again": done.again, "tombstones": len(done.derived),
        "due": owed,
    }  # fmt: skip


async def _owed(held: Backend, session: str) -> list[str]:
    memory = await held.reader.current(session)
    return [effect.id for effect in (*due_summaries(memory), *list_upgrades(memory))]


def preview_lines(found: Preview) -> list[str]:
    """The preview in words, one thing a line."""
    lines = [f"entry {found.n}, {found.kind} of {found.participant}: {_shown(found.words)!r}"]
    for kind, count in found.derived.items():
        lines.append(f"to be made again: {count} {kind}")
    for ref, (before, after) in found.moved.items():
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
