"""Messages that a search finds, on a terminal or as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence

from parley.server.basics.output import emit, stdout, tell
from parley.server.queries import message_search
from parley.server.render.events.entry_text import message_line
from parley.server.rows.entry_rows import as_data
from parley.server.runtime.backend import holding
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
    async with holding(settings) as held:
        matches = await message_search.found(held, session, words, by, limit)
    console = stdout()
    for record in matches:
        if as_json:
            emit(as_data(record))
        elif (line := message_line(record)) is not None:
            console.print(line)
    if not matches:
        tell(f"no message holds {' and '.join(map(repr, words))}" + (f" by {by}" if by else ""))
