"""The digest on a terminal. Everything printed comes through `escape`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from parley.server.basics.output import count_of, escape
from parley.server.render.item_text import (
    MARKS,
    decision,
    proposal,
    write_lines,
)
from parley.server.render.stats_text import statistics_lines
from parley.server.render.vote_text import vote_line
from parley.server.verdicts.status_words import ruler_words

Row = Mapping[str, Any]

_CONTRIBUTIONS = 3  # a participant's newest, in the minutes


def write_minutes(console: Console, report: Row) -> None:
    """The whole report, sections without content left out."""
    title = report["title"] or "Minutes"
    console.print(Text(escape(title), style="bold underline"))
    talk = count_of(report["messages"], "message")
    counts = f"{talk} by {count_of(report['participants'], 'participant')}"
    if report["rulers"]:
        counts += f"; may rule: {escape(', '.join(map(ruler_words, report['rulers'])))}"
    closed = f"; closed: {escape(report['closed'])}" if report["closed"] is not None else ""
    console.print(Text(counts + closed, style="dim"))
    for heading, lines in _sections(report):
        if lines:
            console.print()
            console.print(Text(heading, style="bold"))
            for line in lines:
                console.print(line)


def _sections(report: Row) -> Iterator[tuple[str, list[Text]]]:
    yield "Decisions", [line for row in report["decisions"] for line in decision(row)]
    yield "Open proposals", [line for row in report["open"] for line in proposal(row)]
    yield "Settled proposals", [proposal(row)[0] for row in report["settled"]]
    yield "Tasks", [_task(row) for row in report["tasks"]]
    yield "Candidates, counted nowhere", [_candidate(row) for row in report["candidates"]]
    yield "Votes", [write_lines(f"    {vote_line(row)}") for row in report["votes"]]
    yield "Said before", [_echo(row) for row in report["echoes"]]
    yield "Positions", [line for row in report["positions"] for line in _stands(row)]
    yield "Summaries", [line for row in report["summaries"] for line in _summary(row)]
    yield (
        "Statistics",
        [write_lines(f"  {line}") for line in statistics_lines(report["statistics"])],
    )


def _task(row: Row) -> Text:
    """Who does what, as a model reads it."""
    when = f", {row['when']}" if row["when"] else ""
    on = f" for {', '.join(row['on'])}" if row["on"] else ""
    done = "done, as read" if row["done"] else "as read"
    return write_lines(f"  {row['who']}: {row['what']}{when}{on} ({done}, {row['evidence']['n']})")


def _candidate(row: Row) -> Text:
    said = f"{row['participant']}, message {row['n']}; {row['why']}"
    return write_lines(f"  {row['ref']:>4} a {row['kind']}? {row['text']}  ({said})", "dim")


def _echo(row: Row) -> Text:
    return write_lines(
        f"  {row['handle']} (message {row['n']}, {row['participant']}) repeats {row['repeats']} "
        f"of message {row['repeats_n']}: this idea {_fate(row)}{_because(row['because'])}"
    )


def _fate(row: Row) -> str:
    """What became of the earlier one, before the later one was said or after."""
    status, n = row["status"], row["settled_n"]
    if status == "active":
        return "is still open"
    at = "" if n is None else f" at message {n}"
    return f"was already {status}{at}" if n is None or n <= row["n"] else f"was {status} later{at}"


def _because(why: Row | None) -> str:
    return f", because “{why['text']}” ({why['participant']}, message {why['n']})" if why else ""


def _stands(row: Row) -> list[Text]:
    lines = [
        write_lines(f"  {row['participant']} ({count_of(row['messages'], 'message')})", "bold")
    ]
    for position in row["positions"]:
        mark = MARKS[position["stance"]]
        read = ", as read" if position["as_read"] else ""
        flip = ""
        if position["was"] and position["stance"] != "neutral":
            flip = f", changed from {position['was']} at message {position['was_n']}"
            if position["moved_n"]:
                flip += f" after {position['moved_by']} in message {position['moved_n']}"
        text = (
            f"    {mark} {position['on']} (message {position['n']}{read}{flip}): {position['text']}"
        )
        lines.append(write_lines(text, "magenta" if flip else ""))
    newest = [contribution for contribution in row["contributions"] if contribution["quote"]][
        -_CONTRIBUTIONS:
    ]
    return lines + [
        write_lines(f"      “{contribution['quote']}” ({contribution['n']})", "dim")
        for contribution in newest
    ]


def _summary(row: Row) -> list[Text]:
    level = f", level {row['level']}" if row["level"] else ""
    head = write_lines(f"  messages {row['first']}-{row['last']} ({row['how']}{level})", "bold")
    return [head, write_lines("    " + row["text"].replace("\n", "\n    "), keep_newlines=True)]
