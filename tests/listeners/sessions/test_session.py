"""Taking part from a program: join, listen, speak by the rules of the floor, leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest

from parley import Session
from parley.bus import Bus, Draft
from parley.bus.contract.errors import BadSessionFile, InvalidEntry, SessionNotFound
from parley.bus.entries import FloorGranted, FloorMuted, FloorReleased, Message, SessionOpened
from parley.listeners.agents.arbiter import Arbiter
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.participant import Superseded
from parley.listeners.rooms.room import enter_room
from parley.listeners.sessions.argument_checks import ActNotAllowed
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.listeners.sessions.turns import FloorLost, NotGranted
from parley.listeners.votes.vote_results import result_draft
from parley.memory.errors import NameOfChair
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from tests.support.servers.patience import PATIENCE, cancel_and_wait, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.rooms import BID
from tests.support.sessions.slow import SlowDoor
from tests.support.sessions.talks import everything

BIDDING = {"floor": BID}


async def opened(bus: Bus, **settings: object) -> None:
    await bus.open("s", SessionOpened(settings=dict(settings), packs=newest_packs()))


async def spoken(bus: Bus, *texts: str, who: str = "Ana", **fields: object) -> list[int]:
    """What a person says, past everything."""
    entries = [Message.model_validate({"participant": who, "content": t, **fields}) for t in texts]
    drafts = [Draft(f"{who}:{id(entry)}:{k}", entry) for k, entry in enumerate(entries)]
    return [receipt.n for receipt in await bus.publish("s", drafts)]


async def kinds(bus: Bus) -> list[str]:
    return [record.entry.kind for record in await everything(bus, "s")]


@asynccontextmanager
async def arbiter(bus: Bus) -> AsyncIterator[None]:
    """Whoever bids is granted the floor when it is free."""
    async with enter_room(RedisLog(MemoryReader(bus, known_packs()), "s")) as room:
        task = asyncio.create_task(Arbiter(room, "arbiter").run())
        try:
            yield
        finally:
            await cancel_and_wait(task)


async def test_it_hears_what_others_say_once_and_in_order(bus: Bus, redis_url: str) -> None:
    """From joining on, its own words left out, until the session closes."""
    await opened(bus)
    await spoken(bus, "before")
    async with Session.connect(redis_url, "s", "echo") as session:
        await session.say("mine")
        await spoken(bus, "one", "two @echo, and three", act="ask")
        await spoken(bus, "for you", to=("echo",))
        await spoken(bus, "not for @echoes")
        await bus.close("s", "done")
        heard = [message async for message in session]
        assert session.closed == "done"
    assert [message.content for message in heard] == [
        "one", "two @echo, and three", "for you", "not for @echoes",
    ]  # fmt: skip
    assert [message.addressed for message in heard] == [False, True, True, False]
    assert [message.act for message in heard] == ["ask", "ask", None, None]
    assert heard[0].participant == "Ana"


async def test_it_takes_a_seat_and_leaves_it(bus: Bus) -> None:
    """Role, interests and rights are on record; leaving does not end the session."""
    await opened(bus)
    async with Session.on(bus, "s", "echo", interests=["echoes"], may=["ask", "vote"]) as session:
        seat = session.memory.floor.seats["echo"]
        assert (seat.role, seat.interests, seat.may) == ("agent", ("echoes",), ("ask", "vote"))
    assert await kinds(bus) == ["session.opened", "participant.joined", "participant.left"]
    assert (await bus.info("s")).status == "open"


async def test_a_session_that_is_not_there_is_refused_or_opened(bus: Bus) -> None:
    """As asked for; opened with the shipped packs, so that proposals are found."""
    with pytest.raises(SessionNotFound):
        async with Session.on(bus, "s", "echo"):
            pass
    async with Session.on(bus, "s", "echo", create=True, settings={"goal": "a name"}) as session:
        await session.say("I propose we call it Otter.")
        assert session.memory.settings.goal == "a name"
        assert session.memory.proposal(1) is not None
        assert session.memory.settings.summary.how == "auto"
    async with Session.on(bus, "s", "echo", create=True):
        pass


async def test_a_session_is_opened_with_packs_of_ones_own(bus: Bus) -> None:
    """In full: whoever reads the log later needs no file of theirs."""
    rule = {"name": "propose.ahoy", "act": "propose", "pattern": r"\bahoy:", "confidence": 800}
    pack = parse_pack({"name": "sailors@1", "rules": [rule]})
    async with Session.on(bus, "s", "echo", create=True, packs=[pack]) as session:
        await session.say("Ahoy: the boat is painted red.")
        assert session.memory.proposal(1) is not None
    memory = await MemoryReader(bus, known_packs()).current("s")
    assert memory.proposal(1) is not None


@pytest.mark.parametrize("name", ["parley", "Parley"])
async def test_the_servers_own_name_is_not_to_be_had(bus: Bus, name: str) -> None:
    """The fold gives it no seat, so its floor would be waited for in vain."""
    await opened(bus)
    with pytest.raises(InvalidEntry, match="the server's own voice"):
        async with Session.on(bus, "s", name):
            raise AssertionError("it joined")
    assert await kinds(bus) == ["session.opened"]


@pytest.mark.parametrize("name", ["Ana Lee", "ana  lee", "Analee"])
async def test_a_chairs_name_in_another_spelling_is_not_to_be_had(bus: Bus, name: str) -> None:
    """Who would rule, and has another name, learns it when they join, and not at the decision."""
    await opened(bus, chair=["Ana lee"])
    with pytest.raises(NameOfChair, match="join as 'Ana lee'"):
        async with Session.on(bus, "s", name):
            pass
    async with Session.on(bus, "s", "Ana lee"), Session.on(bus, "s", "Bo"):
        pass


async def test_verbs_are_acts(bus: Bus) -> None:
    """What is done to an item says so by itself."""
    await opened(bus)
    async with Session.on(bus, "s", "ana") as ana, Session.on(bus, "s", "bo") as bo:
        await ana.propose("Call it Otter.")
        await bo.amend("Call it Sea Otter.", re="P1")
        await ana.withdraw(re="P1")
        await ana.support(re="P2")
        await ana.ask("Any other?", to=["bo"])
        n = await bo.oppose("Too long.", re="P2")
        await ana.dispute("No, it is not.", re=n)
        messages = [r.entry for r in await everything(bus, "s") if r.entry.kind == "message"]
    assert [getattr(entry, "act", "") for entry in messages] == [
        "propose", "amend", "withdraw", "support", "ask", "oppose", "dispute",
    ]  # fmt: skip
    assert [getattr(entry, "re", "") for entry in messages] == [
        None,
        "P1",
        "P1",
        "P2",
        None,
        "P2",
        n,
    ]
    assert getattr(messages[3], "content", "") == "I support P2."


async def test_an_agent_speaks_in_the_epoch_it_was_granted(bus: Bus) -> None:
    """`say` bids, waits, and commits its message with the release; the floor is free again."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "echo") as session, arbiter(bus):
        first = await session.say("one")
        second = await session.propose("two")
        assert second > first
        assert (second.made, second.missing) == (["P1"], ["P1 needs 2 more supporters"])
        assert (session.memory.floor.holder, session.memory.floor.turns) == ("", 2)
    assert (await kinds(bus))[2:-1] == [
        "floor.bid", "floor.granted", "message", "floor.released",
        "floor.bid", "floor.granted", "message", "floor.released",
    ]  # fmt: skip


