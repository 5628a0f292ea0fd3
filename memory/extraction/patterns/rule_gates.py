"""Which rules may occur in a text: asked of every message, so it must cost next to nothing.

One automaton for all languages would be too large to be fast: it would be built
anew for ever. So each language has its own, and text that cannot be in it is not
searched for it: letters of another script, or none of the words that its
sentences are made of. Those words are asked in the one pass that all text gets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import re2

from parley.memory.extraction.patterns.pattern_packs import Pack, Rule
from parley.memory.extraction.patterns.regular_expressions import compile_pattern_set

_SCRIPTS: Final = ("he", "ja", "zh")
_BEYOND: Final = "\u0590"  # the first letter of those scripts
_SHORT: Final = 40  # characters; "Bin dafür", "ok, vamos" hold no word that tells the language
_SPACE: Final = r"[\s\v\x1c-\x1f]"  # as `str.split` has it, of ASCII
_NONE: Final[list[int]] = []
_AT_ONCE: Final = 5_000  # instructions of brought patterns in an automaton: compiled in 2 ms


class PatternSearch:
    """One automaton that tells which of its rules may occur in a text.

    Compiled when it is first asked: most talk is in a language or two. Packs are measured
    before they are read with, so it is never too large to be compiled.
    """

    __slots__ = ("_match", "_patterns", "is_heavy", "numbers")

    def __init__(self, rules: Sequence[tuple[int, str]], *, is_heavy: bool = False) -> None:
        """`rules` with their numbers; `is_heavy` where they take long to compile."""
        self.numbers = tuple(number for number, _ in rules)
        self._patterns, self.is_heavy = tuple(pattern for _, pattern in rules), is_heavy
        self._match: Callable[[str | bytes], Any] | None = None

    def compile(self) -> Callable[[str | bytes], Any]:
        """What tells the places of those that occur, None for none."""
        if self._match is None:
            self._match = compile_pattern_set(self._patterns).Match
        return self._match

    def add_hits(self, text: str | bytes, hits: list[int]) -> list[int]:
        """`hits`, and the numbers of what else occurs in `text`."""
        matches = (self._match or self.compile())(text)
        return [*hits, *map(self.numbers.__getitem__, matches)] if matches else hits


def split_rules(
    rules: Iterable[tuple[int, str]], weights: Mapping[int, int]
) -> list[PatternSearch]:
    """Automata that have all of `rules`, none with many of the instructions of `weights`.

    One, where no rule weighs anything.
    """
    parts: list[list[tuple[int, str]]] = [[]]
    sizes = [0]
    for number, pattern in rules:
        weight = weights.get(number, 0)
        if parts[-1] and sizes[-1] + weight > _AT_ONCE:
            parts.append([])
            sizes.append(0)
        parts[-1].append((number, pattern))
        sizes[-1] += weight
    return [
        PatternSearch(part, is_heavy=size > 0)
        for part, size in zip(parts, sizes, strict=True)
        if part
    ]


class RuleGate:
    """Tells which of `marks` (numbers from 0) and of the rules (numbers after) may occur."""

    __slots__ = ("_hinted", "_more", "_near", "_numbers", "_rules", "_scripts")

    def __init__(
        self,
        marks: Sequence[str],
        rules: Sequence[tuple[Pack, Rule]],
        weights: Sequence[int] = (),
    ) -> None:
        """`rules` with their pack each, in the order that numbers them.

        `weights`: of each the instructions of RE2 that it is compiled to, where a session
        brings it; 0 for what this process knows.
        """
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
        weigh = dict(enumerate(weights, len(marks)))
        first, *self._more = split_rules([*hints, *near], weigh)
        self._numbers, self._near = first.numbers, first.compile()
        self._scripts = [each for own in scripts.values() for each in split_rules(own, weigh)]
        self._hinted = [split_rules(own, weigh) for own in hinted.values()]

    def compile(self) -> Iterator[None]:
        """Compile what takes long, an automaton at a step."""
        for search in (*self._more, *self._scripts, *chain.from_iterable(self._hinted)):
            if search.is_heavy:
                search.compile()
                yield

    def hits(self, text: str) -> list[int]:
        """The numbers of what occurs in `text`, ascending; [] for nearly all plain talk."""
        matches = self._near(text)
        if not matches and not self._more and len(text) > _SHORT and text.isascii():
            return _NONE
        hits = [self._numbers[each] for each in matches or _NONE]
        for search in self._more:
            hits = search.add_hits(text, hits)
        languages: Iterable[list[PatternSearch]] = self._hinted
        if not text.isascii():
            for search in self._scripts:
                hits = search.add_hits(text, hits)
        elif len(text) > _SHORT:
            languages = [self._hinted[hit - self._rules] for hit in hits if hit >= self._rules]
        for search in chain.from_iterable(languages):
            hits = search.add_hits(text, hits)
        return sorted(hit for hit in hits if hit < self._rules)


def _hint(words: str) -> str:
    """What tells in the same pass that `text` may be in the language of these hints."""
    return rf"(?:\A|{_SPACE})(?:{'|'.join(map(re2.escape, words.split()))})(?:{_SPACE}|\z)"
