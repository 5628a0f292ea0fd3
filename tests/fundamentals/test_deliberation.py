"""A deliberation from its first message to its restored copy. Read from top to bottom.

Each test is one thing that Parley promises, in the order in which a newcomer meets
it. They run against a real Redis and without any worker: a reader folds the log.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import ItemCorrected, SessionOpened
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.session_client import SessionClient
from parley.memory.fold.canonical_bytes import dump
from parley.server.runtime.packs import Packs, read_packs


@pytest.fixture
def packs() -> Packs:
    """The wording that Parley can read."""
    return read_packs()


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    """A connection to the bus."""
    async with await Bus.connect(redis_url) as connected:
        yield connected


@pytest.fixture
async def harbour(bus: Bus, packs: Packs) -> SessionClient:
    """A session that was just opened."""
    await bus.open("harbour", SessionOpened(packs=packs.opening, title="Winter boats"))
    return SessionClient(bus, packs.known, "harbour")


async def test_messages_are_numbered_in_one_order(harbour: SessionClient) -> None:
    """Whoever speaks, the log has one order, and a message keeps its number for good."""
    first = await harbour.add_message("Ana", "The north basin froze twice.")
    second = await harbour.add_message("Ben", "Three times, if you count the slush.")
    assert (first.n, second.n) == (1, 2)


async def test_saying_it_again_under_its_id_changes_nothing(harbour: SessionClient) -> None:
    """A publisher that missed the answer may send again: the message is there once."""
    sent = await harbour.add_message("Ana", "The north basin froze twice.", id="ana-1")
    again = await harbour.add_message("Ana", "The north basin froze twice.", id="ana-1")
    assert again.n == sent.n
    assert again.duplicate
    assert len(await harbour.get_recent_messages(10)) == 1


async def test_plain_words_become_a_proposal_with_a_handle(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """People need no grammar: what they propose gets a handle and cites their words."""
    receipt = await harbour.add_message("Ben", "I propose that we move the boats in November.")
    memory = await MemoryReader(bus, packs.known).current("harbour")
    (proposal,) = memory.proposals.values()
    assert proposal.handle == "P1"
    assert proposal.participant == "Ben"
    assert proposal.origin.cites[0].n == receipt.n
    assert proposal.origin.confidence < 1000, "wording is less sure than an act"


async def test_agents_may_say_what_they_mean_on_the_envelope(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """An act and a reference leave nothing to guess, and the latest stance counts."""
    await harbour.add_message("Ben", "Move the boats in November.", act="propose")
    await harbour.add_message("Cleo", "Too early for me.", act="oppose", re="P1")
    await harbour.add_message("Cleo", "I have seen the forecast.", act="support", re="P1")
    memory = await MemoryReader(bus, packs.known).current("harbour")
    assert memory.proposals[1].reactions["Cleo"].stance == "support"
    assert memory.participants["Cleo"].positions["P1"].was == "oppose"


async def test_enough_support_makes_a_decision_and_dissent_stays_on_record(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """Two others for it and nobody against it accept a proposal; who objects later is kept."""
    await harbour.add_message("Ben", "Move the boats in December.", act="propose")
    await harbour.add_message("Ana", "+1 to P1")
    await harbour.add_message("Cleo", "+1 to P1")
    await harbour.add_message("Dov", "I oppose P1: the crane is booked.")
    memory = await MemoryReader(bus, packs.known).current("harbour")
    (decision,) = memory.decisions.values()
    assert memory.proposals[1].status == "accepted"
    assert sorted(decision.supporters) == ["Ana", "Ben", "Cleo"]
    assert list(decision.dissenters) == ["Dov"]
    assert decision.status == "disputed"


async def test_an_idea_that_comes_back_is_recognised(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """A proposal in the words of an earlier one says which, and what became of it."""
    await harbour.add_message("Ben", "[PROPOSAL] Sell the old crane and hire one by the day.")
    await harbour.add_message("Ben", "Nobody will do that.", act="withdraw", re="P1")
    for number in range(30):
        await harbour.add_message("Cleo", f"Boat {number} is out of the water.")
    await harbour.add_message("Dov", "What if we sell the old crane and hire one by the day?")
    memory = await MemoryReader(bus, packs.known).current("harbour")
    assert memory.proposals[2].echoes == 1
    assert memory.proposals[1].status == "withdrawn"


async def test_a_person_outranks_the_extraction(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """What a person struck is gone for good, also when it is said again."""
    await harbour.add_message("Ben", "I propose that we all go to lunch.")
    strike = ItemCorrected(ref="P1", by="Ana", op="retract")
    await bus.publish("harbour", [Draft("strike-1", strike)])
    await harbour.add_message("Ben", "I propose that we all go to lunch.")
    context = await harbour.get_memory_context("Ana")
    assert "P1" not in context.text
    assert "P2" not in context.text


async def test_context_is_current_fits_its_budget_and_says_what_it_left_out(
    harbour: SessionClient,
) -> None:
    """Right after a message its effect is in the context, whoever asks, within the budget."""
    await harbour.add_message("Ben", "[PROPOSAL] Move the boats in December.")
    for number in range(40):
        await harbour.add_message("Cleo", f"Boat {number} is out of the water, at last.")
    await harbour.add_message("Dov", "-1 to P1: the crane is booked.")
    context = await harbour.get_memory_context("Ben", budget=600)
    assert context.size <= 600
    assert "crane is booked" in context.text
    brief = await harbour.get_eval_memory_context("Ben")
    assert brief.size < context.size


async def test_any_past_moment_is_the_fold_of_a_prefix(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """Memory as it was after a message does not know what came later."""
    reader = MemoryReader(bus, packs.known)
    await harbour.add_message("Ben", "[PROPOSAL] Move the boats in December.")
    then = dump(await reader.current("harbour"))
    await harbour.add_message("Cleo", "+1 to P1")
    assert dump(await reader.at("harbour", 1)) == then
    assert dump(await reader.current("harbour")) != then


async def test_a_restored_session_has_the_same_memory(
    harbour: SessionClient, bus: Bus, packs: Packs
) -> None:
    """A session is its log: written back elsewhere, it folds to the same bytes."""
    await harbour.add_message("Ben", "[PROPOSAL] Move the boats in December.")
    await harbour.add_message("Cleo", "I oppose P1.")
    state = await harbour.get_memory_state()
    copy = SessionClient(bus, packs.known, "harbour-copy")
    await copy.restore_memory(state)
    assert (await copy.get_memory_state()).checksum == state.checksum
