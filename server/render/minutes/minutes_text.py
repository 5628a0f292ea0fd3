"""The minutes for a terminal or a plain file. Everything printed comes through `escape`.

A line is parts with their styles: only a terminal takes the library that draws them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from parley.server.basics.output import escape
from parley.server.render.minutes.minutes_appendix import appendix, time_label
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.minutes_sections import sections

if TYPE_CHECKING:
    from rich.console import Console

_STYLES: Final = {"quote": "italic", "against": "red"}

Part = tuple[str, str]  # text, style


def write(console: Console, report: Mapping[str, Any]) -> None:
    """The whole of it, evidence last, with its styles."""
    from rich.text import Text

    for parts in _lines(report):
        console.print(Text.assemble(*parts))


def render(report: Mapping[str, Any]) -> str:
    """The minutes as text without colours, for a file."""
    return "".join("".join(text for text, _ in parts) + "\n" for parts in _lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[list[Part]]:
    yield [(_flat(title(report)), "bold underline")]
    for heading_line in heading_lines(report):
        yield [(_flat(heading_line), "dim")]
    yield []
    for sentence in lead_paragraph(report).split("\n"):
        yield [("  " + _flat(sentence), "")]
    shown = sections(report)
    quotes = appendix(report, shown)
    at_hand = {row["n"] for row in quotes}
    for section in shown:
        yield []
        yield [(section.heading, "bold")]
        if section.about:
            yield [(f"  {section.about}", "dim")]
        for line in section.lines:
            yield from _item(line, "  ", at_hand)
    if quotes:
        yield []
        yield [("Evidence", "bold")]
    for row in quotes:
        yield [(f"  [{row['n']}] {_flat(time_label(row))}", "bold")]
        yield [_block(row["text"], "      ")]


def _item(line: Line, before: str, at_hand: set[int]) -> Iterator[list[Part]]:
    parts = [(before, "")]
    if line.mark:
        parts.append((f"{_flat(line.mark)} ", "bold"))
    if line.kind != "long" and line.text:
        parts.append((f"{_flat(line.text)} ", _STYLES.get(line.kind, "")))
    if line.note:
        parts.append((f"({_flat(line.note)}) ", "dim"))
    parts.append((" ".join(f"[{n}]" for n in line.numbers(at_hand)), "dim"))
    yield _without_trailing_space(parts)
    if line.kind == "long":
        yield [_block(line.text, before + "  ")]
    for below in line.under:
        yield from _item(below, before + "    ", at_hand)


def _without_trailing_space(parts: list[Part]) -> list[Part]:
    while parts and not (parts[-1][0].rstrip()):
        parts.pop()
    if parts:
        text, style = parts.pop()
        parts.append((text.rstrip(), style))
    return parts


def _flat(text: str) -> str:
    return escape(" ".join(text.split("\n")).strip())


def _block(text: str, before: str) -> Part:
    return "\n".join(before + row for row in escape(text, keep_newlines=True).split("\n")), ""
