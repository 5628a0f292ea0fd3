"""One line of the live view of a session: an entry, or a fact, as a terminal shows it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from parley.bus.entries import Record
from parley.bus.log.replies import FactRecord
from parley.server.basics.output import shown
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import adds, fact_line, fact_style


def show(console: Console, one: Record | FactRecord) -> None:
    """One line of the live view; nothing for entries that only keep house."""
    if isinstance(one, FactRecord):
        if adds(one.fact):
            console.print(Text("    " + shown(fact_line(one.fact)), style=fact_style(one.fact)))
    elif (line := message_line(one)) is not None:
        console.print(line)
