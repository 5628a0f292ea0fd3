"""The rows of a model's answer, as many as can be read of it. Pure.

Asked for {"rows": [...]}, models answer with a bare list, a line a row, several lists by kind,
a code fence, or words around any of these; some are cut off within a row. Every whole row of all
that is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.listeners.models.reasoning import strip_reasoning

MOST_CHARS: Final = 200_000  # of an answer that are looked at
_TRIES: Final = 4_000  # braces that an object may begin at
_KEY: Final = re.compile(r'"(\w{1,40})"\s*:\s*\[\s*\Z')
_BEFORE: Final = 60  # characters before a row that may name its list
_MARKS: Final = frozenset(
    {"n", "quote", "of", "ref", "target", "targets", "handle", "message", "q", "is", "label"}
)  # keys of rows
_DEEPEST: Final = 4
_BRACKET: Final = re.compile(r'"(?:\\.|[^"\\])*"|[][{}]', re.DOTALL)  # or a string
_DEPTHS: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
_PLAIN_LIST: Final = re.compile(r"\{\s*\"rows\"\s*:\s*\[\s*\]\s*\}|\A\s*\[\s*\]\s*\Z")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The rows in the order they came, each with its kind as `is` if only its list says it.

    `whole` is False if the text breaks off. `found` is False if it holds no answer at all: neither
    rows nor an empty list.
    """

    rows: tuple[Row, ...]
    whole: bool
    found: bool


def read_rows(text: str) -> AnswerRows:
    """The rows of `text`."""
    text = strip_reasoning(text)[:MOST_CHARS].strip()
    rows = tuple(_rows(text))
    found = bool(rows) or _PLAIN_LIST.search(text) is not None or _is_empty_object(text)
    return AnswerRows(rows, _is_closed(text), found)


def _is_closed(text: str) -> bool:
    """True if every bracket outside of strings is closed."""
    depth = 0
    for token in _BRACKET.finditer(text):
        depth += _DEPTHS.get(token[0], 0)
    return depth <= 0


def _is_empty_object(text: str) -> bool:
    """True for an object whose lists are all empty."""
    start = text.find("{")
    if start < 0:
        return False
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    return bool(value) and all(each == [] for each in value.values())


_DECODER: Final = json.JSONDecoder(strict=False)  # models put line feeds into strings as they are


def _rows(text: str) -> Iterator[Row]:
    start, end, kind = text.find("{"), 0, ""
    for _ in range(_TRIES):
        if start < 0:
            return
        if not text[end:start].strip(", \n\t\r"):
            key = None  # another one of the same list
        elif (key := _KEY.search(text, max(0, start - _BEFORE), start)) is None:
            kind = ""
        kind = key[1] if key else kind
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1  # an object that is cut or broken: whole ones may stand within
        else:
            yield from _flat(replace_lone_surrogates(value), kind, 0)
        start = text.find("{", end)


def _flat(value: Any, kind: str, depth: int) -> Iterator[Row]:
    """The rows within `value`, which stands in the list named `kind`."""
    if isinstance(value, list):
        for each in value:
            yield from _flat(each, kind, depth + 1)
    elif isinstance(value, dict) and depth <= _DEEPEST:
        if _MARKS & value.keys():
            yield value if "is" in value else {**value, "is": value.get("label", kind)}
        else:
            for key, each in value.items():
                yield from _flat(each, str(key), depth + 1)
