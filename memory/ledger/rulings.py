"""Whose word settles a proposal, in what a model reads: rights, and what is needed for each.

The chair of the session rules. In a session without one, somebody rules if another participant
says so (a `right` claim), or reports the ruling. Without any ruler, a proposal is settled by
agreement: nobody is against it and somebody besides its proposer is for it, or more are for it
than against it in a vote. Its proposer can always withdraw it, or put it off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from parley.memory.ledger.ledger_rows import Grant, Side
from parley.memory.state.claim_state import KeptClaim
from parley.memory.state.memory import Memory

_CALLED = "@*_`'\" "


def resolve_name(memory: Memory, name: str) -> str:
    """The participant whom `name` means ("@Henrike", "henrike"); `name` itself if nobody is."""
    bare = name.strip(_CALLED)
    known = memory.names.get(bare.casefold())
    return memory.named(known or bare)


def may_rule(
    memory: Memory,
    grants: Iterable[Grant],
    claim: KeptClaim,
    proposer: str,
    on: str,
    sides: Mapping[str, Side],
) -> bool:
    """True if the ruling `claim` settles proposal `on` of `proposer`.

    `sides` are those taken up to the message of the claim.
    """
    author = memory.named(claim.who)
    ruler = resolve_name(memory, claim.named) if claim.named else author
    if claim.outcome in ("withdrawn", "put_off") and ruler == author == proposer:
        return True
    if ruler == author and ruler in memory.chairs:
        return True
    if any(
        grant.who == ruler and grant.by != ruler and (not grant.targets or on in grant.targets)
        for grant in grants
    ):
        return ruler == author or author != proposer
    if ruler != author:
        return _is_report_of_another(memory, claim, author, ruler, proposer)
    if claim.outcome in ("accepted", "accepted_with_changes"):
        return _is_agreed(claim, author, proposer, sides)
    return claim.outcome == "rejected" and claim.right == "vote" and _is_voted_down(sides)


def _is_report_of_another(
    memory: Memory, claim: KeptClaim, author: str, ruler: str, proposer: str
) -> bool:
    """True for the reported ruling of somebody who does not speak in the session.

    Participants speak for themselves; and no proposer reports the approval of their own proposal.
    """
    return ruler not in memory.participants and author != proposer and claim.right == "reported"


def _is_agreed(claim: KeptClaim, author: str, proposer: str, sides: Mapping[str, Side]) -> bool:
    """True if a vote carried it, or if somebody besides the proposer supports it unopposed."""
    others = {name: side for name, side in sides.items() if name != proposer}
    supporters = {name for name, side in others.items() if side.stance == "support"}
    opponents = {name for name, side in sides.items() if side.stance == "oppose"}
    if author != proposer and author not in opponents:
        supporters.add(author)
    if claim.right == "vote":
        return len(supporters) > len(opponents)
    return claim.right == "unopposed" and bool(supporters) and not opponents


def _is_voted_down(sides: Mapping[str, Side]) -> bool:
    stances = [side.stance for side in sides.values()]
    return stances.count("oppose") > stances.count("support")
