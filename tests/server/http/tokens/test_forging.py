"""Nobody speaks in another's name, nor out of turn, by any way there is over the doors."""

from __future__ import annotations

from typing import Any

import httpx2
import orjson
import pytest
from websockets.asyncio.client import connect

from tests.support.doors.doors import Standing, doors
from tests.support.doors.gateway_talk import NAME, PATH, begin, slug
from tests.support.servers.patience import PATIENCE

Rows = list[dict[str, Any]]


async def _begun(d: Standing, **settings: Any) -> None:
    """ana proposes P1 and bo P2, which cy supports."""
    await begin(d, **settings)
    async with d.client(d.operator()) as operator:
        rows = [
            {"content": "I propose a light at the pier.", "participant": "ana"},
            {"content": "I propose to sell every boat.", "participant": "bo"},
            {"content": "I am for it.", "act": "support", "re": "P2", "participant": "cy"},
        ]
        response = await operator.post(f"{PATH}/entries", json={"entries": rows})
        assert response.status_code == 201, response.text


async def _corrected(client: httpx2.AsyncClient, **given: Any) -> str:
    """The slug it is refused by, alone and as a row of a batch; "" where it is not."""
    alone = await client.post(f"{PATH}/corrections", json=given)
    row = {"kind": "item.corrected", **given}
    batch = await client.post(f"{PATH}/entries", json={"entries": [row]})
    slugs = {"" if response.is_success else slug(response) for response in (alone, batch)}
    assert len(slugs) == 1, (alone.text, batch.text)
    return slugs.pop()


async def _makers(d: Standing) -> dict[str, str]:
    async with d.client(d.operator()) as operator:
        rows = (await operator.get(f"{PATH}/proposals")).json()["items"]
        return {row["handle"]: row["participant"] for row in rows}


@pytest.mark.parametrize("role", ["person", "agent"])
async def test_nobody_puts_an_item_in_anothers_name(redis_url: str, role: Any) -> None:
    """Neither whose it is nor whom it was supported by, by a correction of any kind of token."""
    async with doors(redis_url) as d:
        await _begun(d)
        async with d.client(d.token("bo", role=role, session=NAME)) as bo:
            assert await _corrected(bo, ref="P2", op="by", value="ana") == "forbidden"
            assert await _corrected(bo, ref="P1", op="by", value="bo") == "forbidden"
            assert await _corrected(bo, ref="P2", op="merge", value="P1") == "forbidden"
        assert await _makers(d) == {"P1": "ana", "P2": "bo"}


async def test_nor_over_a_socket(redis_url: str) -> None:
    """What is published there is held to the same."""
    async with doors(redis_url) as d:
        await _begun(d)
        url = f"{d.url.replace('http', 'ws', 1)}{PATH}/ws"
        headers = {"Authorization": f"Bearer {d.token('bo', session=NAME)}"}
        given: Any = {"additional_headers": headers, "proxy": None, "open_timeout": PATIENCE}
        async with connect(url, **given) as socket:
            row = {"kind": "item.corrected", "ref": "P2", "op": "by", "value": "ana"}
            await socket.send(
                orjson.dumps({"type": "publish", "ref": "x", "entries": [row]}).decode()
            )
            while (tree := orjson.loads(await socket.recv()))["type"] != "nack":
                assert tree["type"] == "hello"
            assert tree["problem"]["type"].endswith(":forbidden")
        assert (await _makers(d))["P2"] == "bo"


async def test_a_chair_and_an_operator_say_whose_an_item_is(redis_url: str) -> None:
    """The operator also in the name of somebody else."""
    async with doors(redis_url) as d:
        await _begun(d, chair=["ana"])
        async with (
            d.client(d.token("ana", session=NAME)) as ana,
            d.client(d.operator()) as operator,
        ):
            assert await _corrected(ana, ref="P2", op="by", value="cy") == ""
            assert await _makers(d) == {"P1": "ana", "P2": "cy"}
            body = {"ref": "P2", "op": "by", "value": "bo", "as": "dee"}
            assert (await operator.post(f"{PATH}/corrections", json=body)).status_code == 201
            assert (await _makers(d))["P2"] == "bo"


async def test_an_agent_corrects_its_own_items_alone(redis_url: str) -> None:
    """A person any: theirs is the word that outranks every rule."""
    async with doors(redis_url) as d:
        await _begun(d)
        async with (
            d.client(d.token("bo", role="agent", session=NAME)) as bo,
            d.client(d.token("dee", session=NAME)) as dee,
        ):
            for op in ("topic", "retract"):
                assert await _corrected(bo, ref="P1", op=op, value="mine") == "forbidden"
            assert await _corrected(bo, ref="P2", op="topic", value="boats") == ""
            assert await _corrected(dee, ref="P1", op="topic", value="light") == ""


