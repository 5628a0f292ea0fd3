"""Pattern packs on the terminal: lists, one pack, what a check found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from parley.server.basics.output import count_of, escape, new_table, print_json, stdout, table_cell

Row = dict[str, Any]


def show_listed(rows: Sequence[Row], json: bool) -> None:
    if json:
        for row in rows:
            print_json(row)
        return
    table = new_table("pack", "language", "rules", "guards", "new sessions", "hash")
    for row in rows:
        opens = "yes" if row["opens"] else "no"
        counts = (row["language"], row["rules"], row["guards"])
        table.add_row(*map(table_cell, (row["pack"], *counts, opens, row["hash"])))
    stdout().print(table)


def show_pack(row: Row, json: bool) -> None:
    if json:
        print_json(row)
        return
    console = stdout()
    console.print(table_cell(f"{row['name']} {row['hash']}"))
    table = new_table("rule", "act", "confidence", "pattern")
    for rule in row["rules"]:
        table.add_row(
            *map(
                table_cell,
                (rule["name"], rule["act"], rule.get("confidence", 500), rule["pattern"]),
            )
        )
    console.print(table)
    for name, pattern in row.get("guards", {}).items():
        console.print(table_cell(f"{name}: {pattern}"))


def show_checked(row: Row, json: bool) -> None:
    if json:
        print_json(row)
        return
    name = row["pack"]
    for each in row["refused"]:
        _print(f"{name}: {each['rule']}: {each['reason']}")
    if row["refused"]:
        _print(f"{name}: refused; {count_of(len(row['refused']), 'problem')} to mend")
        return
    for each in row["doubts"]:
        _print(f"{name}: warning: {each['rule']}: {each['reason']}")
    for each in row["examples"]:
        _print(f"{name}: {each['rule']}: example {each['text']!r}: {each['fault']}")
    state = "sound" if row["sound"] else f"{count_of(len(row['examples']), 'example')} failed"
    counts = f"{count_of(row['rules'], 'rule')}, {count_of(row['guards'], 'guard')}"
    _print(f"{name}: {state}; {counts}, {count_of(row['tried'], 'example')}, hash {row['hash']}")
    _print(f"{name}: {_guarantee(row['linear'])}")
    if "over" in row:
        _show_over(row["over"])


def _guarantee(linear: Row) -> str:
    return (
        f"linear time in any text: RE2, at most {count_of(linear['instructions'], 'instruction')} "
        f"({linear['largest']}) and {linear['places']} places of a rule in a message; worst of "
        f"{count_of(linear['texts'], 'hostile text')} of {linear['characters']:,} characters: "
        f"{linear['milliseconds']} ms, {linear['twice']} times that of half of it"
    )


def _show_over(rows: Sequence[Row]) -> None:
    console = stdout()
    table = new_table("message", "by", "rule", "act", "dropped by", "where")
    for row in rows:
        where = f"{row['before']} ⟦{row['span']}⟧ {row['after']}".strip()
        cells = (row["message"], row["participant"], row["rule"], row["act"], row["dropped"], where)
        table.add_row(*map(table_cell, cells))
    if rows:
        console.print(table)
    read = Counter(row["rule"] for row in rows if not row["dropped"])
    dropped = len(rows) - sum(read.values())
    by_rule = ", ".join(f"{rule} {count}" for rule, count in sorted(read.items()))
    _print(
        f"{count_of(sum(read.values()), 'act')} read, {dropped} dropped"
        + f"; {by_rule}" * bool(read)
    )


def _print(line: str) -> None:
    stdout().print(escape(line), markup=False)
