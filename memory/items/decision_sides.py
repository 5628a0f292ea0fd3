"""Who stands where on a decision: supporters, dissenters, abstainers, counted."""

from __future__ import annotations

from parley.memory.extraction.structure.shelves import is_firm_side
from parley.memory.state.item_state import Decision, Origin, Proposal, Stance
from parley.memory.state.memory import Memory


def compute_sides(memory: Memory, decision: Decision, proposal: Proposal) -> None:
    """Compute the sides of `decision` from the firm reactions to `proposal`."""
    firm = {name: each for name, each in proposal.reactions.items() if is_firm_side(each)}
    for name, reaction in firm.items():
        put_on_side(memory, decision, name, reaction.stance, reaction.origin)
    proposer = proposal.participant
    if proposer not in firm and not _spoke(decision, proposer):
        decision.supporters[proposer] = proposal.origin
        memory.cites.note(decision, proposal.origin)
    decision.tally = count_sides(decision)


def has_spoken_since(decision: Decision, name: str, n: int) -> bool:
    """True where `name` took a side in an entry later than `n`."""
    sides = (decision.supporters, decision.dissenters, decision.abstainers)
    return any(name in side and side[name].cites[0].n > n for side in sides)


def _spoke(decision: Decision, name: str) -> bool:
    return any(
        name in side for side in (decision.supporters, decision.dissenters, decision.abstainers)
    )


def put_on_side(
    memory: Memory, decision: Decision, name: str, stance: Stance, origin: Origin
) -> None:
    """Put `name` on one side of `decision`, and off the others."""
    for side in (decision.supporters, decision.dissenters, decision.abstainers):
        side.pop(name, None)
    sides = {
        "support": decision.supporters,
        "oppose": decision.dissenters,
        "neutral": decision.abstainers,
    }
    sides[stance][name] = origin
    memory.cites.note(decision, origin)
    decision.tally = count_sides(decision)


def count_sides(decision: Decision) -> tuple[int, int, int]:
    """Supporters, dissenters and abstainers, counted."""
    return len(decision.supporters), len(decision.dissenters), len(decision.abstainers)


def sides_row(decision: Decision) -> dict[str, object]:
    """The sides as a fact carries them."""
    return {
        "supporters": sorted(decision.supporters),
        "dissenters": sorted(decision.dissenters),
        "abstainers": sorted(decision.abstainers),
        "tally": list(decision.tally),
    }
