"""Blanks: an entry without its words, and everything else called as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from msgspec.structs import replace

from parley.bus.contract.wire import encode
from parley.bus.entries import (
    PRIMARY,
    BallotCast,
    BallotCompleted,
    ContextInjected,
    Entry,
    EntryRedacted,
    EpisodeClosed,
    EpisodeOpened,
    ItemCorrected,
    Message,
    MessageEdited,
    NoteWritten,
    Record,
    ResultsFinal,
    Step,
    ToolCalled,
    ToolReturned,
    Unknown,
    VoteConfirmed,
    VoteInitiated,
)
from parley.memory.context.context import Request, assemble
from parley.memory.errors import RedactionRefused
from parley.memory.extraction.structure.merges import forget_entry
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.redaction import choose_tombstone, item_statuses
from parley.memory.voting.votes import compute_result as counted
from tests.support.logs.logs import PACKS, folded, messages, numbered, opened, put, talk
from tests.support.logs.logs import entries as some_entries

SECRET = "zanzibar"
DECIDED = "We have decided to keep the old report."


def redacted(log: Sequence[Record], n: int) -> list[Record]:
    """The log with entry `n` blanked, and the entry that says so."""
    result = choose_tombstone(PACKS, log, n)
    changed = [
        replace(record, entry=result.entry)
        if record.n == n and record.entry.kind in PRIMARY
        else record
        for record in log
    ]
    last = log[-1]
    marker = EntryRedacted(redacted=n, reason="test")
    return [*changed, *numbered([marker], last.seq, last.n)]


def written(log: Sequence[Record]) -> str:
    """The bytes of all entries."""
    whole = (record.entry for record in log)
    return b"".join(
        entry.raw if isinstance(entry, Unknown) else encode(entry) for entry in whole
    ).decode()


def born(log: Sequence[Record]) -> dict[str, int]:
    memory, _ = folded(log)
    items: list[Any] = [*memory.proposals.values(), *memory.decisions.values()]
    return {item.handle: item.born for item in items}


def test_what_a_message_proposed_keeps_its_number_and_loses_its_words() -> None:
    """Later items are called as before, and so is this one."""
    log = talk(
        ("ana", "I propose we meet in Zanzibar."),
        ("bo", "I propose we rebuild the index before the next release."),
        ("cy", "+1 to P1"),
        ("dee", "I support P1."),
    )
    after = redacted(log, 1)
    memory, _ = folded(after)
    assert born(after) == born(log) == {"P1": 1, "P2": 2, "D1": 4}
    assert item_statuses(memory) == {"P1": "accepted", "P2": "active", "D1": "ratified"}
    assert SECRET not in dump(memory).decode().lower()
    assert memory.redacted == [1]


def test_what_a_message_voted_and_ruled_still_counts() -> None:
    """The stance stands without the words: votes, support, acceptance, withdrawal."""
    log = talk(
        ("ana", "I propose we rebuild the index before the next release."),
        ("bo", "+1 to P1, Zanzibar"),
        ("cy", "I support P1 because of Zanzibar."),
        ("dee", "What if we move the backups to the other team, in Zanzibar?"),
        ("dee", "I withdraw P2, forget Zanzibar."),
        ("eli", "ratify D1 for Zanzibar"),
    )
    before, _ = folded(log)
    for n in range(1, 7):
        after = redacted(log, n)
        memory, _ = folded(after)
        assert item_statuses(memory) == item_statuses(before)
        assert memory.proposals[1].tally == before.proposals[1].tally
        assert born(after) == born(log)


def test_an_act_in_the_envelope_stands_by_itself() -> None:
    """With what it was about, whether `re` said so or the words did."""
    log = talk(
        Message(participant="ana", content="Go to Zanzibar", act="propose", topic="Zanzibar"),
        Message(participant="bo", content="Zanzibar, yes", act="support", re="P1"),
        Message(participant="cy", content="P1 it is, Zanzibar", act="support"),
        Message(participant="dee", content="P1: by Zanzibar ferry", act="amend"),
        Message(participant="eli", content="Zanzibar it is", act="decide", re="P1"),
    )
    before, _ = folded(log)
    for n in range(1, 6):
        after = redacted(log, n)
        memory, _ = folded(after)
        assert born(after) == born(log)
        assert item_statuses(memory) == item_statuses(before)


def test_a_message_that_made_several_items_keeps_them_all() -> None:
    """In their order."""
    log = talk(
        ("ana", "[PROPOSAL] to Zanzibar by ship\n[PROPOSAL] to Zanzibar by air\n"
                "[DECISION] we go to Zanzibar"),
        ("bo", "[PROPOSAL] stay at home"),
    )  # fmt: skip
    after = redacted(log, 1)
    assert born(after) == born(log) == {"P1": 1, "P2": 1, "D1": 1, "P3": 2}
    assert SECRET not in dump(folded(after)[0]).decode().lower()


def test_who_repeats_the_words_has_to_be_redacted_first() -> None:
    """The refusal names the entry; in that order both can go."""
    log = talk(
        ("ana", "[DECISION] We go to Zanzibar before the rain comes"),
        ("bo", "[DECISION] We go to Zanzibar before the rain comes"),
        ("cy", "[DECISION] Backups move to the other team"),
    )
    assert born(log) == {"D1": 1, "D2": 3}
    with pytest.raises(RedactionRefused, match="redact 2 first"):
        choose_tombstone(PACKS, log, 1)
    first = redacted(log, 2)
    assert born(first) == born(log)
    both = redacted(first, 1)
    assert born(both) == born(log)
    assert SECRET not in written(both).lower()


def test_renumbering_has_to_be_asked_for() -> None:
    """Then nothing is in the way."""
    log = talk(
        ("ana", "[DECISION] We go to Zanzibar before the rain comes"),
        ("bo", "[DECISION] We go to Zanzibar before the rain comes"),
    )
    result = choose_tombstone(PACKS, log, 1, renumber=True)
    assert SECRET not in str(result.entry).lower()
    assert result.moved == {"D2": ("none", "claimed")}


EVERY_KIND: tuple[Entry, ...] = (
    Message(participant="ana", content=SECRET, topic=SECRET, at_text=SECRET, form="reasoning"),
    MessageEdited(participant="bo", of=1, content=SECRET, topic=SECRET),
    VoteInitiated(participant="ana", content=SECRET, options=(SECRET,), at_text=SECRET),
    VoteConfirmed(participant="ana", at_text=SECRET),
    BallotCast(participant="ana", re=1, choice=(SECRET,), content=SECRET),
    BallotCompleted(participant="ana", consensus=True, content=SECRET, supporters=("bo",),
                    carried=SECRET, tally={SECRET: 1}),
    ResultsFinal(participant="ana", content=SECRET, earnings=SECRET, counterfactuals={SECRET: 1}),
    ToolCalled(participant="ana", tool="find", call_id="1", arguments={SECRET: [SECRET]}),
    ToolReturned(
        participant="ana", tool="find", call_id="1", content=SECRET, error=SECRET,
        arguments={"q": SECRET}, read_only=True, ttl=3,
    ),
    ContextInjected(participant="ana", key="screen", content=SECRET),
    EpisodeOpened(participant="ana", episode="goal", title=SECRET),
    Step(participant="ana", form="reasoning", content=SECRET, discovered={SECRET: SECRET}),
    NoteWritten(participant="ana", content=SECRET),
    EpisodeClosed(participant="ana", result=SECRET),
    ItemCorrected(ref="P1", by="ana", op="topic", value=SECRET),
)  # fmt: skip


@pytest.mark.parametrize("entry", EVERY_KIND, ids=lambda entry: str(entry.kind))
def test_no_kind_of_entry_keeps_a_word(entry: Entry) -> None:
    """Neither in the log nor in memory; the envelope stays."""
    log = numbered([
        opened(), Message(participant="bo", content="[PROPOSAL] stay"), entry,
        Message(participant="cy", content="[PROPOSAL] leave"),
    ])  # fmt: skip
    after = redacted(log, 2)
    assert SECRET not in written(after)
    memory, _ = folded(after)
    assert SECRET not in dump(memory).decode()
    assert getattr(after[2].entry, "participant", "") == getattr(entry, "participant", "")
    assert born(after) == born(log)


def test_every_primary_kind_has_a_blank() -> None:
    """A new kind cannot be forgotten here."""
    assert {entry.kind for entry in EVERY_KIND} == PRIMARY


def test_an_entry_that_cannot_be_read_keeps_its_kind_only() -> None:
    """A newer version's, or a damaged one."""
    log = numbered([opened(), Unknown("ballot.cast", b'{"kind":"ballot.cast","x":"zanzibar"}')])
    result = choose_tombstone(PACKS, log, 1)
    assert result.entry == Unknown("ballot.cast", b'{"kind":"ballot.cast","v":1}')


