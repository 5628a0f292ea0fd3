"""A file's format is told by what it holds; whatever it holds, nothing but a refusal ends it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.server.basics.errors import BadTranscript, Failure, Misuse
from parley.server.transcripts import NAMES, all_formats, parse_transcript
from parley.server.transcripts.sources.source import Source
from tests.server.transcripts.samples import SAMPLES

EXTENSIONS = ("", *sorted({end for each in all_formats() for end in each.extensions}))


@pytest.mark.parametrize("sample", SAMPLES)
def test_content_decides_whatever_the_file_is_called(sample: str) -> None:
    """No extension of any format leads astray, and its own is not needed."""
    own, data = SAMPLES[sample]
    for extension in EXTENSIONS:
        assert parse_transcript(data, name=f"talk.{extension}").format == own


@pytest.mark.parametrize("sample", SAMPLES)
def test_its_own_format_is_the_surest(sample: str) -> None:
    """Of all the formats none is as sure of the file as the one that it has."""
    name, data = SAMPLES[sample]
    source = Source(data)
    sure = {each.name: each.tell(source) for each in all_formats()}
    own = sure.pop(name)
    assert own > max(sure.values())


def test_every_format_has_a_sample() -> None:
    """A format that is added is in the matrix, or this fails."""
    assert {name for name, _ in SAMPLES.values()} == set(NAMES)


@pytest.mark.parametrize("format", NAMES)
def test_a_forced_format_reads_or_refuses(format: str) -> None:
    """Read as what it is not, a file comes to messages or to a refusal of one line."""
    for _, data in SAMPLES.values():
        try:
            outcome = parse_transcript(data, lambda _: None, format).format
        except Failure as refused:
            outcome = str(refused)
        assert outcome == format or f"read as {format}" in outcome
        assert "\n" not in outcome


def test_an_unknown_format_is_misuse() -> None:
    """The nearest is offered, and all are named."""
    with pytest.raises(Misuse, match=re.escape("did you mean 'slack'? There are jsonl, irc,")):
        parse_transcript(b"x", format="slak")


README = b"# My tool\n\nInstall it:\n\n- run make\n- Note: it is old\n\nUsage: see docs\n"


@pytest.mark.parametrize(
    "data", [b"once upon a time", README, b'{"a": ', b"[1, 2]", b'"text"', b"null"]
)
def test_what_fits_nothing_says_what_was_tried(data: bytes) -> None:
    """And how to name the format, where it has one after all."""
    with pytest.raises(Failure, match=r"--input-format|not JSON"):
        parse_transcript(data)


def test_an_extension_breaks_a_tie() -> None:
    """Text that is as much one as the other is what its name says."""
    both = b"1\n00:00:01,000 --> 00:00:02,000\nAna: hello\n"
    assert parse_transcript(both, name="a.srt").format == "srt"


@pytest.mark.parametrize("format", [None, *NAMES])
@settings(max_examples=20)
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_no_bytes_whatever_end_in_anything_but_a_refusal(format: str | None, data: bytes) -> None:
    """Read as told by content, or forced."""
    try:
        parse_transcript(data, None, format)
    except Failure:
        return


@pytest.mark.parametrize("sample", SAMPLES)
@settings(max_examples=20)
@given(data=st.data())
def test_no_damage_ends_in_anything_but_a_refusal(sample: str, data: st.DataObject) -> None:
    """A good file with a part cut out, doubled or overwritten."""
    own, whole = SAMPLES[sample]
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    put = data.draw(st.one_of(st.binary(max_size=8), st.just(whole[start:end] * 2)))
    damaged = whole[:start] + put + whole[end:]
    bad: list[BadTranscript] = []
    try:
        transcript = parse_transcript(damaged, bad.append, own)
    except Failure:
        return
    assert transcript.bad == len(bad)


_TREES = {
    name: Source(data).tree for name, (own, data) in SAMPLES.items()
    if Source(data).tree is not None
    and data[:1] in (b"[", b"{") and own not in ("jsonl", "irc", "chatdev", "whatsapp")
}  # fmt: skip
_ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 2**40), st.floats(allow_nan=False),
              st.sampled_from(["", " ", "\0", "+1", "x" * 200, "TextMessage"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["type", "id", "content", "text", "name"]), inner),
    ),
    max_leaves=4,
)  # fmt: skip


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a tree: what holds it, and its key there."""
    for key in range(len(tree)) if isinstance(tree, list) else list(tree):
        yield tree, key
        if isinstance(tree[key], (list, dict)):
            yield from _places(tree[key])


@pytest.mark.parametrize("sample", _TREES)
@settings(max_examples=20)
@given(data=st.data())
def test_no_odd_value_ends_in_anything_but_a_refusal(sample: str, data: st.DataObject) -> None:
    """JSON of a known shape, with parts of it of kinds that they never have."""
    tree = copy.deepcopy(_TREES[sample])
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = data.draw(st.sampled_from(list(_places(tree)) or [(tree, 0)]))
        if len(holder):
            holder[key] = data.draw(_ODD)
    try:
        parse_transcript(json.dumps(tree).encode(), lambda _: None, SAMPLES[sample][0])
    except Failure:
        return


SQLITE = b"SQLite format 3\0" + bytes(100)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (SQLITE, "is an SQLite database"),
        (b"PK\x03\x04" + bytes(40), "is a zip archive"),
        (b"\x1f\x8b\x08" + bytes(40), "is a gzip archive"),
        (b"%PDF-1.7\n", "is a PDF document"),
        (b"[1, 2]", "is valid JSON: a list of 2 other values"),
        (b'[{"a": 1}]', "is valid JSON: a list of 1 objects with 'a'"),
        (b'"text"', "is valid JSON: a text"),
        (b'{\n  "tea": 1,\n  "cups": []\n}\n', "is valid JSON: an object with 'tea', 'cups'"),
        (b'{"tea": 1}', "read as jsonl, which its content fits best; it is valid JSON"),
        (b'{"a": 1}\n{"b": \n2}\n', "read as jsonl"),
        (b"once upon a time", "fits no format"),
        (b"", "is empty"),
        (b'[{"speaker": "ana", "content": "hi"}, 3]', "read as speakers, which its content fits"),
    ],
)
def test_a_refusal_says_what_the_file_is_and_what_can_be_read(data: bytes, words: str) -> None:
    """No dead end: JSON is called JSON, other files by their names, and one form always works."""
    with pytest.raises(Failure) as refused:
        parse_transcript(data)
    assert words in str(refused.value)
    assert '{"index": 0, "agent_id": "ana", "content": "Hello."}' in str(refused.value)


@pytest.mark.parametrize("format", NAMES)
def test_valid_json_is_never_called_broken(format: str) -> None:
    """Whatever format it is read as."""
    for data in (b'{\n "tea": 1\n}', b"[\n 1\n]", b'{\n"a": 1}\n{"b":\n2}', b'[{"tea": 1}]'):
        bad: list[Failure] = []
        try:
            parse_transcript(data, bad.append, format)
        except Failure as refused:
            bad.append(refused)
        assert not any("not JSON" in str(each) for each in bad)


def test_our_own_rows_may_be_written_over_several_lines() -> None:
    rows = [{"index": n, "agent_id": "ana", "content": f"Tea {n}."} for n in range(2)]
    for text in (
        json.dumps(rows, indent=2),
        "\n".join(json.dumps(row, indent=2) for row in rows),
        json.dumps({"title": "Tea"}, indent=1) + "".join(json.dumps(row) for row in rows),
    ):
        read = parse_transcript(text.encode(), format="jsonl")
        assert [entry.index for entry in read.entries] == [0, 1]
