"""Publishing: each draft once, in order, or a refusal that writes nothing."""

from __future__ import annotations

import asyncio

import pytest
import redis

from parley.bus import Bus, Draft, Receipt, Scripts
from parley.bus.contract.errors import (
    BusError,
    Busy,
    Conflict,
    InvalidEntry,
    SessionExists,
    SessionNotFound,
    StaleEpoch,
    UnknownReference,
)
from parley.bus.contract.errors import SessionClosed as Closed
from parley.bus.entries import EntrySetAside, Message, SessionOpened
from tests.support.sessions.talks import everything, folded, message_draft, summary, talk


async def test_a_session_opens_with_its_settings_as_entry_one(bus: Bus) -> None:
    """Entry 1 is a control entry: seq 1, n 0."""
    receipt = await bus.open("a", SessionOpened(title="where to meet"))
    assert receipt == Receipt(1, 0, duplicate=False)
    (record,) = await bus.read("a")
    assert (record.id, record.entry.kind) == ("open", "session.opened")


async def test_a_session_opens_once(bus: Bus) -> None:
    """Another opening of the name is refused, even with the same settings."""
    await bus.open("a", SessionOpened())
    with pytest.raises(SessionExists):
        await bus.open("a", SessionOpened())


async def test_entries_stand_densely_in_the_order_they_came(bus: Bus) -> None:
    """Law 15, for parts of a long batch too: 1..head, and each id once."""
    receipts = await talk(bus, "a", 1200)
    assert [receipt.seq for receipt in receipts] == list(range(2, 1202))
    assert [receipt.n for receipt in receipts] == list(range(1, 1201))
    records = await everything(bus, "a")
    assert [record.seq for record in records] == list(range(1, 1202))
    assert [record.id for record in records[1:]] == [f"m{k}" for k in range(1, 1201)]


async def test_an_entry_is_found_by_its_id(bus: Bus) -> None:
    """As it stands; an id that none has finds nothing."""
    await talk(bus, "a", 3)
    record = await bus.find("a", "m2")
    assert record == (await bus.read("a", 2, count=1))[0]
    assert await bus.find("a", "m4") is None
    assert await bus.find("nowhere", "m2") is None


async def test_many_publishers_leave_no_gap_and_no_double(bus: Bus) -> None:
    """Law 15 under 40 tasks that resend one another's drafts."""
    await bus.open("a", SessionOpened())
    batches = [[message_draft(k) for k in range(first, first + 20)] for first in range(0, 400, 10)]
    receipts = await asyncio.gather(*(bus.publish("a", batch) for batch in batches))
    records = await everything(bus, "a")
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert sorted(record.id for record in records[1:]) == sorted(f"m{k}" for k in range(410))
    places = {record.id: record.seq for record in records}
    for batch, got in zip(batches, receipts, strict=True):
        assert [places[draft.id] for draft in batch] == [receipt.seq for receipt in got]


async def test_a_draft_published_again_keeps_its_place(bus: Bus) -> None:
    """Resending is safe, alone and among new drafts."""
    first = await talk(bus, "a", 3)
    again = await bus.publish("a", [message_draft(2), message_draft(4), message_draft(1)])
    assert again == [
        Receipt(first[1].seq, first[1].n, duplicate=True),
        Receipt(5, 4, duplicate=False),
        Receipt(first[0].seq, first[0].n, duplicate=True),
    ]


async def test_a_draft_that_is_twice_in_a_batch_lands_once(bus: Bus) -> None:
    """The second is a duplicate of the first."""
    await bus.open("a", SessionOpened())
    receipts = await bus.publish("a", [message_draft(1), message_draft(1), message_draft(2)])
    assert [(receipt.seq, receipt.duplicate) for receipt in receipts] == [
        (2, False),
        (2, True),
        (3, False),
    ]


async def test_another_payload_under_a_used_id_is_a_conflict(bus: Bus) -> None:
    """Nothing of its batch lands."""
    await talk(bus, "a", 2)
    with pytest.raises(Conflict, match=r"'m2' is taken .* entry 3"):
        await bus.publish("a", [message_draft(9), message_draft(2, content="something else")])
    assert (await bus.info("a")).head == 3


