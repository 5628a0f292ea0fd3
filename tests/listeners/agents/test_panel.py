"""One evaluation for all listeners."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from parley.bus import Bus
from parley.listeners.models.model_port import Prompt
from tests.support.servers.patience import wait_until
from tests.support.sessions.rooms import hosted, log_of, opened, publish_message, seat, settings
from tests.support.sessions.talkers import bid, sentence

NAMES = ["ann", "bob"]
PANEL = {"evaluation": "panel", "hops_hard": 0}


async def entries(bus: Bus, session: str, kind: str) -> list[Any]:
    return [r.entry for r in await log_of(bus, session) if r.entry.kind == kind]


def everyone_wants_to(prompt: Prompt, chance: Random) -> str:
    if prompt.purpose != "evaluate":
        return sentence(chance)
    names = [*NAMES, "eli"]
    return json.dumps({"bids": [json.loads(bid(participant=name)) for name in names]})


async def closed(bus: Bus, session: str) -> None:
    async def over() -> bool:
        return (await bus.info(session)).status != "open"

    await wait_until(over)


async def test_nobody_judges_for_a_person(bus: Bus) -> None:
    """A person who sits there speaks without the floor, and never asks for it by a model."""
    await opened(bus, "people", settings({"turns": 3}, floor=PANEL))
    await seat(bus, "people", "eli")
    async with hosted(bus, "people", NAMES, everyone_wants_to):
        await publish_message(bus, "people", "eli", "Begin.")
        await closed(bus, "people")
    asked = [
        entry.participant
        for kind in ("floor.bid", "floor.passed", "floor.granted")
        for entry in await entries(bus, "people", kind)
    ]
    assert asked
    assert "eli" not in asked


async def test_a_panel_without_a_price_is_not_asked_under_a_budget_in_money(bus: Bus) -> None:
    """As no other call is."""
    tree = settings({"any": [{"turns": 3}, {"seconds": 1}]}, floor=PANEL, budget={"micros": 100})
    await opened(bus, "dear", tree)
    async with hosted(bus, "dear", NAMES, everyone_wants_to):
        await publish_message(bus, "dear", "host", "Begin.")
        await closed(bus, "dear")
    assert not await entries(bus, "dear", "spend.reserved")


async def test_a_word_that_stirs_everyone_breaks_the_panels_question_off(bus: Bus) -> None:
    """What was asked is void: it is asked anew at once, and what it cost is settled."""
    await opened(bus, "stir", settings({"turns": 3}, floor=PANEL))
    async with hosted(bus, "stir", NAMES, everyone_wants_to, first_token_seconds=30):

        async def asked(count: int) -> bool:
            return len(await entries(bus, "stir", "spend.reserved")) == count

        await publish_message(bus, "stir", "host", "Begin.")
        await wait_until(lambda: asked(1))
        await publish_message(bus, "stir", "host", "Wait, something else.")
        await wait_until(lambda: asked(2))
        (first,) = await entries(bus, "stir", "spend.settled")
        assert first.outcome == "discarded"


async def test_a_panel_that_names_nobody_clearly_is_asked_once_more(bus: Bus) -> None:
    """As a moderator is; those whom the first answer named keep their bids."""
    asked: list[str] = []

    def oddly(prompt: Prompt, chance: Random) -> str:
        if prompt.purpose != "evaluate":
            return sentence(chance)
        asked.append(prompt.user)
        names = ("@Ann ", "somebody") if len(asked) == 1 else ("**bob**",)
        return json.dumps({"bids": [json.loads(bid(participant=name)) for name in names]})

    await opened(bus, "odd", settings({"turns": 1}, floor=PANEL))
    async with hosted(bus, "odd", NAMES, oddly):
        await publish_message(bus, "odd", "host", "Begin.")
        await closed(bus, "odd")
    assert len(asked) >= 2
    first = [entry.participant for entry in await entries(bus, "odd", "floor.bid")][:2]
    assert sorted(first) == NAMES
    assert len(await entries(bus, "odd", "spend.settled")) >= 3
