"""WhatsApp's export of a chat as text: both systems, both clocks, any order of the date."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, NamedTuple

from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

_MARKS: Final = dict.fromkeys(map(ord, "\u200e\u200f\u202a\u202b\u202c\ufeff"))
_BLANKS: Final = dict.fromkeys(map(ord, "\u202f\u00a0"), " ")
_HEAD: Final = re.compile(
    r"(?P<open>\[)?(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{2,4}),?[ ]"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?:[ ]?(?P<half>[AaPp])\.?[ ]?[Mm]\.?)?(?(open)\][ ]|[ ][-–][ ])"
)
_SPEAKER: Final = re.compile(r"([^:\n]{1,80}): ?")
_LEFT: Final = re.compile(
    r"<[^<>\n]{3,60}(?:omitted|ommited|weggelassen|omis|omitido|omesso)>|"
    r"(?:image|video|audio|sticker|GIF|document|Contact card) omitted|"
    r"(?:This message was deleted|You deleted this message)\.?|<attached: [^<>\n]{1,200}>|"
    r"\Anull\Z|[^\n]{1,200}\.\w{2,5} \((?:file attached|Datei angehängt|archivo adjunto|"
    r"fichier joint|file allegato)\)"
)
_QUOTES: Final = ("“”", "«»", "「」")
# On iOS, what the program says in somebody's name has a mark before it, and nothing behind
_OF_PROGRAM: Final = re.compile(
    r"\A[\u200e\ufeff]?\[[^\]\n]{6,40}\] [^:\n]{1,80}: \u200e(?!<|POLL)"
)
_EDITED: Final = re.compile(r"\s*<This message was edited>\s*\Z")
_UNKNOWN: Final = "~ "  # before a name that is not among the owner's contacts
_NOTICES: Final = "notices of the chat: joins, calls, encryption"
_SILENT: Final = "media and deleted messages without words"


class _Line(NamedTuple):
    """A message as it was written: where, when (as matched), by whom ("" for a notice), what."""

    place: str
    head: re.Match[str]
    who: str
    text: str


def _plain(line: str) -> str:
    return line.translate(_MARKS).translate(_BLANKS)


def _tell(source: Source) -> int:
    lines = [_plain(line) for line in source.head_lines]
    heads = [head for line in lines if (head := _HEAD.match(line))]
    if not heads or not _HEAD.match(lines[0]):
        return NO
    spoken = sum(_SPEAKER.match(head.string, head.end()) is not None for head in heads)
    if not spoken:
        return NO
    return SURE if spoken > 1 or len(heads) == len(lines) else LIKELY


def _read(source: Source, taking: EntryCollector) -> None:
    lines = _joined(source, taking)
    day_first = _is_day_first(lines, taking)
    for line in lines:
        if not line.who:
            taking.skip(_NOTICES, line.place)
            continue
        text, media = _LEFT.subn("", _EDITED.sub("", line.text))
        if not text.strip():
            taking.skip(_SILENT, line.place)
            continue
        taking.skip("media beside words", line.place, media)
        taking.say(line.place, line.who, text, timestamp=_moment(line.head, day_first=day_first))


def _joined(source: Source, taking: EntryCollector) -> list[_Line]:
    """The messages, each with the lines that go on with it."""
    found: list[_Line] = []
    for number, raw in source.lines():
        line = _plain(raw)
        head = _HEAD.match(line)
        if head is not None:
            spoken = _SPEAKER.match(line, head.end())
            if spoken and (_is_half_quoted(spoken[1]) or _OF_PROGRAM.search(raw)):
                spoken = None
            who, text = (spoken[1], line[spoken.end() :]) if spoken else ("", line[head.end() :])
            found.append(_Line(f"line {number}", head, who.strip(_UNKNOWN), text))
        elif found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
        elif line.strip():
            taking.skip("lines before the first message", f"line {number}")
    return found


def _is_half_quoted(name: str) -> bool:
    """Whether a quotation begins in `name` and does not end there: `Bo named the group "Beds`."""
    return name.count('"') % 2 == 1 or any(name.count(a) != name.count(b) for a, b in _QUOTES)


def _is_day_first(lines: list[_Line], taking: EntryCollector) -> bool:
    """Whether the day stands before the month: as any date shows, else as most countries write."""
    heads = [line.head for line in lines if len(line.head["a"]) < 4]
    if any(int(head["a"]) > 12 for head in heads):
        return True
    if any(int(head["b"]) > 12 for head in heads):
        return False
    if heads:
        taking.note("no date tells day from month: read with the day first")
    return True


def _moment(head: re.Match[str], *, day_first: bool) -> str | None:
    first, second, third = int(head["a"]), int(head["b"]), int(head["c"])
    if len(head["a"]) == 4:
        year, month, day = first, second, third
    else:
        day, month = (first, second) if day_first else (second, first)
        year = third if third > 99 else 2000 + third
    hour = int(head["hour"])
    if head["half"]:
        hour = hour % 12 + (12 if head["half"].lower() == "p" else 0)
    try:
        moment = datetime(  # noqa: DTZ001  # the file says no zone
            year, month, day, hour, int(head["minute"]), int(head["second"] or 0)
        )
    except ValueError:
        return None
    return moment.isoformat()


WHATSAPP: Final = Format("whatsapp", "WhatsApp's export of a chat as text", ("txt",), _tell, _read)