async def test_without_the_duplicate_check_an_entry_stands_twice(redis_url: str) -> None:
    """What the rule is for: the same resend, with the rule switched off."""
    scripts = Scripts({"publish.duplicate": "if false then"})
    async with await Bus.connect(redis_url, scripts=scripts) as bus:
        await talk(bus, "a", 1)
        await bus.publish("a", [message_draft(1)])
        assert [record.id for record in await bus.read("a")] == ["open", "m1", "m1"]


async def test_a_derived_entry_yields_to_the_one_that_stands(bus: Bus) -> None:
    """Two workers may word a summary differently; whoever was first is right."""
    await talk(bus, "a", 2)
    await bus.publish("a", [summary(text="one wording")])
    (receipt,) = await bus.publish("a", [summary(text="another wording")])
    assert receipt == Receipt(4, 2, duplicate=True)
    assert getattr((await bus.tail("a", 1))[0].entry, "text", None) == "one wording"


async def test_without_that_rule_the_slower_worker_is_refused(redis_url: str) -> None:
    """Its result would look like a conflict, and its effect stay due for ever."""
    line = "if other ~= fingerprint then return {'conflict', k, seq} end"
    async with await Bus.connect(redis_url, scripts=Scripts({"publish.conflict": line})) as bus:
        await talk(bus, "a", 1)
        await bus.publish("a", [summary(text="one wording")])
        with pytest.raises(Conflict):
            await bus.publish("a", [summary(text="another wording")])


async def test_kinds_are_told_by_the_entry_and_never_by_n(bus: Bus) -> None:
    """Control and derived entries carry the n of the last primary one."""
    await talk(bus, "a", 1)
    await bus.publish("a", [summary()])
    await bus.publish("a", [message_draft(2)])
    assert [(record.seq, record.n) for record in await bus.read("a")] == [
        (1, 0), (2, 1), (3, 1), (4, 2),
    ]  # fmt: skip


async def test_re_by_id_becomes_the_number_of_that_entry(bus: Bus) -> None:
    """Whether the entry stands already or comes in the same batch."""
    await talk(bus, "a", 2)
    await bus.publish(
        "a",
        [
            message_draft(3, re="m1"),
            message_draft(4, re="m3"),
            message_draft(5, re="P1"),
            message_draft(6, re=2),
        ],
    )
    entries = [record.entry for record in await bus.tail("a", 4)]
    assert [getattr(entry, "re", None) for entry in entries] == [1, 3, "P1", 2]


async def test_re_to_nothing_is_refused(bus: Bus) -> None:
    """And nothing is written."""
    await talk(bus, "a", 1)
    with pytest.raises(UnknownReference, match="m99"):
        await bus.publish("a", [message_draft(2), message_draft(3, re="m99")])
    assert (await bus.info("a")).head == 2


@pytest.mark.parametrize("re", ["\ud800", "no id", ""])
async def test_re_that_is_no_id_is_refused_to_whoever_gave_it(bus: Bus, re: str) -> None:
    """Callers share a connection; the text of one harms no request of another."""
    await talk(bus, "a", 1)
    jobs = [bus.publish("a", [message_draft(k, re=re if k % 2 else None)]) for k in range(2, 10)]
    ends = await asyncio.gather(*jobs, return_exceptions=True)
    assert [isinstance(end, UnknownReference) for end in ends] == [
        bool(k % 2) for k in range(2, 10)
    ]


async def test_a_closed_session_takes_no_more(bus: Bus) -> None:
    """But a resend of what it has is answered, and closing twice alike is one closing."""
    await talk(bus, "a", 1)
    receipt = await bus.close("a", "agreed", by="ana")
    assert receipt.seq == 3
    assert (await bus.close("a", "agreed", by="ana")).duplicate
    assert (await bus.publish("a", [message_draft(1)]))[0].duplicate
    with pytest.raises(Closed):
        await bus.publish("a", [message_draft(2)])
    with pytest.raises(Closed):
        await bus.close("a", "given up")
    assert (await bus.info("a")).status == "closed"


