"""Agents that speak HTTP alone, under a floor: they are waited for, and told what is in the way."""

from __future__ import annotations

import re
import time

import anyio
import httpx2
import pytest

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.servers.patience import PATIENCE


async def test_three_agents_come_to_a_decision_in_their_own_time(redis_url: str) -> None:
    """Slower by far than those who evaluate by themselves; it is open until all is said."""
    async with doors(redis_url) as d, anyio.create_task_group() as group:
        await begin(d, floor={"policy": "bid", "evaluation_ms": 100, "lease_ms": 60_000})
        agents = {}
        for name in ("ana", "ben", "cy"):
            token = d.token(name, role="agent", session=NAME, may=["vote"])
            client = agents[name] = d.client(token)
            seat = (await client.post(f"{PATH}/seats", json={})).json()
            assert seat["listens"] == "speaks"
        await anyio.sleep(1)  # ten times what a listener has
        message = {"content": "I propose a lamp at the pier.", "act": "propose"}
        assert (await agents["ana"].post(f"{PATH}/messages", json=message)).status_code == 201
        await anyio.sleep(0.5)
        yes = {"content": "Yes, it is dark there.", "act": "support", "re": "P1"}
        aside = {"content": "Who has the key to the shed?"}
        for name, body in (("ben", yes), ("cy", aside)):  # at once: in turn, both are heard
            group.start_soon(_said, agents[name], body)
        with anyio.fail_after(PATIENCE):
            while (await agents["ana"].get(PATH)).json()["n"] < 3:
                await anyio.sleep(0.05)
        call = {"question": "A lamp?", "proposal": "P1"}
        assert (await agents["ana"].post(f"{PATH}/votes", json=call)).status_code == 201
        refused = await agents["cy"].post(f"{PATH}/messages?wait=0", json={"content": "Wait."})
        assert (refused.status_code, slug(refused)) == (409, "floor-not-granted")
        because = refused.json()["because"]
        assert because.startswith("vote V1 is open and waits for ana, ben, cy until 20")
        assert because.endswith("; cast a ballot with POST …/votes/V1/ballots, or the tool vote")
        floor = (await agents["cy"].get(f"{PATH}/floor")).json()
        assert (floor["holder"], floor["vote"]) == (None, "V1")
        assert floor["because"] in because
        for client in agents.values():
            ballot = {"choice": ["accept"]}
            answer = await client.post(f"{PATH}/votes/V1/ballots", json=ballot)
            assert answer.status_code == 201, answer.text
        assert (await agents["cy"].get(PATH)).json()["status"] == "open"
        (decision,) = (await agents["cy"].get(f"{PATH}/decisions")).json()["items"]
        assert (decision["status"], decision["resolves"]) == ("ratified", "P1")
        for client in agents.values():
            await client.aclose()


async def _said(client: httpx2.AsyncClient, body: dict[str, str]) -> None:
    answer = await client.post(f"{PATH}/messages", json=body)
    assert answer.status_code == 201, answer.text


async def test_who_waited_in_vain_is_waited_for(redis_url: str) -> None:
    """The bid is gone, and it has not passed: it is told who has the floor, and until when."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid", "lease_ms": 60_000})
        ana = d.client(d.token("ana", role="agent", session=NAME))
        bo = d.client(d.token("bo", role="agent", session=NAME))
        async with ana, bo:
            for client in (ana, bo):
                await client.post(f"{PATH}/seats", json={"answer_seconds": 30})
            await ana.post(f"{PATH}/floor/bids", json={})
            with anyio.fail_after(PATIENCE):
                while (await ana.get(f"{PATH}/floor")).json()["holder"] != "ana":
                    await anyio.sleep(0.02)
            begun = time.monotonic()
            refused = await bo.post(f"{PATH}/messages?wait=1", json={"content": "And I?"})
            assert time.monotonic() - begun < PATIENCE
            assert refused.json()["because"].startswith("ana has the floor until 20")
            floor = (await bo.get(f"{PATH}/floor")).json()
            assert (floor["bids"], floor["passed"]) == ([], [])


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"content": "Hear me.", "wait": 20}, "wait", "?wait="),
        ({"contents": "Hear me."}, None, "did you mean content?"),
        ({"content": "Hear me.", "acts": "propose"}, None, "did you mean act?"),
        ({"content": "Hear me.", "zzz": 1}, None, "it takes as, content, act, re, to, topic, at"),
    ],
)
async def test_a_field_that_is_none_is_named(
    redis_url: str, body: dict[str, object], field: str | None, words: str
) -> None:
    """Where it belongs, or what is near it: in words of our own."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME)) as ana:
            refused = await ana.post(f"{PATH}/messages", json=body)
            assert (refused.status_code, slug(refused)) == (422, "invalid")
            problem = refused.json()
            assert problem.get("field") == field
            assert words in problem["detail"]
            assert "zzz" not in refused.text


