"""What somebody said they, or somebody else, would do: candidates, found by wording. Pure.

The rules are a pattern pack of their own, `server/data/actions.json`, and heed the same
guards as those of the talk: questions, negation, quotations, conditions.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.extraction.patterns.clauses import PreparedText
from parley.memory.extraction.patterns.guards import GuardJudge, RuleMatch
from parley.memory.extraction.patterns.pattern_packs import Pack, parse_pack
from parley.memory.extraction.patterns.regular_expressions import PatternFinder, compile_pattern_set
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.server.minutes.action_wording import (
    alternatives,
    begins_with_deed,
    ends_at_once,
    is_of_the_talk,
    is_told_as_done,
    lead_words,
    shipped_words,
    task_words,
    without_mark,
)
from parley.server.minutes.course.topics import find_issues, words_in_common
from parley.server.minutes.decided_words import DecidedTerms
from parley.server.minutes.words.attribution import Voice
from parley.server.minutes.words.mentions import NameIndex
from parley.server.minutes.words.sentence_words import READ
from parley.server.rows.entry_times import time_row

MOST: Final = 50
TEXT: Final = 240
_LEAD: Final = " \t-*•>@"
_WILL: Final = re.compile(r"will\b", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\s,:;()]+")
_SOON: Final = 3  # entries in which what is done by a word is done
_LATER: Final = 60  # entries in which somebody says that it is done
_DONE: Final = re.compile(
    r"\W*(?:done|sent|fixed|posted|filed|created)\b(?! (?:if|when|by|it)\b).{0,60}", re.IGNORECASE
)
_AROUND: Final = 15  # messages before it that tell what a task is about
_TERSE: Final = 9  # words of a task that may need that
_SHORT: Final = 3  # words of a task that says enough by itself
_LEAST: Final = 2  # words of a sentence that tells what the next one is about
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_STOP: Final = re.compile(r"[.!?;:]\s+(?=\S)|\n+")
_NAME: Final = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}"
_TO: Final = re.compile(rf"\s*@?({_NAME}(?:(?:,| and|, and) {_NAME}){{0,3}}) to [a-z]")
_BRACKETED: Final = re.compile(rf"\(({_NAME}(?:(?:,| and|, and) {_NAME}){{0,3}})\)[.\s]*$")

Row = dict[str, Any]


def find_actions(
    memory: Memory, messages: Iterable[Record], voices: Mapping[int, Voice], decided: DecidedTerms
) -> tuple[list[Row], int]:
    """The newest candidates, oldest first, and how many older ones are left out.

    `voices` tells whose words each of the `messages` is.
    """
    names, reader = NameIndex(memory), promises()
    records, rows = [*messages], deque[Row](maxlen=MOST)
    count = 0
    for place, record in enumerate(records):
        for row in reader.read(record, names, voices[record.n]):
            settled = _settle(row, records[place + 1 : place + 1 + _LATER], voices, decided)
            if settled is not None:
                count += 1
                before = records[max(0, place - _LATER) : place]
                rows.append({**settled, "amid": _amid(settled, before, names)})
    return [*rows], count - len(rows)


def _settle(
    row: Row, later: Sequence[Record], voices: Mapping[int, Voice], decided: DecidedTerms
) -> Row | None:
    """`row` with what it follows from and whether it is done; None where nothing is left to do."""
    who, n = row["who"], row["n"]
    if who is None and is_told_as_done(row["text"]):
        return None
    if ends_at_once(row["text"]) and decided.born_by(who, n, n + _SOON):
        return None
    before = decided.just_before(n)
    if row["rule"] not in ("marked", "listed") and is_of_the_talk(row["text"]):
        return None
    if row["rule"] == "listed" and who is None and not begins_with_deed(row["text"]):
        return None
    if not says_something(row["text"]):
        if before is None:
            return None
        row = {**row, "text": clip(before.text, TEXT)}  # "I will do this next week"
    near = decided.near(row["text"], n) or (before.handle if before else None)
    done = (
        record.n
        for record in later
        if voices[record.n].name == who and _DONE.fullmatch(_content(record))
    )
    return {**row, "decision": near, "done": next(done, None), "amid": []}


def _amid(row: Row, before: Sequence[Record], names: NameIndex) -> list[str]:
    """What was spoken of just before a task of few words, which tells what it is about."""
    if row["decision"] or len(_LETTERS.findall(row["text"])) > _TERSE:
        return []
    issues = find_issues(before)[-1:]
    return [*issues, *words_in_common(map(_content, before[-_AROUND:]), names.all())]


def _content(record: Record) -> str:
    return str(getattr(record.entry, "content", "")).strip()


class Promises:
    """The shipped rules, compiled."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._judge = GuardJudge([pack.guards])
        self._gate = compile_pattern_set(tuple(rule.pattern for rule in pack.rules)).Match
        self._finders = [PatternFinder(rule.pattern, rule.name) for rule in pack.rules]

    def read(self, record: Record, names: NameIndex, voice: Voice) -> list[Row]:
        """What one message promises or hands on, each sentence once, in its order."""
        entry: Any = record.entry
        text = to_plain(entry.content[:READ])
        hits = self._gate(text)
        if not hits:
            return []
        script = PreparedText(text)
        rows: dict[int, Row] = {}
        for match in self._matches(script, sorted(hits)):
            first = match.sentence[0]
            if first in rows or self._judge.objection(script.unquoted, match):
                continue
            who = _who(match, script, names, voice)
            if who is not None:
                row = _told(_row(record, match, who, voice, names), record, voice)
                rows[first] = {**row, "known": names.find(who) is not None}
        return [rows[first] for first in sorted(rows)]

    def _matches(self, script: PreparedText, hits: Sequence[int]) -> Iterator[RuleMatch]:
        for index in hits:
            rule = self._pack.rules[index]
            for place in self._finders[index].each(script.subject):
                start, end = place.span()
                while script.unquoted[start].isspace():
                    start += 1
                sentence = script.sentence(start, end)
                yield RuleMatch(start, end, rule.name, rule, sentence, self._judge)


