"""What is taken of exports and dumps in JSON, and what is left."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from parley.bus.entries import Message
from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts import Transcript, parse_transcript, read_transcript
from parley.server.transcripts.sources import transcript_files
from tests.server.transcripts import samples


def read(tree: Any) -> Transcript:
    return parse_transcript(json.dumps(tree).encode())


def messages(transcript: Transcript) -> list[Message]:
    return [entry.entry for entry in transcript.entries if isinstance(entry.entry, Message)]


def spoken_lines(transcript: Transcript) -> list[tuple[str, str]]:
    return [(each.participant, each.content) for each in messages(transcript)]


def test_a_day_of_slack_has_threads_votes_and_bots() -> None:
    """Reactions that are votes are messages; the others, and who is not named, are counted."""
    transcript = read(samples.SLACK)
    assert spoken_lines(transcript) == [
        ("Ana Lima", "I propose we plant beans (https://example.org/b) & peas, @U2"),
        ("U2", "👍"), ("U2", "Why not 👍"), ("Clock", "It is nine."),
    ]  # fmt: skip
    assert [each.re for each in messages(transcript)] == [None, "line:0", "line:0", None]
    assert messages(transcript)[1].act == "support"
    assert messages(transcript)[0].at == "2024-05-03T09:00:12Z"
    assert transcript.meta == {"bots": ["Clock"]}
    assert {reason: left.count for reason, left in transcript.left.items()} == {
        "joins, topics and other notices of a channel": 1,
        "votes by reaction that name nobody": 1,
        "reactions that are no vote": 1,
        "files and attachments without words": 1,
    }


def _export(folder: Path, *channels: str) -> None:
    users = [
        {"id": "U1", "name": "ana", "profile": {"display_name": "Ana"}},
        {"id": "U2", "name": "anna", "profile": {"display_name": "", "real_name": "ana"}},
        {"id": "U3", "name": "bo", "profile": {"display_name": "Bo"}},
    ]
    (folder / "users.json").write_text(json.dumps(users))
    (folder / "channels.json").write_text("[]")
    for place, channel in enumerate(channels):
        (folder / channel).mkdir()
        for day in (4, 3):
            ts = f"17147{day}{place}000.000100"
            rows = [{"type": "message", "user": f"U{day - 2}", "text": f"day {day}", "ts": ts}]
            (folder / channel / f"2024-05-0{day}.json").write_text(json.dumps(rows))


def test_a_whole_export_is_read_in_the_order_of_time(tmp_path: Path) -> None:
    """Two people of one name keep two names; several channels are topics."""
    _export(tmp_path, "garden", "kitchen")
    transcript = read_transcript(tmp_path)
    assert spoken_lines(transcript) == [
        ("Ana (ana)", "day 3"), ("Ana (ana)", "day 3"), ("ana (anna)", "day 4"),
        ("ana (anna)", "day 4"),
    ]  # fmt: skip
    assert [each.topic for each in messages(transcript)] == ["#garden", "#kitchen"] * 2


def test_one_channels_folder_knows_the_names_of_its_workspace(tmp_path: Path) -> None:
    """users.json stands beside the folders of the channels."""
    _export(tmp_path, "garden", "kitchen")
    transcript = read_transcript(tmp_path / "garden")
    assert spoken_lines(transcript) == [("Ana (ana)", "day 3"), ("ana (anna)", "day 4")]
    assert messages(transcript)[0].topic is None


def _zipped(folder: Path, out: Path) -> Path:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*.json")):
            archive.write(file, file.relative_to(folder))
    return out


def test_an_archive_is_read_as_the_folder_in_it(tmp_path: Path) -> None:
    """As Slack hands it out, without unpacking a file to disk."""
    folder = tmp_path / "export"
    folder.mkdir()
    _export(folder, "garden")
    assert spoken_lines(read_transcript(_zipped(folder, tmp_path / "e.zip"))) == spoken_lines(
        read_transcript(folder)
    )


def test_an_archive_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever size it says that its files have."""
    monkeypatch.setattr(transcript_files, "MAX_BYTES", 100_000)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/2024-05-03.json", b" " * 10_000_000)
        archive.writestr("a/2024-05-04.json", b"[]")
    assert bomb.stat().st_size < 100_000
    with pytest.raises(Failure, match="no transcript is that large"):
        read_transcript(bomb)


