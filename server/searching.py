"""Finding messages by their words."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import cast

from bus.entries import Message, Record
from server.asking import entries
from server.output import emit, stdout, tell
from server.running import connected
from server.settings import Settings
from server.watching import as_data
from server.wording import message_line


def holds(record: Record, words: Sequence[str], by: str | None) -> bool:
    """Whether a message holds all the words, whatever their case, and is `by` whom one asks for."""
    if record.entry.kind != "message":
        return False
    said = cast("Message", record.entry)
    if by is not None and said.participant != by:
        return False
    content = said.content.casefold()
    return all(word.casefold() in content for word in words)


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
    found: deque[Record] = deque(maxlen=limit)
    async with connected(settings) as running:
        await running.bus.info(session)  # an unknown session is an error, not an empty answer
        async for record in entries(running.bus, session):
            if holds(record, words, by):
                found.append(record)
    console = stdout()
    for record in found:
        if as_json:
            emit(as_data(record))
        elif (line := message_line(record)) is not None:
            console.print(line)
    if not found:
        tell(f"no message holds {' and '.join(map(repr, words))}" + (f" by {by}" if by else ""))
