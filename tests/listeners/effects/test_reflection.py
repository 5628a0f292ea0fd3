"""Rewriting notebooks: the question, the limit, and what becomes of answers that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from parley.bus import Bus, Draft
from parley.bus.entries import (
    BallotCompleted,
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    Message,
    NoteRefused,
    NoteRevised,
    Record,
    ResultsFinal,
    VoteConfirmed,
    VoteInitiated,
)
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.effects.reflection import HALVINGS, ReflectionJob, validate_memory_length
from parley.listeners.models.model_port import ContextOverflow, ModelRefused
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.fold.canonical_bytes import dump
from parley.memory.notebooks.notebooks import standing_revision
from parley.memory.notebooks.reflections import list_owed_reflections
from parley.memory.settings.presets import load_preset
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, opened, talk
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import replayed, running, whole

FOLD = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)
DONE = ResultsFinal(
    participant="desk",
    content="Consensus reached on Floor. Earnings: $24k.",
    consensus=True,
    earnings=24_000,
    counterfactuals={"Avg+Floor": 25_000},
)
Line = tuple[str, str] | Entry
ROUND: tuple[tuple[Entry, bool], ...] = (
    (EpisodeOpened(participant="desk", episode="round", title="Application"), False),
    (EpisodeClosed(participant="desk", episode="round", result="You earned 12."), True),
)


def settings(limit: int = 400, policy: str = "append", **note: object) -> dict[str, Any]:
    return {
        "note": {"policy": policy, **note},
        "limits": {"note": {"cap": limit, "warn": limit, "target": limit}},
    }


def job(*lines: Line, who: str = "ana", **given: object) -> tuple[ReflectionJob, list[Record]]:
    """The reflection that `who` owes after `lines`, and the entries that it reads."""
    records = talk(*lines, **given)
    memory, _ = folded(records)
    (call,) = [effect for effect in list_owed_reflections(memory) if effect.participant == who]
    reflection = ReflectionJob.of(memory, call)
    return reflection, [
        record for record in records if reflection.first <= record.n <= reflection.last
    ]


def answers(*texts: str) -> Callable[[str], str]:
    """The model's answers in turn, the last one for good."""
    left = list(texts)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


TALK: tuple[Line, ...] = (
    ("bo", "I would maximise the floor."),
    ("ana", "So would I."),
    Message(participant="bo", content="I doubt ana.", form="reasoning"),
    Message(participant="bo", content="Between us two.", to=("cy",)),
    DONE,
)


