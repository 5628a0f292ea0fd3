"""The minutes as Markdown that any reader of it shows alike; what was said stays text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from parley.memory.text.fences import escape_invisible
from parley.server.render.minutes.minutes_appendix import appendix, time_label
from parley.server.render.minutes.minutes_heading import heading_lines, lead_paragraph, title
from parley.server.render.minutes.minutes_line import Line
from parley.server.render.minutes.minutes_sections import Section, sections

# What some dialect of Markdown reads, and no more: people read the file as it is, too.
_MARKS: Final = re.compile(
    r"""
    [\\`*_{}\[\]\#|<>~&@=^$]            # emphasis, links, code, HTML, headings, tables, mathematics
    | ^[-+:] | -(?=-) | (?<=-)- | \+(?=\+) | (?<=\+)\+  # lists, definitions, rules, insertions
    | (?<!\d):(?=\S) | :(?=[^\d\s])       # addresses, names of pictures; 10:30 is neither
    | (?<!\d)\.(?=\d) | \.(?=[^\W\d])     # addresses; a sentence's end is none, nor is 2.5
    | !(?=\d)                            # references
    """,
    re.VERBOSE,
)
_NUMBERED: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")  # a list, at the start of a line


def render(report: Mapping[str, Any]) -> str:
    """The whole page; links lead to the appendix, which quotes the messages."""
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str) -> str:
    """`text` on one line, so that nothing in it is read as Markdown."""
    return _plain(escape_invisible(" ".join(text.split("\n")).strip()))


def _plain(row: str) -> str:
    return _NUMBERED.sub(r"\1\\\2", _MARKS.sub(r"\\\g<0>", row))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {escaped(title(report)) or 'Minutes'}"
    for heading_line in heading_lines(report):
        yield from ("", escaped(heading_line))
    for sentence in lead_paragraph(report).split("\n"):
        yield from ("", escaped(sentence))
    shown = sections(report)
    quotes = appendix(report, shown)
    at_hand = {row["n"] for row in quotes}
    for section in shown:
        yield from ("", f"## {section.heading}", "")
        if section.about:
            yield from (escaped(section.about), "")
        if section.columns:
            yield from _table(section, at_hand)
            continue
        for line in section.lines:
            yield from _item(line, at_hand)
    if quotes:
        yield from ("", "## Evidence")
    for row in quotes:
        yield from (
            "",
            f'<a id="m{row["n"]}"></a>**\\[{row["n"]}\\]** {escaped(time_label(row))}',
            "",
        )
        yield quoted(row["text"])


def _table(section: Section, at_hand: set[int]) -> Iterator[str]:
    """A row a line; nothing in a cell is read as its end."""
    yield f"| {' | '.join(section.columns)} |"
    yield f"|{' --- |' * len(section.columns)}"
    for line in section.lines:
        links = " ".join(_link(n, at_hand) for n in line.numbers(at_hand))
        cells = (escaped(line.mark), f"{escaped(line.text)} {links}".strip(), escaped(line.note))
        yield f"| {' | '.join(cells[: len(section.columns)])} |"


def _item(line: Line, at_hand: set[int], depth: int = 0) -> Iterator[str]:
    mark = f"**{escaped(line.mark)}**" if line.mark.strip() else ""
    note = f"({escaped(line.note)})" if line.note.strip() else ""
    text = escaped(line.text)
    if line.kind in ("quote", "against") and text:
        text = f"*{text}*" if line.kind == "quote" else text
    links = " ".join(_link(n, at_hand) for n in line.numbers(at_hand))
    yield "  " * depth + "- " + " ".join(filter(None, [mark, text, note, links]))
    for below in line.under:
        yield from _item(below, at_hand, depth + 1)


def _link(n: int, at_hand: set[int]) -> str:
    """A number that leads to the appendix, where that quotes its message."""
    return f"[\\[{n}\\]](#m{n})" if n in at_hand else f"\\[{n}\\]"


def quoted(text: str) -> str:
    """A message as a block of quotation, line for line."""
    rows = (_plain(row.strip()) for row in escape_invisible(text, True).split("\n"))
    return "\n".join(f"> {row}  ".rstrip() if not row else f"> {row}  " for row in rows)
