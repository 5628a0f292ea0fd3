"""The programs in examples/ do what they say, against a real Redis."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from examples.bridge_agent import Agreeable, bridge
from examples.echo_agent import echo
from examples.tool_agent import measure
from parley.bus import Bus, Draft
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Message, SessionOpened
from parley.listeners.sessions.shipped_packs import newest_packs
from parley.server.http.live import stream_limits
from tests.support.doors.doors import Standing, doors
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.talks import everything

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


async def joined(bus: Bus, name: str) -> None:
    """Returns when `name` has its seat."""

    async def is_there() -> bool:
        try:
            records = await everything(bus, "s")
        except SessionNotFound:
            return False
        return any(getattr(record.entry, "participant", "") == name for record in records)

    await wait_until(is_there)


async def say(bus: Bus, content: str, **fields: object) -> int:
    message = Message.model_validate({"participant": "Ana", "content": content, **fields})
    (receipt,) = await bus.publish("s", [Draft(f"ana:{len(content)}", message)])
    return receipt.n


async def answer(bus: Bus, by: str) -> Message:
    """The first message of `by`, once there is one."""

    async def answers() -> list[Message]:
        entries = (record.entry for record in await everything(bus, "s"))
        return [e for e in entries if e.kind == "message" and getattr(e, "participant", "") == by]  # type: ignore[misc]  # messages

    await wait_until(answers)
    return (await answers())[0]


async def test_the_echo_answers_whoever_speaks_to_it(redis_url: str) -> None:
    """And nobody else; it ends with the session."""
    async with await Bus.connect(redis_url) as bus:
        task = asyncio.create_task(echo(redis_url, "s"))
        await joined(bus, "echo")
        await say(bus, "hello all")
        n = await say(bus, "@echo are you there?")
        reply = await answer(bus, "echo")
        assert (reply.content, reply.re) == ("Ana said: are you there?", n)
        await bus.close("s", "done")
        assert await task == 1


async def test_the_tool_runs_once_for_the_same_text(redis_url: str) -> None:
    """A proposal made again is measured from what is kept."""
    async with await Bus.connect(redis_url) as bus:
        task = asyncio.create_task(measure(redis_url, "s"))
        await joined(bus, "measurer")
        await say(bus, "Call it Sea Otter.", act="propose")
        assert (await answer(bus, "measurer")).content == "That proposal has 4 words."
        again = Message(participant="Bo", content="Call it Sea Otter.", act="propose")
        await bus.publish("s", [Draft("again", again)])

        async def both() -> bool:
            kinds = [record.entry.kind for record in await everything(bus, "s")]
            return kinds.count("tool.called") == 2 and kinds[-1] == "message"

        await wait_until(both)
        await bus.close("s", "done")
        await task
        kinds = [record.entry.kind for record in await everything(bus, "s")]
        assert (kinds.count("tool.called"), kinds.count("tool.returned")) == (2, 1)


@pytest.mark.parametrize("awaits", [False, True])
async def test_the_bridge_lets_another_framework_speak(redis_url: str, awaits: bool) -> None:
    """Its agent gets the context and answers, in its own name; async or not."""

    class Awaited(Agreeable):
        async def run(self, text: str) -> str:  # type: ignore[override]  # as other frameworks do
            return super().run(text)

    async with await Bus.connect(redis_url) as bus:
        await bus.open("s", SessionOpened(packs=newest_packs()))
        agent = Awaited() if awaits else Agreeable()
        task = asyncio.create_task(bridge(redis_url, "s", "friend", agent))
        await joined(bus, "friend")
        await say(bus, "What do you say, @friend?")
        assert (await answer(bus, "friend")).content == "I agree with Ana."
        await bus.close("s", "done")
        await task


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_short_and_say_how_they_are_run(example: Path) -> None:
    """Under 60 lines each, with their own command line in the first of them."""
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 60
    assert re.search(rf"python examples/{example.name} (redis|http)://", text)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import runpy; runpy.run_path({str(example)!r})"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


@contextmanager
def running(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """The program, ended with the test."""
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.kill()


async def supports(d: Standing, command: Sequence[str]) -> None:
    """The program takes a seat, supports what somebody else proposes, ends with the session."""
    bus = d.deps.backend.bus
    await bus.open("s", SessionOpened(packs=newest_packs()))
    with running([*command, d.url, "s", d.token("helper", role="agent")]) as program:
        await joined(bus, "helper")
        await say(bus, "[PROPOSAL] We paint the boat red.")
        message = await answer(bus, "helper")
        assert (message.act, message.re) == ("support", "P1")
        await bus.close("s", "done")
        code = await asyncio.to_thread(program.wait, PATIENCE)
        assert code == 0, program.stderr and program.stderr.read()


async def test_an_agent_in_plain_python_takes_part_over_http(redis_url: str) -> None:
    """With what Python brings."""
    async with doors(redis_url) as d:
        await supports(d, [sys.executable, "-S", "examples/plain_agent.py"])


async def test_an_agent_takes_part_with_nothing_but_curl(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And sed, in any shell. Its curl ends with the next line of the stream after the closing."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    monkeypatch.setattr(stream_limits, "BEAT_SECONDS", 0.5)
    async with doors(redis_url) as d:
        await supports(d, ["sh", "examples/curl_agent.sh"])


@pytest.mark.long
async def test_an_agent_in_typescript_takes_part_over_a_websocket(
    redis_url: str, tmp_path: Path
) -> None:
    """Its types hold, and what is left without them runs."""
    if shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts",
               "typescript@5", "@types/node@22"]  # fmt: skip
    if subprocess.run(install, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("the TypeScript compiler cannot be had here")
    shutil.copy(ROOT / "examples" / "socket_agent.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"]
    checked = subprocess.run(
        ["npx", "tsc", *options, "socket_agent.ts"], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    async with doors(redis_url) as d:
        program = str(tmp_path / "socket_agent.js")
        await supports(d, ["node", "--experimental-websocket", program])
