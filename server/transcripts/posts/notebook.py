"""Jupyter notebooks whose cells print a group chat as AutoGen does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.server.basics.errors import Failure
from parley.server.transcripts.posts.autogen_console import (
    clean_message,
    find_heads,
    note_dropped,
    set_aside_calls,
    strip_colors,
)
from parley.server.transcripts.posts.post_heads import Head, take_posts
from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format

_FILE: Final = known_fields("cells nbformat nbformat_minor")
_CELL: Final = known_fields(
    "cell_type", outputs=known_fields("output_type name text", data=known_fields("text/plain"))
)


def _tell(source: Source) -> int:
    tree = source.tree
    is_notebook = isinstance(tree, dict) and isinstance(tree.get("cells"), list)
    return SURE + 1 if is_notebook and ("nbformat" in tree or "metadata" in tree) else NO


def _outputs(tree: Any, taking: EntryCollector) -> Iterator[tuple[int, str]]:
    """What each cell printed, with the number of the cell from 1; its code is counted."""
    taking.leave_fields("the file", tree, _FILE)
    cells = tree.get("cells") if isinstance(tree, dict) else None
    for number, cell in enumerate(cells if isinstance(cells, list) else (), 1):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        taking.leave_fields(f"cell {number}", cell, _CELL)
        if isinstance(outputs, list):
            wordless = sum(not _text(each) for each in outputs)
            taking.skip("outputs that print no talk: stderr, errors, pictures", f"cell {number}",
                        wordless)  # fmt: skip
        texts = [_text(each) for each in outputs] if isinstance(outputs, list) else []
        if printed := "".join(texts):
            yield number, strip_colors(printed).replace("\r\n", "\n").replace("\r", "\n")


def _text(output: Any) -> str:
    """The text of an output; "" for pictures, errors and what goes to stderr."""
    if not isinstance(output, dict) or output.get("name") == "stderr":
        return ""
    text = output.get("text")
    data = output.get("data")
    if text is None and isinstance(data, dict):
        text = data.get("text/plain")
    if isinstance(text, list):
        text = "".join(part for part in text if isinstance(part, str))
    return text if isinstance(text, str) else ""


def _read(source: Source, taking: EntryCollector) -> None:
    lines: list[str] = []
    places: list[str] = []
    starts: list[int] = []
    for number, text in _outputs(source.tree, taking):
        starts.append(len(lines))
        own = ["-" * 80, *text.split("\n")]  # a cell begins as if below a ruler
        lines += own
        places += [f"cell {number}, line {max(at, 1)}" for at in range(len(own))]
    heads, dropped = find_heads(lines, source.speakers)
    set_aside_calls(lines, heads)
    if not any(head.who for head in heads):
        raise Failure(
            "the file holds no messages, read as notebook: no cell prints talk as AutoGen "
            "does (name (to other):, or ---------- name ----------). If it keeps its messages "
            "elsewhere, save those as a JSON list of {name, content}, and read that"
        )
    begun = {head.line for head in heads}
    heads += [
        Head(start, start, None, "outputs before the first speaker of a cell")
        for start in starts
        if start + 1 not in begun
    ]
    note_dropped(taking, dropped)
    taking.guess(head.who for head in heads if head.who and not head.certain)
    take_posts(lines, heads, taking, lambda line: places[line], clean_message)


NOTEBOOK: Final = Format(
    "notebook", "Jupyter notebook whose cells print a group chat as AutoGen does", ("ipynb",),
    _tell, _read,
)  # fmt: skip
