"""Who follows a session just now: noted by every process, forgotten by itself."""

from __future__ import annotations

from parley.bus import Bus
from parley.bus.entries import SessionOpened


async def test_who_was_noted_once_and_is_not_any_more_is_away(bus: Bus) -> None:
    """Whoever noted them; those whom nobody ever noted are neither here nor away."""
    await bus.open("s", SessionOpened())
    now = await bus.now_ms()
    assert await bus.attend("s", {"Ana", "Bo"}, now_ms=now, away_ms=15_000) == []
    assert await bus.attend("s", {"Ana"}, now_ms=now + 10_000, away_ms=15_000) == []
    assert await bus.attend("s", {"Ana"}, now_ms=now + 16_000, away_ms=15_000) == ["Bo"]
    assert await bus.attend("s", (), now_ms=now + 40_000, away_ms=15_000) == ["Ana", "Bo"]
    assert await bus.attend("s", {"Bo"}, now_ms=now + 41_000, away_ms=15_000) == ["Ana"]


async def test_it_goes_with_its_session(bus: Bus) -> None:
    """Of another one under the same name nobody was a follower."""
    await bus.open("s", SessionOpened())
    await bus.attend("s", {"Ana"}, now_ms=await bus.now_ms(), away_ms=0)
    await bus.remove("s")
    await bus.open("s", SessionOpened())
    assert await bus.attend("s", (), now_ms=await bus.now_ms() + 60_000, away_ms=0) == []
