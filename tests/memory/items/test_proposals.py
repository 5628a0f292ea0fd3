"""The life of a proposal: how reactions find it, what settles it, what repeats it."""

from __future__ import annotations

import pytest

from parley.bus.entries import Act, ItemCorrected, Message
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from tests.support.logs.logs import PACKS, folded, talk


def say(who: str, text: str, act: Act | None = None, re: int | str | None = None) -> Message:
    return Message(participant=who, content=text, act=act, re=re)


IDEA = ("ana", "I propose that we move the index to the second disk before Friday.")


def test_a_reaction_by_handle_is_counted() -> None:
    """A handle says what is meant, so the stance counts toward the quorum."""
    memory, _ = folded(talk(IDEA, ("bo", "I support P1.")))
    reaction = memory.proposals[1].reactions["bo"]
    assert (reaction.stance, reaction.counted) == ("support", True)


def test_a_reaction_by_reply_is_counted() -> None:
    """A reply to the message that proposed it is as good as its handle."""
    memory, _ = folded(talk(IDEA, say("bo", "No, the disk is full.", "oppose", 1)))
    reaction = memory.proposals[1].reactions["bo"]
    assert (reaction.stance, reaction.counted) == ("oppose", True)


@pytest.mark.parametrize("reply", [
    say("bo", "P2 mends what I opposed in P1.", "support", "P2"),
    say("bo", "P2 mends what I opposed in P1.", "support", 2),
    ("bo", "[SUPPORT P2] It mends what I opposed in P1."),
    say("bo", "P2 mends what I opposed in P1.", "accept", "P2"),
    say("bo", "It mends what I opposed in P1.", "accept", "P2"),
    ("bo", "[ACCEPT P2] It mends what I opposed in P1."),
])  # fmt: skip
def test_who_points_at_one_proposal_says_nothing_for_another(
    reply: Message | tuple[str, str],
) -> None:
    """What is named in passing, in words that explain a stance, is no stance."""
    other = ("cy", "What if we drop the nightly report altogether?")
    against = say("bo", "The disk is full.", "oppose", "P1")
    memory, _ = folded(talk(IDEA, other, against, reply))
    assert memory.proposals[1].reactions["bo"].stance == "oppose"
    assert memory.proposals[1].status == "active"
    assert memory.proposals[2].reactions["bo"].stance == "support"


def test_a_reaction_by_quotation_is_counted() -> None:
    """Words quoted from the proposal identify it, even among several."""
    other = ("cy", "What if we drop the nightly report altogether?")
    quoting = ("bo", '"move the index to the second disk" - I disagree with that.')
    memory, _ = folded(talk(IDEA, other, quoting))
    assert memory.proposals[1].reactions["bo"].stance == "oppose"
    assert "bo" not in memory.proposals[2].reactions


def test_words_nearby_are_shown_but_not_counted() -> None:
    """The only active proposal nearby is a guess: kept, with its low confidence."""
    memory, _ = folded(talk(IDEA, ("bo", "I agree, let's do it."), ("cy", "Great idea.")))
    proposal = memory.proposals[1]
    assert {name: reaction.counted for name, reaction in proposal.reactions.items()} == {
        "bo": False,
        "cy": False,
    }
    assert proposal.origin.confidence > proposal.reactions["bo"].origin.confidence
    assert proposal.status == "active"


def test_words_near_two_proposals_attach_to_neither() -> None:
    """With two candidates there is nothing to guess from."""
    other = ("cy", "What if we drop the nightly report altogether?")
    memory, _ = folded(talk(IDEA, other, ("bo", "I agree.")))
    assert not memory.proposals[1].reactions
    assert not memory.proposals[2].reactions


@pytest.mark.parametrize(
    "text",
    [
        "Naomi agreed to look at the logs.",
        "The tests ran for an hour.",
        "I would like to know what Friday looks like.",
    ],
)
def test_no_stance_is_no_reaction(text: str) -> None:
    """Absent is not neutral: who said nothing of it has not abstained."""
    memory, _ = folded(talk(IDEA, ("bo", text)))
    assert memory.proposals[1].reactions == {}


def test_the_proposing_message_does_not_react_to_itself() -> None:
    """'I propose X. Great idea, if you ask me' is one proposal and no vote."""
    memory, _ = folded(talk(("ana", "I propose we archive P1. Great idea, if you ask me.")))
    assert memory.proposals[1].reactions == {}