async def test_an_unknown_session_is_named(bus: Bus) -> None:
    """By every verb that needs one."""
    with pytest.raises(SessionNotFound, match="'nowhere'"):
        await bus.publish("nowhere", [message_draft(1)])
    with pytest.raises(SessionNotFound):
        await bus.read("nowhere")
    with pytest.raises(SessionNotFound):
        await bus.info("nowhere")
    with pytest.raises(SessionNotFound):
        await bus.tail("nowhere", 3)


async def test_too_long_a_backlog_makes_publishers_wait(redis_url: str) -> None:
    """The refusal says for how long; folding makes room."""
    async with await Bus.connect(redis_url, backlog=10) as bus:
        await talk(bus, "a", 8)
        with pytest.raises(Busy) as refused:
            await bus.publish("a", [message_draft(k) for k in range(9, 12)])
        assert refused.value.retry_after > 0
        assert (await bus.publish("a", [message_draft(3)]))[0].duplicate
        await folded(bus, "a")
        await bus.publish("a", [message_draft(k) for k in range(9, 12)])


async def test_a_stale_epoch_is_refused_unless_it_is_a_resend(bus: Bus, raw: redis.Redis) -> None:
    """Law 18: what landed under an epoch stays acknowledged when the floor moves on."""
    await talk(bus, "a", 1)
    await bus.publish("a", [message_draft(2)], epoch=0)
    raw.hset("parley:{0}:s:a:meta", "epoch", 1)
    assert (await bus.publish("a", [message_draft(2)], epoch=0))[0].duplicate
    with pytest.raises(StaleEpoch, match="from epoch 0 to 1"):
        await bus.publish("a", [message_draft(3)], epoch=0)


@pytest.mark.parametrize("name", ["", "a b", "x" * 129, "tab\t", "nul\0", "\ud800", "open",
                                  "close", "set-aside:3", "summary:0:1:2:x"])  # fmt: skip
async def test_an_id_that_is_none_or_reserved_is_refused(bus: Bus, name: str) -> None:
    """Before anything is written."""
    await talk(bus, "a", 1)
    with pytest.raises(InvalidEntry):
        await bus.publish(
            "a", [message_draft(2), Draft(name, Message(participant="ana", content="x"))]
        )
    assert (await bus.info("a")).head == 2


async def test_entries_with_a_door_of_their_own_are_not_published(bus: Bus) -> None:
    """A skip that stood in the log only would be honoured by nobody."""
    await talk(bus, "a", 1)
    with pytest.raises(InvalidEntry, match="set_aside"):
        await bus.publish("a", [Draft("x", EntrySetAside(seq=2, reason="no"))])


@pytest.mark.parametrize("content", ["x" * 1_048_577, "é" * 600_000, "a\ud800b"])
async def test_what_no_log_can_hold_is_refused(bus: Bus, content: str) -> None:
    """More than 1 MiB, in bytes, or half a surrogate pair."""
    await talk(bus, "a", 1)
    entry = Message.model_construct(participant="ana", content=content)
    with pytest.raises(InvalidEntry):
        await bus.publish("a", [Draft("big", entry)])


async def test_a_whole_mebibyte_is_held(bus: Bus) -> None:
    """Also where JSON needs six bytes for one."""
    await bus.open("a", SessionOpened())
    await bus.publish(
        "a",
        [message_draft(1, content="x" * 1_048_576), message_draft(2, content="\x01a" * 500_000)],
    )
    assert [len(getattr(r.entry, "content", "")) for r in await bus.read("a", 1)] == [
        1_048_576, 1_000_000,
    ]  # fmt: skip


async def test_an_entry_of_a_stranger_is_kept_and_not_understood(
    bus: Bus, raw: redis.Redis
) -> None:
    """What cannot be read is `Unknown`, with its bytes."""
    await talk(bus, "a", 1)
    raw.xadd("parley:{0}:s:a:log", {"entry": '{"kind":"song","v":1}', "t": 5, "id": "s"}, id="3-1")
    record = (await bus.read("a"))[-1]
    assert (record.entry.kind, record.id, record.received_ms) == ("song", "s", 5)


async def test_every_refusal_is_one_family(bus: Bus) -> None:
    """A caller may catch `BusError` alone."""
    with pytest.raises(BusError):
        await bus.publish("nowhere", [message_draft(1)])
