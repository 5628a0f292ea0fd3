"""The chaos kit: a round of it breaks no promise, and it finds what is broken on purpose."""

from __future__ import annotations

import time

import pytest

from parley.bus.log.log_tail import LogTail
from tests.faults.chaos import findings_of, line_of, plan_blows, play_round
from tests.faults.planted_bugs import BUGS, SCRIPT_BUGS
from tests.support.servers.servers import Aof, Flavour

SECONDS = 120.0  # within which a planted bug is to be found


async def test_a_round_of_faults_breaks_no_promise(real_flavour: Flavour) -> None:
    """The log cut and restored, processes killed and frozen, sessions of others damaged."""
    blows = plan_blows(8, 5.0)
    outcome = await play_round(8, blows, seconds=5.0, flavour=real_flavour)
    print(line_of(8, outcome))
    assert findings_of(outcome) == []
    assert sum(outcome.faults.values()) == len(blows)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 24))
async def test_long_rounds_break_no_promise(every_real_flavour: Flavour, seed: int) -> None:
    """Other seeds, other servers, and what Redis writes once a second at the latest."""
    aof: Aof = "everysec" if seed % 2 else "always"
    outcome = await play_round(seed, plan_blows(seed), flavour=every_real_flavour, aof=aof)
    assert findings_of(outcome) == []


@pytest.mark.long
@pytest.mark.parametrize("name", [*SCRIPT_BUGS, *BUGS])
async def test_what_is_broken_on_purpose_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within two minutes, by faults at random."""
    monkeypatch.setattr(LogTail, "_end", LogTail._end)  # put back after the test
    if name == "a reader that stops silently":
        BUGS[name]()
    planted = "" if name in SCRIPT_BUGS else name
    began, seed = time.monotonic(), 0
    while time.monotonic() - began < SECONDS:
        outcome = await play_round(
            seed,
            plan_blows(seed),
            without=SCRIPT_BUGS.get(name),
            planted=planted,
        )
        if findings := findings_of(outcome):
            print(f"{name}: seed {seed}, {time.monotonic() - began:.0f} s: {findings[:5]}")
            return
        seed += 1
    pytest.fail(f"{seed} rounds did not find it")
