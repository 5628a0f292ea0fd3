"""Files as other programs write them: nobody is two people, no word is lost, times are whole."""

from __future__ import annotations

import orjson
import pytest

from parley.bus.entries import Message
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import Transcript, parse_transcript
from parley.server.transcripts.transcript_export import to_json_lines
from tests.server.transcripts.samples import SAMPLES


def read(text: str, name: str = "") -> Transcript:
    return parse_transcript(text.encode("utf-8", "surrogatepass"), name=name)


def said(transcript: Transcript) -> list[tuple[str, str]]:
    entries = [each.entry for each in transcript.entries]
    return [(entry.participant, entry.content) for entry in entries if isinstance(entry, Message)]


def times(transcript: Transcript) -> list[str | None]:
    entries = [each.entry for each in transcript.entries]
    return [entry.at or entry.at_text for entry in entries if isinstance(entry, Message)]


# -- mail ------------------------------------------------------------------------------


def mail(sender: str, text: str, hour: int = 10, subject: str = "Beans") -> str:
    return (
        f"From g@example.org Mon Jan  1 {hour}:00:00 2024\nFrom: {sender}\nSubject: {subject}\n"
        f"Date: Mon, 1 Jan 2024 {hour}:00:00 +0000\nMessage-ID: <{hour}@x>\n\n{text}\n\n"
    )


@pytest.mark.parametrize(
    ("senders", "people"),
    [
        (("Ana via G <g@example.org>", "Bo via G <g@example.org>"), ["Ana", "Bo"]),
        (("'Ana Lima' via Garden <g@example.org>", "Ana Lima <ana@example.org>"),
         ["Ana Lima", "Ana Lima"]),
        (("Ana <notify@forge.example>", "Bo <notify@forge.example>"), ["Ana", "Bo"]),
        (("Ana <ana@example.org>", "Ana Lima <ana@example.org>"), ["Ana", "Ana"]),
        (("ana@example.org", "Ana <ana@example.org>"), ["ana", "ana"]),
        (("bo at example.org (=?utf-8?q?Bo_=C3=89k?=)", "x <x@example.org>"), ["Bo Ék", "x"]),
    ],
)  # fmt: skip
def test_an_address_that_several_share_is_nobodys(
    senders: tuple[str, str], people: list[str]
) -> None:
    """Lists and forges send in the name of many; one person may spell their name in two ways."""
    text = "".join(mail(who, "Yes.", hour) for hour, who in enumerate(senders, 10))
    assert [who for who, _ in said(read(text))] == people


def test_a_paragraph_that_begins_with_from_is_part_of_its_mail() -> None:
    """What parts two mails has an address or a time, and a header behind it."""
    body = (
        "I propose beans.\n\nFrom what I read, they need water.\n\nFrom 10:30 on I object to peas."
        "\n\n>From here on I agree."
    )
    transcript = read(mail("Ana <ana@example.org>", body) + mail("Bo <bo@example.org>", "Yes.", 11))
    assert said(transcript) == [("Ana", body.replace(">From", "From")), ("Bo", "Yes.")]
    assert not transcript.left


# -- names -----------------------------------------------------------------------------

RENAMES = (
    "10:02 -!- bo is now known as bo|away\n",
    "10:02 -!- bo [~bo@host.example] is now known as bo|away\n",
    "10:02 *** bo is now known as bo|away\n",
    "10:02 === bo is now known as bo|away\n",
    "10:02 * bo is now known as bo|away\n",
)


@pytest.mark.parametrize("line", RENAMES)
def test_who_takes_another_nick_is_one_voter(line: str) -> None:
    """`+1` under both is one; the file that is written of it says the same."""
    log = (
        "10:00 <ana> I propose that we plant the beans in May.\n10:01 <bo> +1 to P1\n"
        f"{line}10:03 <bo|away> +1 to P1\n"
    )
    transcript = read(log)
    assert transcript.meta["aliases"] == {"bo|away": "bo"}
    again = parse_transcript(b"".join(to_json_lines(transcript)))
    for each in (transcript, again):
        memory = analyze(each, resolve_defaults({}, {})).memory
        assert list(memory.participants) == ["ana", "bo"]
        assert list(memory.proposals[1].reactions) == ["bo"]
        assert memory.proposals[1].status == "active"


def test_a_nick_that_somebody_else_spoke_under_is_theirs() -> None:
    log = "10:00 <bo> hi\n10:01 <cy> hi\n10:02 -!- bo is now known as cy\n10:03 <cy> yes\n"
    transcript = read(log)
    assert "aliases" not in transcript.meta
    assert sum(left.count for left in transcript.left.values()) == 1


# -- times -----------------------------------------------------------------------------


