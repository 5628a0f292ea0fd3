"""What a draft must be before anything is written."""

from __future__ import annotations

import pytest

from bus.drafts import MAX_ID, Draft, check_id, check_session_name, prepare, resolved
from bus.entries import (
    MAX_CONTENT_BYTES,
    Entry,
    EntrySetAside,
    Message,
    SessionOpened,
    SettingsChanged,
    SummaryMade,
)
from bus.errors import InvalidEntry
from bus.wire import decode, encode


def message(content: str = "hello", re: int | str | None = None) -> Message:
    return Message(participant="ada", content=content, re=re)


def summary() -> SummaryMade:
    return SummaryMade(level=0, first=1, last=12, how="extract", text="said")


@pytest.mark.parametrize("name", ["a", "2026-01-31_standup.v2", "A" * 64])
def test_session_names_that_can_be_typed_are_taken(name: str) -> None:
    """Letters, digits, dot, dash and underscore, up to 64."""
    assert check_session_name(name) == name


@pytest.mark.parametrize("name", ["", ".a", "-a", "a b", "a/b", "ä", "A" * 65, "a\n", "{0}"])
def test_other_session_names_are_refused(name: str) -> None:
    """Anything that would need quoting in a shell, a path or a Redis key is refused."""
    with pytest.raises(InvalidEntry, match="cannot name a session"):
        check_session_name(name)


@pytest.mark.parametrize(
    "id", ["", "a b", "a\n", "\x1b[31m", "a\u2028", "x" * (MAX_ID + 1), "\ud800"]
)
def test_unprintable_and_long_ids_are_refused(id: str) -> None:
    """An id is shown and logged, so it is printable, short and without spaces."""
    with pytest.raises(InvalidEntry, match="cannot be the id"):
        check_id(id)


def test_a_draft_becomes_its_canonical_bytes() -> None:
    """What is written is what any reader decodes."""
    draft = Draft("m1", message(re=4))
    prepared = prepare(draft)
    assert prepared.body == encode(draft.entry)
    assert (prepared.primary, prepared.derived, prepared.reference) == (True, False, None)


def test_a_reply_to_a_client_id_asks_for_its_number() -> None:
    """`re` naming neither a number nor a handle is a client id, to be replaced."""
    assert prepare(Draft("m1", message(re="P3"))).reference is None
    draft = Draft("m2", message(re="m1"))
    assert prepare(draft).reference == "m1"
    again = prepare(resolved(draft, 7))
    assert again.reference is None
    entry = decode(again.body)
    assert entry.kind == "message"
    assert getattr(entry, "re", None) == 7


def test_size_is_that_of_the_content() -> None:
    """A message of exactly the limit passes, though its JSON is longer; one byte more does not."""
    largest = "\x01" * MAX_CONTENT_BYTES
    assert len(prepare(Draft("m", message(largest))).body) > 5 * MAX_CONTENT_BYTES
    for content in (largest + "x", "é" * (MAX_CONTENT_BYTES // 2 + 1)):
        with pytest.raises(InvalidEntry, match="too large"):
            prepare(Draft("m", message(content)))


def test_entries_without_content_have_a_limit_too() -> None:
    """Settings of more than a mebibyte are refused."""
    huge = SettingsChanged(settings={"x": "y" * MAX_CONTENT_BYTES})
    with pytest.raises(InvalidEntry, match="too large"):
        prepare(Draft("s", huge))


def test_lone_surrogates_are_refused() -> None:
    """Text that is not UTF-8 never reaches the log."""
    with pytest.raises(InvalidEntry, match="not valid text"):
        prepare(Draft("m", Message(participant="ada", content="hi", topic="broken \ud800")))


def test_summary_ids_belong_to_summaries() -> None:
    """A participant cannot take the id under which a summary will be published."""
    result = "summary:0:1:12:extract"
    assert prepare(Draft(result, summary())).derived
    with pytest.raises(InvalidEntry, match="kept for summaries"):
        prepare(Draft(result, message()))


@pytest.mark.parametrize("entry", [SessionOpened(), EntrySetAside(seq=3, reason="poison")])
def test_some_kinds_are_written_by_the_bus_alone(entry: Entry) -> None:
    """Opening and setting aside go through their own verbs."""
    with pytest.raises(InvalidEntry, match="cannot be published"):
        prepare(Draft("x", entry))
    assert prepare(Draft("x", entry), by_the_bus=True).body
