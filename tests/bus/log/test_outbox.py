"""The outbox: what was acknowledged comes back when the log went back."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, cast

import pytest
import redis
from structlog.testing import capture_logs

from parley.bus import Bus, Draft, Scripts
from parley.bus.connection.connections import Connections
from parley.bus.contract.drafts import Receipt
from parley.bus.contract.errors import Busy, SessionClosed, SessionNotFound
from parley.bus.contract.keys import Keys
from parley.bus.contract.wire import replace_fields
from parley.bus.entries import (
    EPOCHS,
    Entry,
    FloorGranted,
    FloorMuted,
    FloorPaused,
    FloorReleased,
    Message,
    Record,
    SessionOpened,
    SettingsChanged,
    Unknown,
)
from parley.bus.log import outbox
from parley.bus.log.outbox import Outbox, ReofferedDrafts
from tests.support.logs.mixed import TIMED_MAKERS, made
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import wait_until
from tests.support.servers.servers import RedisServer
from tests.support.sessions.talks import everything, forget_after, message_draft, talk


async def ids(bus: Bus, session: str) -> list[str]:
    return [record.id for record in await everything(bus, session)]


async def test_a_lost_suffix_is_offered_again_before_anything_new(
    redis_url: str, raw: redis.Redis
) -> None:
    """The order in which a publisher was acknowledged is the order that stands."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        (receipt,) = await bus.publish("a", [message_draft(7)])
        assert await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 8))]
        assert (receipt.seq, receipt.n) == (8, 7)
        assert bus.healed == (await bus.info("a")).healed == 4  # m3 to m6


async def test_an_answer_to_what_was_lost_finds_it(redis_url: str, raw: redis.Redis) -> None:
    """`re` names an acknowledged entry, and counts it where it stands once it is back."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await bus.publish("a", [message_draft(7, re="m5")])
        (record,) = (await bus.read("a"))[-1:]
        assert (record.id, record.entry.re) == ("m7", 5)  # type: ignore[union-attr]  # a message


async def test_an_answer_counts_where_the_lost_entry_stands_now(
    redis_url: str, raw: redis.Redis
) -> None:
    """Another was quicker while the log was short: the number is looked up again."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await other.publish("a", [message_draft(8)])
        await bus.publish("a", [message_draft(7, re="m2"), message_draft(9, re="m6")])
        answers = {record.id: record.entry.re for record in (await bus.read("a"))[-2:]}  # type: ignore[union-attr]  # messages
        assert answers == {"m7": 2, "m9": 7}


async def test_an_answer_waits_for_another_publisher_to_offer_again(
    redis_url: str, raw: redis.Redis
) -> None:
    """What it answers was lost too, and is not its own to offer; the rest does not wait."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=0) as asker,
        await Bus.connect(redis_url, outbox_seconds=20) as answerer,
    ):
        await talk(asker, "a", 3)
        await answerer.publish("a", [message_draft(7), message_draft(8, re="m3"), message_draft(9)])
        forget_after(raw, "a", seq=2, n=1)
        await answerer.publish("a", [message_draft(10)])
        assert await ids(asker, "a") == ["open", "m1", "m7", "m9", "m10"]
        await asker.publish("a", [message_draft(2), message_draft(3)])

        async def is_whole() -> bool:
            return "m8" in await ids(asker, "a")

        await wait_until(is_whole)
        assert (await asker.read("a"))[-1].entry.re == 6  # type: ignore[union-attr]  # a message


async def test_an_answer_to_what_never_comes_back_is_given_up(
    redis_url: str, raw: redis.Redis
) -> None:
    """After the outbox's time, with an error in the log; nothing is asked for ever."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=0) as asker,
        await Bus.connect(redis_url, outbox_seconds=0.2) as answerer,
    ):
        await talk(asker, "a", 3)
        with capture_logs() as logs:
            await answerer.publish("a", [message_draft(8, re="m3")])
            forget_after(raw, "a", seq=2, n=1)
            await wait_until(lambda: "answers_lost" in [line["event"] for line in logs])
        await asker.publish("a", [message_draft(2), message_draft(3)])
        assert await ids(asker, "a") == ["open", "m1", "m2", "m3"]


async def test_without_the_tip_the_order_is_another(redis_url: str, raw: redis.Redis) -> None:
    """What the rule is for: what is new would stand before what was lost."""
    scripts = Scripts({"publish.tip": ""})
    async with await Bus.connect(redis_url, outbox_seconds=60, scripts=scripts) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await bus.publish("a", [message_draft(7)])
        assert (await ids(bus, "a"))[:4] == ["open", "m1", "m2", "m7"]


