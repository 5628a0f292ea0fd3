"""Patterns at work: only RE2 matches them here, so that no text and no pattern is slow. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final, cast

import re2

from parley.memory.errors import BadPattern

MAX_PLACES: Final = 64  # of one pattern in one message; RE2 alone is quadratic over all of them


def re2_options() -> Any:
    """RE2 options for every pattern here: quiet, blind to case, 64 MiB for its automata."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    options.max_mem = 64 << 20  # the default 8 MiB refuses sets of some hundred patterns
    return options


@lru_cache(maxsize=8192)
def compile_pattern(pattern: str, rule: str) -> Any:
    """`pattern` as an RE2 regular expression. Raises `BadPattern`, naming `rule`."""
    try:
        return re2.compile(pattern, re2_options())
    except re2.error as error:
        reason = error.args[0]
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        hint = "; RE2 has no look-around and no back-references" if "perl" in text else ""
        raise BadPattern(rule, f"RE2 refuses it: {text[:120]}{hint}") from None


class PatternFinder:
    """One pattern and where it occurs: 64 places at most, so that any text is linear."""

    __slots__ = ("_groups", "_pattern")

    def __init__(self, pattern: str, rule: str = "tag") -> None:
        self._pattern = compile_pattern(pattern, rule)
        self._groups: dict[str, int] = self._pattern.groupindex

    def each(self, subject: str | bytes) -> Iterator[Any]:
        """The first 64 matches, in order."""
        return islice(self._pattern.finditer(subject), MAX_PLACES)

    def span(self, match: Any, group: str) -> tuple[int, int]:
        """Where a named group matched, (-1, -1) for nowhere; re2's `span` takes numbers only."""
        number = self._groups.get(group)
        start, end = match.span(number) if number else (-1, -1)
        return int(start), int(end)


def compile_pattern_set(patterns: tuple[str, ...]) -> Any:
    """One automaton that tells which of `patterns` occur in a text."""
    matcher = re2.Set.SearchSet(re2_options())
    for pattern in patterns:
        matcher.Add(pattern)
    try:
        matcher.Compile()
    except re2.error:
        raise BadPattern("pack", "together the patterns are too large; split the pack") from None
    return cast("Any", matcher)
