"""Who may call a vote, who votes in it with what weight, and what a ballot says. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from parley.memory.floor.seats import is_allowed
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import ABSTAIN, Choice

_HANDLE: Final = re.compile(r"P[1-9][0-9]{0,8}")


def may_call(memory: Memory, name: str) -> bool:
    """True for chairs, people, and agents with the capability `vote`."""
    return is_allowed(memory, name, "vote")


def is_attended(memory: Memory, vote: Vote, on: str | None) -> bool:
    """True if `vote` counts for option `on`, or at all (None): a chair called it, or enough
    others cast a ballot.

    Others than the proposer of what it is on; of an option in words, than who called the vote.
    """
    if vote.by in memory.chairs:
        return True
    return count_others(memory, vote, on, vote.ballots) >= memory.settings.ratify.quorum


def count_others(memory: Memory, vote: Vote, on: str | None, names: Iterable[str]) -> int:
    """How many of `names` are others than who made what `vote` decides by option `on`."""
    proposal = None if vote.proposal is None else memory.proposal(vote.proposal)
    if on is not None and is_proposal_handle(on):
        proposal = option_proposal(memory, on)
    apart = (vote.by,) if proposal is None else (proposal.participant, proposal.typist)
    return sum(name not in apart for name in names)


def list_electorate(memory: Memory) -> dict[str, int]:
    """Weight by name: whoever has a seat now and is no observer, else whoever has spoken."""
    seats = memory.floor.seats
    if any(seat.present and seat.role != "observer" for seat in seats.values()):
        return {
            name: seat.weight
            for name, seat in sorted(seats.items())
            if seat.present and seat.role != "observer"
        }
    return {
        name: 1
        for name, person in sorted(memory.participants.items())
        if person.messages and name not in memory.bots
    }


def write_option(text: str) -> str:
    """An option as memory writes it: words on one line, a handle in capitals."""
    word = " ".join(text.split())
    return word.upper() if is_proposal_handle(word.upper()) else word


def is_proposal_handle(option: str) -> bool:
    """True for an option that is written as a proposal's handle is."""
    return _HANDLE.fullmatch(option) is not None


def option_proposal(memory: Memory, option: str) -> Proposal | None:
    """The proposal that the handle `option` names now."""
    item = memory.item(option)
    return item if isinstance(item, Proposal) else None


def read_choice(vote: Vote, choice: Iterable[str]) -> Choice | None:
    """`choice` as option ids of `vote`, whatever its case; None where it is no valid ballot."""
    ids = {option.casefold(): option for option in (*vote.options, ABSTAIN)}
    read = [ids.get(" ".join(word.split()).casefold()) for word in choice]
    options = [option for option in read if option is not None]
    if not options or len(options) < len(read) or len(set(options)) < len(options):
        return None
    if len(options) > 1 and (vote.rule != "ranked" or ABSTAIN in options):
        return None
    return tuple(options)


def explain_bad_ballot(vote: Vote, choice: Sequence[str]) -> str:
    """What is wrong with a `choice` that `read_choice` does not read, naming the options."""
    options = ", ".join((*vote.options, ABSTAIN))
    if len(choice) != 1 and vote.rule != "ranked":
        return f"{vote.handle} takes one of: {options}"
    wrong = [word for word in choice if read_choice(vote, [word]) is None]
    if wrong:
        return f"{wrong[0]!r} is no option of {vote.handle}; they are {options}"
    return f"{vote.handle} ranks each option once, and {ABSTAIN} stands alone: {options}"


def list_missing_voters(vote: Vote) -> list[str]:
    """Who has neither a valid ballot nor two that could not be read, in alphabetical order."""
    return [name for name in sorted(vote.electorate) if not _is_in(vote, name)]


def _is_in(vote: Vote, name: str) -> bool:
    ballot = vote.ballots.get(name)
    return ballot is not None and (bool(ballot.choice) or ballot.invalid > 1)