async def test_a_publisher_that_says_no_more_heals_the_log_too(
    redis_url: str, raw: redis.Redis
) -> None:
    """The watch does not wait for the next draft."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)

        async def is_healed() -> bool:
            return (await bus.info("a")).head == 7

        await wait_until(is_healed)
        assert await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 7))]


async def test_a_damaged_session_keeps_no_other_from_being_healed(
    redis_url: str, raw: redis.Redis
) -> None:
    """An error about one session harms no other: the rest are looked after all the while."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "damaged", 2)
        await talk(bus, "a", 6)
        raw.delete("parley:{0}:s:damaged:ids")
        raw.set("parley:{0}:s:damaged:ids", "of another type")
        forget_after(raw, "a", seq=3, n=2)

        async def is_healed() -> bool:
            return await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 7))]

        await wait_until(is_healed, 20)


async def test_a_log_that_grew_again_is_healed_as_well(redis_url: str, raw: redis.Redis) -> None:
    """The head alone would not tell: another publisher was quicker."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await other.publish("a", [message_draft(k) for k in range(20, 30)])

        async def is_healed() -> bool:
            return (await bus.info("a")).head == 17

        await wait_until(is_healed)
        after = await ids(bus, "a")
        assert after[-4:] == ["m3", "m4", "m5", "m6"]
        assert len(set(after)) == len(after)


async def test_a_lost_closing_closes_again(redis_url: str, raw: redis.Redis) -> None:
    """The end of a session is acknowledged like any entry."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 2)
        await bus.close("a", "agreed")
        forget_after(raw, "a", seq=2, n=1)
        raw.hset("parley:{0}:s:a:meta", "status", "open")

        async def is_closed() -> bool:
            return (await bus.info("a")).status == "closed"

        await wait_until(is_closed)
        assert await ids(bus, "a") == ["open", "m1", "m2", "close"]


async def test_a_closing_waits_for_what_others_published_before_it(
    redis_url: str, raw: redis.Redis
) -> None:
    """Two publishers, of whom one closes: the log is as it was, entry by entry."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as closer,
        await Bus.connect(redis_url, outbox_seconds=60) as speaker,
    ):
        await talk(closer, "a", 2)
        for k in range(3, 8):
            await speaker.publish("a", [message_draft(k)])
        await closer.close("a", "agreed")
        before = [(record.seq, record.id) for record in await everything(closer, "a")]
        forget_after(raw, "a", seq=2, n=1)
        raw.hset("parley:{0}:s:a:meta", "status", "open")
        await wait_until(lambda: _head(raw) == len(before))
        assert [(record.seq, record.id) for record in await everything(closer, "a")] == before


async def test_what_narrows_the_talk_stands_where_it_stood(
    redis_url: str, raw: redis.Redis
) -> None:
    """A mute, a pause and new settings say nothing of what was published before them."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as operator,
        await Bus.connect(redis_url, outbox_seconds=60) as speaker,
    ):
        await talk(operator, "a", 1)
        narrowing: tuple[Entry, ...] = (
            FloorMuted(participant="Ana"),
            FloorPaused(),
            SettingsChanged(settings={"floor": {"policy": "open"}}),
        )
        for k, entry in enumerate(narrowing):
            await speaker.publish("a", [message_draft(10 + k)])
            await operator.publish("a", [Draft(f"narrow{k}", entry), message_draft(20 + k)])
        before = await ids(operator, "a")
        forget_after(raw, "a", seq=2, n=1)
        await operator.publish("a", [message_draft(30)])
        assert await ids(speaker, "a") == [*before, "m30"]


