"""What Ctrl-C does to a command that others wait for: once asks, twice ends."""

from __future__ import annotations

import os
import signal

import anyio
import pytest

from parley.server.basics.interrupts import handle_signals
from tests.support.servers.patience import PATIENCE


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_the_first_signal_asks_and_is_answered_once(number: int, code: int) -> None:
    """The handlers are gone by then: what comes next does what it does by itself."""
    before = signal.getsignal(signal.SIGTERM)
    calls: list[str] = []
    with anyio.fail_after(PATIENCE):
        async with handle_signals(lambda: calls.append("closing")) as interrupted:
            assert signal.getsignal(signal.SIGTERM) is not before
            assert interrupted.exit_code == 0
            os.kill(os.getpid(), number)
            await interrupted.stop.wait()
            assert signal.getsignal(signal.SIGTERM) is before
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert (calls, interrupted.exit_code) == (["closing"], code)


async def test_nobody_who_reads_is_no_reason_to_go_on() -> None:
    """A stop is a stop, also where the line that says so cannot be written."""

    def say() -> None:
        raise BrokenPipeError

    with anyio.fail_after(PATIENCE):
        async with handle_signals(say) as interrupted:
            os.kill(os.getpid(), signal.SIGTERM)
            await interrupted.stop.wait()
            await anyio.sleep(0)


async def test_without_a_signal_all_is_as_it_was() -> None:
    """The handlers go with the body, and what it raises comes out as it is."""
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(LookupError, match="of the body"):
        async with handle_signals(lambda: None) as interrupted:
            raise LookupError("of the body")
    assert signal.getsignal(signal.SIGTERM) is before
    assert not interrupted.stop.is_set()
