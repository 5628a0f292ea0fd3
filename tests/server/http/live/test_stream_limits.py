"""All streams of a process: each ends with its token, whatever came and went beside it."""

from __future__ import annotations

from dataclasses import replace

import anyio

from parley.bus.contract.errors import SessionNotFound
from parley.bus.contract.session_info import SessionInfo
from parley.server.http.identity.authorization import Caller
from parley.server.http.live.client_queue import Ending
from parley.server.http.live.stream_limits import StreamLimits
from parley.server.http.tokens.revocations import Revocations
from tests.support.servers.patience import wait_until

EXPIRY = 1_000


class Stream:
    """One that notes why it was ended."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    def end(self, why: Ending) -> None:
        self.ends.append(why)

    def beat(self) -> None:
        pass


class NoneRevoked:
    """A list that is empty, until a test puts something on it."""

    def __init__(self) -> None:
        self.revoked: dict[str, int] = {}

    async def revoked_tokens(self) -> dict[str, int]:
        return dict(self.revoked)

    async def info(self, session: str) -> SessionInfo:
        raise SessionNotFound(session)


class Clock:
    """One that is set so that a caller's token has some seconds left."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def caller(self, seconds: float) -> Caller:
        self.now = EXPIRY - seconds
        return Caller("ana", "agent", "s", None, operator=False, jti="j", expires=EXPIRY)


async def test_each_stream_ends_with_its_own_token() -> None:
    """Also one that comes last and expires first; one that left is told nothing."""
    closing, clock = anyio.Event(), Clock()
    limits = StreamLimits(closing, clock, 10, Revocations(NoneRevoked()))
    late, soon, past, gone = Stream(), Stream(), Stream(), Stream()
    with limits.register(late, clock.caller(2**53)):
        with limits.register(gone, clock.caller(0.02)):
            await anyio.sleep(0)
        with limits.register(soon, clock.caller(0.03)), limits.register(past, clock.caller(-5)):
            await wait_until(lambda: soon.ends and past.ends)
            assert (soon.ends, past.ends) == (["expired"], ["expired"])
        closing.set()
        await wait_until(lambda: late.ends)
    assert (late.ends, gone.ends) == (["shutdown"], [])
    await limits.aclose()


async def test_streams_that_come_after_all_others_left_are_served() -> None:
    """What served the first has ended by then, or waits for them."""
    clock = Clock()
    limits = StreamLimits(anyio.Event(), clock, 10, Revocations(NoneRevoked()))
    for seconds in (0.01, 0.0, 0.01):
        stream = Stream()
        with limits.register(stream, clock.caller(seconds)):
            await wait_until(lambda ends=stream.ends: ends)
        assert stream.ends == ["expired"]
    await limits.aclose()


async def test_the_last_place_that_is_given_back_ends_the_wait() -> None:
    """Who waits for none to be open goes on then, or when the time is over."""
    clock = Clock()
    limits = StreamLimits(anyio.Event(), clock, 10, Revocations(NoneRevoked()))
    await limits.wait_empty(60)  # there is none
    with limits.reserve(clock.caller(1)):
        await limits.wait_empty(0.01)
        assert len(limits) == 1
        async with anyio.create_task_group() as group:
            group.start_soon(limits.wait_empty, 0.02)
    with anyio.fail_after(30):
        await limits.wait_empty(60)


async def test_a_stream_ends_soon_after_its_token_is_revoked() -> None:
    """Others go on; nothing is asked for them but the list, once for all of them."""
    kept, clock, closing = NoneRevoked(), Clock(), anyio.Event()
    limits = StreamLimits(closing, clock, 10, Revocations(kept))
    ana, ben = Stream(), Stream()
    with (
        limits.register(ana, clock.caller(900)),
        limits.register(ben, replace(clock.caller(900), jti="k")),
    ):
        kept.revoked["j"] = EXPIRY
        await wait_until(lambda: ana.ends)
        assert (ana.ends[0], ben.ends) == ("expired", [])
    await limits.aclose()