def test_a_log_goes_on_at_new_year() -> None:
    """A client that writes month and day alone does not go back a year."""
    log = (
        "**** BEGIN LOGGING AT Sun Dec 31 23:50:00 2023\n\n"
        "Dec 31 23:59:00 <bo>\tlate\nJan 01 00:01:00 <ana>\tmorning\n"
    )
    assert times(read(log)) == ["2023-12-31T23:59:00", "2024-01-01T00:01:00"]


def test_a_time_long_before_the_last_is_of_the_next_day() -> None:
    """Where the client noted no new day; a clock that is put back goes back less."""
    log = (
        "--- Log opened Sun Dec 31 22:00:00 2023\n23:59 <bo> late\n00:01 <ana> morning\n"
        "02:59 <bo> hm\n02:01 <bo> the clock was put back\n"
        "--- Day changed Wed Jan 03 2024\n00:00 <ana> morning\n"
    )
    assert times(read(log)) == [
        "2023-12-31T23:59:00", "2024-01-01T00:01:00", "2024-01-01T02:59:00",
        "2024-01-01T02:01:00", "2024-01-03T00:00:00",
    ]  # fmt: skip


@pytest.mark.parametrize("key", ["timestamp", "created_at"])
def test_seconds_and_milliseconds_are_times(key: str) -> None:
    rows = [
        {"speaker": "ana", "content": "hi", key: 1_550_101_674},
        {"speaker": "bo", "content": "yes", key: 1_550_101_680_500},
        {"speaker": "cy", "content": "no", key: 12},
    ]
    assert times(parse_transcript(orjson.dumps(rows))) == [
        "2019-02-13T23:47:54Z", "2019-02-13T23:48:00.500000Z", "12",
    ]  # fmt: skip


# -- halves of characters --------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        '[{"speaker":"ana","content":"hi \\ud83d"},'
        '{"speaker":"bo","content":"tea \\ud83c\\udf78"}]',
        '{"index":0,"agent_id":"ana","content":"hi \\ud83d"}\n'
        '{"index":1,"agent_id":"bo","content":"tea \\ud83c\\udf78"}\n',
        '{"speaker":"ana","text":"hi \\ud83d"}\n{"speaker":"bo","text":"tea \\ud83c\\udf78"}\n',
        '[{"role":"user","name":"ana","content":"hi \\ud83d"},'
        '{"role":"assistant","name":"bo","content":"tea \\ud83c\\udf78"}]',
    ],
)
def test_half_a_character_costs_nothing_but_itself(file: str) -> None:
    transcript = read(file)
    assert said(transcript) == [("ana", "hi \ufffd"), ("bo", "tea \U0001f378")]
    assert any("halves of characters" in note for note in transcript.notes)


# -- lists of models, captions ---------------------------------------------------------


def test_calls_between_messages_are_counted() -> None:
    """Items of the Responses API that are no message are not said, and refuse nothing."""
    items = [
        {"type": "message", "role": "user", "content": "What shall we plant?"},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "1"},
        {"type": "function_call_output", "call_id": "1", "output": "beans"},
        {"type": "message", "role": "assistant",
         "content": [{"type": "output_text", "text": "I propose beans."}]},
    ]  # fmt: skip
    transcript = parse_transcript(orjson.dumps(items))
    assert said(transcript) == [
        ("user", "What shall we plant?"), ("assistant", "I propose beans."),
    ]  # fmt: skip
    assert {reason: left.count for reason, left in transcript.left.items()} == {
        "a part that is no text (reasoning)": 1,
    }  # fmt: skip
    assert [each.entry.kind for each in transcript.entries].count("tool.returned") == 1


def test_a_word_that_begins_a_sentence_speaks_for_nobody() -> None:
    """In captions, `So: who carries it?` goes on with what Ana says."""
    cues = ("Ana: I propose beans.", "So: who carries it?", "Bo: Me.")
    text = "WEBVTT\n" + "".join(
        f"\n00:00:0{n}.000 --> 00:00:0{n}.900\n{cue}\n" for n, cue in enumerate(cues)
    )
    assert said(read(text)) == [("Ana", "I propose beans. So: who carries it?"), ("Bo", "Me.")]


# -- exports of chats ------------------------------------------------------------------


