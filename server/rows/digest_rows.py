"""The minutes of a session: what it came to, who stood where, and the words that show it. Pure.

`digest` gives plain JSON-ready data; `parley.server.render.command_output` shows it. Numbers of
messages are `n`, as everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from parley.memory.extraction.model_claims.item_overlay import listed_status, overlay_claims
from parley.memory.items import echoes
from parley.memory.state.item_state import Decision, Origin, Participant, Position, Proposal
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_memory
from parley.server.rows.cite_rows import Said, origin_row, quote
from parley.server.rows.claim_rows import cited_entries, claim_rows
from parley.server.rows.vote_rows import vote_row


def cited(memory: Memory) -> set[int]:
    """The entries whose words the minutes quote."""
    numbers: set[int] = set()
    for item in _items(memory):
        for origin in origins(item):
            numbers.update(cite.n for cite in origin.cites)
    for participant in memory.participants.values():
        numbers.update(cite.n for cite in participant.contributions)
    return numbers | cited_entries(overlay_claims(memory))


def digest(memory: Memory, records: Said) -> dict[str, Any]:
    """The whole report. `records` holds at least the entries that `cited` asks for;
    what it lacks is cited by number without a quote."""
    decisions = [d for d in memory.decisions.values() if memory.decision(d.ref) is d]
    proposals = [p for p in memory.proposals.values() if memory.proposal(p.ref) is p]
    read = overlay_claims(memory)
    items: list[Proposal | Decision] = [*decisions, *proposals]
    status = {item.handle: listed_status(read, item) for item in items}
    listed = [{**proposal_row(p, records), "status": status[p.handle]} for p in proposals]
    return {
        "title": memory.title,
        "closed": memory.closed,
        "messages": memory.messages,
        "participants": len(memory.participants),
        "decisions": [{**decision_row(d, records), "status": status[d.handle]} for d in decisions],
        "open": [row for row in listed if row["status"] == "active"],
        "settled": [row for row in listed if row["status"] != "active"],
        "reading": claim_rows(read, records),
        "votes": [vote_row(memory, vote) for vote in memory.votes.held.values()],
        "echoes": [echo_row(p, memory) for p in proposals if p.echoes is not None],
        "positions": [
            participant_row(p, records) for p in memory.participants.values() if p.messages
        ],
        "summaries": [
            {"level": s.level, "first": s.first, "last": s.last, "how": s.how, "text": s.text}
            for s in sorted(memory.summaries.values(), key=lambda s: (s.first, -s.level))
        ],
        "statistics": count_memory(memory),
    }


def decision_row(decision: Decision, records: Said) -> dict[str, Any]:
    """One decision with its supporters, its dissent and its evidence."""
    return {
        "handle": decision.handle,
        "status": decision.status,
        "tentative": decision.tentative,
        "topic": decision.topic,
        "outcome": decision.outcome,
        "participant": decision.participant,
        "n": decision.born,
        "at": decision.at,
        "resolves": _handle("P", decision.resolves),
        "supersedes": _handle("D", decision.supersedes),
        "superseded_by": _handle("D", decision.superseded_by),
        "supporters": _voices(decision.supporters, records),
        "dissenters": _voices(decision.dissenters, records),
        "abstainers": _voices(decision.abstainers, records),
        "tally": _tally(decision.tally),
        "evidence": origin_row(decision.origin, records),
        "ratified": origin_row(decision.ratified, records),
        "disputed": origin_row(decision.disputed, records),
    }


def proposal_row(proposal: Proposal, records: Said) -> dict[str, Any]:
    """One proposal with who stands where on it."""
    return {
        "handle": proposal.handle,
        "status": proposal.status,
        "tentative": proposal.tentative,
        "topic": proposal.topic,
        "text": proposal.text,
        "participant": proposal.participant,
        "n": proposal.born,
        "at": proposal.at,
        "amends": _handle("P", proposal.amends),
        "echoes": _handle("P", proposal.echoes),
        "superseded_by": _handle("P", proposal.superseded_by),
        "reactions": [
            {
                "participant": name,
                "stance": reaction.stance,
                "conditional": reaction.conditional,
                "counted": reaction.counted,
                **(origin_row(reaction.origin, records) or {}),
            }
            for name, reaction in proposal.reactions.items()
        ],
        "tally": _tally(proposal.tally),
        "evidence": origin_row(proposal.origin, records),
        "settled": origin_row(proposal.settled, records),
    }


def echo_row(proposal: Proposal, memory: Memory) -> dict[str, Any]:
    """A proposal that repeats an earlier one, and what became of that."""
    earlier = memory.proposals[proposal.echoes or 0]
    why = echoes.find_reason(memory, earlier)
    return {
        "handle": proposal.handle,
        "n": proposal.born,
        "topic": proposal.topic,
        "participant": proposal.participant,
        "repeats": earlier.handle,
        "repeats_n": earlier.born,
        "status": earlier.status,
        "settled_n": echoes.settling_entry(earlier),
        "similarity": proposal.similarity,
        "shared": list(proposal.shared),
        "model": proposal.alike_by or None,
        "reoffered": earlier.status in echoes.GIVEN_UP,
        "because": None if why is None else why._asdict(),
    }


def _items(memory: Memory) -> Iterator[Proposal | Decision]:
    yield from memory.proposals.values()
    yield from memory.decisions.values()


def origins(item: Proposal | Decision) -> Iterator[Origin]:
    """Where it comes from, and every stance and change of state on it."""
    yield item.origin
    if isinstance(item, Proposal):
        yield from (reaction.origin for reaction in item.reactions.values())
        late: Iterable[Origin | None] = (item.settled,)
    else:
        for voices in (item.supporters, item.dissenters, item.abstainers):
            yield from voices.values()
        late = (item.ratified, item.disputed)
    yield from (origin for origin in late if origin is not None)


def _voices(voices: Mapping[str, Origin], records: Said) -> list[dict[str, Any]]:
    return [
        {"participant": name, **(origin_row(origin, records) or {})}
        for name, origin in voices.items()
    ]


def participant_row(participant: Participant, records: Said) -> dict[str, Any]:
    """One participant's positions and key contributions."""
    return {
        "participant": participant.name,
        "messages": participant.messages,
        "last": participant.last,
        "positions": [position_row(position) for position in participant.positions.values()],
        "contributions": [
            {"n": cite.n, "quote": quote(cite, records)} for cite in participant.contributions
        ],
    }


def position_row(position: Position) -> dict[str, Any]:
    """Where somebody stands on one thing, and where they stood before."""
    return {
        "on": position.on,
        "stance": position.stance,
        "n": position.cite.n,
        "text": position.text,
        "was": position.was,
        "was_n": position.was_cite.n if position.was_cite else None,
        "moved_by": position.moved_by or None,
        "moved_n": position.moved_n or None,
    }


def _handle(letter: str, ref: int | None) -> str | None:
    return None if ref is None else f"{letter}{ref}"


def _tally(tally: tuple[int, int, int]) -> dict[str, int]:
    return dict(zip(("support", "oppose", "neutral"), tally, strict=True))
