"""Which lines of a text are code: what stands there is pasted, and begins no post."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

_FENCE: Final = re.compile(r"[ \t]{0,12}(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z")


def find_fenced(lines: Sequence[str], is_head: Callable[[str], bool]) -> list[bool]:
    """For every line, whether it stands within a fence of Markdown, the fence's own lines too.

    A fence that is never closed hides nothing. Models forget to close them, so that one
    is taken for open, too, where a line that `is_head` stands in it and the next
    fence after that line opens with a language. In linear time.
    """
    fenced = [False] * len(lines)
    opened, mark, has_head = -1, "", False
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opened < 0:
            if fence is not None:
                opened, mark, has_head = number, fence["mark"], False
        elif fence is None:
            has_head = has_head or is_head(line)
        elif fence["mark"][0] == mark[0] and len(fence["mark"]) >= len(mark):
            if not fence["info"].strip():
                fenced[opened : number + 1] = [True] * (number + 1 - opened)
                opened = -1
            elif has_head:
                opened, mark, has_head = number, fence["mark"], False
    return fenced
