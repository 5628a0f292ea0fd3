"""Boards: files that agents and people append posts to, parted by `---` or by headings.

A post begins with lines `From: …`, `To: …`, `Date: …` (bold, plain, or as front matter) at the
start of the file or below a ruler or a heading; or with a heading that names who and when:
`### [ANA] — 2026-04-10 20:00`, `### Ana [2026-02-18]`, `## 2026-06-01 - Ana - Subject`,
`### Message 3: Ana → Bo`. A ruler that no such head follows is a ruler within a post.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from parley.server.transcripts.posts.fenced_lines import find_fenced
from parley.server.transcripts.posts.post_fields import (
    clean_name,
    read_fields,
    read_recipients,
)
from parley.server.transcripts.posts.post_heads import Head, is_rule, take_posts
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import HEAD_BYTES, Source
from parley.server.transcripts.sources.speakers import NOT_NAMES
from parley.server.transcripts.sources.transcript_format import NO, PERHAPS, SURE, Format

_HEADING: Final = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>\S.{0,300}?)[ \t#]*\Z")
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?"
_DATE: Final = (
    rf"~?(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|{_MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}}\.? {_MONTH} \d{{4}}"
    rf"|{_CLOCK})(?:[T ,~]{{0,3}}{_CLOCK})?(?: ?[AaPp][Mm]\b)?"
    r"(?: ?(?:Z|UTC|GMT|[A-Z]{3,4}\b|[+-]\d{2}:?\d{2}))?"
)
_NAME: Final = r"[^\W\d_](?:[\w.@-]| (?=[\w(])|\([\w .-]{1,40}\)){0,47}"
_DASH: Final = r"[ \t]*(?:[-–—|·:,@]|\bat\b|\bon\b)[ \t]*"
_ARROW: Final = r"[ \t]*(?:→|⟶|➜|->|=>|↔|<->)[ \t]*"
_TO: Final = rf"(?:{_ARROW}\[?(?P<to>{_NAME}?)\]?)?"
_WHO: Final = rf"\[?(?P<who>{_NAME}?)\]?"
_AT: Final = rf"[\[(]?(?P<at>{_DATE})[\])]?"
_FORMS: Final = tuple(
    re.compile(rf"{form}\Z", re.DOTALL)
    for form in (
        # Ana [2026-02-18 19:24 …], Ana (…): the time closes it
        rf"{_WHO}{_TO}[ \t]*[\[(](?P<at>{_DATE})[^\])]{{0,40}}[\])][ \t]*:?(?:{_DASH})?"
        r"(?P<topic>.*)",
        # [ANA] — 2026-04-10 …, Ana → Bo — …
        rf"{_WHO}{_TO}{_DASH}{_AT}(?:{_DASH}(?P<topic>.*))?",
        # 2026-06-01T00:00:00Z - Ana - Subject
        rf"{_AT}(?:{_DASH}|[ \t]+){_WHO}{_TO}(?:(?:[ \t]+[-–—|·]|:)[ \t]+(?P<topic>.*))?",
        # Message 3: Ana → Bo (2026-…), Message from Ana to Bo — …
        rf"(?:Message|Post|Entry)[ \t]*(?:#?\d{{1,6}})?[ \t]*(?:[-–—:|·]|from|by)[ \t]*{_WHO}"
        rf"(?:(?:{_ARROW}|[ \t]+to[ \t]+)\[?(?P<to>{_NAME}?)\]?)?(?:(?:{_DASH}|[ \t]*){_AT})?",
        # [NEW] Ana → Bo: Subject (2026-…)
        rf"(?:\[[\w -]{{1,20}}\][ \t]*)?(?P<who>{_NAME}){_ARROW}(?P<to>{_NAME}?)"
        rf"(?:[ \t]*:[ \t]*(?P<topic>.*?))?(?:[ \t]*[\[(](?P<at>{_DATE})[\])])?",
    )
)
_BARE: Final = re.compile(r"\[(?P<who>[^\[\]\n]{1,64})\][ \t]*(?:[-–—]|\Z)")
_LISTS: Final = re.compile(
    r"(?:[-*>][ \t]+)?(?:\*\*|__)?(?:participants|agents|members|speakers|authors|people|team)"
    r"(?:\*\*|__)?[ \t]?:(?:\*\*|__)?[ \t]*(?P<names>\S.{0,1000})", re.IGNORECASE,
)  # fmt: skip
_NAMES: Final = re.compile(r"[,;&+/]|↔|<->|\band\b|\bvs\.?(?=\s)|\([^()]*\)")
_HABIT: Final = 4  # posts that all stand apart, before standing apart is taken for a habit
_WORDS: Final = 4  # of a name in a heading


@dataclass(slots=True)
class _Candidate:
    """What looks like a head, and its shape: people write theirs alike."""

    head: Head
    shape: tuple[int, int, bool, bool]  # form, level, in brackets, below a ruler or heading


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if line.startswith("#") else None


def _looks_like_head(line: str) -> bool:
    heading = _heading(line)
    text = heading["text"] if heading else line if _BARE.match(line) else None
    return text is not None and _parse(text) is not None


def _parse(text: str) -> tuple[int, re.Match[str]] | None:
    """Which form a heading's text has, and who and when of it."""
    text = text.replace("**", "").replace("`", "").strip()[:300]
    for number, form in enumerate(_FORMS):
        match = form.match(text)
        if match is not None and _is_name(match["who"]):
            return number, match
    return None


