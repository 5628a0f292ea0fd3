"""What a decision in force settled is open at no door, and what is told as a cause came before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from parley.memory.context.context import Request, assemble
from parley.memory.context.tail import OPEN
from parley.memory.items.echoes import find_reason, is_reoffered, settling_entry
from parley.memory.state.memory import Memory
from parley.server.library.memory_rows import list_proposals
from parley.server.mcp.tools.result_rows import memory_tree
from parley.server.render.session_text import view_lines
from parley.server.rows.digest_rows import digest
from parley.server.rows.page_rows import page_row
from tests.memory.laws.test_bytes_pinned import entries_of, folded, transcripts
from tests.support.logs.corpora import ROOT, long_session, needs_corpora
from tests.support.logs.fixed_logs import fixed_session

FOLDERS = ("agents/dev", "dev/irc", "dev/wg")


def opened(memory: Memory) -> dict[str, set[str]]:
    """The handles that each door lists as open proposals."""
    digested = digest(memory, {})["open"]
    rows = {"minutes": [row["handle"] for row in digested]}
    rows["python"] = active(list_proposals(memory, {}), "handle")
    rows["page"] = active(page_row(memory)["proposals"], "ref")
    rows["mcp"] = active(memory_tree(memory, "proposals")["proposals"], "ref")
    rows["chat"] = [line.split()[0] for line in view_lines(memory, "memory")]
    context = assemble(memory, Request(profile="full"))
    blocks = [block.text for block in context.blocks if block.name == OPEN]
    lines = [line for text in blocks for line in text.splitlines() if line.startswith("- P")]
    rows["context"] = [line.split()[1] for line in lines]
    return {door: set(handles) for door, handles in rows.items()}


def active(rows: Sequence[Mapping[str, object]], handle: str) -> list[str]:
    return [str(row[handle]) for row in rows if row["status"] == "active"]


def settled(memory: Memory) -> set[str]:
    """The proposals that a decision in force settles."""
    standing = (decision for decision in memory.decisions.values() if decision.stands)
    ratified = [each for each in standing if each.binds and each.ratified is not None]
    return {f"P{each.resolves}" for each in ratified if each.resolves is not None}


def causes(memory: Memory) -> Iterator[tuple[str, int, int]]:
    """Each cause that is told, as what it is, its entry and that of its effect."""
    for proposal in memory.proposals.values():
        end, why = settling_entry(proposal), find_reason(memory, proposal)
        if why is not None:
            yield f"why {proposal.handle} is {proposal.status}", why.n, end or 0
        earlier = memory.proposals.get(proposal.echoes or 0)
        if earlier is not None and is_reoffered(proposal, earlier):
            yield f"{proposal.handle} offers again", settling_entry(earlier) or 0, proposal.born
    for person in memory.participants.values():
        for position in person.positions.values():
            if position.moved_n:
                yield f"{person.name} moved on {position.on}", position.moved_n, position.cite.n


def check(memory: Memory) -> tuple[int, int]:
    """Holds a memory to both; how many settled proposals and causes it had."""
    by_decision, told = settled(memory), list(causes(memory))
    for door, handles in opened(memory).items():
        assert not handles & by_decision, door
    assert [cause for cause in told if cause[1] > cause[2]] == []
    return len(by_decision), len(told)


def check_all(memories: Iterator[Memory]) -> None:
    """Of as many, some have what is looked for."""
    counts = [check(memory) for memory in memories]
    assert all(map(sum, zip(*counts, strict=True)))


@pytest.mark.parametrize("logs", [200, pytest.param(4_000, marks=pytest.mark.long)])
def test_generated_sessions_list_nothing_settled_as_open(logs: int) -> None:
    """Sessions of every kind of entry, corrections and merges among them."""
    check_all(fixed_session(number).memory for number in range(logs))


@needs_corpora
@pytest.mark.parametrize("most", [8, pytest.param(None, marks=pytest.mark.long)])
def test_recorded_talk_lists_nothing_settled_as_open(most: int | None) -> None:
    """Of agents, of chat, of meetings, and one that is long."""
    files = [file for folder in FOLDERS for file in transcripts(ROOT / folder)[:most]]
    check_all(folded(entries_of(file)) for file in [*files, *([] if most else [long_session()])])
