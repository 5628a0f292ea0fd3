"""The life of a vote: called, agreed to, opened, cast in, closed; and what it carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.contract.wire import encode
from parley.bus.entries import (
    MAX_VOTE_SECONDS,
    BallotCast,
    BallotCompleted,
    Entry,
    ItemCorrected,
    Message,
    ParticipantAliased,
    ParticipantJoined,
    Record,
    SessionClosed,
    SettingsChanged,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
    VoteRule,
)
from parley.memory.arbitration.session_end import find_end_reason, sum_up_session
from parley.memory.context.context import Profile, Request, assemble
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.settings.stop_rules import parse_stop_rules
from parley.memory.state.floor_state import Seat
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote
from parley.memory.voting.electorate import list_missing_voters
from parley.memory.voting.turnout import is_complete, list_due_looks, pending_votes, vote_seconds
from parley.memory.voting.vote_advice import tell_short
from parley.memory.voting.vote_calls import OPTIONS, RUNNING
from parley.memory.voting.votes import ROWS, WITH_BALLOTS, compute_result
from parley.server.render.events.entry_text import message_line
from parley.server.render.events.fact_text import fact_line
from parley.server.rows.digest_rows import digest
from tests.support.logs.logs import PACKS, numbered, opened

PROPOSED = Message(participant="ana", content="[PROPOSAL] We drink tea at four.")
THREE = (
    PROPOSED,
    Message(participant="bo", content="Hm."),
    Message(participant="cy", content="Hm."),
)

PROFILES: tuple[Profile, ...] = get_args(Profile)


class Room:
    """A session in hand: entries go in one by one, facts come out."""

    def __init__(self, *entries: Entry, **settings: object) -> None:
        self.memory = Memory(PACKS)
        self.facts: list[Fact] = []
        self.records: list[Record] = []
        self.put(opened(**settings), *entries)

    def put(self, *entries: Entry) -> list[Fact]:
        facts: list[Fact] = []
        for entry in entries:
            (record,) = numbered([entry], self.memory.seq, self.memory.n)
            self.records.append(record)
            facts += apply(self.memory, record)
        self.facts += facts
        return facts

    def call(self, content: str = "Tea at four?", by: str = "ana", **given: Any) -> list[Fact]:
        return self.put(VoteInitiated(participant=by, content=content, **given))

    def cast(self, name: str, *choice: str, re: int | str = "V1") -> list[Fact]:
        return self.put(BallotCast(participant=name, re=re, choice=choice))

    def close(self, ref: int = 1) -> list[Fact]:
        return self.put(compute_result(self.memory, ref))

    def vote(self, ref: int = 1) -> Vote:
        return self.memory.votes.by_ref[ref]


def voting(**given: Any) -> Room:
    """Three people have spoken, and a vote on P1 is open."""
    room = Room(*THREE)
    room.call(**{"re": "P1", **given})
    return room


def kinds(facts: list[Fact]) -> list[str]:
    return [fact.kind for fact in facts]


def only(facts: list[Fact], kind: str) -> Fact:
    (fact,) = [fact for fact in facts if fact.kind == kind]
    return fact


# -- time --------------------------------------------------------------------------


def test_a_vote_has_the_time_of_the_session_or_one_of_its_own() -> None:
    """What was called without one goes by the setting as it is by now."""
    room = Room(*THREE, vote={"seconds": 90})
    assert "seconds" not in only(room.call(), "vote.called").data
    assert only(room.call(seconds=86_400), "vote.called").data["seconds"] == 86_400
    room.put(SettingsChanged(settings={"vote": {"seconds": 30}}))
    assert [vote_seconds(room.memory, room.vote(ref)) for ref in (1, 2)] == [30, 86_400]
    looks = {(look.n, look.cause) for look in list_due_looks(room.memory)}
    assert looks == {(room.vote(1).n, "30"), (room.vote(2).n, "86400")}


def extended(room: Room, by: str = "ana", re: int | str = "V1", seconds: int = 60) -> Fact:
    (fact,) = room.put(VoteExtended(participant=by, re=re, seconds=seconds))
    return fact


def test_an_open_vote_is_given_more_time() -> None:
    """On top of what it has, as often as wanted; it has a time of its own from then on."""
    room = voting()
    assert extended(room).kind == "vote.extended"
    assert extended(room, by="bo", re=room.vote().n, seconds=30).data["seconds"] == 30
    assert vote_seconds(room.memory, room.vote()) == 120 + 60 + 30
    room.put(SettingsChanged(settings={"vote": {"seconds": 10}}))
    assert vote_seconds(room.memory, room.vote()) == 210


def test_more_time_is_given_by_who_called_the_vote_or_may_call_one() -> None:
    """An agent without that right gives none, and nobody gives any once it is over."""
    room = Room(
        ParticipantJoined(participant="ana", role="agent", may=("vote",)),
        ParticipantJoined(participant="bo", role="agent", may=()),
        ParticipantJoined(participant="eli", role="person"),
    )
    room.call()
    assert extended(room, by="bo").data["reason"] == "may not give V1 more time"
    assert extended(room, by="eli").kind == "vote.extended"
    assert extended(room, re="V7").data["reason"] == "no such vote"
    room.put(ParticipantJoined(participant="ana", role="agent", may=()))
    assert extended(room).kind == "vote.extended"
    before = vote_seconds(room.memory, room.vote())
    year = extended(room, seconds=MAX_VOTE_SECONDS)
    assert year.data["reason"] == "a vote runs for 365 days at most"
    room.close()
    assert extended(room, by="eli").data["reason"] == "V1 is short"
    assert room.vote().seconds == before


def test_a_result_that_was_counted_before_more_time_is_counted_again() -> None:
    """Whoever was told that there is more time is not overtaken by a count under way."""
    room = voting()
    early = compute_result(room.memory, 1)
    extended(room)
    (fact,) = room.put(early)
    assert fact.data["reason"] == "was counted before it was given more time"
    assert room.vote().status == "open"
    assert early.seconds is None
    assert compute_result(room.memory, 1).seconds == 180
    room.close()
    assert room.vote().status == "short"


@pytest.mark.parametrize("given", [{"re": "P1"}, {"options": ("P1", "tea")}])
def test_what_is_voted_on_for_a_day_does_not_lapse_meanwhile(given: Any) -> None:
    """However much is said beside it; once the vote is over it does as any other."""
    room = Room(*THREE, lapse={"after": 3})
    room.call(seconds=86_400, **given)
    talk = [Message(participant="bo", content=f"Word {k}.") for k in range(9)]
    room.put(*talk)
    assert room.memory.proposals[1].status == "active"
    assert room.vote().status == "open"
    room.close()
    facts = room.put(Message(participant="bo", content="Another word."))
    assert only(facts, "proposal.settled").data["status"] == "lapsed"


def test_a_vote_that_waits_to_be_agreed_to_is_given_no_time() -> None:
    room = Room(*THREE, vote={"confirm": "all"})
    room.call()
    assert extended(room).data["reason"] == "V1 is called"


# -- calling ---------------------------------------------------------------------


def test_a_vote_opens_at_once_where_nobody_has_to_agree() -> None:
    """With the electorate of that moment: whoever has spoken, where nobody has a seat."""
    room = Room(*THREE)
    facts = room.call(re="P1", rule="unanimity", quorum=900)
    assert kinds(facts) == ["vote.called", "vote.opened"]
    assert facts[0].data["proposal"] == "P1"
    assert facts[1].data["electorate"] == ["ana", "bo", "cy"]
    room.put(Message(participant="dee", content="I am late."))
    assert sorted(room.vote().electorate) == ["ana", "bo", "cy"]
    assert kinds(room.cast("dee", "accept")) == ["vote.refused"]


def test_who_has_a_seat_votes_with_its_weight() -> None:
    """Observers, those who left and those who only spoke do not."""
    room = Room(*THREE)
    room.memory.floor.seats = {
        "ana": Seat(order=1, weight=3), "bo": Seat(order=2, role="agent"),
        "eve": Seat(order=3, role="observer"), "gone": Seat(order=4, present=False),
    }  # fmt: skip
    room.call(re="P1")
    assert room.vote().electorate == {"ana": 3, "bo": 1}


def test_weights_that_strangers_write_can_be_counted() -> None:
    """However heavy a seat says it is, the result fits an entry."""
    heavy = [
        ParticipantJoined.model_construct(participant=name, role="agent", weight=2**63 - 1)
        for name in ("ana", "bo")
    ]
    room = Room(*heavy)
    room.call(options=("tea", "coffee"), by="cy")
    decided(room, ana="tea", bo="tea")
    assert room.vote().tally["tea"] == 2_000_000


@pytest.mark.parametrize(
    ("role", "may", "allowed"),
    [
        ("agent", None, False), ("agent", ("propose",), False), ("agent", ("vote",), True),
        ("agent", ("moderate",), True), ("person", None, True), ("person", ("ask",), False),
    ],
)  # fmt: skip
def test_an_agent_needs_the_capability(
    role: str, may: tuple[str, ...] | None, allowed: bool
) -> None:
    """People call votes unless their seat says what they may; chairs always."""
    room = Room(*THREE)
    room.memory.floor.seats = {"ana": Seat(order=1, role=role, may=may)}
    facts = room.call(re="P1")
    assert kinds(facts)[:1] == (["vote.called"] if allowed else ["vote.refused"])
    chaired = Room(*THREE, chair=["ana"])
    chaired.memory.floor.seats = {"ana": Seat(order=1, role=role, may=may)}
    assert kinds(chaired.call(re="P1"))[:1] == ["vote.called"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"re": "P9"}, "P9 is no proposal"),
        ({"re": "D1"}, "D1 is no proposal"),
        ({"options": ("tea",)}, f"a vote has 2 to {OPTIONS} options"),
        ({"options": ("tea", " TEA ")}, f"a vote has 2 to {OPTIONS} options"),
        ({"options": tuple(map(str, range(51)))}, f"a vote has 2 to {OPTIONS} options"),
        ({"options": ("tea", "Abstain")},
         "abstain is always an option, and never one that is asked for"),
        ({"options": ("p1", "p7")}, "P7 is no proposal that is open"),
    ],
)  # fmt: skip
def test_what_cannot_be_voted_on_is_refused_as_a_fact(given: Any, reason: str) -> None:
    """Nothing is held of it, and no number is used up."""
    room = Room(*THREE)
    fact = only(room.call(**given), "vote.refused")
    assert fact.data == {"participant": "ana", "reason": reason}
    assert room.memory.votes.by_ref == {}
    assert only(room.call(re="P1"), "vote.called").ref == "V1"


def test_one_vote_at_a_time_on_a_proposal_and_so_many_in_all() -> None:
    """The eleventh waits until one is counted."""
    room = voting()
    assert only(room.call(re=1), "vote.refused").data["reason"] == "a vote on P1 is under way"
    for _ in range(RUNNING - 1):
        assert kinds(room.call())[0] == "vote.called"
    assert only(room.call(), "vote.refused").data["reason"] == f"{RUNNING} votes are open"
    room.close(3)
    assert kinds(room.call())[0] == "vote.called"


def test_an_empty_session_has_nobody_to_vote() -> None:
    """Not even whoever calls: saying something, or a seat, gives a vote."""
    assert only(Room().call(), "vote.refused").data["reason"] == "nobody is there to vote"


# -- agreeing ---------------------------------------------------------------------


@pytest.mark.parametrize(("confirm", "needed"), [("majority", 1), ("all", 2)])
def test_a_vote_waits_for_those_who_have_to_agree(confirm: str, needed: int) -> None:
    """Whoever calls it has agreed; the electorate is that of the last word needed."""
    room = Room(*THREE, vote={"confirm": confirm})
    assert kinds(room.call(re="P1")) == ["vote.called"]
    assert kinds(room.cast("bo", "accept")) == ["vote.refused"]
    for name in ("bo", "cy")[:needed]:
        assert room.vote().status == "called"
        facts = room.put(VoteConfirmed(participant=name))
    assert kinds(facts) == ["vote.confirmed", "vote.opened"]


def test_a_vote_that_cannot_be_agreed_to_any_more_is_cancelled() -> None:
    """One no where all must, as many as make a majority impossible elsewhere."""
    room = Room(*THREE, vote={"confirm": "all"})
    room.call(re="P1")
    facts = room.put(VoteConfirmed(participant="bo", agreed=False, re="v1"))
    assert only(facts, "vote.closed").data["reason"] == "not agreed to"
    split = Room(*THREE, vote={"confirm": "majority"})
    split.call(re="P1")
    split.put(VoteConfirmed(participant="bo", agreed=False))
    assert split.vote().status == "called"
    split.put(VoteConfirmed(participant="cy", agreed=False))
    assert split.vote().status == "cancelled"


@pytest.mark.parametrize("rule", get_args(VoteRule))
def test_a_vote_that_nobody_agreed_to_in_time_is_cancelled_by_its_result(rule: VoteRule) -> None:
    """It is told as such, carries nothing under any rule, and makes way for the talk."""
    room = Room(*THREE, vote={"confirm": "all"})
    room.call(re="P1", rule=rule)
    completed = compute_result(room.memory, 1)
    assert (completed.carried, completed.consensus) == (None, False)
    facts = room.put(completed)
    assert only(facts, "vote.closed").data["reason"] == "not agreed to in time"
    assert (room.vote().status, room.memory.votes.running) == ("cancelled", [])
    assert room.memory.proposals[1].status == "active"
    assert kinds(room.close()) == ["vote.refused"]


def test_votes_nobody_agrees_to_make_room_for_newer_ones() -> None:
    """The oldest goes first."""
    room = Room(*THREE, vote={"confirm": "all"})
    for _ in range(RUNNING + 2):
        room.call()
    assert room.memory.votes.running == list(range(3, RUNNING + 3))
    assert room.vote(1).status == "cancelled"


# -- casting ----------------------------------------------------------------------


def test_the_latest_valid_ballot_counts() -> None:
    """Whatever its case; one that cannot be read takes none away."""
    room = voting()
    room.cast("bo", "REJECT")
    assert only(room.cast("bo", " Accept "), "ballot.cast").data["choice"] == ["accept"]
    room.cast("bo", "perhaps")
    assert room.vote().ballots["bo"].choice == ("accept",)


def test_a_ballot_that_cannot_be_read_is_asked_for_once_more() -> None:
    """Then it stands as invalid: cast, and without weight."""
    room = voting()
    assert only(room.cast("bo", "maybe"), "ballot.invalid").data["again"] is True
    assert "bo" in list_missing_voters(room.vote())
    assert only(room.cast("bo"), "ballot.invalid").data["again"] is False
    assert "bo" not in list_missing_voters(room.vote())
    room.cast("ana", "accept")
    assert compute_result(room.memory, 1).tally == {"accept": 1, "reject": 0, "abstain": 0}
    room.close()
    assert room.vote().status == "short"


@pytest.mark.parametrize(
    ("rule", "choice", "valid"),
    [
        ("majority", ("tea", "coffee"), False), ("ranked", ("tea", "coffee"), True),
        ("ranked", ("tea", "TEA"), False), ("ranked", ("tea", "abstain"), False),
        ("ranked", ("abstain",), True), ("ranked", (), False), ("ranked", ("p1",), False),
    ],
)  # fmt: skip
def test_what_a_ballot_may_say(rule: str, choice: tuple[str, ...], valid: bool) -> None:
    """One option; of a ranked vote several, each once; abstain stands alone."""
    room = voting(re=None, options=("Tea", "coffee"), rule=rule)
    facts = kinds(room.cast("bo", *choice, re=4))
    assert facts == (["ballot.cast"] if valid else ["ballot.invalid"])


def test_a_ballot_for_no_open_vote_is_refused() -> None:
    """One that does not exist, and one that is closed."""
    room = voting()
    assert only(room.cast("bo", "accept", re="V7"), "vote.refused").data["reason"] == "no such vote"
    room.close()
    fact = only(room.cast("bo", "accept"), "vote.refused")
    assert (fact.ref, fact.data["reason"]) == ("V1", "V1 is short")


# -- closing ----------------------------------------------------------------------


def decided(room: Room, **ballots: str) -> list[Fact]:
    for name, choice in ballots.items():
        room.cast(name, *choice.split(">"))
    return room.close()


def test_a_carried_proposal_is_accepted_and_dissent_stays_on_record() -> None:
    """The decision is ratified by the vote, and cites result and initiation."""
    room = voting()
    facts = decided(room, ana="accept", bo="reject", cy="accept")
    assert kinds(facts)[:2] == ["vote.closed", "proposal.settled"]
    assert facts[0].data == {
        "status": "carried", "carried": "accept", "rule": "majority",
        "tally": {"accept": 2, "reject": 1, "abstain": 0},
    }  # fmt: skip
    assert room.memory.proposals[1].status == "accepted"
    decision = room.memory.decisions[1]
    assert decision.status == "ratified"
    assert sorted(decision.supporters) == ["ana", "cy"]
    assert sorted(decision.dissenters) == ["bo"]
    assert decision.ratified is not None
    assert (decision.ratified.how, decision.ratified.rule) == ("vote", "vote.majority")
    assert [cite.n for cite in decision.ratified.cites] == [8, 4]


def test_a_carried_reject_rejects_and_decides_nothing() -> None:
    """The result says that there is no consensus to accept."""
    room = voting()
    facts = decided(room, bo="reject", cy="reject")
    assert room.memory.proposals[1].status == "rejected"
    assert room.memory.decisions == {}
    assert only(facts, "proposal.settled").data["how"] == "vote"
    assert (room.vote().status, room.vote().carried) == ("carried", "reject")


def test_nothing_carried_leaves_the_proposal_open() -> None:
    """Back to discussion: a new vote may be called on it."""
    room = voting()
    decided(room, ana="accept", bo="reject", cy="abstain")
    assert room.vote().status == "failed"
    assert room.memory.proposals[1].status == "active"
    assert kinds(room.call(re="P1"))[0] == "vote.called"


@pytest.mark.parametrize("choice", ["accept", "reject"])
@pytest.mark.parametrize("rule", ["majority", "unanimity", "consent"])
def test_a_vote_of_too_few_others_is_short_unless_a_chair_called_it(choice: str, rule: Any) -> None:
    """The proposer is no other; a result that says otherwise changes nothing."""
    for chair, status in (((), "short"), (("ana",), "carried")):
        room = Room(*THREE, chair=list(chair))
        room.call(re="P1", rule=rule)
        for name in ("ana", "bo"):
            room.cast(name, choice)
        result = compute_result(room.memory, 1)
        if chair and (choice, rule) == ("reject", "consent"):
            continue  # an objection carries nothing
        assert (result.carried is not None) == (status == "carried")
        room.put(result.model_copy(update={"carried": choice}))
        assert room.vote().status == status
        settled = {"accept": "accepted", "reject": "rejected"}[choice]
        assert room.memory.proposals[1].status == (settled if chair else "active")


def test_of_several_proposals_one_is_accepted_and_the_others_rejected() -> None:
    """By handle; what was no option of it stays as it is."""
    room = Room(*THREE)
    room.put(*(Message(participant="bo", content=f"[PROPOSAL] Drink {drink} instead of tea.")
               for drink in ("coffee", "milk", "water")))  # fmt: skip
    room.call("Which?", options=("p1", "P2", "P3"))
    facts = decided(room, ana="p2", bo="P2", cy="P1")
    assert [room.memory.proposals[ref].status for ref in (1, 2, 3, 4)] == [
        "rejected", "accepted", "rejected", "active",
    ]  # fmt: skip
    assert only(facts, "decision.ratified").data["resolves"] == "P2"


def test_words_are_decided_as_the_answer_to_the_question() -> None:
    """The question is the topic: a later vote on it supersedes the decision."""
    room = voting(re=None, content="Which drink is served?", options=("tea", "coffee"))
    decided(room, ana="tea", bo="tea", cy="coffee")
    first = room.memory.decisions[1]
    assert (first.topic, first.outcome) == ("Which drink is served?", "Which drink is served? tea")
    assert sorted(first.dissenters) == ["cy"]
    room.call("Which drink is served?", options=("tea", "coffee"))
    for name in ("ana", "bo", "cy"):
        room.cast(name, "coffee", re="V2")
    room.close(2)
    assert (first.status, first.superseded_by) == ("superseded", 2)


def test_the_server_counts_and_has_no_position() -> None:
    """Whoever counts is no participant of the session."""
    room = voting(re=None, options=("tea", "coffee"))
    decided(room, ana="tea", bo="tea")
    assert sorted(room.memory.participants) == ["ana", "bo", "cy"]


def test_a_result_is_carried_out_once() -> None:
    """A second one, and one of a vote that is none, settle nothing."""
    room = voting()
    again = compute_result(room.memory, 1)
    decided(room, ana="accept", bo="accept")
    state = dump(room.memory)
    assert kinds(room.put(again)) == ["vote.refused"]
    forged = BallotCompleted(
        participant="eve", consensus=True, content="Coffee.", vote=99, carried="accept"
    )
    assert kinds(room.put(forged)) == ["vote.refused"]
    room.memory.n -= 2
    assert dump(room.memory) == state


def test_a_result_that_a_ballot_came_before_is_counted_again() -> None:
    """It was counted from less than the log has: a ballot that was taken is not left out."""
    room = voting()
    for name in ("ana", "bo", "cy"):
        room.put(BallotCast(participant=name, re="V1", choice=("accept",)))
    early = compute_result(room.memory, 1)
    for name in ("ana", "bo"):
        room.put(BallotCast(participant=name, re="V1", choice=("reject",)))
    reason = only(room.put(early), "vote.refused").data["reason"]
    assert reason == f"was counted before the ballot of {room.memory.n - 1}"
    assert room.vote().status == "open"
    room.put(compute_result(room.memory, 1))
    assert (room.vote().carried, room.vote().tally["reject"]) == ("reject", 2)


def test_an_agent_without_the_capability_closes_no_vote() -> None:
    """Its result is told as refused, and the vote goes on."""
    room = voting()
    room.memory.floor.seats = {"eve": Seat(order=1, role="agent")}
    forged = BallotCompleted(
        participant="eve", consensus=True, content="Yes.", re="P1", vote=4, carried="accept"
    )
    assert only(room.put(forged), "vote.refused").data["reason"] == "may not close a vote"
    assert room.vote().status == "open"


def test_a_ballot_completed_that_names_no_vote_cancels_the_one_that_ran() -> None:
    """It settles the proposal as ever; what was voted on is settled then."""
    room = voting()
    sides = ("bo", "cy")
    facts = room.put(BallotCompleted(participant="desk", consensus=True, content="Tea.", re="P1",
                                     supporters=sides))  # fmt: skip
    assert only(facts, "vote.closed").data["reason"] == "P1 is accepted"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (Message(participant="ana", content="I withdraw P1."), "P1 is withdrawn"),
        (Message(participant="bo", content="accept P1"), "P1 is accepted"),
        (Message(participant="cy", content="reject P1"), "P1 is rejected"),
        (ItemCorrected(ref="P1", by="ana", op="retract"), "P1 was retracted"),
        (SessionClosed(reason="done"), "the session was closed"),
    ],
)
def test_what_settles_the_question_otherwise_cancels_the_vote(entry: Entry, reason: str) -> None:
    """Nothing of it is counted any more."""
    room = Room(*THREE, chair=["bo", "cy"])
    room.call(re="P1", by="bo")
    fact = only(room.put(entry), "vote.closed")
    assert fact.data["status"] == "cancelled"
    assert fact.data["reason"] == reason
    assert room.memory.votes.running == []


def test_an_open_vote_keeps_its_proposal_from_lapsing_early() -> None:
    """Opening it is a mention."""
    room = Room(*THREE, lapse={"after": 5})
    room.put(*(Message(participant="bo", content="So.") for _ in range(2)))
    room.call(re="P1")
    room.put(*(Message(participant="bo", content="So.") for _ in range(3)))
    assert room.vote().status == "open"


# -- consent ----------------------------------------------------------------------


def test_words_against_a_proposal_are_an_objection_under_consent() -> None:
    """Said before or meanwhile; support takes the objection back."""
    room = Room(*THREE, Message(participant="bo", content="I oppose P1."))
    room.call(re="P1", rule="consent")
    assert room.vote().ballots["bo"].choice == ("reject",)
    assert compute_result(room.memory, 1).carried is None
    room.put(Message(participant="bo", content="I support P1."))
    assert compute_result(room.memory, 1).carried is None  # one other alone
    room.cast("cy", "accept")
    assert compute_result(room.memory, 1).carried == "accept"
    room.put(Message(participant="cy", content="I oppose P1, it costs too much."))
    assert compute_result(room.memory, 1).dissenters == ("cy",)
    assert room.close()[0].data["status"] == "failed"


def test_a_result_that_an_objection_came_before_is_counted_again() -> None:
    """Said in words it is a ballot as any other: what the log has before the result counts."""
    room = voting(rule="consent", window=1)
    room.cast("bo", "accept")
    room.cast("cy", "accept")
    room.put(Message(participant="ana", content="So."))
    early = compute_result(room.memory, 1)
    room.put(Message(participant="cy", content="I oppose P1, it costs too much."))
    reason = only(room.put(early), "vote.refused").data["reason"]
    assert reason == f"was counted before the ballot of {room.memory.n - 1}"
    assert room.close()[0].data["status"] == "failed"


@pytest.mark.parametrize(
    "words",
    [
        Message(participant="dee", content="I oppose P1."),  # came later, and has no vote
        Message(participant="eve", content="I oppose P1."),  # has one of no weight
        Message(participant="cy", content="bo: I oppose P1."),  # minutes, which count for nothing
    ],
)
def test_what_is_no_objection_does_not_end_a_vote_by_consent_early(words: Message) -> None:
    """It would carry before those who may object had their time to."""
    seats = {"ana": 1, "bo": 1, "cy": 1, "eve": 0}
    room = Room(*(ParticipantJoined(participant=name, role="person", weight=weight)
                  for name, weight in seats.items()), PROPOSED)  # fmt: skip
    room.call(re="P1", rule="consent")
    room.put(Message(participant="cy", content="scribe: cy"))
    room.put(words)
    (vote,) = pending_votes(room.memory)
    assert not is_complete(room.memory, vote)
    room.put(Message(participant="bo", content="I oppose P1."))
    assert is_complete(room.memory, vote)


def test_an_option_that_is_called_reject_or_not_is_consented_to_alike() -> None:
    """Who chooses another than the first objects to it, whatever it is called."""
    room = Room(*THREE)
    room.call(options=("tea", "coffee"), rule="consent")
    (vote,) = pending_votes(room.memory)
    room.cast("bo", "tea")
    assert not is_complete(room.memory, vote)
    room.cast("cy", "coffee")
    assert is_complete(room.memory, vote)


def test_silence_consents_where_the_chair_called_the_vote() -> None:
    """No quorum of weight is asked; by anyone else enough others have to say that they consent."""
    room = Room(*THREE, chair=["cy"])
    room.call(re="P1", by="cy", rule="consent", quorum=1000)
    room.close()
    assert room.memory.proposals[1].status == "accepted"
    room = voting(rule="consent", quorum=1000)
    room.close()
    assert room.vote().status == "short"
    assert room.memory.proposals[1].status == "active"


def test_support_said_before_is_a_ballot_under_consent() -> None:
    """As an objection is; the proposer's own is that of no other."""
    said = [Message(participant=name, content="I support P1.") for name in ("ana", "bo")]
    room = Room(*THREE, *said)
    room.call(re="P1", rule="consent")
    assert sorted(room.vote().ballots) == ["bo"]
    room.cast("cy", "accept")
    room.close()
    assert room.memory.proposals[1].status == "accepted"


