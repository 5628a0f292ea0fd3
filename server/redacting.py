"""Taking an entry's words out of a session, as an operator does it: look first, then do."""

from __future__ import annotations

from typing import Any

from bus import Bus
from listeners.reader import MemoryReader
from listeners.redaction import Preview, preview, redact
from memory.due import due, upgrades
from memory.text import clip, one_line
from server.packs import Packs, read_packs
from server.running import connected
from server.settings import Settings

SHOWN = 80  # characters of the words that go


async def foreseen(settings: Settings, session: str, n: int, renumber: bool) -> Preview:
    """What would go. Raises `SessionNotFound`, `InvalidEntry`, `RedactionRefused`."""
    packs = read_packs(settings.packs).known
    async with connected(settings) as running:
        return await preview(running.bus, packs, session, n, renumber=renumber)


async def redacted(
    settings: Settings, session: str, n: int, *, reason: str, by: str, renumber: bool
) -> dict[str, Any]:
    """Redacts, and says what has to be made again."""
    packs = read_packs(settings.packs)
    async with connected(settings) as running:
        done = await redact(
            running.bus, packs.known, session, n, reason=reason, by=by, renumber=renumber
        )
        owed = await _owed(running.bus, packs, session)
    return {
        "session": session, "n": n, "again": done.again, "tombstones": len(done.derived),
        "due": owed,
    }  # fmt: skip


async def _owed(bus: Bus, packs: Packs, session: str) -> list[str]:
    memory = await MemoryReader(bus, packs.known).current(session)
    return [effect.id for effect in (*due(memory), *upgrades(memory))]


def foretold(found: Preview) -> list[str]:
    """The preview in words, one thing a line."""
    lines = [f"entry {found.n}, {found.kind} of {found.participant}: {_shown(found.words)!r}"]
    for kind, count in found.derived.items():
        lines.append(f"to be made again: {count} {kind}")
    for ref, (before, after) in found.moved.items():
        lines.append(f"{ref}: {before} becomes {after}")
    return lines


def told(done: dict[str, Any]) -> list[str]:
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
