"""Ballots read back from the log of a real bus."""

from __future__ import annotations

import pytest

from parley.bus import Bus, Draft
from parley.bus.contract.drafts import result_id
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import BallotCast, Entry, Message, ParticipantAliased, VoteInitiated
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.votes.vote_results import read_ballots, recount
from parley.memory.errors import UnknownVote
from parley.memory.voting.votes import WITH_BALLOTS, compute_result
from tests.support.logs.logs import PACKS, opened


async def put(bus: Bus, *entries: Entry) -> int:
    at = (await bus.info("s")).head
    drafts = [Draft(f"d{at + k}", entry) for k, entry in enumerate(entries)]
    return (await bus.publish("s", drafts))[-1].n


async def hold_vote(bus: Bus, *choices: tuple[str, ...], **given: object) -> int:
    """A vote of ana, bo and cy that was called, cast in and closed; the n of its initiation."""
    call = VoteInitiated.model_validate({"participant": "ana", "content": "Tea?", **given})
    n = await put(bus, call)
    names = ("ana", "bo", "cy")
    await put(bus, *(BallotCast(participant=name, re=n, choice=choice)
                     for name, choice in zip(names, choices, strict=False)))  # fmt: skip
    memory = await MemoryReader(bus, PACKS).current("s")
    ref = memory.votes.next - 1
    heard = memory.votes.by_ref[ref].heard
    await bus.publish("s", [Draft(result_id(n, heard), compute_result(memory, ref))])
    return n


async def begin(bus: Bus) -> None:
    await bus.open("s", opened())
    await put(bus, *(Message(participant=name, content="Hm.") for name in ("ana", "bo", "cy")))


async def test_ballots_that_memory_let_go_of_are_counted_again(bus: Bus) -> None:
    """By another rule, as of then: a name that became another's later voted by itself."""
    await begin(bus)
    await hold_vote(bus, ("accept",), ("accept",), ("reject",))
    for _ in range(WITH_BALLOTS):
        await hold_vote(bus, ("abstain",))
    await put(bus, ParticipantAliased(alias="cy", participant="bo"))
    memory = await MemoryReader(bus, PACKS).current("s")
    assert memory.votes.by_ref[1].ballots == {}
    vote = await read_ballots(bus, PACKS, "s", 1)
    assert sorted(vote.ballots) == ["ana", "bo", "cy"]
    assert recount(vote).carried == "accept"
    assert recount(vote, "two_thirds").carried == "accept"
    assert recount(vote, "unanimity").carried is None
    assert recount(vote, "unanimity").dissenters == ("cy",)
    assert recount(vote, quorum=0).status == "carried"


async def test_a_vote_that_runs_is_read_as_it_stands(bus: Bus) -> None:
    """And one that there is none of is an error that says so."""
    await begin(bus)
    n = await put(bus, VoteInitiated(participant="ana", content="Tea?"))
    await put(bus, BallotCast(participant="bo", re="V1", choice=("reject",)))
    vote = await read_ballots(bus, PACKS, "s", 1)
    assert (vote.n, vote.status, list(vote.ballots)) == (n, "open", ["bo"])
    with pytest.raises(UnknownVote, match="V2"):
        await read_ballots(bus, PACKS, "s", 2)


async def test_a_secret_vote_is_counted_again_without_names(bus: Bus) -> None:
    """Counts only."""
    await begin(bus)
    await hold_vote(bus, ("accept",), ("accept",), ("abstain",), secret=True)
    result = recount(await read_ballots(bus, PACKS, "s", 1), "unanimity")
    assert result.tally == {"accept": 2, "reject": 0, "abstain": 1}
    assert result.supporters == result.dissenters == result.abstainers == ()


async def test_two_who_count_publish_one_result(bus: Bus) -> None:
    """The same id and the same bytes: the second is a duplicate."""
    await begin(bus)
    n = await put(bus, VoteInitiated(participant="ana", content="Tea?", quorum=0))
    memory = await MemoryReader(bus, PACKS).current("s")
    draft = Draft(result_id(n, 0), compute_result(memory, 1))
    (first,) = await bus.publish("s", [draft])
    (second,) = await bus.publish("s", [draft])
    assert (first.duplicate, second.duplicate) == (False, True)
    with pytest.raises(InvalidEntry, match="reserved"):
        await bus.publish("s", [Draft("result:9", Message(participant="eve", content="Mine."))])