async def test_two_programs_take_turns(bus: Bus) -> None:
    """One has the floor at a time, whoever asks for it at once; both are heard."""
    await opened(bus, **BIDDING)
    async with (
        Session.on(bus, "s", "ana") as ana,
        Session.on(bus, "s", "bo") as bo,
        arbiter(bus),
    ):

        async def speak(session: Session) -> None:
            for k in range(3):
                await session.say(f"{session.name} says {k}")

        await asyncio.gather(speak(ana), speak(bo))
    holder = ""
    for record in await everything(bus, "s"):
        if record.entry.kind == "floor.granted":
            assert not holder
            holder = getattr(record.entry, "participant", "")
        elif record.entry.kind == "floor.released":
            holder = ""
        elif record.entry.kind == "message":
            assert getattr(record.entry, "participant", "") == holder


async def test_a_person_speaks_without_the_floor(bus: Bus) -> None:
    """An interjection waits for nobody."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "Ana", role="person") as session:
        await session.say("a word")
    assert (await kinds(bus))[2:3] == ["message"]


async def test_a_block_that_says_nothing_gives_the_floor_back(bus: Bus) -> None:
    """As silent; as failed where it raised. Another who has not passed keeps the session going."""
    await opened(bus, floor={**BID, "auction_ms": 50})
    async with (
        Session.on(bus, "s", "bo"),
        Session.on(bus, "s", "echo") as session,
        arbiter(bus),
    ):
        async with session.floor(10, urgency=3) as epoch:
            assert session.holds_floor
            assert epoch == 1
        with pytest.raises(ZeroDivisionError):
            async with session.floor(10):
                raise ZeroDivisionError
        async with session.floor(10):
            await session.say("something")
        assert not session.holds_floor
    released = [r.entry for r in await everything(bus, "s") if r.entry.kind == "floor.released"]
    assert [getattr(entry, "reason", "") for entry in released] == ["silent", "failed", "spoke"]


async def test_a_turn_that_is_over_publishes_nothing(bus: Bus) -> None:
    """The floor was taken away meanwhile: the caller is told, and may ask again."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "echo") as session, arbiter(bus):
        epoch = await session.take_floor(10)
        taken = FloorReleased(participant="echo", epoch=epoch + 1, reason="revoked")
        await bus.publish("s", [Draft("revoked", taken)])
        with pytest.raises(FloorLost, match="nothing was published"):
            await session.say("too late")
        await session.say("in time")
    messages = [r.entry for r in await everything(bus, "s") if r.entry.kind == "message"]
    assert [getattr(entry, "content", "") for entry in messages] == ["in time"]