OTHERS: Rows = [
    {"content": "Aye."},
    {"kind": "ballot.cast", "re": "V1", "choice": ["accept"]},
    {"kind": "vote.confirmed", "re": "V1"},
    {"kind": "vote.initiated", "content": "Well?"},
    {"kind": "vote.extended", "re": "V1", "seconds": 60},
    {"kind": "note.written", "content": "I was wrong."},
    {"kind": "results.final", "content": "All agreed."},
    {"kind": "step", "form": "reasoning", "content": "Thought."},
    {"kind": "episode.opened", "episode": "goal", "title": "Sell"},
    {"kind": "episode.closed", "re": "E1"},
    {"kind": "tool.called", "tool": "t", "call_id": "c"},
    {"kind": "tool.returned", "tool": "t", "call_id": "c", "content": "x"},
    {"kind": "context.injected", "key": "k", "content": "x"},
    {"kind": "ballot.completed", "content": "x", "consensus": True},
]  # fmt: skip


async def test_no_kind_of_entry_is_taken_in_anothers_name(redis_url: str) -> None:
    """By whichever field the name comes; what is no participant's is not taken at all."""
    async with doors(redis_url) as d:
        await _begun(d)
        async with d.client(d.token("bo", session=NAME, may=["moderate"])) as bo:
            for row in OTHERS:
                for field in ("participant", "agent_id"):
                    body: dict[str, Any] = {"entries": [{**row, field: "ana"}]}
                    assert slug(await bo.post(f"{PATH}/entries", json=body)) == "not-your-name", row
                body = {"entries": [row], "as": "ana"}
                assert slug(await bo.post(f"{PATH}/entries", json=body)) == "not-your-name", row
            for kind in ("participant.left", "participant.joined", "floor.bid", "floor.passed",
                         "participant.aliased", "spend.settled"):  # fmt: skip
                body = {
                    "entries": [{"kind": kind, "participant": "bo", "alias": "ana", "epoch": 0}]
                }
                assert slug(await bo.post(f"{PATH}/entries", json=body)) == "invalid", kind


ROUTES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "messages", {"content": "Aye."}),
    ("PUT", "messages/1", {"content": "Nay."}),
    ("POST", "votes", {"question": "Well?"}),
    ("POST", "votes/V1/ballots", {"choice": ["accept"]}),
    ("POST", "votes/V1/confirm", {}),
    ("POST", "votes/V1/count", {}),
    ("POST", "votes/V1/extend", {"seconds": 60}),
    ("POST", "corrections", {"ref": "P1", "op": "retract"}),
    ("POST", "goals", {"title": "Sell"}),
    ("POST", "goals/E1/close", {}),
    ("POST", "tasks", {"title": "Sell"}),
    ("POST", "tasks/E1/close", {}),
    ("POST", "episodes", {"title": "Sell", "kind": "round"}),
    ("POST", "episodes/E1/close", {}),
    ("POST", "steps", {"form": "reasoning", "content": "Thought."}),
    ("POST", "tools/lookup", {"tool": "t"}),
    ("POST", "tools/results", {"tool": "t", "result": "x"}),
    ("POST", "tools/calls", {"tool": "t"}),
    ("POST", "context", {"screen": "map", "content": "It shows a map."}),
    ("POST", "floor/grant", {"participant": "bo"}),
    ("POST", "floor/interrupt", {}),
    ("POST", "floor/mute", {"participant": "cy"}),
    ("POST", "floor/unmute", {"participant": "cy"}),
    ("POST", "floor/pause", {}),
    ("POST", "floor/resume", {}),
    ("POST", "phases", {"title": "Selling"}),
    ("POST", "close", {"reason": "sold"}),
)


async def test_no_route_speaks_in_anothers_name(redis_url: str) -> None:
    """Of those that take `as`, whatever one may otherwise do there."""
    async with doors(redis_url) as d:
        await _begun(d)
        async with d.client(d.token("bo", session=NAME, may=["moderate"])) as bo:
            before = (await d.deps.backend.bus.info(NAME)).head
            for method, path, body in ROUTES:
                response = await bo.request(method, f"{PATH}/{path}", json={**body, "as": "ana"})
                assert slug(response) == "not-your-name", (path, response.text)
            for path in ("notebooks/ana", "notebooks/ana/history", "context?as=ana"):
                refused = await bo.get(f"{PATH}/{path}")
                assert slug(refused) in ("not-your-name", "forbidden"), path
            written = await bo.put(f"{PATH}/notebooks/ana", json={"text": "I was wrong."})
            assert slug(written) == "not-your-name"
            assert (await d.deps.backend.bus.info(NAME)).head == before


def test_every_route_that_takes_a_name_is_on_the_list() -> None:
    """A route that is added is tested, or this fails."""
    described = orjson.loads(_described())
    takes = {
        path.removeprefix("/v1/sessions/{session}/").replace("{ref}", "1").replace("{n}", "1")
        for path, methods in described["paths"].items()
        for method in methods.values()
        if isinstance(method, dict) and _takes_a_name(described, method)
    }
    listed = {path.replace("V1", "1").replace("E1", "1") for _, path, _ in ROUTES}
    assert takes - {"entries", "aliases"} == listed


