"""Shows of hands in the talk: a question with numbered answers, and who gave which. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.text.plain_text import clip, one_line

Row = dict[str, Any]

_LEAST: Final = 4  # people who answer: fewer than that may be counting something
_APART: Final = 6  # messages between two answers, beyond which it is over
_BEFORE: Final = 15  # messages before the first answer in which it is asked
_QUESTION: Final = 240
_ANSWER: Final = re.compile(r"\s*\[?([1-9]|[A-E])\]?\s*[.!)]?(?:\s\S{1,12}){0,2}\s*")
_ASKED: Final = re.compile(
    r"\b(?:straw[- ]?poll|poll|show of hands|vote for)\b[\s:–-]*", re.IGNORECASE
)


def find_polls(messages: Sequence[Record]) -> list[Row]:
    """Each with `question participant n last cites counts`: how many gave each answer, last words
    counting; those of a talk of which nobody said what they were about are none."""
    rows = []
    for run in _runs(messages):
        counts: dict[str, str] = {}
        for place, answer in run:
            entry: Any = messages[place].entry
            counts[entry.participant] = answer
        asked = _question(messages, run[0][0], {*counts.values()})
        if len(counts) >= _LEAST and asked is not None:
            rows.append({**_row(asked, sorted(counts.values())), "last": messages[run[-1][0]].n})
    return rows


def _runs(messages: Sequence[Record]) -> Iterator[list[tuple[int, str]]]:
    run: list[tuple[int, str]] = []
    for place, record in enumerate(messages):
        entry: Any = record.entry
        match = _ANSWER.fullmatch(entry.content) if len(entry.content) < 40 else None
        if match is None:
            continue
        if run and place - run[-1][0] > _APART:
            yield run
            run = []
        run.append((place, match[1]))
    if run:
        yield run


def _question(messages: Sequence[Record], first: int, answers: set[str]) -> Record | None:
    """The last message before that names most of the answers, or calls itself a poll."""
    for record in reversed(messages[max(0, first - _BEFORE) : first]):
        entry: Any = record.entry
        named = sum(
            bool(re.search(rf"(?<!\w)[\[(]?{answer}[\]).:]", entry.content)) for answer in answers
        )
        if _ASKED.search(entry.content) or named > 1:
            return record
    return None


def _row(record: Record, answers: Sequence[str]) -> Row:
    entry: Any = record.entry
    text = one_line(entry.content)
    mark = _ASKED.match(text)
    return {
        "question": clip(text[mark.end() :] if mark else text, _QUESTION).rstrip(),
        "participant": entry.participant,
        "n": record.n,
        "cites": [[record.n, 0, 0]],
        "counts": {answer: answers.count(answer) for answer in dict.fromkeys(answers)},
    }