def test_agreeing_in_part_with_a_but_is_conditional_opposition() -> None:
    """The clause after 'but' wins, and says that it has a condition."""
    memory, _ = folded(talk(IDEA, ("bo", "I agree in part, but it won't work on Fridays.")))
    reaction = memory.proposals[1].reactions["bo"]
    assert (reaction.stance, reaction.conditional) == ("oppose", True)


def test_the_latest_stance_of_a_participant_stands() -> None:
    """Reacting five times counts once; the log keeps the history."""
    changes = [("bo", "+1 to P1"), ("bo", "I oppose P1."), ("bo", "+1 to P1"), ("bo", "-1 to P1")]
    memory, facts = folded(talk(IDEA, *changes))
    assert memory.proposals[1].tally == (0, 1, 0)
    assert sum(fact.kind == "reaction.changed" for fact in facts) == 4


def test_a_quorum_of_others_accepts() -> None:
    """Two supporters besides the proposer and nobody against: accepted, with the evidence."""
    memory, _ = folded(talk(IDEA, ("ana", "+1 to P1"), ("bo", "+1 to P1"), ("cy", "I support P1")))
    proposal = memory.proposals[1]
    assert proposal.status == "accepted"
    assert proposal.settled is not None
    assert {cite.n for cite in proposal.settled.cites} >= {3, 4}
    assert memory.decisions[1].status == "ratified"
    assert set(memory.decisions[1].supporters) == {"ana", "bo", "cy"}


def test_opposition_blocks_the_quorum() -> None:
    """One against, and support alone does not accept."""
    memory, _ = folded(
        talk(IDEA, ("dee", "I oppose P1"), ("bo", "+1 to P1"), ("cy", "I support P1"))
    )
    assert memory.proposals[1].status == "active"


def test_conditional_support_does_not_count() -> None:
    """'+1 if the disk arrives' waits for the disk."""
    memory, _ = folded(
        talk(IDEA, ("bo", "+1 to P1 if the disk arrives in time"), ("cy", "I support P1"))
    )
    assert memory.proposals[1].reactions["bo"].conditional
    assert memory.proposals[1].status == "active"


def test_only_a_chair_rules_where_there_is_one() -> None:
    """Somebody else's 'accept' is support, not a ruling."""
    lines = [IDEA, ("bo", "accept P1"), ("ines", "I accept P1.")]
    memory, _ = folded(talk(*lines[:2], chair=["ines"]))
    assert memory.proposals[1].status == "active"
    assert memory.proposals[1].reactions["bo"].stance == "support"
    memory, _ = folded(talk(*lines, chair=["ines"]))
    assert memory.proposals[1].status == "accepted"


@pytest.mark.parametrize("who", ["ana", "bo"])
@pytest.mark.parametrize("word", ["accept P1", "reject P1", "[REJECT P1] No.", "[RATIFY P1]"])
def test_nobody_but_a_chair_accepts_or_rejects_alone(who: str, word: str) -> None:
    """It counts as support, or opposition, of whoever says it; a chair's word settles it."""
    memory, _ = folded(talk(IDEA, (who, word)))
    assert memory.proposals[1].status == "active"
    against = "eject" in word.casefold()
    assert memory.proposals[1].reactions[who].stance == ("oppose" if against else "support")
    memory, _ = folded(talk(IDEA, ("cy", word), chair=["cy"]))
    assert memory.proposals[1].status == ("rejected" if against else "accepted")


def test_accepting_completes_the_quorum() -> None:
    """Two others who accept, ratify or support it, in whatever words; not with an objection."""
    two = (IDEA, ("bo", "accept P1"), ("cy", "[RATIFY P1]"))
    memory, _ = folded(talk(*two))
    assert memory.proposals[1].status == "accepted"
    assert memory.decisions[1].status == "ratified"
    memory, _ = folded(talk(IDEA, ("dee", "reject P1"), *two[1:]))
    assert memory.proposals[1].status == "active"


def test_an_amendment_succeeds_what_it_amends() -> None:
    """The earlier one is modified and names its successor."""
    memory, _ = folded(talk(IDEA, say("bo", "Move it, but on Monday.", "amend", "P1")))
    assert memory.proposals[1].status == "modified"
    assert memory.proposals[1].superseded_by == 2
    assert memory.proposals[2].amends == 1


def test_only_the_proposer_withdraws() -> None:
    """'I withdraw P1' from somebody else changes nothing."""
    memory, _ = folded(talk(IDEA, ("bo", "I withdraw P1.")))
    assert memory.proposals[1].status == "active"
    memory, _ = folded(talk(IDEA, ("ana", "I withdraw P1.")))
    assert memory.proposals[1].status == "withdrawn"