def test_every_part_of_a_rich_text_is_kept_as_written() -> None:
    """Bold, links and mentions of Telegram are words like others."""
    transcript = parse_transcript(SAMPLES["telegram"][1])
    assert said(transcript)[0] == ("Ana", "I propose we plant beans.")
    assert [who for who, _ in said(transcript)] == ["Ana", "Bo", "Ana (2)"]
    vote, answer = (each.entry for each in transcript.entries[1:])
    assert isinstance(vote, Message)
    assert isinstance(answer, Message)
    assert (vote.act, vote.re, answer.re) == ("support", "line:0", "line:0")


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("31/5/24", "1/6/24"), ["2024-05-31", "2024-06-01"]),
        (("5/31/24", "6/1/24"), ["2024-05-31", "2024-06-01"]),
        (("2024-05-31", "2024-06-01"), ["2024-05-31", "2024-06-01"]),
        (("3.5.2024", "4.5.2024"), ["2024-05-03", "2024-05-04"]),
    ],
)
def test_any_date_of_a_chat_shows_the_order_of_all(dates: tuple[str, str], days: list[str]) -> None:
    text = "".join(f"{day}, 9:0{n} PM - Ana: Beans {n}.\n" for n, day in enumerate(dates))
    assert [str(at)[:10] for at in times(read(text))] == days
    assert all(str(at)[11:13] == "21" for at in times(read(text)))


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("whatsapp android",
         [("Ana", "I propose we plant beans:\nthey need little water."), ("Bo", "+1")]),
        ("whatsapp ios", [("Ana", "I propose we plant beans."), ("Bo", "Not beans: peas.")]),
        ("chatgpt", [("user", "What shall we plant?"), ("assistant", "I suggest beans."),
                     ("user", "Good, beans it is.")]),
        ("claude", [("human", "What shall we plant?"), ("assistant", "Beans.")]),
    ],
)  # fmt: skip
def test_an_export_is_read_as_its_owner_saw_it(sample: str, words: list[tuple[str, str]]) -> None:
    """Of branches the one that was shown; the others are counted."""
    transcript = parse_transcript(SAMPLES[sample][1])
    assert said(transcript) == words
    if sample in ("chatgpt", "claude"):
        assert transcript.left["messages of other branches"].count == 1


# -- meetings that a bot keeps ---------------------------------------------------------

MEETBOT = """\
10:00 <ana> #startmeeting Garden club
10:00 <mbot> Meeting started Fri May  3 10:00:00 2024 UTC. The chair is ana.
10:00 <mbot> Useful Commands: #action #agreed #info #topic #startvote.
10:01 <ana> #chair bo
10:01 <mbot> Current chairs: ana bo
10:02 <ana> #topic beds
10:03 <bo> #proposal plant the beans in bed three in May
10:04 <ana> +1
10:05 <ana> #agreed plant the beans in bed three in May
10:06 <ana> #action bo to order seeds
10:07 <ana> #info beans are cheap
10:08 <ana> #endmeeting
10:08 <mbot> Meeting ended Fri May  3 10:08:00 2024 UTC.
10:09 <bo> bye #beans
"""


def test_commands_to_a_bot_that_keeps_minutes_are_acts() -> None:
    """Its own lines are counted, so that no summary is made of them."""
    transcript = read(MEETBOT)
    entries = [each.entry for each in transcript.entries if isinstance(each.entry, Message)]
    assert [(each.participant, each.content, each.act) for each in entries] == [
        ("ana", "#topic beds", None), ("bo", "plant the beans in bed three in May", "propose"),
        ("ana", "+1", None), ("ana", "plant the beans in bed three in May", "decide"),
        ("ana", "ACTION: bo to order seeds", None), ("ana", "beans are cheap", "inform"),
        ("bo", "bye #beans", None),
    ]  # fmt: skip
    assert {each.topic for each in entries} == {"beds"}
    assert transcript.meta == {"title": "Garden club", "chair": ["bo"]}
    assert {reason: left.count for reason, left in transcript.left.items()} == {
        "commands to the bot that keeps the minutes": 3,
        "lines of the bot that keeps the minutes": 4,
    }  # fmt: skip
    memory = analyze(transcript, resolve_defaults({}, {})).memory
    assert [each.participant for each in memory.proposals.values()] == ["bo"]
    assert len(memory.decisions) == 1


def test_a_word_with_a_hash_is_no_command_where_no_bot_keeps_minutes() -> None:
    transcript = read("10:00 <ana> #info on beans is a channel\n10:01 <bo> Meeting started\n")
    assert said(transcript)[0] == ("ana", "#info on beans is a channel")


def test_a_part_of_such_a_log_is_known_by_what_it_decides() -> None:
    transcript = read("<ana> #proposal plant beans\n<bo> +1\n<ana> #agreed plant beans\n")
    acts = [each.entry.act for each in transcript.entries if isinstance(each.entry, Message)]
    assert acts == ["propose", None, "decide"]


# -- names that look alike -------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (("ana", "Ana"), "look alike: ana, Ana: "),
        (("Bo", "B\u043e", "cy"), "look alike: Bo, B\u043e: "),
        (("ana", "bo"), None),
        (("Ana", "Ana\u200b", "Jose\u0301", "Jos\u00e9"), None),  # one person's, spelt twice
    ],
)
def test_names_that_look_alike_are_kept_apart_and_flagged(
    names: tuple[str, ...], note: str | None
) -> None:
    transcript = parse_transcript(orjson.dumps([{"speaker": n, "text": "hi"} for n in names]))
    assert len(transcript.entries) == len(names)
    notes = [each for each in transcript.notes if each.startswith("look alike")]
    assert [each[: len(note or "")] for each in notes] == ([note] if note else [])