async def test_a_grant_that_does_not_come_is_not_waited_for_forever(bus: Bus) -> None:
    """The reason is told, and the bid taken back."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "echo") as session:
        with pytest.raises(NotGranted, match="is an arbiter running"):
            await session.take_floor(0.2)
        assert "echo" not in session.memory.floor.bids


async def test_who_stops_waiting_takes_the_bid_back(bus: Bus) -> None:
    """Nobody waits for one who is gone; who asks anew at once has a bid of its own."""
    await opened(bus, **BIDDING)

    async def bids_and_passes() -> list[str]:
        return [kind for kind in await kinds(bus) if kind in ("floor.bid", "floor.passed")]

    async def is_asked(times: int) -> bool:
        return (await bids_and_passes()).count("floor.bid") == times

    async with Session.on(bus, "s", "echo") as session:
        for times in (1, 2):
            waiting = asyncio.create_task(session.say("Unsaid."))
            await wait_until(partial(is_asked, times))
            await cancel_and_wait(waiting)
    assert await bids_and_passes() == 2 * ["floor.bid", "floor.passed"]


async def test_a_grant_that_nobody_waits_for_any_more_is_given_back(bus: Bus) -> None:
    """At once, and not when its time is over."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "echo") as session:
        waiting = asyncio.create_task(session.say("Unsaid."))
        await wait_until(lambda: "echo" in session.memory.floor.bids)
        granted = FloorGranted(participant="echo", epoch=1, lease_ms=60_000)
        await bus.publish("s", [Draft("granted", granted)])
        await cancel_and_wait(waiting)
        await wait_until(lambda: session.memory.floor.epoch == 2)
        assert not session.holds_floor


