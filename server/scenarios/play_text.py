"""What `parley run` shows: the most that it may come to, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parley.server.basics.output import count_of, format_micros
from parley.server.scenarios.cost_bound import CostBound

_UNKNOWN: Final = "cost unknown: no prices"
_ERRORS: Final = (
    "the model did not answer, or not in time, so there is no result: 'parley doctor' asks it "
    "once and says what to change; one that is only slow wants more --patience"
)


def worst_line(bound: CostBound) -> str:
    """The most that a session can come to, in a line."""
    parts = [
        count_of(bound.turns, "turn") if bound.turns is not None else "turns unbounded",
        count_of(bound.calls, "call") if bound.calls is not None else "",
        f"{bound.tokens:,} tokens" if bound.tokens is not None else "tokens unbounded",
        f"cost {format_micros(bound.micros)}" if bound.micros is not None else _UNKNOWN,
    ]
    return "at most " + ", ".join(part for part in parts if part)


def worst_row(bound: CostBound) -> dict[str, Any]:
    """The worst that a play may cost as data, by kind of call too."""
    return {
        "turns": bound.turns,
        "calls": bound.calls,
        "tokens": bound.tokens,
        "micros": bound.micros,
        "seconds": bound.seconds,
        "kinds": {
            kind.purpose: {"calls": kind.calls, "tokens": kind.tokens, "micros": kind.micros}
            for kind in bound.kinds
        },
    }


def ended_lines(
    session: str, ended: Mapping[str, Any], *, scripted: bool, priced: bool
) -> list[str]:
    """Why it ended, and its totals; `priced`: what it cost is known."""
    totals = ended["totals"]
    counts = (
        f"{count_of(totals.get('turns', 0), 'turn')}, "
        f"{count_of(totals.get('evaluations', 0), 'evaluation')}, "
        f"{count_of(totals.get('calls', 0), 'call')}, {totals.get('tokens', 0):,} tokens, "
        + (f"cost {format_micros(totals.get('micros', 0))}" if priced else _UNKNOWN)
    )
    free = " (nothing was paid: the words are the script's)" if scripted else ""
    lines = [f"{session} ended: {ended['rule'] or ended['reason']}", counts + free]
    return [*lines, _ERRORS] if "errors" in ended["reason"].split("+") else lines