def _is_name(name: str) -> bool:
    words = clean_name(name).split()
    return 0 < len(words) <= _WORDS and not {words[0].lower(), words[-1].lower()} & NOT_NAMES


def _candidates(lines: Sequence[str], fenced: Sequence[bool]) -> Iterator[_Candidate]:
    """Every head that may be one, in order; those of fields are certain."""
    above_rule, start_of_file, taken = False, True, -1
    apart = True  # nothing, a ruler or a heading stands right above
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if fenced[number] or number < taken:
            above_rule = start_of_file = apart = False
            continue
        if is_rule(line):
            above_rule = apart = True
            continue
        heading = _heading(line)
        candidate = _candidate(lines, number, heading, fenced, above_rule, start_of_file)
        if candidate is not None:
            taken = candidate.head.body
            form, level, bracketed, _ = candidate.shape
            candidate.shape = form, level, bracketed, apart
            yield candidate
        above_rule = start_of_file = False
        apart = heading is not None and candidate is None


def _candidate(
    lines: Sequence[str], number: int, heading: re.Match[str] | None, fenced: Sequence[bool],
    above_rule: bool, start_of_file: bool,
) -> _Candidate | None:  # fmt: skip
    line = lines[number]
    level = len(heading["level"]) if heading else 0
    at = number
    if heading:
        at = next((n for n in range(number + 1, min(number + 3, len(lines)))
                   if lines[n].strip()), number)  # fmt: skip
    if heading or above_rule or start_of_file:
        fields = read_fields(lines, at, fenced) if at > number or not heading else None
        if fields is not None and fields.who and len(fields.who.split()) <= 8:
            end = _past_front_matter(lines, fields.end, above_rule and not heading)
            topic = fields.topic or (_topic(heading["text"]) if heading else None)
            lead = tuple(lines[n] for n in fields.kept)
            head = Head(number, end, fields.who, at=fields.at, to=fields.to, topic=topic, lead=lead)
            return _Candidate(head, (-1, level, False, False))
    text = heading["text"] if heading else line if _BARE.match(line) else None
    parsed = _parse(text) if text is not None else None
    if parsed is None:
        return None
    form, match = parsed
    groups = match.groupdict()
    head = Head(
        number, number + 1, clean_name(match["who"]), at=(groups.get("at") or "").strip() or None,
        to=read_recipients(groups.get("to") or ""),
        topic=(groups.get("topic") or "").strip("-–—:| ") or None, certain=False,
    )  # fmt: skip
    bracketed = (text or "").startswith("[")
    return _Candidate(head, (form, level, bracketed, False))


def _topic(text: str) -> str | None:
    """A heading's text as topic; "Message 3" and the like say nothing."""
    plain = text.replace("**", "").strip()
    is_count = re.fullmatch(r"(?:Message|Post|Entry|Reply)?[ \t]*#?\d{0,6}:?", plain, re.IGNORECASE)
    return None if is_count else plain[:200]


def _past_front_matter(lines: Sequence[str], number: int, opened: bool) -> int:
    """Behind the ruler that closes front matter, where one opened it and one closes it."""
    below = number
    while below < len(lines) and not lines[below].strip():
        below += 1
    closes = opened and below < len(lines) and lines[below].strip() == "---"
    return below + 1 if closes else number


