"""The floor over HTTP: seats, bids, grants, mutes, phases; who may and who may not."""

from __future__ import annotations

import pytest

from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.servers.patience import wait_until


async def test_a_seat_is_taken_once_and_given_up(redis_url: str) -> None:
    """In the token's role, with its powers; whoever sits is among the participants."""
    async with doors(redis_url) as d:
        await begin(d)
        token = d.token("bot", role="agent", session=NAME, may=["support", "vote"])
        async with d.client(token) as bot:
            body = {"description": "on lights", "interests": ["light"]}
            taken = await bot.post(f"{PATH}/seats", json=body)
            assert taken.status_code == 201, taken.text
            assert (taken.json()["seat"], taken.json()["role"]) == ("bot", "agent")
            assert (await bot.post(f"{PATH}/seats", json=body)).json()["seat"] == "bot"
            (row,) = (await bot.get(f"{PATH}/participants")).json()["items"]
            assert (row["name"], row["role"], row["present"]) == ("bot", "agent", True)
            assert row["may"] == ["support", "vote"]
            joins = (await bot.get(f"{PATH}/entries")).json()["items"][1:]
            assert [join["entry"]["kind"] for join in joins] == ["participant.joined"]
            assert (await bot.delete(f"{PATH}/seats/me")).status_code == 204
            (row,) = (await bot.get(f"{PATH}/participants")).json()["items"]
            assert not row["present"]
            assert (await bot.delete(f"{PATH}/seats/me")).status_code == 204
        async with d.client(d.operator()) as operator:
            assert slug(await operator.post(f"{PATH}/seats", json={})) == "forbidden"


async def test_an_agent_bids_and_passes_from_its_seat(redis_url: str) -> None:
    """Without one it does neither; while the floor is paused the bid stands."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid"}, chair=["ana"])
        ana_token = d.token("ana", session=NAME, may=["moderate"])
        async with (
            d.client(d.token("bot", role="agent", session=NAME)) as bot,
            d.client(ana_token) as ana,
        ):
            assert slug(await bot.post(f"{PATH}/floor/bids", json={})) == "floor-required"
            assert slug(await bot.post(f"{PATH}/floor/passes", json={})) == "floor-required"
            assert (await ana.post(f"{PATH}/floor/pause")).status_code == 201
            await bot.post(f"{PATH}/seats", json={})
            bid = await bot.post(f"{PATH}/floor/bids", json={"urgency": 2, "intent": "ask"})
            assert bid.status_code == 201, bid.text

            async def stands() -> bool:
                floor = (await ana.get(f"{PATH}/floor")).json()
                return [bid["participant"] for bid in floor["bids"]] == ["bot"]

            await wait_until(stands)
            passed = await bot.post(f"{PATH}/floor/passes", json={"ready": True})
            assert passed.status_code == 201
            floor = (await ana.get(f"{PATH}/floor")).json()
            assert (floor["passed"], floor["bids"]) == (["bot"], [])
            assert floor["seats"][0]["name"] == "bot"


@pytest.mark.parametrize("ready", [False, True])
async def test_who_has_the_floor_and_passes_gives_it_back(redis_url: str, ready: bool) -> None:
    """At once, not when its lease ends; `ready` stands until something new is said."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "moderated"}, chair=["ana"])
        async with (
            d.client(d.token("bot", role="agent", session=NAME)) as bot,
            d.client(d.token("ana", session=NAME, may=["moderate"])) as ana,
        ):
            await bot.post(f"{PATH}/seats", json={})
            await ana.post(f"{PATH}/floor/grant", json={"participant": "bot"})
            passed = await bot.post(f"{PATH}/floor/passes", json={"ready": ready})
            assert passed.status_code == 201, passed.text
            floor = (await ana.get(f"{PATH}/floor")).json()
            assert (floor["holder"], "bot" in floor["passed"]) == (None, ready)


