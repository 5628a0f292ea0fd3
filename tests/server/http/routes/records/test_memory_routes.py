"""Reading a session over HTTP: its memory, whole and in parts, contexts, explanations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import orjson
import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, NoteRevised, SummaryMade
from parley.listeners.cache.memory_reader import MemoryReader
from parley.memory.context.context import Profile
from parley.memory.fold.canonical_bytes import dump
from parley.server.http.requests import minutes_answer as made_minutes
from parley.server.minutes.minutes_report import build_report
from parley.server.queries.explanation import build_explanation
from parley.server.queries.log_queries import read_entries, replay_log
from parley.server.render.memory_layers import LAYERS
from parley.server.render.minutes.minutes_forms import Form, render
from parley.server.rows.digest_rows import cited, digest
from parley.server.rows.entry_times import receipt_time
from tests.support.doors.doors import Standing, doors
from tests.support.doors.sse import seq_of, streamed
from tests.support.logs.logs import PACKS
from tests.support.sessions.sessions import discuss, thoughts, whole

SLUG = "urn:parley:problem:"


@pytest.fixture
async def d(redis_url: str) -> AsyncIterator[Standing]:
    async with doors(redis_url) as standing:
        yield standing


@pytest.fixture
async def bus(d: Standing) -> Bus:
    """With a session `a` of sixty messages and a summary."""
    bus = d.deps.backend.bus
    await discuss(bus, "a", 60, chair=["ana"])
    text = SummaryMade(level=0, first=1, last=10, how="extract", text="They began.")
    await bus.publish("a", [Draft("summary", text)])
    return bus


async def ask(d: Standing, path: str, name: str = "zoe", **params: Any) -> Any:
    """What `name`, of session `a`, is answered."""
    async with d.client(d.token(name, session="a")) as client:
        return await client.get(f"/v1/sessions/a/{path}", params=params)


async def asked(d: Standing, path: str, **params: Any) -> Any:
    """What an operator is answered."""
    async with d.client(d.token("ops", role="operator")) as client:
        return await client.get(f"/v1/sessions/a/{path}", params=params)


async def test_memory_is_its_canonical_bytes(d: Standing, bus: Bus) -> None:
    """Now, and as of a past message."""
    reader = MemoryReader(bus, PACKS)
    assert (await asked(d, "memory")).content == dump(await reader.current("a"))
    assert (await asked(d, "memory", at=25)).content == dump(await reader.at("a", 25))


async def test_items_say_when_and_by_whose_clock(d: Standing, bus: Bus) -> None:
    """The sender's time, else the one of the log, marked; memory keeps what it was told."""
    drafts = [
        Draft(name, Message(participant="ana", content=words, act="propose", at=at))
        for name, words, at in (
            ("p1", "We paint it red.", "2026-05-04T12:00:00Z"),
            ("p2", "We paint it blue.", None),
        )
    ]
    first, second = (receipt.n for receipt in await bus.publish("a", drafts))
    rows = {row["n"]: row for row in (await ask(d, "proposals")).json()["items"]}
    assert (rows[first]["at"], rows[first]["at_from"]) == ("2026-05-04T12:00:00Z", "sender")
    record = next(record for record in await whole(bus, "a") if record.id == "p2")
    assert rows[second]["at_from"] == "receipt"
    assert rows[second]["at"] == receipt_time(record)
    memory = await MemoryReader(bus, PACKS).current("a")
    assert {p.at for p in memory.proposals.values() if p.born == second} == {None}


async def test_everybodys_notebooks_are_for_the_operator(d: Standing, bus: Bus) -> None:
    """And with them the whole of the memory."""
    for path in ("memory", "memory/notebooks"):
        assert (await ask(d, path)).status_code == 403
        assert (await asked(d, path)).status_code == 200


async def test_a_rewritten_notebook_is_nobody_elses_either(d: Standing, bus: Bus) -> None:
    """Whoever wrote the words, a participant or a model: no list and no stream has them."""
    note = NoteRevised(participant="ana", cause=2, text="canary7f3a")
    receipt = (await bus.publish("a", [Draft("note", note)]))[0]
    (row,) = (await ask(d, "entries", after=receipt.seq - 1)).json()["items"]
    assert row["entry"]["kind"] == "note.revised"
    assert "canary7f3a" not in str(row)
    path = f"/v1/sessions/a/events?after={receipt.seq - 1}"
    async with streamed(d.url, path, d.token("zoe", session="a")) as stream:
        while seq_of(event := await stream.next()) != receipt.seq:
            pass
    assert "note.revised" in str(event.data)
    assert "canary7f3a" not in str(event.data)


