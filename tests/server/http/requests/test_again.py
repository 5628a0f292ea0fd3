"""The same `Idempotency-Key` again gives the same answer, and nothing happens twice."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httpx2
import pytest

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug

OPERATORS: Final = ("aliases", "settings", "compact")

# What is asked before, as ana; then what is asked twice.
ASKED: Final[tuple[tuple[str, str, str, dict[str, Any]], ...]] = (
    ("POST", "messages", "", {"content": "Aye."}),
    ("POST", "votes", "", {"question": "Adopt it?", "proposal": "P1"}),
    ("POST", "votes/V1/ballots", "vote", {"choice": ["accept"]}),
    ("POST", "votes/V1/confirm", "confirmed vote", {}),
    ("POST", "corrections", "", {"ref": "P1", "op": "retract"}),
    ("POST", "goals", "", {"title": "Light the pier"}),
    ("POST", "goals/E1/close", "goal", {"result": "Lit."}),
    ("POST", "tasks", "goal", {"title": "Find a lamp", "parent": "E1"}),
    ("POST", "tasks/E2/close", "task", {"result": "Found."}),
    ("POST", "steps", "goal", {"form": "reasoning", "content": "Asked around."}),
    ("POST", "episodes", "", {"title": "First", "kind": "round"}),
    ("POST", "phases", "", {"title": "Closing words"}),
    ("POST", "episodes/E1/close", "phase", {"result": "Said."}),
    ("POST", "tools/results", "", {"tool": "t", "result": "x", "ttl": 5}),
    ("PUT", "notebooks/ana", "", {"text": "The pier first.", "base": 0}),
    ("POST", "floor/pause", "", {}),
    ("POST", "floor/mute", "", {"participant": "bo"}),
    ("POST", "aliases", "", {"alias": "ann", "participant": "ana", "as": "ana"}),
    ("PATCH", "settings", "", {"settings": {"summary": {"interval": 6}}}),
    ("POST", "compact", "", {}),
)  # fmt: skip


async def _prepare(ana: httpx2.AsyncClient, bo: httpx2.AsyncClient, what: str) -> None:
    for client in (ana, bo):
        assert (await client.post(f"{PATH}/seats", json={})).is_success
    assert (await ana.post(f"{PATH}/messages", json={"content": "I propose a light."})).is_success
    before: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "vote": [("votes", {"question": "Adopt it?", "proposal": "P1"})],
        "confirmed vote": [("votes", {"question": "Adopt it?", "proposal": "P1"})],
        "goal": [("goals", {"title": "Light the pier"})],
        "phase": [("phases", {"title": "Closing words"})],
        "task": [("goals", {"title": "Light the pier"}), ("tasks", {"title": "Find a lamp"})],
    }
    for path, body in before.get(what, []):
        caller = bo if what == "confirmed vote" else ana
        assert (await caller.post(f"{PATH}/{path}", json=body)).is_success
    if what == "vote":
        body = {"choice": ["accept"]}
        assert (await bo.post(f"{PATH}/votes/V1/ballots", json=body)).is_success


@pytest.mark.parametrize(
    ("method", "path", "before", "body"), ASKED, ids=[path for _, path, _, _ in ASKED]
)
async def test_a_request_that_is_sent_again_does_nothing(
    redis_url: str, method: str, path: str, before: str, body: dict[str, Any]
) -> None:
    """Also where what it did has made it impossible to do again."""
    confirm = {"confirm": "all"} if before == "confirmed vote" else {}
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"], note={"policy": "rewrite"}, vote=confirm)
        async with (
            d.client(d.token("ana", session=NAME, may=["moderate"])) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
            d.client(d.operator()) as operator,
        ):
            await _prepare(ana, bo, before)
            client = operator if path in OPERATORS else ana
            first, head = None, 0
            for _ in range(3):
                key = {"Idempotency-Key": "once"}
                response = await client.request(method, f"{PATH}/{path}", json=body, headers=key)
                assert response.is_success, response.text
                row = {name: response.json().get(name) for name in ("n", "seq", "ref")}
                now = (await d.deps.backend.bus.info(NAME)).head
                assert (first, head) in ((None, 0), (row, now))
                first, head = row, now


@pytest.mark.parametrize("path", ["votes", "corrections"])
async def test_a_request_that_is_sent_again_at_once_is_one(redis_url: str, path: str) -> None:
    """At two servers, by a client that did not wait: each of them is answered as the first."""
    body = next(body for _, target, _, body in ASKED if target == path)
    async with doors(redis_url) as d, doors(redis_url) as e:
        await begin(d, chair=["ana"])
        token = d.token("ana", session=NAME, may=["moderate"])
        async with (
            d.client(token) as here,
            e.client(token) as there,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            await _prepare(here, bo, "")
            key = {"Idempotency-Key": "once"}
            asking = [
                client.post(f"{PATH}/{path}", json=body, headers=key)
                for client in (here, there) * 4
            ]
            for response in await asyncio.gather(*asking):
                assert response.is_success, response.text


async def test_a_key_that_was_used_for_something_else_is_a_conflict(redis_url: str) -> None:
    """A ballot for another option is not taken for the one that was cast."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.token("bo", session=NAME)) as bo,
        ):
            await _prepare(ana, bo, "vote")
            for choice, outcome in (("accept", ""), ("reject", "conflict"), ("accept", "")):
                response = await ana.post(
                    f"{PATH}/votes/V1/ballots", json={"choice": [choice]},
                    headers={"Idempotency-Key": "mine"},
                )  # fmt: skip
                assert ("" if response.is_success else slug(response)) == outcome


async def test_two_keys_or_tokens_of_one_request_are_none(redis_url: str) -> None:
    """Which of them counts would be a guess."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            keys = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
            for path in ("messages", "goals"):
                body = {"content": "Aye."} if path == "messages" else {"title": "A light"}
                response = await ana.post(f"{PATH}/{path}", json=body, headers=keys)
                assert (response.status_code, slug(response)) == (400, "malformed")
                assert "Idempotency-Key" in response.json()["detail"]
        assert (await d.deps.backend.bus.info(NAME)).n == 0
        tokens = [("Authorization", f"Bearer {d.token(name)}") for name in ("ana", "bo")]
        pages = [("Origin", d.url), ("Origin", "https://evil.example")]
        async with d.client() as nobody:
            for both in (tokens, pages):
                assert slug(await nobody.get("/v1/me", headers=both)) == "malformed"
