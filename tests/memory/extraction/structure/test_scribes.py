"""Whose words a line is that somebody typed for another, and what it may not do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, Message, ParticipantAliased, ParticipantJoined
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened, put, talk

HELLO = [("ann", "Morning."), ("bob", "Hello."), ("cy", "Hi."), ("dee", "Hey.")]
IDEA = "I propose that we rebuild the index before the next release."
SCRIBE = ("bob", "scribe: bob")


def test_what_a_scribe_types_is_the_words_of_whom_they_name() -> None:
    """A proposal, a stance, a decision; the typist is told in the fact."""
    memory, facts = folded(talk(
        *HELLO, SCRIBE,
        ("bob", f"ann: {IDEA}"),
        ("bob", "Cy: I support P1"),
        ("bob", "dee: RESOLVED: we rebuild the index"),
    ))  # fmt: skip
    proposal, decision = memory.proposals[1], memory.decisions[1]
    assert (proposal.participant, proposal.typist) == ("ann", "bob")
    assert list(proposal.reactions) == ["cy"]
    assert (decision.participant, decision.typist) == ("dee", "bob")
    row = {fact.kind: fact.data["typist"] for fact in facts if "typist" in fact.data}
    assert row["proposal.made"] == row["reaction.changed"] == "bob"
    assert proposal.reactions["cy"].origin.rule == "en@1/support.handle, scribed"


@pytest.mark.parametrize("minuted", [False, True])
def test_a_noted_decision_holds_back_what_it_holds_back_when_typed(minuted: bool) -> None:
    """After "DECISION:", which stands alone, an earlier "I propose" counts, whoever typed it."""
    scribes = ["bob"] if minuted else []
    memory, _ = folded(talk(
        *HELLO, SCRIBE, ("ann", IDEA), ("bob", "dee: DECISION: we close the wiki on Monday"),
        structure={"scribes": scribes},
    ))  # fmt: skip
    assert memory.decisions[1].participant == "dee"
    assert not memory.proposals[1].candidate


def test_nobody_is_made_a_scribe_by_another() -> None:
    """What bob says to Ann stays his; a chair may name him."""
    lines = [*HELLO, ("ann", IDEA), ("dee", "scribe: bob"), ("bob", "ann: I oppose P1")]
    memory, _ = folded(talk(*lines))
    assert list(memory.proposals[1].reactions) == ["bob"]
    memory, _ = folded(talk(*lines, chair=["dee"]))
    assert list(memory.proposals[1].reactions) == ["ann"]


def test_in_chat_a_name_before_a_line_addresses_somebody() -> None:
    """Also where several are addressed."""
    memory, _ = folded(talk(
        *HELLO,
        ("bob", "ann: can you look at the disk?"),
        ("bob", "cy: thanks for the report"),
        ("bob", "dee: did you see it?"),
        ("bob", "so it is full"),
        ("bob", f"ann: {IDEA}"),
        ("cy", "bob: I agree with P1"),
        ("dee", "cy: +1"),
    ))  # fmt: skip
    assert memory.proposals[1].participant == "bob"
    assert sorted(memory.proposals[1].reactions) == ["cy", "dee"]


def test_who_writes_down_several_is_at_work_as_a_scribe() -> None:
    """Without having said so, where most of what they type is that."""
    memory, _ = folded(talk(
        *HELLO,
        ("bob", "ann: the disk was full again on Monday"),
        ("bob", "cy: the report says so too"),
        ("bob", f"ann: {IDEA}"),
    ))  # fmt: skip
    assert memory.proposals[1].participant == "ann"


def test_a_name_that_nobody_has_is_no_speaker() -> None:
    """It may be anything with a colon; somebody with a seat is known without having spoken."""
    lines = [*HELLO, SCRIBE, ("bob", f"zoe: {IDEA}")]
    assert folded(talk(*lines))[0].proposals[1].participant == "bob"
    seated = folded(talk(ParticipantJoined(participant="Zoe", role="person"), *lines))[0]
    assert seated.proposals[1].participant == "Zoe"
    aliased = folded(talk(ParticipantAliased(alias="Zoe", participant="cy"), *lines))[0]
    assert aliased.proposals[1].participant == "cy"


def test_a_bot_that_is_named_is_spoken_to() -> None:
    """Commands to it are the typist's."""
    lines = [*HELLO, ("zed", "I log this."), SCRIBE, ("bob", f"zed: {IDEA}")]
    assert folded(talk(*lines, bots=["zed"]))[0].proposals[1].participant == "bob"


@pytest.mark.parametrize("dots", ["...", "…", ".. "])
def test_a_line_that_goes_on_is_the_speakers_before(dots: str) -> None:
    """As far as the scribe's newest line; others may type in between."""
    memory, _ = folded(talk(
        *HELLO, SCRIBE,
        ("bob", "ann: the disk is full"),
        ("cy", "hm"),
        ("bob", f"{dots} {IDEA}"),
        ("dee", f"{dots} {IDEA} or so"),
    ))  # fmt: skip
    assert [proposal.participant for proposal in memory.proposals.values()] == ["ann", "dee"]