async def test_what_has_not_come_yet_is_refused(d: Standing, bus: Bus) -> None:
    """With the number of the newest moment as its limit."""
    for path in ("memory", "memory/history", "decisions", "positions", "context", "summaries"):
        for at in (61, 2**53 - 1):
            response = await asked(d, path, at=at)
            assert (response.status_code, response.json()["type"]) == (422, SLUG + "not-yet"), path
            assert response.json()["limit"] == 60


async def test_every_layer_can_be_read(d: Standing, bus: Bus) -> None:
    """And no other."""
    memory = await MemoryReader(bus, PACKS).current("a")
    for name, layer in LAYERS.items():
        tree = (await asked(d, f"memory/{name}")).json()
        assert tree == orjson.loads(orjson.dumps(layer.tree(memory)))
    assert (await ask(d, "memory/nothing")).status_code == 422


async def test_items_are_those_of_the_minutes(d: Standing, bus: Bus) -> None:
    """Decisions, proposals, positions and summaries, with their quotes and cites."""
    memory = await MemoryReader(bus, PACKS).current("a")
    report = digest(memory, await read_entries(bus, "a", cited(memory)))
    assert (await ask(d, "decisions")).json() == {"items": report["decisions"], "next": None}
    offered = sorted([*report["open"], *report["settled"]], key=lambda row: int(row["handle"][1:]))
    assert (await ask(d, "proposals")).json()["items"] == offered
    stood = sorted(report["positions"], key=lambda row: row["participant"])
    assert (await ask(d, "positions")).json()["items"] == stood
    assert (await ask(d, "summaries")).json()["items"] == report["summaries"]
    assert offered[0]["evidence"]["quote"]


async def test_lists_come_in_parts(d: Standing, bus: Bus) -> None:
    """Each `next` is the `after` of the rest, and every row comes once."""
    for path in ("decisions", "proposals", "positions"):
        everything = (await ask(d, path)).json()["items"]
        items, after = [], 0
        while after is not None:
            part = (await ask(d, path, limit=2, after=after)).json()
            assert len(part["items"]) <= 2
            items += part["items"]
            after = part["next"]
        assert items == everything
    shown = (await ask(d, "proposals", status="active", at=30)).json()["items"]
    assert {row["status"] for row in shown} <= {"active"}


async def test_the_past_is_told_without_what_came_later(d: Standing, bus: Bus) -> None:
    """No row of a moment cites a later message."""
    for row in (await ask(d, "proposals", at=12)).json()["items"]:
        assert max(row["n"], *(n for n, _, _ in row["evidence"]["cites"])) <= 12
    assert (await ask(d, "summaries", at=12)).json()["items"] == []


async def test_statistics_and_usage_are_numbers_of_the_session(d: Standing, bus: Bus) -> None:
    """Counts of everything, and what was spent of which budget."""
    assert (await ask(d, "statistics")).json()["messages"] == 60
    usage = (await ask(d, "usage")).json()
    assert (usage["tokens"], usage["accounts"]) == (0, {})
    assert usage["budget"] == {"tokens": None, "micros": None, "calls": None}
    assert (await ask(d, "usage", at=30)).json() == usage


async def test_a_context_is_what_a_listener_is_told(d: Standing, bus: Bus) -> None:
    """One's own, now and at a past moment, from checkpoints as from a replay."""
    reader = MemoryReader(bus, PACKS)
    profiles: list[Profile] = ["full", "brief", "raw", "history"]
    for profile, at in product(profiles, (None, 25, 60)):
        expected = await reader.context("a", "zoe", profile=profile, at=at)
        given: dict[str, Any] = {"profile": profile} | ({} if at is None else {"at": at})
        context = (await ask(d, "context", **given)).json()
        assert (context["text"], context["size"]) == (expected.text, expected.size)
        assert context["cites"] == list(expected.cites)


async def test_a_context_has_the_parts_that_are_asked_for(d: Standing, bus: Bus) -> None:
    """Now and at a past moment; a name that no part has is refused."""
    reader = MemoryReader(bus, PACKS)
    for at in (None, 25):
        expected = await reader.context("a", "zoe", parts=("ledger", "own"), at=at)
        given: dict[str, Any] = {"parts": ["own", "ledger"]} | ({} if at is None else {"at": at})
        assert (await ask(d, "context", **given)).json()["text"] == expected.text
        assert "Recent Messages" not in expected.text
    assert (await ask(d, "context", parts="leger")).status_code == 422
    refused = await ask(d, "context", profile="exchange", parts="ledger")
    assert (refused.status_code, refused.json()["type"]) == (422, SLUG + "refused")


async def test_a_context_of_another_is_for_the_chair(d: Standing, bus: Bus) -> None:
    """And for operators."""
    refused = await ask(d, "context", **{"as": "bo"})
    assert (refused.status_code, refused.json()["type"]) == (403, SLUG + "not-your-name")
    assert (await ask(d, "context", "ana", **{"as": "bo"})).status_code == 200
    async with d.client(d.operator()) as operator:
        response = await operator.get("/v1/sessions/a/context", params={"as": "bo"})
    assert response.status_code == 200


