"""Minutes and talk in Markdown or plain text: `**Name:** …`, `Name: …`, `- Name: …`.

Headings are topics. What no name stands before is said by the scribe, where the
minutes name one, else by "Minutes": decisions stand there more often than not.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from parley.server.transcripts.posts.fenced_lines import find_fenced
from parley.server.transcripts.sources import speakers
from parley.server.transcripts.sources.entry_collector import EntryCollector, read_name
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.speakers import names_several
from parley.server.transcripts.sources.transcript_format import LIKELY, NO, PERHAPS, Format

MINUTES: Final = "Minutes"
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(\S.*)\Z", re.DOTALL)
_JSON: Final = re.compile(r"\s*[\[{]\s*[\[{\"\]}]")
_RULE: Final = re.compile(r"[ \t]*(?:-[ \t-]*-|\*[ \t*]*\*|_[ \t_]*_|=+)[ \t]*\Z")
_BULLET: Final = re.compile(r"[ \t]{0,40}(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+(?=\S)")
_FENCE: Final = re.compile(r"[ \t]{0,40}(?:```|~~~)")
_BOLD: Final = re.compile(
    r"(\*\*|__)(?P<name>[^*_\n:][^*\n:]{0,80}?)(?::[ \t]?\1|\1[ \t]?:)[ \t]*(?P<text>.*)\Z",
    re.DOTALL,
)
_CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2}| ?[AaPp][Mm])?"
_TIME: Final = re.compile(
    rf"[\[(]?((?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ])?{_CLOCK})[\])]?"
    r"[ \t]{1,8}(?:[-–—][ \t]{1,8})?(?=\S)"
)
_TIME_AFTER: Final = re.compile(
    rf"([^:\n]{{1,80}}?)[ \t]?[\[(]({_CLOCK})[\])](?=(?:\*\*|__)?[ \t]?:)"
)
_ABOUT: Final = re.compile(
    r"(?:[-*•][ \t]+)?(?:\*\*|__)?(title|meeting|date|time|location|where|when|present|attendees|"
    r"attendance|participants|regrets|absent|apologies|chairs?|scribes?|recording)"
    r"(?:\*\*|__)?[ \t]?:(?:\*\*|__)?[ \t]*(.{0,2000})\Z", re.IGNORECASE | re.DOTALL,
)  # fmt: skip
# What a meeting came to is nobody's in particular, even right below somebody's words.
_OUTCOME: Final = re.compile(
    r"(?:\*\*|__)?(?:resolved|resolutions?|decisions?|decided|agreed|agreement|consensus|actions?)"
    r"(?: items?)?(?:\*\*|__)?[ \t]?:", re.IGNORECASE,
)  # fmt: skip
_SCRIBE: Final = re.compile(r"(?:[-*•][ \t]+)?(?:\*\*|__)?scribes?\b", re.IGNORECASE)
_PEOPLE: Final = frozenset({"present", "attendee", "attendance", "participant", "chair", "scribe"})
_PRESENT_WITHIN: Final = 200  # lines: who is present stands at the top
_SHOWN: Final = 8  # names in a note
_KEPT: Final = {"chairs": "chair", "scribes": "scribe", "meeting": "title"}


def _tell(source: Source) -> int:
    """By the lines that name a speaker: one in bold, or several that make up a fair share."""
    lines = source.head_lines
    if "\0" in source.head or _JSON.match(source.head):
        return NO
    named = [parts[0] for line in lines if (parts := _named(line)) is not None and parts[1]]
    bold = sum(_BOLD.match(_split(line)[1]) is not None for line in lines)
    alone = Counter(line.strip() for line in lines if line.strip().endswith((":**", ":__")))
    if sum(count > 1 for count in alone.values()) > 1:
        return LIKELY  # names in bold, each above what it says
    if len(named) < 2 and not (bold and named):
        return NO
    again = sum(count for count in Counter(named).values() if count > 1)
    if bold or (again > 1 and again * 4 >= len(lines)):
        return LIKELY
    return PERHAPS if len(named) * 2 >= len(lines) else NO


def _split(line: str) -> tuple[str | None, str]:
    """The time that a line gives, and the line without it and its bullet."""
    rest = _unlisted(line).lstrip()
    if stamp := _TIME.match(rest):
        return stamp[1], rest[stamp.end() :]
    if after := _TIME_AFTER.match(rest):
        return after[2], after[1] + rest[after.end() :]
    return None, rest


def _unlisted(line: str) -> str:
    """`line` without the bullet or number that it begins with."""
    bullet = _BULLET.match(line)
    return line[bullet.end() :] if bullet else line


def _named(line: str) -> tuple[str, str, str | None] | None:
    """Name, words and time of a line that begins with a speaker."""
    at, rest = _split(line)
    if match := _BOLD.match(rest):
        parts = speakers.split_speaker(f"{match['name']}: {match['text']}")
    else:
        parts = speakers.split_speaker(rest)
    return (*parts, at) if parts else None


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that count as speakers; `listed` where items of lists may begin with one, too."""

    known: frozenset[str]
    listed: bool
    dropped: tuple[str, ...] = ()  # bold or capitalised, and read as text
    is_talk: bool = False  # not minutes: what follows a name is that speaker's until the next

    def speak(self, name: str, line: str) -> bool:
        return name in self.known and (self.listed or not _is_listed(line))


