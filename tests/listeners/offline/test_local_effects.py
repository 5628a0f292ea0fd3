"""A log settled in this process ends as one settled over Redis does."""

from __future__ import annotations

from parley.bus import Bus, Draft
from parley.bus.entries import ItemCorrected, SettingsChanged
from parley.bus.log.local_log import LocalLog
from parley.listeners.effects.effect_pace import EffectPace
from parley.listeners.offline.local_effects import settle_log
from parley.listeners.workers.effect_runner import EffectRunner
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.patience import wait_until
from tests.support.sessions.sessions import is_settled, replayed_bytes, running, thoughts

CORRECTION = Draft("c1", ItemCorrected(ref="P1", by="ana", op="retract"))


def local(count: int) -> tuple[LocalLog, Memory]:
    log = LocalLog()
    log.open(opened())
    log.publish(thoughts(count))
    log.publish([CORRECTION])
    log.publish(thoughts(count, count + 1))
    return log, Memory(PACKS)


def test_nothing_is_due_when_it_is_settled() -> None:
    """All levels of summaries are made, and the facts name them in order."""
    log, memory = local(60)
    facts = settle_log(log, memory)
    assert list_due_summaries(memory) == ()
    assert memory.seq == log.info().head
    seqs = [seq for seq, _ in facts]
    assert seqs == sorted(set(seqs))
    assert {key[0] for key in memory.summaries} == {0, 1}


def test_settling_twice_adds_nothing() -> None:
    """The log and the bytes stay as they are."""
    log, memory = local(60)
    settle_log(log, memory)
    head, data = log.info().head, dump(memory)
    assert settle_log(log, memory) == []
    assert (log.info().head, dump(memory)) == (head, data)


async def test_it_is_what_workers_make_of_it(redis_url: str) -> None:
    """The same messages over Redis, with racing workers, give the same canonical bytes."""
    log, memory = local(60)
    settle_log(log, memory)
    async with await Bus.connect(redis_url) as bus:
        await bus.open("a", opened())
        pace, effects = ProjectorPace(batch=7, idle_seconds=0.05), EffectPace(idle_seconds=0.05)
        async with running(
            Projector(bus, PACKS, "w1", pace),
            Projector(bus, PACKS, "w2", pace),
            EffectRunner(bus, PACKS, None, "e1", effects),
            EffectRunner(bus, PACKS, None, "e2", effects),
        ):
            await bus.publish("a", thoughts(60))
            await bus.publish("a", [CORRECTION])
            await bus.publish("a", thoughts(60, 61))
            await wait_until(lambda: is_settled(bus, "a"))
        assert await replayed_bytes(bus, "a") == dump(memory)


def test_an_extract_goes_by_the_settings_of_its_own_time() -> None:
    """Settled at once or only at the end: a later change of settings changes no earlier extract."""
    fewer = SettingsChanged(settings={"summary": {"words": 20, "interval": 5}})
    memories = []
    for at_once in (True, False):
        log, memory = LocalLog(), Memory(PACKS)
        log.open(opened(summary={"interval": 4}))
        log.publish(thoughts(30))
        if at_once:
            settle_log(log, memory)
        log.publish([Draft("fewer", fewer)])
        log.publish(thoughts(30, 31))
        settle_log(log, memory)
        memories.append(dump(memory))
    assert memories[0] == memories[1]
