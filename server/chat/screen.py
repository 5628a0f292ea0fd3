"""Where a person in a session reads and types: a terminal with a prompt, or plain lines."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from typing import Any, Final

from parley.bus import FactRecord
from parley.bus.entries import Record
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure
from parley.server.basics.output import count_of, escape, print_json, print_notice, stdout
from parley.server.chat.completion import complete
from parley.server.chat_commands.typed_line import View
from parley.server.render.events.live_text import print_line
from parley.server.render.session_text import status_line
from parley.server.rows.entry_rows import log_row

_CHUNK: Final = 65_536  # bytes read from a pipe at once


class Screen:
    """One for each call. As JSON everything shown is one object a line."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._terminal = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
        self._refused = 0
        self._refresh: Callable[[], None] = _nothing

    def entry(self, record: Record, facts: Iterable[Fact]) -> None:
        """An entry, and what it changed."""
        rows = [
            FactRecord(record.seq, k, {"kind": f.kind, "ref": f.ref, "n": f.n, "data": f.data})
            for k, f in enumerate(facts)
        ]
        both: list[Record | FactRecord] = [record, *rows]
        for line in both:
            if self._as_json:
                print_json(log_row(line))
            else:
                print_line(stdout(), line)
        self._refresh()

    def view(self, view: View, lines: Sequence[str]) -> None:
        """What was asked for."""
        if self._as_json:
            print_json({"type": "view", "view": view, "lines": lines})
            return
        console = stdout()
        for line in lines:
            console.print(escape(line), markup=False)

    def refused(self, why: str) -> None:
        """What was typed cannot be done."""
        self._refused += 1
        print_notice(f"parley: {why}")

    def check(self) -> None:
        """Raises `Failure` where lines of a pipe were refused: nobody may have looked."""
        if self._refused and not self._terminal:
            raise Failure(f"{count_of(self._refused, 'line')} refused; the reasons are above")

    async def lines(self, name: str, memory: Callable[[], Memory]) -> AsyncGenerator[str]:
        """What is typed, line by line, until its end."""
        typed = self._prompted(name, memory) if self._terminal else read_lines()
        async for line in typed:
            yield line

    async def _prompted(self, name: str, memory: Callable[[], Memory]) -> AsyncGenerator[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.patch_stdout import patch_stdout

        class Endings(Completer):
            def get_completions(self, document: Any, complete_event: Any) -> Any:
                word, endings = complete(document.text_before_cursor, memory())
                return (Completion(ending, start_position=-len(word)) for ending in endings)

        prompt: PromptSession[str] = PromptSession(
            f"{escape(name)}> ",
            completer=Endings(),
            complete_while_typing=False,
            bottom_toolbar=lambda: status_line(memory()),
            erase_when_done=True,  # what was typed comes back from the log, with its number
        )
        self._refresh = prompt.app.invalidate
        with patch_stdout(raw=True):
            while True:
                try:
                    yield await prompt.prompt_async()
                except (EOFError, KeyboardInterrupt):
                    return


async def read_lines() -> AsyncGenerator[str]:
    """The lines of stdin. A thread reads them: a file, a pipe and a terminal all can be read so."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        # Of the descriptor itself: a thread that is left waiting holds no lock of Python's.
        while True:
            chunk = os.read(sys.stdin.fileno(), _CHUNK)
            try:
                loop.call_soon_threadsafe(queue.put_nowait, chunk)
            except RuntimeError:  # the loop is closed: nobody waits for it any more
                return
            if not chunk:
                return

    threading.Thread(target=read, name="parley-stdin", daemon=True).start()
    rest = b""
    while chunk := await queue.get():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
    if rest:
        yield rest.decode(errors="replace")


def _nothing() -> None:
    pass
