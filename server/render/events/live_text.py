"""One line of the live view of a session: an entry, or a fact, as a terminal shows it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from parley.bus.entries import Record
from parley.bus.log.replies import FactRecord
from parley.server.basics.output import escape
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import fact_line, fact_style, is_worth_showing


def print_line(console: Console, fact_record: Record | FactRecord) -> None:
    """One line of the live view; nothing for entries that only keep house."""
    if isinstance(fact_record, FactRecord):
        if is_worth_showing(fact_record.fact):
            console.print(
                Text(
                    "    " + escape(fact_line(fact_record.fact)), style=fact_style(fact_record.fact)
                )
            )
    elif (line := message_line(fact_record)) is not None:
        console.print(line)
