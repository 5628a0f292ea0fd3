"""A talk of twelve turns that a scripted model has by a framework's tools, and its check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from parley import Session

SESSION: Final = "orders"
CHAIR: Final = "lead"


@dataclass(frozen=True, slots=True)
class Turn:
    """What `agent` calls, and the words that it ends its turn with; "" for none."""

    agent: str
    tool: str
    given: Mapping[str, Any] = field(default_factory=dict)


TURNS: Final = (
    Turn("ana", "propose", {"content": "We keep the orders in Postgres."}),
    Turn("ben", "support", {"ref": "P1", "why": "We know how to run it."}),
    Turn("cy", "oppose", {"ref": "P1", "why": "One region alone is a risk."}),
    Turn("ana", "say", {"content": "What would change your mind?", "act": "ask", "re": "P1"}),
    Turn("cy", "say", {"content": "A copy in another region."}),
    Turn("ben", "propose", {"content": "We run a replica in each region."}),
    Turn("cy", "support", {"ref": "P2", "why": "That is what I asked for."}),
    Turn("ana", "support", {"ref": "p2"}),
    Turn("cy", "support", {"ref": "P1", "why": "With the replica I am for it."}),
    Turn("lead", "decide", {"content": "Postgres it is.", "re": "P1"}),
    Turn("lead", "decide", {"content": "A replica in each region.", "re": "P2"}),
    Turn("ben", "say", {"content": "I set it up on Monday.", "act": "inform"}),
)
PROPOSAL: Final = "We keep the orders in Postgres."


def would_repeat(prompt: str) -> Turn:
    """What an agent of the examples does: it proposes, unless it reads that in its prompt."""
    if PROPOSAL.rstrip(".") in prompt:
        return Turn("", "support", {"ref": "P1"})
    return Turn("", "propose", {"content": PROPOSAL})


async def check_example(ledger: str) -> None:
    """The examples' two agents proposed once, and the second supported that."""
    assert PROPOSAL.rstrip(".") in ledger
    acts = [row[:3] for row in await said() if row[1] is not None]
    assert acts == [("backend", "propose", None), ("data", "support", "P1")]


REFUSED: Final = Turn("ana", "support", {"ref": "P9"})
REFUSAL: Final = "no item 'P9'"


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedded server's data are the test's own."""
    monkeypatch.setenv("PARLEY_DATA", str(tmp_path))
    monkeypatch.delenv("PARLEY_REDIS", raising=False)


async def said() -> list[tuple[str, str | None, int | str | None, str]]:
    """Each message of the session: who, act, on what, words."""
    async with Session.open(SESSION) as session:
        records = (await session.get_memory_state()).records
    entries: list[Any] = [record.entry for record in records if record.is_message]
    return [(entry.participant, entry.act, entry.re, entry.content) for entry in entries]


async def check_acts(ended_with: str) -> None:
    """Every turn is in the log by its act, after it what its agent ended it with, and no more."""
    expected: list[tuple[str, str | None, int | str | None]] = []
    for turn in TURNS:
        act = turn.given.get("act") if turn.tool == "say" else turn.tool
        on = turn.given.get("ref") or turn.given.get("re")
        expected.append((turn.agent, act, on.upper() if on else None))
        if ended_with:
            expected.append((turn.agent, None, None))
    found = await said()
    assert [row[:3] for row in found] == expected
    async with Session.open(SESSION) as session:
        proposals = [(row["handle"], row["status"]) for row in await session.proposals()]
    assert proposals == [("P1", "accepted"), ("P2", "accepted")]