def test_what_is_withdrawn_unnamed_outlives_a_snapshot() -> None:
    """The last made of what one message spoke of, whatever it named after that."""
    records = talk(
        ("ana", "[PROPOSAL] move the index to the second disk"),
        ("ana", "[PROPOSAL] write the backups to a tape\n+1 to P1"),
        ("ana", "I withdraw my proposal."),
    )
    memory, _ = folded(records)
    assert [made.status for made in memory.proposals.values()] == ["active", "withdrawn"]
    before, _ = folded(records[:-1])
    again = load(dump(before), PACKS, records[-2].seq)
    apply(again, records[-1])
    assert dump(again) == dump(memory)


def test_silence_lapses_a_proposal_and_a_mention_keeps_it() -> None:
    """`lapse.after` messages without mention settle it; it can still be cited."""
    quiet = [("cy", f"Line {index} of something else.") for index in range(9)]
    memory, facts = folded(talk(IDEA, *quiet, ("bo", "And on."), lapse={"after": 10}))
    assert memory.proposals[1].status == "lapsed"
    assert facts[-1].kind == "proposal.settled"
    memory, _ = folded(talk(IDEA, *quiet[:5], ("bo", "+1 to P1"), *quiet, lapse={"after": 10}))
    assert memory.proposals[1].status == "active"


def test_an_idea_of_message_5_is_recognised_at_message_55() -> None:
    """The problem that this exists for: the repeat names the earlier one and its fate."""
    before = [("cy", f"Opening remark {index}.") for index in range(4)]
    between = [("cy", f"A remark {index} about other matters.") for index in range(48)]
    again = ("dee", "What if we move the index to the second disk before Friday?")
    memory, facts = folded(
        talk(*before, IDEA, ("bo", "reject P1"), *between, ("ana", "So."), again, chair=["bo"])
    )
    echo = next(fact for fact in facts if fact.kind == "proposal.echoed")
    assert (echo.n, echo.data["earlier"], echo.data["earlier_n"]) == (56, "P1", 5)
    assert echo.data["earlier_status"] == "rejected"
    assert memory.proposals[2].echoes == 1


def test_several_proposals_in_one_message_are_several_items() -> None:
    """Each cites its own words."""
    text = "[PROPOSAL] Drop the old importer.\n[PROPOSAL] Keep its tests for a month."
    memory, _ = folded(talk(("ana", text)))
    spans = [proposal.origin.cites[0] for proposal in memory.proposals.values()]
    assert [text[cite.start : cite.end] for cite in spans] == text.split("\n")


def test_what_a_person_struck_does_not_come_back() -> None:
    """A retracted proposal is not extracted again from the same words."""
    memory, _ = folded(talk(IDEA, ItemCorrected(ref="P1", by="bo", op="retract"), IDEA))
    assert memory.proposal(1) is None
    assert len(memory.proposals) == 1


def test_a_position_on_a_bare_topic_keeps_no_more_than_a_line_of_it() -> None:
    """A pasted topic of any length must not live on in memory."""
    spoken = Message(participant="ana", content="Yes.", act="support", topic="t" * 50_000)
    memory, _ = folded(talk(spoken))
    assert [len(on) for on in memory.participants["ana"].positions] == [100]


@pytest.mark.parametrize("re", ["P9", "P" + "9" * 5_000, "P\u0661", 2])
def test_a_stance_on_what_is_no_item_is_not_given_to_what_stands_nearby(re: int | str) -> None:
    """A handle that does not exist, a reply to plain talk: nothing is guessed."""
    memory, _ = folded(talk(IDEA, ("cy", "The disk is new."), say("bo", "No.", "oppose", re)))
    assert memory.proposals[1].reactions == {}
    memory, _ = folded(talk(IDEA, ("bo", "I oppose P9.")))
    assert memory.proposals[1].reactions == {}


def test_a_lapse_is_dated_by_the_message_that_completed_the_silence() -> None:
    """Its evidence is that message first, then the proposal's own."""
    quiet = [("cy", f"Line {index} of something else.") for index in range(10)]
    memory, _ = folded(talk(IDEA, *quiet, lapse={"after": 10}))
    settled = memory.proposals[1].settled
    assert settled is not None
    assert [cite.n for cite in settled.cites] == [11, 1]
