"""What goes wrong is told in words of our own, and nothing is said back."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from parley.server.mcp.tools.tool_registry import TOOLS
from tests.support.doors.agents import over_http, text_of
from tests.support.doors.arguments import ARGUMENTS
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import slug
from tests.support.logs.logs import opened

CANARY = "canary-7f3a"
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def _planted(tool: str) -> list[dict[str, Any]]:
    """The tool's arguments with the marker in each of them, and as a name of one."""
    given = ARGUMENTS[tool]
    spoilt = [{**given, name: CANARY} for name in given]
    return [*spoilt, {**given, CANARY: CANARY}, {"session": CANARY}, {}]


async def test_no_refusal_holds_what_was_sent(
    redis_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither a value nor a name of a field that nobody has; nor does the log."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent", may=["vote"])) as ana:
            await ana.do("join_session")
            for tool in TOOLS:
                for arguments in _planted(tool.name):
                    result = await ana.call(tool.name, **arguments)
                    if result.is_error:
                        assert CANARY not in text_of(result), text_of(result)
                        assert result.structured_content is None
    capture_result = capfd.readouterr()
    assert CANARY not in capture_result.out + capture_result.err


BODIES: tuple[Any, ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": CANARY},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": CANARY}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CANARY},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": [CANARY]}},
    {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"x:{CANARY}"}},
    {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": CANARY}},
    {
        "jsonrpc": "2.0", "id": 1, "method": "prompts/get",
        "params": {"name": "minutes", "arguments": {"session": CANARY}},
    },
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": CANARY}},
    {"jsonrpc": "2.0", "id": {CANARY: 1}, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", CANARY: CANARY},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": CANARY}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": [CANARY]}},
    {"jsonrpc": CANARY, "id": 1, "method": "tools/list"},
    {CANARY: CANARY},
    [CANARY],
)  # fmt: skip


@pytest.mark.parametrize("version", [None, "2025-11-25", "2026-07-28", CANARY])
async def test_no_error_of_the_protocol_holds_what_was_sent(
    redis_url: str, version: str | None
) -> None:
    """In either protocol, and in one that there is not."""
    async with doors(redis_url) as d, d.client(d.token("ana", role="agent")) as client:
        own = {} if version is None else {"MCP-Protocol-Version": version}
        for body in BODIES:
            response = await client.post(
                "/mcp", content=json.dumps(body), headers={**HEADERS, **own}
            )
            assert response.status_code < 500, response.text
            assert CANARY not in response.text, body


@pytest.mark.parametrize("kind", ["text/plain", "application/jsonp", None])
async def test_what_is_no_json_is_refused_as_over_http(redis_url: str, kind: str | None) -> None:
    """By a problem, before anything of it is read."""
    async with doors(redis_url) as d, d.client(d.token("ana", role="agent")) as client:
        headers = {"Accept": HEADERS["Accept"], **({} if kind is None else {"Content-Type": kind})}
        response = await client.post("/mcp", content=json.dumps(BODIES[0]), headers=headers)
        assert (response.status_code, slug(response)) == (415, "media-type")


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("say", {"session": "harbour"}, "field: content. fault: missing"),
    ("say", {"session": "no/id", "content": "x"}, "field: session. fault: string_pattern"),
    ("wait_for_messages", {"session": "harbour", "after": 0, "timeout": 26}, "field: timeout"),
    ("read_messages", {"session": "harbour", "first": 2, "last": 1}, "field: last"),
    ("create_session", {"session": "x", "preset": "none"}, "field: preset. fault: unknown"),
    ("read_memory", {"session": "harbour", "at": 99}, "not-yet"),
    ("get_context", {"session": "harbour", "at": 99}, "not-yet"),
    ("read_brief", {"session": "harbour", "at": 99}, "not-yet"),
    ("read_memory", {"session": "nowhere"}, "no-session"),
    ("join_session", {"session": "nowhere"}, "no-session"),
    ("explain", {"session": "harbour", "ref": "P9"}, "no-item"),
    ("support", {"session": "harbour", "ref": "P9"}, "no-item"),
    ("decide", {"session": "harbour", "content": "So.", "re": "P9"}, "no-item"),
    ("ratify", {"session": "harbour", "ref": 99}, "no-message"),
    ("oppose", {"session": "harbour", "ref": "that"}, "field: ref. fault: no_handle"),
    ("vote", {"session": "harbour", "ref": "V9", "choice": ["accept"]}, "refused"),
)


