"""What a Markdown text says, without what it is drawn by."""

from __future__ import annotations

import pytest

from parley.memory.text.plain_blocks import plain_blocks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**Use** the `LRU`\n\n- for _users_\n- [x] for [all](http://a.b)",
         "Use the LRU\nfor users\nfor all"),
        ("## Plan ##\n1. Use it\n   now\n2) Ship", "Plan:\nUse it now\nShip"),
        ("Plan\n====\nmore", "Plan:\nmore"),
        ("Run\n```py\nx = `1`\n```", "Run\n```py\nx = `1`\n```"),
        ("2 * 3 * 4 and snake_case_x", "2 * 3 * 4 and snake_case_x"),
        ("| a | b |\n|---|---|\n| c | d |", "| a | b |\n|---|---|\n| c | d |"),
        ("[redacted 3]", "[redacted 3]"),
    ],
)  # fmt: skip
def test_marks_are_left_out_and_code_is_not(text: str, words: str) -> None:
    assert plain_blocks(text) == words
