"""Logs of IRC: weechat, irssi, hexchat, ZNC and W3C's RRSAgent, with and without times.

Each line is a time, where there is one, and what stands after it: a message, an
action, or a notice of the channel. Only the first two are anyone's words.
"""

from __future__ import annotations

import re
from typing import Final

from parley.server.transcripts.platforms.irc_times import Clock, strip_time, with_date
from parley.server.transcripts.platforms.meetbot import MeetBot
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.speakers import names_several
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, SURE, Format

_NICK: Final = r"[^\s<>*\[\]()]{1,64}|[^\s<>*]{1,64}"
_MESSAGE: Final = re.compile(rf"<[ @+%&~!]?({_NICK})>(?:[ \t](.*)|)\Z", re.DOTALL)
_ACTION: Final = re.compile(rf"[ ]?\*[ \t]+({_NICK})[ \t]+(.*)\Z", re.DOTALL)
# weechat's columns: a prefix (nick or mark), a tab, the text
_COLUMNS: Final = re.compile(r"([^\t]{0,80})\t(.*)\Z", re.DOTALL)
_BRACKETED: Final = re.compile(rf"\[({_NICK})\](?:[ \t]+(.*)|[ \t]*)\Z", re.DOTALL)  # W3C's pages
_COLUMN_NICK: Final = re.compile(r"[ @+%&~]?([^\s<>*]{1,64})\Z")
_NOTICE: Final = re.compile(
    r"-!-|-->|<--|--(?:[ \t]|\Z)|---[ \t]|\*\*\*|=!=|<->|\[Users |\[[@+ ]|"
    r"-[^\s-][^\s]{0,80}-[ \t]|>>>|<<<|===[ \t]"
)
# What a client writes behind a `*` of its own accord; anyone may type the same, nobody does.
_EVENT: Final = re.compile(
    r"(?:[(\[][^)\]\n]{0,200}[)\]][ \t]+)?"
    r"(?:has[ \t]+(?:joined|left|quit|changed|set|kicked|been)\b|"
    r"is now known as\b|sets? (?:mode|channel|topic)\b|changes? topic\b|changed the topic\b|"
    r"(?:gives|removes)[ \t]+(?:channel|voice)|was kicked\b|talking on\b)",
)
_RENAMED: Final = re.compile(
    r"(?:^|[\s*=!-])(\S{1,64})(?:[ \t]+[(\[]\S{0,200}[)\]])? (?:is now|are now) known as (\S{1,64})"
)
_JOINED: Final = re.compile(r"(\S{1,64}) has (?:joined|left) [#&]\S{1,64}\Z")
_FORMATTING: Final = re.compile(r"\x03(?:[0-9]{1,2}(?:,[0-9]{1,2})?)?|[\x02\x0f\x11\x16\x1d-\x1f]")
_KEYWORD: Final = re.compile(
    r"(chair|scribe|scribenick|meeting)[ \t]*:[ \t]*(\S.{0,200})", re.IGNORECASE
)
BOTS: Final = frozenset({
    "rrsagent", "zakim", "trackbot", "agendabot", "gpbot", "ghurlbot", "github-bot", "chanserv",
    "nickserv", "meetbot", "voip-ccg", "zodbot", "openstack",
})  # fmt: skip
NOTICES: Final = "joins, parts, topics, modes and notices"
OTHER: Final = "not a line of an IRC log"


def _tell(source: Source) -> int:
    """By the share of lines that an IRC client writes; one message at least."""
    lines = source.head_lines
    parts = [_parts(strip_time(line)[1]) for line in lines]
    known = sum(part is not None for part in parts) + sum(
        with_date(line) is not None for line in lines
    )
    spoken = sum(part is not None and part[0] is not None for part in parts)
    angled = sum(_MESSAGE.match(strip_time(line)[1]) is not None for line in lines)
    timed = sum(strip_time(line)[0] is not None for line in lines)
    if not spoken or known * 2 < len(lines) or not (angled or timed):
        return NO
    return SURE if known * 10 >= len(lines) * 9 and angled else LIKELY