@pytest.mark.parametrize("taken", [(3,), (6,), (3, 6), (6, 3)], ids=str)
def test_what_a_vote_decided_stands_without_the_words_of_its_options(
    taken: tuple[int, ...],
) -> None:
    """Of the question, of the result, or of both; the decision keeps its handle, not the words."""
    log = talk(
        ("ana", "Morning."),
        ("bo", "Morning."),
        VoteInitiated(participant="ana", content="Where to?", options=(SECRET, "home")),
        BallotCast(participant="ana", re="V1", choice=(SECRET,)),
        BallotCast(participant="bo", re="V1", choice=(SECRET,)),
        chair=["ana"],
    )
    result = counted(folded(log)[0], 1)
    log += numbered([result, Message(participant="ana", content=DECIDED)], log[-1].seq, log[-1].n)
    for n in taken:
        log = redacted(log, n)
    decisions = folded(log)[0].decisions
    assert [decisions[ref].status for ref in (1, 2)] == ["ratified", "claimed"]
    assert (SECRET in decisions[1].outcome) == (6 not in taken)


def test_an_empty_result_is_served_to_nobody() -> None:
    """A blank tool result is not kept in the cache."""
    result = next(entry for entry in EVERY_KIND if entry.kind == "tool.returned")
    log = numbered([opened(), result])
    assert getattr(redacted(log, 1)[1].entry, "read_only", True) is False