_UNTIL = r"until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"


async def test_who_asks_how_the_floor_stands_is_told_as_who_is_refused(redis_url: str) -> None:
    """The same words and time for whoever has not got it, and its own end for who has."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid", "lease_ms": 60_000})
        ana = d.client(d.token("ana", role="agent", session=NAME))
        bo = d.client(d.token("bo", role="agent", session=NAME))
        async with ana, bo:
            for client in (ana, bo):
                await client.post(f"{PATH}/seats", json={"answer_seconds": 30})
            free = (await bo.get(f"{PATH}/floor")).json()
            assert (free["because"], free["until"]) == (None, None)
            taken = (await ana.post(f"{PATH}/floor/bids", json={})).json()
            assert taken["holder"] == "ana"
            assert re.fullmatch(f"you have the floor {_UNTIL}: say it, or pass", taken["because"])
            assert taken["until"] in taken["because"]
            seen = (await bo.get(f"{PATH}/floor")).json()
            assert re.fullmatch(f"ana has the floor {_UNTIL}; say it again then", seen["because"])
            assert seen["until"] in seen["because"]
            refused = await bo.post(f"{PATH}/messages?wait=0", json={"content": "And I?"})
            words = re.sub(_UNTIL, "", refused.json()["because"])
            assert words == re.sub(_UNTIL, "", seen["because"])


async def test_a_bid_outlives_a_message_that_was_refused(redis_url: str) -> None:
    """It was made before, and stands until the floor is granted for it; the message's own goes."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid", "lease_ms": 60_000})
        ana = d.client(d.token("ana", role="agent", session=NAME))
        bo = d.client(d.token("bo", role="agent", session=NAME))
        async with ana, bo:
            for client in (ana, bo):
                await client.post(f"{PATH}/seats", json={"answer_seconds": 30})
            await ana.post(f"{PATH}/floor/bids", json={})
            asked = (await bo.post(f"{PATH}/floor/bids", json={"urgency": 2})).json()
            assert [bid["participant"] for bid in asked["bids"]] == ["bo"]
            for wait in (0, 1):
                refused = await bo.post(f"{PATH}/messages?wait={wait}", json={"content": "And I?"})
                assert (refused.status_code, slug(refused)) == (409, "floor-not-granted")
                bids = (await bo.get(f"{PATH}/floor")).json()["bids"]
                assert [(bid["participant"], bid["urgency"]) for bid in bids] == [("bo", 2)]
            assert (await ana.post(f"{PATH}/floor/passes", json={})).status_code == 201
            with anyio.fail_after(PATIENCE):
                while (await bo.get(f"{PATH}/floor")).json()["holder"] != "bo":
                    await anyio.sleep(0.02)


async def test_an_urgency_that_is_none_is_told_both_ends(redis_url: str) -> None:
    """Whether it is too little or too much."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid"})
        async with d.client(d.token("ana", role="agent", session=NAME)) as ana:
            await ana.post(f"{PATH}/seats", json={})
            for urgency in (-1, 4):
                refused = await ana.post(f"{PATH}/floor/bids", json={"urgency": urgency})
                assert refused.json()["detail"].endswith("Input should be 0 to 3."), refused.text


async def test_what_is_no_option_is_told_so_in_a_sentence(redis_url: str) -> None:
    """What was sent is not said back, and nothing stands for it."""
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.token("ana", session=NAME, may=["vote"])) as ana:
            said = {"content": "I propose a lamp at the pier.", "act": "propose"}
            assert (await ana.post(f"{PATH}/messages", json=said)).status_code == 201
            call = {"question": "A lamp?", "proposal": "P1"}
            called = await ana.post(f"{PATH}/votes", json=call)
            assert called.status_code == 201, called.text
            refused = await ana.post(f"{PATH}/votes/V1/ballots", json={"choice": ["perhaps"]})
            assert refused.json()["detail"].startswith("That is no option of V1; they are ")
