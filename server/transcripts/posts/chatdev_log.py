"""Logs of ChatDev: roles that talk phase by phase, between settings and lines of the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from parley.server.transcripts.posts.fenced_lines import find_fenced
from parley.server.transcripts.posts.post_heads import Head, take_posts
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

_STAMP: Final = re.compile(
    r"\[(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:,\d{1,3})? "
    r"(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)\] (?P<rest>.*)\Z", re.DOTALL,
)  # fmt: skip
_TURN: Final = re.compile(
    r"(?P<who>[^:*\[\]\n]{1,64}): \*\*(?:(?P<start>\[Start Chat\])"
    r"|(?P<a>[^*<>\n]{1,64})<->(?P<b>[^*<>\n]{1,64}) on ?: ?(?P<phase>[^,*\n]{1,64}), turn \d+)\*\*"
)
_OLD: Final = re.compile(r"\[\d+\] AI (?:Assistant|User) \((?P<who>[^()\n]{1,64})\):[ \t]*\Z")
_ROLE: Final = re.compile(r"\| \*\*(?P<key>[a-z_]{1,40})\*\* \| (?P<value>[^|\n]{1,200}) \|")
_PROJECT: Final = re.compile(r"\*\*project_name\*\*: (?P<name>\S.{0,200})")
_LOOKED_AT: Final = 400  # lines of a file's head
SETTINGS: Final = "settings, conclusions and reports of the program"


def _is_head(line: str) -> bool:
    return line.startswith("[") and _STAMP.match(line) is not None


def _spoken(rest: str) -> re.Match[str] | None:
    turn = _TURN.match(rest) or _OLD.match(rest)
    return None if turn is None or turn["who"].strip() == "System" else turn


def _tell(source: Source) -> int:
    stamped = [match for line in source.head.split("\n") if (match := _STAMP.match(line))]
    if not stamped:
        return NO
    rests = [match["rest"] for match in stamped]
    marks = ("**[Preprocessing]**", "**ChatDev Starts**", "AgentTech Starts", "System: **[")
    known = any(rest.startswith(marks) for rest in rests) or any(map(_spoken, rests))
    return SURE + 10 if known else NO


def _heads(lines: Sequence[str], only: frozenset[str]) -> list[Head]:
    fenced = find_fenced(lines, _is_head)
    heads: list[Head] = []
    topic: str | None = None
    roles: set[str] = set()
    stamps = [
        (n, match)
        for n, line in enumerate(lines)
        if line.startswith("[")
        and not fenced[n]
        and (match := _STAMP.match(line))
        and (_spoken(match["rest"]) or _is_apart(lines, n))
    ]
    ends = [*(number for number, _ in stamps[1:]), len(lines)]
    for (number, stamp), end in zip(stamps, ends, strict=False):
        turn = _spoken(stamp["rest"])
        if turn is None:
            if stamp["rest"].startswith("System: **["):
                given = dict(_settings(lines[number:end]))
                topic = given.get("phase_name", topic)
                roles |= {v for k, v in given.items() if k.endswith("_role_name")}
            heads.append(Head(number, number + 1, None, SETTINGS))
            continue
        who = turn["who"].strip()
        groups = turn.groupdict()
        topic = (groups.get("phase") or topic or "").strip() or None
        to = next((n.strip() for n in (groups.get("a"), groups.get("b"))
                   if n and n.strip() != who), None)  # fmt: skip
        body = _past_prompt(lines, number + 1, end) if "phase" in groups else number + 1
        heads.append(Head(
            number, body, who, at=_time(stamp["at"]), topic=topic, to=(to,) if to else (),
        ))  # fmt: skip
    known = only or ({role.casefold() for role in roles} if roles else only)
    return [head for head in heads if head.who is None or not known or head.who.casefold() in known]


def _is_apart(lines: Sequence[str], number: int) -> bool:
    """True below a blank line or another entry; a line of a log elsewhere was pasted."""
    above = lines[number - 1] if number else ""
    return not above.strip() or _is_head(above)


def _settings(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        if match := _ROLE.match(line):
            yield match["key"], match["value"].strip()


def _past_prompt(lines: Sequence[str], start: int, end: int) -> int:
    """Where the words begin: below the prompt in brackets that each turn is logged with."""
    first = next((n for n in range(start, end) if lines[n].strip()), end)
    if first < end and lines[first].startswith("["):
        for number in range(first, end):
            if lines[number].rstrip().endswith("]") and (
                number + 1 >= end or not lines[number + 1].strip()
            ):
                return number + 1
    return start


def _time(stamp: str) -> str:
    """ChatDev writes the day before the month; where that cannot be, they are as usual."""
    year, second, third = stamp[:10].split("-")
    if int(third) > 12:
        second, third = third, second
    return f"{year}-{third}-{second}T{stamp[11:]}"


def _read(source: Source, taking: EntryCollector) -> None:
    lines = source.text.split("\n")
    for line in lines[:_LOOKED_AT]:
        if match := _PROJECT.match(line):
            taking.transcript.meta["title"] = match["name"].strip()
            break
    heads = _heads(lines, source.speakers)
    take_posts(lines, heads, taking)


CHATDEV: Final = Format(
    "chatdev", "log of ChatDev: the roles' words, by phase", ("log",), _tell, _read,
)  # fmt: skip
