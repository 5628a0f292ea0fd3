"""Votes in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parley.server.basics.durations import local_minute
from parley.server.basics.output import (
    escape,
    print_json,
    print_notice,
    stdout,
    table_cell,
    write_stdout,
)

Row = Mapping[str, Any]


def show_called(row: Row, json: bool) -> None:
    """The handle that a person goes on with."""
    if json:
        print_json(row)
        return
    write_stdout(f"{escape(row['ref'])}\n".encode())
    if row["status"] == "called":
        print_notice(f"{row['ref']} waits to be agreed to by {', '.join(row['waiting'])}")


def show_done(row: Row, done: str, json: bool) -> None:
    """What was done, and how the vote stands."""
    if json:
        print_json(row)
    else:
        print_notice(f"{done}; {vote_headline(row)}")


def show_votes(rows: Sequence[Row], json: bool, *, whole: bool) -> None:
    """One vote a line; of one that was asked for by name, all that is known."""
    if json:
        for row in rows:
            print_json(row)
        return
    console = stdout()
    for row in rows:
        console.print(table_cell(vote_line(row)))
        for line in _details(row) if whole else ():
            console.print(table_cell(f"  {line}"))
    if not rows:
        console.print("no votes; 'parley vote call SESSION QUESTION' calls one")


def show_tally(row: Row, json: bool) -> None:
    """Two counts of the same ballots, side by side; one where nothing else was asked for."""
    if json:
        print_json(row)
        return
    console = stdout()
    console.print(table_cell(f"{row['ref']} {row['question']}"))
    for count in filter(None, (row["standing"], row["again"])):
        console.print(table_cell(f"  {_count(row, count)}"))
        for option, other, weight in count["pairs"]:
            console.print(table_cell(f"    {weight} prefer {option} to {other}"))


def vote_line(row: Row) -> str:
    """A vote on one line."""
    return f"{row['ref']} {row['question']}: {vote_headline(row)}"


def vote_headline(row: Row) -> str:
    """How a vote stands, in a few words."""
    by = _rule_text(row)
    match row["status"]:
        case "carried":
            return f"{row['carried']} carried ({by}: {count_lines(row['tally'])})"
        case "failed":
            return f"nothing carried ({by}: {count_lines(row['tally'])})"
        case "short":
            return f"no quorum ({by}: {count_lines(row['tally'])})"
        case "open":
            so_far = f" ({count_lines(row['tally'])})" if row["tally"] else ""
            voters = len(row["electorate"])
            return f"open, {by}, {voters - len(row['waiting'])} of {voters} voted{so_far}"
    return str(row["status"])


def _rule_text(row: Row) -> str:
    return str(row["rule"]).replace("_", " ") + (", secret" if row.get("secret") else "")


def count_lines(tally: Mapping[str, int] | None) -> str:
    """Weight by option, `abstain` where somebody did."""
    items_view = (tally or {}).items()
    return ", ".join(
        f"{name} {weight}" for name, weight in items_view if weight or name != "abstain"
    )


def _details(row: Row) -> Iterator[str]:
    if row["proposal"]:
        yield f"on {row['proposal']}"
    yield f"options: {', '.join((*row['options'], 'abstain'))}"
    if row.get("missing"):
        yield row["missing"]
    if row.get("ends_ms"):
        yield f"counted by {local_minute(row['ends_ms'])}"
    if row["waiting"]:
        yield f"waits for: {', '.join(row['waiting'])}"
    for name, choice in (row["ballots"] or {}).items():
        yield f"{name}: {' > '.join(choice) or 'could not be read'}"


def _count(row: Row, count: Row) -> str:
    quorum = f"quorum {count['quorum'] / 10:g} %"
    outcome = count["carried"] or ("no quorum" if count["status"] == "short" else "nothing")
    head = f"{_rule_text(count)}, {quorum}: {outcome}"
    return f"{head} ({count_lines(count['tally'])})"
