"""What a model read, over HTTP: shelves, explanations, and people's corrections of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from parley.bus import Draft
from parley.bus.entries import Message
from tests.support.doors.doors import Standing, doors
from tests.support.logs.logs import opened
from tests.support.logs.read_talk import (
    CANDIDATE,
    DENIED,
    FIRM,
    LINES,
    READ_ONLY,
    RULING,
    SETTINGS,
    reading,
)

PATH = "/v1/sessions/a"


@pytest.fixture
async def d(redis_url: str) -> AsyncIterator[Standing]:
    """A server with session `a`, which a model read."""
    async with doors(redis_url) as standing:
        bus = standing.deps.backend.bus
        await bus.open("a", opened(**SETTINGS))
        for number, (who, text) in enumerate(LINES):
            await bus.publish("a", [Draft(f"m{number}", Message(participant=who, content=text))])
        await bus.publish("a", [Draft("extract:1:14:model", reading())])
        yield standing


async def items(d: Standing, path: str, **params: Any) -> list[str]:
    async with d.client(d.token("zoe", session="a")) as client:
        answer = await client.get(f"{PATH}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return [row["handle"] for row in answer.json()["items"]]


async def correct(d: Standing, name: str, ref: str, op: str, **given: Any) -> Any:
    async with d.client(d.token(name, session="a", **given)) as client:
        return await client.post(f"{PATH}/corrections", json={"ref": ref, "op": op})


async def test_a_list_has_the_firm_items_and_the_others_if_asked(d: Standing) -> None:
    """By the message that they were born in, a part at a time."""
    listed = await items(d, "proposals")
    assert [handle for handle in listed if handle[0] == "M"] == [READ_ONLY, "M14"]
    assert FIRM in listed
    assert not {CANDIDATE, DENIED} & {*listed}
    assert await items(d, "proposals", shelf="candidate") == [CANDIDATE]
    assert await items(d, "proposals", shelf="denied") == [DENIED]
    assert await items(d, "decisions", status="accepted") == [RULING]
    parts = [await items(d, "proposals", after=at, limit=1) for at in range(len(listed))]
    assert [handle for part in parts for handle in part] == listed


async def test_people_correct_what_a_model_reads(d: Standing) -> None:
    """The chair takes a ruling back: no view has it, and explain says who denied it."""
    assert (await correct(d, "eli", RULING, "confirm")).status_code == 201
    assert await items(d, "decisions") == [RULING]
    assert (await correct(d, "eli", RULING, "retract")).status_code == 201
    assert await items(d, "decisions") == []
    assert await items(d, "proposals", status="active") == await items(d, "proposals")
    async with d.client(d.token("zoe", session="a")) as client:
        told = (await client.get(f"{PATH}/explain/{RULING}")).json()
    assert told["denied"]["says"] == "a person retracted it"


async def test_only_who_may_confirm_confirms_a_reading(d: Standing) -> None:
    """The chair; and an agent corrects readings of its own words only."""
    assert (await correct(d, "zoe", READ_ONLY, "confirm")).status_code == 403
    assert (await correct(d, "bo", READ_ONLY, "retract", role="agent")).status_code == 403
    assert (await correct(d, "dee", READ_ONLY, "retract", role="agent")).status_code == 201
    assert (await correct(d, "eli", "M3", "retract")).status_code == 404