async def test_a_muted_agent_says_nothing_where_everybody_speaks(bus: Bus) -> None:
    """Under `open` there is no floor that it could be denied; its words are. People's are not."""
    await opened(bus)
    async with (
        Session.on(bus, "s", "echo") as session,
        Session.on(bus, "s", "ana", role="person") as ana,
    ):
        for name in ("echo", "ana"):
            await bus.publish("s", [Draft(f"mute:{name}", FloorMuted(participant=name))])
        await wait_until(lambda: all(seat.muted for seat in session.memory.floor.seats.values()))
        with pytest.raises(NotGranted, match="it is muted"):
            await session.say("Hello.")
        with pytest.raises(NotGranted, match="it is muted"):
            await session.take_floor()
        await wait_until(lambda: ana.memory.floor.seats["ana"].muted)
        await ana.say("Good morning.")
        unmuted = FloorMuted(participant="echo", muted=False)
        await bus.publish("s", [Draft("unmute", unmuted)])
        await wait_until(lambda: not session.memory.floor.seats["echo"].muted)
        await session.say("Good morning.")


async def test_what_stirs_everyone_is_answered_by_a_new_bid(bus: Bus) -> None:
    """A person's word voids the bids from before it."""
    await opened(bus, **BIDDING)
    async with Session.on(bus, "s", "echo") as session:
        waiting = asyncio.create_task(session.say("still me"))
        await wait_until(lambda: "echo" in session.memory.floor.bids)
        (n,) = await spoken(bus, "everybody, listen")
        await wait_until(lambda: session.memory.floor.stirred == n)
        await wait_until(lambda: "echo" in session.memory.floor.bids)
        async with arbiter(bus):
            await waiting


async def test_a_newer_process_takes_the_seat(bus: Bus) -> None:
    """The older one is told at once, and does not say that it left."""
    await opened(bus)
    async with Session.on(bus, "s", "echo") as older, Session.on(bus, "s", "echo") as newer:
        await spoken(bus, "hello")
        with pytest.raises(Superseded, match="'echo' joined again"):
            await anext(aiter(older))
        with pytest.raises(Superseded):
            await older.say("me too")
        assert (await anext(aiter(newer))).content == "hello"
    assert (await kinds(bus)).count("participant.left") == 1


async def test_votes_are_cast_by_option(bus: Bus) -> None:
    """Whatever its case; what is no ballot is refused, naming the options, before it is cast."""
    await opened(bus)
    async with Session.on(bus, "s", "Ana", role="person") as ana:
        await ana.propose("Call it Otter.")
        n = await ana.call_vote("Otter?", re="P1")
        await wait_until(lambda: 1 in ana.memory.votes.by_ref)
        with pytest.raises(InvalidEntry, match="accept"):
            await ana.vote("V1", "perhaps")
        with pytest.raises(InvalidEntry, match="one of"):
            await ana.vote("V1", "accept", "reject")
        with pytest.raises(InvalidEntry, match="no vote 'V7'"):
            await ana.vote("V7", "accept")
        await ana.vote("V1", "Accept", why="short")
    ballot = next(r.entry for r in await everything(bus, "s") if r.entry.kind == "ballot.cast")
    assert (getattr(ballot, "re", 0), getattr(ballot, "choice", ())) == (n, ("accept",))


