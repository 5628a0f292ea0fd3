"""Taking the words of one entry out of a log: on every server, under publishers, through kills."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest
import redis

from parley.bus import Bus, Draft, Scripts, Subscription
from parley.bus.contract.errors import Fenced, InvalidEntry, SessionNotFound
from parley.bus.contract.wire import replace_fields
from parley.bus.entries import Entry, Message, NoteRevised, Record, SummaryMade, Unknown
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import Flavour, RedisServer, StartServer
from tests.support.servers.stored import stored
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    fact,
    folded,
    message_draft,
    rows,
    snapshot_of,
    summary,
    talk,
    without,
)

SECRET = "the vault opens with 4711"


def wordless(log: Sequence[Record], n: int) -> Entry | Unknown:
    """The entry without its words."""
    record = next(record for record in log if record.n == n)
    assert not isinstance(record.entry, Unknown)
    return replace_fields(record.entry, content="[redacted]")


async def spoken(bus: Bus, count: int = 30, at: int = 7) -> list[Record]:
    """A session `a` whose message `at` tells a secret."""
    await talk(bus, "a", at - 1)
    await bus.publish("a", [message_draft(at, content=SECRET)])
    await bus.publish("a", [message_draft(k) for k in range(at + 1, count + 1)])
    return await everything(bus, "a")


async def test_a_redacted_entry_keeps_its_place_and_loses_its_words(
    bus: Bus, raw: redis.Redis
) -> None:
    """All other entries stand as they were; the last one says what was done."""
    before = await spoken(bus)
    done = await bus.redact("a", 7, blank=wordless, reason="a secret", by="ana")
    assert (done.n, done.derived, done.again) == (7, (), False)
    after = await everything(bus, "a")
    assert [record.identity for record in after[:-1]] == [record.identity for record in before]
    changed = [before.seq for before, other in zip(after, before, strict=False) if before != other]
    assert changed == [8]
    assert after[7].entry.content == "[redacted]"  # type: ignore[union-attr]  # a message
    assert after[-1].id == "redacted:32"
    assert after[-1].entry.redacted == 7  # type: ignore[union-attr]  # an entry.redacted
    assert SECRET.encode() not in stored(raw)


async def test_redacting_twice_is_redacting_once(bus: Bus) -> None:
    """The second call says so and writes nothing."""
    await spoken(bus)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    before = await everything(bus, "a")
    assert (await bus.redact("a", 7, blank=wordless, reason="again")).again
    assert await everything(bus, "a") == before


async def test_a_resend_of_a_redacted_entry_is_a_duplicate(bus: Bus) -> None:
    """Whatever it says: of what it said nothing is left to compare, not even a hash."""
    await spoken(bus)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    for content in (SECRET, "something else"):
        (receipt,) = await bus.publish("a", [message_draft(7, content=content)])
        assert (receipt.seq, receipt.n, receipt.duplicate) == (8, 7, True)


async def test_a_resend_is_a_duplicate_after_a_restore_too(bus: Bus) -> None:
    """The log alone tells which entries lost their words."""
    await spoken(bus)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    await bus.restore("b", await everything(bus, "a"))
    (receipt,) = await bus.publish("b", [message_draft(7, content=SECRET)])
    assert receipt.duplicate


async def test_what_was_derived_of_it_becomes_a_tombstone_and_may_land_again(
    bus: Bus, raw: redis.Redis
) -> None:
    """Summaries of other ranges stay; the places of the others are kept, their ids are free."""
    await spoken(bus)
    note = NoteRevised(participant="bo", cause=9, text=SECRET)
    early = NoteRevised(participant="bo", cause=6, text="nothing of it")
    drafts = [
        summary(1, 12, SECRET), summary(13, 24), Draft("note:x:9:model", note),
        Draft("note:x:6:model", early),
        Draft("summary:1:1:24:model", SummaryMade(level=1, first=1, last=24, how="model",
                                                  text=SECRET)),
    ]  # fmt: skip
    await bus.publish("a", drafts)
    done = await bus.redact("a", 7, blank=wordless, reason="a secret")
    assert done.derived == (32, 34, 36)
    after = await everything(bus, "a")
    assert [(record.seq, record.n, record.id) for record in after[31:]] == [
        (32, 30, "redacted:32"), (33, 30, "summary:0:13:24:extract"), (34, 30, "redacted:34"),
        (35, 30, "note:x:6:model"), (36, 30, "redacted:36"), (37, 30, "redacted:37"),
    ]  # fmt: skip
    assert SECRET.encode() not in stored(raw)
    (receipt,) = await bus.publish("a", [summary(1, 12, "made again")])
    assert not receipt.duplicate


async def test_copies_of_what_was_set_aside_go_too(bus: Bus, raw: redis.Redis) -> None:
    """And those of other sessions stay where they are."""
    await spoken(bus)
    await talk(bus, "b", 3)
    await bus.set_aside("b", 3, "poison")
    await bus.set_aside("a", 8, "poison")
    (other,) = [row for row in rows(raw, "parley:{0}:dead") if row[1][b"session"] == b"b"]
    assert SECRET.encode() in stored(raw)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    assert rows(raw, "parley:{0}:dead") == [other]
    assert SECRET.encode() not in stored(raw)
    assert (await bus.info("a")).skips == (8,)


async def test_facts_snapshots_and_effects_of_the_old_log_are_gone(
    bus: Bus, raw: redis.Redis
) -> None:
    """The session is due, and keeps its state otherwise."""
    records = await spoken(bus)
    claim = await claim_of(bus, "a")
    await bus.commit(
        claim,
        commit_of(records[-1], "a", facts=[fact(2)], effects=[("effects", "e", ())],
                  snapshot=snapshot_of(records[-1], SECRET.encode())),
        done=True,
    )  # fmt: skip
    await bus.close("a", "done")
    await bus.mark("a", "archived")
    before = await bus.info("a")
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    info = await bus.info("a")
    assert (info.status, info.head, info.n) == ("archived", before.head + 1, before.n)
    assert (info.folded, info.due) == (0, {"fold": 1, "effects": 0, "upgrades": 0})
    assert await bus.fact_rows("a") == []
    assert await bus.snapshot("a", "1") is None
    assert SECRET.encode() not in stored(raw)


async def test_work_begun_before_a_redaction_lands_nowhere(bus: Bus, raw: redis.Redis) -> None:
    """Neither a fold nor an effect that read the words can bring them back."""
    records = await folded_with_secret(bus)
    before = (await bus.info("a")).incarnation
    (effect,) = (await bus.take("effects", "e", lease_ms=60_000)).claims
    await bus.publish("a", [message_draft(31)])
    claim = await claim_of(bus, "a")
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    with pytest.raises(Fenced, match="redacted"):
        await bus.finish(
            effect, "a", summary(1, 12, SECRET), records[11].identity, incarnation=before
        )
    late = commit_of(
        records[-1], "a", snapshot=snapshot_of(records[-1], SECRET.encode()), incarnation=before
    )
    with pytest.raises(Fenced, match="redacted"):
        await bus.commit(claim, late, done=True)
    assert SECRET.encode() not in stored(raw)


async def test_what_was_made_before_a_redaction_is_not_published_after_it(
    bus: Bus, raw: redis.Redis
) -> None:
    """Whoever publishes a result without a lane says which log it was made from."""
    await folded_with_secret(bus)
    before = (await bus.info("a")).incarnation
    draft = summary(1, 12, SECRET)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    with pytest.raises(Fenced, match="redacted"):
        await bus.publish("a", [draft], incarnation=before)
    assert SECRET.encode() not in stored(raw)
    now = (await bus.info("a")).incarnation
    await bus.publish("a", [message_draft(31)], incarnation=now)


@pytest.mark.parametrize(
    "fence", ["commit.incarnation", "finish.incarnation", "publish.incarnation"]
)
async def test_without_the_fence_on_incarnations_the_words_come_back(
    redis_url: str, raw: redis.Redis, fence: str
) -> None:
    """What the rules are for: every number and id of the log is the same as before."""
    async with await without(redis_url, fence) as bus:
        records = await folded_with_secret(bus)
        before = (await bus.info("a")).incarnation
        (effect,) = (await bus.take("effects", "e", lease_ms=60_000)).claims
        await bus.publish("a", [message_draft(31)])
        claim = await claim_of(bus, "a")
        await bus.redact("a", 7, blank=wordless, reason="a secret")
        if fence == "finish.incarnation":
            made, read = summary(1, 12, SECRET), records[11].identity
            await bus.finish(effect, "a", made, read, incarnation=before)
        elif fence == "publish.incarnation":
            await bus.publish("a", [summary(1, 12, SECRET)], incarnation=before)
        else:
            kept = snapshot_of(records[-1], SECRET.encode())
            late = commit_of(records[-1], "a", snapshot=kept, incarnation=before)
            await bus.commit(claim, late, done=True)
        assert SECRET.encode() in stored(raw)


@pytest.mark.parametrize("fenced", [True, False])
async def test_a_session_replaced_meanwhile_is_read_again(
    redis_url: str, raw: redis.Redis, fenced: bool
) -> None:
    """Without that fence what was written anew would take the place of another log."""
    looks = 0

    def replacing(log: Sequence[Record], n: int) -> Entry | Unknown:
        nonlocal looks
        looks += 1
        if looks == 1:
            raw.hset("parley:{0}:s:a:meta", "incarnation", "another")
        return wordless(log, n)

    scripts = Scripts({} if fenced else {"redact.incarnation": ""})
    async with await Bus.connect(redis_url, outbox_seconds=0, scripts=scripts) as bus:
        await spoken(bus)
        await bus.redact("a", 7, blank=replacing, reason="a secret")
        assert looks == (2 if fenced else 1)


async def folded_with_secret(bus: Bus) -> list[Record]:
    """A session `a` with the secret, folded; the summary of its first twelve is due."""
    await spoken(bus)
    return await folded(bus, "a", effects=[1])


async def test_a_subscriber_is_fenced_by_a_redaction(bus: Bus) -> None:
    """What it heard no longer stands as it was: it begins anew."""
    await spoken(bus)
    async with bus.subscribe("a", after=0) as heard:
        await anext(heard)
        await bus.redact("a", 7, blank=wordless, reason="a secret")
        with pytest.raises(Fenced, match="redacted"):
            await asyncio.wait_for(_heard_out(heard), PATIENCE)


async def _heard_out(heard: Subscription) -> None:
    async for _ in heard:
        pass


async def test_no_entry_and_no_session_are_refused(bus: Bus) -> None:
    """By name, and nothing is written."""
    await talk(bus, "a", 3)
    with pytest.raises(InvalidEntry, match="its last one is 3"):
        await bus.redact("a", 4, blank=wordless, reason="x")
    with pytest.raises(SessionNotFound):
        await bus.redact("b", 1, blank=wordless, reason="x")
    assert (await bus.info("a")).head == 4


async def test_what_refuses_to_blank_leaves_all_as_it_was(bus: Bus) -> None:
    """Whatever it raises comes through."""
    before = await spoken(bus)

    def refusing(log: Sequence[Record], n: int) -> Entry:
        raise LookupError(n)

    with pytest.raises(LookupError):
        await bus.redact("a", 7, blank=refusing, reason="x")
    assert await everything(bus, "a") == before


async def test_a_publisher_goes_on_after_a_redaction(bus: Bus) -> None:
    """Its outbox is that of the same log: a removal is not undone by it."""
    await spoken(bus)
    await bus.redact("a", 7, blank=wordless, reason="a secret")
    (receipt,) = await bus.publish("a", [message_draft(31)])
    assert (receipt.seq, receipt.n) == (33, 31)
    await bus.remove("a")
    with pytest.raises(SessionNotFound):
        await bus.publish("a", [message_draft(32)])


async def test_a_log_that_lost_a_redaction_still_gets_back_what_was_acknowledged(
    redis_server: RedisServer,
) -> None:
    """To a publisher both are the same log."""
    async with await Bus.connect(redis_server.url) as bus:
        await talk(bus, "a", 3)
        with redis_server.client() as raw:
            kept = {key: raw.dump(key) for key in raw.scan_iter("parley:{0}:s:a:*")}
            await bus.redact("a", 2, blank=wordless, reason="x")
            await bus.publish("a", [message_draft(4)])
            for key in raw.scan_iter("parley:{0}:s:a:*"):
                raw.delete(key)
            for key, value in kept.items():
                raw.restore(key, 0, value)
        await bus.publish("a", [message_draft(5)])

        ids = [record.id for record in await everything(bus, "a")]
        assert ids == ["open", "m1", "m2", "m3", "redacted:5", "m4", "m5"]


async def test_publishers_lose_nothing_while_entries_are_redacted(
    any_server: RedisServer,
) -> None:
    """Every acknowledged entry stands once, with the number that its publisher was told."""
    landed: dict[str, tuple[int, int]] = {}
    stop = asyncio.Event()

    async def publish(bus: Bus, who: str) -> None:
        k = 0
        while not stop.is_set():
            k += 1
            words = Message(participant=who, content=f"{SECRET} {who} {k}")
            drafts = [Draft(f"{who}{k}.{i}", words) for i in range(3)]
            receipts = await bus.publish("a", drafts)
            for draft, receipt in zip(drafts, receipts, strict=True):
                landed[draft.id] = (receipt.seq, receipt.n)

    async def derive(bus: Bus) -> None:
        k = 0
        while not stop.is_set():
            k += 1
            await bus.publish("a", [summary(k, k + 11, f"{SECRET} summed")])
            await asyncio.sleep(0.002)

    async with await Bus.connect(any_server.url) as bus, await Bus.connect(any_server.url) as other:
        await talk(bus, "a", 20)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(publish(bus, "ana"))
            tasks.create_task(publish(other, "bo"))
            tasks.create_task(derive(other))
            await wait_until(lambda: len(landed) > 50)
            for n in (21, 22, 30, 25):
                await bus.redact("a", n, blank=wordless, reason="a secret")
            stop.set()
        records = await everything(bus, "a")
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert {
        record.id: (record.seq, record.n) for record in records if record.id in landed
    } == landed
    messages = {record.n: record.entry for record in records if record.entry.kind == "message"}
    for n in (21, 22, 30, 25):
        assert messages[n].content == "[redacted]"  # type: ignore[union-attr]  # a message
    last = _marker(records, 25)
    assert not [
        record.seq for record in records[:last]
        if record.entry.kind == "summary.made" and record.entry.first <= 25 <= record.entry.last  # type: ignore[union-attr]
    ]  # fmt: skip


def _marker(records: Sequence[Record], n: int) -> int:
    """The seq of the entry that was appended by the redaction of `n`."""
    return max(record.seq for record in records if getattr(record.entry, "redacted", 0) == n)


async def test_two_redactions_at_once_both_hold(bus: Bus, any_server: RedisServer) -> None:
    """The one that comes second writes anew what the first one left."""
    await spoken(bus)
    async with await Bus.connect(any_server.url) as other:
        await asyncio.gather(
            bus.redact("a", 7, blank=wordless, reason="x"),
            other.redact("a", 9, blank=wordless, reason="y"),
        )
    messages = {record.n: record.entry for record in (await everything(bus, "a"))[:31]}
    assert messages[7].content == messages[9].content == "[redacted]"  # type: ignore[union-attr]


REDACTING = """
import asyncio, sys
from bus import Bus
from tests.bus.sessions.test_redaction import wordless

