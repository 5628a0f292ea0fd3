"""What a reader does not take over, it counts and names."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from parley.bus.entries import Message
from parley.server.transcripts import NAMES, Transcript, parse_transcript
from parley.server.transcripts.transcript_export import summary_lines, summary_row
from tests.server.transcripts import export_samples
from tests.server.transcripts.samples import SAMPLES

ODD = "oddity"  # a field that no format has


def read(tree: Any) -> Transcript:
    return parse_transcript(json.dumps(tree).encode())


def messages(transcript: Transcript) -> list[Message]:
    return [each.entry for each in transcript.entries if isinstance(each.entry, Message)]


def left(transcript: Transcript) -> dict[str, int]:
    return {reason: each.count for reason, each in transcript.left.items()}


def fields(transcript: Transcript) -> dict[str, int]:
    return {name: each.count for name, each in transcript.fields.items()}


def objects(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a tree, outermost first."""
    if isinstance(tree, dict):
        yield tree
    if isinstance(tree, (dict, list)):
        for each in list(tree.values() if isinstance(tree, dict) else tree):
            yield from objects(each)


def values(data: bytes) -> list[Any] | None:
    """The values of JSON in a file, one or one a line; None if it holds none."""
    for parts in ([data], [line for line in data.split(b"\n") if line.strip()]):
        try:
            return [json.loads(part) for part in parts]
        except ValueError:
            continue
    return None


IN_JSON = {name: each[0] for name, each in SAMPLES.items() if values(each[1]) is not None}


@pytest.mark.parametrize("sample", IN_JSON)
def test_each_reader_names_the_fields_that_it_does_not_know(sample: str) -> None:
    """Once for each message that is taken, whatever else holds such a field too."""
    kind, data = SAMPLES[sample]
    trees = values(data) or []
    for tree in trees:
        for each in list(objects(tree)):
            each[ODD] = "words"
    odd = b"\n".join(json.dumps(tree).encode() for tree in trees)
    transcript = parse_transcript(odd, format=kind)
    before = parse_transcript(data)
    assert transcript.entries == before.entries
    counted = sum(n for name, n in fields(transcript).items() if name.endswith(ODD))
    spoken = [each for each in messages(before) if each.act is None]
    assert counted >= (1 if kind == "notebook" else len(spoken))
    assert any(
        line.startswith("left out fields: ") and ODD in line for line in summary_lines(transcript)
    )
    assert summary_row(transcript)["fields_left_out"] == fields(transcript)


def test_every_format_is_fed_fields_or_is_text() -> None:
    """Of the formats that the last test does not feed none is JSON."""
    text = {"irc", "vtt", "srt", "whatsapp", "markdown", "mbox", "autogen-console", "chatdev",
            "board", "github-markdown"}  # fmt: skip
    assert {*IN_JSON.values()} | text == set(NAMES)
    assert not {*IN_JSON.values()} & text


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_a_field_that_holds_nothing_is_not_missed(value: Any) -> None:
    assert not fields(read([{"speaker": "ana", "content": "hi", "edited": value}]))


def test_fields_are_counted_where_a_list_names_the_same_twice() -> None:
    """Of two fields that could name the speaker or the time, one is taken."""
    rows = [{"speaker": "ana", "name": "Ana Lima", "text": "hi", "content": "Hi.", "time": "9",
             "date": "x", "author": {"name": "a", "id": 3}}] * 2  # fmt: skip
    assert fields(read(rows)) == {"name": 2, "text": 2, "date": 2, "author": 2}


def test_names_without_end_are_counted_together() -> None:
    """A hostile file makes no list of a million names."""
    rows = [{"index": n, "agent_id": "a", "content": "x", f"k{n}": 1} for n in range(1_500)]
    transcript = parse_transcript(b"\n".join(json.dumps(row).encode() for row in rows))
    assert fields(transcript)["other fields"] == 500
    assert len("".join(summary_lines(transcript))) < 1_000


# -- exports ---------------------------------------------------------------------------


def test_discord_has_replies_votes_nicknames_and_bots() -> None:
    """A join is no words; who reacts by a sign that counts is named."""
    transcript = read(export_samples.DISCORD)
    said = messages(transcript)
    assert [(each.participant, each.content, each.re, each.act) for each in said] == [
        ("Ana", "I propose we plant beans.", None, None), ("Bo", "👍", "line:0", "support"),
        ("Bo", "Why not peas?", "line:0", None), ("Clock", "It is nine.", None, None),
    ]  # fmt: skip
    assert transcript.meta == {
        "title": "Garden #beds", "bots": ["Clock"], "aliases": {"ana_l": "Ana"},
    }  # fmt: skip
    assert left(transcript) == {
        "joins, pins, calls and other notices of a channel": 1,
        "votes by reaction that name nobody": 1, "reactions that are no vote": 3,
        "pictures, files and embeds beside words": 1,
    }  # fmt: skip
    assert fields(transcript) == {
        "channel.type": 1, "timestampEdited": 1, "isPinned": 1, "author.color": 1,
    }  # fmt: skip


def test_two_of_one_nickname_on_discord_are_two() -> None:
    tree = copy.deepcopy(export_samples.DISCORD)
    tree["messages"][3]["author"].update(nickname="Ana", isBot=False)
    names = [each.participant for each in messages(read(tree))]
    assert names == ["Ana (ana_l)", "Bo", "Bo", "Ana (Clock)"]
