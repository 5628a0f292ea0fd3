"""The cues of a line: the same whether ASCII alone or all of Unicode is asked."""

from __future__ import annotations

import json
import string
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.structure.ascii_patterns import ascii_pattern
from parley.memory.extraction.structure.scorecards import lexicon

_CUES = json.loads(
    (resources.files("parley.memory.extraction.structure") / "cues.json").read_text("utf-8")
)
_WORDS = sorted(
    {
        word.replace("_", " ")
        for cues in _CUES.values()
        for words in cues.values()
        for word in words.split()
        if word.isascii()
    }
)
_LINES = st.lists(
    st.one_of(
        st.sampled_from(_WORDS),
        st.sampled_from(_WORDS).map(str.upper),
        st.text(alphabet=[chr(code) for code in range(128)], max_size=4),
        st.sampled_from(string.punctuation),
    ),
    max_size=8,
)


@given(words=_LINES, joint=st.sampled_from([" ", "", ": ", "_"]))
def test_a_line_of_ascii_has_the_cues_that_all_of_unicode_finds(
    words: list[str], joint: str
) -> None:
    """Whatever stands beside a word, and however it is written."""
    line = joint.join(words)
    assert lexicon().search(line) == lexicon().search(line, whole=True)


@pytest.mark.parametrize("mark", string.printable)
def test_every_character_begins_a_line_alike(mark: str) -> None:
    """A capital, a digit, a mark: each class is what it was."""
    for line in (mark, f"{mark}we should close it", f"let us{mark}"):
        assert lexicon().search(line) == lexicon().search(line, whole=True)


def test_a_line_of_another_script_is_still_read() -> None:
    """By the whole of the patterns."""
    assert "capital" in lexicon().cues("Ärger gibt es genug.")
    assert ascii_pattern(r"\A[^\pL]\pN[\pP\pS]") == r"\A[^a-zA-Z][0-9][!-/:-@\[-`{-~]"
