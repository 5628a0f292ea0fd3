"""The words of a unit, and the wordings that are asked of a set before they are searched for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.patterns.regular_expressions import (
    PatternGate,
    RarePattern,
    compile_pattern,
    compile_pattern_filter,
)
from parley.memory.extraction.writing.units import FILLER
from parley.memory.extraction.writing.wording import READ, WORD, words_of

TEXTS = st.lists(
    st.sampled_from((
        "we", "don't", "'quoted'", "rock'n'roll", "why?", "note:", "a;b", "x1y", FILLER, FILLER * 3,
        " ", " ", "\n", "\t", "✅", "naïve", "0", "-", ",",
    ))
    | st.characters(max_codepoint=0x2FF),
    max_size=120,
).map("".join)  # fmt: skip


@given(TEXTS)
def test_the_words_of_ascii_are_those_that_the_expression_finds(text: str) -> None:
    """Taken without it where signs stand apart: the same words in less time."""
    low = text.lower()
    assert words_of(low) == WORD.findall(low[:1000])[:READ]


@given(st.lists(TEXTS, max_size=3))
def test_the_words_of_a_clause_are_words_of_the_whole(clauses: list[str]) -> None:
    """So what the whole has no word of need not be looked for clause by clause."""
    words = words_of(" ".join(clauses).lower())
    for clause in clauses:
        assert len(words) == READ or set(words_of(clause.lower())) <= set(words)


@pytest.mark.parametrize("pattern", [r"\bagree(?:d|s)?\b", r"^[^a-z]*(?:done|fixed)", r"soon$"])
@given(text=st.lists(st.sampled_from(("agreed ", "done", "soon", "ſoon", "é", ". "))).map("".join))
def test_a_rare_pattern_matches_what_a_search_does(pattern: str, text: str) -> None:
    """The set only tells where there is nothing to search for."""
    rare, compiled = RarePattern(pattern, "rare"), compile_pattern(pattern, "rare")
    assert rare.occurs(text) is (compiled.search(text) is not None)
    assert rare.begins(text) is (compiled.match(text) is not None)
    assert [each.span() for each in rare.each(text)] == [
        each.span() for each in compiled.finditer(text)
    ]
    found, searched = rare.search(text), compiled.search(text)
    assert (found and found.span()) == (searched and searched.span())


GATED = (
    "^[^a-z]*(?:done|fixed)", "^yes|no$", "^(?:ab|c)[|]", r"^\(a|b\)", "^[]|]b", "no", "^",
    r"(?:^|so )a\b",
)  # fmt: skip


@given(st.text("abcdefinosxy ()[]|.\n", max_size=40))
def test_a_gate_has_the_patterns_that_a_search_finds(text: str) -> None:
    """Those for the beginning alone are asked apart; an alternative beside `^` is not such."""
    occurring = [
        place
        for place, pattern in enumerate(GATED)
        if compile_pattern(pattern, "gated").search(text) is not None
    ]
    assert PatternGate(GATED).hits(text.encode()) == occurring
    assert sorted(compile_pattern_filter(GATED).Match(text.encode()) or ()) == occurring