async def test_a_ballot_that_came_too_late_is_no_success(bus: Bus, redis_url: str) -> None:
    """The vote ended while it was on its way: the log has it, and it does not count."""
    await opened(bus)
    await spoken(bus, "I propose we call it Otter.")
    async with (
        await Bus.connect(redis_url) as own,
        enter_room(door := SlowDoor(MemoryReader(own, known_packs()), "s")) as room,
    ):
        door.open.set()
        async with Session.within(
            room, MemoryReader(own, known_packs()), "Ana", role="person"
        ) as ana:
            await ana.call_vote("Otter?", re="P1")
            door.open.clear()
            door.knocked.clear()
            voting = asyncio.create_task(ana.vote("V1", "accept"))
            await door.knocked.wait()
            await bus.publish("s", [result_draft(ana.memory, ana.memory.votes.by_ref[1])])
            door.open.set()
            with pytest.raises(InvalidEntry, match="V1 is short: the ballot came after its end"):
                await voting


async def test_a_vote_is_given_more_time_while_it_is_open(bus: Bus) -> None:
    """By whoever may call one; what comes too late is refused to who gave it."""
    await opened(bus)
    async with (
        Session.on(bus, "s", "Ana", role="person") as ana,
        Session.on(bus, "s", "echo") as echo,
    ):
        await ana.call_vote("Otter?", seconds=600)
        await wait_until(lambda: 1 in echo.memory.votes.by_ref)
        with pytest.raises(InvalidEntry, match="no more time by echo: may not give V1 more time"):
            await echo.extend_vote("V1", 60)
        with pytest.raises(InvalidEntry, match="no vote 'V7'; there is V1"):
            await ana.extend_vote("V7", 60)
        await ana.extend_vote("v1", 60)
        assert ana.memory.votes.by_ref[1].seconds == 660
        vote = ana.memory.votes.by_ref[1]
        await bus.publish("s", [result_draft(ana.memory, vote)])
        await wait_until(lambda: ana.memory.votes.by_ref[1].status == "short")
        with pytest.raises(InvalidEntry, match="V1 is short"):
            await ana.extend_vote("V1", 60)


async def test_a_seat_says_the_acts_that_it_was_given_and_no_other(bus: Bus) -> None:
    """Refused before the floor is asked for; plain words, and capabilities alone, bind nothing."""
    await opened(bus, **BIDDING, chair=["Eva"])
    may = ["support", "ask"]
    async with Session.on(bus, "s", "echo", may=may, role="person") as session:
        refusal = "'echo' may not propose: its seat may support, ask"
        with pytest.raises(ActNotAllowed, match=refusal):
            await session.propose("We paint the boat red.")
        with pytest.raises(ActNotAllowed):
            await session.say("Red.", act="decide", force=True)
        assert await session.say("Let us think.") == await session.ask("Which red?") - 1
    async with Session.on(bus, "s", "echo", may=may) as session:
        with pytest.raises(ActNotAllowed):
            await session.propose("We paint the boat red.")
    assert [kind for kind in await kinds(bus) if kind.startswith("floor")] == []
    async with Session.on(bus, "s", "caller", may=["vote"], role="person") as session:
        await session.propose("We paint the boat red.")
    async with Session.on(bus, "s", "Eva", may=["ask"], role="person") as chair:
        await chair.accept(re="P1")
        assert chair.memory.proposals[1].status == "accepted"


async def test_what_would_not_count_is_refused_at_the_door(bus: Bus) -> None:
    """With the reason, and nothing is published: the fold alone would tell it as a fact."""
    await opened(bus)
    async with (
        Session.on(bus, "s", "Ana", role="person") as ana,
        Session.on(bus, "s", "echo") as echo,
    ):
        await ana.propose("Call it Otter.")
        await wait_until(lambda: 1 in echo.memory.proposals)
        with pytest.raises(InvalidEntry, match="no vote for echo: may not call a vote"):
            await echo.call_vote("Otter?", re="P1")
        with pytest.raises(InvalidEntry, match="P7 is no proposal"):
            await ana.call_vote("Otter?", re="P7")
        with pytest.raises(InvalidEntry, match="2 to 50 options"):
            await ana.call_vote("Which?", options=["Otter"])
        await ana.call_vote("Otter?", re="P1")
        with pytest.raises(InvalidEntry, match="V1 takes one of: accept, reject, abstain"):
            await ana.vote("V1", "accept", "reject")
        async with Session.on(bus, "s", "late") as late:
            with pytest.raises(InvalidEntry, match="late has no vote in V1"):
                await late.vote("V1", "accept")
        await ana.vote("v1", "ACCEPT")
    assert (await kinds(bus)).count("vote.initiated") == 1
    assert (await kinds(bus)).count("ballot.cast") == 1


