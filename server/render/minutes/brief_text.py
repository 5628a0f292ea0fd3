"""The Brief on a terminal. Everything printed comes through `escape`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from parley.memory.text.plain_text import clip
from parley.server.basics.durations import local_minute
from parley.server.basics.output import escape
from parley.server.render.minutes.row_lines import tally as tally_words
from parley.server.render.minutes.standing import read_words
from parley.server.render.vote_text import vote_headline

Row = Mapping[str, Any]
Placed = tuple[Text, int]  # a line, and how far in it stands

SHOWN: Final = 12  # items of a part: a screen or two
TEXT: Final = 400  # characters of an item
_DAY: Final = len("2026-03-02")


def write(console: Console, row: Row) -> None:
    """All of it, what was decided last first."""
    heading = row["title"] or row["session"]
    if heading:
        console.print(Text(_flat(heading), style="bold underline"))
    console.print(Text(row["sentence"], style="bold"))
    for name, lines in _parts(row):
        if lines:
            console.print(Text(f"\n{name}", style="bold"))
        for line, indent in lines:
            _print(console, line, indent)


def _print(console: Console, line: Text, indent: int) -> None:
    """Wrapped to its column on a terminal, whole in a file."""
    if console.soft_wrap:
        console.print(Text(" " * indent).append_text(line))
    else:
        console.print(Padding(line, (0, 0, 0, indent)))


def _parts(row: Row) -> Iterator[tuple[str, list[Placed]]]:
    questions = [vote for vote in row["votes"] if vote["proposal"] is None]
    yield "Decided", _listed(row, "decided", _decision)
    yield "Disputed", _listed(row, "disputed", _decision)
    yield "Said to be decided, unconfirmed", _listed(row, "claimed", _decision)
    yield (
        "Open",
        [*_listed(row, "open", _proposal), *(line for vote in questions for line in _vote(vote))],
    )
    yield "Came to nothing", [line for vote in row["missed"] for line in _vote(vote)]
    yield "Who does what", _listed(row, "actions", _action)
    yield "Candidates, counted nowhere", _listed(row, "candidates", _candidate)


def _listed(row: Row, part: str, tell: Callable[[Row], Iterator[Placed]]) -> list[Placed]:
    rows = row[part]
    lines = [line for item in rows[:SHOWN] for line in tell(item)]
    left = len(rows) - len(rows[:SHOWN]) + row["more"].get(part, 0)
    if left:
        lines.append((Text(f"{left} more", "dim"), 2))
    return lines


def _decision(row: Row) -> Iterator[Placed]:
    yield _item(row, "" if row["status"] == "ratified" else "red"), 2
    basis = read_words(row) or row["basis"]
    yield Text(_flat(_joined(_tally(row), basis, _day(row))), "dim"), 6
    yield from _dissent(row)
    for earlier in row["replaces"]:
        yield Text(_flat(f"instead of {earlier['ref']}: {clip(earlier['text'], TEXT)}"), "dim"), 6


def _proposal(row: Row) -> Iterator[Placed]:
    yield _item(row), 2
    words = _tally(row) or "nobody has reacted"
    read = "as read by a model" if row["as_read"] else ""
    yield Text(_flat(_joined(f"by {row['participant']}", words, read)), "dim"), 6
    yield from _dissent(row)


def _dissent(row: Row) -> Iterator[Placed]:
    """The strongest objection, in its words."""
    for dissent in row["dissent"][:1]:
        words = f": “{dissent['text']}”" if dissent["text"] else ""
        read = " (as read)" if dissent["as_read"] else ""
        yield Text(_flat(f"against: {dissent['participant']}{read}{words}"), "red"), 6


def _vote(row: Row) -> Iterator[Placed]:
    yield _named(row["ref"], row["question"]), 2
    waits, ends = ", ".join(row["waiting"]), row["ends_ms"]
    until = f"until {local_minute(ends)}" if ends else ""
    yield Text(_flat(_joined(vote_headline(row), until, waits and f"waits for {waits}")), "dim"), 6


def _action(row: Row) -> Iterator[Placed]:
    line = _named(f"{row['who'] or 'nobody named'}:", row["text"])
    notes = _joined(f"by {row['due']}" if row["due"] else "", "as read" if row["as_read"] else "")
    yield line.append(f" ({_flat(notes)})" if notes else "", "dim"), 2


def _candidate(row: Row) -> Iterator[Placed]:
    yield _item(row), 2
    yield Text(_flat(_joined(f"a {row['kind']}? of {row['participant']}", row["why"])), "dim"), 6


def _tally(row: Row) -> str:
    """The sides in numbers, and how many of them a model read."""
    read = f" ({len(row['read_sides'])} as read)" if row["read_sides"] else ""
    return tally_words(row["tally"]) + read


def _item(row: Row, style: str = "") -> Text:
    return _named(row["ref"], row["text"], style)


def _named(mark: str, text: str, style: str = "") -> Text:
    return Text().append(f"{_flat(mark)} ", "bold").append(_flat(clip(text, TEXT)), style)


def _day(row: Row) -> str:
    return (row["at"] or "")[:_DAY]


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _flat(text: str) -> str:
    return escape(" ".join(text.split()))
