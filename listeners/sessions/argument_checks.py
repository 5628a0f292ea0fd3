"""What a program may hand in at the door of a session. Pure; refuses with `InvalidEntry`.

The fold would refuse the same, but only tell it as a fact, which whoever asked may
never look for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import ACTS, VoteInitiated
from parley.bus.entries.fields import suggest
from parley.memory.errors import SettingsRefused
from parley.memory.floor.seats import may_act
from parley.memory.settings.session_settings import parse_settings
from parley.memory.state.lookup import find_vote
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.counting_rules import Choice
from parley.memory.voting.electorate import explain_bad_ballot, read_choice
from parley.memory.voting.extensions import extension_refusal
from parley.memory.voting.vote_advice import advise_caller, tell_ended
from parley.memory.voting.vote_calls import call_refusal
from parley.personas.persona_file import CAPABILITIES


class ActNotAllowed(InvalidEntry):
    """The seat of `participant` lists acts that it may say, and not `act`."""

    def __init__(self, participant: str, act: str, may: Sequence[str]) -> None:
        acts = ", ".join(word for word in may if word in ACTS)
        super().__init__(f"{participant!r} may not {act}: its seat may {acts}")
        self.participant, self.act = participant, act


def check_act(memory: Memory, name: str, act: str | None) -> None:
    """Raises `ActNotAllowed` where the seat of `name` does not let `act` be said."""
    canonical = memory.named(name)
    if act is not None and not may_act(memory, canonical, act):
        raise ActNotAllowed(name, act, memory.floor.seats[canonical].may or ())


def check_powers(may: Sequence[str] | None) -> tuple[str, ...] | None:
    """Acts and capabilities, as a seat has them."""
    if may is None:
        return None
    known = (*ACTS, *CAPABILITIES)
    unknown_words = [word for word in may if word not in known]
    if isinstance(may, str) or unknown_words:
        wrong = may if isinstance(may, str) else unknown_words[0]
        near = suggest(wrong, known)
        raise InvalidEntry(f"may: {wrong!r} is not in a list of {', '.join(known)}{near}")
    return tuple(may)


def check_settings(tree: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings that a session may be opened with."""
    settings_tree = dict(tree or {})
    try:
        parse_settings(settings_tree)
    except SettingsRefused as refused:
        raise InvalidEntry(f"settings: {refused.key}: {refused.reason}") from None
    return settings_tree


def check_call(memory: Memory, name: str, entry: VoteInitiated) -> None:
    """Whether a vote that `name` calls would be held."""
    if reason := call_refusal(memory, memory.named(name), entry):
        raise InvalidEntry(f"no vote for {name}: {advise_caller(memory, entry, reason)}")


def check_ballot(memory: Memory, name: str, ref: str, choice: Sequence[str]) -> tuple[Vote, Choice]:
    """The open vote `ref` (V1), and `choice` as its options are written."""
    vote = _known_vote(memory, ref)
    if vote.status != "open":
        raise InvalidEntry(tell_ended(memory, vote))
    if memory.named(name) not in vote.electorate:
        raise InvalidEntry(f"{name} has no vote in {vote.handle}: it sat down later")
    ballot_choice = read_choice(vote, choice)
    if ballot_choice is None:
        raise InvalidEntry(explain_bad_ballot(vote, choice))
    return vote, ballot_choice


def check_extension(memory: Memory, name: str, ref: str, seconds: int) -> Vote:
    """The open vote `ref` (V1), which `name` may give `seconds` more."""
    vote = _known_vote(memory, ref)
    if reason := extension_refusal(memory, memory.named(name), vote, seconds):
        raise InvalidEntry(f"no more time by {name}: {reason}")
    return vote


def check_extended(memory: Memory, n: int, extension: int) -> None:
    """Whether the vote of entry `n` had not ended when more time landed, behind `extension`."""
    vote = find_vote(memory, n)
    if vote is not None and 0 < vote.closed <= extension:
        raise InvalidEntry(f"{vote.handle} is {vote.status}: the time came after its end")


def _known_vote(memory: Memory, ref: str) -> Vote:
    vote = find_vote(memory, ref.upper() if ref[:1] in "vV" else f"V{ref}")
    if vote is None:
        handles = ", ".join(f"V{handle_n}" for handle_n in memory.votes.by_ref) or "none yet"
        raise InvalidEntry(f"no vote {ref!r}; there is {handles}")
    return vote


def check_in_time(memory: Memory, n: int, ballot: int) -> None:
    """Whether the vote of entry `n` had not ended when entry `check_ballot` landed."""
    vote = find_vote(memory, n)
    if vote is not None and 0 < vote.closed < ballot:
        raise InvalidEntry(f"{vote.handle} is {vote.status}: the ballot came after its end")