@pytest.mark.parametrize(("joining", "says"), [
    ({"may": ["shout"]}, "may: 'shout' is not in a list of propose, .*, moderate"),
    ({"may": "vote"}, "may: 'vote' is not in a list"),
    ({"interests": [7]}, "interests"),
    ({"settings": {"florr": {}}}, "settings: florr: "),
    ({"settings": {"floor": {"policy": "shout"}}}, "settings: floor.policy: "),
])  # fmt: skip
async def test_joining_with_what_is_nothing_is_refused(
    bus: Bus, joining: dict[str, Any], says: str
) -> None:
    """Before a session is opened that would go by something else."""
    with pytest.raises(InvalidEntry, match=says):
        async with Session.on(bus, "s", "echo", create=True, **joining):
            pass
    with pytest.raises(SessionNotFound):
        await bus.info("s")


async def test_a_context_is_at_hand(bus: Bus) -> None:
    """What a model needs to know to speak now, within its budget."""
    await opened(bus, goal="find a name")
    async with Session.on(bus, "s", "echo") as session:
        await spoken(bus, "I propose we call it Otter.")
        await wait_until(lambda: session.memory.proposal(1) is not None)
        full = await session.context("full", 2000)
        assert "P1" in full.text
        assert "Otter" in full.text
        assert full.size <= 2000
        assert (await session.context("brief", 600)).size <= 600


async def test_it_goes_on_after_an_outage(redis_server: RedisServer) -> None:
    """A Redis that comes back empty-handed is joined again, and nothing is heard twice."""
    async with await Bus.connect(redis_server.url, outbox_seconds=2 * PATIENCE) as bus:
        await opened(bus)
        async with Session.on(bus, "s", "echo") as session:
            heard: list[str] = []

            async def listen() -> None:
                async for message in session:
                    heard.append(message.content)  # noqa: PERF401 - looked at meanwhile

            listening = asyncio.create_task(listen())
            await spoken(bus, "one")
            await wait_until(lambda: heard == ["one"])
            redis_server.kill9()
            redis_server.restart()
            await spoken(bus, "two")
            await wait_until(lambda: heard == ["one", "two"])
            await wait_until(lambda: "echo" in session.memory.floor.seats)
            await bus.close("s", "done")
            await asyncio.wait_for(listening, PATIENCE)


async def test_a_log_that_lost_the_seat_gives_it_back(bus: Bus, redis_url: str) -> None:
    """Its owner takes it again before it says anything else."""
    await opened(bus)
    async with Session.on(bus, "s", "echo") as session:
        records = await everything(bus, "s")
        async with await Bus.connect(redis_url, outbox_seconds=0) as operator:
            await operator.restore("s", records[:1], replace=True)
        await wait_until(lambda: session.memory.floor.seats == {})
        await session.say("still here")
        assert session.memory.floor.seats["echo"].present
    assert await kinds(bus) == [
        "session.opened", "participant.joined", "message", "participant.left",
    ]  # fmt: skip


async def test_no_file_speaks_as_the_server(bus: Bus) -> None:
    """Whoever read it would take the words for the server's."""
    await opened(bus)
    await spoken(bus, "It is decided.", who="Parley")
    session = SessionClient(bus, known_packs(), "s")
    with pytest.raises(BadSessionFile, match=r"entry 2 .* the server's own voice"):
        await session.from_json(await session.to_json(), replace=True)
    assert (await bus.info("s")).origin is None
