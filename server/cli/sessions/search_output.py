"""Messages that a search finds, on a terminal or as lines of JSON."""

from __future__ import annotations

from collections.abc import Sequence

from parley.bus.entries import Record
from parley.server.basics.output import print_json, print_notice, stdout
from parley.server.render.events.entry_text import message_line
from parley.server.rows.entry_rows import log_row


def show_matches(
    matches: Sequence[Record], words: Sequence[str], by: str | None, json: bool
) -> None:
    """Print the matches, or what there is none of."""
    console = stdout()
    for record in matches:
        if json:
            print_json(log_row(record))
        elif (line := message_line(record)) is not None:
            console.print(line)
    if not matches:
        print_notice(
            f"no message holds {' and '.join(map(repr, words))}" + (f" by {by}" if by else "")
        )
