"""Sessions over HTTP: opened, listed, closed, moved about as files, forked, removed."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from parley.bus.sessions.session_file import with_checksum
from parley.listeners.sessions.shipped_packs import shipped_packs
from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.doors.sse import streamed


@asynccontextmanager
async def opened(
    redis_url: str, **body: object
) -> AsyncIterator[tuple[Standing, httpx2.AsyncClient]]:
    """A server, and an operator that has opened a session on it."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        made = await operator.post("/v1/sessions", json={"session": NAME, **body})
        assert made.status_code == 201, made.text
        yield d, operator


async def test_a_session_is_opened_with_what_was_asked_for(redis_url: str) -> None:
    """Title, preset and settings are in its first entry, and in what it tells of itself."""
    tree = {"goal": "Light the pier.", "summary": {"interval": 4}}
    async with opened(redis_url, title="The pier", preset="experiment", settings=tree) as (
        _,
        client,
    ):
        state = (await client.get(f"/v1/sessions/{NAME}")).json()
        assert (state["title"], state["preset"]) == ("The pier", "experiment")
        assert (state["goal"], state["status"], state["n"]) == ("Light the pier.", "open", 0)
        (first,) = (await client.get(f"/v1/sessions/{NAME}/entries")).json()["items"]
        assert first["entry"]["settings"]["summary"]["interval"] == 4


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"session": "../x"}, "session"),
        ({"session": "a", "preset": "nothing"}, "preset"),
        ({"session": "a", "scenario": "/etc/hostname"}, "scenario"),
        ({"session": "a", "titel": "x"}, None),
    ],
)
async def test_an_opening_that_makes_no_sense_names_the_field(
    redis_url: str, body: dict[str, object], field: str | None
) -> None:
    """And nothing is opened; a key that is none is not said again."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        refused = await client.post("/v1/sessions", json=body)
        assert (refused.status_code, slug(refused)) == (422, "invalid")
        assert refused.json().get("field") == field
        assert "titel" not in refused.text
        assert (await client.get("/v1/sessions")).json()["items"] == []


async def test_a_setting_that_is_none_is_refused_before_anything_is_opened(redis_url: str) -> None:
    """The fold would refuse it for good: it is refused at the door."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        for value in (-1, True, "5", 5.0):
            tree = {"summary": {"interval": value}}
            refused = await client.post("/v1/sessions", json={"session": NAME, "settings": tree})
            assert (refused.status_code, slug(refused)) == (422, "refused"), value
        assert (await client.get(f"/v1/sessions/{NAME}")).status_code == 404


async def test_a_name_is_taken_once(redis_url: str) -> None:
    """The second opening is refused."""
    async with opened(redis_url) as (_, client):
        again = await client.post("/v1/sessions", json={"session": NAME})
        assert (again.status_code, slug(again)) == (409, "exists")


async def test_a_token_of_one_session_lists_that_one(redis_url: str) -> None:
    """Others are not told of."""
    async with opened(redis_url) as (d, client):
        await client.post("/v1/sessions", json={"session": "other", "title": "Another"})
        rows = (await client.get("/v1/sessions")).json()["items"]
        assert {row["session"]: row["title"] for row in rows} == {NAME: None, "other": "Another"}
        async with d.client(d.token("ana", session="other")) as ana:
            assert [r["session"] for r in (await ana.get("/v1/sessions")).json()["items"]] == [
                "other"
            ]
            assert slug(await ana.get(f"/v1/sessions/{NAME}")) == "other-session"


