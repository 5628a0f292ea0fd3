"""Who may call which tool: over all of them, by every kind of token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx2
import jwt
import pytest

from parley.server.bootstrap import stdio_server
from parley.server.http.identity.authorization import RIGHTS
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import build_claims
from parley.server.mcp.tools.call_dispatch import check_right
from parley.server.mcp.tools.pending_waits import PendingWaits
from parley.server.mcp.tools.tool_call import McpDependencies
from parley.server.mcp.tools.tool_registry import TOOLS
from parley.server.runtime.signing_secret import key_id
from parley.server.settings import Settings
from tests.support.doors.agents import Agent, over_http, text_of
from tests.support.doors.arguments import ARGUMENTS
from tests.support.doors.doors import SECRET, Standing, doors
from tests.support.logs.logs import opened

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
SPEAKING = {tool.name for tool in TOOLS if tool.right in ("speak", "vote")}


def test_every_tool_has_a_right_and_arguments_here() -> None:
    """A tool that is added is tested, or this fails."""
    assert {tool.name for tool in TOOLS} == set(ARGUMENTS)
    assert all(tool.right in RIGHTS for tool in TOOLS)
    for tool in TOOLS:
        tool.args.model_validate(ARGUMENTS[tool.name])


def _bad_tokens(d: Standing) -> Iterator[tuple[str, str | None]]:
    good = d.token("ana", role="agent")
    head, body, seal = good.split(".")
    yield "missing", None
    yield "forged", f"{head}.{body}.{seal[:-4]}AAAA"
    yield "another's key", _signed("another secret of thirty-two bytes!!", "HS256")
    yield "no algorithm", _signed("", "none")
    yield "expired", d.token("ana", role="agent", seconds=1)
    yield "a ticket", d.deps.tickets.issue(build_claims("ana", "agent", "*", time.time()))


def _signed(secret: str, algorithm: str) -> str:
    now = int(time.time())
    payload = {
        "iss": "parley", "aud": "parley", "sub": "ana", "ses": "*", "rol": "operator",
        "iat": now, "exp": now + 3600, "jti": "0" * 16,
    }  # fmt: skip
    return jwt.encode(payload, secret, algorithm=algorithm, headers={"kid": key_id(SECRET)})


async def test_without_a_good_token_no_tool_is_called(redis_url: str) -> None:
    """Each is 401 before anything is read, with what to send."""
    clock = _Clock()
    async with doors(redis_url, clock=clock) as d, d.client() as client:
        await d.deps.backend.bus.open("harbour", opened())
        tokens = list(_bad_tokens(d))
        clock.ahead = 60
        for name, token in tokens:
            for tool in TOOLS:
                response = await _post(client, tool.name, token)
                assert response.status_code in (401, 429), (name, tool.name, response.text)
                if response.status_code == 401:
                    assert response.headers["WWW-Authenticate"] == "Bearer"
                assert response.headers["Content-Type"] == "application/problem+json"
        info = await d.deps.backend.bus.info("harbour")
        assert info.n == 0


async def _post(client: httpx2.AsyncClient, tool: str, token: str | None) -> httpx2.Response:
    asked = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": ARGUMENTS[tool]},
    }  # fmt: skip
    own = {} if token is None else {"Authorization": f"Bearer {token}"}
    return await client.post("/mcp", json=asked, headers={**HEADERS, **own})


class _Clock:
    ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


async def _why(agent: Agent, tool: str) -> str:
    """The slug that the tool is refused by; "" where it is not."""
    result = await agent.call(tool, **ARGUMENTS[tool])
    return text_of(result).partition(":")[0] if result.is_error else ""


async def test_a_token_of_another_session_enters_none(redis_url: str) -> None:
    """Refused before the session is looked up: one that is not there is told no other way."""
    async with doors(redis_url) as d:
        for exists in (False, True):
            if exists:
                await d.deps.backend.bus.open("harbour", opened())
            token = d.token("ana", role="agent", session="elsewhere")
            async with over_http(d, token) as ana:
                for tool in TOOLS:
                    if tool.right not in ("token", "operator"):
                        assert await _why(ana, tool.name) == "other-session", tool.name


async def test_an_observer_reads_and_nothing_else(redis_url: str) -> None:
    """Neither a seat nor a word."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("eve", role="observer")) as eve:
            for tool in TOOLS:
                expected = "" if tool.right in ("token", "read") else "forbidden"
                if tool.name == "read_brief":  # it may, and nothing was said by then
                    expected = "not-yet"
                if tool.name != "explain":  # nothing is there to explain
                    assert await _why(eve, tool.name) == expected, tool.name
        assert (await d.deps.backend.bus.info("harbour")).n == 0


async def test_an_agent_has_what_its_token_says(redis_url: str) -> None:
    """No capability but those listed, no act beside those listed, no other's name."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="agent", may=["support", "inform"])) as ana:
            await ana.do("join_session")
            assert await _why(ana, "create_session") == "forbidden"
            assert await _why(ana, "call_vote") == "forbidden"
            assert await _why(ana, "propose") == "act-not-allowed"
            assert await _why(ana, "decide") == "act-not-allowed"
            assert await _why(ana, "say") == ""
            assert await _why(ana, "support") == "no-item"
            forged = await ana.call("say", session="harbour", content="x", participant="bo")
            assert forged.is_error
        async with over_http(d, d.token("bo", role="agent", may=["vote"])) as bo:
            await bo.do("join_session")
            await bo.do("propose", content="Build a light.")
            assert await _why(bo, "call_vote") == ""


async def test_an_operator_speaks_in_nobodys_name(redis_url: str) -> None:
    """It opens sessions and reads; who speaks has a name of their own."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.operator()) as operator:
            assert await _why(operator, "create_session") == ""
            assert await _why(operator, "create_session") == "exists"
            for tool in sorted(SPEAKING):
                assert await _why(operator, tool) == "forbidden", tool


async def test_who_has_no_seat_takes_one_by_speaking(redis_url: str) -> None:
    """Once, whatever is called first."""
    async with doors(redis_url) as d:
        await d.deps.backend.bus.open("harbour", opened())
        async with over_http(d, d.token("ana", role="person")) as ana:
            await ana.do("propose", content="Build a light.")
            head = (await d.deps.backend.bus.info("harbour")).head
            await ana.do("join_session")
            await ana.do("say", content="At the pier.")
            assert (await d.deps.backend.bus.info("harbour")).head == head + 1


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_is_nothing_but_post(redis_url: str, method: str) -> None:
    """No stream that stays open, and no session to delete."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        response = await client.request(method, "/mcp")
        assert (response.status_code, response.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)],
)
async def test_foreign_hosts_and_pages_are_refused(
    redis_url: str, headers: dict[str, str], status: int
) -> None:
    """With a good token too."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        response = await client.post("/mcp", json=asked, headers={**HEADERS, **headers})
        assert response.status_code == status


async def test_on_standard_input_a_token_is_all_that_its_caller_has(redis_url: str) -> None:
    """Whoever comes by a name alone opens sessions, and reads the whole memory of one."""
    async with doors(redis_url) as d:
        door, signs = McpDependencies(d.deps, PendingWaits()), {"secret": SECRET}
        token = d.token("ana", role="agent")
        by_name = stdio_server.identify_caller(Settings(serve=signs), "ana", None)
        by_token = stdio_server.identify_caller(Settings(serve=signs, token=token), None, None)
        check_right(door, by_name, "operator", "harbour")
        with pytest.raises(Problem, match="forbidden"):
            check_right(door, by_token, "operator", "harbour")