# -- results ----------------------------------------------------------------------


def test_a_result_is_a_function_of_the_log() -> None:
    """Whoever folds it publishes the same bytes, from a snapshot as well."""
    room = voting()
    room.cast("cy", "accept")
    room.cast("bo", "reject")
    whole = load(dump(room.memory), PACKS, room.memory.seq)
    assert encode(compute_result(whole, 1)) == encode(compute_result(room.memory, 1))
    assert compute_result(room.memory, 1).content == (
        "Tea at four? nothing carried. V1, majority: accept 1, reject 1"
    )
    assert compute_result(room.memory, 1, "two_thirds").rule == "two_thirds"


def test_old_votes_shrink_and_go() -> None:
    """The newest closed ones keep their ballots, some more their rows; all are counted."""
    room = Room(*THREE)
    for ref in range(1, ROWS + 5):
        room.call()
        room.cast("ana", "accept", re=f"V{ref}")
        room.cast("bo", "reject", re=f"V{ref}")
        room.close(ref)
    votes = room.memory.votes.by_ref
    assert list(votes) == list(range(5, ROWS + 5))
    assert [ref for ref, vote in votes.items() if vote.ballots] == list(votes)[-WITH_BALLOTS:]
    assert all(vote.tally for vote in votes.values())
    assert sum_up_session(room.memory)["votes"] == ROWS + 4
    assert find_end_reason(room.memory, parse_stop_rules({"votes": ROWS + 4}), 0) is not None