async def test_pages_of_sessions_go_on_where_the_last_ended(redis_url: str) -> None:
    """Each session is on one page."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        for k in range(5):
            await client.post("/v1/sessions", json={"session": f"s{k}"})
        seen: list[str] = []
        at: int | None = 0
        while at is not None:
            page = (await client.get("/v1/sessions", params={"offset": at, "limit": 2})).json()
            seen += [row["session"] for row in page["items"]]
            at = page["next"]
        assert sorted(seen) == [f"s{k}" for k in range(5)]


async def test_who_may_close_it_closes_it_with_its_totals(redis_url: str) -> None:
    """A person without the capability may not; afterwards nothing more is taken."""
    async with (
        doors(redis_url) as d,
        d.client(d.token("ana", session=NAME, may=["close"])) as ana,
        d.client(d.token("bo", session=NAME)) as bo,
        d.client(d.token("cy", session=NAME, may=["close"])) as cy,
    ):
        await begin(d, chair=["ana"])
        await bo.post(f"/v1/sessions/{NAME}/messages", json={"content": "Hello."})
        path = f"/v1/sessions/{NAME}/close"
        assert slug(await bo.post(path, json={})) == "forbidden"
        assert slug(await cy.post(path, json={})) == "forbidden"  # the session gives it none
        closed = await ana.post(path, json={"reason": "settled"})
        assert (closed.status_code, closed.json()["closed"]) == (200, "settled")
        late = await bo.post(f"/v1/sessions/{NAME}/messages", json={"content": "Wait."})
        assert slug(late) == "closed"
        last = (await bo.get(f"/v1/sessions/{NAME}/entries")).json()["items"][-1]["entry"]
        assert (last["by"], last["totals"]["messages"]) == ("ana", 1)


async def test_a_session_goes_round_by_export_and_import(redis_url: str) -> None:
    """Byte for byte; under its name it is refused until it is to be replaced."""
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        await client.post(f"{path}/messages", json={"content": "Light.", "as": "ana"})
        file = await client.get(f"{path}/export")
        assert f'filename="{NAME}.session.json"' in file.headers["content-disposition"]
        there = await client.put(f"{path}/import", content=file.content)
        assert slug(there) == "exists"
        again = await client.put(f"{path}/import?replace=true", content=file.content)
        assert (again.status_code, again.json()["n"]) == (201, 1)
        assert again.json()["origin"] == "import"
        copy = await client.put("/v1/sessions/copy/import", content=file.content)
        assert copy.status_code == 201
        exported = (await client.get("/v1/sessions/copy/export")).json()
        assert exported["entries"] == file.json()["entries"]
        cut = await client.put("/v1/sessions/cut/import", content=file.content[:-40])
        assert (cut.status_code, slug(cut)) == (422, "bad-file")


async def test_a_file_that_cannot_be_read_here_replaces_nothing(redis_url: str) -> None:
    """Its patterns are not known: what stands there would be lost for what only fails."""
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        await client.post(f"{path}/messages", json={"content": "Light.", "as": "ana"})
        body = (await client.get(f"{path}/export")).content.rpartition(b',"checksum"')[0]
        named = re.search(rb'"hash":"([0-9a-f]{32})"', body)
        assert named is not None
        foreign = with_checksum(body.replace(named[1], b"0" * 32))
        refused = await client.put(f"{path}/import?replace=true", content=foreign)
        assert (refused.status_code, slug(refused)) == (409, "refused")
        assert (await client.get(path)).json()["n"] == 1
        again = await client.put(f"{path}/import?replace=true", content=with_checksum(body))
        assert again.status_code == 201


@pytest.mark.parametrize("name", ["parley", " Parley", "\\u0070arley"])
async def test_a_file_that_speaks_as_the_server_replaces_nothing(redis_url: str, name: str) -> None:
    """Readers would take the words for the server's."""
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        await client.post(f"{path}/messages", json={"content": "Light.", "as": "ana"})
        body = (await client.get(f"{path}/export")).content.rpartition(b',"checksum"')[0]
        as_server = body.replace(b'"participant":"ana"', f'"participant":"{name}"'.encode())
        forged = with_checksum(as_server)
        refused = await client.put(f"{path}/import?replace=true", content=forged)
        assert (refused.status_code, slug(refused)) == (422, "bad-file")
        assert (await client.get(path)).json()["origin"] is None


