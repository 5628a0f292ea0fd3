"""Which rules may occur in a text: asked of every message, so it must cost next to nothing.

One automaton knows the marks and the rules of every language written in ASCII
or near it. Those of other scripts have one each, asked only of text that is not
ASCII: together they would be too large to be fast, and plain talk pays for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.patterns import Rule, compiled_set

_APART: Final = ("he", "ja", "zh")
_BEYOND: Final = "\u0590"  # the first letter of those scripts
_NONE: Final[list[int]] = []


class Gate:
    """Tells which of `marks` (numbers from 0) and of the rules (numbers after) may occur."""

    __slots__ = ("_apart", "_near", "_numbers")

    def __init__(self, marks: Sequence[str], rules: Sequence[tuple[str, Rule]]) -> None:
        """`rules` with their language each, in the order that numbers them."""
        near = [*enumerate(marks)]
        apart: dict[str, list[tuple[int, str]]] = {}
        for number, (language, rule) in enumerate(rules, len(marks)):
            far = language in _APART and max(rule.pattern) >= _BEYOND
            (apart.setdefault(language, []) if far else near).append((number, rule.pattern))
        self._numbers = tuple(number for number, _ in near)
        self._near = compiled_set(tuple(pattern for _, pattern in near)).Match
        self._apart = [
            (tuple(number for number, _ in own), compiled_set(tuple(each for _, each in own)).Match)
            for own in apart.values()
        ]

    def hits(self, text: str) -> list[int]:
        """The numbers of what occurs in `text`, ascending; [] for nearly all plain talk."""
        found = self._near(text)
        if text.isascii() or not self._apart:
            return _NONE if not found else sorted(map(self._numbers.__getitem__, found))
        hits = [self._numbers[each] for each in found or ()]
        for numbers, match in self._apart:
            hits += [numbers[each] for each in match(text) or ()]
        return sorted(hits)
