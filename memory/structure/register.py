"""Whether talk is spoken, told from the lines themselves.

Speech that was written down has fillers and turns that only say "yeah"; typed talk has
links, votes, names of those addressed, marks. Each line leans one way by a whole number;
the sum of the newest lines settles it, once: what it said stays so.
"""

from __future__ import annotations

import re
from typing import Final

from memory.structure.state import Spoken

_FILLER: Final = re.compile(r"\b(?:um+|uh+|er|erm|mm+|hmm+|mm-hmm|uh-huh)\b", re.IGNORECASE)
_LONE: Final = re.compile(
    r"\W*(?:yeah|yep|yes|okay|ok|right|alright|mm+|mm-hmm|uh-huh|hmm+)\W*$", re.IGNORECASE
)
_TYPED: Final = re.compile(
    r"://|^\s*[^\s:]{1,60}[:+]|^\s*[-+]?[01]\b|^\s*(?:/me|\.\.\.|…)"
    r"|[<>{}`#@*\[\]=|\\]|:-?[)(]|\w/\w|\d\.\d"
)
_READ: Final = 500  # characters of a line
_TYPED_SAYS: Final = -3
_FILLER_SAYS: Final = 2
_WINDOW: Final = 50  # lines
# Of recorded meetings all reach 31 within the hour, and none that was typed passes 13.
_SPOKEN: Final = 18
_TYPED_FROM: Final = -24  # what no spoken meeting came near
_PATIENCE: Final = 300  # lines after which talk that leans neither way is typed


def leaning(text: str) -> int:
    """What one line says for speech; below 0 for typing."""
    text = text[:_READ]
    if _TYPED.search(text):
        return _TYPED_SAYS
    return _FILLER_SAYS * bool(_FILLER.search(text)) + bool(_LONE.match(text))


def lean(held: Spoken, text: str) -> None:
    """Count one more line, and settle the register where the newest lines have."""
    held.leant += 1
    held.leaning.append(leaning(text))
    del held.leaning[:-_WINDOW]
    total = sum(held.leaning)
    if total >= _SPOKEN:
        held.settled = "spoken"
    elif total <= _TYPED_FROM or held.leant >= _PATIENCE:
        held.settled = "typed"
    if held.settled:
        held.leaning, held.leant = [], 0