@pytest.mark.parametrize(
    ("pattern", "most"),
    [(r"(?:\pL{1,99}a){1,10}", "5,000"), (r"\pL{1,9}a", "5,000"), (r"\pL{1,2}a", "20,000")],
)
async def test_a_file_whose_patterns_cost_much_replaces_nothing(
    redis_url: str, pattern: str, most: str
) -> None:
    """One that is too large, and many that are together; the session is not opened for them."""
    rules = [{"name": f"r{k}", "act": "decide", "pattern": f"{pattern}{k}"} for k in range(16)]
    pack = {"name": "own@1", "rules": rules}
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        body = (await client.get(f"{path}/export")).content.rpartition(b',"checksum"')[0]
        ref = {"name": "own@1", "hash": "0" * 32, "pack": pack}
        costly = body.replace(b'"packs":[', b'"packs":[' + json.dumps(ref).encode() + b",", 1)
        assert costly != body
        refused = await client.put(f"{path}/import?replace=true", content=with_checksum(costly))
        assert (refused.status_code, slug(refused)) == (422, "refused")
        assert f"{most} instructions of RE2" in refused.json()["detail"]
        assert (await client.get(path)).json()["origin"] is None


async def test_a_file_that_brings_a_pack_of_this_server_is_taken(redis_url: str) -> None:
    """However much its patterns cost: they are compiled here anyway."""
    hebrew = next(pack for pack in shipped_packs() if pack.name == "he@1").to_json()
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        body = (await client.get(f"{path}/export")).content.rpartition(b',"checksum"')[0]
        ref = {"name": "he@1", "hash": "0" * 32, "pack": hebrew}
        whole = body.replace(b'"packs":[', b'"packs":[' + json.dumps(ref).encode() + b",", 1)
        taken = await client.put(f"{path}/import?replace=true", content=with_checksum(whole))
        assert taken.status_code == 201


async def test_a_fork_has_the_past_up_to_the_moment(redis_url: str) -> None:
    """A moment that has not come is refused, and so is its own name."""
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        for words in ("One.", "Two.", "Three."):
            await client.post(f"{path}/messages", json={"content": words, "as": "ana"})
        forked = await client.post(f"{path}/fork", json={"session": "past", "at": 2})
        assert (forked.status_code, forked.json()["n"]) == (201, 2)
        early = await client.post(f"{path}/fork", json={"session": "no", "at": 9})
        assert (early.status_code, slug(early)) == (422, "not-yet")
        assert slug(await client.post(f"{path}/fork", json={"session": NAME})) == "refused"
        assert slug(await client.post(f"{path}/fork", json={"session": "past"})) == "exists"


async def test_a_session_is_verified_and_removed(redis_url: str) -> None:
    """A sound one has no findings; a removed one is not there."""
    async with opened(redis_url) as (_, client):
        path = f"/v1/sessions/{NAME}"
        assert (await client.get(f"{path}/verify")).json() == {"sound": True, "findings": []}
        assert (await client.delete(path)).status_code == 204
        assert slug(await client.delete(path)) == "no-session"
        assert slug(await client.get(path)) == "no-session"


async def test_what_sessions_open_with_is_listed(redis_url: str) -> None:
    """Presets, scenarios and personas, to whoever has a token."""
    async with doors(redis_url) as d, d.client(d.token("ana")) as ana:
        presets = (await ana.get("/v1/presets")).json()["items"]
        assert "experiment" in {row["preset"] for row in presets}
        scenarios = (await ana.get("/v1/scenarios")).json()["items"]
        assert scenarios
        assert all(row["participants"] for row in scenarios)
        assert (await ana.get("/v1/personas")).json()["items"]
    async with doors(redis_url) as d, d.client() as nobody:
        assert slug(await nobody.get("/v1/presets")) == "token-missing"