async def main():
    async with await Bus.connect(sys.argv[1]) as bus:
        for n in range(1, 400):
            print(n, flush=True)
            await bus.redact("a", n, blank=wordless, reason="killed")

asyncio.run(main())
"""


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
async def test_a_redaction_that_is_killed_happened_or_did_not(
    start_server: StartServer, real_flavour: Flavour, every: int
) -> None:
    """Processes killed at any point leave a sound log each, words and all, or without."""
    server = start_server(real_flavour, aof="always")
    async with await Bus.connect(server.url) as bus:
        before = await spoken(bus, 400)
        for turn in range(0, 12, every):
            process = subprocess.Popen(
                [sys.executable, "-c", REDACTING, server.url], stdout=subprocess.PIPE
            )
            assert process.stdout
            process.stdout.readline()
            await asyncio.sleep(turn * 0.004)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            if turn == 6:
                server.kill9()
                server.restart()
            records = await everything(bus, "a")
            marked = {record.entry.redacted for record in records[401:]}  # type: ignore[union-attr]
            for record, old in zip(records, before, strict=False):
                blank = record.n in marked and record.entry.kind == "message"
                assert record.identity == old.identity
                assert record == old or blank
            info = await bus.info("a")
            assert (info.head, info.n) == (records[-1].seq, 400)
