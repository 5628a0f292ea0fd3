"""What real exports hold besides plain messages: words are taken, the program's own are not."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any, Final

import pytest

from parley.bus.entries import Message
from parley.server.transcripts import Transcript, parse_transcript

NARROW: Final = "\u202f"  # between an hour and its half
MARK: Final = "\u200e"  # from left to right


def read(data: Any) -> Transcript:
    text = data if isinstance(data, str) else json.dumps(data)
    return parse_transcript(text.encode())


def said(transcript: Transcript) -> list[tuple[str, str]]:
    entries = (each.entry for each in transcript.entries)
    return [(each.participant, each.content) for each in entries if isinstance(each, Message)]


def left(transcript: Transcript) -> dict[str, int]:
    return {reason: each.count for reason, each in transcript.left.items()}


def test_words_of_slack_may_stand_in_blocks_and_attachments() -> None:
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
        {"type": "text", "text": "I object to "}, {"type": "user", "user_id": "U1"},
        {"type": "emoji", "name": "x"}]}]}  # fmt: skip
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "*Nine*"},
               "fields": [{"type": "plain_text", "text": " o'clock"}]}  # fmt: skip
    bot = {"type": "message", "subtype": "bot_message", "username": "Clock", "text": ""}
    rows = [
        {"type": "message", "user": "U2", "ts": "1714726861.1", "text": "", "blocks": [rich]},
        {**bot, "ts": "1714726862.1", "blocks": [section]},
        {**bot, "ts": "1714726863.1", "attachments": [{"fallback": "Ten", "text": "It is ten"}]},
        {**bot, "ts": "1714726864.1", "attachments": [{"image_url": "x"}]},
    ]
    transcript = read(rows)
    assert said(transcript) == [
        ("U2", "I object to @U1❌"), ("Clock", "*Nine* o'clock"), ("Clock", "It is ten"),
    ]  # fmt: skip
    assert left(transcript) == {"files and attachments without words": 1}


def test_words_of_discord_may_be_passed_on_or_embedded() -> None:
    ana = {"id": "1", "name": "ana", "isBot": False}
    row = {"type": "Default", "timestamp": "2024-05-03T09:00:00Z", "content": "", "author": ana}
    transcript = read({"messages": [
        {**row, "id": "1", "embeds": [{"title": "Plan", "description": "I propose beans."}]},
        {**row, "id": "2", "forwardedMessage": {"content": "The water is off.", "embeds": []}},
        {**row, "id": "3", "stickers": [{"id": "1", "name": "wave"}]},
    ]})  # fmt: skip
    assert said(transcript) == [("ana", "Plan\nI propose beans."), ("ana", "The water is off.")]
    assert left(transcript)["pictures, files and embeds without words"] == 1
    assert any(note.startswith("forwarded") for note in transcript.notes)


def test_what_whatsapp_says_itself_is_nobodys_words() -> None:
    """Marked on iOS; on Android a quotation that begins in what would be a name shows it."""
    ios = (
        f"[31/12/2023, 11:59:01{NARROW}PM] Garden: {MARK}Messages are encrypted.\n"
        f"[31/12/2023, 11:59:05{NARROW}PM] Ana: I propose beans\nand: peas\n"
        f"[01/01/2024, 12:03:05{NARROW}AM] Bo changed the subject to “Beds: new”\n"
        f"{MARK}[01/01/2024, 12:04:05{NARROW}AM] Bo: {MARK}image omitted\n"
        f"[01/01/2024, 12:05:05{NARROW}AM] ~{NARROW}Cy: +1 {MARK}<This message was edited>\n"
    )
    android = (
        f'1/13/24, 9:06{NARROW}PM - Ana Lima created group "Beds: north"\n'
        f"1/13/24, 9:07{NARROW}PM - Ana Lima: I.jpg (file attached)\nLook at this\n"
        f"1/13/24, 9:08{NARROW}PM - Bo: null\n1/13/24, 9:09{NARROW}PM - Bo: null and void\n"
    )
    assert said(read(ios)) == [("Ana", "I propose beans\nand: peas"), ("Cy", "+1")]
    assert sum(left(read(ios)).values()) == 3
    assert said(read(android)) == [("Ana Lima", "Look at this"), ("Bo", "null and void")]
    assert sum(left(read(android)).values()) == 3


def test_captions_name_people_with_what_they_go_by() -> None:
    text = "WEBVTT\n" + "".join(
        f"\n{n}\n00:00:0{n}.000 --> 00:00:0{n}.900\n{cue}\n"
        for n, cue in enumerate(("Ana Lima: Beans.", "phone of bo (they/them): +1"))
    )
    assert said(read(text)) == [("Ana Lima", "Beans."), ("phone of bo (they/them)", "+1")]


def test_lines_beside_captions_are_counted_one_by_one() -> None:
    """Also those right above the time of a caption, but for what it goes by."""
    text = (
        "Cy: We start.\nDi: I oppose that.\n\nBo: Not yet.\n1\n00:00:01,000 --> 00:00:02,000\nWell."
    )
    found = read(text)
    assert [words for _, words in said(found)] == ["Well."]
    assert left(found) == {"lines without a time": 3}


def test_zooms_text_heads_turns_in_brackets() -> None:
    assert said(read("[Ana Lima] 09:00:01\nI propose beans.\n\n[Bo] 09:00:05\n+1\n")) == [
        ("Ana Lima", "I propose beans."), ("Bo", "+1"),
    ]  # fmt: skip


def mail(sender: str, text: str, hour: int) -> str:
    return (
        f"From x Fri May  3 {hour}:00:00 2024\nFrom: {sender}\nSubject: Beans\n"
        f"Date: Fri, 3 May 2024 {hour}:00:00 +0000\nMessage-ID: <{hour}@x>\n\n{text}\n\n"
    )


def test_what_an_archive_of_mail_took_out_is_counted() -> None:
    scrubbed = (
        "I propose beans.\n-------------- next part --------------\nA non-text attachment was "
        "scrubbed...\nName: a.png\nType: image/png\nSize: 9 bytes\nDesc: not available\n"
        "URL: <http://x.example/a>\nIn May."
    )
    transcript = read(mail("ana at example.org (Ana \\(home\\))", scrubbed, 10))
    assert said(transcript) == [("Ana (home)", "I propose beans.\nIn May.")]
    assert left(transcript) == {"attachments": 1}


def test_an_address_of_a_program_is_nobodys_though_names_share_a_word() -> None:
    senders = ("Ana Lima <notifications@forge.example>", "Ana Berg <notifications@forge.example>")
    body = "Bo left a comment (garden/beds#1)\n\n+1"
    text = "".join(mail(each, body, hour) for hour, each in enumerate(senders, 10))
    assert said(read(text)) == [("Ana Lima", "+1"), ("Ana Berg", "+1")]


def test_marks_of_a_search_are_no_words() -> None:
    cited = "A bean \ue200cite\ue202turn0search1\ue201."
    node = {"message": {"author": {"role": "assistant"}, "content": {"parts": [cited]}}}
    assert said(read([{"mapping": {"a": {**node, "parent": None}}, "current_node": "a"}])) == [
        ("assistant", "A bean."),
    ]  # fmt: skip


def test_half_a_character_in_a_database_costs_nothing_but_itself() -> None:
    row = json.dumps({"role": "user", "content": "Beans \ud83d"})
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE agent_messages (id, session_id, message_data, created_at)")
        database.execute("INSERT INTO agent_messages VALUES (1, 's', ?, NULL)", (row,))
        database.commit()
        transcript = parse_transcript(database.serialize())
    assert said(transcript) == [("user", "Beans \ufffd")]


def test_a_text_that_is_cut_where_its_markup_is_is_one_text() -> None:
    parts = ["I propose ", {"type": "text", "text": "beans"}, "."]
    assert said(read([{"speaker": "ana", "text": parts}])) == [("ana", "I propose beans.")]


@pytest.mark.parametrize(
    ("given", "at"),
    [
        (1_714_726_860, "2024-05-03T09:01:00Z"), ("1714726860.25", "2024-05-03T09:01:00.250000Z"),
        ("1714726860250", "2024-05-03T09:01:00.250000Z"),
        (1_714_726_860_123_456, "2024-05-03T09:01:00.123456Z"),
        (1_714_726_860_000_000_000, "2024-05-03T09:01:00Z"),
        ("20240503090000", "20240503090000"), (20_240_503, "20240503"), ("12", "12"),
    ],
)  # fmt: skip
def test_any_count_since_1970_is_a_time(given: object, at: str) -> None:
    (each,) = read([{"speaker": "ana", "text": "hi", "timestamp": given}]).entries
    assert isinstance(each.entry, Message)
    assert (each.entry.at or each.entry.at_text) == at


def test_a_number_beyond_64_bits_ends_in_a_refusal() -> None:
    rows = [{"index": 0, "agent_id": "ana", "content": "hi"}, 9**40]
    text = json.dumps(rows, indent=1)
    bad: list[str] = []
    parse_transcript(text.encode(), lambda wrong: bad.append(wrong.place), "jsonl")
    assert len(bad) == 1
