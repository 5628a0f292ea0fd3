"""`/vote`, as it is typed: a ballot, a call for one, more time for it. Pure."""

from __future__ import annotations

from parley.bus.entries import BallotCast, VoteExtended, VoteInitiated
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import explain_bad_ballot, read_choice
from parley.memory.voting.extensions import extension_refusal
from parley.server.basics.durations import parse_duration
from parley.server.basics.entry_drafts import build_entry
from parley.server.basics.errors import Misuse
from parley.server.chat_commands.typed_line import (
    Command,
    Publish,
    Show,
    TypedLine,
    find_item,
    list_handles,
    looks_like,
)


def vote(line: TypedLine) -> Command:
    if not line.rest:
        return Show("votes")
    word, rest = line.first("")
    if word == "call":
        return _call(line, rest)
    if word == "extend":
        return _extend(line, rest)
    vote = _vote_of(line.memory, word)
    text = rest if looks_like(word, "V") else line.rest
    return Publish((_ballot(line.me, vote, text),))


def _call(line: TypedLine, rest: str) -> Publish:
    word, _, question = rest.partition(" ")
    if not word:
        raise Misuse("say on what: /vote call P3, or /vote call QUESTION")
    if not looks_like(word, "P"):
        return Publish((build_entry(VoteInitiated, participant=line.me, content=rest),), "vote")
    ref = find_item(line.memory, word, "P")
    asked = question.strip() or f"Do we go with {ref}?"
    return Publish(
        (build_entry(VoteInitiated, participant=line.me, content=asked, re=ref),), "vote"
    )


def _extend(line: TypedLine, rest: str) -> Publish:
    """More time for the vote that is named, or for the one that is open."""
    words = rest.split()
    if len(words) == (2 if words and looks_like(words[0], "V") else 1):
        vote, seconds = _vote_of(line.memory, words[0]), parse_duration(words[-1])
    else:
        raise Misuse("say for how much longer: /vote extend 30m, or /vote extend V1 1d")
    if reason := extension_refusal(line.memory, line.memory.named(line.me), vote, seconds):
        raise Misuse(reason)
    return Publish((build_entry(VoteExtended, participant=line.me, re=vote.n, seconds=seconds),))


def _vote_of(memory: Memory, word: str) -> Vote:
    """The vote that `word` names, or the one that is open where it names none."""
    votes = memory.votes.by_ref
    if looks_like(word, "V"):
        vote = votes.get(int(word[1:]))
        if vote is None:
            raise Misuse(
                f"no vote {word.upper()}; {list_handles('votes', [f'V{ref}' for ref in votes])}"
            )
        if vote.status != "open":
            raise Misuse(f"{word.upper()} is not open, it is {vote.status}")
        return vote
    running = [votes[ref] for ref in memory.votes.running if votes[ref].status == "open"]
    if len(running) != 1:
        raise Misuse("say in which vote: /vote V1 CHOICE" if running else "no vote is open")
    return running[0]


def _ballot(me: str, vote: Vote, text: str) -> BallotCast:
    """The ballot in `text`: an option of several words whole, or several options."""
    choices = text.split()
    for words in ([text], text.split(","), choices):
        if (read := read_choice(vote, words)) is not None:
            return build_entry(BallotCast, participant=me, re=vote.n, choice=read)
    raise Misuse(explain_bad_ballot(vote, choices))
