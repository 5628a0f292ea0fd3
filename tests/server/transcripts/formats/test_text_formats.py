"""What is taken of logs, captions, minutes and mail, and what is left."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import Message
from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts import Transcript, parse_transcript
from tests.server.transcripts import samples


def read(text: str | bytes, **given: Any) -> Transcript:
    return parse_transcript(text if isinstance(text, bytes) else text.encode(), **given)


def messages(transcript: Transcript) -> list[Message]:
    return [entry.entry for entry in transcript.entries if isinstance(entry.entry, Message)]


def spoken_lines(text: str | bytes, **given: Any) -> list[tuple[str, str]]:
    """Who says what, in order."""
    return [(each.participant, each.content) for each in messages(read(text, **given))]


def times(text: str) -> list[str | None]:
    return [each.at or each.at_text for each in messages(read(text))]


TALK = [("ana", "I propose we plant beans."), ("bo", "+1"), ("bo", "* bo waves")]


@pytest.mark.parametrize("log", ["weechat", "irssi", "hexchat", "znc", "bare irc"])
def test_every_client_of_irc_says_the_same(log: str) -> None:
    """Messages and actions are taken; joins, parts and the like are counted."""
    transcript = read(samples.SAMPLES[log][1])
    assert [(each.participant, each.content) for each in messages(transcript)][:3] == TALK
    assert set(transcript.left) <= {
        "joins, parts, topics, modes and notices",
        "lines about the log",
    }


def test_a_day_that_changes_is_the_day_of_what_follows() -> None:
    """An hour alone is a time of the day that the log last named."""
    assert times(samples.IRSSI)[-2:] == ["2024-05-03T09:01:00", "2024-05-04T00:05:00"]
    assert times(samples.HEXCHAT)[0] == "2024-05-03T09:00:12"
    assert times(samples.ZNC)[0] == "09:00:12"


def test_w3cs_log_says_its_day_its_zone_its_chair_and_its_bots() -> None:
    """A nick may stand on the line before its words; a nick that joins says nothing."""
    transcript = read(samples.RRSAGENT)
    assert times(samples.RRSAGENT)[-1] == "2024-05-03T09:00:40Z"
    assert spoken_lines(samples.RRSAGENT)[-2:] == [
        ("ana", "PROPOSED: we plant beans"),
        ("bo", "+1"),
    ]
    assert transcript.meta == {"bots": ["RRSAgent"], "title": "Beans", "chair": ["Ana Lima", "Bo"]}


def test_w3cs_text_log_has_angles() -> None:
    """The other form that RRSAgent writes; times with a zone keep it."""
    log = "09:00:01 <bo> bo has joined #garden\n09:00:02 <bo> hello\n"
    assert spoken_lines(log) == [("bo", "hello")]
    iso = "[2024-05-03T09:00:02.100Z]\t<bo> hello\n2024-05-03T09:00:03+0200 <bo> again\n"
    assert times(iso) == ["2024-05-03T09:00:02.100Z", "2024-05-03T09:00:03+02:00"]


def test_a_line_of_no_client_is_counted_with_its_place() -> None:
    """It is not taken for anyone's words, and not dropped in silence."""
    transcript = read("<ana> one\nwhat is this\n<bo> two\nand this\n")
    left = transcript.left["not a line of an IRC log"]
    assert (left.count, left.first) == (2, "line 2")


def test_colours_of_irc_are_taken_off() -> None:
    """The codes that clients paint with are no words."""
    assert spoken_lines("<ana> \x02bold\x0f and \x0304,01red\x03 again\n") == [
        ("ana", "bold and red again")
    ]


def test_cues_of_one_speaker_are_one_message() -> None:
    """Voices, names before a colon, notes, styling, references."""
    assert spoken_lines(samples.VTT) == [
        ("Ana Lima", "I propose we plant beans & peas."),
        ("Bo", "I agree."),
    ]
    assert spoken_lines(samples.ZOOM) == [
        ("Ana Lima", "I propose we plant beans."), ("Bo", "Proposal: peas too."),
    ]  # fmt: skip
    assert spoken_lines(samples.SRT) == [("Ana", "I propose we plant beans."), ("Bo", "I agree.")]
    assert times(samples.SRT) == ["00:00:02.000", "00:00:06.000"]


def test_two_may_speak_in_one_cue() -> None:
    """Each voice of a cue is its own message; a name on a line of its own is one."""
    cue = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Yes.</v>\n<v Bo>No.</v>\n"
    assert spoken_lines(cue) == [("Ana", "Yes."), ("Bo", "No.")]
    lines = "WEBVTT\n\n00:01.000 --> 00:02.000\n(Ana Lima)\nYes.\n-\n(Bo)\nNo.\n"
    assert spoken_lines(lines) == [("Ana Lima", "Yes."), ("Bo", "No.")]