def test_who_is_no_scribe_any_more_speaks_for_themselves() -> None:
    """ "scribe- bob" ends it."""
    memory, _ = folded(talk(*HELLO, SCRIBE, ("ann", "scribe- bob"), ("bob", f"ann: {IDEA}")))
    assert memory.proposals[1].participant == "bob"


@pytest.mark.parametrize("command", ["scribe: bob", "scribenick: Bob", "Scribe+ bob", "scribe: me",
                                  "scribes: cy, bob", "scribe+"])  # fmt: skip
def test_a_scribe_may_be_named_in_many_ways(command: str) -> None:
    """By themselves: it gives nobody a say."""
    memory, _ = folded(talk(*HELLO, ("bob", command), ("bob", f"ann: {IDEA}")))
    assert memory.proposals[1].participant == "ann"


MINUTED = [*HELLO, SCRIBE, ("bob", f"ann: {IDEA}"), ("bob", "cy: I support P1"),
           ("bob", "dee: I support P1")]  # fmt: skip


def test_what_a_scribe_notes_makes_no_quorum() -> None:
    """It is shown, and not counted."""
    memory, _ = folded(talk(*MINUTED))
    assert memory.proposals[1].tally == (2, 0, 0)
    assert memory.proposals[1].status == "active"
    assert not any(reaction.counted for reaction in memory.proposals[1].reactions.values())


@pytest.mark.parametrize("settings", [{"structure": {"scribes": ["Bob"]}}, {"chair": ["bob"]}])
def test_what_the_sessions_own_scribe_notes_counts(settings: dict[str, object]) -> None:
    """Where the settings name them, or they are in the chair."""
    memory, _ = folded(talk(*MINUTED, **settings))
    assert memory.proposals[1].status == "accepted"
    origin = memory.proposals[1].reactions["cy"].origin
    assert origin.rule is not None
    assert origin.rule.endswith(", minuted")


def test_noted_votes_do_not_carry_what_is_restated() -> None:
    """Nor do several claims of one decision, all of one hand, ratify it."""
    memory, _ = folded(talk(
        *HELLO, SCRIBE,
        ("bob", f"ann: {IDEA}"),
        *(("bob", f"{who}: +1") for who in ("cy", "dee")),
        ("bob", "RESOLVED: we rebuild the index before the next release."),
    ))  # fmt: skip
    assert memory.proposals[1].status == "active"
    same = "[DECISION] Backups move to the other team"
    memory, _ = folded(talk(
        *HELLO, SCRIBE, *(("bob", f"{who}: {same}") for who in ("ann", "cy", "dee"))
    ))  # fmt: skip
    assert memory.decisions[1].status == "claimed"
    assert len(memory.decisions) == 1


@pytest.mark.parametrize("word", ["accept P1", "reject P1", "ratify P1", "I withdraw P1"])
@pytest.mark.parametrize("settings", [{}, {"chair": ["cy"]}, {"structure": {"scribes": ["bob"]}}])
def test_a_scribe_rules_for_nobody(word: str, settings: dict[str, object]) -> None:
    """Neither in a chair's name nor in the proposer's, nor with one's own of what one typed."""
    lines = [*HELLO, SCRIBE, ("bob", f"ann: {IDEA}")]
    for who in ("ann", "cy"):
        memory, _ = folded(talk(*lines, ("bob", f"{who}: {word}"), **settings))
        assert memory.proposals[1].status == "active"
    memory, _ = folded(talk(*lines, ("bob", word), **settings))
    assert memory.proposals[1].status == "active"


def test_an_act_of_the_envelope_is_its_senders() -> None:
    """Whatever name stands first."""
    message = Message(participant="bob", content="ann: rebuild the index", act="propose")
    memory, _ = folded(talk(*HELLO, SCRIBE, message))
    assert memory.proposals[1].participant == "bob"


def test_votes_that_a_scribe_notes_are_different_peoples() -> None:
    """A line is found by them, and they are its reactions."""
    memory, _ = folded(talk(
        *HELLO, SCRIBE,
        ("ann", "Close the issue on rate limits with no change"),
        *(("bob", f"{who}: +1") for who in ("cy", "dee", "ann")),
        ("bob", "+1"),
    ))  # fmt: skip
    (run,) = memory.structure.runs
    assert sorted(run.voters) == ["ann", "bob", "cy", "dee"]
    assert sorted(memory.proposals[1].reactions) == ["ann", "bob", "cy", "dee"]


@given(st.lists(put(), min_size=1, max_size=3), st.integers(0, 30))
def test_who_speaks_is_the_same_after_a_restart(rounds: list[list[Message]], cut: int) -> None:
    """The known names are told again from what is kept."""
    log: list[Entry] = [opened(), *(Message(participant=a, content=b) for a, b in HELLO)]
    log += [Message(participant="Bo", content="scribe: cy"), ParticipantAliased(
        alias="bo", participant="dee")]  # fmt: skip
    log += [message for some in rounds for message in some]
    memory = Memory(PACKS)
    records = numbered(log)
    fold_records(memory, records[:cut])
    restored = load(dump(memory), PACKS, memory.seq)
    assert restored.names == memory.names
    for record in records[cut:]:
        assert apply(restored, record) == apply(memory, record)
    assert dump(restored) == dump(memory)