async def test_a_chair_grants_interrupts_and_mutes(redis_url: str) -> None:
    """Each is an entry in its name; what makes no sense then is refused without echo."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "moderated"}, chair=["ana"])
        async with (
            d.client(d.token("bot", role="agent", session=NAME)) as bot,
            d.client(d.token("ana", session=NAME, may=["moderate"])) as ana,
        ):
            await bot.post(f"{PATH}/seats", json={})
            granted = await ana.post(f"{PATH}/floor/grant", json={"participant": "bot"})
            assert granted.status_code == 201, granted.text
            assert (await ana.get(f"{PATH}/floor")).json()["holder"] == "bot"
            twice = await ana.post(f"{PATH}/floor/grant", json={"participant": "bot"})
            assert (twice.status_code, slug(twice)) == (422, "refused")
            assert (await ana.post(f"{PATH}/floor/interrupt", json={})).status_code == 201
            assert (await ana.get(f"{PATH}/floor")).json()["holder"] is None
            assert slug(await ana.post(f"{PATH}/floor/interrupt")) == "refused"
            await ana.post(f"{PATH}/floor/mute", json={"participant": "bot"})
            assert (await ana.get(f"{PATH}/floor")).json()["muted"] == ["bot"]
            await ana.post(f"{PATH}/floor/unmute", json={"participant": "bot"})
            assert (await ana.get(f"{PATH}/floor")).json()["muted"] == []
            nobody = await ana.post(f"{PATH}/floor/mute", json={"participant": "canary"})
            assert (nobody.status_code, slug(nobody)) == (422, "refused")
            assert "canary" not in nobody.text
            for what in ("grant", "mute", "unmute"):
                whom = await ana.post(f"{PATH}/floor/{what}", json={})
                assert (slug(whom), whom.json()["field"]) == ("invalid", "participant")
            named = await ana.post(f"{PATH}/floor/interrupt", json={"participant": "bot"})
            assert (slug(named), named.json()["field"]) == ("invalid", "participant")
            phase = await ana.post(f"{PATH}/phases", json={"title": "Closing words"})
            assert phase.status_code == 201
            entries = (await ana.get(f"{PATH}/entries")).json()["items"]
            slugs = [
                (entry["entry"]["kind"], entry["entry"].get("by")) for entry in entries
                if entry["entry"]["kind"] in ("floor.granted", "floor.released", "floor.muted")
            ]  # fmt: skip
            kinds = ("floor.granted", "floor.released", "floor.muted", "floor.muted")
            assert slugs == [(kind, "ana") for kind in kinds]


@pytest.mark.parametrize(
    "what", ["grant", "interrupt", "mute", "unmute", "pause", "resume", "phases"]
)
async def test_both_the_token_and_the_session_have_to_allow_it(redis_url: str, what: str) -> None:
    """A token without the capability is refused, and so is one that the session does not know."""
    async with doors(redis_url) as d:
        await begin(d)
        path = f"{PATH}/phases" if what == "phases" else f"{PATH}/floor/{what}"
        about = {"grant", "mute", "unmute"}
        body = {"title": "x"} if what == "phases" else {}
        body = {"participant": "ana"} if what in about else body
        for token in (
            d.token("ana", session=NAME),
            d.token("ana", session=NAME, may=["moderate"]),
            d.token("bot", role="agent", session=NAME),
            d.token("eve", role="observer", session=NAME, may=["moderate"]),
        ):
            async with d.client(token) as client:
                refused = await client.post(path, json=body)
                assert (refused.status_code, slug(refused)) == (403, "forbidden")


async def test_an_operators_own_word_is_the_servers(redis_url: str) -> None:
    """It needs nobody's capability; as somebody, it needs theirs."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        async with d.client(d.operator()) as operator:
            assert (await operator.post(f"{PATH}/floor/pause")).status_code == 201
            assert (await operator.get(f"{PATH}/floor")).json()["paused"]
            resumed = await operator.post(f"{PATH}/floor/resume", json={"as": "ana"})
            assert resumed.status_code == 201
            assert (await operator.get(f"{PATH}/floor")).json()["paused"] is None
            assert slug(await operator.post(f"{PATH}/floor/pause", json={"as": "bo"})) == (
                "forbidden"
            )
            assert (await operator.post(f"{PATH}/phases", json={"title": "One"})).status_code == 201


async def test_an_agent_does_not_speak_from_a_persons_seat(redis_url: str) -> None:
    """Whoever bears the name: the floor binds agents, and their seats are their own."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "moderated"})
        async with (
            d.client(d.token("bo", session=NAME)) as person,
            d.client(d.token("bo", session=NAME, role="agent")) as agent,
        ):
            assert (await person.post(f"{PATH}/seats", json={})).status_code == 201
            for path, body in (("seats", {}), ("messages", {"content": "Me first."})):
                answer = await agent.post(f"{PATH}/{path}", json=body)
                assert (answer.status_code, slug(answer)) == (409, "seat-taken"), path


async def test_a_muted_agent_is_not_heard_under_any_policy(redis_url: str) -> None:
    """Neither by a message nor in a batch, seated or not; its ballots and its work are taken."""
    async with doors(redis_url) as d:
        await begin(d, chair=["ana"])
        async with (
            d.client(d.token("bot", role="agent", session=NAME)) as bot,
            d.client(d.token("ana", session=NAME, may=["moderate"])) as ana,
        ):
            for client in (bot, ana):
                await client.post(f"{PATH}/seats", json={})
            key = {"Idempotency-Key": "before"}
            first = await bot.post(f"{PATH}/messages", json={"content": "Aye."}, headers=key)
            for name in ("bot", "ana"):
                response = await ana.post(f"{PATH}/floor/mute", json={"participant": name})
                assert response.status_code == 201
            for _ in range(2):
                rows = {"entries": [{"content": "Me too."}]}
                for path, body in (("messages", {"content": "Me too."}), ("entries", rows)):
                    response = await bot.post(f"{PATH}/{path}", json=body)
                    assert slug(response) == "floor-not-granted", path
                    assert "muted" in response.json()["detail"]
                await bot.delete(f"{PATH}/seats/me")
            again = await bot.post(f"{PATH}/messages", json={"content": "Aye."}, headers=key)
            assert again.json() == {**first.json(), "duplicate": True}
            assert (await bot.post(f"{PATH}/goals", json={"title": "A light"})).status_code == 201
            assert (await ana.post(f"{PATH}/messages", json={"content": "No."})).status_code == 201
            await ana.post(f"{PATH}/floor/unmute", json={"participant": "bot"})
            assert (await bot.post(f"{PATH}/messages", json={"content": "Now."})).is_success
