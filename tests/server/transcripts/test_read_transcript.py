"""Transcripts are read whole and checked before anything is published."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from parley.bus.entries import MAX_CONTENT_BYTES, EpisodeClosed, Message
from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts import Transcript, parse_transcript, read_transcript

META = {"session_id": "s", "title": "A title"}


def row(index: int, content: Any = "Hello.", **fields: Any) -> dict[str, Any]:
    """One line of a transcript."""
    return {"index": index, "agent_id": "Ada", "content": content, **fields}


def lines(*rows: Any) -> bytes:
    """Rows as JSON Lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def messages(transcript: Transcript) -> list[Message]:
    """The messages of a file that holds nothing else."""
    entries = [transcript_entry.entry for transcript_entry in transcript.entries]
    assert all(isinstance(entry, Message) for entry in entries)
    return [entry for entry in entries if isinstance(entry, Message)]


def contents(transcript: Transcript) -> list[str]:
    """What was said, in order."""
    return [message.content for message in messages(transcript)]


def test_a_first_line_about_the_whole_is_kept_apart() -> None:
    """The meta line is no message; a file without one is read alike."""
    transcript = parse_transcript(lines(META, row(0), row(1, "Bye.")))
    assert transcript.meta == META
    assert contents(transcript) == ["Hello.", "Bye."]
    assert contents(parse_transcript(lines(row(0)))) == ["Hello."]


def test_ids_come_from_the_file_alone() -> None:
    """Replaying a file twice offers the same ids, so that nothing lands twice."""
    transcript = parse_transcript(lines(row(0), row(1, id="mine")))
    assert [transcript_entry.id for transcript_entry in transcript.entries] == ["line:0", "mine"]


def test_re_names_a_message_of_the_file_by_its_index() -> None:
    """It becomes that message's id, whose number is known when it stands in the log."""
    transcript = parse_transcript(lines(row(3), row(7), row(9, re=7, act="support")))
    assert messages(transcript)[2].re == "line:7"
    assert messages(transcript)[2].act == "support"


def test_a_handle_in_re_stays_a_handle() -> None:
    """P3 is for the fold to resolve."""
    assert messages(parse_transcript(lines(row(0, re="P3"))))[0].re == "P3"


@pytest.mark.parametrize("at", [None, "not a date", "2026-01-01T00:00:00Z", 17])
def test_odd_times_are_kept_as_they_are(at: Any) -> None:
    """Times order and decide nothing, so none of them is wrong."""
    message = messages(parse_transcript(lines(row(0, timestamp=at))))[0]
    assert (message.at or message.at_text) == (None if at is None else str(at))


