"""Votes that reply to a line which nobody marked: what they show, and whose they are."""

from __future__ import annotations

import pytest

from parley.bus.entries import Entry, EntryRedacted, Message, ParticipantAliased
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from tests.support.logs.logs import PACKS, folded, numbered, opened, talk

CLOSE = "Remove the rate limits and require a key from all"
OTHER = "The working group will drop the old importer in the next release"


def reply(who: str, content: str = "+1", re: int = 1, act: str | None = None) -> Message:
    """A message in reply to an earlier one."""
    return Message(participant=who, content=content, re=re, act=act)


@pytest.mark.parametrize(("content", "act"), [("+1", None), ("\N{THUMBS UP SIGN}", "support")])
def test_votes_in_reply_to_a_line_make_it_a_proposal(content: str, act: str | None) -> None:
    """As bare votes right below it do; they are its reactions."""
    memory, _ = folded(talk(
        ("ana", CLOSE), *(reply(who, content, 1, act) for who in ("bob", "cy", "dee")),
    ))  # fmt: skip
    (proposal,) = memory.proposals.values()
    assert (proposal.born, proposal.participant, proposal.origin.how) == (1, "ana", "structure")
    assert {who: each.stance for who, each in proposal.reactions.items()} == dict.fromkeys(
        ("bob", "cy", "dee"), "support"
    )
    assert {each.origin.how for each in proposal.reactions.values()} == {"act" if act else "tag"}


def test_votes_in_reply_are_on_that_line_and_not_on_a_nearer_one() -> None:
    """What stands between a line and its votes is told nothing by them."""
    memory, _ = folded(talk(
        ("ana", CLOSE), ("eli", OTHER), ("fay", "what about lunch"),
        reply("bob"), reply("cy", "-1"), reply("dee"),
    ))  # fmt: skip
    (proposal,) = memory.proposals.values()
    assert proposal.born == 1
    assert proposal.reactions["cy"].stance == "oppose"


def test_votes_in_reply_to_one_person_twice_count_once() -> None:
    """One person's votes in reply to a line are one vote, under both names of it."""
    memory, _ = folded(talk(
        ("ana", CLOSE), reply("bob"), reply("bob"), reply("bo"),
        ParticipantAliased(alias="bob", participant="bo"),
    ))  # fmt: skip
    (run,) = memory.structure.replies
    assert (run.voters, run.bare) == ({"bo": 1000}, 1)


def test_a_vote_in_reply_to_nothing_in_reach_is_on_nothing() -> None:
    """Neither on what stands nearby nor on what is no line."""
    memory, _ = folded(talk(
        ("ana", "hello"), ("eli", CLOSE), *(reply(who) for who in ("bob", "cy", "dee")),
    ))  # fmt: skip
    assert (memory.proposals, memory.structure.replies) == ({}, [])


def test_votes_in_reply_survive_a_dump_and_a_redaction() -> None:
    """At every cut the same bytes; words of a vote may go and the rest folds."""
    entries: list[Entry] = [
        Message(participant="ana", content=CLOSE), reply("bob"), reply("cy"), reply("dee"),
        EntryRedacted(redacted=3, by="ana", reason="asked"),
    ]  # fmt: skip
    records = numbered([opened(), *entries])
    whole, _ = folded(records)
    for cut in range(1, len(records)):
        part, _ = folded(records[:cut])
        part = load(dump(part), PACKS)
        for record in records[cut:]:
            apply(part, record)
        assert dump(part) == dump(whole)