def test_captions_without_names_are_told_sentence_by_sentence() -> None:
    """Somebody says it, and the report says that nobody knows who."""
    cues = "".join(
        f"{number}\n00:00:0{number},000 --> 00:00:0{number},500\n{words}\n\n"
        for number, words in enumerate(["We plant", "beans.", "And peas."], 1)
    )
    assert spoken_lines(cues) == [("unknown", "We plant beans."), ("unknown", "And peas.")]
    assert read(cues).notes == ["the file names no speaker: all is said by 'unknown'"]


def test_a_word_with_a_colon_is_no_speaker() -> None:
    """Proposals, links and hours keep their colon; memory reads them."""
    text = "Ana: hello\nBo: hello\nProposal: beans\nhttps://example.org: seeds\nAna: bye\n"
    assert spoken_lines(text)[1][1] == "hello\nProposal: beans\nhttps://example.org: seeds"


def test_headings_are_topics_and_what_nobody_says_the_scribe_does() -> None:
    """A decision in minutes often has no speaker, and must not be lost."""
    transcript = read(samples.MARKDOWN)
    assert transcript.meta == {"title": "Garden club", "chair": ["Ana Lima"], "scribe": "Cy"}
    assert {each.topic for each in messages(transcript)} == {"Beans"}
    assert spoken_lines(samples.MARKDOWN) == [
        ("Ana Lima", "I propose we plant beans.\nThey grow fast."),
        ("Bo", "I agree.\n  - also peas"),
        ("Cy", "The club agreed to plant beans."),
        ("Cy", "> what the leaflet said"),
    ]
    assert spoken_lines("**Ana:** hi\n\nAgreed: beans\n")[1] == ("Minutes", "Agreed: beans")


def test_an_outcome_is_nobodys_even_right_below_words() -> None:
    """Whoever spoke last has not decided it alone."""
    text = "Ana: I propose: beans\nBo: +1\nRESOLVED: beans\nAna: next\n"
    assert spoken_lines(text)[2] == ("Minutes", "RESOLVED: beans")


def test_names_may_come_with_times_and_words_as_quotes() -> None:
    """The forms that talk is pasted in."""
    text = "[09:00] Ana: hi\n**Bo** (09:01): hi\n\n**Cy:**\n> quoted\n> lines\n\n10:02 Ana: bye\n"
    assert spoken_lines(text) == [
        ("Ana", "hi"), ("Bo", "hi"), ("Cy", "quoted\nlines"), ("Ana", "bye"),
    ]  # fmt: skip
    assert times(text) == ["09:00", "09:01", None, "10:02"]


def test_a_mail_is_its_writers_own_words() -> None:
    """Quotes, what leads them in and signatures stay out; an answer refers to its mail."""
    transcript = read(samples.MBOX)
    assert spoken_lines(samples.MBOX) == [
        ("Ana Lima", "I propose we plant beans."),
        ("Bö", "I agree."),
    ]
    assert [each.re for each in messages(transcript)] == [None, "line:0"]
    assert times(samples.MBOX)[0] == "2024-05-03T09:00:00+02:00"
    assert transcript.meta == {"title": "Beans"}
    assert transcript.left["mails without words of their own"].first == "line 24"


def test_mail_is_read_in_the_order_of_its_dates() -> None:
    """An archive may hold an answer before its question; a page of HTML is its words."""
    mail = (
        "From b@example.org x\nFrom: b at example.org (Bo)\nDate: Fri, 03 May 2024 10:00:00 +0000\n"
        "Subject: Re: Beans\nIn-Reply-To: <1@x>\nContent-Type: text/html\n\n"
        "<style>p {}</style><p>I &amp; you</p><blockquote>old</blockquote>\n\n"
        "From a@example.org x\nFrom: a@example.org\nDate: Fri, 03 May 2024 09:00:00 +0000\n"
        "Subject: Beans\nMessage-ID: <1@x>\n\nBeans?\n"
    )
    assert spoken_lines(mail) == [("a", "Beans?"), ("Bo", "I & you")]
    assert messages(read(mail))[1].re == "line:0"


def test_parts_within_parts_without_end_are_refused() -> None:
    """A mail that is made to break its reader is named, not followed."""
    nest = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1000))
    with pytest.raises(BadTranscript, match="nested too deep"):
        read("From a@b x\nFrom: a@example.org\nDate: x\n" + nest)


def test_a_header_without_end_takes_no_time() -> None:
    """What a parser of the standard library takes minutes for is cut before it."""
    mail = "From a@b x\nFrom: a\nDate: x\nContent-Type: text/plain; charset=" + "<" * 200_000
    assert spoken_lines(mail + "\n\nhello\n") == [("a", "hello")]


@pytest.mark.parametrize("unit", ["<!--", "<", "<a ", "<p>", "</", "&#9", "<![", "\n "])
def test_a_page_is_read_in_linear_time(unit: str) -> None:
    """The words of a mail in HTML that was made to be slow are there at once, or none are."""
    mail = "From a@b x\nFrom: a\nDate: x\nContent-Type: text/html\n\n<b>hello</b> "
    assert spoken_lines(mail + unit * 100_000)[0][1].startswith("hello")