@cache
def promises() -> Promises:
    """The rules of the shipped file."""
    return Promises(shipped_phrases())


@cache
def shipped_phrases() -> Pack:
    """The shipped rules as a pack, their lists of words filled in."""
    tree = copy.deepcopy(shipped_words())
    words = {f"<{name}>": alternatives(name) for name in ("doing", "asking", "talking", "adverbs")}
    words["<condition>"] = tree["condition"]
    for rule in tree["pack"]["rules"]:
        for key in ("pattern", "before", "after", "within"):
            for name, listed in words.items():
                if key in rule:
                    rule[key] = rule[key].replace(name, listed)
    return parse_pack(tree["pack"])


@cache
def _due_words() -> re.Pattern[str]:
    return re.compile(shipped_words()["due"], re.IGNORECASE)


def find_dates(text: str) -> list[str]:
    """All by which something is to be, in the words of `text`."""
    return [one_line(match["when"] or match["soon"]) for match in _due_words().finditer(text)]


def _find_due(text: str) -> str | None:
    """By when, in the words of `text`: "Friday", "3 May"; None where it does not say."""
    match = _due_words().search(text)
    return None if match is None else one_line(match["when"] or match["soon"])


def _who(match: RuleMatch, script: PreparedText, names: NameIndex, voice: Voice) -> str | None:
    """Who is to do it; "" where nobody is named, None where it is no action after all."""
    first, last = _sentence(match, voice)
    if match.rule.name.startswith("assigned"):
        named = script.unquoted[first : match.start].strip(f"{_LEAD},:;")
        if not named and 0 < first == voice.start and _WILL.match(script.unquoted, match.start):
            return voice.name  # a scribe's "ann: will ask them"
        return names.find(named)
    if match.rule.name in ("marked", "listed"):
        if names.find("ai") and "AI:" in script.text[match.start :][:12]:
            return None  # a participant of that name is quoted
        rest = without_mark(script.text[match.start : last])
        return _named(rest, names) or _written(rest)
    return voice.name


def _named(rest: str, names: NameIndex) -> str:
    """The participant that what follows a mark begins with, or names by @; "" for none."""
    words = list(_WORDS.finditer(rest[:TEXT]))
    for count in range(min(4, len(words)), 0, -1):
        text = rest[words[0].start() : words[count - 1].end()].strip(_LEAD)
        if (name := names.find(text)) is not None:
            return name
    mentioned = (names.find(word[0][1:].rstrip(".!?")) for word in words if word[0][0] == "@")
    return next((name for name in mentioned if name is not None), "")


def _written(rest: str) -> str:
    """Whoever it is for though they do not take part: "Gregg to …", "… (Gregg)"; "" for none."""
    match = _TO.match(rest[:TEXT]) or _BRACKETED.search(rest[:TEXT])
    return "" if match is None else match[1]


def _sentence(match: RuleMatch, voice: Voice) -> tuple[int, int]:
    """Without the name that a scribe wrote before it."""
    first, last = match.sentence
    behind = first < voice.start <= match.start
    return (voice.start, last) if behind else (first, last)


def _told(row: Row, record: Record, voice: Voice) -> Row:
    """`row`; where its words do not say what is to be done, with the sentence before them if that
    may."""
    if says_something(row["text"], _SHORT):
        return row
    marked = row["rule"] in ("marked", "listed")
    lead = "" if marked else lead_words(row["words"], row["text"])
    lead = "" if lead.startswith("I ") else lead  # of who says it, not of what is to do
    if says_something(row["text"]):
        told = says_something(lead, _LEAST)
        return {**row, "text": clip(f"{row['text']} (“{lead}”)", TEXT)} if told else row
    entry: Any = record.entry
    before = entry.content[voice.start : row["cites"][0][1]].rstrip()
    first = max((match.end() for match in _STOP.finditer(before)), default=0)
    lead = one_line(before[first:])
    if not says_something(lead, _LEAST):
        return row
    return {**row, "text": clip(f"{row['text']} (“{lead}”)", TEXT)}


def says_something(text: str, least: int = 1) -> bool:
    """Whether `least` words of it are of what is done: none of "I will do this next week" is."""
    words = _LETTERS.findall(_due_words().sub(" ", text))
    return sum(word.casefold() not in _empty_words() for word in words) >= least


@cache
def _empty_words() -> frozenset[str]:
    return frozenset(shipped_words()["empty"].split())


def _row(record: Record, match: RuleMatch, who: str, voice: Voice, names: NameIndex) -> Row:
    entry: Any = record.entry

    def is_owner(name: str) -> bool:
        return name == who or names.find(name) == who

    first, last = _sentence(match, voice)
    while entry.content[first : first + 1].isspace():
        first += 1
    words = entry.content[first:last]
    return {
        "who": who or None,
        "by": voice.name,
        "text": clip(
            task_words(words, max(0, match.start - first), match.rule.name, is_owner), TEXT
        ),
        "words": clip(one_line(words), TEXT),
        "due": _find_due(words),
        "n": record.n,
        **time_row(entry.at, record),
        "cites": [[record.n, first, last]],
        "rule": match.rule.name,
    }
