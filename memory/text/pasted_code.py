"""What was pasted without a fence and is no prose: terminals, tracebacks, diffs, logs, data.

Rules by the beginnings of lines, each narrow: what is missed is read as prose, and what is
taken for code is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_TRACEBACK: Final = "Traceback (most recent call last)"
_DIFF: Final = "diff --git "
_POWERSHELL: Final = "PS "
_EXECUTED: Final = "exitcode: "
PASTED: Final = (
    _TRACEBACK,
    _DIFF,
    _POWERSHELL,
    _EXECUTED,
)  # with which a line of letters may begin code

_SHELL: Final = re.compile(r"\s*(?:\$ [A-Za-z.~/_]|PS [A-Za-z]:\\[^>\n]*>)")
_RAISED: Final = re.compile(r"\s*[A-Za-z_][\w.]*(?::|\s*$)")
_DIFF_LINE: Final = re.compile(
    r"[-+ \\]|@@ -|diff --git |index [0-9a-f]{4}|(?:new|deleted) file mode|similarity index|"
    r"rename (?:from|to) |old mode|new mode|Binary files"
)
_RAN: Final = re.compile(r"exitcode: -?\d+ \(execution \w+\)")
_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_LOG: Final = re.compile(
    r"\s*\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\S{0,6}\]?[ \t|:-]{1,4}"
    r"(?:\S{1,40}[ \t]+){0,3}?[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|"
    r"FATAL|CRITICAL)\b"
)
_DATA: Final = re.compile(r"\s*(?:[\"'{\[\]}]|-?\d|[A-Za-z_]\w*\"?\s*:|true\b|false\b|null\b|//)")
_CLOSED: Final = {"{": "}", "[": "]"}


def pasted_end(lines: Sequence[str], number: int) -> int:
    """The line behind the code that begins on line `number`; 0 where none does."""
    body = lines[number].lstrip()
    first = body[:1]
    if first in "{[" and body.rstrip() in ("{", "["):
        return _data_end(lines, number, first, _CLOSED[first])
    if first == "$" or body.startswith(_POWERSHELL):
        return _while(_SHELL, lines, number)
    if body.startswith(">>> "):
        return _blank(lines, number)
    if body.startswith(_EXECUTED) and _RAN.match(body):
        return len(lines)  # all that an executor tells is what the program printed
    if body.startswith(_TRACEBACK):
        return _traceback_end(lines, number)
    if body.startswith(_DIFF) or (first == "@" and _HUNK.match(body)):
        return _while(_DIFF_LINE, lines, number)
    if first.isdigit() or first == "[":
        end = _while(_LOG, lines, number)
        return end if end > number + 1 else 0
    return 0


def _while(pattern: re.Pattern[str], lines: Sequence[str], number: int) -> int:
    """The first line from `number` on that is not of `pattern`; 0 where that is `number`."""
    end = number
    while end < len(lines) and pattern.match(lines[end]):
        end += 1
    return end if end > number else 0


def _blank(lines: Sequence[str], number: int) -> int:
    end = number
    while end < len(lines) and lines[end].strip():
        end += 1
    return end


def _traceback_end(lines: Sequence[str], number: int) -> int:
    """The line behind the exception that ends a traceback."""
    end = number + 1
    while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
        end += 1
    return end + 1 if end < len(lines) and _RAISED.match(lines[end]) else end


def _data_end(lines: Sequence[str], number: int, opening: str, close: str) -> int:
    """The line behind data that opens with a bracket alone; 0 where it is not closed."""
    line = lines[number]
    indent = line[: len(line) - len(line.lstrip())]
    inside = (indent + " ", indent + "\t", indent + close)
    for end in range(number + 1, len(lines)):
        line = lines[end]
        if line.startswith(indent + close):
            return end + 1
        if line.startswith(indent + opening):
            return 0  # data within data is indented; and each line is read once
        if line.strip() and not _DATA.match(line) and not line.startswith(inside):
            return 0
    return 0