@given(some_entries(max_size=24), messages(), st.data())
def test_whatever_is_redacted_the_rest_keeps_its_names(
    entries: list[Entry], last: Message, data: st.DataObject
) -> None:
    """Memory is the fold of the log with that entry blanked; no handle moves, no word is left."""
    entries = [*entries, last]
    spoken = [place for place, entry in enumerate(entries) if entry.kind == "message"]
    place = data.draw(st.sampled_from(spoken))
    message = entries[place]
    assert isinstance(message, Message)
    marked = f"{message.content} {SECRET}"
    entries[place] = message.model_copy(update={"content": marked, "topic": SECRET})
    log = numbered(entries)
    n = log[place].n
    try:
        after = redacted(log, n)
    except RedactionRefused:
        reject()
    known, now = born(log), born(after)
    assert known.keys() == now.keys()
    assert all(now[ref] in (known[ref], n) for ref in known)
    assert SECRET not in written(after)
    memory, _ = folded(after)
    assert SECRET not in dump(memory).decode()
    assert memory.redacted == [n]
    blank = choose_tombstone(PACKS, log, n).entry
    same = [replace(record, entry=blank) if record.seq == place + 1 else record for record in log]
    rest, _ = folded(same)
    rest.redacted = [n]
    forget_entry(rest.structure, n)
    assert dump(rest) == dump(memory)


@given(some_entries(max_size=25), st.data())
def test_redacting_one_entry_after_the_other_changes_no_name(
    entries: list[Entry], data: st.DataObject
) -> None:
    """In any order, as long as nothing is refused."""
    log = numbered(entries)
    known = born(log)
    for n in data.draw(st.permutations(range(1, log[-1].n + 1))):
        try:
            log = redacted(log, n)
        except RedactionRefused:
            continue
        assert born(log).keys() == known.keys()
        gone = {getattr(record.entry, "redacted", 0) for record in log}
        assert all(known[ref] == n or n in gone for ref, n in born(log).items())


BARE = "Remove the rate limits and require a key from all"