async def test_a_turn_and_the_grant_before_it_stand_where_they_stood(
    redis_url: str, raw: redis.Redis
) -> None:
    """Epochs of the floor begin in their order, by whomever, and what was said in each is back."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as arbiter,
        await Bus.connect(redis_url, outbox_seconds=60) as speaker,
    ):
        await talk(arbiter, "a", 1)
        for epoch in (1, 3, 5):
            grant = FloorGranted(participant="ana", epoch=epoch)
            await arbiter.publish("a", [Draft(f"grant{epoch}", grant)], epoch=epoch - 1)
            release = FloorReleased(participant="ana", epoch=epoch + 1)
            turn = [message_draft(10 + epoch), Draft(f"release{epoch}", release)]
            await speaker.publish("a", turn, epoch=epoch)
        before = await ids(arbiter, "a")
        forget_after(raw, "a", seq=2, n=1)
        await wait_until(lambda: _head(raw) == len(before))
        assert await ids(speaker, "a") == before
        assert (await speaker.info("a")).epoch == 6


async def test_the_wait_for_a_place_begins_anew_whenever_something_came_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others' looks may take long in all, as long as each brings something back."""
    clock = 100.0
    monkeypatch.setattr(outbox, "_now", lambda: clock)
    drafts = [message_draft(k) for k in range(4)]
    left = [3, 2, 1, 1, 1]
    in_order: list[bool] = []

    async def offer(*asked: object) -> ReofferedDrafts:
        in_order.append(cast("bool", asked[-1]))
        return ReofferedDrafts(early=drafts[: left[len(in_order) - 1]])

    monkeypatch.setattr(Outbox, "_start", lambda self: None)  # no looks but those made here
    box = Outbox(cast("Connections", None), Keys(1), seconds=60)
    box.offer = offer
    box.keep("a", "first", drafts, [Receipt(k, k, duplicate=False) for k in range(4)])
    for _ in left:
        await box.reoffer("a")
        clock += 1.5
    assert in_order == [True, True, True, True, False]


async def test_whatever_kind_an_entry_is_of_it_stands_where_it_stood(
    redis_url: str, raw: redis.Redis
) -> None:
    """Between the messages of one publisher another's entries of each kind that says what holds."""
    entries = {
        entry.kind: entry
        for maker in TIMED_MAKERS
        for seed in range(16)
        if (entry := made(bytes([0, *range(seed, seed + 13)]), (maker,))).kind not in _NOT_SO
    }
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as operator,
        await Bus.connect(redis_url, outbox_seconds=60) as speaker,
    ):
        await talk(operator, "a", 1)
        for k, entry in enumerate(entries.values()):
            await operator.publish("a", [Draft(f"e{k}", entry)])
            await speaker.publish("a", [message_draft(100 + k)])
        await operator.close("a", "all was said")
        before = await ids(operator, "a")
        forget_after(raw, "a", seq=2, n=1)
        raw.hset("parley:{0}:s:a:meta", "status", "open")
        await wait_until(lambda: _head(raw) == len(before))
        assert await ids(speaker, "a") == before


# What bears an epoch, is said of entries that stand, or is no answer of a publisher
ENDS_AT: Final = (  # Redis takes no number again that it has deleted: the log is written anew
    "local kept = redis.call('XRANGE', LOG, '-', '%s') redis.call('DEL', LOG) "
    "for _, row in ipairs(kept) do redis.call('XADD', LOG, row[1], unpack(row[2])) end"
)
_NOT_SO: Final = EPOCHS | {"message", "session.opened", "session.closed", "entry.redacted"}


async def test_a_lost_redaction_is_done_again(redis_url: str, raw: redis.Redis) -> None:
    """The log went back to before it, and even to before the entry, which its author offers."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as operator,
        await Bus.connect(redis_url, outbox_seconds=60) as speaker,
    ):
        for session, seq in (("a", 4), ("b", 2)):
            await talk(speaker, session, 5)
            before = {key: raw.dump(key) for key in raw.keys(f"parley:{{*}}:s:{session}:*")}
            await operator.redact(session, 3, blank=wordless, reason="a secret")
            for key in raw.keys(f"parley:{{*}}:s:{session}:*"):
                raw.delete(key)
            for key, stored in before.items():
                raw.restore(key, 0, cast("bytes", stored))
            forget_after(raw, session, seq=seq, n=seq - 1)

            async def is_redacted(session: str = session) -> bool:
                log = await everything(operator, session)
                return len(log) == 7 and log[3].entry.content == ""  # type: ignore[union-attr]  # a message

            await wait_until(is_redacted)
            assert (await ids(speaker, session))[:6] == ["open", "m1", "m2", "m3", "m4", "m5"]


def wordless(log: Sequence[Record], n: int) -> Entry | Unknown:
    """The message without its words."""
    (record,) = (record for record in log if record.n == n and record.seq > 1)
    return replace_fields(record.entry, content="")  # type: ignore[arg-type]  # a message


async def test_a_closing_does_not_wait_for_ever(redis_url: str, raw: redis.Redis) -> None:
    """Whoever published before it is gone: after its patience the session is closed."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=0.8) as closer,
        await Bus.connect(redis_url, outbox_seconds=0) as gone,
    ):
        await talk(closer, "a", 1)
        await gone.publish("a", [message_draft(2)])
        await closer.close("a", "agreed")
        forget_after(raw, "a", seq=2, n=1)
        raw.hset("parley:{0}:s:a:meta", "status", "open")
        await wait_until(lambda: _head(raw) == 3)
        assert await ids(closer, "a") == ["open", "m1", "close"]