def _is_listed(line: str) -> bool:
    return line[:1] in " \t" or _BULLET.match(line) is not None


def _choose_names(source: Source) -> _Names:
    """The names that come again, or that the minutes list as present; else what looks like names.

    Bold words are none by themselves. Where two who come again speak outside of lists, whatever
    stands in lists is text.
    """
    lines = source.text.split("\n")
    fenced = find_fenced(lines, lambda _: False)
    named = [
        (parts[0], line, _BOLD.match(_split(line)[1]) is not None)
        for number, line in enumerate(lines)
        if not fenced[number] and (parts := _named(line)) is not None
    ]
    if source.speakers:
        known = frozenset(name for name, _, _ in named if name.casefold() in source.speakers)
        listed = all(_is_listed(line) for name, line, _ in named if name in known)
        return _Names(known, listed, is_talk=not listed and not _names_scribe(lines))
    declared = _declared(lines)
    free = [each for each in named if not _is_listed(each[1])]
    apart = len(_come_again(free, declared)) > 1
    named = free if apart else named
    in_bold = _come_again([each for each in named if each[2]], set())
    first = next((bold for name, _, bold in named if name in in_bold), False)
    if apart and first and len(in_bold) > 1:
        named = [each for each in named if each[2]]  # talk in bold: other lines begin nothing
    sure = {name for name in _come_again(named, declared) if _looks_like_name(name)}
    names = {name: bold for name, _, bold in named}
    capitals = {name for name in names if speakers.is_capitalized(name)}
    if len(sure) < 2:
        bold_names = {name for name, bold in names.items() if bold}
        return _Names(frozenset(sure | capitals | bold_names), not apart)
    plainly = {name for name, _, bold in named if not bold}
    usual = capitals & plainly if sure & plainly else set()
    known = frozenset(sure | usual)
    dropped = [name for name in names if name not in known and (names[name] or name in capitals)]
    is_talk = apart and first and len(in_bold) > 1 and not _names_scribe(lines)
    return _Names(known, not apart, tuple(dropped), is_talk)


def _names_scribe(lines: list[str]) -> bool:
    return any(map(_SCRIBE.match, lines[:_PRESENT_WITHIN]))


def _looks_like_name(name: str) -> bool:
    """False for phrases such as "Files updated"; handles of one word may be small."""
    return " " not in name or all(word[0].isupper() for word in name.split() if word[0].isalpha())


def _come_again(named: list[tuple[str, str, bool]], declared: set[str]) -> set[str]:
    counted = Counter(name for name, _, _ in named)
    return {name for name, n in counted.items() if n > 1 or name.casefold() in declared}


def _declared(lines: list[str]) -> set[str]:
    """The names in the lines on who is present, in the chair or the scribe."""
    names: set[str] = set()
    for line in lines[:_PRESENT_WITHIN]:
        match = _ABOUT.match(line.strip())
        if match and match[1].lower().rstrip("s") in _PEOPLE:
            names.update(name.strip("*_ ").casefold() for name in names_several(match[2]))
    return names


def _read(source: Source, taking: EntryCollector) -> None:
    names = _choose_names(source)
    if names.dropped:
        taking.note(
            "read as text, since the name stands once: "
            f"{', '.join(dict.fromkeys(names.dropped[:_SHOWN]))}. "
            "If they speak, name every speaker: --speaker NAME, again for each"
        )
    taking.guess(names.known)
    reader = _Reader(taking, names)
    front = _front_matter(source)
    inside = _inside_of_talk(source, names) if names.is_talk else frozenset()
    for number, line in source.lines():
        place = f"line {number}"
        if number <= front:
            taking.skip("lines about the meeting", place)
            reader.about(line)
        elif number in inside:
            reader.text(place, line)
        elif line.strip():
            reader.line(place, line)
        else:
            reader.gap()
    reader.end()


