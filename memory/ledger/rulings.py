"""Whose word settles a proposal, in what a model reads: rights, and what is needed for each.

The chair of the session rules. Somebody else rules if another participant says so (a `right`
claim), or if their ruling is reported; of a success, by another than the proposer. Without a
ruler, agreement settles a proposal: somebody besides its proposer is for it and nobody is against
it, or a vote carries it. It is rejected by agreement if its proposer gives it up, or nobody else
is for it and two are against it. Its proposer can always withdraw it, put it off or replace it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from parley.memory.ledger.ledger_rows import Grant, Side
from parley.memory.state.claim_state import KeptClaim
from parley.memory.state.memory import Memory

TAKEN: Final = ("accepted", "accepted_with_changes")  # outcomes
_CALLED: Final = "@*_`'\" "
_OWN: Final = ("withdrawn", "put_off", "replaced")


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
    ruler = ruler_of(memory, claim)
    if claim.outcome in _OWN and ruler == author == proposer:
        return True
    if ruler != author:
        own_success = author == proposer and claim.outcome in TAKEN
        return not own_success and _is_credible(claim, ruler, sides)
    if is_ruler(memory, grants, ruler, on):
        return True
    if claim.outcome in TAKEN:
        return _is_agreed(claim, author, proposer, sides)
    return claim.outcome == "rejected" and _is_given_up(claim, author, proposer, sides)


def ruler_of(memory: Memory, claim: KeptClaim) -> str:
    """Whose ruling a claim is: that of the person it names, else of the author."""
    return resolve_name(memory, claim.named) if claim.named else memory.named(claim.who)


def is_ruler(memory: Memory, grants: Iterable[Grant], name: str, on: str = "") -> bool:
    """True for the chair, and for somebody of whom another says, at any time, that they may rule.

    `on` is the handle of an item; without one the right has to be one on everything.
    """
    return name in memory.chairs or any(
        grant.who == name and grant.by != name and (not grant.targets or on in grant.targets)
        for grant in grants
    )


def _is_credible(claim: KeptClaim, ruler: str, sides: Mapping[str, Side]) -> bool:
    """True for a reported ruling, unless its ruler has said otherwise in the session."""
    side = sides.get(ruler)
    if side is None:
        return True
    contrary = "support" if claim.outcome == "rejected" else "oppose"
    return side.stance != contrary


def _is_agreed(claim: KeptClaim, author: str, proposer: str, sides: Mapping[str, Side]) -> bool:
    """True if a vote carried it, or if somebody besides the proposer supports it unopposed."""
    supporters, opponents = _others(sides, proposer)
    if author != proposer:
        supporters, opponents = supporters | {author}, opponents - {author}
    if claim.right == "vote" and len(supporters - {author}) > len(opponents):
        return True
    return bool(supporters) and not opponents


def _is_given_up(claim: KeptClaim, author: str, proposer: str, sides: Mapping[str, Side]) -> bool:
    """True if it was voted down, or if nobody holds on to it: its proposer gave it up, or two
    others are against it and no other is for it.
    """
    supporters, opponents = _others(sides, proposer)
    if author != proposer:
        supporters, opponents = supporters - {author}, opponents | {author}
    own = sides.get(proposer)
    if own is not None and own.stance == "oppose":
        return not supporters
    if claim.right == "vote" and len(opponents - {author}) > len(supporters):
        return True
    return len(opponents) > 1 and not supporters


def _others(sides: Mapping[str, Side], proposer: str) -> tuple[set[str], set[str]]:
    """Who is for it and who is against it, besides its proposer."""
    others = [side for name, side in sides.items() if name != proposer]
    supporters = {side.participant for side in others if side.stance == "support"}
    opponents = {side.participant for side in others if side.stance == "oppose"}
    return supporters, opponents
