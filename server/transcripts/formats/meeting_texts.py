"""Transcripts of meetings as text: Otter's, and those that Google Meet writes into a document.

Otter heads each turn with `Name  0:12`, Zoom with `[Name] 09:00:12`, Otter without times with the
name alone. Meet
writes `Name: words`, below a time now and then, after the names of those who attended.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from parley.server.transcripts.sources import speakers
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

_TIME: Final = r"(?:[0-9]{1,2}:)?[0-9]{1,2}:[0-9]{2}"
_OTTER_HEAD: Final = re.compile(
    rf"(?P<open>\[)?(?P<who>[^\s\[\]][^\n\t\[\]]{{0,80}}?)"
    rf"(?(open)\][ ]|(?:[ \t]{{2,8}}|\t))(?P<at>{_TIME})\s*\Z"
)
_NAME_ALONE: Final = re.compile(r"[^\W\d_][^\n\t:;?!,<>{}|]{0,60}(?<![.\s])\Z")
_NAME_WORDS: Final = 4
_OTTER_END: Final = re.compile(r"\s*Transcribed by https?://otter\.ai/?\s*\Z")
_MEET_TIME: Final = re.compile(rf"\s*({_TIME})(?:\.[0-9]{{1,3}})?\s*\Z")
_MEET_TITLE: Final = re.compile(r"(?P<title>\S.{0,200}?)[ ][-–][ ]Transcript\s*\Z")
_MEET_HEAD: Final = re.compile(r"\W*(?P<word>Attendees|Transcript)\W*\Z")
_MEET_NOTICE: Final = re.compile(
    r"\s*(?:This editable transcript was computer generated|"
    r"(?:Transcription|Meeting|Recording) (?:started|ended)\b)"
)
_BEFORE: Final = "lines before the first speaker"
_NOTICES: Final = "times, headings and notices of the program"


@dataclass(slots=True)
class _Turn:
    place: str
    who: str
    at: str | None
    lines: list[str] = field(default_factory=list)


def _take(turns: list[_Turn], taking: EntryCollector) -> None:
    for turn in turns:
        text = "\n".join(turn.lines).strip()
        if text:
            taking.say(turn.place, turn.who, text, timestamp=turn.at)
        else:
            taking.skip("turns without words", turn.place)


# -- Otter -----------------------------------------------------------------------------


def _tell_otter(source: Source) -> int:
    lines = source.head_lines
    heads = sum(_OTTER_HEAD.match(line) is not None for line in lines)
    ended = _OTTER_END.search(source.data[-200:].decode("utf-8", "replace")) is not None
    if not heads:
        return SURE if ended and _untimed_heads(source) else NO
    return SURE if ended or (heads > 1 and heads * 4 >= len(lines)) else NO


def _untimed_heads(source: Source) -> frozenset[int]:
    """The lines that head a turn in an export without times: a name alone, above words.

    It begins a paragraph, looks as names do, and nothing ends it.
    """
    heads, before = set(), ""
    lines = [*source.lines(), (0, "")]
    for (number, line), (_, below) in pairwise(lines):
        name = line.strip()
        is_head = not before.strip() and below.strip() and _NAME_ALONE.match(name)
        if is_head and speakers.is_capitalized(name) and len(name.split()) <= _NAME_WORDS:
            heads.add(number)
        before = line
    return frozenset(heads)


def _read_otter(source: Source, taking: EntryCollector) -> None:
    turns: list[_Turn] = []
    is_timed = any(_OTTER_HEAD.match(line) for _, line in source.lines())
    untimed = frozenset[int]() if is_timed else _untimed_heads(source)
    if untimed:
        taking.note("the file has no times")
    for number, line in source.lines():
        place = f"line {number}"
        if head := _OTTER_HEAD.match(line):
            turns.append(_Turn(place, head["who"], head["at"]))
        elif number in untimed:
            turns.append(_Turn(place, line.strip(), None))
            taking.guess([line.strip()])
        elif _OTTER_END.match(line):
            taking.skip(_NOTICES, place)
        elif turns:
            turns[-1].lines.append(line.rstrip())
        elif line.strip():
            taking.skip(_BEFORE, place)
    _take(turns, taking)


# -- Google Meet -----------------------------------------------------------------------


def _tell_meet(source: Source) -> int:
    lines = source.head_lines
    words = {head["word"] for line in lines if (head := _MEET_HEAD.match(line))}
    titled = any(_MEET_TITLE.match(line) for line in lines[:5])
    noticed = any(_MEET_NOTICE.match(line) for line in lines)
    signs = (titled or "Transcript" in words) + ("Attendees" in words) + noticed
    spoken = any(speakers.split_speaker(line.strip()) for line in lines)
    timed = any(_MEET_TIME.match(line) for line in lines)
    if not spoken or not signs:
        return NO
    return SURE if signs + timed > 1 else NO


def _read_meet(source: Source, taking: EntryCollector) -> None:
    known = _names(source)
    turns: list[_Turn] = []
    at: str | None = None
    attended = False  # whether the next line names who attended
    for number, line in source.lines():
        place, parts = f"line {number}", speakers.split_speaker(line.strip())
        if not line.strip():
            continue
        head, title = _MEET_HEAD.match(line), _MEET_TITLE.match(line)
        if time := _MEET_TIME.match(line):
            at = time[1]
        elif parts is not None and parts[0] in known:
            turns.append(_Turn(place, parts[0], at, [parts[1]]))
        elif turns and not (head or _MEET_NOTICE.match(line)):
            turns[-1].lines.append(line.strip())
            continue
        elif title and not turns:
            taking.transcript.meta.setdefault("title", title["title"])
        elif not head and not attended and not _MEET_NOTICE.match(line):
            taking.skip(_BEFORE, place)
        else:
            taking.skip(_NOTICES, place)
        attended = head is not None and head["word"] == "Attendees"
    taking.guess(known)
    _take(turns, taking)


def _names(source: Source) -> frozenset[str]:
    """Who attended, and who else stands before a colon as names do: capitals, or again."""
    counted: Counter[str] = Counter()
    attended: set[str] = set()
    is_list = False
    for line in _said_lines(source):
        if is_list:
            attended.update(speakers.names_several(line))
        head = _MEET_HEAD.match(line)
        is_list = head is not None and head["word"] == "Attendees"
        if parts := speakers.split_speaker(line):
            counted[parts[0]] += 1
    return frozenset(
        name
        for name, count in counted.items()
        if name in attended or count > 1 or (speakers.is_capitalized(name) and not attended)
    )


def _said_lines(source: Source) -> Iterator[str]:
    return (line.strip() for _, line in source.lines() if line.strip())


OTTER: Final = Format("otter", "Otter's transcript as text", ("txt",), _tell_otter, _read_otter)
MEET: Final = Format(
    "meet", "Google Meet's transcript, its document as text", ("txt",), _tell_meet, _read_meet
)
