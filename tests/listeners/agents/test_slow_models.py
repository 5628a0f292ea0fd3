"""Agents whose endpoint, over real HTTP, takes longer than the session gives."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import anyio
import pytest
from structlog.testing import capture_logs

from parley.bus import Draft
from parley.bus.entries import Entry, Message, SessionOpened, VoteInitiated
from parley.bus.log.local_log import LocalLog
from parley.listeners.agents.host import HostedPart, host_agents
from parley.listeners.models.model_port import Completion
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.offline.virtual_loop import run_virtual
from parley.listeners.rooms.log_port import LocalLogPort
from parley.listeners.rooms.room import enter_room
from parley.listeners.spending.accounts import PARLEY, Charge, reserve_draft, settle_draft
from parley.memory.text.text_sizes import count_tokens
from tests.support.logs.logs import PACKS
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.fake_replies import pieces
from tests.support.servers.patience import PATIENCE, cancel_and_wait, wait_until
from tests.support.sessions.talkers import persona, quiet

SHORT = {"evaluation_ms": 100, "lease_ms": 100, "auction_ms": 20}
STEPS = 0.4  # seconds of a call: four times what the session gives


def answer(request: dict[str, Any]) -> str:
    """A bid where one is asked for, a ballot where that is, else a sentence."""
    fields = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
    if "choice" in fields.get("properties", {}):
        return json.dumps({"choice": ["accept"], "why": "it is cheaper"})
    if "act" in fields.get("properties", {}):
        bid = {"act": "bid", "urgency": 2, "intent": "answer"}
        return json.dumps(bid)
    return "We could keep the index where it is and measure first."


def opened(stop: object, **groups: Any) -> LocalLog:
    log = LocalLog()
    floor = {"policy": "bid", **SHORT, **groups.pop("floor", {})}
    log.open(SessionOpened(settings={"floor": floor, "stop": stop, **groups}))
    return log


def entries(log: LocalLog, kind: str) -> list[Any]:
    return [record.entry for record in log.read(count=2_000) if record.entry.kind == kind]


async def talk(
    log: LocalLog, url: str, patience: float | None, *, names: tuple[str, ...] = ("ann", "bob"),
    say: str = "What about the index?", then: Entry | None = None,
) -> None:  # fmt: skip
    """Host `names` with the endpoint at `url` until the session closes.

    A person says `say` before they come, and `then` once they sit there.
    """
    model = OpenAIModel("small-1", url=url, timeout_seconds=patience or 30.0)
    async with enter_room(LocalLogPort(log, PACKS)) as room:
        await room.publish([Draft("say", Message(participant="eli", content=say))])
        parts = [HostedPart(name, persona(name)) for name in names]
        hosting = host_agents(room, parts, model, nonce="a", patience_seconds=patience)
        task = asyncio.create_task(hosting)
        try:
            if then is not None:
                await wait_until(lambda: set(names) <= room.memory.floor.seats.keys())
                await room.publish([Draft("then", then)])
            await task
        finally:
            await cancel_and_wait(task)
    await model.aclose()


def slow(seconds: float) -> FakeOpenAI:
    return FakeOpenAI(manners=Manners(first_token_seconds=seconds, reply=answer))


async def test_a_call_that_takes_longer_than_the_session_gives_is_waited_for() -> None:
    """Bids, drafts and their floor: the seat says how long an answer takes."""
    log = opened({"turns": 2})
    with slow(STEPS) as endpoint:
        await talk(log, endpoint.url, 10)
    assert entries(log, "session.closed")[0].reason == "turns"
    assert {entry.reason for entry in entries(log, "floor.released")} == {"spoke"}
    assert {entry.outcome for entry in entries(log, "spend.settled")} <= {"used", "discarded"}
    seats = [entry for entry in entries(log, "participant.joined") if entry.role == "agent"]
    assert {entry.answer_ms for entry in seats} == {11_000}
    assert {entry.lease_ms for entry in entries(log, "floor.granted")} == {11_000}


async def test_a_ballot_that_takes_longer_than_an_evaluation_may_is_waited_for() -> None:
    log = opened({"votes": 1})
    with slow(STEPS) as endpoint:
        vote = VoteInitiated(participant="eli", content="Shall we move it?")
        await talk(log, endpoint.url, 10, then=vote)
    ballots = entries(log, "ballot.cast")
    assert {ballot.participant: ballot.choice for ballot in ballots} == {
        "ann": ("accept",), "bob": ("accept",),
    }  # fmt: skip


async def test_what_comes_too_late_is_logged_counted_and_ends_without_a_result() -> None:
    """No fallback is published where nobody was heard."""
    log = opened({"any": [{"turns": 5}]}, vote={"fallback": "We keep the old index."})
    with capture_logs() as logs, slow(30) as endpoint:
        await talk(log, endpoint.url, 4)  # the session gives a tenth more
    (closed,) = entries(log, "session.closed")
    assert closed.reason == "errors"
    assert closed.totals["failed"] == closed.totals["calls"] > 0
    assert not entries(log, "results.final")
    late = [line for line in logs if line["event"] == "model_late"]
    assert {line["setting"] for line in late} == {"patience"}
    assert {line["purpose"] for line in late} >= {"evaluate"}


@pytest.mark.parametrize("floor", [{}, {"evaluation": "panel"}, {"policy": "round_robin"}])
async def test_a_call_under_way_is_settled_by_who_leaves(floor: dict[str, str]) -> None:
    """A bid's, a panel's, a draft's: nobody else would, and it would count as spent in full."""
    log = opened({"turns": 9}, floor=floor)
    with slow(PATIENCE) as endpoint:
        model = OpenAIModel("small-1", url=endpoint.url, timeout_seconds=PATIENCE)
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            parts, stop = (
                [HostedPart(name, persona(name)) for name in ("ann", "bob")],
                anyio.Event(),
            )
            hosting = host_agents(
                room, parts, model, nonce="a", stop=stop, patience_seconds=PATIENCE
            )
            task = asyncio.create_task(hosting)
            await room.publish([Draft("eli", Message(participant="eli", content="Well?"))])
            await wait_until(lambda: endpoint.calls)
            stop.set()
            await task
        await model.aclose()
    reserved = [entry.call for entry in entries(log, "spend.reserved")]
    assert reserved
    assert sorted(entry.call for entry in entries(log, "spend.settled")) == sorted(reserved)
    assert {entry.outcome for entry in entries(log, "spend.settled")} == {"discarded"}


