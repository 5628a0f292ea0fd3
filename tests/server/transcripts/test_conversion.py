"""`parley transcript`: any format to JSON Lines, and a report of what was taken and left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parley.server.transcripts import NAMES, parse_transcript
from parley.server.transcripts.transcript_export import to_json_lines
from tests.server.transcripts.samples import RRSAGENT, SAMPLES, SLACK
from tests.support.doors.calls import Parley


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_written_reads_the_same(sample: str) -> None:
    """Ids, times, threads, topics and acts stay; so does what the file says of itself."""
    transcript = parse_transcript(SAMPLES[sample][1])
    again = parse_transcript(b"".join(to_json_lines(transcript)))
    assert again.entries == transcript.entries
    assert again.meta == {"format": transcript.format, **transcript.meta}
    assert b"".join(to_json_lines(again)) == b"".join(to_json_lines(transcript))


def test_a_file_is_converted_and_reported(parley: Parley, tmp_path: Path) -> None:
    """Data on stdout, the report on stderr; with --out the report is what is printed."""
    file = tmp_path / "day.json"
    file.write_text(json.dumps(SLACK))
    ran = parley("transcript", file)
    assert ran.code == 0
    assert [row["agent_id"] for row in ran.rows()[1:]] == ["Ana Lima", "U2", "U2", "Clock"]
    assert ran.rows()[2] == {
        "index": 1, "agent_id": "U2", "content": "👍", "act": "support", "re": 0,
    }  # fmt: skip
    assert "4 messages of 3 speakers, read as slack" in ran.err
    assert "left out 1: reactions that are no vote (first: message 1)" in ran.err
    out = tmp_path / "talk.jsonl"
    kept = parley("transcript", file, "-o", out, "--json")
    assert out.read_text() == ran.out
    assert kept.rows()[0]["messages"] == 4
    assert kept.rows()[0]["left_out"][0]["count"] == 1


def test_formats_are_listed(parley: Parley) -> None:
    """By name, with a line on each."""
    assert [row["name"] for row in parley("transcript", "--list", "--json").rows()] == list(NAMES)
    listed = parley("transcript", "--list").out
    assert all(name in listed for name in NAMES)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["transcript"], 2, "name the FILE"),
        (
            ["transcript", "{file}", "--format", "slak"],
            2,
            "did you mean 'slack'? There are jsonl",
        ),
        (["transcript", "{file}", "--format", "xyzzy"], 2, "'xyzzy'. There are jsonl, irc"),
        (["transcript", "{file}"], 1, "fits no format of a transcript. Tried: jsonl"),
        (["transcript", "{file}", "--format", "irc"], 1, "holds no messages, read as irc"),
        (["analyze", "{file}", "--input-format", "slack"], 1, "holds no messages, read as slack"),
        (["transcript", "none.txt"], 1, "cannot read"),
    ],
)
def test_mistakes_end_in_one_line(
    parley: Parley, tmp_path: Path, args: list[str], code: int, words: str
) -> None:
    """Nothing on stdout, what to do on stderr."""
    file = tmp_path / "story.txt"
    file.write_text("once upon a time\n")
    ran = parley(*(arg.format(file=file) for arg in args))
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_any_format_is_analyzed(parley: Parley, tmp_path: Path) -> None:
    """What was left out is told beside the report."""
    file = tmp_path / "log"
    file.write_text(RRSAGENT)
    ran = parley("analyze", file, "--format", "items")
    assert [row["label"] for row in ran.rows()][:1] == ["proposal"]
    assert "read as irc" in ran.err
    assert "left out 1: joins, parts" in ran.err


def test_a_record_is_not_written_over_by_its_conversion(parley: Parley, tmp_path: Path) -> None:
    """What was left out of it would be gone for good."""
    file = tmp_path / "talk.log"
    file.write_bytes(SAMPLES["weechat"][1])
    before = file.read_bytes()
    ran = parley("transcript", file, "-o", tmp_path / "." / "talk.log")
    assert (ran.code, file.read_bytes()) == (2, before)
    assert "name another OUT" in ran.err
