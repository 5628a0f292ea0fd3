"""What runs and what is due, and what the doctor found: for a terminal or as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from parley.server.basics.output import (
    escape,
    print_json,
    print_line,
    print_table,
    stdout,
    styled_text,
)
from parley.server.render.command_output import print_pairs

STATES: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


def show_status(status: Mapping[str, Any], json: bool) -> None:
    """Redis, workers, what is due."""
    if json:
        print_json(status)
        return
    print_pairs(status["redis"])
    for warning in status["redis"]["warnings"]:
        print_line(f"warning: {warning}", "yellow")
    if status["nodes"]:  # of a cluster
        print_table(
            ("node", "buckets", "sessions", "due"), [[*node.values()] for node in status["nodes"]]
        )
    if status["workers"]:
        rows = [
            (worker["name"], " ".join(worker["lanes"]), f"{worker['age_ms'] / 1000:.1f} s",
             *_done(worker))
            for worker in status["workers"]
        ]  # fmt: skip
        print_table(("worker", "lanes", "silent for", "folded", "summaries"), rows)
    else:
        print_line("no worker runs; 'parley worker' starts one")
    names = ("sessions", "entries_set_aside", "entries_healed", "repaired_total")
    totals = {name: status[name] for name in names}
    print_pairs({**totals, **status["lag"]})
    if status["tenants"]:
        import msgspec

        from parley.bus.contract.quotas import TenantUse
        from parley.server.render.tables.tenant_table import show_tenants

        show_tenants([msgspec.convert(row, TenantUse) for row in status["tenants"]], json=False)
    for session, reason in status["apart"].items():
        print_line(f"set apart: {session}: {reason}", "red")


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
