"""Where output goes: data on stdout, word of progress on stderr, nothing raw from the log.

Everything that people or agents wrote passes through `escape` on its way to a
terminal, so that no message can move the cursor or forge a line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

import orjson

from parley.memory.text.fences import escape_invisible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def stdout() -> Console:
    """The console for data; plain where stdout is not a terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def stderr() -> Console:
    """The console for progress and advice."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_json(value: Any) -> None:
    """One JSON value on one line of stdout."""
    write_stdout(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str) + b"\n")


def write_stdout(data: bytes) -> None:
    """Exactly these bytes on stdout."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_line(value: object, style: str = "") -> None:
    """`value` on a line of stdout; `style` is one of rich, for a terminal alone."""
    if style and sys.stdout.isatty():
        stdout().print(styled_text(value, style))
    else:
        write_stdout(escape(value).encode() + b"\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """`rows` under their headings: within its width on a terminal, elsewhere as wide as they are.

    Only a terminal takes the library that fits them, a tenth of a short command's time.
    """
    if sys.stdout.isatty():
        table = new_table(*columns)
        for row in rows:
            table.add_row(*map(table_cell, row))
        stdout().print(table)
        return
    lines = [columns, *([escape(cell) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = zip(line, widths, strict=True)
        padded = "  ".join(cell + " " * (width - _width(cell)) for cell, width in cells)
        write_stdout(padded.rstrip().encode() + b"\n")


def _width(text: str) -> int:
    """Of `text` in cells: two for an ideograph, none for what combines with the one before."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def print_notice(text: str) -> None:
    """One line on stderr, for the person at the keyboard."""
    stderr().print(table_cell(text))


def escape(text: object, keep_newlines: bool = False) -> str:
    """`text` as a terminal may have it: control characters and escapes made visible."""
    return escape_invisible(str(text), keep_newlines=keep_newlines)


def count_of(count: int, singular: str, more: str | None = None) -> str:
    """A count with its noun, such as "1 message" and "2 messages"."""
    return f"{count} {singular if count == 1 else more or singular + 's'}"


def format_micros(micros: int) -> str:
    """A sum of the currency, given in millionths, with as many digits as say something."""
    digits = 2 if not micros or micros >= 10_000 else 6
    return f"{micros / 1_000_000:.{digits}f}"


def new_table(*columns: str) -> Table:
    """An empty table with these headings, as every listing has it."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column)
    return table


def table_cell(value: object) -> Text:
    """`value` as one cell or line of a listing."""
    return styled_text(value, "")


def styled_text(value: object, style: str) -> Text:
    """`value` in a style of rich, such as `red`."""
    from rich.text import Text

    return Text(escape(value), style=style)


def show_rows(
    rows: Sequence[Mapping[str, Any]], line: Callable[[Mapping[str, Any]], str], none: str,
    *, json: bool,
) -> None:  # fmt: skip
    """One row a line, as JSON or in the words of `line`; `none` tells a person of no rows."""
    if json:
        for row in rows:
            print_json(row)
        return
    console = stdout()
    for row in rows:
        console.print(table_cell(line(row)))
    if not rows:
        console.print(none)