async def test_a_session_that_is_closed_again_takes_what_was_acknowledged(
    redis_url: str, raw: redis.Redis
) -> None:
    """Its publisher came back late; what is new is refused all the same."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as late:
        await talk(late, "a", 6)
        async with await Bus.connect(redis_url, outbox_seconds=0) as operator:
            forget_after(raw, "a", seq=3, n=2)
            await operator.close("a", "agreed")
        await wait_until(lambda: _head(raw) == 8)
        with pytest.raises(SessionClosed):
            await late.publish("a", [message_draft(7)])
        assert await ids(late, "a") == ["open", "m1", "m2", "close", "m3", "m4", "m5", "m6"]


async def test_a_full_session_takes_what_was_acknowledged(redis_url: str, raw: redis.Redis) -> None:
    """The backlog holds new entries off, not those that stood before."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60, backlog=8) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await other.publish("a", [message_draft(k) for k in range(20, 25)])
        await wait_until(lambda: _head(raw) == 12)
        with pytest.raises(Busy):
            await bus.publish("a", [message_draft(7)])


async def test_an_id_that_another_took_is_given_up_alone(redis_url: str, raw: redis.Redis) -> None:
    """What stands under it says something else; the drafts after it come back."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await other.publish("a", [Draft("m4", Message(participant="Ana", content="else"))])
        await wait_until(lambda: _head(raw) == 7)
        assert await ids(bus, "a") == ["open", "m1", "m2", "m4", "m3", "m5", "m6"]


def _head(raw: redis.Redis) -> int:
    return int(cast("bytes", raw.hget("parley:{0}:s:a:meta", "head")))


async def test_a_lost_opening_opens_again(redis_url: str, raw: redis.Redis) -> None:
    """A session that was opened within the last seconds comes back whole."""
    async with await Bus.connect(redis_url, outbox_seconds=60) as bus:
        await talk(bus, "a", 3)
        incarnation = (await bus.info("a")).incarnation
        raw.flushall()

        async def is_healed() -> bool:
            try:
                return (await bus.info("a")).head == 4
            except SessionNotFound:
                return False

        await wait_until(is_healed)
        assert (await bus.info("a")).incarnation == incarnation
        assert (await bus.info("a")).due["fold"] == 1


async def test_what_was_acknowledged_waits_for_the_opening_of_another(
    redis_url: str, raw: redis.Redis
) -> None:
    """All is gone, and whoever did not open the session looks first: nothing is given up."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=60) as opener,
    ):
        await opener.open("a", SessionOpened())
        opening = opener._outbox._kept.pop("a").opening  # it sleeps through what follows
        incarnation = (await bus.info("a")).incarnation
        await bus.publish("a", [message_draft(k) for k in range(1, 4)])
        raw.flushall()
        with pytest.raises(SessionNotFound):
            await bus.publish("a", [message_draft(4)])
        assert opening is not None
        opener._outbox.keep_opening("a", incarnation, opening)

        async def is_healed() -> bool:
            try:
                return (await bus.info("a")).head == 4
            except SessionNotFound:
                return False

        await wait_until(is_healed)
        assert await ids(bus, "a") == ["open", "m1", "m2", "m3"]


async def test_what_nobody_opens_again_is_given_up_with_its_ids(
    redis_url: str, raw: redis.Redis
) -> None:
    """After the outbox's time, and publishing is refused all the while."""
    async with await Bus.connect(redis_url) as opener:
        await opener.open("a", SessionOpened())
    async with await Bus.connect(redis_url, outbox_seconds=0.4) as bus:
        await bus.publish("a", [message_draft(k) for k in range(1, 4)])
        with capture_logs() as logs:
            raw.flushall()
            with pytest.raises(SessionNotFound):
                await bus.publish("a", [message_draft(4)])
            await wait_until(lambda: "answers_lost" in [line["event"] for line in logs])
        (lost,) = (line["ids"] for line in logs if line["event"] == "answers_lost")
        assert lost == ["m1", "m2", "m3"]
        with pytest.raises(SessionNotFound):
            await bus.publish("a", [message_draft(4)])


