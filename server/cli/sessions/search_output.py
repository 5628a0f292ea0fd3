"""Messages that a search finds, on a terminal or as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence

from parley.server.basics.output import print_json, print_notice, stdout
from parley.server.queries import message_search
from parley.server.render.events.entry_text import message_line
from parley.server.rows.entry_rows import log_row
from parley.server.runtime.backend import open_backend
from parley.server.settings import Settings


async def search(
    settings: Settings,
    session: str,
    words: Sequence[str],
    *,
    by: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Prints the newest `limit` matches, oldest first."""
    async with open_backend(settings) as backend:
        matches = await message_search.search_messages(backend, session, words, by, limit)
    console = stdout()
    for record in matches:
        if as_json:
            print_json(log_row(record))
        elif (line := message_line(record)) is not None:
            console.print(line)
    if not matches:
        print_notice(
            f"no message holds {' and '.join(map(repr, words))}" + (f" by {by}" if by else "")
        )
