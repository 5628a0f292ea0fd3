"""Following a session live, on a terminal or as lines of JSON."""

from __future__ import annotations

from parley.bus.contract.cursor import Cursor
from parley.bus.contract.errors import InvalidEntry
from parley.server.basics.errors import Misuse
from parley.server.basics.output import print_json, print_notice, stderr, stdout
from parley.server.render.events.live_text import print_line
from parley.server.rows.entry_rows import log_row
from parley.server.runtime.connection import open_connection
from parley.server.settings import Settings


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
        print_notice(f"waiting for what comes next in {session}; --after 0 starts at its beginning")
    async with (
        open_connection(settings) as running,
        running.bus.subscribe(session, after=after, facts=facts) as records,
    ):
        async for record in records:
            if as_json:
                print_json(log_row(record))
            else:
                print_line(console, record)
            lines += 1
            if lines == limit:
                return
