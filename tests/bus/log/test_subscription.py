"""Following: every entry and fact once, in order, whatever happens in between."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
import redis

from parley.bus import Bus, Cursor, FactRecord, Subscription
from parley.bus.contract.errors import (
    FactsExpired,
    Fenced,
    InvalidEntry,
    SessionNotFound,
    SlowSubscriber,
)
from parley.bus.entries import Record, SessionOpened
from tests.support.servers.patience import PATIENCE, wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import (
    claim_of,
    commit_of,
    everything,
    fact,
    forget_after,
    message_draft,
    talk,
)


async def receive_ids(subscription: Subscription, count: int) -> list[str]:
    """The next `count` items: `3` an entry, `3-0` a fact."""
    items: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while len(items) < count:
            items.append(named(await anext(subscription)))
    return items


def named(item: Record | FactRecord) -> str:
    return str(item.seq) if isinstance(item, Record) else f"{item.seq}-{item.k}"


async def tell(bus: Bus, session: str, *seqs: int) -> None:
    """Folds up to the last of `seqs`, finding a fact in each."""
    claim = await claim_of(bus, session)
    records = await everything(bus, session)
    facts = [fact(seq) for seq in seqs]
    await bus.commit(claim, commit_of(records[seqs[-1] - 1], session, facts=facts), done=True)


async def test_a_subscriber_hears_what_comes(bus: Bus) -> None:
    """From now on, entries and facts."""
    await talk(bus, "a", 2)
    async with bus.subscribe("a") as subscription:
        await talk(bus, "a", 2, first=3)
        assert await receive_ids(subscription, 2) == ["4", "5"]
        await tell(bus, "a", 2, 4)
        assert await receive_ids(subscription, 2) == ["2-0", "4-0"]
        assert subscription.cursor == Cursor(5, (4, 0))


async def test_a_subscriber_resumes_where_it_was(bus: Bus) -> None:
    """Through its own death: the cursor is all it needs, and nothing comes twice."""
    await talk(bus, "a", 700)
    await tell(bus, "a", *range(2, 702))
    everyone: list[str] = []
    cursor: Cursor | int = 0
    for _ in range(7):
        async with bus.subscribe("a", cursor) as subscription:
            everyone += await receive_ids(subscription, 200)
            cursor = Cursor.parse(str(subscription.cursor))
    async with bus.subscribe("a", cursor) as subscription:
        everyone += await receive_ids(subscription, 1)
    entries = [int(item) for item in everyone if "-" not in item]
    facts = [item for item in everyone if "-" in item]
    assert entries == list(range(1, 702))
    assert facts == [f"{seq}-0" for seq in range(2, 702)]


async def test_facts_come_after_their_entry(bus: Bus) -> None:
    """A subscriber that knows the fact can look the entry up."""
    await talk(bus, "a", 600)
    await tell(bus, "a", *range(2, 602))
    seen = 0
    async with bus.subscribe("a", 0) as subscription:
        for item in await receive_ids(subscription, 1201):
            seq = int(item.split("-")[0])
            seen = max(seen, seq) if "-" not in item else seen
            assert seq <= seen


async def test_facts_may_be_left_out(bus: Bus) -> None:
    """For those who only want to read along."""
    await talk(bus, "a", 2)
    await tell(bus, "a", 2, 3)
    async with bus.subscribe("a", 1, facts=False) as subscription:
        await talk(bus, "a", 1, first=3)
        assert await receive_ids(subscription, 3) == ["2", "3", "4"]


async def test_twenty_subscribers_share_one_tail(bus: Bus, raw: redis.Redis) -> None:
    """Each hears all, from its own cursor; Redis sees one reader."""
    await talk(bus, "a", 50)
    async with asyncio.TaskGroup() as tasks:
        jobs = [tasks.create_task(_follow(bus, "a", 2 * k, 131)) for k in range(20)]
        for first in range(51, 131, 8):
            await talk(bus, "a", 8, first=first)
    for k, job in enumerate(jobs):
        assert job.result() == [str(seq) for seq in range(2 * k + 1, 132)]
    channels = raw.pubsub_numsub("parley:{0}:s:a:wake")
    assert channels[0][1] <= 1


async def _follow(bus: Bus, session: str, after: int, last: int) -> list[str]:
    async with bus.subscribe(session, after) as subscription:
        return await receive_ids(subscription, last - after)


async def test_a_slow_subscriber_is_dropped_and_holds_nobody_up(bus: Bus) -> None:
    """It is told why, and resumes from its cursor."""
    await talk(bus, "a", 1)
    async with bus.subscribe("a", buffer=10) as slow, bus.subscribe("a") as quick:
        await talk(bus, "a", 1, first=2)
        assert await receive_ids(slow, 1) == ["3"]
        for first in range(3, 43, 4):
            await talk(bus, "a", 4, first=first)
        assert len(await receive_ids(quick, 41)) == 41
        with pytest.raises(SlowSubscriber) as dropped:
            await receive_ids(slow, 41)
        cursor = Cursor.parse(dropped.value.cursor)
    async with bus.subscribe("a", cursor) as resumed:
        assert (await receive_ids(resumed, 40))[0] == str(cursor.seq + 1)


async def test_a_subscriber_outlives_a_restart_of_redis(durable_server: RedisServer) -> None:
    """Each entry and fact once and in order, through kill -9 of the server."""
    async with await Bus.connect(durable_server.url) as bus:
        await talk(bus, "a", 5)
        async with bus.subscribe("a", 0) as subscription:
            assert await receive_ids(subscription, 6) == [str(seq) for seq in range(1, 7)]
            durable_server.kill9()
            durable_server.restart()
            await talk(bus, "a", 5, first=6)
            await tell(bus, "a", 3, 9)
            assert await receive_ids(subscription, 7) == ["7", "8", "9", "10", "11", "3-0", "9-0"]


async def test_a_log_that_went_back_ends_the_subscription(bus: Bus, raw: redis.Redis) -> None:
    """What was heard no longer stands: the subscriber must know."""
    await talk(bus, "a", 5)
    async with bus.subscribe("a", 0) as subscription:
        await receive_ids(subscription, 6)
        forget_after(raw, "a", seq=3, n=2)
        with pytest.raises(Fenced, match="went back"):
            await receive_ids(subscription, 1)


async def test_a_log_that_went_back_and_grew_again_is_noticed(bus: Bus, raw: redis.Redis) -> None:
    """Another entry stands under the number that was heard."""
    await talk(bus, "a", 5)
    async with bus.subscribe("a", 0) as subscription:
        await receive_ids(subscription, 6)
        forget_after(raw, "a", seq=3, n=2)
        with raw.pipeline() as step:
            for seq in range(4, 8):
                step.xadd("parley:{0}:s:a:log", {"id": "x", "t": 1, "entry": "{}"}, id=f"{seq}-5")
            step.hset("parley:{0}:s:a:meta", "head", 7)
            step.execute()
        with pytest.raises(Fenced):
            await receive_ids(subscription, 1)


async def test_a_cursor_beyond_the_head_is_refused(bus: Bus) -> None:
    """It comes from a log that is no more."""
    await talk(bus, "a", 1)
    async with bus.subscribe("a", 9) as subscription:
        with pytest.raises(Fenced, match="entry 9 is gone"):
            await receive_ids(subscription, 1)


async def test_a_replaced_session_ends_the_subscription(bus: Bus) -> None:
    """Restored or removed: what was heard is of another log."""
    await talk(bus, "a", 2)
    records = await everything(bus, "a")
    async with bus.subscribe("a", 0) as subscription:
        await receive_ids(subscription, 3)
        await bus.restore("a", records, replace=True)
        with pytest.raises(Fenced, match="anew"):
            await receive_ids(subscription, 1)
    async with bus.subscribe("a") as subscription:
        await bus.remove("a")
        with pytest.raises(SessionNotFound):
            await receive_ids(subscription, 1)


async def test_an_unknown_session_cannot_be_followed(bus: Bus) -> None:
    """The subscriber is told at once."""
    with pytest.raises(SessionNotFound):
        async with bus.subscribe("nowhere"):
            pass


async def test_facts_that_were_cut_off_are_never_passed_over_silently(
    bus: Bus, raw: redis.Redis
) -> None:
    """The subscriber is told which way to go on, and goes on from there."""
    await talk(bus, "a", 9)
    await tell(bus, "a", *range(2, 11))
    raw.xtrim("parley:{0}:s:a:facts", maxlen=4, approximate=False)
    raw.hset("parley:{0}:s:a:meta", "facts_from", "7-0")
    async with bus.subscribe("a", 0) as subscription:
        with pytest.raises(FactsExpired) as expired:
            await receive_ids(subscription, 1)
    async with bus.subscribe("a", Cursor.parse(expired.value.cursor)) as subscription:
        items = await receive_ids(subscription, 14)
    assert items[-4:] == ["7-0", "8-0", "9-0", "10-0"]


async def test_a_cursor_of_another_past_resumes_nothing(redis_url: str, raw: redis.Redis) -> None:
    """The log went back while nobody followed it, and grew beyond the cursor by other entries."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await talk(bus, "a", 29)
        async with bus.subscribe("a", 19) as subscription:
            await receive_ids(subscription, 2)
            heard = str(subscription.cursor)
        async with bus.subscribe("a") as subscription:
            newest = str(subscription.cursor)
        assert [cursor.partition("/")[0] for cursor in (heard, newest)] == ["21", "30"]
        forget_after(raw, "a", seq=10, n=9)
        await bus.publish("a", [message_draft(1000 + k) for k in range(30)])
        for cursor in (heard, newest):
            async with bus.subscribe("a", Cursor.parse(cursor)) as subscription:
                with pytest.raises(Fenced, match="went back"):
                    await receive_ids(subscription, 1)
        async with bus.subscribe("a", Cursor(21, (22, -1))) as subscription:
            assert await receive_ids(subscription, 1) == ["22"]
            again = subscription.cursor
        async with bus.subscribe("a", Cursor.parse(str(again))) as subscription:
            assert await receive_ids(subscription, 1) == ["23"]


