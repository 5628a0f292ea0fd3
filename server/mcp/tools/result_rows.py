"""Memory and frames as the rows of results. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from parley.memory.extraction.model_claims.item_overlay import (
    ClaimOverlay,
    listed_status,
    overlay_claims,
)
from parley.memory.state.item_state import Cite as Place
from parley.memory.state.item_state import Decision, Origin, Position, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.fences import escape_invisible
from parley.server.mcp.tools.tool_arguments import Part
from parley.server.mcp.tools.tool_results import FactRow, Floor, MessageRow
from parley.server.render.events.fact_text import fact_line
from parley.server.rows.cite_rows import Said, quote
from parley.server.rows.vote_rows import vote_row

MOST: Final = 200  # rows of a part
SAID: Final = 8_000  # characters of a message among others
Tree = dict[str, Any]


def floor_row(memory: Memory, name: str) -> Floor:
    """The floor as `name` finds it."""
    floor, own = memory.floor, memory.named(name)
    return Floor(
        policy=memory.settings.floor.policy, holder=floor.holder or None,
        yours=bool(own) and floor.holder == own, asked=own in floor.bids, queue=len(floor.bids),
        paused=floor.paused or None,
    )  # fmt: skip


def current_goal(memory: Memory) -> str | None:
    """What the talk works towards now."""
    opened = [
        episode.title
        for episode in memory.episodes.held.values()
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
    read = overlay_claims(memory)
    parts: dict[str, Callable[[], list[Tree]]] = {
        "decisions": lambda: [_decision(item, read) for item in _newest(_decisions(memory))],
        "proposals": lambda: [_proposal(item, read) for item in _newest(_proposals(memory))],
        "positions": lambda: _positions(memory),
        "votes": lambda: [vote_row(memory, item) for item in _last(memory.votes.held.values())],
    }
    return {
        "n": memory.n,
        **{name: rows() if part in (name, "all") else [] for name, rows in parts.items()},
    }


def cited_messages(tree: Tree) -> set[int]:
    """The messages whose words its cites point at."""
    return {cite["n"] for row in _rows(tree) for cite in row["cites"]}


def add_quotes(tree: Tree, records: Said) -> Tree:
    """The same, each cite with its words where they are at hand."""
    for row in _rows(tree):
        for cite in row["cites"]:
            cite["quote"] = quote(Place(cite["n"], cite["start"], cite["end"]), records)
    return tree


def _rows(tree: Tree) -> Iterator[Tree]:
    for part in ("decisions", "proposals", "positions"):
        yield from tree[part]


def _decisions(memory: Memory) -> Iterator[Decision]:
    return (
        decision
        for decision in memory.decisions.values()
        if memory.decision(decision.ref) is decision
    )


def _proposals(memory: Memory) -> Iterator[Proposal]:
    return (
        proposal
        for proposal in memory.proposals.values()
        if memory.proposal(proposal.ref) is proposal
    )


def _newest(items: Iterable[Any]) -> list[Any]:
    return sorted(items, key=lambda item: -item.ref)[:MOST]


def _last(items: Iterable[Any]) -> list[Any]:
    return list(items)[: -MOST - 1 : -1]


def _decision(decision: Decision, read: ClaimOverlay) -> Tree:
    return {
        "ref": decision.handle,
        "status": listed_status(read, decision),
        "tentative": decision.tentative,
        "topic": decision.topic,
        "outcome": decision.outcome,
        "participant": decision.participant,
        "n": decision.born,
        "resolves": None if decision.resolves is None else f"P{decision.resolves}",
        "supporters": sorted(decision.supporters),
        "dissenters": sorted(decision.dissenters),
        "abstainers": sorted(decision.abstainers),
        "cites": _cites(decision.origin, decision.ratified, decision.disputed),
    }


def _proposal(proposal: Proposal, read: ClaimOverlay) -> Tree:
    sides: dict[str, list[str]] = {"support": [], "oppose": [], "neutral": []}
    for name, reaction in sorted(proposal.reactions.items()):
        sides[reaction.stance].append(name)
    return {
        "ref": proposal.handle,
        "status": listed_status(read, proposal),
        "tentative": proposal.tentative,
        "topic": proposal.topic,
        "text": proposal.text,
        "participant": proposal.participant,
        "n": proposal.born,
        "amends": None if proposal.amends is None else f"P{proposal.amends}",
        **sides,
        "cites": _cites(proposal.origin, proposal.settled),
    }


def _positions(memory: Memory) -> list[Tree]:
    rows = [
        (position.cite.n, name, position)
        for name, participant in memory.participants.items()
        for position in participant.positions.values()
    ]
    rows.sort(key=lambda row: (-row[0], row[1]))
    return [_position(name, position) for _, name, position in rows[:MOST]]


def _position(name: str, position: Position) -> Tree:
    places = [position.cite, *filter(None, [position.was_cite])]
    return {
        "participant": name,
        "on": position.on,
        "stance": position.stance,
        "text": position.text,
        "was": position.was,
        "n": position.cite.n,
        "cites": _places(places),
    }


def _cites(*origins: Origin | None) -> list[Tree]:
    return _places([cite for origin in origins if origin is not None for cite in origin.cites])


def _places(cites: Sequence[Place]) -> list[Tree]:
    places = dict.fromkeys((cite.n, cite.start, cite.end) for cite in cites)
    return [{"n": n, "start": start, "end": end} for n, start, end in places]