def _inside_of_talk(source: Source, names: _Names) -> frozenset[int]:
    """The headings and rulers that stand within what somebody says: no name follows them."""
    inside: set[int] = set()
    run: list[int] = []
    spoken = False
    for number, line in source.lines():
        if _RULE.match(line) or _HEADING.match(line):
            run.append(number)
        elif line.strip():
            named = _named(line)
            is_name = named is not None and names.speak(named[0], line)
            if spoken and not is_name:
                inside.update(run)
            spoken, run = spoken or is_name, []
    return frozenset(inside)


def _front_matter(source: Source) -> int:
    """How many lines of YAML stand before the text."""
    lines = source.text[:8192].split("\n")
    if lines[0].strip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)


class _Reader:
    """Collects the lines of one message, and hands it on where the next begins."""

    def __init__(self, taking: EntryCollector, names: _Names) -> None:
        self._taking, self._names = taking, names
        self._topic: str | None = None
        self._who: str | None = None  # of the message that is being read; None: nobody named
        self._words: list[str] = []
        self._place = ""
        self._at: str | None = None
        self._gap = self._fenced = self._quotes = False

    def line(self, place: str, line: str) -> None:
        """Takes a line that is not blank."""
        if self._fenced or _FENCE.match(line):
            self._fenced ^= _FENCE.match(line) is not None
            self._go_on(place, line)
        elif heading := _HEADING.match(line):
            self._heading(place, heading[1])
        elif _RULE.match(line):
            self.end()
            self._taking.skip("headings and rules", place)
        elif self.about(line):
            self.end()
            self._taking.skip("lines about the meeting", place)
        elif (named := _named(line)) and self._names.speak(named[0], line):
            self.end()
            self._place, self._who = place, named[0]
            self._at = named[2].replace(" ", "T", 1) if named[2] else None
            self._words = [named[1]] if named[1] else []
        else:
            self._unnamed(place, line)
        self._gap = False

    def text(self, place: str, line: str) -> None:
        """Takes a line of what is being said, whatever it looks like."""
        self._go_on(place, line)
        self._gap = False

    def gap(self) -> None:
        """A blank line: what follows without a name is somebody else's, unless indented."""
        if self._words:
            self._gap = True
            self._words.append("")

    def end(self) -> None:
        """The message is complete."""
        text = "\n".join(self._words).strip()
        if text:
            scribe = self._taking.transcript.meta.get("scribe")
            who = self._who or (scribe if isinstance(scribe, str) and scribe else MINUTES)
            self._taking.say(self._place, who, text, timestamp=self._at, topic=self._topic)
        elif self._who is not None:
            self._taking.skip("names without words", self._place)
        self._who, self._words, self._at = None, [], None
        self._gap = self._quotes = False

    def about(self, line: str) -> bool:
        """Keeps what a line says of the meeting itself; False where it says nothing of it."""
        match = _ABOUT.match(line.strip())
        if match is None:
            return False
        name = match[1].lower()
        value = match[2].strip().strip("\"'")
        if value:
            name = _KEPT.get(name, name)
            self._taking.transcript.meta.setdefault(
                name, names_several(value) if name == "chair" else value
            )
        return True

    def _heading(self, place: str, text: str) -> None:
        self.end()
        self._taking.skip("headings and rules", place)
        text = read_name(text.rstrip("# \t").strip("*_ "))
        if "title" not in self._taking.transcript.meta and not self._taking.transcript.entries:
            self._taking.transcript.meta["title"] = text
        else:
            self._topic = text

    def _unnamed(self, place: str, line: str) -> None:
        indented = line[:1] in " \t"
        if line.startswith(">") and self._who and (self._quotes or not any(self._words)):
            self._quotes = True  # a name, and below it what they say as a quote
            line = line.lstrip("> \t")
        elif any(self._words) and not indented and (self._ends_here(line) or _OUTCOME.match(line)):
            self.end()
        self._go_on(place, line if self._who is not None else _unlisted(line))

    def _ends_here(self, line: str) -> bool:
        """Whether a line of minutes ends what somebody says: a blank line, or an item of a list."""
        if self._names.is_talk and self._who is not None:
            return False
        return self._gap or _BULLET.match(line) is not None

    def _go_on(self, place: str, line: str) -> None:
        if self._who is None and not self._words:
            self._place = place
        self._words.append(line)


MARKDOWN: Final = Format(
    "markdown", "minutes or talk as text: **Name:** …, Name: …, headings as topics",
    ("md", "markdown", "txt", "text"), _tell, _read,
)  # fmt: skip
