r"""Patterns as far as they can match in ASCII: a fortieth of the work to compile.

RE2 spells out each class of Unicode (`\pL`) in every pattern that has it; of plain English talk
nothing but its ASCII members can occur.
"""

from __future__ import annotations

import re
from typing import Final

_MEMBERS: Final = {
    "L": "a-zA-Z", "N": "0-9", "{Lu}": "A-Z", "{Ll}": "a-z",
    r"P\pS": r"!-/:-@\[-`{-~",  # all that is no letter, digit or space
}  # fmt: skip
_STEP: Final = re.compile(r"\\p(P\\pS|\{\w+\}|\w)|\\.|\[|\]", re.DOTALL)


def ascii_pattern(pattern: str) -> str:
    r"""What matches in ASCII text as `pattern` does. Raises `KeyError` for a class that no cue has.

    `\pP` and `\pS` are known beside each other alone.
    """
    in_class = False

    def written(step: re.Match[str]) -> str:
        nonlocal in_class
        if step[0] in "[]":
            in_class = step[0] == "["
        elif step[1]:
            members = _MEMBERS[step[1]]
            return members if in_class else f"[{members}]"
        return step[0]

    return _STEP.sub(written, pattern)
