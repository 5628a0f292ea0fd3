"""Words as text: the page's `escape_invisible` is the twin of memory's."""

from __future__ import annotations

import json

import pytest

from parley.memory.text.fences import escape_invisible
from parley.server.http.routes.access.page_file_routes import FILES

TABLE = json.loads(FILES["visible.json"].body)


@pytest.mark.parametrize(("text", "line", "lines"), TABLE)
def test_the_table_is_what_memory_shows(text: str, line: str, lines: str) -> None:
    """The browser is held to the same table (test_shell.py)."""
    assert (escape_invisible(text), escape_invisible(text, keep_newlines=True)) == (line, lines)


def test_the_table_knows_what_hides() -> None:
    """Direction overrides, escapes of terminals, nothing at all, halves of characters."""
    texts = "".join(text for text, _, _ in TABLE)
    assert set("\u202e\x1b\x00\u200b\ud800\u2028\u200d\U000e0041") <= set(texts)
