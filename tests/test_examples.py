"""The programs in examples/ do what they say, against a real Redis."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from examples.bridge_agent import Agreeable, bridge
from examples.echo_agent import echo
from examples.tool_agent import measure
from parley.bus import Bus, Draft
from parley.bus.contract.errors import SessionNotFound
from parley.bus.entries import Message, SessionOpened
from parley.listeners.sessions.shipped_packs import newest_packs
from tests.support.servers.patience import wait_until
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
    assert f"python examples/{example.name} redis://" in text
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import runpy; runpy.run_path({str(example)!r})"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
