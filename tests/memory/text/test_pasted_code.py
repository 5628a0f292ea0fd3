"""What was pasted without a fence, told from talk."""

from __future__ import annotations

import pytest

from parley.memory.text.markdown_blocks import split_blocks


@pytest.mark.parametrize(
    "code",
    [
        "$ make test\n$ git push",
        "PS C:\\src> dir",
        ">>> f(1)\n2",
        'Traceback (most recent call last):\n  File "x.py", line 1\n    f()\nValueError: no',
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-one\n+two\n three",
        "@@ -1 +1 @@\n-one\n+two",
        "2026-01-02 10:00:01,123 INFO up\n2026-01-02T10:00:02Z [web] ERROR down",
        "[10:00:01] WARN slow\n[10:00:02] INFO fine",
        '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}',
        "[\n1,\n2\n]",
    ],
)
def test_what_was_pasted_is_code(code: str) -> None:
    """Without a fence, below a line of text or alone; text goes on behind it."""
    for text in (code, f"I ran this:\n{code}\n\nIt works."):
        kinds = [block.kind for block in split_blocks(text)]
        assert kinds == ["code"] if text is code else ["paragraph", "code", "paragraph"]


@pytest.mark.parametrize(
    "text",
    [
        "$ 500 is too much",
        "PS I agree",
        "Traceback of the decision",
        "@@ -1 is what I typed",
        "10:00 INFO desk opens\nwe meet there",
        "exitcode: what is it",
        "2026-01-02 we meet",
        "{\nWe open a bracket\nand talk on\n}",
        "[\nnever closed",
        "{ a }",
        "+ 1 from me",
        "diff the two",
    ],
)
def test_talk_that_looks_like_a_paste_stays_talk(text: str) -> None:
    """Whole lines must be of the kind."""
    assert "code" not in [block.kind for block in split_blocks(text)]


def test_what_an_executor_printed_is_code_to_the_end() -> None:
    """Blank lines and sentences of the program among it."""
    printed = "exitcode: 0 (execution succeeded)\nCode output:\n\nPlease move the press.\n\n- now"
    assert [block.kind for block in split_blocks(printed)] == ["code"]