def _described() -> bytes:
    from pathlib import Path

    return (Path(__file__).parents[4] / "docs" / "openapi.json").read_bytes()


def _takes_a_name(described: dict[str, Any], row: dict[str, Any]) -> bool:
    body = orjson.dumps(row.get("requestBody", {})).decode()
    schemas = described["components"]["schemas"]
    named = [name for name in schemas if f'schemas/{name}"' in body]
    return any("as" in schemas[name].get("properties", {}) for name in named)


SCRIBED: tuple[tuple[Rows, bool], ...] = (
    ([{"content": "scribe: bo"}, {"content": "Ana: I propose to sell every boat."}], False),
    ([{"content": "scribe: me"}, {"content": "cy: +1"}], True),
    ([{"content": f"{who}: we see."} for who in ("ana", "cy", "ana", "cy", "ana")], False),
)


@pytest.mark.parametrize(("rows", "batch"), SCRIBED, ids=["declared", "in a batch", "by habit"])
async def test_nobody_makes_a_scribe_of_themselves(redis_url: str, rows: Rows, batch: bool) -> None:
    """What a scribe types counts as others' words: over the doors everybody has their own."""
    async with doors(redis_url) as d:
        await _begun(d)
        async with d.client(d.token("bo", session=NAME)) as bo:
            if batch:
                response = await bo.post(f"{PATH}/entries", json={"entries": rows})
            else:
                for row in rows:
                    response = await bo.post(f"{PATH}/messages", json=row)
            assert slug(response) == "not-your-name", response.text
            spoken = {**rows[-1], "act": "inform"}
            assert (await bo.post(f"{PATH}/messages", json=spoken)).status_code == 201
        async with d.client(d.token("dee", session=NAME)) as dee:
            to = {"content": "Ana: what do you think?"}
            assert (await dee.post(f"{PATH}/messages", json=to)).status_code == 201
        assert await _makers(d) == {"P1": "ana", "P2": "bo"}


async def test_the_settings_make_a_scribe(redis_url: str) -> None:
    """And a chair is one; what either types for others is told with who typed it."""
    async with doors(redis_url) as d:
        await _begun(d, structure={"scribes": ["bo"]})
        async with d.client(d.token("bo", session=NAME)) as bo:
            response = await bo.post(
                f"{PATH}/messages", json={"content": "ana: I propose a crane."}
            )
            assert response.status_code == 201, response.text
        assert (await _makers(d))["P3"] == "ana"


# -- out of turn ---------------------------------------------------------------


async def test_an_agent_under_a_floor_tells_nothing_past_it(redis_url: str) -> None:
    """Neither a message nor results; its ballot, its work and its notes wait for no turn."""
    async with doors(redis_url) as d:
        await begin(d, floor={"policy": "bid"}, note={"policy": "rewrite"})
        async with d.client(d.token("bot", role="agent", session=NAME)) as bot:
            for row in ({"content": "Aye."}, {"kind": "message", "content": "Aye."},
                        {"kind": "results.final", "content": "All agreed."}):  # fmt: skip
                response = await bot.post(f"{PATH}/entries", json={"entries": [row]})
                assert slug(response) == "floor-required", row
            work: Rows = [
                {"kind": "episode.opened", "episode": "goal", "title": "Light"},
                {"kind": "step", "form": "reasoning", "content": "Looked at the pier."},
                {"kind": "note.written", "content": "Dark at night."},
                {"kind": "tool.called", "tool": "t", "call_id": "c"},
            ]
            response = await bot.post(f"{PATH}/entries", json={"entries": work})
            assert response.status_code == 201, response.text
        async with d.client(d.token("ana", session=NAME)) as ana:
            rows: Rows = [{"kind": "results.final", "content": "All agreed."}]
            assert (await ana.post(f"{PATH}/entries", json={"entries": rows})).status_code == 201


@pytest.mark.parametrize(
    "row", [{"re": "E1"}, {"re": 1}, {"episode": "phase"}, {}], ids=["handle", "n", "kind", "bare"]
)
async def test_a_phase_is_ended_by_who_may_begin_one(redis_url: str, row: dict[str, Any]) -> None:
    """However it is named, and where nothing is named but it is the innermost."""
    async with doors(redis_url) as d:
        await begin(d)
        async with (
            d.client(d.token("bo", session=NAME)) as bo,
            d.client(d.operator()) as operator,
        ):
            assert (await operator.post(f"{PATH}/phases", json={"title": "One"})).is_success
            rows: Rows = [{"kind": "episode.closed", **row}]
            assert slug(await bo.post(f"{PATH}/entries", json={"entries": rows})) == "forbidden"
            if "re" in row:
                assert slug(await bo.post(f"{PATH}/episodes/1/close", json={})) == "forbidden"
            goal = await bo.post(f"{PATH}/goals", json={"title": "Light"})
            rows = [{"kind": "episode.closed", "re": goal.json()["ref"]}]
            assert (await bo.post(f"{PATH}/entries", json={"entries": rows})).status_code == 201
