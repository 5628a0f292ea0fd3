"""Messages that nobody wrote as prose: forms that were filled in, and what runs of code came to."""

from __future__ import annotations

import re
from typing import Final

from parley.memory.text.plain_text import clip, one_line

_READ: Final = 20_000  # characters of one message
_FIELD: Final = re.compile(
    r"""["'](?P<name>[^"'{}\n]{1,60})["']\s*:\s*"""
    r"""["'](?P<value>.{0,600}?)["']\s*(?=[,}\]]\s*(?:["'}]|$))"""
)
_RUN: Final = re.compile(r"\s*(exit ?code: ?(\d+)[^\n]{0,80})", re.IGNORECASE)
_OUTPUT: Final = re.compile(r"(?:code )?output:?$|traceback\b", re.IGNORECASE)
_RUN_CHARS: Final = 120
_SHORT_FIELD: Final = 80  # characters


def is_form(content: str) -> bool:
    """True of a message that is one object of data, a form that somebody filled in."""
    return content.lstrip().startswith(("{", "[{"))


def form_words(content: str) -> str:
    """The fields of a form, "name: value", short ones first; "" where it has none."""
    fields = [(pair["name"], one_line(pair["value"])) for pair in _FIELD.finditer(content[:_READ])]
    filled = [f"{name}: {value}" for name, value in fields if value]
    return "; ".join(sorted(filled, key=lambda field: len(field) > _SHORT_FIELD))


def is_run(content: str) -> bool:
    """True of a message that gives what a run of code came to."""
    return _RUN.match(content) is not None


def run_words(content: str) -> str:
    """What a run came to: its first line with the last of its output where it failed, else with
    the first of it.
    """
    match = _RUN.match(content)
    if match is None:
        return ""
    lines = [line.strip() for line in content[match.end() : _READ].splitlines()]
    output = [line for line in lines if line and not _OUTPUT.match(line)]
    told = "" if not output else output[-1] if match[2] != "0" else output[0]
    words = one_line(match[1])
    return f"{words}: {clip(told, _RUN_CHARS)}" if told else words
