"""What other sessions decided, shown in a context on request: nothing of it is logged.

Each is a quotation with the session's name, so that nobody takes its D2 for
their own. It stands behind the breakpoint, in a share of the budget of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.memory.context.item_lines import is_repeated, visible_line
from parley.memory.context.token_budget import BudgetedLines
from parley.memory.items.importance import item_weight
from parley.memory.state.memory import Memory
from parley.memory.text.fences import FENCE

SHARE: Final = 150  # of the budget, per mille, for all that is shared
BLOCK: Final = "Shared From"

Shared = Sequence[tuple[str, Memory]]  # name of a session, and its memory


def fill_shared_decisions(page: BudgetedLines, shared: Shared, share: int) -> tuple[str, ...]:
    """Put what others decided on `page`, in at most `share` tokens; the names of the blocks."""
    if not page.wants(BLOCK):
        return ()
    room = page.left
    page.left = granted = max(0, min(room, share))
    names = tuple(dict.fromkeys(f"{BLOCK} {visible_line(session, 64)}" for session, _ in shared))
    if page.only is not None:
        page.only = page.only.union(names)
    for (session, memory), name in zip(shared, names, strict=False):
        _put(page, name, _told(memory, visible_line(session, 64)))
    page.left += room - granted
    return names


def _put(page: BudgetedLines, block: str, rows: list[tuple[str, str]]) -> None:
    for place, (what, text) in enumerate(rows):
        if not page.put(block, place, text, what=what):
            page.omit_more(block, len(rows) - place - 1)
            return


def _told(memory: Memory, session: str) -> list[tuple[str, str]]:
    """Handle and line of each ratified decision that stands, the weightiest first."""
    ledger = [
        decision
        for decision in memory.decisions.values()
        if decision.status == "ratified" and decision.stands
    ]
    ledger.sort(key=lambda decision: (-item_weight(memory, decision), decision.ref))
    rows = []
    for decision in ledger:
        what = f"{session} {decision.handle}"
        told = not decision.outcome or is_repeated(decision.topic, decision.outcome)
        outcome = "" if told else f": {visible_line(decision.outcome)}"
        rows.append(
            (what, f"{FENCE}{what} **{visible_line(decision.topic, 100)}**{outcome} (ratified)")
        )
    return rows
