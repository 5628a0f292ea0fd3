"""What somebody said they, or somebody else, would do: candidates, found by wording. Pure.

The rules are a pattern pack of their own, `server/data/actions.json`, and heed the same
guards as those of the talk: questions, negation, quotations, conditions.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.extraction.patterns.clauses import PreparedText
from parley.memory.extraction.patterns.guards import GuardJudge, RuleMatch
from parley.memory.extraction.patterns.pattern_packs import Pack, parse_pack
from parley.memory.extraction.patterns.regular_expressions import PatternFinder, compile_pattern_set
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.server.minutes.attribution import Voice
from parley.server.minutes.decided_words import DecidedTerms
from parley.server.minutes.mentions import NameIndex
from parley.server.minutes.sentence_words import READ
from parley.server.rows.entry_times import time_row

MOST: Final = 50
TEXT: Final = 240
_LEAD: Final = " \t-*•>@"
_WILL: Final = re.compile(r"will\b", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\s,:;()]+")
_LEAST: Final = 2  # words of a sentence that tells what the next one is about
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_STOP: Final = re.compile(r"[.!?;:]\s+(?=\S)|\n+")
_NAME: Final = r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}"
_TO: Final = re.compile(rf"\s*@?({_NAME}(?:(?:,| and|, and) {_NAME}){{0,3}}) to [a-z]")
_MARK: Final = re.compile(r"^\W*(?:action(?: item)?|todo|ai)\s*(?:#?\d+)?\s*:\s*", re.IGNORECASE)
_BRACKETED: Final = re.compile(rf"\(({_NAME}(?:(?:,| and|, and) {_NAME}){{0,3}})\)[.\s]*$")

Row = dict[str, Any]


def find_actions(
    memory: Memory, messages: Iterable[Record], voices: Mapping[int, Voice], decided: DecidedTerms
) -> tuple[list[Row], int]:
    """The newest candidates, oldest first, and how many older ones are left out.

    `voices` tells whose words each of the `messages` is.
    """
    names, reader = NameIndex(memory), promises()
    rows: deque[Row] = deque(maxlen=MOST)
    count = 0
    for record in messages:
        for row in reader.read(record, names, voices[record.n]):
            count += 1
            rows.append(row)
    shown = [{**row, "decision": decided.near(row["text"], row["n"])} for row in rows]
    return shown, count - len(rows)


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
            row = None if who is None else _told(_row(record, match, who, voice), record, voice)
            if who is not None and row is not None:
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
    tree = _shipped_words()
    lists = {name: tree[name] for name in ("doing", "asking", "talking", "adverbs")}
    words = {f"<{name}>": "|".join(re.split(r" +", phrases)) for name, phrases in lists.items()}
    words["<condition>"] = tree["condition"]
    for rule in tree["pack"]["rules"]:
        for key in ("pattern", "before", "after", "within"):
            for name, alternatives in words.items():
                if key in rule:
                    rule[key] = rule[key].replace(name, alternatives)
    return parse_pack(tree["pack"])


def _shipped_words() -> Any:
    return json.loads((resources.files("parley.server") / "data/actions.json").read_text("utf-8"))


@cache
def _due_words() -> re.Pattern[str]:
    return re.compile(_shipped_words()["due"], re.IGNORECASE)


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
        rest = script.text[match.end - 1 : last]
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


def _task(sentence: str, match: RuleMatch, who: str) -> str:
    """What is to be done, where a mark and its owner say no more than `who`: "create the page"."""
    if match.rule.name not in ("marked", "listed"):
        return sentence
    task = _MARK.sub("", sentence)
    owner = _TO.match(task)
    return task[owner.end() - 1 :] if owner and owner[1] == who else task


def _told(row: Row, record: Record, voice: Voice) -> Row | None:
    """`row` where its words say what is to be done; else behind the sentence before them, which
    may; None where neither does.
    """
    if says_something(row["text"]):
        return row
    entry: Any = record.entry
    before = entry.content[voice.start : row["cites"][0][1]].rstrip()
    first = max((match.end() for match in _STOP.finditer(before)), default=0)
    lead = one_line(before[first:])
    if not says_something(lead, _LEAST):
        return None
    return {**row, "text": clip(f"{lead} {row['text']}", TEXT)}


def says_something(text: str, least: int = 1) -> bool:
    """Whether `least` words of it are of what is done: none of "I will do this next week" is."""
    words = _LETTERS.findall(_due_words().sub(" ", text))
    return sum(word.casefold() not in _empty_words() for word in words) >= least


@cache
def _empty_words() -> frozenset[str]:
    return frozenset(_shipped_words()["empty"].split())


def _row(record: Record, match: RuleMatch, who: str, voice: Voice) -> Row:
    entry: Any = record.entry
    first, last = _sentence(match, voice)
    while entry.content[first : first + 1].isspace():
        first += 1
    return {
        "who": who or None,
        "by": voice.name,
        "text": clip(_task(one_line(entry.content[first:last]), match, who), TEXT),
        "due": _find_due(entry.content[first:last]),
        "n": record.n,
        **time_row(entry.at, record),
        "cites": [[record.n, first, last]],
        "rule": match.rule.name,
    }