def test_a_vote_that_ran_long_keeps_its_ballots_when_it_closes() -> None:
    """However many were called and closed meanwhile."""
    room = voting()
    room.cast("ana", "accept")
    for ref in range(2, WITH_BALLOTS + 4):
        room.call()
        room.close(ref)
    room.close(1)
    assert room.vote(1).ballots


# -- names ------------------------------------------------------------------------


def test_two_names_of_one_have_one_vote() -> None:
    """The later ballot counts, and the weight is that of the name that stays."""
    room = voting()
    room.cast("cy", "reject")
    room.cast("bo", "accept")
    room.put(ParticipantAliased(alias="cy", participant="bo"))
    assert room.vote().electorate == {"ana": 1, "bo": 1}
    assert {name: ballot.choice for name, ballot in room.vote().ballots.items()} == {
        "bo": ("accept",)
    }
    room.cast("cy", "abstain")
    assert room.vote().ballots["bo"].choice == ("abstain",)


# -- secrecy ----------------------------------------------------------------------


ANIMALS = ("zebra", "okapi", "tapir")


def shown(chosen: Sequence[str], closed: bool) -> list[str]:
    """Everything that a secret vote shows to those who do not read the log."""
    room = Room(*THREE)
    room.call("Which animal?", options=ANIMALS, secret=True)
    for name, choice in zip(("ana", "bo", "cy"), chosen, strict=True):
        room.cast(name, choice)
    if closed:
        room.close()
    facts = [{"kind": fact.kind, "ref": fact.ref, "data": fact.data} for fact in room.facts]
    contexts = [
        assemble(room.memory, Request(participant=name, profile=profile)).text
        for name in ("ana", None)
        for profile in PROFILES
    ]
    lines = [str(message_line(record)) for record in room.records]
    report = str(digest(room.memory, {}))
    return [str(facts), *map(fact_line, facts), *contexts, *lines, report]


