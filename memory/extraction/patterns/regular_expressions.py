"""Patterns at work: only RE2 matches them here, so that no text and no pattern is slow. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, cast

import re2

from parley.memory.errors import BadPattern

MAX_PLACES: Final = 64  # of one pattern in one message; RE2 alone is quadratic over all of them
_PATTERN_BYTES: Final = 8 << 20  # for the automata of one pattern: refused in 40 ms beyond that
_MEASURED_BYTES: Final = 1 << 19  # for the automata of one that is measured: refused in 2 ms
_SET_BYTES: Final = 64 << 20  # 8 MiB refuses sets of some hundred patterns
# of the patterns kept compiled, 110 bytes each; all that are shipped have 446,000
KEPT_INSTRUCTIONS: Final = 600_000


def _re2_options(size: int = _PATTERN_BYTES) -> Any:
    """RE2 options for every pattern here: quiet, blind to case, `size` bytes for its automata."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    options.max_mem = size
    return options


class _Kept:
    """The size of what `compile_kept` keeps."""

    instructions = 0


@lru_cache(maxsize=8192)
def compile_kept(pattern: str) -> Any:
    """`pattern` as an RE2 regular expression, kept up to `KEPT_INSTRUCTIONS` in a process."""
    compiled = _compile(pattern)
    _Kept.instructions += compiled.programsize
    if _Kept.instructions > KEPT_INSTRUCTIONS:
        compile_kept.cache_clear()
        _Kept.instructions = compiled.programsize
    return compiled


def compile_pattern(pattern: str, rule: str) -> Any:
    """`compile_kept`. Raises `BadPattern`, naming `rule`."""
    try:
        return compile_kept(pattern)
    except re2.error as error:
        reason = error.args[0]
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        hint = "; RE2 has no look-around and no back-references" if "perl" in text else ""
        raise BadPattern(rule, f"RE2 refuses it: {text[:120]}{hint}") from None


def _compile(pattern: str, size: int = _PATTERN_BYTES) -> Any:
    try:
        return re2.compile(pattern, _re2_options(size))
    finally:
        re2.purge()  # its own cache keeps 128 patterns, of whatever size


def measure_pattern(pattern: str) -> int | None:
    """The instructions of RE2 that `pattern` comes to, 30,000 at most; None where they are more.

    0 for what RE2 refuses for another reason. Takes 10 ms at most, and keeps nothing.
    """
    try:
        return int(_compile(pattern, _MEASURED_BYTES).programsize)
    except re2.error as error:
        return None if "too large" in str(error) else 0


class PatternFinder:
    """One pattern and where it occurs: 64 places at most, so that any text is linear.

    Compiled at its first use: of hundreds that a process knows most talk needs a few.
    """

    __slots__ = ("_compiled", "_groups", "_pattern", "_rule")

    def __init__(self, pattern: str, rule: str = "tag") -> None:
        self._pattern, self._rule = pattern, rule
        self._compiled: Any = None
        self._groups: dict[str, int] = {}

    def each(self, subject: str | bytes) -> Iterator[Any]:
        """The first 64 matches, in order. Raises `BadPattern` for what RE2 refuses."""
        if self._compiled is None:
            self._compiled = compile_pattern(self._pattern, self._rule)
            self._groups = self._compiled.groupindex
        return islice(self._compiled.finditer(subject), MAX_PLACES)

    def span(self, match: Any, group: str) -> tuple[int, int]:
        """Where a named group matched, (-1, -1) for nowhere; re2's `span` takes numbers only."""
        number = self._groups.get(group)
        start, end = match.span(number) if number else (-1, -1)
        return int(start), int(end)


class RarePattern:
    """A pattern that few texts have: a set says so at a fifth of what a search costs.

    Searched only where the set says that it is there; the same matches as `compile_pattern`'s.
    """

    __slots__ = ("_begins", "_compiled", "_occurs", "_pattern")

    def __init__(self, pattern: str, rule: str) -> None:
        """Raises `BadPattern`, naming `rule`."""
        self._pattern = pattern
        self._compiled: Any = compile_pattern(pattern, rule)
        self._occurs: Any = None
        self._begins: Any = None

    def occurs(self, text: str) -> bool:
        """True where it stands somewhere in `text`."""
        if self._occurs is None:
            self._occurs = compile_pattern_set((self._pattern,)).Match
        return self._occurs(text.encode()) is not None

    def begins(self, text: str) -> bool:
        """True where `text` begins with it."""
        if self._begins is None:
            self._begins = _compile_set((self._pattern,), re2.Set.MatchSet).Match
        return self._begins(text.encode()) is not None

    def search(self, text: str) -> Any:
        """The first match, or None."""
        return self._compiled.search(text) if self.occurs(text) else None

    def match(self, text: str) -> Any:
        """The match that `text` begins with, or None."""
        return self._compiled.match(text) if self.begins(text) else None

    def each(self, text: str) -> Iterable[Any]:
        """All matches, in order."""
        return self._compiled.finditer(text) if self.occurs(text) else ()


class PatternGate:
    """Which of some patterns occur in a text: asked of many texts, each of which is new.

    Those that can stand at the beginning alone have an automaton of their own, which stops where
    none can any more. Beside the others each of their states would be one with each state of
    these, and to build states for a new text costs ten times what reading it does.
    """

    __slots__ = ("_begin", "_beginning", "_occur", "_occurring")

    def __init__(self, patterns: Sequence[str]) -> None:
        begins = list(map(_is_anchored, patterns))
        self._beginning = [place for place, at_start in enumerate(begins) if at_start]
        self._occurring = [place for place, at_start in enumerate(begins) if not at_start]
        first = tuple(patterns[place] for place in self._beginning)
        others = tuple(patterns[place] for place in self._occurring)
        self._begin = _compile_set(first, re2.Set.MatchSet).Match
        self._occur = _compile_set(others, re2.Set.SearchSet).Match

    def hits(self, text: bytes) -> list[int]:
        """The places of those that occur in `text`, ascending."""
        begin, occur = self._begin(text), self._occur(text)
        if not begin and not occur:
            return _NOWHERE
        return sorted(
            [self._beginning[each] for each in begin or ()]
            + [self._occurring[each] for each in occur or ()]
        )


_NOWHERE: Final[list[int]] = []
_SINGLE: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # an escape, a class
_GROUP: Final = re.compile(r"\([^()]*\)")


def _is_anchored(pattern: str) -> bool:
    """True for a pattern that begins with `^`, and has no alternative beside that."""
    outside, inside = _SINGLE.sub("", pattern), ""
    while outside != inside:
        outside, inside = _GROUP.sub("", outside), outside
    return pattern.startswith("^") and "|" not in outside


def compile_pattern_filter(patterns: Iterable[str]) -> Any:
    """What tells which of `patterns` occur in a text, in no order: by words that each needs, then
    by itself. For patterns with gaps, of which even the states of a `PatternGate` are too many.
    """
    matcher = re2.Filter()
    for pattern in patterns:
        matcher.Add(pattern, _re2_options())
    matcher.Compile()
    return matcher


def compile_pattern_set(patterns: tuple[str, ...]) -> Any:
    """One automaton that tells which of `patterns` occur in a text."""
    return _compile_set(patterns, re2.Set.SearchSet)


def _compile_set(patterns: tuple[str, ...], kind: Callable[[Any], Any]) -> Any:
    matcher = kind(_re2_options(_SET_BYTES))
    for pattern in patterns:
        matcher.Add(pattern)
    try:
        matcher.Compile()
    except re2.error:
        raise BadPattern("pack", "together the patterns are too large; split the pack") from None
    return cast("Any", matcher)
