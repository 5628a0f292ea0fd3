"""The projector on a real Redis: memory, facts and snapshots follow the log."""

from __future__ import annotations

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, PackRef, SessionOpened
from parley.listeners.cache.fold_build import fold_build
from parley.listeners.workers.projector import Projector, ProjectorPace
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.memory import FOLD
from tests.support.logs.logs import PACKS
from tests.support.processes.builds import pretend_build
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.sessions import (
    discuss,
    is_settled,
    replayed,
    replayed_bytes,
    running,
    thoughts,
    whole,
)
from tests.support.sessions.talks import forget_after

QUICK = ProjectorPace(snapshot_tail=1, idle_seconds=0.05)  # a snapshot with every commit


async def drained(projector: Projector) -> None:
    """Serve rounds until nothing is due."""
    while not await projector.round():
        pass


async def saved_bytes(bus: Bus, session: str) -> bytes:
    snapshot = await bus.snapshot(session, fold_build())
    assert snapshot is not None
    return snapshot.data


async def fact_kinds(bus: Bus, session: str) -> list[tuple[int, int, str]]:
    """(seq, k, kind) of every stored fact."""
    return [(row.seq, row.k, row.fact["kind"]) for row in await bus.fact_rows(session, count=9_999)]


@pytest.mark.parametrize(("count", "batch"), [(130, 17), (700, ProjectorPace().batch)])
async def test_memory_is_the_replay_of_the_log(bus: Bus, count: int, batch: int) -> None:
    """A snapshot after several batches has the bytes of one fold of the whole log."""
    await discuss(bus, "a", count)
    await drained(Projector(bus, PACKS, "w1", ProjectorPace(batch=batch, snapshot_tail=1)))
    info = await bus.info("a")
    assert info.folded == info.head == count + 1
    assert await saved_bytes(bus, "a") == await replayed_bytes(bus, "a")


async def test_every_fact_is_told_under_its_entry(bus: Bus) -> None:
    """The facts in Redis are those of the fold, in order, numbered by entry."""
    await discuss(bus, "a", 360)
    await drained(Projector(bus, PACKS, "w1"))
    _, facts = replayed(await whole(bus, "a"))
    rows = await fact_kinds(bus, "a")
    assert [kind for _, _, kind in rows] == [fact.kind for fact in facts]
    assert rows == sorted(rows)
    assert len(facts) > 10


async def test_a_second_fold_of_the_same_log_tells_nothing_new(bus: Bus) -> None:
    """A worker that begins from the first entry leaves the facts as they are."""
    await discuss(bus, "a", 60)
    await drained(Projector(bus, PACKS, "w1"))
    before = await fact_kinds(bus, "a")
    await discuss(bus, "a", 1, first=61)
    await drained(Projector(bus, PACKS, "w2"))  # no snapshot: it folds everything again
    after = await fact_kinds(bus, "a")
    assert after[: len(before)] == before
    assert all(seq > 61 for seq, _, _ in after[len(before) :])


async def test_a_worker_resumes_from_the_snapshot(bus: Bus) -> None:
    """What was saved is not folded again."""
    await discuss(bus, "a", 50)
    await drained(Projector(bus, PACKS, "w1", QUICK))
    await discuss(bus, "a", 300, first=51)
    second = Projector(bus, PACKS, "w2", QUICK)
    async with running(second):
        await wait_until(lambda: is_folded(bus, "a"))
    assert second.tally.folded == 300
    assert await saved_bytes(bus, "a") == await replayed_bytes(bus, "a")


async def test_a_snapshot_waits_for_a_long_tail(bus: Bus) -> None:
    """Below the tail's length none is written, at it one is."""
    projector = Projector(bus, PACKS, "w1", ProjectorPace(snapshot_tail=40))
    await discuss(bus, "a", 20)
    await drained(projector)
    assert await bus.snapshot("a", fold_build()) is None
    await discuss(bus, "a", 30, first=21)
    await drained(projector)
    snapshot = await bus.snapshot("a", fold_build())
    assert snapshot is not None
    assert snapshot.upto == 51


async def test_an_old_tail_is_saved_too(bus: Bus) -> None:
    """Whatever its length, a tail is saved with the first commit after its time."""
    await discuss(bus, "a", 3)
    await drained(Projector(bus, PACKS, "w1", ProjectorPace(snapshot_seconds=0.0)))
    assert await bus.snapshot("a", fold_build()) is not None