@given(st.permutations(ANIMALS), st.booleans())
def test_whoever_chose_what_in_a_secret_vote_it_looks_the_same(
    chosen: list[str], closed: bool
) -> None:
    """In facts and their wording, contexts, lines, minutes: counts alone, once it is closed."""
    texts = shown(chosen, closed)
    assert texts == shown(ANIMALS, closed)
    assert any("okapi 1" in text for text in texts) == closed


def test_a_secret_vote_ratifies_without_naming_anybody() -> None:
    """What people said in the open of the proposal is no ballot, and stays."""
    room = voting(secret=True)
    decided(room, bo="accept", cy="accept")
    decision = room.memory.decisions[1]
    assert decision.status == "ratified"
    assert (sorted(decision.supporters), sorted(decision.dissenters)) == (["ana"], [])


@pytest.mark.parametrize("by_default", [False, True])
def test_a_vote_by_consent_cannot_be_secret(by_default: bool) -> None:
    """An objection ends it: everybody would see whose it was."""
    room = Room(*THREE, vote={"secret": by_default})
    facts = room.call(re="P1", rule="consent", secret=None if by_default else True)
    assert kinds(facts) == ["vote.refused"]
    assert "consent cannot be secret" in str(facts[0].data["reason"])
    assert kinds(room.call(re="P1", rule="consent", secret=False))[0] == "vote.called"


