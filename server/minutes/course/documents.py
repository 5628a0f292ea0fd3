"""What was drawn up in the talk: a document with a title and its points, as agents hand one over.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.text.plain_text import clip, one_line
from parley.server.minutes.words.sentence_words import topic_words

Row = dict[str, Any]

_MOST: Final = 2  # documents, the last
_POINTS: Final = 8  # of a document
_POINT: Final = 320  # characters of a point
_LEAST: Final = 3  # points, below which it is a message with a list in it
_TITLE: Final = re.compile(
    r"\s*(?:#{1,4}\s+|\*\*)\s*(?:(?:final )?(?:output|result|deliverable|document)\s*[:–-]\s*)?"
    r"(?P<title>[^*#\n]{4,120}?)[\s*#:]*$",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?:proposal|plan|document|agreement|charter|policy|budget|report|specification|summary"
    r"|resolution|agenda|schedule|roadmap|brief|recommendations?|design|draft|decisions?)\b",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?P<indent>\s*)(?:[-*•]|\d{1,2}[.)])\s+(?P<text>\S.*)")
_MARKS: Final = re.compile(r"\*\*|__|`")
_THESE: Final = re.compile(r"\b(?:these|those|this) ((?:[a-z]+ )?[a-z]{4,})\b")
_UNTIL: Final = re.compile(r" (?:with|which|that|by|through) ")
_TAKEN: Final = 2  # of five: the share of its words that a suggestion finds again in a document
_SHARED: Final = 3  # and how many at least
_LOOSE: Final = 2
_ROOT: Final = 5  # letters of a word that tell it from others


def find_documents(messages: Sequence[Record]) -> list[Row]:
    """The last of them, oldest first; of one that was drawn up again, the last form.

    Each has `title participant n points cites earlier`: `earlier` are the entries of forms before.
    """
    documents: list[Row] = []
    for record in messages:
        row = _read(record)
        if row is None:
            continue
        stems = {*topic_words(row["title"])}
        for before in [*documents]:
            shared = stems & {*topic_words(before["title"])}
            if 2 * len(shared) >= len(stems) > 0:
                row["earlier"] = [*before["earlier"], before["n"]]
                documents.remove(before)
        documents.append(row)
    return documents[-_MOST:]


def taken_up(text: str, n: int, documents: Sequence[Row], *, loose: bool = False) -> int | None:
    """The document after entry `n` that has the words of a suggestion, a few where `loose`; None
    for none."""
    stems = _roots(text)
    for row in documents:
        told = _roots(" ".join((row["title"], *row["whole"])))
        shared = len(stems & told)
        enough = _LOOSE if loose else max(_SHARED, _TAKEN * len(stems) / 5)
        if row["n"] > n and shared >= enough:
            return int(row["n"])
    return None


def explain(text: str, documents: Sequence[Row]) -> str:
    """`text` with what "these …" in it are for, in brackets, where a document says so."""
    match = _THESE.search(text)
    for row in documents:
        if match is None:
            break
        told = re.search(rf"\b{re.escape(match[1])} (for [^.,;()]+)", " ".join(row["whole"]))
        if told:
            return f"{text[: match.end()]} ({_UNTIL.split(told[1])[0]}){text[match.end() :]}"
    return text


def _roots(text: str) -> set[str]:
    """Its words without their endings: "evaluate" and "evaluation" are one."""
    return {stem[:_ROOT] for stem in topic_words(text)}


def _read(record: Record) -> Row | None:
    entry: Any = record.entry
    lines = [line for line in entry.content.split("\n") if line.strip()]
    title = _TITLE.match(lines[0]) if len(lines) > _LEAST else None
    if title is None or not _NAMED.search(title["title"]):
        return None
    points = _points(lines[1:])
    if len(points) < _LEAST:
        return None
    return {
        "title": one_line(title["title"]),
        "participant": entry.participant,
        "n": record.n,
        "cites": [[record.n, 0, 0]],
        "points": [clip(point, _POINT) for point in points[:_POINTS]],
        "whole": points,
        "earlier": [],
    }


def _points(lines: Sequence[str]) -> list[str]:
    """The first level of its list, each with what stands further in behind it."""
    points: list[list[str]] = []
    level: int | None = None
    for line in lines:
        if (item := _ITEM.match(line)) is None:
            continue
        depth = len(item["indent"].expandtabs(4))
        level = depth if level is None else level
        text = one_line(_MARKS.sub("", item["text"]))
        if depth <= level or not points:
            points.append([text])
        else:
            points[-1].append(text)
    return [_joined(parts) for parts in points]


def _joined(parts: Sequence[str]) -> str:
    head, rest = parts[0], "; ".join(part.rstrip(".") for part in parts[1:])
    return f"{head} {rest}" if rest else head
