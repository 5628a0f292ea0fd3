"""Where a person in a session reads and types: a terminal with a prompt, or plain lines."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Final

import anyio.from_thread
from anyio.lowlevel import current_token

from parley.bus.connection.task_groups import run_beside
from parley.bus.entries import Record
from parley.listeners.cache.projection import entry_rows
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure
from parley.server.basics.output import count_of, escape, print_json, print_notice, stdout
from parley.server.chat.completion import complete
from parley.server.chat_commands.typed_line import View
from parley.server.render.events.live_text import print_line
from parley.server.render.session_text import status_line
from parley.server.rows.entry_rows import log_row

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

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
        for line in entry_rows(record, facts):
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
        typed = self._prompted(name, memory) if self._terminal else _read_lines()
        async with aclosing(typed):
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
            while (line := await _ask(prompt)) is not None:
                yield line


async def _ask(prompt: PromptSession[str]) -> str | None:
    """The next line that is typed; None at the end of input, and for Ctrl-C.

    The prompt sets the terminal right while it ends, and waits for it meanwhile: so it is
    told to end instead of being cancelled, which would cut off these waits as well.
    """
    line: str | None = None
    async with run_beside(_exit_when_cancelled, prompt):
        with anyio.CancelScope(shield=True), suppress(EOFError, KeyboardInterrupt):
            line = await prompt.prompt_async()
    return line


async def _exit_when_cancelled(prompt: PromptSession[str]) -> None:
    try:
        await anyio.sleep_forever()
    finally:
        if prompt.app.future is not None and not prompt.app.future.done():
            prompt.app.exit(exception=EOFError)


async def _read_lines() -> AsyncGenerator[str]:
    """The lines of stdin. A thread reads them: a file, a pipe and a terminal all can be read so."""
    token = current_token()
    sending, chunks = anyio.create_memory_object_stream[bytes](math.inf)

    def read() -> None:
        # Of the descriptor itself: a thread that is left waiting holds no lock of Python's.
        with suppress(anyio.RunFinishedError, anyio.ClosedResourceError):  # nobody waits any more
            while chunk := os.read(sys.stdin.fileno(), _CHUNK):
                anyio.from_thread.run_sync(sending.send_nowait, chunk, token=token)
            anyio.from_thread.run_sync(sending.close, token=token)

    rest = b""
    with sending, chunks:
        threading.Thread(target=read, name="parley-stdin", daemon=True).start()
        async for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
    if rest:
        yield rest.decode(errors="replace")


def _nothing() -> None:
    pass