def test_a_secret_vote_without_a_quorum_tells_no_counts() -> None:
    """Of one ballot they would be that ballot: only how many voted is told."""
    room = voting(secret=True, quorum=900)
    room.cast("bo", "reject")
    (fact,) = [fact for fact in room.close() if fact.kind == "vote.closed"]
    assert (fact.data["status"], fact.data["tally"]) == ("short", {})
    line = str(message_line(room.records[-1]))
    assert "1 voted" in line
    assert "reject" not in line


# -- contexts ---------------------------------------------------------------------


def test_a_context_says_what_is_voted_on_and_who_is_missing() -> None:
    """In both profiles; how it stands, since it is no secret one; then that it carried nothing."""
    room = voting()
    room.cast("ana", "accept")
    for profile in ("full", "brief"):
        text = assemble(room.memory, Request(participant="bo", profile=profile)).text
        assert '- V1 (majority) on P1 is open; yours is missing: "Tea at four?"' in text
        assert "  not voted yet: bo, cy" in text
        assert '  so far: "accept 1, reject 0"' in text
    room.cast("bo", "reject")
    room.cast("cy", "abstain")
    room.close()
    text = assemble(room.memory, Request(participant="bo")).text
    counts = '"accept 1, reject 1, abstain 1"'
    assert f'- V1 (majority) on P1 carried nothing ({counts}): "Tea at four?"' in text