async def test_a_draft_whose_lease_ran_out_is_late_too() -> None:
    """Without a patience the session alone says how long a draft may take."""
    log = opened({"turns": 1}, floor={"policy": "round_robin", "lease_ms": 1_000})
    with capture_logs() as logs, slow(PATIENCE) as endpoint:
        task = asyncio.create_task(talk(log, endpoint.url, None, names=("ann",)))
        await wait_until(lambda: entries(log, "spend.settled"))
        await cancel_and_wait(task)
    assert "expired" in {entry.reason for entry in entries(log, "floor.released")}
    assert entries(log, "spend.settled")[0].outcome == "failed"
    assert {line["purpose"] for line in logs if line["event"] == "model_late"} == {"draft"}


FOUR_MINUTES = 240.0  # seconds


@pytest.mark.parametrize(
    ("seconds", "patience"),
    [(1.0, 30), pytest.param(FOUR_MINUTES, 300, marks=pytest.mark.long)],
    ids=["a second", "four minutes"],
)
async def test_a_call_of_four_minutes_is_waited_for_and_the_next_is_broken_off(
    seconds: float, patience: float
) -> None:
    """By the clock, where the session gives 0.1 s: one answer in pieces over `seconds`.

    It is published, and the order grants the floor anew, so that another call begins by
    itself, of many times as long. That one is broken off within two seconds of a person's word,
    and a next one begins; the endpoint hears of it as it sends its next pieces. Prints what it
    measured.
    """
    log = opened({"messages": 9}, floor={"policy": "round_robin", "restarts": 1})
    before_the_last = sum(map(count_tokens, pieces(answer({}))[:-1]))

    def reply(request: dict[str, Any]) -> str:
        return answer(request) * (1 if endpoint.calls == 1 else 60)

    def settled() -> list[str]:
        return [entry.outcome for entry in entries(log, "spend.settled")]

    manners = Manners(tokens_per_second=before_the_last / seconds, reply=reply)

    with FakeOpenAI(manners=manners) as endpoint:
        model = OpenAIModel("small-1", url=endpoint.url, timeout_seconds=patience)
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            parts, stop = [HostedPart("ann", persona("ann"))], anyio.Event()
            hosting = host_agents(
                room, parts, model, nonce="a", stop=stop, patience_seconds=patience
            )
            task = asyncio.create_task(hosting)
            await room.publish([Draft("eli", Message(participant="eli", content="Well?"))])
            await wait_until(lambda: endpoint.calls == 1)
            began = time.monotonic()
            await wait_until(settled, seconds + PATIENCE)
            waited = time.monotonic() - began
            await wait_until(lambda: endpoint.calls == 2)
            began = time.monotonic()
            await room.publish([Draft("stop", Message(participant="eli", content="Or not?"))])
            await wait_until(lambda: len(settled()) == 2)
            stopped = time.monotonic() - began
            await wait_until(lambda: endpoint.calls == 3)
            anew = time.monotonic() - began
            await wait_until(lambda: endpoint.left)
            closed = time.monotonic() - began
            stop.set()
            await task
        await model.aclose()
    print(f"waited {waited:.1f} s; broken off after {stopped:.3f} s, begun anew {anew:.3f} s, "
          f"heard of after {closed:.1f} s")  # fmt: skip
    assert settled()[:2] == ["used", "discarded"]
    spoken = [entry.content for entry in entries(log, "message") if entry.participant == "ann"]
    assert spoken == [answer({})]
    assert waited >= seconds - 0.1  # the call was seen a moment after it began
    assert max(stopped, anew) < 2


