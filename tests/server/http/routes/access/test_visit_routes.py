"""Coming to the page: whoever comes is answered, though it be that they are nobody."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from parley.server.http.tokens.bearer_tokens import build_claims
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import NAME, PATH, begin


async def visited(
    client: httpx2.AsyncClient, path: str = PATH, **body: Any
) -> tuple[str | None, str | None, bool | None]:
    """The name of who came, what keeps them out, and whether their ticket was good."""
    answer = await client.post(f"{path}/visit", json=body)
    assert answer.status_code == 200, answer.text
    tree = answer.json()
    return tree["me"] and tree["me"]["name"], tree["kept_out"], tree["ticket"]


async def ticket(d: Standing, name: str, session: str = NAME, role: str = "person") -> str:
    async with d.client(d.operator()) as operator:
        wish = {"name": name, "role": role, "session": session}
        return str((await operator.post("/v1/tickets", json=wish)).json()["ticket"])


async def test_to_be_nobody_is_an_answer(redis_url: str) -> None:
    """Without a token, with an expired one, with one that is none; and nobody hears more."""
    async with doors(redis_url) as d:
        await begin(d)
        long_ago = build_claims("ana", "person", "*", d.deps.clock() - 7200, seconds=60)
        for token, why in (
            (None, "token-missing"),
            (d.deps.keyring.sign(long_ago), "token-expired"),
            ("nonsense", "token-invalid"),
        ):
            async with d.client(token) as client:
                assert await visited(client, "/v1") == (None, why, None)
                assert await visited(client) == (None, why, None)
                assert await visited(client, "/v1/sessions/absent") == (None, why, None)


async def test_a_ticket_lets_in_once(redis_url: str) -> None:
    """By a cookie; a second browser that brings it is told so, and stays who it is."""
    async with doors(redis_url) as d:
        await begin(d)
        link = await ticket(d, "Ana")
        async with d.client() as ana, d.client() as other, d.client(d.token("bo")) as bo:
            assert await visited(ana, ticket=link) == ("Ana", None, True)
            assert await visited(ana) == ("Ana", None, None)
            assert await visited(other, ticket=link) == (None, "token-invalid", False)
            assert await visited(bo, ticket=link) == ("bo", None, False)


async def test_an_operator_stays_one_beside_a_name(redis_url: str) -> None:
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client() as browser:
            await visited(browser, "/v1", ticket=await ticket(d, "chair", "*", "operator"))
            for body in ({"ticket": await ticket(d, "Cy")}, {}):
                me = (await browser.post(f"{PATH}/visit", json=body)).json()["me"]
                assert (me["name"], me["operator"]) == ("Cy", True)
            assert await visited(browser, "/v1") == ("chair", None, None)


@pytest.mark.parametrize(
    ("session", "who", "why"),
    [("absent", "*", "no-session"), ("absent", NAME, "other-session"), (NAME, "*", None)],
)
async def test_a_session_tells_whether_it_is_there(
    redis_url: str, session: str, who: str, why: str | None
) -> None:
    """To whoever may enter it; another's session is closed to one whether it exists or not."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=who)) as ana:
            assert await visited(ana, f"/v1/sessions/{session}") == ("ana", why, None)
