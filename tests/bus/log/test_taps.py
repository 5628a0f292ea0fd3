"""Taps: a stranger's consumer group reads a session's log, as docs/taps.md shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import redis

from parley.bus import Bus
from parley.bus.contract.wire import decode
from tests.support.sessions.talks import everything, folded, message_draft, talk

PAGE = Path(__file__).parents[3] / "docs" / "taps.md"


async def test_a_tap_reads_everything_and_disturbs_nobody(bus: Bus, raw: redis.Redis) -> None:
    """The page's own commands, on a session that goes on being folded and followed."""
    await talk(bus, "demo", 5)
    commands = [shlex.split(line) for line in _commands()]
    send: Callable[..., Any] = raw.execute_command
    replies = [send(*command) for command in commands]
    group = next(reply for command, reply in zip(commands, replies, strict=True)
                 if command[0] == "XREADGROUP")  # fmt: skip
    assert [place.partition("-")[0] for place in _ids(group)] == ["1", "2", "3", "4", "5", "6"]
    async with bus.subscribe("demo") as subscription:
        await bus.publish("demo", [message_draft(6)])
        assert getattr(await anext(subscription), "seq", None) == 7
    await folded(bus, "demo")
    assert (await bus.info("demo")).settled
    late = raw.xreadgroup("tap", "me", {"parley:{0}:s:demo:log": ">"})
    assert len(_ids(late)) == 1
    assert len(await everything(bus, "demo")) == 7
    assert await bus.janitor() == 0


async def test_a_tap_understands_what_it_reads(bus: Bus, raw: redis.Redis) -> None:
    """Three fields: the client id, the time, and an entry in JSON."""
    await talk(bus, "demo", 1)
    stored = cast("list[tuple[bytes, dict[bytes, bytes]]]", raw.xrange("parley:{0}:s:demo:log"))
    fields = stored[-1][1]
    assert set(fields) == {b"id", b"t", b"entry"}
    assert getattr(decode(fields[b"entry"]), "content", None) == "thought 1"


def _commands() -> list[str]:
    block = re.search(r"```\n(XGROUP.*?)```", PAGE.read_text(), re.DOTALL)
    assert block
    return block[1].splitlines()


def _ids(reply: Any) -> list[str]:
    streams = reply.values() if isinstance(reply, dict) else [rows for _, rows in reply]
    rows = [row for stream in streams for row in stream]
    while rows and isinstance(rows[0], list) and rows[0] and isinstance(rows[0][0], (list, tuple)):
        rows = [row for nested in rows for row in nested]
    return [bytes(row[0]).decode() for row in rows]
