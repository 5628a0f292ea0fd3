"""The log in this process keeps the promises of the log in Redis."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.contract.drafts import Draft, Receipt, seal
from parley.bus.contract.errors import (
    BusError,
    Conflict,
    InvalidEntry,
    SessionExists,
    SessionNotFound,
    UnknownReference,
)
from parley.bus.contract.errors import SessionClosed as ClosedToEntries
from parley.bus.entries import (
    ItemCorrected,
    Message,
    ParticipantAliased,
    SessionClosed,
    SessionOpened,
    SummaryMade,
)
from parley.bus.log.local_log import LocalLog


def say(id: str, content: str = "hello", re: int | str | None = None) -> Draft:
    return Draft(id, Message(participant="ada", content=content, re=re))


def opened() -> LocalLog:
    log = LocalLog("demo", now_ms=lambda: 1_000)
    log.open(SessionOpened(title="Demo"))
    return log


def test_the_opening_is_entry_one_and_has_no_number() -> None:
    """`session.opened` stands first; numbers of primary entries begin after it."""
    log = opened()
    first = log.read()[0]
    assert (first.seq, first.n, first.id, first.entry.kind) == (1, 0, "open", "session.opened")
    assert log.publish([say("m1")]) == [Receipt(2, 1, duplicate=False)]


def test_only_primary_entries_are_numbered() -> None:
    """Control and derived entries carry the number of the last primary one."""
    log = opened()
    receipts = log.publish(
        [
            say("m1"),
            Draft("a1", ParticipantAliased(alias="al", participant="ada")),
            Draft("c1", ItemCorrected(ref="P1", by="ada", op="retract")),
            Draft(
                "summary:0:1:2:extract",
                SummaryMade(level=0, first=1, last=2, how="extract", text=""),
            ),
            say("m2"),
        ]
    )
    assert [(receipt.seq, receipt.n) for receipt in receipts] == [
        (2, 1), (3, 1), (4, 2), (5, 2), (6, 3),
    ]  # fmt: skip


def test_the_same_draft_again_gets_its_old_receipt() -> None:
    """Publishing is safe to repeat."""
    log = opened()
    log.publish([say("m1"), say("m2")])
    assert log.publish([say("m1")]) == [Receipt(2, 1, duplicate=True)]
    assert log.info().head == 3


def test_another_payload_under_an_id_is_a_conflict() -> None:
    """An id belongs to its first payload."""
    log = opened()
    log.publish([say("m1")])
    with pytest.raises(Conflict, match="entry 2"):
        log.publish([say("m1", "other")])


def test_the_first_of_two_summaries_stands() -> None:
    """Another text under a derived id is no conflict: somebody was first."""
    log = opened()

    def summary(text: str) -> Draft:
        made = SummaryMade(level=0, first=1, last=12, how="model", text=text)
        return Draft("summary:0:1:12:model", made)

    log.publish([summary("one")])
    assert log.publish([summary("two")]) == [Receipt(2, 0, duplicate=True)]
    assert getattr(log.read()[-1].entry, "text", None) == "one"


def test_a_reply_to_an_id_is_stored_as_a_reply_to_its_number() -> None:
    """A client id in `re` is replaced at the door, also one of the same batch."""
    log = opened()
    log.publish([say("m1"), say("m2", re="m1"), say("m3", re="P1"), say("m4", re=1)])
    assert [getattr(record.entry, "re", None) for record in log.read(after=1)] == [None, 1, "P1", 1]
    assert log.publish([say("m2", re="m1")])[0].duplicate


def test_a_reply_to_an_unknown_id_is_refused() -> None:
    """A reply to nothing is a mistake, not a message; nothing of its part is written."""
    log = opened()
    with pytest.raises(UnknownReference, match="'nowhere'"):
        log.publish([say("m1"), say("m2", re="nowhere")])
    assert log.info().head == 1


def test_a_conflict_leaves_its_part_unwritten() -> None:
    """What lands in one step lands whole or not at all, also when it contradicts itself."""
    log = opened()
    with pytest.raises(Conflict, match="entry 3"):
        log.publish([say("m1"), say("m2"), say("m2", "other")])
    assert log.info().head == 1


def test_an_invalid_draft_stops_its_whole_batch() -> None:
    """What can be seen without the log is refused before anything is written."""
    log = opened()
    with pytest.raises(InvalidEntry):
        log.publish([say("m1"), say("not an id")])
    assert log.info().head == 1


def test_a_closed_log_takes_nothing_more() -> None:
    """The closing entry is the last one; repeating what stands is still answered."""
    log = opened()
    log.publish([say("m0")])
    log.close("done", by="ada")
    assert log.info().status == "closed"
    with pytest.raises(ClosedToEntries):
        log.publish([say("m1")])
    with pytest.raises(ClosedToEntries):
        log.close("otherwise")
    assert log.close("done", by="ada").duplicate
    assert log.publish([say("m0")])[0].duplicate
    assert log.read()[-1].entry.kind == SessionClosed().kind


def test_a_closed_log_still_takes_its_summaries() -> None:
    """What effects owe a session lands after its close as well."""
    log = opened()
    log.publish([say("m1")])
    log.close()
    made = SummaryMade(level=0, first=1, last=1, how="extract", text="said")
    assert log.publish([Draft("summary:0:1:1:extract", made)]) == [Receipt(4, 1, duplicate=False)]


def test_a_log_is_opened_once_and_first() -> None:
    """No entry before the opening, and no second opening."""
    log = LocalLog("demo")
    with pytest.raises(SessionNotFound):
        log.publish([say("m1")])
    with pytest.raises(SessionNotFound):
        log.info()
    log.open(SessionOpened())
    with pytest.raises(SessionExists):
        log.open(SessionOpened())


@given(after=st.integers(-2, 25), to=st.none() | st.integers(-2, 25), count=st.integers(0, 25))
def test_reading_is_by_cursor(after: int, to: int | None, count: int) -> None:
    """`read` gives what lies after the cursor, up to `to`, at most `count`."""
    log = opened()
    log.publish([say(f"m{i}") for i in range(19)])
    wanted = [seq for seq in range(1, 21) if seq > after and (to is None or seq <= to)]
    assert [record.seq for record in log.read(after, to=to, count=count)] == wanted[:count]
    assert [record.seq for record in log.tail(count)] == list(range(1, 21))[
        20 - count if count < 20 else 0 :
    ]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xy")), max_size=30))
def test_sequence_numbers_are_dense_and_ids_unique(attempts: list[tuple[str, str]]) -> None:
    """Law 15: numbers 1..head without gaps, each acknowledged id there once."""
    log = opened()
    acknowledged: dict[str, int] = {}
    for client_id, content in attempts:
        try:
            receipt = log.publish([say(client_id, content)])[0]
        except BusError:
            continue
        assert acknowledged.setdefault(client_id, receipt.seq) == receipt.seq
    records = log.read(count=1000)
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    assert {record.id: record.seq for record in records[1:]} == acknowledged


@pytest.mark.parametrize("field", ["topic", "re", "to", "at_text"])
def test_fields_around_the_content_have_their_own_limit(field: str) -> None:
    """A disk image does not come in by the side door; a content full of escapes is welcome."""
    value = "x" * 70_000
    given: dict[str, Any] = {field: (value,) if field == "to" else value}
    with pytest.raises(InvalidEntry, match="around its content"):
        seal("m1", Message(participant="ana", content="hi", **given))
    seal("m2", Message(participant="ana", content="\x01" * 1_000_000))