async def test_the_cursor_of_a_number_is_checked_like_any_other(
    redis_url: str, raw: redis.Redis
) -> None:
    """Who begins behind a seq, and hears nothing, keeps a cursor that another past refuses."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await talk(bus, "a", 29)
        async with bus.subscribe("a", 30) as subscription:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await anext(subscription)
            heard = str(subscription.cursor)
        forget_after(raw, "a", seq=10, n=9)
        await bus.publish("a", [message_draft(1000 + k) for k in range(30)])
        async with bus.subscribe("a", Cursor.parse(heard)) as subscription:
            with pytest.raises(Fenced, match="went back"):
                await receive_ids(subscription, 1)


@pytest.mark.parametrize("seq", [2**64, 2**53, -1])
async def test_a_number_that_no_entry_has_is_no_place(bus: Bus, seq: int) -> None:
    await talk(bus, "a", 2)
    with pytest.raises(InvalidEntry, match="numbers no entry"):
        async with bus.subscribe("a", seq):
            pass


async def test_old_facts_are_cut_off_and_remembered_as_such(bus: Bus) -> None:
    """10,000 are kept; the session knows where they begin."""
    await bus.open("a", SessionOpened())
    await bus.publish("a", [message_draft(k) for k in range(1, 1301)])
    claim = await claim_of(bus, "a")
    records = await everything(bus, "a")
    for first in range(1, 1301, 100):
        batch = records[first : first + 100]
        facts = [FactRecord(record.seq, k, {}) for record in batch for k in range(10)]
        await bus.commit(claim, commit_of(batch[-1], "a", facts=facts), done=False)
    async with bus.subscribe("a", 0) as subscription:
        with pytest.raises(FactsExpired):
            await receive_ids(subscription, 1)


async def test_leaving_ends_the_tail(bus: Bus, raw: redis.Redis) -> None:
    """Nobody listens on the session's channel any more."""
    await talk(bus, "a", 1)
    async with bus.subscribe("a", 0) as subscription:
        await receive_ids(subscription, 2)

    def is_left() -> bool:
        return bool(raw.pubsub_numsub("parley:{0}:s:a:wake")[0][1] == 0)

    await wait_until(is_left)


