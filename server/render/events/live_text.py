"""One line of the live view of a session: an entry, or a fact, as a terminal shows it."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from parley.bus.entries import Record
from parley.bus.log.replies import FactRecord
from parley.server.basics.output import escape
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import fact_line, fact_style, is_worth_showing

_COLUMN: Final = 6  # where the words of a message begin, behind its number


def print_line(console: Console, fact_record: Record | FactRecord) -> None:
    """One line of the live view; nothing for entries that only keep house.

    On a terminal what is too long goes on below the words, not below the number.
    """
    if (line := _line(fact_record)) is None:
        return
    if not console.is_terminal or console.width <= 2 * _COLUMN:
        console.print(line)
        return
    first, *rest = line.wrap(console, console.width - _COLUMN)
    console.print(first)
    for row in rest:
        console.print(Text(" " * _COLUMN).append_text(row))


def _line(fact_record: Record | FactRecord) -> Text | None:
    if not isinstance(fact_record, FactRecord):
        return message_line(fact_record)
    if not is_worth_showing(fact_record.fact):
        return None
    fact = fact_record.fact
    return Text("    " + escape(fact_line(fact)), style=fact_style(fact))
