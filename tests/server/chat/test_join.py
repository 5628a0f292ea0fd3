"""People at the keyboard of a session: from a pipe, from a terminal, and moderating."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Self, cast

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import FloorGranted, Message, ParticipantJoined, Record, SessionOpened
from parley.listeners.sessions.shipped_packs import newest_packs
from tests.support.doors.calls import Parley
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.talks import everything

ROOT = Path(__file__).resolve().parents[3]
ECHO = ParticipantJoined(participant="echo", role="agent")


@pytest.fixture
def environment(redis_url: str, tmp_path: Path) -> dict[str, str]:
    """What a process of ours needs: this very code, and that Redis."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")}
    mine = {"PARLEY_REDIS": redis_url, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "200"}
    return {**kept, **mine}


def join(environment: dict[str, str], typed: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """`parley join s` with `typed` on its stdin."""
    return subprocess.run(
        [sys.executable, "-m", "parley", "join", "s", *flags],
        input=typed, capture_output=True, text=True, check=False, timeout=PATIENCE,
        cwd=ROOT, env=environment,
    )  # fmt: skip


@pytest.fixture
def asking(redis_url: str) -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def records(runner: asyncio.Runner, url: str) -> list[Record]:
    async def read() -> list[Record]:
        async with await Bus.connect(url, outbox_seconds=0) as bus:
            return await everything(bus, "s")

    return runner.run(read())


def begin(runner: asyncio.Runner, url: str, *entries: object, **settings: object) -> None:
    """Session `s` with those entries."""

    async def open_it() -> None:
        async with await Bus.connect(url, outbox_seconds=0) as bus:
            await bus.open("s", SessionOpened(settings=dict(settings), packs=newest_packs()))
            drafts = [Draft(f"e{k}", entry) for k, entry in enumerate(entries)]  # type: ignore[arg-type]  # entries
            await bus.publish("s", drafts)

    runner.run(open_it())


def spoken_lines(records: list[Record]) -> list[tuple[str, str]]:
    """Who said what."""
    entries = [
        cast("Message", record.entry) for record in records if record.entry.kind == "message"
    ]
    return [(entry.participant, entry.content) for entry in entries]


def test_lines_of_a_pipe_are_said_and_shown(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """Each comes back from the log with its number, and what it changed below it."""
    begin(asking, redis_url, Message(participant="Bo", content="Before."))
    ran = join(environment, "/propose Call it Otter.\nplain words\n/support P1\n", "--as", "Ana")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].split() == ["1", "Bo:", "Before."]
    assert "    2 Ana [propose]: Call it Otter." in lines
    assert "    P1 proposed by Ana: Call it Otter." in lines
    assert "    3 Ana: plain words" in lines
    log = records(asking, redis_url)
    assert spoken_lines(log)[1:] == [
        ("Ana", "Call it Otter."), ("Ana", "plain words"), ("Ana", "I support P1."),
    ]  # fmt: skip
    assert [log[2].entry.kind, log[-1].entry.kind] == ["participant.joined", "participant.left"]


def test_what_is_refused_is_told_and_the_rest_is_done(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """Nobody may be looking at a pipe: the exit code says so too."""
    begin(asking, redis_url)
    ran = join(environment, "one\n/suport P1\n/grant echo\ntwo", "--as", "Ana")
    assert ran.returncode == 1
    assert ran.stderr.splitlines() == [
        "parley: no command /suport; the nearest is /support P3 [WHY]",
        "parley: nobody called 'echo' has a seat; did you mean Ana?",
        "parley: 2 lines refused; the reasons are above",
    ]
    assert [text for _, text in spoken_lines(records(asking, redis_url))] == ["one", "two"]


def test_views_and_leaving(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """They are answered on the spot; after /quit nothing is read any more."""
    begin(asking, redis_url, ECHO, goal="a name")
    typed = "/who\n/floor\n/memory\n/vote\n/help\n/context\n/quit\nunsaid\n"
    ran = join(environment, typed, "--as", "Ana")
    assert ran.returncode == 0
    for wanted in ("echo: agent, here", "held by nobody", "nothing was proposed", "no vote was",
                   "/propose TEXT", "Ana"):  # fmt: skip
        assert wanted in ran.stdout
    assert spoken_lines(records(asking, redis_url)) == []


def test_as_json_every_line_is_an_object(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """Entries, facts and views, told apart by `type`."""
    begin(asking, redis_url)
    ran = join(environment, "/propose Call it Otter.\n/floor\n", "--as", "Ana", "--json")
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {row["type"] for row in rows} == {"entry", "fact", "view"}
    assert next(row for row in rows if row["type"] == "view")["view"] == "floor"


def test_hostile_text_is_shown_visibly(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """No message moves the cursor or forges a line."""
    begin(asking, redis_url, Message(participant="Eve", content="\x1b[2J\n    9 Mo: I resign"))
    ran = join(environment, "/who\n", "--as", "Ana")
    assert "\x1b" not in ran.stdout
    assert not any(line.strip().startswith("9 Mo") for line in ran.stdout.splitlines())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("parley", "is the server's own voice; join under another name"),
        ("Parley", "is the server's own voice; join under another name"),
        ("echo", "is an agent of this session; join under another name"),
        (" ", "String should match pattern"),
    ],
)
def test_some_names_are_not_to_be_had(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str], name: str, reason: str
) -> None:
    """Nothing is published for them."""
    begin(asking, redis_url, ECHO)
    ran = join(environment, "hello\n", "--as", name)
    assert ran.returncode == 2
    assert reason in ran.stderr
    assert len(records(asking, redis_url)) == 2


def test_capabilities_are_asked_for_by_name(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """A wrong one names the nearest; without any, moderating is refused at the door."""
    begin(asking, redis_url, ECHO)
    wrong = join(environment, "", "--as", "Mo", "--may", "moderat")
    assert (wrong.returncode, wrong.stderr) == (
        2, "parley: --may moderat: no act or capability; the nearest is 'moderate'\n",
    )  # fmt: skip
    plain = join(environment, "/mute echo\n", "--as", "Ana")
    assert "'Ana' may not: it takes the capability 'mute'" in plain.stderr
    moderating = join(environment, "/mute echo\n/pause\n", "--as", "Mo", "--may", "moderate")
    assert (moderating.returncode, moderating.stderr) == (0, "")
    kinds = [record.entry.kind for record in records(asking, redis_url)]
    assert kinds.count("floor.muted") == kinds.count("floor.paused") == 1


def test_a_seat_is_taken_again_as_it_was(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """What the session gave a person, such as a weight, does not go by joining anew."""
    seat = ParticipantJoined(participant="Mo", may=("ask", "moderate"), weight=3)
    begin(asking, redis_url, seat)
    join(environment, "/pause\n", "--as", "Mo")
    joined = records(asking, redis_url)[2].entry
    assert (getattr(joined, "may", None), getattr(joined, "weight", 0)) == (("ask", "moderate"), 3)


def test_closing_ends_it_for_everyone(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """With who did it and what it came to; others at their keyboards are let go."""
    begin(asking, redis_url, chair=["Mo"])
    other = subprocess.Popen(
        [sys.executable, "-m", "parley", "join", "s", "--as", "Bo"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment,
    )  # fmt: skip
    asking.run(wait_until(lambda: _has_joined(redis_url, "Bo")))
    ran = join(environment, "hello\n/close we are done\n", "--as", "Mo")
    assert ran.returncode == 0
    out, _ = other.communicate(timeout=PATIENCE)
    assert other.returncode == 0
    assert "closed by Mo: we are done" in out.decode()
    last = records(asking, redis_url)[-1].entry
    assert (getattr(last, "by", ""), getattr(last, "totals", {})["messages"]) == ("Mo", 1)


async def _has_joined(url: str, name: str) -> bool:
    async with await Bus.connect(url, outbox_seconds=0) as bus:
        entries = [record.entry for record in await everything(bus, "s")]
    return any(getattr(entry, "participant", "") == name for entry in entries)


class Terminal:
    """`parley join s --as Ana` at a terminal of 40 lines, and what it has shown."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.modes = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "parley", "join", "s", "--as", "Ana"],
            stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=environment, close_fds=True,
        )  # fmt: skip
        self.slave = slave  # open: its modes are read at the end
        os.set_blocking(self.master, False)
        self._seen = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def write(self, keys: bytes) -> None:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            os.write(self.master, keys)

    def shows(self, text: str) -> bool:
        with contextlib.suppress(OSError):  # nothing to read for now
            fresh = os.read(self.master, 65_536)
            self._seen.extend(fresh)
            for _ in range(fresh.count(b"\x1b[6n")):  # where is the cursor? any terminal says
                os.write(self.master, b"\x1b[1;1R")
        return text in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._seen.decode(errors="replace"))

    def has_ended(self) -> bool:
        return self.shows("") and self.process.poll() is not None


def test_a_terminal_has_a_prompt_and_a_status_line(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """What is typed is said; what others say appears above; the end of input leaves."""
    begin(asking, redis_url, ECHO)
    with Terminal(environment) as terminal:
        asking.run(wait_until(lambda: terminal.shows("floor: free")))
        terminal.write(b"/propose Call it Otter.\r")
        asking.run(wait_until(lambda: terminal.shows("1 Ana [propose]: Call it Otter.")))
        asking.run(wait_until(lambda: terminal.shows("open: P1")))
        terminal.write(b"/suport P1\r")
        asking.run(wait_until(lambda: terminal.shows("the nearest is /support")))

        def ended() -> bool:
            terminal.write(b"\x04")  # again: between two prompts nobody reads it
            return terminal.has_ended()

        asking.run(wait_until(ended, every=0.2))
    assert terminal.process.returncode == 0
    assert records(asking, redis_url)[-1].entry.kind == "participant.left"


def test_a_session_that_closes_lets_a_terminal_go_as_it_was(
    asking: asyncio.Runner, redis_url: str, environment: dict[str, str]
) -> None:
    """Whatever is half typed: the prompt ends, and keys are shown again."""
    begin(asking, redis_url, chair=["Mo"])
    with Terminal(environment) as terminal:
        asking.run(wait_until(lambda: terminal.shows("floor: free")))
        terminal.write(b"half a sen")
        asking.run(wait_until(lambda: terminal.shows("half a sen")))
        join(environment, "/close we are done\n", "--as", "Mo")
        asking.run(wait_until(terminal.has_ended))
        assert terminal.shows("closed by Mo: we are done")
        assert not terminal.shows("Traceback")
        assert termios.tcgetattr(terminal.slave) == terminal.modes
    assert terminal.process.returncode == 0


def test_the_floor_is_moderated_from_a_command_line(
    asking: asyncio.Runner, redis_url: str, at: Parley
) -> None:
    """By whoever may; each command says what holds from there on."""
    granted = FloorGranted(participant="echo", epoch=1)
    begin(asking, redis_url, ECHO, granted, chair=["Mo"], floor={"policy": "moderated"})
    shown = at("floor", "show", "s", "--json")
    assert shown.rows()[0]["holder"] == "echo"
    assert at("floor", "show", "s").out.splitlines()[1] == "held by echo"
    for words, answer in (
        (("interrupt", "s"), "the floor is free"),
        (("grant", "s", "echo"), "echo has the floor"),
        (("mute", "s", "echo"), "echo is muted"),
        (("unmute", "s", "echo"), "echo may have the floor"),
        (("pause", "s"), "no agent is given the floor"),
        (("resume", "s"), "agents are given the floor"),
    ):
        ran = at("floor", *words, "--as", "Mo")
        assert (ran.code, ran.err.strip()) == (0, answer)
    refused = at("floor", "pause", "s", "--as", "Ana")
    assert refused.code == 1
    assert "'Ana' may not: it takes the capability 'pause'" in refused.err
    assert at("floor", "grant", "s", "nobody", "--as", "Mo").code == 2
    kinds = [record.entry.kind for record in records(asking, redis_url)]
    assert kinds[3:] == [
        "floor.released", "floor.granted", "floor.muted", "floor.muted", "floor.paused",
        "floor.resumed",
    ]  # fmt: skip