@pytest.mark.parametrize(
    ("settled", "closed", "cost"), [(20.0, 20.0, (1, 320)), (500.0, 100.0, (0, 0))]
)
def test_the_end_waits_for_a_worker_s_call_as_long_as_the_patience_says(
    settled: float, closed: float, cost: tuple[int, int]
) -> None:
    """What a summary under way came to is in the totals; a dead worker's is not waited for."""
    log = LocalLog()
    log.open(SessionOpened(settings={"floor": {"policy": "round_robin"}, "stop": {"messages": 1}}))
    charge = Charge("summary:1", PARLEY, "summary", 500)

    async def main() -> float:
        async with enter_room(LocalLogPort(log, PACKS)) as room:
            await room.publish([reserve_draft(charge)])
            hosting = host_agents(
                room, [HostedPart("ann", persona("ann"))], ScriptedModel(quiet), nonce="a",
                patience_seconds=100,
            )  # fmt: skip
            task = asyncio.create_task(hosting)
            began = anyio.current_time()
            await room.publish([Draft("eli", Message(participant="eli", content="That is all."))])
            await asyncio.wait({task}, timeout=settled)
            if not task.done():
                answer = Completion("So it was.", "small-1", 300, 20)
                await room.publish([settle_draft(charge, answer, "used", {})])
            await task
            return anyio.current_time() - began

    assert run_virtual(main()) == pytest.approx(closed, abs=1)
    (end,) = entries(log, "session.closed")
    assert (end.totals["calls"], end.totals["tokens"]) == cost
