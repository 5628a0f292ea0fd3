"""The live view on a terminal: a line an entry, wrapped to the column of its words."""

from __future__ import annotations

import io

from rich.console import Console

from parley.bus.entries import Message, Record
from parley.server.render.events.live_text import print_line

WORDS = "The quay machines write to SQLite in write-ahead mode, and the relay test runs each night."


def shown(*, width: int, terminal: bool) -> list[str]:
    page = io.StringIO()
    console = Console(file=page, width=width, force_terminal=terminal, color_system=None,
                      soft_wrap=not terminal, highlight=False)  # fmt: skip
    print_line(console, Record(1, 7, "a", 0, Message(participant="Ana", content=WORDS)))
    return page.getvalue().rstrip("\n").split("\n")


def test_a_long_message_goes_on_below_its_words() -> None:
    """Not below its number; no row is wider than the terminal, and nothing is lost."""
    rows = shown(width=40, terminal=True)
    assert rows[0].startswith("    7 Ana: The quay")
    assert len(rows) > 2
    assert all(row.startswith(" " * 6) and row[6] != " " for row in rows[1:])
    assert max(map(len, rows)) <= 40
    assert " ".join(row.strip() for row in rows) == f"7 Ana: {WORDS}"


def test_in_a_file_an_entry_is_a_line() -> None:
    """Whoever reads it takes line by line."""
    assert shown(width=40, terminal=False) == [f"    7 Ana: {WORDS}"]
