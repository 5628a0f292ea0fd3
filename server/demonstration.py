"""The demonstration: a bundled deliberation through the real bus and a real worker, live."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any, Final

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from bus import Bus
from bus.entries import Record
from bus.replies import FactRecord
from bus.tasks import end
from server.asking import report
from server.live_text import show
from server.opening import drafts
from server.output import shown, stderr, tell
from server.packs import read_packs
from server.replaying import open_once, publish, settled
from server.running import connected
from server.settings import Settings
from server.transcripts import Transcript, parse_transcript
from server.wording.entries import message_line
from server.wording.facts import fact_line, fact_style
from server.worker_process import worker_process

SESSION: Final = "demo"
LASTS_SECONDS: Final = 24  # long enough to read along, short enough to sit through
CATCH_UP_SECONDS: Final = 5
ROWS: Final = 200  # kept for the screen, however tall it is
LEAST_ROWS: Final = 12
BORDER: Final = 2  # rows of a panel that are its frame


def bundled() -> Transcript:
    """The deliberation that ships with Parley."""
    data = (resources.files("server") / "data" / "demo.jsonl").read_bytes()
    return parse_transcript(data)


async def demonstrate(settings: Settings, *, fast: bool) -> dict[str, Any]:
    """The minutes of the bundled deliberation, after showing how they came about."""
    transcript = bundled()
    packs = read_packs(settings.packs)
    rate = None if fast else len(transcript.said) / LASTS_SECONDS
    async with connected(settings, scratch=True) as running:
        tell(f"embedded server: {running.kind}" + ("" if running.durable else ", not durable"))
        async with worker_process(settings, running.url) as worker:
            await open_once(running.bus, SESSION, transcript, settings, packs)
            async with _shown(running.bus, live=not fast):
                await publish(running.bus, SESSION, drafts(transcript.said), rate, lambda _: None)
                await settled(running.bus, packs, SESSION, worker.check)
        return await report(running.bus, packs, SESSION)


@asynccontextmanager
async def _shown(bus: Bus, *, live: bool) -> AsyncIterator[None]:
    """Shows entries and facts on stderr while the body runs, and until all it wrote was shown."""
    if not live:
        yield
        return
    view = _View(stderr())
    following = asyncio.create_task(view.follow(bus), name="parley-demo-view")
    try:
        yield
        head = (await bus.info(SESSION)).head
        with contextlib.suppress(TimeoutError):  # the minutes say it all anyway
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await view.until(head)
    finally:
        await end(following)


class _View:
    """Follows a session on a console: a screen where there is a terminal, else lines."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._seen = 0  # seq of the newest entry shown
        self._moved = asyncio.Event()

    async def until(self, seq: int) -> None:
        """Returns once entry `seq` was shown."""
        while self._seen < seq:
            self._moved.clear()
            await self._moved.wait()

    def _saw(self, one: Record | FactRecord) -> None:
        self._seen = max(self._seen, one.seq)
        self._moved.set()

    async def follow(self, bus: Bus) -> None:
        async with bus.subscribe(SESSION, after=0) as heard:
            if not self._console.is_terminal:
                async for one in heard:
                    show(self._console, one)
                    self._saw(one)
                return
            screen = _Screen()
            with Live(screen, console=self._console, refresh_per_second=12):
                async for one in heard:
                    screen.add(one)
                    self._saw(one)


class _Screen:
    """The newest talk on top, what came of it below."""

    def __init__(self) -> None:
        self._talk: deque[Text] = deque(maxlen=ROWS)
        self._facts: deque[Text] = deque(maxlen=ROWS)

    def add(self, one: Record | FactRecord) -> None:
        if isinstance(one, FactRecord):
            fact = Text(shown(fact_line(one.fact)), style=fact_style(one.fact))
            fact.no_wrap, fact.overflow = True, "ellipsis"
            self._facts.append(fact)
        elif (line := message_line(one)) is not None:
            line.no_wrap, line.overflow = True, "ellipsis"
            self._talk.append(line)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = max(console.size.height - 1, LEAST_ROWS) - 2 * BORDER  # the cursor has a line
        facts = rows // 3
        yield _panel("the deliberation", self._talk, rows - facts)
        yield _panel("what it comes to", self._facts, facts)


def _panel(title: str, lines: Sequence[Text], rows: int) -> Panel:
    return Panel(Group(*list(lines)[-rows:]), title=title, height=rows + BORDER)