OPENER = """
import asyncio, sys
from parley.bus import Bus
from parley.bus.entries import SessionOpened

async def main():
    async with await Bus.connect(sys.argv[1], outbox_seconds=60) as bus:
        await bus.open("a", SessionOpened())
        print("open", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("opener", ["stands", "is killed"])
async def test_a_session_whose_opener_died_is_lost_with_everything(
    redis_url: str, raw: redis.Redis, opener: str
) -> None:
    """All is flushed: while the opener lives the session comes back whole, else what others said
    in it is named and gone, and under its name nothing of it stands."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OPENER, redis_url, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": OWN_CODE},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"open\n"
        seconds = 60 if opener == "stands" else 1
        async with await Bus.connect(redis_url, outbox_seconds=seconds) as bus:
            await bus.publish("a", [message_draft(k) for k in range(1, 4)])
            if opener == "is killed":
                process.kill()
                await process.wait()
            with capture_logs() as logs:
                raw.flushall()

                async def is_over() -> bool:
                    """Whole again, or given up."""
                    with suppress(SessionNotFound):
                        await bus.publish("a", [])
                        return (await bus.info("a")).head == 4
                    return "answers_lost" in [line["event"] for line in logs]

                await wait_until(is_over)
            lost = [line["ids"] for line in logs if line["event"] == "answers_lost"]
            if opener == "stands":
                assert (lost, await ids(bus, "a")) == ([], ["open", "m1", "m2", "m3"])
            else:
                assert lost == [["m1", "m2", "m3"]]
                with pytest.raises(SessionNotFound):
                    await bus.publish("a", [message_draft(4)])
                await bus.open("a", SessionOpened())
                await bus.publish("a", [message_draft(4)])
                assert await ids(bus, "a") == ["open", "m4"]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.parametrize(
    ("falls", "answer"),
    [
        ("redis.call('FLUSHALL')", "'missing'"),
        ("redis.call('HSET', META, 'incarnation', meta[7] .. '.1')", "'fenced', 'redacted'"),
    ],
)
async def test_what_falls_between_two_steps_of_offering_again_gives_nothing_up(
    redis_url: str, raw: redis.Redis, falls: str, answer: str
) -> None:
    """The session goes, or is redacted, after it was looked at: it is looked at again."""
    once = (
        f"if ARGV[7] == '1' and redis.call('EXISTS', 'fell') == 0 then {falls} "
        f"redis.call('SET', 'fell', '1') return {{{answer}}} end"
    )
    scripts = Scripts({"publish.incarnation": once})
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as opener,
        await Bus.connect(redis_url, outbox_seconds=60, scripts=scripts) as bus,
    ):
        await opener.open("a", SessionOpened())
        await bus.publish("a", [message_draft(k) for k in range(1, 4)])
        forget_after(raw, "a", seq=2, n=1)

        async def is_healed() -> bool:
            try:
                return (await bus.info("a")).head == 4
            except SessionNotFound:
                return False

        await wait_until(is_healed)
        assert raw.exists("fell")
        assert await ids(bus, "a") == ["open", "m1", "m2", "m3"]


async def test_a_redaction_while_it_is_offered_again_lets_nothing_new_before_it(
    redis_url: str, raw: redis.Redis
) -> None:
    """The log is rewritten after it was looked at: what was acknowledged still comes first."""
    once = (
        "if ARGV[7] == '1' and redis.call('EXISTS', 'fell') == 0 then "
        "redis.call('HSET', META, 'incarnation', meta[7] .. '.1') "
        "redis.call('SET', 'fell', '1') return {'fenced', 'redacted'} end"
    )
    scripts = Scripts({"publish.incarnation": once})
    async with await Bus.connect(redis_url, outbox_seconds=60, scripts=scripts) as bus:
        await talk(bus, "a", 3)
        forget_after(raw, "a", seq=2, n=1)
        await bus.publish("a", [message_draft(4)])
        assert raw.exists("fell")
        assert await ids(bus, "a") == ["open", "m1", "m2", "m3", "m4"]


async def test_what_is_lost_while_others_are_offered_again_comes_before_them(
    redis_url: str, raw: redis.Redis
) -> None:
    """A second failover between looking and offering: the order of publishing still stands."""
    falls = (
        "if ARGV[7] == '1' and redis.call('EXISTS', 'fell') == 0 then redis.call('SET', 'fell', 1) "
        f"{ENDS_AT % '2-1'} "
        "redis.call('HDEL', IDS, 'm2') redis.call('HSET', META, 'head', '2', 'n', '1') "
        "meta[1], meta[2] = '2', '1' end "
        "if ARGV[5] ~= '' and redis.call('HEXISTS', IDS, ARGV[5]) == 0 then return {'lost'} end"
    )
    scripts = Scripts({"publish.tip": falls})
    async with await Bus.connect(redis_url, outbox_seconds=60, scripts=scripts) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await wait_until(lambda: _head(raw) == 7)
        assert raw.exists("fell")
        assert await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 7))]


