"""Other words for one's own last message: who may, until when, and what everybody is shown."""

from __future__ import annotations

import pytest
from httpx2 import AsyncClient, Response

from parley.listeners.sessions.session import Session
from parley.memory.errors import EditRefused
from parley.server.http.tokens.bearer_tokens import Role
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug

LIGHT = {"content": "I propose a light at the pier."}


def client(d: Standing, name: str, role: Role = "person") -> AsyncClient:
    return d.client(d.token(name, role=role, session=NAME))


async def edited(ana: AsyncClient, n: int, content: str, key: str = "") -> Response:
    headers = {"Idempotency-Key": key} if key else {}
    return await ana.put(f"{PATH}/messages/{n}", json={"content": content}, headers=headers)


async def test_ones_own_last_words_are_edited_and_taken_back(redis_url: str) -> None:
    """The proposal has the new ones under its handle; others' sides say that they came before."""
    async with doors(redis_url) as d:
        await begin(d)
        async with client(d, "ana") as ana, client(d, "bo") as bo:
            await ana.post(f"{PATH}/messages", json=LIGHT)
            await bo.post(f"{PATH}/messages", json={"content": "Yes", "act": "support", "re": "P1"})
            receipt = await edited(ana, 1, "I propose two lights at the pier.", "once")
            assert receipt.status_code == 201
            assert receipt.json()["n"] == 3
            again = await edited(ana, 1, "I propose two lights at the pier.", "once")
            assert (again.status_code, again.json()["duplicate"]) == (200, True)
            proposals = (await ana.get(f"{PATH}/proposals")).json()["items"]
            (reaction,) = proposals[0]["reactions"]
            assert "two lights" in proposals[0]["text"]
            assert (reaction["before_edit"], reaction["counted"]) == (True, False)
            board = (await ana.get(f"{PATH}/view")).json()
            assert board["edited"] == {"1": [3, "ana"]}
            assert board["proposals"][0]["before_edit"] == ["bo"]
            before = (await ana.get(f"{PATH}/view", params={"at": 2})).json()
            assert before["edited"] == {}
            assert "a light" in before["proposals"][0]["text"]
            minutes = (await ana.get(f"{PATH}/minutes", params={"format": "md"})).text
            assert "before the edit" in minutes
            assert (await edited(ana, 1, "")).status_code == 201
            (proposal,) = (await ana.get(f"{PATH}/proposals")).json()["items"]
            assert proposal["status"] == "withdrawn"
            talk = (await ana.get(f"{PATH}/messages")).json()["items"]
            assert [row["entry"]["kind"] for row in talk].count("message.edited") == 2
            assert talk[0]["entry"]["content"] == LIGHT["content"]


async def test_nobody_edits_what_is_not_theirs_to_edit(redis_url: str) -> None:
    """Another's words, older ones of one's own, and those that a vote rests on."""
    async with doors(redis_url) as d:
        await begin(d)
        async with client(d, "ana") as ana, client(d, "bo") as bo:
            await ana.post(f"{PATH}/messages", json=LIGHT)
            refused = await edited(bo, 1, "Nothing")
            assert (refused.status_code, slug(refused)) == (409, "refused")
            assert "somebody else wrote it" in refused.json()["detail"]
            assert slug(await edited(ana, 9, "Nothing")) == "no-message"
            raw = {"entries": [{"kind": "message.edited", "of": 1, "content": "Nothing"}]}
            assert (await bo.post(f"{PATH}/entries", json=raw)).status_code == 422
            call = {"question": "Shall we?", "proposal": "P1"}
            assert (await bo.post(f"{PATH}/votes", json=call)).status_code == 201
            refused = await edited(ana, 1, "Nothing")
            assert "P1 was put to a vote" in refused.json()["detail"]
            await bo.post(f"{PATH}/messages", json={"content": "Hm."})
            await bo.post(f"{PATH}/messages", json={"content": "Well."})
            newest = (await bo.get(PATH)).json()["n"]
            refused = await edited(bo, newest - 1, "No")
            assert "you have spoken since" in refused.json()["detail"]
            assert (await edited(bo, newest, "Well, well.")).status_code == 201
            assert (await edited(bo, newest, "")).status_code == 201
            assert (await edited(bo, newest - 1, "No")).status_code == 201  # now it is the last


async def test_a_program_edits_as_well_and_an_agent_in_turns_does_not(redis_url: str) -> None:
    """`Session.edit` gives the edit's number; out of its turn an agent says nothing at all."""
    async with doors(redis_url) as d:
        await begin(d)
        async with Session.connect(redis_url, NAME, "cy", role="person") as cy:
            n = await cy.say("I propose a bell.")
            edit = await cy.edit(n, "I propose a loud bell.", id="once")
            assert await cy.edit(n, "I propose a loud bell.", id="once") == edit > n
            assert "loud" in cy.memory.proposals[1].text
        async with d.client(d.operator()) as chair:
            settings = {"settings": {"floor": {"policy": "bid"}}}
            assert (await chair.patch(f"{PATH}/settings", json=settings)).status_code < 300
        async with client(d, "dee", "agent") as dee:
            assert slug(await edited(dee, n, "Nothing")) == "floor-required"
        async with Session.connect(redis_url, NAME, "eli", role="agent") as eli:
            with pytest.raises(EditRefused, match="in its turn"):
                await eli.edit(n, "Nothing")
