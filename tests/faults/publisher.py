"""A publisher in a process of its own, to be killed: `python -m tests.faults.publisher JSON`.

The JSON holds `url`, `session`, `seed`, `place` and `count` of its talk, `seconds` that it lasts,
`without`, rules of the scripts that are switched off,
and `receipts`, a file that gets a line for each receipt, and an empty one when all is
published. Whoever takes the place of one that was killed publishes everything
again: by their ids, what is there stays as it is. It goes on, to put back what is lost, until
it is ended. It opens nothing: where all is gone it waits for who did to open it again, for in a
session that it opened itself nothing would stand that was acknowledged in the other.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from parley.bus import Bus
from parley.bus.contract.errors import (
    Busy,
    SessionNotFound,
    Unavailable,
)
from tests.faults import planted_bugs
from tests.faults.talk import talk_of

Answer = TypeVar("Answer")
PART: Final = 10
PAUSE: Final = 0.1  # seconds, before it is tried again


async def main(row: dict[str, Any]) -> None:
    if row["without"]:
        planted_bugs.leave_out_rules(row["without"])
    drafts = talk_of(row["seed"], row["place"], row["count"])
    receipts = Path(row["receipts"])
    acknowledged = len(receipts.read_text().splitlines()) if receipts.exists() else 0
    session, pause = row["session"], row["seconds"] * PART / len(drafts)
    async with await connected(row["url"]) as bus:

        async def insist(ask: Callable[[], Awaitable[Answer]]) -> Answer:
            while True:
                try:
                    return await ask()
                except (Unavailable, Busy, SessionNotFound):
                    await asyncio.sleep(PAUSE)

        with receipts.open("a") as file:
            for first in range(0, len(drafts), PART):
                part = drafts[first : first + PART]
                places = await insist(lambda part=part: bus.publish(session, part))  # type: ignore[misc]
                for draft, place in zip(part, places, strict=True):
                    file.write(f"{draft.id} {place.seq}\n")
                file.flush()
                await asyncio.sleep(pause if first + PART > acknowledged else 0.0)
            file.write("\n")
            file.flush()
        await asyncio.Event().wait()


async def connected(url: str) -> Bus:
    """A bus, once Redis is there."""
    while True:
        try:
            return await Bus.connect(url, outbox_seconds=300.0)
        except Unavailable:
            await asyncio.sleep(PAUSE)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
