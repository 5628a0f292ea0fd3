"""Foreign bytes through the sockets of a server: it answers, and has nothing to be ashamed of."""

from __future__ import annotations

import pytest

from tests.fuzzing.sockets import Tally, attack, heeding_logs

SHORT, LONG = 300, 50_000


@pytest.mark.parametrize("count", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.timeout(7_200)
async def test_no_socket_stumbles_over_foreign_bytes(redis_url: str, count: int) -> None:
    """Every door is tried; `python -m tests.fuzzing.sockets --first N` goes on from a case."""
    tally = Tally()
    with heeding_logs(tally):
        await attack(redis_url, 0, count, tally)
    assert tally.faults == {}
    taken = {door for door, status in tally.answers if str(status).startswith("2")}
    assert taken == {"request", "body", "call", "frames"}
