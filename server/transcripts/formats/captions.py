"""Captions of meetings: WebVTT, SubRip (SRT) and SubViewer (SBV).

As Zoom, Teams, Meet, YouTube and others write them.

A speaker is named by `<v Name>`, by `Name: ` or by a line `(Name)` before the
text. Consecutive cues of one speaker become one message, timed by its first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from parley.server.transcripts.sources import markup, speakers
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

_AT: Final = r"(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}[.,][0-9]{1,3}"
_TIMING: Final = re.compile(rf"[ \t]*({_AT})(?:[ \t]*-->[ \t]*|,)({_AT})(?:[ \t].*)?\Z")
_VOICE: Final = re.compile(r"<v(?:\.[^\s<>]{0,80})?[ \t]{1,8}([^<>\n]{1,200})>")
_TAG: Final = re.compile(r"</?[^<>\n]{0,200}>|\{\\[^{}\n]{0,80}\}")
_IN_BRACKETS: Final = re.compile(r"[(\[]([^()\[\]\n]{1,64})[)\]]:?\Z")
_ENDS: Final = (".", "?", "!", "…", "。", "？", "！")
_LONGEST: Final = 100_000  # characters of one message: beyond it a monologue goes on as another
NOBODY: Final = "unknown"


@dataclass(slots=True)
class _Cue:
    number: int  # of its timing's line
    at: str
    who: str | None
    text: str


def _tell_vtt(source: Source) -> int:
    return SURE if re.match(r"\s*WEBVTT(?:[ \t\n]|\Z)", source.head) else NO


def _tell_srt(source: Source) -> int:
    if _tell_vtt(source) or _tell_sbv(source):
        return NO
    lines = source.head_lines[:20]
    timed = [number for number, line in enumerate(lines) if _TIMING.match(line)]
    if not timed:
        return NO
    first = timed[0]
    return SURE if first == 1 and lines[0].strip().isdecimal() else LIKELY


def _tell_sbv(source: Source) -> int:
    first = source.head_lines[0] if source.head_lines else ""
    return SURE if "-->" not in first and _TIMING.match(first) else NO


def _read(source: Source, taking: EntryCollector) -> None:
    cues = list(_cues(source, taking))
    known = _names(cues)
    parts = [part for cue in cues for part in _spoken(cue, known, taking)]
    if parts and all(part.who is None for part in parts):
        taking.note(f"the file names no speaker: all is said by {NOBODY!r}")
    for part in _messages(parts):
        taking.say(f"line {part.number}", part.who or NOBODY, part.text, timestamp=part.at)


def _blocks(source: Source) -> Iterator[list[tuple[int, str]]]:
    """The stretches between blank lines."""
    block: list[tuple[int, str]] = []
    for number, line in source.lines():
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _cues(source: Source, taking: EntryCollector) -> Iterator[_Cue]:
    for block in _blocks(source):
        at = [index for index, (_, line) in enumerate(block) if _TIMING.match(line)]
        if not at:
            _skip(block, taking)
            continue
        before = block[: at[0]]
        if before and not before[-1][1].strip().count(" "):
            before.pop()  # what the cue goes by
        _skip(before, taking)
        for index, following in zip(at, [*at[1:], len(block)], strict=True):
            number, line = block[index]
            timing = _TIMING.match(line)
            lines = [text for _, text in block[index + 1 : following]]
            if following < len(block) and lines and lines[-1].strip().isdecimal():
                lines.pop()  # the next cue's number, where no blank line stands before it
            if timing is not None:
                yield _Cue(number, timing[1].replace(",", "."), None, "\n".join(lines))


def _skip(lines: list[tuple[int, str]], taking: EntryCollector) -> None:
    """Count what belongs to no cue: a header, a note or a style as one, other text by its lines."""
    if lines and lines[0][1].split(maxsplit=1)[0].upper() in ("WEBVTT", "NOTE", "STYLE", "REGION"):
        taking.skip("header, notes and styles", f"line {lines[0][0]}")
        return
    for number, _ in lines:
        taking.skip("lines without a time", f"line {number}")


def _names(cues: list[_Cue]) -> frozenset[str]:
    """The names that stand before a colon: like names by their capitals, or said again."""
    counted: Counter[str] = Counter()
    for cue in cues:
        for line in _plain(cue.text).split("\n"):
            parts = speakers.split_speaker(line.strip())
            if parts is not None:
                counted[parts[0]] += 1
    return frozenset(
        name
        for name, count in counted.items()
        if count > 1 or name.endswith(")") or speakers.is_capitalized(name)
    )


def _spoken(cue: _Cue, known: frozenset[str], taking: EntryCollector) -> Iterator[_Cue]:
    """What is said in a cue, by each who speaks in it."""
    is_spoken = False
    pieces = _VOICE.split(cue.text)
    for who, text in zip([None, *pieces[1::2]], pieces[::2], strict=True):
        for name, words in _lines(_plain(text), known if who is None else frozenset()):
            if words.strip():
                is_spoken = True
                speaker = markup.unescape(who) if who is not None else name
                yield _Cue(cue.number, cue.at, speaker, words.strip())
    if not is_spoken:
        taking.skip("cues without words", f"line {cue.number}")


def _lines(text: str, known: frozenset[str]) -> Iterator[tuple[str | None, str]]:
    """Stretches of lines with the name that each begins with."""
    who: str | None = None
    words: list[str] = []
    for line in (line.strip() for line in text.split("\n")):
        parts = speakers.split_speaker(line)
        if line in ("", "-"):
            continue
        bracketed = _IN_BRACKETS.match(line)
        if bracketed and speakers.is_capitalized(bracketed[1]):
            yield who, " ".join(words)
            who, words = bracketed[1], []
        elif parts is not None and parts[0] in known:
            yield who, " ".join(words)
            who, words = parts[0], [parts[1]]
        else:
            words.append(line)
    yield who, " ".join(words)


def _plain(text: str) -> str:
    return markup.unescape(_TAG.sub("", text))


def _messages(parts: list[_Cue]) -> Iterator[_Cue]:
    """Consecutive parts of one speaker as one; without a name the last speaker goes on.

    Where nobody was named yet a message ends with its sentence.
    """
    now: _Cue | None = None
    size = 0
    words: list[str] = []
    for part in parts:
        goes_on = now is not None and size + len(part.text) < _LONGEST
        if goes_on and now is not None and part.who in (None, now.who):
            goes_on = now.who is not None or not words[-1].endswith(_ENDS)
        else:
            goes_on = False
        if not goes_on:
            if now is not None:
                yield _Cue(now.number, now.at, now.who, " ".join(words))
            if part.who is None and now is not None:
                part = _Cue(part.number, part.at, now.who, part.text)
            now, words, size = part, [], 0
        words.append(part.text)
        size += len(part.text) + 1
    if now is not None:
        yield _Cue(now.number, now.at, now.who, " ".join(words))


VTT: Final = Format("vtt", "WebVTT captions: Zoom, Teams, Meet", ("vtt",), _tell_vtt, _read)
SBV: Final = Format(
    "sbv", "SubViewer captions: YouTube, chats of Google Meet", ("sbv",), _tell_sbv, _read
)
SRT: Final = Format("srt", "SubRip captions", ("srt",), _tell_srt, _read)
