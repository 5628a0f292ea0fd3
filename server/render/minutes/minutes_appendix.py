"""What the minutes quote at their end, and how much of a page is evidence. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from parley.memory.text.plain_text import clip
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.minutes_sections import Section

Row = Mapping[str, Any]

_QUOTED: Final = 240  # characters of a message in the appendix
_WORD: Final = re.compile(r"\w+")
_MORE: Final = 12  # words of a message that its line has not
_FIFTH: Final = 0.2  # of the page, that is evidence
_VOICES: Final = frozenset({"for", "against", "abstaining"})
_AROUND: Final = 24  # characters of a quotation's number and lines, and of the heading over all


def cited_entries(lines: Sequence[Section]) -> list[int]:
    """The messages that some line links to, each once: what items rest on before voices on them."""
    top = [line for section in lines for line in section.lines]
    return [*dict.fromkeys(n for line in (*top, *_each(lines)) for n, *_ in line.cites)]


def appendix(report: Row, lines: Sequence[Section]) -> list[Row]:
    """The messages that the page quotes at its end, by number: of actions that say far less.

    With the notes on how items stand and what is said against them at most a fifth of the page.
    """
    room = _room(report, lines)
    told = {n for row in report["documents"] for n in (row["n"], *row["earlier"])}
    evidence = {row["n"]: row for row in report["evidence"] if row["n"] not in told}
    shown: dict[int, Row] = {}
    for line in (line for section in lines if section.columns for line in section.lines):
        for n in (n for n, *_ in line.cites if n in evidence and n not in shown):
            row = {**evidence[n], "text": clip(evidence[n]["text"], _QUOTED)}
            cost = len(row["text"]) + len(time_label(row)) + _AROUND
            if cost <= room and says_more(row["text"], line):
                shown[n] = row
                room -= cost
    return sorted(shown.values(), key=lambda row: int(row["n"]))


def evidence_share(report: Row, lines: Sequence[Section]) -> float:
    """How much of the page only shows what the rest rests on, by characters: notes on how an item
    stands, objections, numbers of messages, quotations."""
    quotes = appendix(report, lines)
    quoted = sum(len(row["text"]) + len(time_label(row)) + _AROUND for row in quotes)
    body, shown = _sizes(report, lines)
    return (shown + quoted) / (body + quoted)


def _room(report: Row, lines: Sequence[Section]) -> float:
    body, shown = _sizes(report, lines)
    return (_FIFTH * body - shown) / (1 - _FIFTH)


def _sizes(report: Row, lines: Sequence[Section]) -> tuple[int, int]:
    """Characters of the page without its appendix, and of what of them is evidence."""
    body = sum(map(len, (title(report), *heading_lines(report), lead_paragraph(report))))
    body += sum(len(section.heading + section.about) for section in lines)
    shown = 0
    for line in _each(lines):
        shown += len(line.note) if line.of == "item" else 0
        shown += len(line.text + line.mark) if line.mark in _VOICES else 0
        body += len(line.text + line.mark + line.note)
    return body, shown


def says_more(text: str, line: Line) -> bool:
    """Whether a message has much that `line` has not: its mark is not much."""
    told = {*_words(f"{line.text} {line.mark}")}
    left = [word for word in _words(text) if word not in told]
    return len(left) > _MORE


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _each(lines: Sequence[Section]) -> Iterator[Line]:
    """Every line of the page, from the top."""
    waiting = [line for section in lines for line in section.lines][::-1]
    while waiting:
        line = waiting.pop()
        yield line
        waiting += line.under[::-1]


def time_label(row: Row) -> str:
    """Who said a piece of evidence, and when; a time that no sender gave is marked."""
    at = f"received {row['at']}" if row["at_from"] == "receipt" else row["at"]
    return ", ".join(str(part) for part in (row["participant"] or row["kind"], at) if part)