def bare_log() -> list[Record]:
    """A bare line and votes that show it, one with a remark; a tag; the line once more."""
    return talk(
        ("ana", f"{BARE} in {SECRET}"),
        ("bo", f"+1, {SECRET}"),
        ("cy", "+1"),
        ("fay", "+1"),
        ("gus", "+1"),
        ("dee", f"+0.5 for {SECRET}"),
        ("eli", "I propose we rebuild the index before the next release."),
        ("ana", f"{BARE} in {SECRET}"),
        ("bo", "What if we move the backups to the other team?"),
    )


def test_a_line_that_others_showed_to_be_a_proposal_can_be_redacted() -> None:
    """As born, as voted on, as said again; alone and all of them; the votes still count."""
    before, _ = folded(bare_log())
    assert before.proposals[1].origin.how == "structure"
    for taken in ((2,), (3,), (5,), (6,), (8,), (8, 1), (2, 3, 5, 6, 8, 1)):
        log = bare_log()
        for n in taken:
            log = redacted(log, n)
        memory, facts = folded(log)
        assert item_statuses(memory).keys() == item_statuses(before).keys()
        assert memory.proposals[1].born == 1
        assert memory.proposals[1].participant == "ana"
        assert memory.proposals[1].tally == before.proposals[1].tally
        if {1, 8} <= {*taken}:
            assert BARE not in written(log) + dump(memory).decode() + str(facts)
        if {1, 2, 6, 8} <= {*taken}:
            assert SECRET not in written(log) + dump(memory).decode() + str(facts)


def test_who_says_a_bare_line_again_has_to_be_redacted_first() -> None:
    """Only then is the decision that its words showed told without them."""
    with pytest.raises(RedactionRefused, match="redact 8 first"):
        choose_tombstone(PACKS, bare_log(), 1)


def test_a_blank_is_no_mark_where_its_words_were_none() -> None:
    """What others said in plain words is not held back by it."""
    log = talk(
        ("ana", "I propose that we rebuild the index in Zanzibar."),
        ("bo", "I propose that we move the backups to the other team."),
    )
    memory, _ = folded(redacted(log, 1))
    assert memory.structure.marked == 0
    assert not memory.proposals[2].candidate


def test_two_blanks_are_not_one_line_said_twice() -> None:
    """They say nothing, and look alike."""
    log = talk(
        ("ana", f"[PROPOSAL] meet in {SECRET}"),
        ("bo", "+1"), ("cy", "+1"),
        ("dee", f"[PROPOSAL] stay in {SECRET}"),
    )  # fmt: skip
    memory, _ = folded(redacted(redacted(log, 1), 4))
    assert memory.structure.lines == []
    assert [proposal.amends for proposal in memory.proposals.values()] == [None, None]


@given(put(), st.data())
def test_nothing_of_a_line_is_left_wherever_it_was_cited(
    messages: list[Message], data: st.DataObject
) -> None:
    """Neither as the line that was found nor as the one that showed it."""
    place = data.draw(st.integers(0, len(messages) - 1))
    messages = [*messages]
    messages[place] = messages[place].model_copy(
        update={"content": f"{messages[place].content} {SECRET}"}
    )
    log = numbered([opened(), *messages])
    try:
        after = redacted(log, place + 1)
    except RedactionRefused:
        reject()
    memory, facts = folded(after)
    text = assemble(memory, Request("ana", recent=tuple(after))).text
    assert SECRET not in written(after) + dump(memory).decode() + str(facts) + text


def test_a_question_is_not_blanked_where_its_votes_would_find_another() -> None:
    """P1 would name another line; the vote that divides them is named as what goes first."""
    put = ("ana", f"Close the issue on the index with no change {SECRET}")
    votes = [("ana", "+1"), ("bo", "+1"), ("cy", "0")]
    log = talk(put, ("ana", "I agree"), ("ana", "Any objections?"), *votes)
    assert born(log) == {"P1": 1}
    with pytest.raises(RedactionRefused, match="redact 6 first"):
        redacted(log, 1)
    assert SECRET not in str(choose_tombstone(PACKS, log, 1, renumber=True).entry)