def test_times_may_go_back() -> None:
    """The order of the file is the order of the talk."""
    late, early = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"
    transcript = parse_transcript(lines(row(0, timestamp=late), row(1, timestamp=early)))
    assert [message.at for message in messages(transcript)] == [late, early]


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n", b"\n\n  \n"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path, end: bytes) -> None:
    """CRLF, blank lines, a missing last newline, a BOM: all read alike."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(
        b"\xef\xbb\xbf" + lines(row(0)).strip() + b"\r\n" + lines(row(1)).strip() + end
    )
    assert len(read_transcript(file).entries) == 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"index": 1, "agent_id": "A", "content": "caf\xe9"}', "not UTF-8"),
        (b'{"index": 1, "agent_id": "A", "content": ', "not JSON"),
        (b'{"index": 1, "agent_id": "A", "content": NaN}', "not JSON"),
        (b'{"index": NaN, "agent_id": "A", "content": "x"}', "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"index": 1, "agent_id": "A"}', "'content' is missing"),
        (b'{"index": 1, "content": "x"}', "'agent_id' is missing"),
        (b'{"agent_id": "A", "content": "x"}', "'index' is missing"),
        (b'{"index": 1, "agent_id": "A", "content": ""}', "content is empty"),
        (b'{"index": 1, "agent_id": "A", "content": " \\n\\t "}', "content is empty"),
        (b'{"index": 1, "agent_id": "A", "content": 3}', "'content'"),
        (b'{"index": 1, "agent_id": "", "content": "x"}', "'agent_id'"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "act": "sing"}', "'act'"),
        (b'{"index": true, "agent_id": "A", "content": "x"}', "whole number"),
        (b'{"index": -1, "agent_id": "A", "content": "x"}', "whole number"),
        (b'{"index": 1.5, "agent_id": "A", "content": "x"}', "whole number"),
        (b'{"index": 0, "agent_id": "A", "content": "x"}', "there twice"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "id": "line:0"}', "there twice"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "id": "a b"}', "printable"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "id": "summary:x"}', "reserved"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "id": "open"}', "reserved"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "re": "later"}', "neither a handle"),
        (b'{"index": 1, "agent_id": "A", "content": "x", "re": "P0"}', "neither a handle"),
        (
            b'{"index": 1, "agent_id": "A", "content": "x", "topic": "' + b"t" * 99_999 + b'"}',
            "the limit",
        ),
        (b'{"index": 1, "agent_id": "A", "content": "x", "re": 4}', "index 4"),
    ],
)
def test_a_bad_line_is_named_with_its_reason(line: bytes, reason: str) -> None:
    """The second line is wrong: line 2, and why; left out, the rest is read."""
    data = lines(row(0)) + line + b"\n" + lines(row(2, "Last."))
    with pytest.raises(BadTranscript, match=f"^line 2: .*{reason}"):
        parse_transcript(data)
    bad: list[BadTranscript] = []
    assert contents(parse_transcript(data, bad.append)) == ["Hello.", "Last."]
    assert [error.place for error in bad] == ["line 2"]


def test_ten_megabytes_in_one_message_are_refused() -> None:
    """A pasted disk image is not talk."""
    with pytest.raises(BadTranscript, match=f"limit of {MAX_CONTENT_BYTES}"):
        parse_transcript(lines(row(0, "x" * 10_000_000)))


@pytest.mark.parametrize("data", [b"", b"\n\n", lines(META)])
def test_a_file_without_messages_is_no_transcript(data: bytes) -> None:
    """An empty answer would hide that the wrong file was given."""
    with pytest.raises(Failure, match="no messages"):
        parse_transcript(data)


def test_a_missing_file_is_a_clear_error(tmp_path: Path) -> None:
    """Not a traceback."""
    with pytest.raises(Failure, match="cannot read"):
        read_transcript(tmp_path / "none.jsonl")


CHAT = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "name": "Ada", "content": "I propose tea."},
    {"role": "assistant", "content": [{"type": "text", "text": "I"}, {"type": "image_url"},
                                      {"type": "text", "text": "agree."}]},
    {"role": "assistant", "content": None, "tool_calls": [{}]},
    {"role": "assistant", "content": None},
]  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("shape", ["bare", "wrapped"])
def test_a_message_list_is_told_apart_by_its_shape(shape: str, indent: int | None) -> None:
    """Bare or under `messages`, on one line or many; frames and calls say nothing."""
    tree: Any = CHAT if shape == "bare" else {"model": "m", "messages": CHAT}
    transcript = parse_transcript(json.dumps(tree, indent=indent).encode())
    assert [transcript_entry.index for transcript_entry in transcript.entries] == [1, 2]
    assert [message.participant for message in messages(transcript)] == ["Ada", "assistant"]
    assert contents(transcript)[1] == "I\n\nagree."
    assert transcript.skipped == 4  # the picture too


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"content": "x"}], "'role' is missing"),
        ([{"role": "user"}], "'content' is missing"),
        ([{"role": "user", "content": []}], "content is empty"),
        (["x"], "not a JSON object"),
    ],
)
def test_a_bad_message_of_a_list_is_named_by_its_place(rows: list[Any], reason: str) -> None:
    """Lists have no lines; the message's place stands for it."""
    with pytest.raises(BadTranscript, match=f"^message 0: .*{reason}"):
        parse_transcript(json.dumps(rows).encode(), format="openai")


def test_a_broken_list_is_refused() -> None:
    """Half a list cannot be read line by line instead."""
    with pytest.raises(Failure, match="not one"):
        parse_transcript(b'[{"role": "user", "content": "x"},')


def test_the_recorded_meetings_are_read_without_a_complaint(corpora: Path) -> None:
    """Every file of the corpora is a transcript."""
    files = [
        file for file in corpora.rglob("*.jsonl")
        if not file.name.endswith((".gold.jsonl", ".stripped.jsonl", "echoes.jsonl"))
    ]  # fmt: skip
    assert files
    for file in files:
        transcript = read_transcript(file)
        assert transcript.entries, file


def test_a_file_may_hold_whatever_participants_publish() -> None:
    """A row with a kind is that entry; its fields are those of the wire."""
    transcript = parse_transcript(
        lines(
            row(0),
            {"index": 1, "kind": "episode.opened", "agent_id": "host", "episode": "phase",
             "title": "Discussion"},
            {"index": 2, "kind": "tool.returned", "participant": "ada", "tool": "search",
             "call_id": "c1", "arguments": {"q": "tea"}, "content": "none", "read_only": True},
            {"index": 3, "kind": "episode.closed", "agent_id": "host", "re": 1},
        )
    )  # fmt: skip
    assert [transcript_entry.entry.kind for transcript_entry in transcript.entries] == [
        "message", "episode.opened", "tool.returned", "episode.closed",
    ]  # fmt: skip
    last = transcript.entries[-1].entry
    assert isinstance(last, EpisodeClosed)
    assert last.re == "line:1"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind": "session.closed"}, "kind 'session.closed' is none of"),
        ({"kind": "note.revised", "cause": 3, "text": "x"}, "kind 'note.revised' is none of"),
        ({"kind": "step", "agent_id": "ada", "content": "x"}, "field 'form'"),
        ({"kind": "step", "content": "x", "form": "validation"}, "'agent_id') is missing"),
        ({"kind": 7}, "kind 7 is none of"),
    ],
)
def test_what_no_participant_publishes_is_refused(fields: dict[str, Any], reason: str) -> None:
    """Rules and results are the server's to write; a missing field is named."""
    with pytest.raises(BadTranscript, match=re.escape(reason)):
        parse_transcript(lines({"index": 0, **fields}))
