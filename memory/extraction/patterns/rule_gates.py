"""Which rules may occur in a text: asked of every message, so it must cost next to nothing.

One automaton for all languages would be too large to be fast: it would be built
anew for ever. So each language has its own, and text that cannot be in it is not
searched for it: letters of another script, or none of the words that its
sentences are made of. Those words are asked in the one pass that all text gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import re2

from parley.memory.extraction.patterns.pattern_packs import Pack, Rule
from parley.memory.extraction.patterns.regular_expressions import compile_pattern_set

_SCRIPTS: Final = ("he", "ja", "zh")
_BEYOND: Final = "\u0590"  # the first letter of those scripts
_SHORT: Final = 40  # characters; "Bin dafür", "ok, vamos" hold no word that tells the language
_SPACE: Final = r"[\s\v\x1c-\x1f]"  # as `str.split` has it, of ASCII
_NONE: Final[list[int]] = []

_Search = tuple[tuple[int, ...], Callable[[str], Any]]  # numbers of its rules, the automaton


class RuleGate:
    """Tells which of `marks` (numbers from 0) and of the rules (numbers after) may occur."""

    __slots__ = ("_hinted", "_near", "_rules", "_scripts")

    def __init__(self, marks: Sequence[str], rules: Sequence[tuple[Pack, Rule]]) -> None:
        """`rules` with their pack each, in the order that numbers them."""
        near = [*enumerate(marks)]
        scripts: dict[str, list[tuple[int, str]]] = {}
        hinted: dict[str, list[tuple[int, str]]] = {}
        for number, (pack, rule) in enumerate(rules, len(marks)):
            if pack.language in _SCRIPTS and max(rule.pattern) >= _BEYOND:
                own = scripts.setdefault(pack.language, [])
            else:
                own = hinted.setdefault(pack.hints, []) if pack.hints else near
            own.append((number, rule.pattern))
        self._rules = len(marks) + len(rules)
        hints = enumerate(map(_hint, hinted), self._rules)
        self._near = _search([*near, *hints])
        self._scripts = [_search_lazily(own) for own in scripts.values()]
        self._hinted = [_search_lazily(own) for own in hinted.values()]

    def hits(self, text: str) -> list[int]:
        """The numbers of what occurs in `text`, ascending; [] for nearly all plain talk."""
        numbers, search_near = self._near
        matches = search_near(text)
        if not matches and len(text) > _SHORT and text.isascii():
            return _NONE
        hits = [numbers[each] for each in matches or _NONE]
        languages: Iterable[_Search] = self._hinted
        if not text.isascii():
            for search in self._scripts:
                hits = _add_hits(search, text, hits)
        elif len(text) > _SHORT:
            languages = [self._hinted[hit - self._rules] for hit in hits if hit >= self._rules]
        for search in languages:
            hits = _add_hits(search, text, hits)
        return sorted(hit for hit in hits if hit < self._rules)


def _hint(words: str) -> str:
    """What tells in the same pass that `text` may be in the language of these hints."""
    return rf"(?:\A|{_SPACE})(?:{'|'.join(map(re2.escape, words.split()))})(?:{_SPACE}|\z)"


def _search(rules: Iterable[tuple[int, str]]) -> _Search:
    numbers, patterns = zip(*rules, strict=True)
    return numbers, compile_pattern_set(patterns).Match


def _search_lazily(rules: Iterable[tuple[int, str]]) -> _Search:
    """`_search`, compiled when it is first asked: most talk is in a language or two.

    Packs are measured before they are read with, so it is never too large to be compiled.
    """
    numbers, patterns = zip(*rules, strict=True)
    compiled: list[Callable[[str], Any]] = []

    def search(text: str) -> Any:
        if not compiled:
            compiled.append(compile_pattern_set(patterns).Match)
        return compiled[0](text)

    return numbers, search


def _add_hits(search: _Search, text: str, hits: list[int]) -> list[int]:
    """`hits` and what else occurs in `text`."""
    matches = search[1](text)
    return [*hits, *map(search[0].__getitem__, matches)] if matches else hits
