"""One line of the live view of a session: an entry, or a fact, as a terminal shows it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from bus.entries import Record
from bus.replies import FactRecord
from server.output import shown
from server.wording.entries import message_line
from server.wording.facts import adds, fact_line, fact_style


def show(console: Console, one: Record | FactRecord) -> None:
    """One line of the live view; nothing for entries that only keep house."""
    if isinstance(one, FactRecord):
        if adds(one.fact):
            console.print(Text("    " + shown(fact_line(one.fact)), style=fact_style(one.fact)))
    elif (line := message_line(one)) is not None:
        console.print(line)