@pytest.mark.parametrize(("entry_bytes", "times"), [(300, 14), (1_200, 4), (4_000, 2)])
def test_snapshots_of_a_long_session_cost_a_few_times_its_memory(
    entry_bytes: int, times: int
) -> None:
    """Not their number times it: 34 MB of proposals were sent as 480."""
    pace, written, saved_seq, saved_size = ProjectorPace(), 0, 0, 0
    for seq in range(500, 100_001, 500):
        if pace.is_snapshot_due(seq - saved_seq, 0.0, saved_size):
            saved_seq, saved_size = seq, seq * entry_bytes
            written += saved_size
    assert written <= times * 100_000 * entry_bytes


def test_a_large_memory_is_not_written_whole_every_half_minute() -> None:
    """Its age counts by the megabyte; a small one is saved when it is old."""
    pace = ProjectorPace()
    assert pace.is_snapshot_due(1, 30.0, 1 << 20)
    assert not pace.is_snapshot_due(1, 300.0, 34 << 20)
    assert pace.is_snapshot_due(1, 34 * 30.0, 34 << 20)
    assert not pace.is_snapshot_due(0, 1e9, 0)


async def test_effects_fall_due_once(bus: Bus) -> None:
    """Each full interval owes one effect, however often its session is folded."""
    await discuss(bus, "a", 40, summary={"interval": 5})
    await drained(Projector(bus, PACKS, "w1", ProjectorPace(batch=3)))
    await discuss(bus, "a", 2, first=41)
    await drained(Projector(bus, PACKS, "w2"))
    taken = await bus.take("effects", "me", count=100, lease_ms=1_000)
    assert sorted(claim.member for claim in taken.claims) == sorted(
        f"a summary:0:{first}:{first + 4}" for first in range(1, 41, 5)
    )


async def test_many_sessions_are_served_side_by_side(bus: Bus) -> None:
    """Two projectors share thirty sessions; each ends as its own replay."""
    names = [f"s{k}" for k in range(30)]
    for name in names:
        await discuss(bus, name, 20)
    first, second = Projector(bus, PACKS, "w1", QUICK), Projector(bus, PACKS, "w2", QUICK)
    async with running(first, second):
        await wait_until(lambda: all_folded(bus, names))
    assert first.tally.folded + second.tally.folded == 30 * 21
    for name in names:
        assert await saved_bytes(bus, name) == await replayed_bytes(bus, name)


async def all_folded(bus: Bus, names: list[str]) -> bool:
    infos = [await bus.info(name) for name in names]
    return all(info.folded == info.head for info in infos)


async def test_a_projector_follows_a_live_session(bus: Bus) -> None:
    """Each message is folded soon after it was acknowledged."""
    await discuss(bus, "a", 1)
    async with running(Projector(bus, PACKS, "w1", QUICK)):
        for k in range(2, 12):
            (receipt,) = await discuss(bus, "a", 1, first=k)
            await wait_until(lambda seq=receipt.seq: folded_to(bus, "a", seq))


async def folded_to(bus: Bus, session: str, seq: int) -> bool:
    return (await bus.info(session)).folded >= seq


async def test_a_log_that_went_back_is_folded_anew(redis_server: RedisServer) -> None:
    """Entries that took the place of lost ones are what memory holds, and nothing of the lost."""
    others = [
        Draft(f"other{k}", Message(participant="zoe", content=f"I propose plan {k} for the roof."))
        for k in range(15)
    ]
    async with (
        await Bus.connect(redis_server.url, outbox_seconds=0) as bus,  # else the lost come back
        await Bus.connect(redis_server.url) as another,
    ):
        await discuss(bus, "a", 30)
        projector = Projector(bus, PACKS, "w1", QUICK)
        await drained(projector)
        rewind(redis_server, "a", to=21)
        await another.publish("a", others)
        await drained(projector)
        assert projector.tally.refolds >= 1
        assert await saved_bytes(another, "a") == await replayed_bytes(another, "a")
        memory = load(await saved_bytes(another, "a"), PACKS)
        assert memory.participants["zoe"].messages == 15


