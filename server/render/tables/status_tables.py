"""What runs and what is due, and what the doctor found: for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from parley.server.basics.output import (
    escape,
    new_table,
    print_json,
    stdout,
    styled_text,
    table_cell,
)
from parley.server.render.command_output import print_pairs

STATES: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


def show_status(status: Mapping[str, Any], json: bool) -> None:
    """Redis, workers, what is due."""
    if json:
        print_json(status)
        return
    console = stdout()
    print_pairs(console, status["redis"])
    for warning in status["redis"]["warnings"]:
        console.print(styled_text(f"warning: {warning}", "yellow"))
    _show_nodes(status["nodes"])
    table = new_table("worker", "lanes", "silent for", "folded", "summaries")
    for worker in status["workers"]:
        silent = f"{worker['age_ms'] / 1000:.1f} s"
        row = (worker["name"], " ".join(worker["lanes"]), silent, *_done(worker))
        table.add_row(*map(table_cell, row))
    console.print(table if status["workers"] else "no worker runs; 'parley worker' starts one")
    totals = {name: status[name] for name in ("sessions", "entries_set_aside", "repaired_total")}
    print_pairs(console, {**totals, **status["lag"]})
    for session, reason in status["apart"].items():
        console.print(styled_text(f"set apart: {session}: {reason}", "red"))


def _show_nodes(nodes: Sequence[Mapping[str, Any]]) -> None:
    """The nodes of a cluster; elsewhere there is nothing to tell."""
    if nodes:
        table = new_table("node", "buckets", "sessions", "due")
        for node in nodes:
            table.add_row(*map(table_cell, node.values()))
        stdout().print(table)


def _done(worker: Mapping[str, Any]) -> tuple[object, object]:
    """What a worker says that it folded and wrote; each lane has its own numbers."""
    written = worker["extracts"] + worker["models"] if "extracts" in worker else "-"
    return worker.get("folded", "-"), written


def show_checks(checks: Sequence[Mapping[str, str]], json: bool) -> None:
    """What was checked, how it stands, and how to mend it."""
    if json:
        for check in checks:
            print_json(check)
        return
    console = stdout()
    for check in checks:
        state = styled_text(f"{check['state']:<5}", STATES[check["state"]])
        console.print(state.append(escape(f"{check['what']}: {check['finding']}"), style="default"))