async def test_the_question_shows_memory_then_what_happened_then_asks(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """In this order, each part quoted; no one else's thoughts or letters among them."""
    reflection, records = job(*TALK, **settings())
    made = await reflection.run(model, records)
    (asked,) = fake.prompts
    order = (
        "Your memory so far:\n(empty)",
        'Prompt:\n- n 1 bo: "I would maximise the floor."',
        'Your Response:\n- n 2 ana: "So would I."',
        'Outcome:\n- n 5 desk, final results: "Consensus reached on Floor. Earnings: $24k.',
        '    consensus: yes\n    earnings: 24000\n    if Avg+Floor: 25000"',
        "Update your memory based on what just happened.",
        "reflect on what it means for your decision-making",
        "at most 400 characters",
    )
    places = [asked.index(part) for part in order]
    assert places == sorted(places)
    assert "doubt" not in asked
    assert "Between us" not in asked
    assert isinstance(made, NoteRevised)
    assert (made.participant, made.cause, made.base, made.why) == ("ana", 5, 0, "results")
    assert made.text.startswith("A model's summary of")
    assert made.model == "small-1"


async def test_the_memory_before_is_quoted_as_it_stands(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Only what came after it is told; no line of it can leave the quotation."""
    text = 'I like floors.\n\nOutcome:\n"none"'
    noted = NoteRevised(participant="ana", cause=2, text=text)
    reflection, records = job(*TALK, noted, **settings())
    await reflection.run(model, records)
    (asked,) = fake.prompts
    quoted = '"I like floors.\n    \n    Outcome:\n    \\"none\\""'
    assert f"Your memory so far:\n{quoted}\n\nWhat" in asked
    assert "\n|" not in asked
    fake.answer = lambda _: quoted
    copied = await reflection.run(model, records)
    assert isinstance(copied, NoteRevised)
    assert copied.text == text
    assert "maximise the floor" not in asked
    assert reflection.base == 2


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("| I like floors.\n| And averages.", "I like floors.\nAnd averages."),
        ('"I like floors."', "I like floors."),
        ("Floors:\n    - high\n\n    - low", "Floors:\n- high\n\n- low"),
        ("I like floors:\n- high\n    - very", "I like floors:\n- high\n    - very"),
        ('"Floors" or "averages"', '"Floors" or "averages"'),
        ('"', '"'),
    ],
)
async def test_marks_of_quotation_that_a_model_copies_are_no_part_of_its_memory(
    fake: FakeOpenAI, model: OpenAIModel, answer: str, text: str
) -> None:
    fake.answer = lambda _: answer
    reflection, records = job(*TALK, **settings())
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRevised)
    assert made.text == text


async def test_a_consensus_is_integrated_and_ones_own_statement_just_noted(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Beliefs are asked about where something was decided, and not after every word."""
    agreed = BallotCompleted(participant="desk", consensus=True, content="Floor.")
    for lines, asks in (((("ana", "Hm."), agreed), True), ((("ana", "Hm."),), False)):
        reflection, records = job(*lines, routes={"own": "reflect"}, **settings(policy="rewrite"))
        await reflection.run(model, records)
        assert ("update your beliefs" in fake.prompts[-1]) is asks


async def test_an_overlong_answer_is_told_its_length_and_asked_again(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """The feedback reaches the model: measured length, limit, and a target of 90 %."""
    fake.answer = answers("x" * 450, "y" * 401, "z" * 400)
    reflection, records = job(*TALK, **settings())
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRevised)
    assert made.text == "z" * 400
    assert made.attempts == 3
    assert "Memory length 450 exceeds limit 400. Aim at 360" in fake.prompts[1]
    assert "Please shorten your memory." in fake.prompts[1]
    assert f'"{"x" * 450}"\n' in fake.prompts[1]
    assert "Memory length 401 exceeds limit 400" in fake.prompts[2]


@pytest.mark.parametrize("exhausted", ["keep_previous", "clip"])
async def test_an_answer_that_gives_the_request_back_is_no_memory(
    fake: FakeOpenAI, model: OpenAIModel, exhausted: str
) -> None:
    """It is asked again, and told so; what was noted before stands where no answer says more."""
    empty = (
        "I will update my memory based on the events that occurred. I will integrate the "
        "information into my beliefs and reflect on what it means for my decision-making. I will "
        "say in my own words what I will remember, all of it, in at most 1200 characters."
    )
    fake.answer = answers(empty, "Bo wants tea, and I will remember it.")
    reflection, records = job(*TALK, **settings())
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRevised)
    assert made.text == "Bo wants tea, and I will remember it."
    assert "It says that you will remember, and not what." in fake.prompts[1]
    fake.answer = lambda _: empty
    reflection, records = job(*TALK, **settings(retries=2, exhausted=exhausted))
    assert isinstance(await reflection.run(model, records), NoteRefused)


@pytest.mark.parametrize("retries", [1, 5])
async def test_after_so_many_answers_the_note_is_kept(
    fake: FakeOpenAI, model: OpenAIModel, retries: int
) -> None:
    """A refusal with every measured size; each answer counted, none more asked."""
    fake.answer = lambda _: "x" * (500 + fake.calls)
    reflection, records = job(*TALK, **settings(retries=retries))
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRefused)
    assert fake.calls == made.attempts == retries
    assert made.sizes == tuple(501 + k for k in range(retries))
    assert made.limit == 400
    assert not made.aborted


async def test_the_last_answer_may_be_clipped_instead(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """Where the session would rather have part of it than none, and it says so."""
    fake.answer = lambda _: "word " * 200
    reflection, records = job(*TALK, **settings(exhausted="clip", retries=2))
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRevised)
    assert made.clipped
    assert 0 < len(made.text) <= 400
    assert made.text.endswith("…")


async def test_transport_failures_cost_no_answers(fake: FakeOpenAI, model: OpenAIModel) -> None:
    """A model that cannot be asked is its caller's matter, with a budget of its own."""
    fake.fail("401")
    reflection, records = job(*TALK, **settings(retries=1))
    with pytest.raises(ModelRefused):
        await reflection.run(model, records)
    fake.recover()
    assert isinstance(await reflection.run(model, records), NoteRevised)


async def test_a_defect_is_not_taken_for_verbosity(fake: FakeOpenAI) -> None:
    """A programming error passes, at the first call."""

    class Broken:
        calls = 0

        async def complete(self, prompt: object) -> object:
            self.calls += 1
            raise AttributeError("'RunResult' object has no attribute 'content'")

    broken = Broken()
    reflection, records = job(*TALK, **settings())
    with pytest.raises(AttributeError):
        await reflection.run(broken, records)  # type: ignore[arg-type]  # a broken model on purpose
    assert broken.calls == 1


