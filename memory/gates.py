"""Which rules may occur in a text: asked of every message, so it must cost next to nothing.

One automaton for all languages would be too large to be fast: it would be built
anew for ever. So each language has its own, and text that cannot be in it is not
searched for it: letters of another script, or none of the words that its
sentences are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from memory.patterns import Pack, Rule, compiled_set

_SCRIPTS: Final = ("he", "ja", "zh")
_BEYOND: Final = "\u0590"  # the first letter of those scripts
_SHORT: Final = 40  # characters; "Bin dafür", "ok, vamos" hold no word that tells the language
_NONE: Final[list[int]] = []

_Search = tuple[tuple[int, ...], Callable[[str], Any]]  # numbers of its rules, the automaton


class Gate:
    """Tells which of `marks` (numbers from 0) and of the rules (numbers after) may occur."""

    __slots__ = ("_hinted", "_hints", "_near", "_scripts")

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
        self._near = _search(near)
        self._scripts = [_search(own) for own in scripts.values()]
        self._hinted = [(frozenset(words.split()), _search(own)) for words, own in hinted.items()]
        self._hints = frozenset[str]().union(*(words for words, _ in self._hinted))

    def hits(self, text: str) -> list[int]:
        """The numbers of what occurs in `text`, ascending; [] for nearly all plain talk."""
        hits = _found(self._near, text, _NONE)
        if not text.isascii():
            for search in self._scripts:
                hits = _found(search, text, hits)
            for _, search in self._hinted:
                hits = _found(search, text, hits)
        elif len(text) <= _SHORT:
            for _, search in self._hinted:
                hits = _found(search, text, hits)
        elif not self._hints.isdisjoint(words := text.lower().split()):
            for hints, search in self._hinted:
                if not hints.isdisjoint(words):
                    hits = _found(search, text, hits)
        return sorted(hits)


def _search(rules: Iterable[tuple[int, str]]) -> _Search:
    numbers, patterns = zip(*rules, strict=True)
    return numbers, compiled_set(patterns).Match


def _found(search: _Search, text: str, hits: list[int]) -> list[int]:
    """`hits` and what else occurs in `text`."""
    found = search[1](text)
    return [*hits, *map(search[0].__getitem__, found)] if found else hits
