"""A notebook as its participant's program sees it, on a real bus and over real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import BallotCompleted, Entry, Message, ParticipantAliased, ResultsFinal
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.sessions.notebook import Notebook
from parley.listeners.sessions.session_client import SessionClient
from parley.memory.errors import LimitExceeded, NoNotebook, StaleRevision, UpdateRefused
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.fake_openai import FakeOpenAI


async def session(bus: Bus, *entries: Entry, **note: Any) -> Callable[..., Notebook]:
    """Open session `a` with these entries; gives the notebooks of its participants."""
    limits = {"note": {"cap": note.pop("limit", 1000)}}
    await bus.open("a", opened(note={"policy": "append", **note}, limits=limits))
    await say(bus, *entries)
    return lambda who, model=None: SessionClient(bus, PACKS, "a", who, model=model).notebook


async def say(bus: Bus, *entries: Entry) -> None:
    head = (await bus.info("a")).head
    await bus.publish("a", [Draft(f"e{head + k}", entry) for k, entry in enumerate(entries)])


HELLO = Message(participant="ana", content="I rank the floor first.")
REPLY = Message(participant="bo", content="The average, for me.")


async def test_what_is_written_is_read_with_what_came_after(bus: Bus) -> None:
    """The base of the next write is the n of this one."""
    own = (await session(bus, HELLO))("ana")
    assert (await own.read()).text == "[n 1] ana said: I rank the floor first."
    receipt = await own.write("Floor first.")
    await say(bus, REPLY)
    page = await own.read()
    assert page.base == receipt.n == 2
    assert page.standing == "Floor first."
    assert page.text == "Floor first.\n[n 3] bo said: The average, for me."
    assert (await own.read(at=1)).base == 0


async def test_a_stale_or_overlong_write_is_refused_at_the_door(bus: Bus) -> None:
    """Nothing of it reaches the log; the error says both sizes, or both revisions."""
    own = (await session(bus, HELLO, limit=20))("ana")
    await own.write("One.")
    head = (await bus.info("a")).head
    with pytest.raises(StaleRevision) as stale:
        await own.write("Two.", base=0)
    assert (stale.value.base, stale.value.head) == (0, 2)
    with pytest.raises(LimitExceeded, match="Memory length 21 exceeds limit 20") as exceeded:
        await own.write("x" * 21)
    assert (exceeded.value.size, exceeded.value.limit) == (21, 20)
    assert (await bus.info("a")).head == head
    await own.write("Two.", base=2)


async def test_writing_again_under_the_same_id_changes_nothing(bus: Bus) -> None:
    """A resent write is the same write, though its own revision stands by then."""
    own = (await session(bus, HELLO))("ana")
    first = await own.write("One.", base=0, id="w1")
    again = await own.write("One.", base=0, id="w1")
    assert again.n == first.n
    assert again.duplicate


async def test_who_keeps_no_notebook_is_told_so(bus: Bus) -> None:
    """Reading, writing and rewriting alike."""
    own = (await session(bus, HELLO, agents={"bo": {"policy": "off"}}))("bo")
    for attempt in (own.read(), own.write("x"), own.revise_now()):
        with pytest.raises(NoNotebook, match="keeps no notebook"):
            await attempt


async def test_results_with_consensus_are_in_the_revised_text(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The live flow: earnings and outcome shown, the answer stands and is not empty."""
    fake.answer = lambda user: (
        "I note: " + next(line for line in user.splitlines() if "consensus" in line.lower())
    )
    own = (
        await session(
            bus,
            HELLO,
            ResultsFinal(
                participant="desk",
                content="Consensus reached on Floor. Earnings: $24k.",
                consensus=True,
                earnings=24_000,
            ),
        )
    )("ana", model)
    text = await own.revise_now("results")
    assert text
    assert "consensus" in text.lower()
    assert "    earnings: 24000" in fake.prompts[0]
    assert (await own.read()).standing == text


async def test_nothing_new_asks_nobody(bus: Bus, fake: FakeOpenAI, model: OpenAIModel) -> None:
    """A notebook that digests everything is not paid for again."""
    own = (await session(bus, HELLO))("ana", model)
    text = await own.revise_now()
    assert await own.revise_now() == text
    assert fake.calls == 1


async def test_a_round_of_the_callers_own_words_is_logged_and_digested(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Prompt, response, outcome as given; shown to the participant alone, again and again."""
    fake.answer = lambda user: f"Round {user.count('Outcome')} of {fake.calls}."
    own = (await session(bus))("ana", model)
    round_content = "Prompt: Rank them.\nYour Response: Floor.\nOutcome: Noted."
    for k in (1, 2):
        assert await own.prompt_agent_for_memory_update(round_content) == f"Round 1 of {k}."
    assert '"Prompt: Rank them.\n    Your Response: Floor.\n    Outcome: Noted."' in fake.prompts[0]
    assert '"Round 1 of 1."' in fake.prompts[1]
    assert (await own.read()).base == 2


async def test_a_run_is_aborted_after_so_many_failures(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The error names participant, attempts and sizes; the session is closed for it."""
    fake.answer = lambda _: "x" * 1001
    own = (await session(bus, HELLO, exhausted="abort_run"))("ana", model)
    with pytest.raises(UpdateRefused, match="ana failed to create valid memory after 3 attempts"):
        await own.prompt_agent_for_memory_update("Outcome: much.", max_retries=3)
    assert fake.calls == 3
    assert (await bus.info("a")).status == "closed"


async def test_every_revision_is_kept_with_what_made_it(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Written, revised, refused and stale ones, under either name of the participant."""
    notebooks = await session(bus, HELLO, REPLY, limit=60)
    own = notebooks("ana", model)
    await own.write("One.")
    await say(bus, BallotCompleted(participant="desk", consensus=True, content="Floor."))
    fake.answer = lambda _: "We chose the floor."
    await own.revise_now("consensus")
    fake.answer = lambda _: "x" * 61
    await notebooks("bo", model).revise_now()
    await say(bus, REPLY)
    assert await own.revise_now() == "We chose the floor."
    await say(bus, ParticipantAliased(alias="ana-2", participant="ana"))
    await notebooks("ana-2").write("Mine.")
    revisions = await own.history()
    assert [
        (revision.kind, revision.cause, revision.text, revision.why, revision.attempts)
        for revision in revisions
    ] == [
        ("written", 3, "One.", "written", 1),
        ("revised", 4, "We chose the floor.", "consensus", 1),
        ("refused", 5, "", "", 5),
        ("written", 6, "Mine.", "written", 1),
    ]
    assert [revision.base for revision in revisions] == [0, 3, 4, 4]
    assert revisions[1].model == "small-1"
    assert revisions[2].sizes == (61,) * 5
    assert [revision.stood for revision in revisions] == [True, True, False, True]
    assert await notebooks("ana-2").history() == revisions


def test_the_question_can_be_made_without_asking_it() -> None:
    """Both texts quoted, in order, with the request after them."""
    asked = Notebook.create_memory_update_prompt("I like floors.", "Outcome: Floor.")
    assert '"I like floors."\n\nWhat happened since:\n\n"Outcome: Floor."' in asked
    assert "Update your memory based on what just happened." in asked
    assert "50000 characters" in asked
