"""A command that reads a long session says how far it has come."""

from __future__ import annotations

import asyncio
import re

import pytest

from parley.bus import Bus
from parley.server.cli.shared import progress_lines
from tests.support.doors.calls import Parley
from tests.support.sessions.talks import talk

MESSAGES = 1_200


@pytest.fixture
def long(parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley` on a session of that many messages, and no patience at all."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    monkeypatch.setattr(progress_lines, "EVERY_SECONDS", 0.0)

    async def publish() -> None:
        async with await Bus.connect(redis_url) as bus:
            await talk(bus, "s", MESSAGES)

    asyncio.run(publish())
    return parley


@pytest.mark.parametrize(
    "words", [("context", "s", "--as", "ana"), ("session", "verify", "s"), ("memory", "s")]
)
def test_a_long_session_is_read_with_a_word_now_and_then(
    long: Parley, words: tuple[str, ...]
) -> None:
    """On stderr, with what there is of it; what is asked for stands alone on stdout."""
    ran = long(*words)
    assert ran.code == 0
    told = [int(done.replace(",", "")) for done in re.findall(r"s: ([\d,]+) of 1,[\d]+ ", ran.err)]
    assert told
    assert told == sorted(told)
    assert "entries read" not in ran.out


def test_a_short_wait_says_nothing(long: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word comes after a while."""
    monkeypatch.setattr(progress_lines, "EVERY_SECONDS", 120.0)
    assert long("context", "s", "--as", "ana").err == ""