def test_text_of_other_encodings_is_read_and_said_so() -> None:
    """UTF-16 by its mark, else Latin-1 where it is no UTF-8."""
    text = "Ana: olé\nBo: oui\n"
    for data, note in (
        (text.encode("utf-16"), "read as UTF-16"),
        (text.encode("latin-1"), "not UTF-8 (byte 7): read as Latin-1"),
    ):
        assert spoken_lines(data)[0] == ("Ana", "olé")
        assert read(data).notes == [note]
    assert read(text.encode("utf-8-sig")).notes == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<ana> hi\n<bo> \0\n", "is NUL"),
        (b"\xff\xfea", "begins as UTF-16 and is not"),
        (b"[" * 100_000, "depth (limit )?exceeded"),
        (b"%PDF-1.7\0\0", "a PDF document"),
        (b"\1\2\0\0", "no text"),
    ],
)
def test_what_is_no_text_is_refused_in_a_line(data: bytes, reason: str) -> None:
    """With what to do about it, where something can be done."""
    with pytest.raises(Failure, match=reason):
        read(data)


def test_a_line_of_two_megabytes_is_refused_by_its_place() -> None:
    """A message has a limit wherever it comes from."""
    with pytest.raises(BadTranscript, match="line 2: content of 2000000 bytes is above the limit"):
        read("<ana> hi\n<bo> " + "x" * 2_000_000)


MEETING = """\
# Pumps

Present: Ana Lima, Bo, Cy

**Ana Lima:** I propose the new pump.

**Bo:** Its figures:

- **Latency:** 20 ms
  - **Ana Lima:** is only cited here
- Yield: 3

**Ana Lima:** Any objection?

```
**Dan:** pasted
Bo: pasted
```

**Cy:** None.

**Bo:** Fine.
"""


def test_bold_words_are_names_only_where_they_come_again() -> None:
    """Or where the file lists them as present; lists and code name nobody."""
    transcript = read(MEETING)
    assert [each.participant for each in messages(transcript)] == [
        "Ana Lima", "Bo", "Ana Lima", "Cy", "Bo",
    ]  # fmt: skip
    assert messages(transcript)[1].content.endswith("- Yield: 3")
    assert transcript.notes == []


def test_a_bold_word_that_stands_once_is_text_and_is_named() -> None:
    """The note tells the option that makes it a speaker."""
    talk = "**Ana:** a\n\n**Bo:** b\n\n**Speed:** fast  \nand cheap\n\n**Ana:** c\n\n**Bo:** d\n"
    transcript = read(talk)
    assert [who for who, _ in spoken_lines(talk)][:2] == ["Ana", "Bo"]
    assert "Speed" not in transcript.speakers
    assert transcript.notes[0].startswith("read as text, since the name stands once: Speed.")
    assert "--speaker NAME" in transcript.notes[0]
    assert "Speed" in read(talk, speakers=["ana", "bo", "speed"]).speakers


def test_pasted_lines_of_a_log_are_nobodys() -> None:
    """Levels of logs are no names, however often they come."""
    talk = "Ana: look\nERROR: stuck\nERROR: again\nINFO: done\nBo: I see\nAna: good\nBo: yes\n"
    assert [who for who, _ in spoken_lines(talk)] == ["Ana", "Bo", "Ana", "Bo"]


def test_bold_headings_alone_are_doubted() -> None:
    """Where nobody speaks twice, the note says that these may be no names."""
    talk = "**Scope:** all\n\n**Budget:** none\n\n**Team:** us\n"
    assert "3 of 3 speakers speak once" in read(talk).notes[0]


def test_talk_in_bold_keeps_headings_and_rulers_within_a_message() -> None:
    """What no name follows is said by whoever speaks; a heading right above a name is a topic."""
    body = "Done.\n\n---\n\n## Results\n\nReason: tests\n\nFiles updated: two  \n- a"
    talk = f"**Ana:** {body}\n\n**Bo:** ok\n\n## Next\n\n**Ana:** go\n\n**Bo:** yes\n"
    assert spoken_lines(talk) == [("Ana", body), ("Bo", "ok"), ("Ana", "go"), ("Bo", "yes")]
    assert messages(read(talk))[2].topic == "Next"


def test_phrases_that_come_again_are_no_names() -> None:
    """Reports of agents repeat their bold headings; a name has its words in capitals."""
    report = "**Ana Lima:** x\n\n**Files updated:**\n- a\n\n**Bo:** y\n\n"
    assert read(report * 2).speakers == ["Ana Lima", "Bo"]


def test_the_speakers_named_are_the_only_ones() -> None:
    """Whatever else comes again stays in the text, word for word."""
    talk = "**Ana:** a\n\n**Plan:** b\n\n**Bo:** c\n\n**Plan:** d\n"
    assert spoken_lines(talk, speakers=["ana", "bo"]) == [
        ("Ana", "a\n\n**Plan:** b"), ("Bo", "c\n\n**Plan:** d"),
    ]  # fmt: skip
