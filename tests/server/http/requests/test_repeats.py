"""Requests that are sent again under their key, after what they did was done."""

from __future__ import annotations

import pytest

from parley.server.http.tokens.bearer_tokens import Role
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug


@pytest.mark.parametrize("whose", ["a chair's", "the server's"])
async def test_a_floor_that_was_granted_or_taken_is_not_refused_again(
    redis_url: str, whose: str
) -> None:
    """Whoever did not hear the answer hears it then; for another the key is used up."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "moderated"}, chair=["ana"])
        chair = d.token("ana", session=NAME, may=["moderate"])
        async with d.client(chair if whose == "a chair's" else d.operator()) as ana:
            for name in ("bot", "cy"):
                async with d.client(d.token(name, role="agent", session=NAME)) as agent:
                    await agent.post(f"{PATH}/seats", json={})
            for what, body in (("grant", {"participant": "bot"}), ("interrupt", {})):
                key = {"Idempotency-Key": what}
                first = await ana.post(f"{PATH}/floor/{what}", json=body, headers=key)
                assert first.status_code == 201, first.text
                again = await ana.post(f"{PATH}/floor/{what}", json=body, headers=key)
                assert again.status_code == 200, again.text
                assert again.json() == {**first.json(), "duplicate": True}
            for what, body in (("grant", {"participant": "cy"}), ("interrupt", {})):
                other = await ana.post(
                    f"{PATH}/floor/{what}", json=body, headers={"Idempotency-Key": "grant"}
                )
                assert slug(other) == "conflict"


async def test_a_result_is_told_again_after_its_task_was_closed(redis_url: str) -> None:
    """It stands where it stood."""
    async with doors(redis_url) as d:
        await begin(d)
        key = {"Idempotency-Key": "t"}
        body = {"tool": "tide", "result": "low", "of": "E1"}
        async with d.client(d.token("ana", session=NAME)) as ana:
            await ana.post(f"{PATH}/goals", json={"title": "See at night"})
            first = await ana.post(f"{PATH}/tools/results", json=body, headers=key)
            assert first.status_code == 201, first.text
            await ana.post(f"{PATH}/goals/E1/close", json={})
            again = await ana.post(f"{PATH}/tools/results", json=body, headers=key)
            assert again.json() == {**first.json(), "duplicate": True}
            new = await ana.post(f"{PATH}/tools/results", json=body)
            assert slug(new) == "refused"


async def test_a_task_that_was_closed_is_told_again_as_what_it_was(redis_url: str) -> None:
    """Also where memory let go of it: its title and kind are as they were told first."""
    async with doors(redis_url) as d:
        await begin(d, limits={"archive": {"items": 0}})
        key = {"Idempotency-Key": "t"}
        async with d.client(d.token("ana", session=NAME)) as ana:
            await ana.post(f"{PATH}/tasks", json={"title": "Find a lamp"})
            first = await ana.post(f"{PATH}/tasks/E1/close", json={}, headers=key)
            assert first.json()["title"] == "Find a lamp"
            again = await ana.post(f"{PATH}/tasks/E1/close", json={}, headers=key)
            assert again.json() == first.json()


@pytest.mark.parametrize("role", ["person", "agent"])
async def test_a_word_on_an_item_that_was_struck_since_is_told_again(
    redis_url: str, role: Role
) -> None:
    """It stands where it stood; a new one is for nothing."""
    async with doors(redis_url) as d:
        await begin(d)
        key = {"Idempotency-Key": "t"}
        body = {"content": "Yes.", "act": "support", "re": "P1"}
        async with (
            d.client(d.token("ana", role=role, session=NAME)) as ana,
            d.client(d.operator()) as operator,
        ):
            await ana.post(f"{PATH}/messages", json={"content": "I propose a light."})
            first = await ana.post(f"{PATH}/messages", json=body, headers=key)
            assert first.status_code == 201, first.text
            struck = {"ref": "P1", "op": "retract", "as": "bo"}
            done = await operator.post(f"{PATH}/corrections", json=struck)
            assert done.status_code == 201, done.text
            again = await ana.post(f"{PATH}/messages", json=body, headers=key)
            assert again.status_code == 200, again.text
            assert again.json() == {**first.json(), "duplicate": True}
            assert slug(await ana.post(f"{PATH}/messages", json=body)) == "no-item"