def _parts(body: str) -> tuple[str | None, str] | None:
    """Who says what in a line without its time; (None, …) for a notice, None for no such line."""
    if match := _MESSAGE.match(body):
        return match[1], match[2] or ""
    if body.startswith("\t") or _NOTICE.match(body):
        return None, body
    if acted := _ACTION.match(body):
        notice = acted[1].lower() in ("now", "topic", "you") or _EVENT.match(acted[2])
        return (None, body) if notice else (acted[1], f"* {acted[1]} {acted[2]}")
    if body.startswith(("*", " *")) and "\t" in body:
        return None, body
    if columns := _COLUMNS.match(body):
        return _column(columns[1], columns[2])
    if match := _BRACKETED.match(body):
        return match[1], match[2] or ""
    return None


def _column(prefix: str, text: str) -> tuple[str | None, str] | None:
    if prefix.strip() == "*":
        nick = text.partition(" ")[0]
        return nick, f"* {text}"
    if _NOTICE.match(prefix.strip() + " ") or not prefix.strip():
        return None, text
    nick_only = _COLUMN_NICK.match(prefix)
    return (nick_only[1], text) if nick_only else None


def _read(source: Source, taking: EntryCollector) -> None:
    clock = Clock()
    reader = _Reader(taking, clock, source.text)
    for number, line in source.lines():
        if line.strip():
            reader.line(f"line {number}", _FORMATTING.sub("", line))
    reader.end()


class _Reader:
    """Reads line after line; holds a nick whose words stand on the next line."""

    def __init__(self, taking: EntryCollector, clock: Clock, text: str) -> None:
        self._taking, self._clock = taking, clock
        self._waiting: tuple[str, str, str | None] | None = None  # place, nick, time
        self._bots: dict[str, None] = {}
        self._spoke: set[str] = set()
        self._meetbot = MeetBot(taking, text)

    def line(self, place: str, line: str) -> None:
        if self._clock.set_by(line):
            self._taking.skip("lines about the log", place)
            return
        time, body = strip_time(line)
        at = self._clock.at(time) if time else None
        parts = _parts(body) if time or self._waiting is None else None
        if parts is None and self._waiting is not None and time is None:
            started, nick, then = self._waiting
            self._waiting = None
            self._say(started, nick, line, then)
        elif parts is None:
            self.end()
            self._taking.skip(OTHER, place)
        else:
            self._parts(place, parts, at)

    def _parts(self, place: str, parts: tuple[str | None, str], at: str | None) -> None:
        self.end()
        nick, text = parts
        if nick is None:
            renamed = _RENAMED.search(text)
            if renamed is None or not self._rename(renamed[1], renamed[2]):
                self._taking.skip(NOTICES, place)
        elif text.strip():
            self._say(place, nick, text, at)
        else:
            self._waiting = place, nick, at

    def _rename(self, old: str, new: str) -> bool:
        """Count `new` as the person who was called `old`; False if that is somebody else's name."""
        if old not in self._spoke or new in self._spoke or new == old:
            return False
        self._spoke.add(new)
        self._taking.alias(new, old)
        return True

    def end(self) -> None:
        """Lets go of a nick that says nothing."""
        if self._waiting is not None:
            self._taking.skip("says nothing", self._waiting[0])
            self._waiting = None

    def _say(self, place: str, nick: str, text: str, at: str | None) -> None:
        joined = _JOINED.match(text)
        if joined and joined[1] == nick:
            self._taking.skip(NOTICES, place)
            return
        if nick.lower() in BOTS and nick not in self._bots:
            self._bots[nick] = None
            self._taking.transcript.meta["bots"] = list(self._bots)
        if (self._bots or self._clock.of_w3c) and (keyword := _KEYWORD.match(text)):
            _about(self._taking, keyword[1].lower(), keyword[2].strip())
        self._spoke.add(nick)
        read = self._meetbot.read(place, nick, text)
        if read is not None:
            self._taking.say(place, nick, read[0], timestamp=at, **read[1])


def _about(taking: EntryCollector, keyword: str, value: str) -> None:
    """What a meeting's log says of the meeting itself: the first word on each counts."""
    name = {"meeting": "title", "scribenick": "scribe"}.get(keyword, keyword)
    taking.transcript.meta.setdefault(name, names_several(value) if name == "chair" else value)


IRC: Final = Format(
    "irc", "log of an IRC client or of W3C's RRSAgent", ("log", "weechatlog", "irc", "txt"),
    _tell, _read,
)  # fmt: skip
