"""Inline marks and what is none."""

from __future__ import annotations

import pytest

from parley.memory.text.block_words import plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no marks", "no marks"),
        ("**bold** and __bold__ and *so* and _so_", "bold and bold and so and so"),
        ("`a_b` and ``c`d``, `__init__`", "a_b and ``c`d``, __init__"),
        ("~~old~~ new", "old new"),
        ("[words](https://x.example/a_b) and ![alt](x.png)", "words and alt"),
        ("[![alt](x.png)](https://x.example)", "alt"),
        ("<https://x.example>", "https://x.example"),
        ("2 * 3 * 4, snake_case_name, a < b", "2 * 3 * 4, snake_case_name, a < b"),
        (r"\*not\* so", "*not* so"),
        ("**see `x*y` there**", "see x*y there"),
    ],
)
def test_inline_marks_come_off(text: str, words: str) -> None:
    """What is no mark stays."""
    assert plain(text) == words
