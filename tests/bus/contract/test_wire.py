"""Entries to bytes and back: canonical, and alike for models and what was read."""

from __future__ import annotations

import orjson
import pytest

from parley.bus.contract.drafts import seal
from parley.bus.contract.errors import InvalidEntry
from parley.bus.contract.wire import decode, encode, fingerprint, replace_fields
from parley.bus.entries import (
    Entry,
    EntrySetAside,
    ItemCorrected,
    MemoryCompacted,
    Message,
    PackRef,
    ParticipantAliased,
    SessionClosed,
    SessionForked,
    SessionOpened,
    SettingsChanged,
    SummaryMade,
    ToolCalled,
    Unknown,
)

ENTRIES: list[Entry] = [
    Message(participant="ana", content="hello"),
    Message(participant="ана", content="é\x01\n", act="propose", re=3, topic="t", to=("bo", "cy"),
            at="2026-01-31T09:30:00Z", form="reasoning"),
    Message(participant="ana", content="x", re="P3", at="yesterday"),
    ItemCorrected(ref="P3", by="ana", op="merge", value="P1"),
    SessionOpened(settings={"z": {"b": 1, "a": [1, 2]}}, title="t",
                  packs=(PackRef("en", "0"), PackRef("own", "1", {"b": 1, "a": None}))),
    SessionClosed(), SessionClosed(reason="done", by="ana"), SessionForked(session="a", n=3),
    SettingsChanged(), SettingsChanged(packs=(), by="ana"),
    ParticipantAliased(alias="a", participant="ana"), MemoryCompacted(),
    EntrySetAside(seq=3, reason="poison"),
    SummaryMade(level=0, first=1, last=12, how="model", text="short", model="m"),
]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.kind)
def test_bytes_are_canonical(entry: Entry) -> None:
    """Sorted keys, defaults left out, kind and version always there."""
    data = entry.model_dump(mode="json", exclude_defaults=True)
    data |= {"kind": entry.kind, "v": entry.v}
    assert encode(entry) == orjson.dumps(data, option=orjson.OPT_SORT_KEYS)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.kind)
def test_what_is_read_says_the_same(entry: Entry) -> None:
    """Field by field, and byte by byte when it is written again."""
    read = decode(encode(entry))
    assert not isinstance(read, Unknown)
    assert read.kind == entry.kind
    for name in type(entry).model_fields:
        assert getattr(read, name) == getattr(entry, name)
    assert encode(read) == encode(entry)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"kind":"song"}', b'{"kind":"message"}',
                                  b'{"kind":"message","v":9,"participant":"a","content":"x"}',
                                  b"\xff", b"[" * 100_000])  # fmt: skip
def test_what_cannot_be_read_is_kept(body: bytes) -> None:
    """Nothing raises: a log may hold what another version, or a stranger, wrote."""
    entry = decode(body)
    assert isinstance(entry, Unknown)
    assert entry.raw == body


@pytest.mark.parametrize("body", [
    b'{"kind":"entry.set_aside","reason":"x","seq":%s,"v":1}',
    b'{"kind":"message","participant":"a","content":"x","re":%s,"v":1}',
    b'{"kind":"episode.opened","participant":"a","episode":"goal","title":"x","after":[%s],"v":1}',
    b'{"kind":"results.final","participant":"a","content":"x","counterfactuals":{"a":%s},"v":1}',
    b'{"kind":"settings.changed","settings":{"caps":{"decisions":%s}},"v":1}',
    b'{"kind":"tool.called","participant":"a","tool":"t","call_id":"c","arguments":{"a":%s},"v":1}',
])  # fmt: skip
def test_a_number_that_nobody_could_write_again_is_not_read(body: bytes) -> None:
    """Beyond 64 bits: as a fact it would stop whoever tells it."""
    assert not isinstance(decode(body % b"7"), Unknown)
    assert isinstance(decode(body % (b"1" + b"0" * 40)), Unknown)


def test_a_field_is_replaced_in_models_and_in_what_was_read() -> None:
    """`re` by client id becomes a number in either."""
    model = Message(participant="ana", content="x", re="m1")
    assert replace_fields(model, re=4) == Message(participant="ana", content="x", re=4)
    read = decode(encode(model))
    assert not isinstance(read, Unknown)
    assert encode(replace_fields(read, re=4)) == encode(replace_fields(model, re=4))


def test_the_fingerprint_tells_payloads_apart() -> None:
    """Sixteen hex digits, the same everywhere."""
    assert fingerprint(b"a") == fingerprint(b"a") != fingerprint(b"b")
    assert len(fingerprint(b"")) == 16


def test_how_deep_an_entry_may_be_is_the_same_on_any_stack() -> None:
    """One process must not read what another, deeper in its own calls, cannot."""
    read = decode(_nested(200))
    assert not isinstance(read, Unknown)
    for depth in (260, 900, 5_000):
        assert isinstance(decode(_nested(depth)), Unknown)
    assert not isinstance(decode(encode(Message(participant="a", content="[" * 9_999))), Unknown)


@pytest.mark.parametrize("depth", range(236, 258))
@pytest.mark.parametrize("level", [b"[]", b'{"a":}'])
def test_what_is_read_can_be_shown_in_something_larger(level: bytes, depth: int) -> None:
    """An entry at the limit of depth would stop whoever lists or streams it."""
    cut = len(level) - 1
    tree = level[:cut] * depth + b"1" + level[cut:] * depth
    call = b'{"kind":"tool.called","participant":"a","tool":"t","call_id":"c","arguments":{"a":%s}}'
    read = decode(call % tree)
    if isinstance(read, Unknown):
        assert depth > 240
    else:
        assert orjson.dumps({"items": [{"entry": orjson.loads(encode(read))}]})
        assert seal("x", read).kind == "p"


def test_what_is_nested_too_deep_is_refused() -> None:
    """Before it is in the log, where all would have to read it."""
    tree: object = 1
    for _ in range(250):
        tree = [tree]
    with pytest.raises(InvalidEntry, match="nested too deep"):
        seal("x", ToolCalled(participant="a", tool="t", call_id="c", arguments={"a": tree}))


def _nested(depth: int) -> bytes:
    return b'{"kind":"session.opened","settings":{"a":' + b"[" * depth + b"]" * depth + b'},"v":1}'
