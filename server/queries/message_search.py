"""Finding messages by their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from parley.bus import Bus
from parley.bus.entries import Message, Record
from parley.listeners.history.message_words import fold_case

PAGE: Final = 1000  # entries a round trip


def holds(record: Record, words: Sequence[str], by: str | None) -> bool:
    """Whether a message holds all the words, whatever their case, and is `by` whom one asks for."""
    if not record.is_talk:
        return False
    message = cast("Message", record.entry)
    if by is not None and message.participant != by:
        return False
    content = fold_case(message.content)
    return all(fold_case(word) in content for word in words)


async def search_messages(
    bus: Bus,
    session: str,
    words: Sequence[str],
    by: str | None,
    limit: int,
    before: int | None = None,
) -> list[Record]:
    """The newest `limit` matches, of those before seq `before` where it is given, oldest first.

    Raises `SessionNotFound`.
    """
    head = (await bus.info(session)).head
    end = head if before is None else min(head, before - 1)
    matches: list[Record] = []
    while end > 0 and len(matches) < limit:
        begin = max(0, end - PAGE)
        page = await bus.read(session, begin, to=end, count=PAGE)
        matches += [record for record in reversed(page) if holds(record, words, by)]
        end = begin
    return matches[:limit][::-1]