@pytest.mark.parametrize("cut", [4, 40, 200])
def test_a_damaged_archive_is_a_clear_error(tmp_path: Path, cut: int) -> None:
    """Cut short, or begun as one and something else."""
    folder = tmp_path / "export"
    folder.mkdir()
    _export(folder, "garden")
    whole = _zipped(folder, tmp_path / "e.zip").read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:cut])
    with pytest.raises(Failure, match="cannot be unpacked"):
        read_transcript(tmp_path / "cut.zip")


def test_any_other_file_may_come_in_an_archive(tmp_path: Path) -> None:
    """One file in it is read as what it is."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("talk.vtt", samples.VTT)
    (tmp_path / "talk.zip").write_bytes(data.getvalue())
    assert read_transcript(tmp_path / "talk.zip").format == "vtt"


def test_tools_and_thinking_are_counted_not_said() -> None:
    """What Anthropic's blocks hold besides text."""
    transcript = read(samples.ANTHROPIC)
    assert spoken_lines(transcript) == [
        ("user", "I propose we plant beans."),
        ("assistant", "I agree."),
    ]
    assert list(transcript.left) == [
        "a part that is no text (thinking)", "a tool's call", "a tool's result",
    ]  # fmt: skip


def test_comments_have_authors_bots_and_ghosts() -> None:
    """Comments of the page are taken without what the page hides."""
    transcript = read(samples.GITHUB_REST)
    assert spoken_lines(transcript) == [
        ("ana", "I propose we plant beans."), ("tidy[bot]", "Labelled."), ("ghost", "+1"),
    ]  # fmt: skip
    assert transcript.meta == {"bots": ["tidy[bot]"]}
    assert transcript.left["reactions that are no vote, or name nobody"].count == 2


def test_an_issue_begins_with_its_own_words() -> None:
    """Then come its comments; hidden ones stay out."""
    transcript = read(samples.GITHUB_GH)
    assert transcript.meta == {"title": "Beans"}
    assert spoken_lines(transcript) == [("ana", "I propose beans."), ("bo", "I agree.")]
    assert transcript.left["hidden comments"].first == "comments 1"


def test_replies_of_a_discussion_stand_where_they_were_made() -> None:
    """In the order of time, with what they answer; a thumb of somebody named is a vote."""
    transcript = read(samples.DISCUSSION)
    assert [(who, text) for who, text in spoken_lines(transcript)] == [
        ("ana", "I propose beans."), ("bo", "Peas instead?"), ("ana", "👍"), ("ghost", "Fine."),
        ("ana", "Both."),
    ]  # fmt: skip
    assert [each.re for each in messages(transcript)] == [None, None, "line:1", None, "line:1"]


@pytest.mark.parametrize("tree", [samples.AUTOGEN_LIST, samples.AUTOGEN_STATE])
def test_autogen_is_read_from_a_list_and_from_a_state(tree: Any) -> None:
    """Words of agents are taken, a hand-over with whom it is for; events are counted."""
    transcript = read(tree)
    assert spoken_lines(transcript) == [
        ("user", "Plant what?"), ("ana", "I propose beans."), ("ana", "Over to you."),
        ("bo", "I agree."),
    ]  # fmt: skip
    assert messages(transcript)[2].to == ("bo",)
    assert transcript.skipped == 3


def test_the_chat_history_of_autogen_names_who_spoke() -> None:
    """Of 0.2; its roles are those of one side, the names are everyone's."""
    assert spoken_lines(read(samples.AUTOGEN_02)) == [
        ("user_proxy", "Plant what?"), ("ana", "I propose beans."),
    ]  # fmt: skip


def test_langchain_is_read_in_its_three_forms() -> None:
    """A name counts before a role; calls, results and frames are counted."""
    transcript = read(samples.LANGCHAIN_DATA)
    assert spoken_lines(transcript) == [("Ana", "I propose beans."), ("ai", "I agree.")]
    assert transcript.skipped == 3
    for tree in (samples.LANGCHAIN_LC, samples.LANGCHAIN_FLAT):
        assert spoken_lines(read(tree)) == [("human", "I propose beans."), ("Bo", "I agree.")]


def test_a_row_that_is_no_message_is_named() -> None:
    """Among good ones, by its place."""
    for rows in (samples.SLACK, samples.GITHUB_REST, samples.LANGCHAIN_FLAT):
        with pytest.raises(BadTranscript, match=r"^(message|item) \d+: "):
            read([*rows, {"odd": 1}])