async def test_a_refusal_says_what_is_wrong(redis_url: str) -> None:
    """By a word of the table, and where it is a field, by its name."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with (
            over_http(d, d.operator()) as operator,
            over_http(d, d.token("ana", role="agent")) as ana,
        ):
            await ana.do("join_session")
            for tool, arguments, reason in WRONG:
                agent = operator if tool == "create_session" else ana
                result = await agent.call(tool, **arguments)
                assert result.is_error, tool
                assert reason in text_of(result)


async def test_what_a_tool_gives_is_told_in_words_too(redis_url: str) -> None:
    """Where to wait from, what a ballot came to, and an act that came to nothing."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened(chair=["ana"]))
        async with over_http(d, d.token("ana", role="agent", may=["vote"])) as ana:
            joined = await ana.call("join_session", session="harbour")
            assert joined.structured_content is not None
            assert f"after={joined.structured_content['after']}" in text_of(joined)
            await ana.do("propose", content="Build a light.")
            await ana.do("call_vote", question="Build it?", proposal="P1")
            votes = await ana.call("read_memory", session="harbour", part="votes")
            assert "waits for ana" in text_of(votes)
            cast = await ana.call("vote", session="harbour", ref="V1", choice=["accept"])
            assert "V1 carried: accept" in text_of(cast)
            nothing = await ana.call("ratify", session="harbour", ref="D1")
            assert "changed nothing" in text_of(nothing)


async def test_what_became_of_an_item_is_told_in_words(redis_url: str) -> None:
    """In those of the minutes, and never by the names of facts."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with (
            over_http(d, d.token("ana", role="agent")) as ana,
            over_http(d, d.token("bo", role="agent")) as bo,
        ):
            for agent in (ana, bo):
                await agent.do("join_session")
            await ana.do("propose", content="Build a light.")
            await bo.do("support", ref="P1")
            text = text_of(await ana.call("explain", session="harbour", ref="P1"))
            assert "P1, active:" in text
            assert "then, at #2:\n| P1 bo: support" in text
            explanation = await ana.do("explain", ref="P1")
            for fact in explanation["history"]:
                assert fact["kind"] not in text


async def test_a_closed_session_takes_nothing_more(redis_url: str) -> None:
    """And is still read."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            await ana.do("propose", content="Build a light.")
            await d.deps.backend.bus.close("harbour", "done")
            assert (await ana.refused("say", content="One more.")).startswith("closed:")
            assert len((await ana.do("read_memory"))["proposals"]) == 1


async def test_who_says_too_much_is_told_to_wait(redis_url: str) -> None:
    """By the rate of the token, as over HTTP."""
    now = time.time()
    async with doors(redis_url, clock=lambda: now, rate=1) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent")) as ana:
            await ana.do("join_session")
            whys = [await ana.call("say", session="harbour", content=f"{k}") for k in range(6)]
            refused = [text_of(result) for result in whys if result.is_error]
            assert refused
            assert all(text.startswith("rate:") and "retry_after" in text for text in refused)


async def test_what_is_unknown_is_an_error_of_the_protocol(redis_url: str) -> None:
    """A tool, a prompt, a resource."""
    async with doors(redis_url) as d, over_http(d, d.token("ana", role="agent")) as ana:
        with pytest.raises(MCPError, match="no such tool"):
            await ana.client.call_tool("nothing", {})
        with pytest.raises(MCPError, match="no such prompt"):
            await ana.client.get_prompt("nothing")
        with pytest.raises(MCPError, match="not-found"):
            await ana.client.read_resource("parley://sessions/harbour/nothing")