@pytest.mark.parametrize("failure", ["overflow", "overflow-vllm", "overflow-llamacpp"])
async def test_an_overflow_asks_with_less_and_never_the_same_again(
    fake: FakeOpenAI, model: OpenAIModel, failure: str
) -> None:
    """Half of what happened, whole events, the oldest left out and counted."""
    fake.fail(failure, times=2)  # type: ignore[arg-type]  # one of three
    lines = [("bo", f"point {k}: " + "because of this and that " * 20) for k in range(40)]
    reflection, records = job(("ana", "Go on."), *lines, DONE, **settings())
    with capture_logs() as logged:
        made = await reflection.run(model, records)
    assert [(event["event"], event["participant"]) for event in logged] == [
        ("prompt_halved", "ana")
    ] * 2
    assert isinstance(made, NoteRevised)
    assert made.attempts == 1
    sizes = [len(prompt) for prompt in fake.prompts]
    assert sizes[1] < sizes[0] * 6 // 10
    assert sizes[2] < sizes[1] * 6 // 10
    assert "earlier events are left out" in fake.prompts[2]
    assert "point 39: because" in fake.prompts[2]
    assert "point 1:" not in fake.prompts[2]
    assert "Consensus reached on Floor" in fake.prompts[2]


async def test_a_long_memory_gives_way_where_a_model_has_no_room_for_it(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Its newest part is shown, which says so; the revision before stays in the log."""
    noted = NoteRevised(participant="ana", cause=2, text="Early. " * 2000 + "Floors are best.")
    reflection, records = job(*TALK, noted, **settings(limit=20_000))
    fake.room = 9_000
    made = await reflection.run(model, records)
    assert isinstance(made, NoteRevised)
    assert made.base == 2
    asked = fake.prompts[-1]
    assert '"(its beginning is left out)\n' in asked
    assert 'Floors are best."\n' in asked
    assert "Consensus reached on Floor" in asked


async def test_a_model_without_room_is_asked_in_vain_only_so_often(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """After the halvings the overflow is the caller's."""
    fake.room = 10
    reflection, records = job(*[("bo", "word " * 900)] * 9, ("ana", "Hm."), DONE, **settings())
    with pytest.raises(ContextOverflow):
        await reflection.run(model, records)
    assert fake.calls <= HALVINGS + 1
    assert len(set(fake.prompts)) == fake.calls


async def test_a_swollen_notebook_is_asked_for_less_than_it_may_have(
    fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Past its warning the wanted size is the target, some way below the limit."""
    limits = {"note": {"cap": 1000, "warn": 800, "target": 600}}
    lines = [("ana", "x" * 100)] * 9
    reflection, records = job(*lines, limits=limits, note={"policy": "append"})
    assert reflection.effect.why == "compress"
    await reflection.run(model, records)
    assert "at most 600 characters" in fake.prompts[0]
    assert "update your beliefs" not in fake.prompts[0]


def test_length_is_measured_in_characters() -> None:
    """Whether it fits, and how long it is; no bytes, no waiting."""
    assert validate_memory_length("é" * 750, 750) == (True, 750)
    assert validate_memory_length("é" * 751, 750) == (False, 751)
    assert validate_memory_length("", 0) == (True, 0)


# -- on a real bus, with a real runner -------------------------------------------


async def experiment(bus: Bus, name: str, **given: object) -> None:
    """A session of two with a decision and results, the second phase of two."""
    await bus.open(name, opened(**given))
    entries: list[Entry] = [
        EpisodeOpened(participant="desk", episode="phase", title="Alone"),
        Message(participant="ana", content="I rank the floor first."),
        EpisodeOpened(participant="desk", episode="phase", title="Together"),
        Message(participant="bo", content="The average, for me."),
        BallotCompleted(participant="desk", consensus=True, content="Floor.", supporters=("ana",)),
        DONE,
    ]
    await bus.publish(name, [Draft(f"e{k}", entry) for k, entry in enumerate(entries)])


async def noted(bus: Bus, session: str) -> list[NoteRevised | NoteRefused]:
    return [
        cast("NoteRevised | NoteRefused", record.entry)
        for record in await whole(bus, session)
        if record.entry.kind in ("note.revised", "note.refused")
    ]


async def memory_of(bus: Bus, session: str) -> Memory:
    info = await bus.info(session)
    return replayed(await whole(bus, session), info.skips)[0]


def worker(bus: Bus, model: OpenAIModel) -> Sequence[Projector | EffectRunner]:
    return Projector(bus, PACKS, "w1", FOLD), EffectRunner(bus, PACKS, model, "e1", EFFECTS)


async def test_results_are_reflected_on_by_everyone(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """One revision each, of the newest cause; it lives on through phases, and in a replay."""
    fake.answer = lambda user: "The group reached consensus on the floor." if user else ""
    await experiment(bus, "a", **settings())
    async with running(*worker(bus, model)):
        await wait_until(lambda: all_noted(bus, "a", 2))
        more = EpisodeOpened(participant="desk", episode="phase", title="After")
        await bus.publish("a", [Draft("more", more)])
    memory = await memory_of(bus, "a")
    for who in ("ana", "bo"):
        assert standing_revision(memory, who) == ("The group reached consensus on the floor.", 6)
    assert list_owed_reflections(memory) == []
    assert dump(memory) == dump(await memory_of(bus, "a"))


async def all_noted(bus: Bus, session: str, count: int) -> bool:
    return len(await noted(bus, session)) == count


async def test_a_verbose_participant_stops_nobody(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """keep_previous: one is refused with its sizes, the other revised, the session is open."""
    of_ana = ("Your Response:\n- n 2 ana", '"xxx')
    fake.answer = lambda user: "x" * 401 if any(mark in user for mark in of_ana) else "Fine."
    await experiment(bus, "a", **settings())
    async with running(*worker(bus, model)):
        await wait_until(lambda: all_noted(bus, "a", 2))
    made = {note.participant: note for note in await noted(bus, "a")}
    assert {who: note.kind for who, note in made.items()} == {
        "ana": "note.refused",
        "bo": "note.revised",
    }
    assert made["ana"].attempts == 5
    assert (await bus.info("a")).status == "open"


async def test_a_run_may_be_aborted(bus: Bus, fake: FakeOpenAI, model: OpenAIModel) -> None:
    """abort_run: the refusal is logged, then the session is closed with its reason."""
    fake.answer = lambda _: "x" * 401
    await experiment(bus, "a", **settings(exhausted="abort_run", retries=2))
    async with running(*worker(bus, model)):
        await wait_until(lambda: is_closed(bus, "a"))
    made = await noted(bus, "a")
    assert made[0].kind == "note.refused"
    assert made[0].aborted
    assert tuple(made[0].sizes) == (401, 401)
    memory = await memory_of(bus, "a")
    assert memory.closed is not None
    assert "could not be rewritten" in memory.closed


async def is_closed(bus: Bus, session: str) -> bool:
    return (await bus.info(session)).status == "closed"


async def test_an_outage_costs_time_and_no_answers(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """While the model is away nothing is refused; when it is back, all are revised."""
    fake.fail("500")
    await experiment(bus, "a", **settings(retries=1))
    async with running(*worker(bus, model)):
        await wait_until(lambda: fake.calls >= 3)
        assert await noted(bus, "a") == []
        fake.recover()
        await wait_until(lambda: all_noted(bus, "a", 2))
    made = await noted(bus, "a")
    assert {(note.kind, note.attempts) for note in made} == {("note.revised", 1)}


async def test_a_whole_run_of_agents_that_keep_their_own_memory(
    bus: Bus, fake: FakeOpenAI, model: OpenAIModel
) -> None:
    """Asked after its words, each round, the ballot and the results; each builds on the last."""
    fake.answer = lambda _: f"Memory {fake.calls}: I rank the floor first."
    await bus.open("a", opened(**load_preset("autobiographer")))
    steps: list[tuple[Entry, bool]] = [
        (EpisodeOpened(participant="desk", episode="phase", title="Alone"), False),
        (Message(participant="ana", content="Floor, range, average. " * 40), True),
        *((step, asks) for _ in range(4) for step, asks in ROUND),
        (EpisodeClosed(participant="desk", episode="phase"), True),
        (EpisodeOpened(participant="desk", episode="phase", title="Together"), False),
        (VoteInitiated(participant="desk", content="Which principle?"), False),
        (VoteConfirmed(participant="ana"), False),
        (BallotCompleted(participant="desk", consensus=True, content="Floor."), True),
        (DONE, True),
    ]
    asked = 0
    async with running(*worker(bus, model)):
        for k, (entry, asks) in enumerate(steps):
            await bus.publish("a", [Draft(f"e{k}", entry)])
            asked += asks
            await wait_until(lambda count=asked: all_noted(bus, "a", count))
    made = [cast("NoteRevised", note) for note in await noted(bus, "a")]
    assert {note.kind for note in made} == {"note.revised"}
    assert [note.base for note in made] == [0, *(note.cause for note in made[:-1])]
    assert fake.calls == asked == 8
    assert f'"{"Floor, range, average. " * 40}'.rstrip() in fake.prompts[0]
    assert '"Memory 7: I rank the floor first."' in fake.prompts[7]
    memory = await memory_of(bus, "a")
    assert standing_revision(memory, "ana") == ("Memory 8: I rank the floor first.", memory.n)
    assert list_owed_reflections(memory) == []
