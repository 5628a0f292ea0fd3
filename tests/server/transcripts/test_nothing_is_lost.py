"""What a reader does not take over, it counts and names."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from parley.bus.entries import Message, ToolReturned
from parley.server.basics.errors import Failure
from parley.server.transcripts import NAMES, Transcript, parse_transcript, read_transcript
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
    if data.startswith(b"SQLite"):
        return None
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
    assert messages(transcript) == messages(before)
    counted = sum(n for name, n in fields(transcript).items() if name.endswith(ODD))
    spoken = [each for each in messages(before) if each.act is None]
    assert counted >= (1 if kind == "notebook" else len(spoken))
    assert any(
        line.startswith("left out fields: ") and ODD in line for line in summary_lines(transcript)
    )
    assert summary_row(transcript)["fields_left_out"] == fields(transcript)


def test_every_format_is_fed_fields_or_is_text() -> None:
    """Of the formats that the last test does not feed none is JSON."""
    text = {"irc", "vtt", "srt", "sbv", "otter", "meet", "whatsapp", "markdown", "mbox",
            "autogen-console", "autogen-log", "chatdev", "board", "github-markdown"}  # fmt: skip
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


@pytest.mark.parametrize("sample", ["zulip", "zulip lines", "zulip stream"])
def test_zulip_is_read_in_a_list_or_one_message_after_the_other(sample: str) -> None:
    """Pretty-printed or not; a quote of a message answers it."""
    transcript = parse_transcript(SAMPLES[sample][1])
    said = messages(transcript)
    assert [(each.participant, each.re, each.act, each.topic) for each in said] == [
        ("Ana", None, None, "beds"), ("Bo", "line:0", "support", "beds"),
        ("Bo", "line:0", None, "beds"), ("Clock", None, None, "clock"),
    ]  # fmt: skip
    assert said[0].at == "2024-05-03T09:01:00Z"
    assert said[3].content == "* Clock strikes."
    assert transcript.meta == {"bots": ["Clock"]}
    assert left(transcript) == {"reactions that are no vote of somebody named": 1}
    assert fields(transcript) == {"client": 3}


def test_an_export_of_zulip_names_people_by_its_realm(tmp_path: Path) -> None:
    """Whose numbers alone are in its messages; reactions are in the other file too."""
    for name, tree in export_samples.ZULIP_EXPORT.items():
        (tmp_path / name).write_text(json.dumps(tree))
    transcript = read_transcript(tmp_path)
    assert transcript.format == "zulip"
    assert [(each.participant, each.content, each.act) for each in messages(transcript)] == [
        ("Ana", "I propose beans.", None), ("Bo", "👍", "support"),
    ]  # fmt: skip
    assert transcript.meta == {"title": "garden > beds"}


def spoken(sample: str) -> list[tuple[str, str, str | None]]:
    said = messages(parse_transcript(SAMPLES[sample][1]))
    return [(each.participant, each.content, each.at_text) for each in said]


def test_transcripts_of_meetings_have_names_and_times() -> None:
    """Otter heads each turn; Meet names who attended, and the time now and then."""
    assert spoken("otter") == [
        ("Ana Lima", "I propose we plant beans.\nThey grow fast.", "0:02"),
        ("Bo", "I agree: beans.", "1:00:12"),
    ]  # fmt: skip
    assert spoken("otter untimed") == [
        ("Ana Lima", "I propose we plant beans.\nIn May.\n\nThey need little water.", None),
        ("Bo", "+1", None), ("Speaker 3", "Hm.", None),
    ]  # fmt: skip
    assert left(parse_transcript(SAMPLES["otter"][1])) == {
        "lines before the first speaker": 1, "turns without words": 1,
        "times, headings and notices of the program": 1,
    }  # fmt: skip
    assert spoken("meet") == [
        ("Ana Lima", "I propose we plant beans.\nThey grow fast.", "00:00:00"),
        ("Bo", "Plan: beans it is.", "00:00:00"), ("Ana Lima", "Good.", "00:05:00"),
    ]  # fmt: skip
    assert parse_transcript(SAMPLES["meet"][1]).meta == {
        "title": "Garden club (2024-05-03 09:00 GMT+2)",
    }  # fmt: skip
    assert spoken("sbv") == [
        ("Ana Lima", "I propose we plant beans.", "0:00:01.000"), ("Bo", "I agree.", "0:00:06.000"),
    ]  # fmt: skip


# -- sessions, traces and logs of agents -----------------------------------------------


def taken(sample: str) -> list[tuple[str, str, str]]:
    """Who said what, or which tool gave what to whom."""
    entries = [each.entry for each in parse_transcript(SAMPLES[sample][1]).entries]
    return [
        (each.participant, each.tool if isinstance(each, ToolReturned) else "", each.content)
        for each in entries
        if isinstance(each, (Message, ToolReturned))
    ]


@pytest.mark.parametrize(
    ("sample", "talk"),
    [
        ("agents session", [("user", "", "What shall we plant?"),
                            ("assistant", "seeds", "beans: 42"),
                            ("assistant", "", "I propose beans.")]),
        ("agents items", [("user", "", "What shall we plant?"),
                          ("assistant", "seeds", "beans: 42"),
                          ("assistant", "", "I propose beans.")]),
        ("response", [("assistant", "seeds", "beans: 42"), ("assistant", "", "I propose beans.")]),
        ("langfuse", [("Ana", "seeds", "beans: 42"), ("user", "", "What shall we plant?"),
                      ("Ana", "", "I propose beans."), ("user", "", "Why?"),
                      ("assistant", "", "They grow.")]),
        ("langsmith", [("Ana", "", "What shall we plant?"), ("assistant", "", "I propose beans."),
                       ("assistant", "seeds", "{\"output\":\"42\"}")]),
        ("autogen log", [("ana", "", "I propose beans."), ("bo", "function", "\"42\""),
                         ("bo", "", "I agree.")]),
    ],
)  # fmt: skip
def test_records_of_agents_have_words_once_and_results_of_tools(
    sample: str, talk: list[tuple[str, str, str]]
) -> None:
    """However often a call repeats what was said before it."""
    assert taken(sample) == talk


def test_what_records_of_agents_hold_besides_is_counted() -> None:
    expected = {
        "langfuse": {"frames the talk (system, developer)": 1,
                     "steps that neither ask a model nor use a tool": 2,
                     "messages that a later call repeats": 2},
        "langsmith": {"steps that neither ask a model nor use a tool": 1},
        "autogen log": {"lines about the log": 1, "agents, clients and settings": 1,
                        "messages that a group's manager passes on": 1,
                        "calls of models, whose answers come as messages": 1},
        "agents session": {"a part that is no text (reasoning)": 1},
    }  # fmt: skip
    for sample, counts in expected.items():
        assert left(parse_transcript(SAMPLES[sample][1])) == counts


def test_a_session_in_a_database_has_times_and_arguments() -> None:
    transcript = parse_transcript(SAMPLES["agents session"][1])
    assert transcript.entries[0].entry.at == "2024-05-03T09:01:00Z"
    result = transcript.entries[1].entry
    assert isinstance(result, ToolReturned)
    assert (result.call_id, result.arguments) == ("c1", {"bed": 3})
    assert any("-wal" in note for note in transcript.notes)


def test_a_database_of_something_else_is_called_one() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE tea (cup)")
        data = database.serialize()
    with pytest.raises(Failure, match="is an SQLite database"):
        parse_transcript(data)
    with pytest.raises(Failure, match="has no table agent_messages"):
        parse_transcript(data, format="openai-agents")
    with pytest.raises(Failure, match="SQLite database"):
        parse_transcript(SAMPLES["agents session"][1][:6_000])