@pytest.mark.parametrize("text", ["12/9-0", "1/2--1", "0/0-3", "12/9-0/9f3c07aa"])
def test_a_cursor_survives_being_written_down(text: str) -> None:
    """Browsers and command lines hand it back as text."""
    assert str(Cursor.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "12", "12/9", "a/b-c", "1/2-3 ", "01/2-3", "1/2-3/4", "1/2-3/"]
)
def test_what_is_no_cursor_is_refused(text: str) -> None:
    """Rather than followed from somewhere else."""
    with pytest.raises(InvalidEntry, match="no cursor"):
        Cursor.parse(text)


@pytest.mark.parametrize("head_start", range(12))
async def test_one_that_comes_as_the_last_one_leaves_hears_on(bus: Bus, head_start: int) -> None:
    """The tail that both would share ends with the one; the other gets its own."""
    await talk(bus, "a", 1)
    coming = contextlib.AsyncExitStack()
    async with bus.subscribe("a"):
        task = asyncio.create_task(coming.enter_async_context(bus.subscribe("a")))
        for _ in range(head_start):
            await asyncio.sleep(0)
    async with coming:
        subscription = await task
        await talk(bus, "a", 1, first=2)
        assert await receive_ids(subscription, 1) == ["3"]


async def test_a_session_that_can_be_written_again_went_back_and_is_not_gone(
    redis_url: str, raw: redis.Redis
) -> None:
    """Redis came back empty-handed, and who listens looks before the outbox does."""
    async with await Bus.connect(redis_url, outbox_seconds=2 * PATIENCE) as bus:
        await talk(bus, "a", 3)
        async with bus.subscribe("a") as subscription:
            raw.flushall()
            bus.nudge("a")
            with pytest.raises(Fenced, match="went back"):
                await receive_ids(subscription, 1)
        async with bus.subscribe("a", 0) as subscription:
            assert await receive_ids(subscription, 4) == ["1", "2", "3", "4"]


async def test_a_session_that_was_removed_is_gone_for_who_could_write_it_again(
    redis_url: str,
) -> None:
    """By whomever: its publisher hears so too."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=2 * PATIENCE) as bus,
        await Bus.connect(redis_url) as operator,
    ):
        await talk(bus, "a", 3)
        async with bus.subscribe("a") as subscription:
            await operator.remove("a")
            with pytest.raises(SessionNotFound):
                await receive_ids(subscription, 1)
