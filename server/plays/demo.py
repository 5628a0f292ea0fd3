"""The demonstration: a bundled deliberation through the real bus and a real worker, live."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any, Final

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from parley.bus import Bus
from parley.bus.entries import Record
from parley.bus.log.replies import FactRecord
from parley.server.basics.output import escape, print_notice, stderr
from parley.server.plays.live_view import follow_live, show_live
from parley.server.queries.memory_queries import read_digest
from parley.server.records.session_opening import transcript_drafts
from parley.server.records.transcript_replay import (
    open_if_new,
    publish_steadily,
    wait_until_settled,
)
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import fact_line, fact_style
from parley.server.runtime.backend import Backend
from parley.server.runtime.connection import open_connection
from parley.server.runtime.packs import read_packs
from parley.server.runtime.worker_process import run_worker_process
from parley.server.settings import Settings
from parley.server.transcripts import Transcript, parse_transcript

SESSION: Final = "demo"
_LASTS_SECONDS: Final = 24  # long enough to read along, short enough to sit through
ROWS: Final = 200  # kept for the screen, however tall it is
_LEAST_ROWS: Final = 12
_BORDER: Final = 2  # rows of a panel that are its frame


def bundled() -> Transcript:
    """The deliberation that ships with Parley."""
    data = (resources.files("parley.server") / "data" / "demo.jsonl").read_bytes()
    return parse_transcript(data)


async def demonstrate(settings: Settings, *, fast: bool) -> dict[str, Any]:
    """The minutes of the bundled deliberation, after showing how they came about."""
    transcript = bundled()
    packs = read_packs(settings.packs)
    rate = None if fast else len(transcript.entries) / _LASTS_SECONDS
    async with open_connection(settings, scratch=True) as running:
        print_notice(
            f"embedded server: {running.kind}" + ("" if running.durable else ", not durable")
        )
        backend = Backend.of(running.bus, packs)
        async with run_worker_process(settings, running.url) as worker:
            await open_if_new(running.bus, SESSION, transcript, settings, packs)
            # The worker takes seconds to start, on a slow machine more than the talk lasts.
            await wait_until_settled(backend, SESSION, settings.patience, worker.check)
            async with _shown(running.bus, live=not fast):
                await publish_steadily(
                    running.bus,
                    SESSION,
                    transcript_drafts(transcript),
                    rate,
                    lambda _: None,
                )
                await wait_until_settled(backend, SESSION, settings.patience, worker.check)
        return await read_digest(backend, SESSION)


@asynccontextmanager
async def _shown(bus: Bus, *, live: bool) -> AsyncIterator[None]:
    """Shows entries and facts on stderr while the body runs, and until all it wrote was shown."""
    console = stderr()
    if not live or not console.is_terminal:
        async with show_live(bus, SESSION, 0, live=live):
            yield
        return
    screen = _Screen()
    with Live(screen, console=console, refresh_per_second=12):
        async with follow_live(bus, SESSION, 0, screen.add):
            yield


class _Screen:
    """The newest talk on top, what came of it below."""

    def __init__(self) -> None:
        self._talk: deque[Text] = deque(maxlen=ROWS)
        self._facts: deque[Text] = deque(maxlen=ROWS)

    def add(self, fact_record: Record | FactRecord) -> None:
        if isinstance(fact_record, FactRecord):
            fact = Text(escape(fact_line(fact_record.fact)), style=fact_style(fact_record.fact))
            fact.no_wrap, fact.overflow = True, "ellipsis"
            self._facts.append(fact)
        elif (line := message_line(fact_record)) is not None:
            line.no_wrap, line.overflow = True, "ellipsis"
            self._talk.append(line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = max(console.size.height - 1, _LEAST_ROWS) - 2 * _BORDER  # the cursor has a line
        facts = rows // 3
        yield _panel("the deliberation", self._talk, rows - facts)
        yield _panel("what it comes to", self._facts, facts)


def _panel(title: str, lines: Sequence[Text], rows: int) -> Panel:
    return Panel(Group(*list(lines)[-rows:]), title=title, height=rows + _BORDER)
