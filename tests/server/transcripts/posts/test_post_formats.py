"""Talk in posts: right speakers in right order, whatever is pasted into what they say."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path

import pytest

from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts import Transcript, parse_transcript
from tests.server.transcripts.post_samples import (
    BOARD_FIELDS,
    BOARD_HOSTILE,
    CHATDEV_NOW,
    CONSOLE_HOSTILE,
    CONSOLE_NEW,
    GITHUB_EXPORT,
    POST_SAMPLES,
)
from tests.support.doors.calls import Parley


def read(text: str, *speakers: str, format: str | None = None) -> Transcript:
    return parse_transcript(text.encode(), format=format, speakers=speakers)


def turns(transcript: Transcript) -> list[tuple[str, str]]:
    """Who says what, in order."""
    rows = [entry.entry.model_dump() for entry in transcript.entries]
    return [(row["participant"], row["content"]) for row in rows]


def heads(*names: str) -> str:
    return "".join(f"### [{name}] — 2026-03-01 09:00\n\nWords.\n\n---\n\n" for name in names)


@pytest.mark.parametrize("name", POST_SAMPLES)
def test_speakers_are_right_and_in_order(name: str) -> None:
    """Each file comes to its turns and its bots, found by its content alone."""
    sample = POST_SAMPLES[name]
    transcript = read(sample.text)
    spoken = turns(transcript)
    assert transcript.format == sample.format
    assert [who for who, _ in spoken] == [who for who, _ in sample.turns]
    assert all(b.startswith(a) for (_, a), (_, b) in zip(sample.turns, spoken, strict=True))
    assert tuple(transcript.meta.get("bots", ())) == sample.bots


def test_a_message_is_markdown_word_for_word() -> None:
    """Lists, rulers, fences and the breaks at the ends of lines stay as they were written."""
    body = "1. a  \n   - **b**\n\n\n     c\n\n---\n\n```\n---\nFrom: d\n```"
    text = f"---\nFrom: ana\n\n{body}\n\n---\nFrom: bo\n\nYes.\n"
    assert turns(read(text)) == [("ana", body), ("bo", "Yes.")]


def test_heads_say_when_to_whom_and_on_what() -> None:
    """Lines of a head become fields of the message; what it says else stays in the text."""
    first = read(BOARD_FIELDS).entries[0].entry.model_dump()
    assert (first["to"], first["topic"], first["at_text"]) == (("bo",), "Seeds", "2026-03-01 09:00")


def test_replies_of_an_export_lead_to_their_comment() -> None:
    """And bots of GitHub are marked as such."""
    transcript = read(GITHUB_EXPORT)
    comment, reply = transcript.entries[1], transcript.entries[2]
    assert reply.entry.model_dump()["re"] == comment.id
    assert transcript.meta["title"] == "Which beans? #12"


def test_phases_of_chatdev_are_topics_and_its_days_come_before_months() -> None:
    """The stamp 2026-23-02 is the 23rd of February; what each turn was prompted with is cut."""
    row = read(CHATDEV_NOW).entries[1].entry.model_dump()
    assert (row["at_text"], row["topic"]) == ("2026-02-23T09:00:05", "DemandAnalysis")
    assert row["to"] == ("Chief Executive Officer",)


@pytest.mark.parametrize(
    "heading",
    ["### Ana [2026-02-18 19:24]", "## 2026-06-01T00:00:00Z - Ana - Beans",
     "### Message 3: Ana → Bo",
     "## [NEW] Ana → Bo: Beans (2026-02-18)", "[Ana] — March 8, 2026", "### Message from Ana to Bo",
     "### **[Ana]** — 2026-04-10 ~20:00 UTC", "## Message 4\n**From:** Ana\n**To:** Bo",
     "### Beans\n\n**Author**: Ana · **Date**: 2026-02-18"],
)  # fmt: skip
def test_headings_of_boards(heading: str) -> None:
    """A heading names who posts in any of these ways."""
    other = heading.replace("Ana", "Bo_").replace("→ Bo", "→ Ana")
    text = f"{heading}\n\nOne.\n\n---\n\n{other}\n\nTwo.\n\n---\n\n{heading}\n\nThree.\n"
    assert [who for who, _ in turns(read(text))] == ["Ana", "Bo_", "Ana"]


def test_a_name_that_stands_once_in_another_form_is_text() -> None:
    """The note says so, and --speaker is the way out."""
    transcript = read(BOARD_HOSTILE)
    assert "Release" in transcript.notes[0]
    assert "--speaker NAME" in transcript.notes[0]
    named = read(BOARD_HOSTILE, "ana", "bo", "release")
    assert [who for who, _ in turns(named)] == ["ANA", "BO", "Release"]


def test_words_below_a_heading_within_a_post_stay_in_it() -> None:
    """Agents write reports with headings of any level, below rulers too; nothing is lost."""
    report = "Done.\n\n---\n\n## What was done\n\n### Files\n\n**Files created:**\n- a"
    text = heads("ana").replace("Words.", report) + heads("bo", "ana")
    assert turns(read(text))[0] == ("ana", report)
    assert read(text).format == "board"


def test_most_speaking_once_is_a_warning_that_names_the_way_out() -> None:
    """Headings with dates look like posts; with the speakers named they are none."""
    text = heads("Speed", "Cost", "ana", "Yield")
    assert "4 of 4 speakers speak once" in read(text).notes[0]
    assert "--speaker NAME" in read(text).notes[0]
    transcript = read(text, "ana", "nobody")
    assert [who for who, _ in turns(transcript)] == ["ana"]
    assert transcript.notes == ["named with --speaker, and silent in the file: nobody"]


def test_somebody_who_posts_once_in_the_others_form_speaks() -> None:
    """Also where posts of others stand below rulers, and this one does not."""
    text = (
        "# Board\n\n### Ana [2026-02-18 19:24]\n\nReady.\n\n### Bo-5 [2026-02-19 01:30 - DONE]\n\n"
        "Done.\n\n---\n\n## Pumps\n\n### Ana [2026-02-20]\n\nGo.\n\n### Bo-5 [Reply here]\n"
    )
    assert [who for who, _ in turns(read(text))] == ["Ana", "Bo-5", "Ana"]


def test_a_list_of_participants_declares_names() -> None:
    """Somebody who posts once is no doubt then."""
    text = "# Board\n\nParticipants: ana, bo, cy\n\n---\n\n" + heads("ana", "ana", "cy")
    assert [who for who, _ in turns(read(text))] == ["ana", "ana", "cy"]
    assert read(text).notes == []


def test_calls_and_results_of_tools_are_left_out_of_a_console() -> None:
    """Also the summary and the count of tokens, which AutoGen prints of its own accord."""
    transcript = read(CONSOLE_NEW)
    assert set(transcript.left) == {
        "calls a tool without words", "notices that AutoGen prints",
    }  # fmt: skip
    typed = (
        "---------- TextMessage (user) ----------\nAdd.\n"
        "---------- ToolCallRequestEvent (adder) ----------\n[FunctionCall(id='1')]\n"
        "---------- ToolCallSummaryMessage (adder) ----------\n2\n"
        "---------- TextMessage (adder) ----------\n---------- Latency ----------\nTwo.\n"
    )
    assert turns(read(typed)) == [
        ("user", "Add."), ("adder", "---------- Latency ----------\nTwo."),
    ]  # fmt: skip


def test_a_fence_that_nobody_closed_ends_with_its_message() -> None:
    """Models forget to; else the rest of the talk would be code."""
    assert len(turns(read(CONSOLE_HOSTILE))) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps({"cells": [], "nbformat": 4}), "save those as a JSON list"),
        (json.dumps({"cells": [{"outputs": [{"text": 3}]}, 4], "nbformat": 4}), "no cell prints"),
        (json.dumps([{"agent": "ana", "message": 3}]), "field 'message' is neither text nor"),
        (json.dumps([{"agent": "ana", "message": "a"}, {"message": "b"}]), "nobody is named: give"),
        (json.dumps([{"agent": "ana", "message": "a"}, {"agent": "b"}]), "nothing is said: give"),
        (json.dumps([{"agent": "ana", "message": "a"}, 3]), "not a JSON object"),
        ('{"agent": "ana", "message": "a"}\n{"agent"', "line 2: not JSON"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(text: str, words: str) -> None:
    """A refusal of one line, never a traceback."""
    with pytest.raises((Failure, BadTranscript), match=words):
        read(text)


@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("board", "### [ANA] — 2026-03-01 09:00\n"),
        ("board", "### " + "Ana " * 70 + "\n"),
        ("board", "---\nFrom: a\n"),
        ("github-markdown", "**comment by " + "a-" * 19 + " (\n"),
        ("autogen-console", "---------- a ----------\n```py\n"),
        ("chatdev", "[2026-23-02 09:00:00 INFO] A: **" + "x" * 60 + "\n"),
    ],
)
def test_large_files_take_linear_time(format: str, line: str) -> None:
    """A megabyte of what looks like heads takes seconds, not hours."""
    began = time.perf_counter()
    with suppress(Failure):
        parse_transcript((line * (1_000_000 // len(line))).encode(), lambda _: None, format)
    assert time.perf_counter() - began < 30


def test_commands_take_the_speakers(parley: Parley, tmp_path: Path) -> None:
    """`transcript`, `analyze` and `minutes` alike; the bots of a file are the session's."""
    file = tmp_path / "board.md"
    file.write_text(heads("Speed", "Cost", "ana", "Yield"))
    ran = parley("transcript", file, "--speaker", "ana", "--speaker", "bo")
    assert [row["agent_id"] for row in ran.rows()[1:]] == ["ana"]
    assert "silent in the file: bo" in ran.err
    assert "speakers speak once" in parley("analyze", file).err
    assert "speakers speak once" not in parley("analyze", file, "--speaker", "ana").err
    assert parley("minutes", file, "--speaker", "ana").code == 0
