"""Tokens that count no more: revoked singly, or of a session that was removed and opened anew."""

from __future__ import annotations

import asyncio
import time

import pytest

from parley.bus import Bus
from parley.bus.contract.errors import Unavailable
from parley.bus.contract.keys import REVOKED
from parley.bus.contract.session_info import SessionInfo
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.revocations import STALE_SECONDS, Revocations
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import PATH, begin
from tests.support.servers.patience import PATIENCE

SESSION = PATH.rpartition("/")[2]
EVENTS = f"{PATH}/events"


async def made(d: Standing, **wish: object) -> dict[str, str]:
    """A token by the route that makes them."""
    async with d.client(d.operator()) as operator:
        answer = await operator.post("/v1/tokens", json={"name": "ana", "session": SESSION, **wish})
    assert answer.status_code == 201, answer.text
    tree: dict[str, str] = answer.json()
    return tree


async def status(d: Standing, token: str, path: str = PATH) -> tuple[int, str]:
    async with d.client(token) as client:
        answer = await client.get(path)
    return answer.status_code, answer.json().get("type", "").rpartition(":")[2]


async def test_a_revoked_token_is_refused_at_every_door(redis_url: str) -> None:
    """HTTP, server-sent events, WebSocket, MCP, and the ticket that it asked for; another holds."""
    async with doors(redis_url) as d:
        await begin(d)
        token, other = await made(d), await made(d)
        async with d.client(token["token"]) as ana:
            ticket = (await ana.post("/v1/tickets", json={})).json()["ticket"]
        async with d.client(d.operator()) as operator:
            assert (await operator.delete(f"/v1/tokens/{token['id']}")).status_code == 204
            listed = (await operator.get("/v1/tokens/revoked")).json()["items"]
        assert [row["id"] for row in listed] == [token["id"]]
        for path in (PATH, f"{PATH}/events", "/v1/me"):
            assert await status(d, token["token"], path) == (401, "token-invalid"), path
        async with d.client(token["token"]) as ana:
            assert (await ana.post("/mcp", json={})).status_code == 401
            upgrade = {
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            }  # fmt: skip
            assert (await ana.get(f"{PATH}/ws", headers=upgrade)).status_code == 401
        async with d.client() as nobody:
            answer = await nobody.post("/v1/login", json={"ticket": ticket})
            assert answer.status_code == 401, answer.text
        assert (await status(d, other["token"]))[0] == 200


async def test_another_server_refuses_it_within_a_second_and_ends_its_streams(
    redis_url: str,
) -> None:
    """What it read of the list last may be so old, and no older."""
    async with doors(redis_url) as here, doors(redis_url) as there:
        await begin(here)
        token = await made(here)
        assert (await status(there, token["token"]))[0] == 200
        async with there.client(token["token"]) as ana, ana.stream("GET", EVENTS) as heard:
            lines = heard.aiter_lines()
            await anext(lines)
            async with here.client(here.operator()) as operator:
                await operator.delete(f"/v1/tokens/{token['id']}")
            async with asyncio.timeout(PATIENCE):
                assert [line async for line in lines if "expired" in line]
        assert await status(there, token["token"]) == (401, "token-invalid")


async def test_a_token_is_for_the_log_that_its_session_had(redis_url: str) -> None:
    """Removed and opened anew under its name, the session takes no old token, nor its ticket; one
    that was made without a look at the session is for any of that name."""
    async with doors(redis_url) as d:
        await begin(d)
        token, loose = await made(d), await made(d, force=True)
        async with d.client(token["token"]) as ana:
            ticket = (await ana.post("/v1/tickets", json={})).json()["ticket"]
        assert (await status(d, token["token"]))[0] == 200
        async with d.client(d.operator()) as operator:
            assert (await operator.delete(PATH)).status_code in (200, 204)
        await begin(d)
        await asyncio.sleep(STALE_SECONDS)
        assert await status(d, token["token"]) == (403, "other-session")
        assert await status(d, token["token"], "/v1/me") == (403, "other-session")
        assert (await status(d, loose["token"]))[0] == 200
        async with d.client() as nobody:
            answer = await nobody.post("/v1/login", json={"ticket": ticket})
            assert answer.status_code == 403, answer.text


async def test_no_token_is_made_for_a_session_that_is_not_there(redis_url: str) -> None:
    """Unless it is forced."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        wish = {"name": "ana", "session": "nowhere"}
        assert (await operator.post("/v1/tokens", json=wish)).status_code == 404
        assert (await operator.post("/v1/tokens", json={**wish, "force": True})).status_code == 201


async def test_the_list_forgets_what_would_have_expired(redis_url: str) -> None:
    """At the next revocation, and all of it once the last is over."""
    async with await Bus.connect(redis_url) as bus:
        now = int(time.time())
        await bus.revoke_token("0" * 16, now - 3600)
        await bus.revoke_token("1" * 16, now + 100)
        assert await bus.revoked_tokens() == {"1" * 16: now + 100}
        lasts = await bus._connections.command("PTTL", REVOKED)
    assert 100_000 < lasts <= 161_000


class Kept:
    """A list that may fail, and counts how often it is read."""

    def __init__(self) -> None:
        self.read, self.fails, self.revoked = 0, False, {"a": 1}

    async def revoked_tokens(self) -> dict[str, int]:
        self.read += 1
        if self.fails:
            raise Unavailable("down")
        return self.revoked

    async def info(self, session: str) -> SessionInfo:
        self.read += 1
        return SessionInfo(session, "x.y", 1, 1)


async def test_the_list_is_read_once_a_second_whatever_is_asked() -> None:
    """The last one counts while Redis does not answer; without any, nobody is let in."""
    now, kept = [0.0], Kept()
    revocations = Revocations(kept, lambda: now[0])
    kept.fails = True
    with pytest.raises(Unavailable):
        await revocations.refresh()
    kept.fails, kept.read = False, 0
    for _ in range(100):
        await revocations.refresh()
    assert kept.read == 1
    with pytest.raises(Problem):
        revocations.check("a")
    kept.fails, now[0] = True, STALE_SECONDS
    await revocations.refresh()
    assert revocations.is_revoked("a")
    assert not revocations.is_revoked("b")