def rewind(server: RedisServer, session: str, to: int) -> None:
    """Take the newest entries from the log as a restart that lost them does."""
    with server.client() as client:
        forget_after(client, session, seq=to, n=to - 1)
        client.hset(f"parley:{{0}}:s:{session}:meta", "folded", to)


async def test_a_session_that_cannot_be_read_here_waits_alone(bus: Bus) -> None:
    """A missing pattern pack stops its session, sets nothing aside and holds up nobody."""
    await bus.open("odd", SessionOpened(packs=(PackRef("he@9", "0" * 32),)))
    await bus.publish("odd", thoughts(3))
    await discuss(bus, "plain", 30)
    projector = Projector(bus, PACKS, "w1", QUICK)
    async with running(projector):
        await wait_until(lambda: is_folded(bus, "plain"))
        await wait_until(lambda: projector.tally.failed >= 3)
    info = await bus.info("odd")
    assert (info.folded, info.skips) == (0, ())


async def is_folded(bus: Bus, session: str) -> bool:
    info = await bus.info(session)
    return info.folded == info.head


async def test_a_session_that_never_reads_is_never_set_aside(bus: Bus) -> None:
    """However often folding it fails without anyone dying, its entries stay."""
    await bus.open("odd", SessionOpened(packs=(PackRef("he@9", "0" * 32),)))
    projectors = [Projector(bus, PACKS, f"w{k}", QUICK) for k in range(7)]
    for projector in projectors:  # each one's first failure: the shortest back-off
        await wait_until(lambda own=projector: has_failed_again(own))
    assert (await bus.info("odd")).skips == ()


async def has_failed_again(projector: Projector) -> bool:
    await projector.round()
    return projector.tally.failed > 0


async def test_a_removed_session_is_forgotten(bus: Bus) -> None:
    """A name that is used again begins with an empty memory."""
    await discuss(bus, "a", 30)
    projector = Projector(bus, PACKS, "w1", QUICK)
    await drained(projector)
    await bus.remove("a")
    await discuss(bus, "a", 4)
    await drained(projector)
    assert await saved_bytes(bus, "a") == await replayed_bytes(bus, "a")
    assert load(await saved_bytes(bus, "a"), PACKS).messages == 4


async def test_a_projector_outlives_its_redis(durable_server: RedisServer) -> None:
    """Killed and started again, Redis is served on, and nothing is folded wrong."""
    async with await Bus.connect(durable_server.url) as bus:
        await discuss(bus, "a", 20)
        projector = Projector(bus, PACKS, "w1", QUICK)
        async with running(projector):
            await wait_until(lambda: is_folded(bus, "a"))
            durable_server.kill9()
            durable_server.restart()
            await discuss(bus, "a", 20, first=21)
            await wait_until(lambda: is_folded(bus, "a"))
        assert await saved_bytes(bus, "a") == await replayed_bytes(bus, "a")
        memory, _ = replayed(await whole(bus, "a"))
        assert dump(memory) == await saved_bytes(bus, "a")
        assert not await is_settled(bus, "a")  # three summaries are due; nobody runs effects here


@pytest.mark.parametrize("other", [f"{FOLD}-other", f"{int(FOLD) + 1}-other"])
async def test_two_builds_at_work_fold_a_session_once_each(
    other: str, bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goes on from its own copy or snapshot: neither has the other begin again."""

    async def serve(build: str, projector: Projector | None = None) -> Projector:
        pretend_build(monkeypatch, build)
        await discuss(bus, "a", 10, first=10 * len(counts) + 1)
        served = projector or Projector(bus, PACKS, build, QUICK)
        before = served.tally.folded
        async with running(served):
            await wait_until(lambda: is_folded(bus, "a"))
        counts.append(served.tally.folded - before)
        snapshot = await bus.snapshot("a", build)
        assert snapshot is not None
        assert snapshot.data == await replayed_bytes(bus, "a")
        return served

    counts: list[int] = []
    own = fold_build()
    first = await serve(own)
    second = await serve(other)
    for _ in range(3):
        await serve(own, first)
        await serve(other, second)
    await serve(own)  # another process of that build, and of the other
    await serve(other)
    assert counts == [11, 21, *[20] * 6, 20, 20]
    assert (first.tally.refolds, second.tally.refolds) == (0, 0)
