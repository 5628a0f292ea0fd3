"""Repeated ideas that no words show: effects on a real Redis, an embedder over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

from parley.bus import Bus, Draft
from parley.bus.entries import Message
from parley.listeners.effects.comparison import Comparer, ComparisonJob
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.spending.prices import Price, Prices
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.fold.canonical_bytes import dump
from parley.memory.items.embedding_comparisons import list_owed_comparisons
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, opened, talk
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.sessions.sessions import replayed, running, whole

FOLD = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)
EFFECTS = EffectPace(idle_seconds=0.05, first_pause_seconds=0.05)
PRICES: Prices = {"embed-1": Price(input=1_000_000, output=0)}
EMBEDDING = {"echo": {"how": "embedding"}}
LINES = (
    ("ana", "I propose that we ban dogs in the park."),
    ("bo", "I propose that we open the shop at nine."),
    ("cy", "I propose that we banish the pooch in the playground."),
)


@asynccontextmanager
async def compared(bus: Bus, fake: FakeOpenAI, *, runners: int = 1) -> AsyncIterator[None]:
    """A projector and runners with an embedder and no other model."""
    models = [
        OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE) for _ in range(runners)
    ]
    answers = [
        EffectRunner(bus, PACKS, None, f"e{place}", EFFECTS, PRICES, model)
        for place, model in enumerate(models)
    ]
    async with running(Projector(bus, PACKS, "w1", FOLD), *answers):
        yield
    for model in models:
        await model.aclose()


async def open_compared(bus: Bus, **settings: object) -> None:
    """A session in which the third proposal repeats the first in words of its own."""
    await bus.open("a", opened(**{**EMBEDDING, **settings}))
    drafts = [Draft(f"m{place}", Message(participant=who, content=text))
              for place, (who, text) in enumerate(LINES)]  # fmt: skip
    await bus.publish("a", drafts)


async def memory_of(bus: Bus) -> Memory:
    memory, _ = replayed(await whole(bus, "a"))
    return memory


async def is_asked(bus: Bus) -> bool:
    memory = await memory_of(bus)
    return [proposal.compared for proposal in memory.proposals.values()] == [False, True, True]


async def test_an_embedding_finds_what_words_do_not(bus: Bus, fake: FakeOpenAI) -> None:
    """As an entry with a deterministic id; every proposal is embedded once by one runner."""
    await open_compared(bus)
    async with compared(bus, fake):
        await wait_until(lambda: is_asked(bus))
    log = await whole(bus, "a")
    answers = {record.id: record.entry for record in log if record.entry.kind == "similarity.found"}
    assert set(answers) == {"similarity:2:2:embedding", "similarity:3:3:embedding"}
    memory = await memory_of(bus)
    third = memory.proposals[3]
    assert (third.echoes, third.similarity, third.alike_by) == (1, 1000, "embed-1")
    assert memory.proposals[2].echoes is None
    texts = [text for request in fake.embeddings for text in request["input"]]
    assert sorted(texts) == sorted(set(texts))
    assert b"0." not in dump(memory)


async def test_two_runners_that_race_publish_each_answer_once(bus: Bus, fake: FakeOpenAI) -> None:
    """The first of an id stands."""
    await open_compared(bus)
    async with compared(bus, fake, runners=2):
        await wait_until(lambda: is_asked(bus))
    kinds = [record.entry.kind for record in await whole(bus, "a")]
    assert kinds.count("similarity.found") == 2


async def test_an_outage_delays_the_answer_and_nothing_else(bus: Bus, fake: FakeOpenAI) -> None:
    """Vectors that cannot be used and refusals are waited out; the talk goes on."""
    fake.spoil = lambda rows: [{**row, "embedding": [float("nan")]} for row in rows]
    await open_compared(bus)
    async with compared(bus, fake):
        await wait_until(lambda: len(fake.embeddings) >= 2)
        await bus.publish("a", [Draft("more", Message(participant="ana", content="+1 to P2"))])
        fake.spoil = None
        await wait_until(lambda: is_asked(bus))
    assert (await memory_of(bus)).messages == 4


async def test_a_session_that_wants_words_asks_nobody(bus: Bus, fake: FakeOpenAI) -> None:
    """`echo.how` is the session's, not the runner's."""
    await open_compared(bus, echo={"how": "words"})
    memory = await memory_of(bus)
    assert len(memory.proposals) == 3
    assert list(list_owed_comparisons(memory)) == []
    assert fake.embeddings == []


async def test_it_is_paid_for_where_the_session_keeps_books(bus: Bus, fake: FakeOpenAI) -> None:
    """As `embed`, on the account of the server, at what the endpoint counted."""
    await open_compared(bus, budget={"tokens": 100_000, "micros": 100_000})
    async with compared(bus, fake):
        await wait_until(lambda: is_asked(bus))
        await wait_until(lambda: _is_settled(bus))
    ledger = (await memory_of(bus)).ledger
    assert set(ledger.purposes) == {"embed"}
    assert ledger.total.micros == ledger.purposes["embed"] > 0


async def _is_settled(bus: Bus) -> bool:
    return not (await memory_of(bus)).ledger.calls


async def test_a_session_that_cannot_pay_is_not_compared(bus: Bus, fake: FakeOpenAI) -> None:
    """Nobody is asked, and nothing is wrong with the embedder."""
    memory, _ = folded(talk(*LINES, **EMBEDDING))
    model = OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE)
    first = next(list_owed_comparisons(memory))
    comparer = Comparer(model, 0.05)
    await open_compared(bus, budget={"tokens": 1})
    runner = EffectRunner(bus, PACKS, None, "e", EFFECTS, PRICES, model)
    async with running(Projector(bus, PACKS, "w1", FOLD), runner):
        await wait_until(lambda: runner.tally.failed > 0)
    assert fake.embeddings == []
    assert await comparer.compare("a", ComparisonJob.of(memory, first), None) is not None
    await model.aclose()


async def test_other_dimensions_under_the_same_name_are_asked_for_anew(fake: FakeOpenAI) -> None:
    """Where an endpoint changed its model, its vectors are not compared with older ones."""
    memory, _ = folded(talk(*LINES, **EMBEDDING))
    model = OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE)
    comparer = Comparer(model, 0.0)
    second, third = (ComparisonJob.of(memory, effect) for effect in list_owed_comparisons(memory))
    assert await comparer.compare("a", second, None) is not None
    fake.spoil = lambda rows: [{**row, "embedding": row["embedding"] + [1.0]} for row in rows]
    assert await comparer.compare("a", third, None) is None
    again = await comparer.compare("a", third, None)
    assert again is not None
    assert again.earlier == "P1"
    await model.aclose()


def test_the_effects_are_owed_in_order_under_ids_that_say_what_they_are_of() -> None:
    """The first proposal has nothing to repeat, and one that words showed to repeat is known."""
    memory, _ = folded(talk(*LINES, ("dee", LINES[0][1]), **EMBEDDING))
    ids = [effect.id for effect in list_owed_comparisons(memory)]
    assert ids == ["similarity:2:2", "similarity:3:3"]
    assert memory.proposals[4].echoes == 1
    assert all(first != other for first, other in pairwise(ids))
