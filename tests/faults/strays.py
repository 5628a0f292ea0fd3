"""Sessions whose keys are damaged while somebody publishes in them, and what is promised of them.

Set apart, healed or refused: whatever becomes of such a session, no acknowledged entry is
there twice, no copy without some of them is handed out as whole, and the doctor names a key of one
that cannot be copied.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

import anyio

from parley.bus import Bus
from parley.bus.contract.errors import BusError, SessionNotFound
from parley.server.records.session_file import export_session
from tests.faults.damages import STRAYS
from tests.faults.talk import talk_of

_PAUSE = 0.1  # seconds between two publishes
_MESSAGES = 8  # too few for a summary to be due
Acknowledged = dict[str, set[str]]


async def publish_strays(
    buses: Sequence[Bus], chance: random.Random, seconds: float, told: Acknowledged
) -> None:
    """Publish the same few messages in the strays again and again; `told` gets what is taken."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        session = chance.choice(STRAYS)
        draft = chance.choice(talk_of(0, 0)[:_MESSAGES])
        with suppress(BusError):
            await chance.choice(buses).publish(session, [draft])
            told.setdefault(session, set()).add(draft.id)
        await anyio.sleep(_PAUSE)


async def judge_strays(url: str, told: Mapping[str, set[str]], *, moved: bool) -> list[str]:
    """Every broken promise. Where the log was `moved` back, what was acknowledged may be lost."""
    findings: list[str] = []
    async with await Bus.connect(url, outbox_seconds=0) as bus:
        named = {found.session for found in await bus.damaged_keys()}
        for session in STRAYS:
            acknowledged = told.get(session, set())
            try:
                file = await export_session(bus, session)
            except SessionNotFound:
                continue
            except BusError as error:
                if session not in named:
                    findings.append(f"{session}: the doctor names no key of it, but: {error}")
                continue
            stands = Counter(row.id for row in file.rows)
            if doubled := [name for name in acknowledged if stands[name] > 1]:
                findings.append(f"{session}: {doubled[:3]} stand in it twice")
            if not moved and (lost := [name for name in acknowledged if not stands[name]]):
                findings.append(f"{session}: a copy without {lost[:3]} was handed out as whole")
    return findings
