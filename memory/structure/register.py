"""Whether talk is spoken, told from the lines themselves.

Speech that was written down has fillers and turns that only say "yeah"; typed talk has
links, votes, names of those addressed, marks. Each line leans one way by a whole number;
the sum of the newest lines settles it, once: what it said stays so. One automaton reads a
line: every line of a session may be asked until it is settled.
"""

from __future__ import annotations

from typing import Final

from memory.structure.state import Spoken
from memory.words.matching import compiled_set

_W: Final = r"\pL\pN_"  # what makes a word, in any script; RE2's own \w, \s, \b know ASCII alone
_S: Final = r"\s\v\x1c-\x1f\x{85}\pZ"
_MARKS: Final = (
    rf"://|\A[{_S}]*[^{_S}:]{{1,60}}[:+]|\A[{_S}]*[-+]?[01](?:[^{_W}]|\z)"
    rf"|\A[{_S}]*(?:(?-i:/me)|\.\.\.|…)"
    rf"|[<>{{}}`#@*\[\]=|\\]|:-?[)(]|[{_W}]/[{_W}]|\p{{Nd}}\.\p{{Nd}}"
)
_FILLER: Final = rf"(?:\A|[^{_W}])(?:um+|uh+|er|erm|mm+|hmm+)(?:[^{_W}]|\z)"
_LONE: Final = rf"\A[^{_W}]*(?:yeah|yep|yes|okay|ok|right|alright|mm+|mm-hmm|uh-huh|hmm+)[^{_W}]*\z"
_MATCH: Final = compiled_set((_MARKS, _FILLER, _LONE)).Match
_TYPED: Final = 0  # places in the set
_READ: Final = 400  # characters; a longer line leans neither way
_TYPED_SAYS: Final = -3
_SAYS: Final = (_TYPED_SAYS, 2, 1)  # by what is found
_WINDOW: Final = 50  # lines
# Of recorded meetings all reach 31 within the hour, and none that was typed passes 13.
_SPOKEN: Final = 18
_TYPED_FROM: Final = -24  # what no spoken meeting came near
# Lines after which talk that leans neither way is typed: of 758 places to begin at in
# recorded meetings, the worst took 127.
_PATIENCE: Final = 150


def leaning(text: str) -> int:
    """What one line says for speech; below 0 for typing."""
    if len(text) > _READ:  # nobody says so much in one turn, and few type it
        return 0
    found = _MATCH(text)
    if not found:
        return 0
    return _TYPED_SAYS if _TYPED in found else sum(_SAYS[place] for place in found)


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