async def test_what_is_lost_once_more_comes_before_what_is_new(
    redis_url: str, raw: redis.Redis
) -> None:
    """A second failover between healing and publishing: what is new covers up no gap."""
    falls = (
        "if ARGV[7] == '1' then redis.call('SET', 'healed', 1) "
        "elseif redis.call('EXISTS', 'healed') == 1 and redis.call('EXISTS', 'fell') == 0 then "
        f"redis.call('SET', 'fell', 1) {ENDS_AT % '6-5'} redis.call('HDEL', IDS, 'm6') "
        "redis.call('HSET', META, 'head', '6', 'n', '5') meta[1], meta[2] = '6', '5' end "
        "if ARGV[5] ~= '' and redis.call('HEXISTS', IDS, ARGV[5]) == 0 then return {'lost'} end"
    )
    scripts = Scripts({"publish.tip": falls})
    async with await Bus.connect(redis_url, outbox_seconds=60, scripts=scripts) as bus:
        await talk(bus, "a", 6)
        forget_after(raw, "a", seq=3, n=2)
        await bus.publish("a", [message_draft(7)])
        assert raw.exists("fell")
        assert await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 8))]


async def test_a_removed_session_keeps_nothing_waiting(redis_url: str) -> None:
    """Whoever did not open it is told at once, and holds on to nothing of it."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url) as operator,
    ):
        await operator.open("a", SessionOpened())
        await bus.publish("a", [message_draft(1)])
        await operator.remove("a")
        with pytest.raises(SessionNotFound):
            await bus.publish("a", [message_draft(2)])
        assert bus._outbox.tip("a") == ""


async def test_a_removed_session_stays_removed(redis_url: str) -> None:
    """By whomever it was removed: its publishers do not bring it back."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=0.4) as bus,
        await Bus.connect(redis_url) as operator,
    ):
        await talk(bus, "a", 3)
        await operator.remove("a")
        with pytest.raises(SessionNotFound):
            await bus.publish("a", [message_draft(4)])
        await bus.open("b", SessionOpened())
        await asyncio.sleep(0.5)  # two rounds of the watch: nothing must come
        with pytest.raises(SessionNotFound):
            await bus.info("a")


async def test_without_the_mark_it_would_come_back(redis_url: str) -> None:
    """What the rule is for."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60, scripts=Scripts({"open.gone": ""})) as bus,
        await Bus.connect(redis_url) as operator,
    ):
        await talk(bus, "a", 3)
        await operator.remove("a")
        await bus.publish("a", [message_draft(4)])
        assert (await bus.info("a")).head == 5


async def test_references_follow_the_entries_they_mean(redis_url: str, raw: redis.Redis) -> None:
    """`re` by id is resolved again: the entry it names has another number now."""
    async with (
        await Bus.connect(redis_url, outbox_seconds=60) as bus,
        await Bus.connect(redis_url, outbox_seconds=0) as other,
    ):
        await talk(bus, "a", 3)
        await bus.publish("a", [message_draft(4, re="m3")])
        forget_after(raw, "a", seq=3, n=2)
        await other.publish("a", [message_draft(k) for k in range(20, 25)])

        async def is_healed() -> bool:
            return (await bus.info("a")).head == 10

        await wait_until(is_healed)
        records = {record.id: record for record in await everything(bus, "a")}
        assert getattr(records["m4"].entry, "re", None) == records["m3"].n == 8


async def test_a_server_that_lost_its_tail_is_healed_through_the_restart(
    durable_server: RedisServer,
) -> None:
    """Killed, its file cut, and started again: nothing acknowledged is missing."""
    async with await Bus.connect(durable_server.url, outbox_seconds=5.0) as bus:
        await talk(bus, "a", 40)
        before = durable_server.aof_file().stat().st_size
        await talk(bus, "a", 20, first=41)
        durable_server.kill9()
        durable_server.cut_aof(before)
        durable_server.restart()

        async def is_healed() -> bool:
            return (await bus.info("a")).head == 61

        await wait_until(is_healed)
        assert await ids(bus, "a") == ["open", *(f"m{k}" for k in range(1, 61))]
