"""The minutes for a terminal or a plain file. Everything printed comes through `escape`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from parley.server.basics.output import escape
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.minutes_sections import appendix, sections, time_label

_STYLES: Final = {"quote": "italic", "against": "red"}


def write(console: Console, report: Mapping[str, Any]) -> None:
    """The whole of it, evidence last."""
    for line in _lines(report):
        console.print(line)


def render(report: Mapping[str, Any]) -> str:
    """The minutes as text without colours, for a file."""
    page = io.StringIO()
    write(Console(file=page, width=100, soft_wrap=True, highlight=False, color_system=None), report)
    return page.getvalue()


def _lines(report: Mapping[str, Any]) -> Iterator[Text]:
    yield Text(_flat(title(report)), style="bold underline")
    for heading_line in heading_lines(report):
        yield Text(_flat(heading_line), style="dim")
    yield Text("")
    yield Text("  " + _flat(lead_paragraph(report)))
    shown = sections(report)
    quotes = appendix(report, shown)
    for section in shown:
        yield Text("")
        yield Text(section.heading, style="bold")
        if section.about:
            yield Text(f"  {section.about}", style="dim")
        for line in section.lines:
            yield from _item(line, "  ")
    if quotes:
        yield Text("")
        yield Text("Evidence", style="bold")
    for row in quotes:
        yield Text(f"  [{row['n']}] {_flat(time_label(row))}", style="bold")
        yield _block(row["text"], "      ")


def _item(line: Line, before: str) -> Iterator[Text]:
    text = Text(before)
    if line.mark:
        text.append(f"{_flat(line.mark)} ", style="bold")
    if line.note:
        text.append(f"({_flat(line.note)}) ", style="dim")
    if line.kind != "long":
        text.append(_flat(line.text), style=_STYLES.get(line.kind, ""))
    text.append(
        ("" if line.kind == "long" else " ") + " ".join(f"[{n}]" for n, *_ in line.cites), "dim"
    )
    text.rstrip()
    yield text
    if line.kind == "long":
        yield _block(line.text, before + "  ")
    for below in line.under:
        yield from _item(below, before + "    ")


def _flat(text: str) -> str:
    return escape(" ".join(text.split("\n")).strip())


def _block(text: str, before: str) -> Text:
    return Text("\n".join(before + row for row in escape(text, keep_newlines=True).split("\n")))