async def test_nobody_is_taken_over_into_another_session_of_that_name(redis_url: str) -> None:
    """Whoever hears or sits in a session that is removed is told, though the next is there."""
    async with opened(redis_url, settings={"floor": {"policy": "bid"}}) as (d, operator):
        ben = d.token("ben", role="agent", session=NAME)
        async with d.client(ben) as agent:
            assert (await agent.post(f"/v1/sessions/{NAME}/seats", json={})).is_success
            async with streamed(d.url, f"/v1/sessions/{NAME}/events", ben) as stream:
                await stream.next()
                await operator.delete(f"/v1/sessions/{NAME}")
                assert d.deps.channels.current(NAME) is None
                again = {"session": NAME, "settings": {"floor": {"policy": "bid"}}}
                assert (await operator.post("/v1/sessions", json=again)).status_code == 201
                response = await agent.post(
                    f"/v1/sessions/{NAME}/messages", json={"content": "Hm."}
                )
                assert slug(response) == "floor-required"
                assert (await stream.until_end())[-1].data["reason"] == "gone"
        assert (await operator.get(f"/v1/sessions/{NAME}")).json()["participants"] == []


async def test_a_request_without_its_body_is_told_to_send_one(redis_url: str) -> None:
    """Which field is missing says nothing where all are."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await operator.post("/v1/sessions", json={"session": NAME})
        refused = await operator.post(f"/v1/sessions/{NAME}/run")
        assert slug(refused) == "media-type"
        assert "application/json" in refused.json()["detail"]


@pytest.mark.parametrize("field", ["preset", "scenario"])
async def test_a_name_that_is_none_is_told_those_that_are(redis_url: str, field: str) -> None:
    """Whoever mistypes one need not ask for the list."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        refused = (await operator.post("/v1/sessions", json={"session": "x", field: "none"})).json()
        assert (refused["field"], refused["fault"]) == (field, "unknown")
        for row in (await operator.get(f"/v1/{field}s")).json()["items"]:
            assert row[field] in refused["detail"]


async def test_a_setting_that_is_refused_is_named(redis_url: str) -> None:
    """With what it takes; a name that is none of ours is not said back."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        body = {"session": "harbour", "settings": {"floor": {"policy": "canary"}}}
        refused = (await operator.post("/v1/sessions", json=body)).json()
        assert refused["field"] == "settings.floor.policy"
        assert "'open', 'bid'" in refused["detail"]
        body = {"session": "harbour", "settings": {"floor": {"canary": 1}}}
        unknown = await operator.post("/v1/sessions", json=body)
        assert unknown.json()["field"] == "settings.floor"
        assert "canary" not in unknown.text


async def test_one_session_is_verified_at_a_time(redis_url: str) -> None:
    """Its log is held and folded twice: who asks meanwhile is told when to come again."""
    async with doors(redis_url) as d, d.client(d.operator()) as client:
        await begin(d)
        async with d.deps.verify_lock:
            busy = await client.get(f"{PATH}/verify")
            assert (busy.status_code, slug(busy)) == (429, "busy")
            assert int(busy.headers["Retry-After"]) > 0
        verification = (await client.get(f"{PATH}/verify")).json()
        assert verification == {"sound": True, "findings": []}
        assert not d.deps.verify_lock.locked()


async def test_a_dotted_setting_is_told_its_nested_form(redis_url: str) -> None:
    """Where a session is opened, and where its settings are changed."""
    dotted = {"floor.policy": "bid"}
    async with opened(redis_url) as (_, operator):
        answers = [
            await operator.post("/v1/sessions", json={"session": "pier", "settings": dotted}),
            await operator.patch(f"{PATH}/settings", json={"settings": dotted}),
        ]
    for answer in answers:
        assert (answer.status_code, slug(answer)) == (422, "refused")
        problem = answer.json()
        assert problem["field"] == "settings.floor.policy"
        assert problem["detail"] == 'Input should be nested: {"floor": {"policy": ...}}'
