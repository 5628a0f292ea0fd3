"""Following a session live, on a terminal or as lines of JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from bus.cursor import Cursor
from bus.entries import Record, Unknown
from bus.errors import InvalidEntry
from bus.replies import FactRecord
from server.errors import Misuse
from server.output import emit, shown, stderr, stdout, tell
from server.running import connected
from server.settings import Settings
from server.wording.entries import message_line
from server.wording.facts import adds, fact_line, fact_style


def start(after: int | None, cursor: str | None) -> Cursor | int | None:
    """Where to begin. Raises `Misuse` for a cursor that is none, or two beginnings."""
    if cursor is None:
        return after
    if after is not None:
        raise Misuse("give --after or --cursor, not both")
    try:
        return Cursor.parse(cursor)
    except InvalidEntry as error:
        raise Misuse(str(error)) from None


async def watch(
    settings: Settings,
    session: str,
    after: Cursor | int | None,
    *,
    facts: bool,
    limit: int | None,
    as_json: bool,
) -> None:
    """Prints entries and facts as they come, until `limit` lines, the end or an interrupt."""
    console = stdout()
    lines = 0
    if after is None and stderr().is_terminal:
        tell(f"waiting for what comes next in {session}; --after 0 starts at its beginning")
    async with (
        connected(settings) as running,
        running.bus.subscribe(session, after=after, facts=facts) as heard,
    ):
        async for one in heard:
            if as_json:
                emit(as_data(one))
            else:
                show(console, one)
            lines += 1
            if lines == limit:
                return


def show(console: Console, one: Record | FactRecord) -> None:
    """One line of the live view; nothing for entries that only keep house."""
    if isinstance(one, FactRecord):
        if adds(one.fact):
            console.print(Text("    " + shown(fact_line(one.fact)), style=fact_style(one.fact)))
    elif (line := message_line(one)) is not None:
        console.print(line)


def as_data(one: Record | FactRecord) -> dict[str, Any]:
    """An entry or a fact as JSON-ready data, told apart by `type`."""
    if isinstance(one, FactRecord):
        return {"type": "fact", "seq": one.seq, "k": one.k, "fact": one.fact}
    place = {"type": "entry", "seq": one.seq, "n": one.n, "id": one.id, "t": one.received_ms}
    if isinstance(one.entry, Unknown):
        return {**place, "entry": {"kind": one.entry.kind}, "unreadable": True}
    return {**place, "entry": plain(one.entry)}


def plain(entry: Any) -> dict[str, Any]:
    """An entry as it was read from the log, as JSON-ready data without its defaults."""
    found: dict[str, Any] = msgspec.to_builtins(entry)
    return {key: value for key, value in found.items() if value not in (None, [], {}, ())}