async def test_a_context_with_another_session_needs_a_right_to_it(d: Standing, bus: Bus) -> None:
    """A token of one session does not read what another decided."""
    await discuss(bus, "b", 20)
    foreign = await ask(d, "context", **{"with": "b"})
    assert (foreign.status_code, foreign.json()["type"]) == (403, SLUG + "other-session")
    async with d.client(d.token("zoe")) as everywhere:
        response = await everywhere.get("/v1/sessions/a/context", params={"with": "b"})
        itself = await everywhere.get("/v1/sessions/a/context", params={"with": "a"})
    assert response.status_code == 200
    assert itself.status_code == 422


async def test_a_budget_that_holds_nothing_is_refused(d: Standing, bus: Bus) -> None:
    """It says what the least is."""
    response = await ask(d, "context", budget=1)
    assert (response.status_code, response.json()["type"]) == (422, SLUG + "budget-too-small")
    assert response.json()["limit"] > 1


async def test_an_assistant_is_told_chat_messages(d: Standing, bus: Bus) -> None:
    """The profile `exchange` is of the present."""
    context = (await ask(d, "context", profile="exchange")).json()
    assert context["messages"][0]["role"] == "system"
    assert (await ask(d, "context", profile="exchange", at=3)).status_code == 422


async def test_every_item_is_explained_as_a_replay_explains_it(d: Standing, bus: Bus) -> None:
    """Without one: its evidence, its history, its place in the context."""
    replay = await replay_log(bus, d.deps.backend.packs, "a")
    handles = [proposal.handle for proposal in replay.memory.proposals.values()]
    handles += [decision.handle for decision in replay.memory.decisions.values()]
    assert len(handles) > 5
    for handle in handles:
        response = await ask(d, f"explain/{handle.lower()}")
        assert response.json() == build_explanation(replay, handle), handle


async def test_what_is_not_there_is_not_explained(d: Standing, bus: Bus) -> None:
    """A handle of nothing is not found; what is no handle is invalid."""
    for ref, status in (("P999", 404), ("M3.1", 404), ("X1", 422), ("P", 422)):
        assert (await ask(d, f"explain/{ref}")).status_code == status


async def test_minutes_come_in_four_forms(d: Standing, bus: Bus) -> None:
    """As data, and as files to hand on; of a past moment without what came later."""
    memory = await MemoryReader(bus, PACKS).current("a")
    expected = build_report(memory, await whole(bus, "a"), "a")
    response = await ask(d, "minutes")
    assert response.json() == orjson.loads(render(expected, "json"))
    forms: dict[Form, tuple[str, str]] = {
        "md": ("text/markdown", "md"), "html": ("text/html", "html"), "text": ("text/plain", "txt"),
    }  # fmt: skip
    for form, (media, ending) in forms.items():
        response = await ask(d, "minutes", format=form)
        assert response.content == render(expected, form)
        assert response.headers["content-type"] == f"{media}; charset=utf-8"
        assert (
            response.headers["content-disposition"] == f'attachment; filename="minutes-a.{ending}"'
        )
    past = (await ask(d, "minutes", at=12)).json()
    assert past["n"] == 12
    assert max(row["n"] for row in past["evidence"]) <= 12
    assert (await ask(d, "minutes", at=61)).status_code == 422
    assert (await ask(d, "minutes", format="pdf")).status_code == 422


async def test_without_the_session_there_is_nothing(d: Standing) -> None:
    """Every part of it is not found."""
    paths = ["memory", "memory/ledger", "decisions", "proposals", "positions", "summaries",
             "statistics", "usage", "context", "explain/P1", "minutes", "view"]  # fmt: skip
    for path in paths:
        response = await asked(d, path)
        assert (response.status_code, response.json()["type"]) == (404, SLUG + "no-session"), path


async def test_minutes_are_made_once_for_whoever_asks(
    d: Standing, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until something comes, redacted or said: what is shown then is new."""
    made: list[str] = []
    rendered = made_minutes._rendered

    def counted(*given: Any) -> bytes:
        made.append(given[-1])
        return rendered(*given)

    monkeypatch.setattr(made_minutes, "_rendered", counted)
    first, *others = [await ask(d, "minutes", format="md") for _ in range(3)]
    assert (made, {other.content for other in others}) == (["md"], {first.content})
    async with d.client(d.operator()) as operator:
        body = {"n": 1, "reason": "asked", "renumber": True}
        assert (await operator.post("/v1/sessions/a/redactions", json=body)).status_code == 201
    await ask(d, "minutes", format="md")
    await bus.publish("a", thoughts(1, 900))
    await ask(d, "minutes", format="md")
    assert made == ["md"] * 3