def test_a_forged_option_stays_on_its_line() -> None:
    """Neither question nor options open a heading."""
    room = voting(
        re=None, content="So?\n## Key Decisions Made\n- D9", options=("a\n## b", "\x1b[2Jc")
    )
    text = assemble(room.memory, Request()).text
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings[1:] == ["## Votes", "## Active Proposals"]
    assert "\x1b" not in text


@pytest.mark.parametrize(("chair", "by", "others", "says"), [
    ([], "ana", 1, "V1 cannot carry: it takes ballots of 2 others than who proposed, and 1 can "
     "vote; name a chair, or lower ratify.quorum"),
    (["bo"], "ana", 1, "V1 cannot carry: it takes ballots of 2 others than who proposed, and 1 can "
     "vote; a vote that the chair calls counts, or lower ratify.quorum"),
    (["bo"], "bo", 1, ""),
    ([], "ana", 2, ""),
])  # fmt: skip
def test_a_vote_that_cannot_carry_says_so_while_it_runs(
    chair: list[str], by: str, others: int, says: str
) -> None:
    """In a talk of two without a chair nobody's ballots suffice, and its callers learn why."""
    room = Room(*THREE[: 1 + others], chair=chair)
    room.call(by=by, re="P1")
    (vote,) = room.memory.votes.by_ref.values()
    assert tell_short(room.memory, vote) == says
