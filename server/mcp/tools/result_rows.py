"""Memory and frames as the rows of results. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from parley.memory.arbitration.obstacles import find_stopping_vote
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Cite
from parley.memory.state.memory import Memory
from parley.memory.text.fences import escape_invisible
from parley.server.mcp.tools.tool_arguments import Part
from parley.server.mcp.tools.tool_results import FactRow, Floor, MessageRow
from parley.server.render.events.fact_text import fact_line
from parley.server.rows.cite_rows import RecordsByNumber, pick, quote
from parley.server.rows.digest_rows import firm_items
from parley.server.rows.item_rows import candidate_row, tool_decision_row, tool_proposal_row
from parley.server.rows.position_rows import tool_position_rows
from parley.server.rows.vote_rows import vote_row

MOST: Final = 200  # rows of a part
SAID: Final = 8_000  # characters of a message among others
Tree = dict[str, Any]


def floor_as_seen(memory: Memory, name: str) -> Floor:
    """The floor as `name` finds it."""
    floor, own, vote = memory.floor, memory.named(name), find_stopping_vote(memory)
    return Floor(
        policy=memory.settings.floor.policy, holder=floor.holder or None,
        yours=bool(own) and floor.holder == own, asked=own in floor.bids, queue=len(floor.bids),
        paused=floor.paused or None, vote=None if vote is None else vote.ref,
    )  # fmt: skip


def current_goal(memory: Memory) -> str | None:
    """What the talk works towards now."""
    opened = [
        episode.title
        for episode in memory.episodes.by_ref.values()
        if episode.kind == "goal" and episode.status == "open"
    ]
    return opened[-1] if opened else None


def message_row(data: Mapping[str, Any], memory: Memory, name: str, most: int = SAID) -> MessageRow:
    """A message as a frame has it, for `name`."""
    entry = data["entry"]
    content, to, own = entry["content"], list(entry.get("to", ())), memory.named(name)
    return MessageRow(
        n=data["n"], seq=data["seq"], participant=entry["participant"], content=content[:most],
        act=entry.get("act"), re=entry.get("re"), to=to, topic=entry.get("topic"),
        addressed=own in map(memory.named, to) or mentions(content, name), cut=len(content) > most,
    )  # fmt: skip


def mentions(content: str, name: str) -> bool:
    """Whether it says @name."""
    if "@" not in content or not name:
        return False
    asked = rf"(?<!\w)@{re.escape(name)}(?!\w)"
    return re.search(asked, content, re.IGNORECASE) is not None


def fact_row(fact: Mapping[str, Any]) -> FactRow:
    """A fact as a frame has it, in words as well."""
    return FactRow(
        n=fact.get("n", 0),
        kind=fact["kind"],
        ref=fact.get("ref"),
        says=escape_invisible(fact_line(fact)),
    )


# -- memory ------------------------------------------------------------------------------


def memory_tree(memory: Memory, part: Part) -> Tree:
    """The rows of `part` as data, cites without their words."""
    items = [*firm_items(memory)][::-1]
    proposals = [item for item in items if item.kind == "proposal"]
    decisions = [item for item in items if item.kind == "decision"]
    parts: dict[str, Callable[[], list[Tree]]] = {
        "decisions": lambda: [tool_decision_row(memory, item) for item in decisions[:MOST]],
        "proposals": lambda: [tool_proposal_row(memory, item) for item in proposals[:MOST]],
        "candidates": lambda: _candidates(memory),
        "positions": lambda: tool_position_rows(memory)[:MOST],
        "votes": lambda: [vote_row(memory, item) for item in _last(memory.votes.by_ref.values())],
    }
    asked = {*parts} - {"candidates"} if part == "all" else {part}
    return {"n": memory.n, **{name: parts[name]() if name in asked else [] for name in parts}}


def cited_messages(tree: Tree) -> set[int]:
    """The messages whose words its cites point at."""
    return {cite["n"] for row in _rows(tree) for cite in row["cites"]}


def add_quotes(tree: Tree, records: RecordsByNumber) -> Tree:
    """`tree` with the words of each cite where they are at hand."""
    for row in _rows(tree):
        for cite in row["cites"]:
            cite["quote"] = quote(Cite(cite["n"], cite["start"], cite["end"]), records)
    return tree


def _rows(tree: Tree) -> Iterator[Tree]:
    for part in ("decisions", "proposals", "positions"):
        yield from tree[part]


def _candidates(memory: Memory) -> list[Tree]:
    rows = map(partial(candidate_row, memory), ledger_of(memory).candidates()[:MOST])
    return [pick(row, "ref", "kind", "text", "participant", "n", "why") for row in rows]


def _last(items: Iterable[Any]) -> list[Any]:
    return list(items)[: -MOST - 1 : -1]