def _declared(lines: Sequence[str]) -> set[str]:
    """The names that a line such as `Agents: ana, bo` near the start of the file lists."""
    names: set[str] = set()
    for line in lines[:60]:
        if match := _LISTS.match(line):
            names.update(clean_name(name) for name in _NAMES.split(match["names"]))
    return {name for name in names if name}


def _find(lines: Sequence[str], only: frozenset[str]) -> tuple[list[Head], list[str], list[str]]:
    """The heads, the names that were taken for text, and names in heads of headings that post once.

    Of names in headings those count that come again or are declared, and whose heading has
    the very shape of theirs.
    """
    fenced = find_fenced(lines, _looks_like_head)
    candidates = list(_candidates(lines, fenced))
    declared = {name.casefold() for name in _declared(lines)}
    declared |= {c.head.who.casefold() for c in candidates if c.head.certain and c.head.who}
    counted = Counter(c.head.who or "" for c in candidates)
    sure = {who for who, count in counted.items() if count > 1 or who.casefold() in declared}
    usual = {c.shape for c in candidates if c.head.who in sure}
    usual |= {(form, level, bracketed, True) for form, level, bracketed, _ in usual}
    if sum(c.head.who in sure for c in candidates) < _HABIT:
        usual |= {(form, level, bracketed, False) for form, level, bracketed, _ in usual}
    kept, dropped, once = [], [], []
    for candidate in candidates:
        who = candidate.head.who or ""
        if only:
            counts = who.casefold() in only
        else:
            counts = who in sure or not usual or candidate.shape in usual
        if counts:
            kept.append(candidate)
        else:
            dropped.append(who)
        if counts and not candidate.head.certain and counted[who] == 1:
            once.append(who)
    heads = [candidate.head for candidate in kept]
    level = min((c.shape[1] for c in kept if c.shape[1]), default=7)
    return [*heads, *_others(lines, fenced, heads, level)], [] if only else dropped, once


def _others(
    lines: Sequence[str], fenced: Sequence[bool], heads: Sequence[Head], level: int
) -> Iterator[Head]:
    """What stands before the first post, and headings of threads, right above a post."""
    starts = {head.line for head in heads}
    first = min(starts, default=0)
    if any(line.strip() for line in lines[:first]):
        yield Head(0, 0, None)
    below: set[int] = set()  # lines that a post's head follows, blank ones between
    for start in starts:
        number = start - 1
        while number >= 0 and not lines[number].strip():
            number -= 1
        below.add(number)
    for number in sorted(below):
        heading = _heading(lines[number]) if number > first and not fenced[number] else None
        if heading and number not in starts and len(heading["level"]) < level:
            yield Head(number, number, None)


def _tell(source: Source) -> int:
    lines = source.head.split("\n")
    if len(source.data) > HEAD_BYTES:
        lines.pop()
    if source.tree is not None or "\0" in source.head:
        return NO
    heads, _, _ = _find(lines, frozenset())
    spoken = [head for head in heads if head.who]
    if len(spoken) < 2:
        return PERHAPS if spoken and spoken[0].certain else NO
    certain = sum(head.certain for head in spoken)
    return SURE + 5 if certain > 1 or len({head.who for head in spoken}) > 1 else PERHAPS


def _read(source: Source, taking: EntryCollector) -> None:
    lines = source.text.split("\n")
    heads, dropped, once = _find(lines, source.speakers)
    title = next((m["text"] for line in lines[:10] if (m := _heading(line))), None)
    if title and not any(head.line == 0 and head.who for head in heads):
        taking.transcript.meta.setdefault("title", title.replace("**", "")[:200])
    if dropped:
        shown = ", ".join(dict.fromkeys(dropped[:8]))
        taking.note(
            f"headings read as text, since the name stands once: {shown}. "
            "If they speak, name every speaker: --speaker NAME, again for each"
        )
    taking.guess(once)
    take_posts(lines, heads, taking)


BOARD: Final = Format(
    "board", "posts parted by --- or headings: From/To/Date lines, ### Ana [2026-02-18]",
    ("md", "markdown", "txt"), _tell, _read,
)  # fmt: skip
