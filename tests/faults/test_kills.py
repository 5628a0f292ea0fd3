"""Nothing acknowledged is lost, doubled or reordered, whatever is killed (laws 15 and 16)."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from parley.bus import Draft
from parley.bus.entries import Message
from tests.faults.ordeal import Faults, Ordeal, Report
from tests.support.logs.corpora import drafts_of, long_session, meetings, needs_corpora
from tests.support.servers.servers import Flavour, StartServer

SPEAKERS = ("ana", "bo", "cy", "dee", "eli")
THOUGHTS = (
    "I propose we rebuild the index before the next release.",
    "+1",
    "The log shows nothing odd.",
    "I oppose P1 because it costs too much.",
    "What if we move the nightly backups to the other team?",
    "Let me look that up.",
    "[DECISION] keep the old importer for one more quarter",
    "Morning all.",
    "I support P1.",
)


def talk(session: int, count: int) -> list[Draft]:
    """Messages that propose, vote and decide, no two sessions alike."""
    return [
        Draft(
            f"m{k}",
            Message(
                participant=SPEAKERS[(k * session) % len(SPEAKERS)],
                content=f"{THOUGHTS[(k + session) % len(THOUGHTS)]} ({session}.{k})",
            ),
        )
        for k in range(1, count + 1)
    ]


def talks(sessions: int, count: int) -> dict[str, list[Draft]]:
    return {f"talk-{session}": talk(session, count) for session in range(1, sessions + 1)}


def assert_unharmed(report: Report) -> None:
    """Every promise held, nobody was blamed, and no worker died but by our hand."""
    print(report)
    assert report.verdict.findings == []
    assert report.verdict.set_aside == 0
    assert report.deaths == []
    assert set(report.drained) <= {0, -signal.SIGTERM}  # the latter had not begun yet


EVERYTHING = Faults(
    seconds=10, freezes=1, redis_kills=1, cuts=1, nuisances=2, drops=0.05,
    lease_ms=3_000, folders=3, runners=1,
)  # fmt: skip

LOSSES = Faults(seconds=16, kill_every=5, cuts=6, cut_bytes=60_000, publishers=2)


async def suffer(
    start_server: StartServer,
    folder: Path,
    transcripts: Mapping[str, Sequence[Draft]],
    faults: Faults,
    flavour: Flavour | None = None,
    seed: int = 1,
) -> Report:
    server = start_server(flavour, aof="always")
    return await Ordeal(server, transcripts, faults, folder, seed).run()


@pytest.mark.long
@pytest.mark.parametrize("seconds", [5, 10])
async def test_ten_seconds_of_everything_harm_nothing(
    start_server: StartServer, tmp_path: Path, real_flavour: Flavour, seconds: int
) -> None:
    """Workers killed and frozen, replies dropped, Redis killed and its file cut: all is there.

    Of the ten seconds, five are enough to go on with: as much happens in them. How many claims died
    with their worker is in the report: a slow machine may give none.
    """
    faults = replace(EVERYTHING, seconds=seconds, kill_every=0.07 * seconds)
    transcripts = talks(2 * seconds, 150)
    report = await suffer(start_server, tmp_path, transcripts, faults, real_flavour)
    assert_unharmed(report)
    assert report.kills >= 3  # a dozen, where the machine has time for it
    assert report.drops > 0
    assert report.redis_restarts == 3


@pytest.mark.long
async def test_two_publishers_and_a_log_that_went_back_harm_nothing(
    start_server: StartServer, tmp_path: Path, real_flavour: Flavour
) -> None:
    """What was lost comes back in another order, and memories follow the log."""
    assert_unharmed(await suffer(start_server, tmp_path, talks(40, 150), LOSSES, real_flavour))


@pytest.mark.long
async def test_without_the_fences_on_commits_that_run_does_harm(
    start_server: StartServer, tmp_path: Path, real_flavour: Flavour
) -> None:
    """A worker that slept through the loss goes on as if nothing had happened."""
    faults = replace(LOSSES, without={"commit.identity": "", "commit.after": ""})
    for seed in range(6):  # where a file is cut is chance; two runs of three do harm
        folder = tmp_path / str(seed)
        folder.mkdir()
        transcripts = talks(40, 150)
        report = await suffer(start_server, folder, transcripts, faults, real_flavour, seed)
        if report.verdict.findings:
            return
    pytest.fail("six runs without the fences did no harm")


@pytest.mark.long
async def test_without_the_duplicate_check_dropped_replies_do_harm(
    start_server: StartServer, tmp_path: Path, real_flavour: Flavour
) -> None:
    """A publish whose reply was lost is sent again, and lands twice."""
    faults = Faults(seconds=5, drops=0.05, without={"publish.duplicate": "if false then"})
    report = await suffer(start_server, tmp_path, talks(10, 100), faults, real_flavour)
    assert any("and at" in finding for finding in report.verdict.findings)


def recordings() -> dict[str, list[Draft]]:
    """Every recorded meeting, and the long session."""
    files = [*meetings("irc"), long_session()]
    return {file.stem: drafts_of(file) for file in files}


@pytest.mark.long
@needs_corpora
async def test_a_minute_of_kills_harms_no_recorded_meeting(
    start_server: StartServer, tmp_path: Path, every_real_flavour: Flavour
) -> None:
    """All recorded meetings at once, a worker killed every second, replies dropped."""
    faults = Faults(seconds=62, kill_every=1.0, freezes=3, nuisances=3, drops=0.02)
    report = await suffer(start_server, tmp_path, recordings(), faults, every_real_flavour)
    assert_unharmed(report)
    assert report.hits >= 10


@pytest.mark.long
@needs_corpora
async def test_a_minute_of_redis_crashes_harms_no_recorded_meeting(
    start_server: StartServer, tmp_path: Path, every_real_flavour: Flavour
) -> None:
    """Redis killed five times, and once more with its file cut and two restarts."""
    faults = Faults(seconds=62, kill_every=1.0, redis_kills=5, cuts=1, drops=0.02)
    report = await suffer(start_server, tmp_path, recordings(), faults, every_real_flavour)
    assert_unharmed(report)
    assert report.redis_restarts == 7
