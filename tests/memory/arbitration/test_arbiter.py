"""What is to happen next at the table."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any, get_args
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import (
    BallotCompleted,
    Entry,
    FloorMuted,
    FloorNudged,
    FloorPassed,
    FloorPaused,
    Message,
    ParticipantLeft,
    SpendReserved,
    VoteConfirmed,
    VoteInitiated,
    VoteRule,
)
from parley.listeners.agents.answer_entries import vote_on_proposal
from parley.memory.arbitration.arbiter import next_step
from parley.memory.arbitration.bid_scores import score_bid, speaking_deficit
from parley.memory.arbitration.gate import judge_listener, judge_listeners
from parley.memory.arbitration.obstacles import find_obstacle
from parley.memory.arbitration.steps import (
    AskModerator,
    CallVote,
    Close,
    CountVote,
    ElapsedTimes,
    Expire,
    Grant,
    Nudge,
    Pause,
)
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.floor_state import Bid
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Ballot
from parley.memory.text.text_sizes import count_tokens
from parley.memory.voting.votes import ROWS, compute_result
from tests.support.logs.logs import PACKS
from tests.support.logs.mixed import PRIMARY_MAKERS, bodies
from tests.support.logs.tables import LATER, NOW, Table, agent, person, since_call

IDEA = "[PROPOSAL] Move the index to the second disk before the audit"


def three(**settings: Any) -> Table:
    return Table(agent("ana"), agent("bo"), agent("cy"), **settings)


# -- the auction -----------------------------------------------------------------


def test_an_auction_ends_when_everyone_has_answered() -> None:
    """At once, and the higher bid wins."""
    table = three()
    table.bid("ana", 1)
    table.bid("bo", 2)
    assert next_step(table.memory, NOW) == (None, 400)
    table.passes("cy")
    step, _ = next_step(table.memory, NOW)
    assert isinstance(step, Grant)
    assert (step.participant, step.score["urgency"]) == ("bo", 2000)


def test_an_auction_ends_so_long_after_the_first_bid() -> None:
    """Or after the epoch began, where nobody bid; the wait says how long."""
    table = three()
    assert next_step(table.memory, NOW) == (None, 6000)
    table.bid("ana")
    assert next_step(table.memory, replace(NOW, epoch=5900)) == (None, 100)
    assert next_step(table.memory, replace(NOW, bid=300)) == (None, 100)
    step, _ = next_step(table.memory, replace(NOW, bid=400))
    assert isinstance(step, Grant)


def test_a_held_floor_is_waited_for_until_its_lease_is_over() -> None:
    """Then it is taken; at once from who left."""
    table = three()
    table.grant("ana", lease_ms=1000)
    assert next_step(table.memory, replace(NOW, epoch=400, floor=400)) == (None, 600)
    assert table.step(replace(NOW, epoch=1000, floor=1000)) == Expire("ana")
    table.put(ParticipantLeft(participant="ana"))
    assert table.step(NOW) == Expire("ana")


def scored(memory: Memory, name: str, bid: Bid) -> dict[str, int]:
    return score_bid(memory, name, bid, speaking_deficit(memory, name))


def test_what_speaks_for_a_bid() -> None:
    """Each part by its name, and their sum."""
    table = Table(agent("ana", reactivity=600), agent("bo"), agent("cy"))
    table.turn("ana", IDEA)
    table.turn("bo", "I support P1. " + "And so on. " * 5)
    table.say("cy", "Really, @bo?")
    memory = table.memory
    parts = scored(memory, "bo", Bid(urgency=2, intent="support", re="P1", turn=1))
    assert parts["addressed"] == 2000
    assert (parts["intent"], parts["redundancy"]) == (100, -400)
    assert (parts["recency"], parts["aging"]) == (-400, 640)
    assert parts["deficit"] < 0
    assert parts["total"] == sum(value for key, value in parts.items() if key != "total")
    parts = scored(memory, "ana", Bid(urgency=1, intent="oppose", re="P1", turn=3))
    assert (parts["reactivity"], parts["intent"], parts["recency"]) == (600, 600, -200)
    assert "redundancy" not in parts


def test_opposing_what_is_far_from_closing_is_worth_less() -> None:
    """One supporter of two makes it urgent."""
    table = three()
    table.turn("ana", IDEA)
    bid = Bid(urgency=1, intent="oppose", re="P1")
    assert scored(table.memory, "cy", bid)["intent"] == 200
    table.turn("bo", "I support P1.")
    assert scored(table.memory, "cy", bid)["intent"] == 600


def test_a_tie_is_drawn_alike_by_everyone_and_not_always_for_the_same() -> None:
    """By the seed and the epoch."""
    winners = set()
    for seed in range(12):
        table = three(floor={"policy": "bid", "seed": seed})
        for name in ("ana", "bo", "cy"):
            table.bid(name)
        step = table.step(NOW)
        again = next_step(load(dump(table.memory), PACKS), NOW)[0]
        assert isinstance(step, Grant)
        assert step == again
        winners.add(step.participant)
    assert winners == {"ana", "bo", "cy"}


def test_a_hand_that_a_person_raised_is_seen() -> None:
    """A person with a seat may be given the floor like an agent."""
    table = Table(agent("ana"), person("eli"))
    table.bid("eli", 3)
    table.passes("ana")
    step = table.step(NOW)
    assert isinstance(step, Grant)
    assert step.participant == "eli"


# -- policies ----------------------------------------------------------------------


def round_of(table: Table, count: int, content: str | None = "Hm.") -> list[str]:
    """Who is granted the floor in that many steps."""
    for _ in range(count):
        step = table.step()
        assert isinstance(step, Grant), step
        table.take(step, lambda name: content)
    return [step.participant for step in table.steps if isinstance(step, Grant)]


def test_round_robin_goes_round_with_the_finisher_last() -> None:
    """As they joined, or in the order that is set; who left is skipped."""
    table = three(floor={"policy": "round_robin", "finisher": "ana", "hops_soft": 0})
    assert round_of(table, 5) == ["bo", "cy", "ana", "bo", "cy"]
    table.put(ParticipantLeft(participant="ana"))
    assert round_of(table, 2)[5:] == ["bo", "cy"]
    table = three(floor={"policy": "round_robin", "order": ["cy", "bo"]})
    assert round_of(table, 3) == ["cy", "bo", "cy"]


def test_round_robin_ends_in_silence_when_all_are_silent() -> None:
    """Who has nothing to say is not asked again and again."""
    table = three(floor={"policy": "round_robin"})
    assert round_of(table, 3, None) == ["ana", "bo", "cy"]
    assert isinstance(table.step(), Nudge)


def test_a_script_is_gone_through_once() -> None:
    """Names may come twice; who never sat down is waited for and skipped."""
    table = three(floor={"policy": "scripted", "order": ["bo", "zoe", "ana", "bo"]})
    assert round_of(table, 1) == ["bo"]
    assert next_step(table.memory, NOW) == (None, 6000)
    assert round_of(table, 2) == ["bo", "ana", "bo"]
    assert table.step() == Close("script over", "")


def test_under_open_nothing_is_granted() -> None:
    """And nobody's silence is taken for granted while a draft may last: they may be speaking."""
    table = three(floor={"policy": "open"})
    assert next_step(table.memory, LATER) == (None, 82_000)
    table.passes("ana", "bo", "cy")
    assert isinstance(table.step(), Nudge)


def test_a_moderator_grants_and_an_agent_is_asked_to() -> None:
    """Without a word of theirs, bids decide after a while."""
    waited = replace(NOW, epoch=10_000, bid=10_000)
    for seat in (agent("mod", may=("grant",)), person("mod", may=("moderate",))):
        table = Table(agent("ana"), agent("bo"), seat, floor={"policy": "moderated"})
        table.bid("ana")
        asked = AskModerator("mod") if seat.role == "agent" else None
        assert next_step(table.memory, waited) == (asked, 20_000)
        step = table.step(replace(waited, epoch=30_000))
        assert isinstance(step, Grant)
        assert step.participant == "ana"


def test_without_a_moderator_bids_decide_at_once() -> None:
    """Nobody is waited for who is not there."""
    table = three(floor={"policy": "moderated"})
    table.bid("ana")
    assert isinstance(table.step(), Grant)


def test_without_agents_nothing_happens_but_what_rules_say() -> None:
    """A talk of people needs no arbiter."""
    table = Table(person("eli"), stop={"messages": 2})
    assert next_step(table.memory, LATER) == (None, None)
    table.say("eli")
    table.say("eli")
    assert table.step() == Close("messages", "messages:2")


# -- votes ---------------------------------------------------------------------------


def test_a_vote_is_counted_when_the_last_ballot_is_in() -> None:
    """Who left is not waited for; what could not be read is asked for once more."""
    table = three()
    vote = table.vote(1, status="open", electorate={"ana": 1, "bo": 1, "cy": 1})
    vote.ballots = {"ana": Ballot(n=1, choice=("accept",)), "bo": Ballot(n=1, invalid=1)}
    assert next_step(table.memory, replace(NOW, votes={1: 20_000})) == (None, 100_000)
    table.put(ParticipantLeft(participant="cy"))
    assert table.step(NOW) is None
    vote.ballots["bo"] = Ballot(n=2, invalid=2)
    assert table.step(NOW) == CountVote(1)


def test_a_vote_is_counted_when_its_time_is_over() -> None:
    """With the ballots that are there; one that nobody confirmed as well."""
    for status in ("open", "called"):
        table = three()
        table.vote(4, status=status, electorate={"ana": 1})
        assert table.step(replace(NOW, votes={4: 119_999})) is None
        assert table.step(replace(NOW, votes={4: 120_000})) == CountVote(4)


def test_each_vote_has_its_own_time() -> None:
    """One that was called later may end first, and the wait is for the next one that ends."""
    table = three()
    table.vote(1, status="open", electorate={"ana": 1}, seconds=86_400)
    table.vote(2, status="open", electorate={"ana": 1})
    times = {1: 500_000, 2: 119_000}
    assert next_step(table.memory, replace(NOW, votes=times)) == (None, 1_000)
    assert table.step(replace(NOW, votes={1: 500_000, 2: 120_000})) == CountVote(2)
    assert table.step(replace(NOW, votes={1: 86_400_000, 2: 0})) == CountVote(1)


@pytest.mark.parametrize("rule", get_args(VoteRule))
def test_a_vote_of_a_day_stops_no_talk_and_silence_does_not_end_it(rule: Any) -> None:
    """Agents go on beside it, whoever is to vote in it; it ends by its own time alone."""
    table = three(stop={"quiescent": True})
    vote = table.vote(1, status="open", rule=rule, electorate={"eli": 1}, seconds=86_400)
    assert judge_listener(table.memory, "ana") == "evaluate"
    assert find_obstacle(table.memory, "ana", NOW).kind != "vote"
    table.listen(("ana", "bo", "cy"), lambda name: None)
    assert isinstance(table.step(LATER), Nudge)
    table.put(*(FloorNudged(participant=name, warning="quiet") for name in ("ana", "bo", "cy")))
    step, left = next_step(table.memory, replace(LATER, nudge=60_000, votes={1: 60_000}))
    assert (step, left) == (None, 86_340_000)
    assert table.step(replace(LATER, votes={1: 86_400_000})) == CountVote(1)
    vote.seconds, vote.rule = 120, "majority"  # no longer than the session gives a vote
    assert judge_listener(table.memory, "ana") == "voting"
    obstacle = find_obstacle(table.memory, "ana", replace(NOW, votes={1: 20_000}))
    assert (obstacle.kind, obstacle.left) == ("vote", 100_000)


@pytest.mark.parametrize("rule", get_args(VoteRule))
def test_a_vote_that_nobody_agrees_to_is_given_up_when_its_time_is_over(rule: Any) -> None:
    """It is cancelled, whatever silence means under its rule, and the table goes on."""
    table = Table(agent("ana"), agent("bo"), vote={"confirm": "all", "rule": rule})
    table.turn("ana", IDEA)
    table.put(VoteInitiated(participant="parley", content="P1?", re="P1"))
    late = replace(LATER, votes=since_call(120_000))
    assert table.step(late) == CountVote(1)
    given_up = compute_result(table.memory, 1)
    table.put(given_up)
    assert table.memory.votes.by_ref[1].status == "cancelled"
    assert table.memory.proposals[1].status == "active"
    assert table.step(late) != CountVote(1)


def test_a_vote_that_is_agreed_to_at_the_last_moment_is_not_given_up() -> None:
    """What the arbiter published an entry too late is void."""
    table = Table(agent("ana"), agent("bo"), vote={"confirm": "all"})
    table.turn("ana", IDEA)
    table.put(VoteInitiated(participant="parley", content="P1?", re="P1"))
    given_up = compute_result(table.memory, 1)
    table.put(VoteConfirmed(participant="ana"), VoteConfirmed(participant="bo"), given_up)
    assert table.memory.votes.by_ref[1].status == "open"


def test_a_vote_that_nobody_agrees_to_does_not_lock_the_table() -> None:
    """Its time over, it is cancelled, and the floor is granted again."""
    table = Table(*map(agent, ("ana", "bo", "cy")), vote={"confirm": "majority"})
    table.turn("ana", IDEA)
    table.put(VoteInitiated(participant="parley", content="Shall P1 be accepted?", re="P1"))
    table.bid("bo")
    over = replace(LATER, votes=since_call(120_000))
    assert table.step(over) == CountVote(1)
    table.put(compute_result(table.memory, 1))
    table.bid("bo")
    assert isinstance(table.step(over), Grant)


def test_consent_is_counted_after_its_window_or_at_an_objection() -> None:
    """The talk goes on meanwhile; silence is consent."""
    table = three()
    table.turn("ana", IDEA)
    voters = {"ana": 1, "bo": 1}
    vote = table.vote(1, status="open", rule="consent", proposal=1, window=3, electorate=voters)
    table.bid("bo")
    assert isinstance(table.step(), Grant)
    table.turn("bo", "I oppose P1.")
    assert table.step() == CountVote(1)
    vote.ballots.clear()
    assert not isinstance(table.step(NOW), CountVote)
    table.turn("cy", "Hm.")
    table.turn("ana", "Hm.")
    assert table.step(NOW) == CountVote(1)


def test_votes_end_where_nobody_has_a_seat() -> None:
    """People may vote without a floor."""
    table = Table(floor={"policy": "open"})
    table.vote(1, status="open", electorate={})
    assert table.step(NOW) == CountVote(1)


@pytest.mark.parametrize("order", [["nobody"], ["nobody", "ana"]])
def test_an_order_in_which_nobody_can_speak_comes_to_an_end(order: list[str]) -> None:
    """Who never came is waited for, and whose turns are over is not; whom somebody muted is."""
    floor = {"policy": "round_robin", "order": order}
    table = Table(agent("ana", turns=0), agent("bo"), floor=floor)
    assert next_step(table.memory, replace(NOW, epoch=5_000)) == (None, 1_000)
    assert table.step() == Close("quiescent", "quiescent")
    if "ana" in order:
        table.put(FloorMuted(participant="ana"))
        assert next_step(table.memory, LATER) == (None, None)


# -- loops, silence, the end -----------------------------------------------------------


def test_two_who_always_bid_are_stopped_by_the_hops() -> None:
    """Told first, then closed with the reason; paused where a person sits there."""
    for seats, end in (((), Close("hops", "hops")), ((person("eli"),), Pause("hops"))):
        table = Table(agent("ana"), agent("bo"), *seats)
        while not table.steps or type(table.steps[-1]) not in (Close, Pause):
            table.listen(("ana", "bo"), lambda name: 3)
            step = table.step()
            assert step is not None
            table.take(step, lambda name: "No, you are wrong there.")
        assert table.steps[-1] == end
        assert table.memory.floor.turns == 12
        (nudge,) = [step for step in table.steps if isinstance(step, Nudge)]
        assert (nudge.warning, nudge.participant) == ("hops", "")
        assert "6 turns" in nudge.content
        assert table.step() is None
        if seats:
            table.say("eli", "Go on.")
            assert table.step() is not None


def test_when_all_pass_it_is_over_in_bounded_steps() -> None:
    """One nudge to who has said least, a vote on each thing open, and the end."""
    table = three()
    table.turn("ana", IDEA)
    table.turn("bo", "Let me think about that for a while.")
    asked: list[int] = []
    for _ in range(20):
        table.listen(("ana", "bo", "cy"), lambda name: None)
        step = table.step()
        if isinstance(step, CallVote):
            asked.append(step.proposal)
            table.vote(len(asked), status="failed", proposal=step.proposal)
            table.put(BallotCompleted(participant="parley", consensus=False, content="No."))
            continue
        if isinstance(step, Close):
            break
        assert isinstance(step, Nudge)
        table.take(step, lambda name: None)
    assert step == Close("quiescent", "quiescent")
    assert asked == [1]
    (nudge,) = [step for step in table.steps if isinstance(step, Nudge)]
    assert (nudge.participant, nudge.warning) == ("cy", "quiet")


def test_each_listener_is_asked_once_before_a_silence_ends_it() -> None:
    """Whoever passed for it; not who had the floor, nor who says that it is done."""
    table = Table(agent("ana"), agent("bo"), agent("cy"), agent("dee"), agent("eve"))
    table.say("eli", "Which day suits you?")
    table.grant("ana")
    table.release("ana", "silent")
    table.passes("cy", "dee")
    table.passes("bo", failed=True)
    table.passes("eve", ready=True)
    asked = []
    while isinstance(step := table.step(), Nudge):
        table.take(step, lambda name: None)
        table.passes(step.participant)
        asked.append(step.participant)
    assert asked == ["bo", "cy", "dee"]
    assert step == Close("quiescent", "quiescent")


@pytest.mark.parametrize("rule", ["majority", "ranked"])
def test_of_many_open_proposals_the_newest_are_voted_on_once(rule: str) -> None:
    """However many there are, and though no vote carries anything: then it ends."""
    table = Table(agent("ana"), vote={"rule": rule}, stop={"quiescent": True})
    for k in range(60):
        table.say("eli", f"[PROPOSAL] Give room {k} to team {k * 7 % 61} from day {k * 13 % 59}.")
    asked: list[int] = []
    while table.memory.closed is None and len(asked) <= 60:
        step = table.step(replace(LATER, votes=since_call(120_000)))
        assert step is not None
        if isinstance(step, CallVote):
            asked.append(step.proposal)
            table.put(vote_on_proposal(table.memory, "parley", f"P{step.proposal}"))
        elif isinstance(step, CountVote):
            table.put(compute_result(table.memory, step.ref))
        else:
            table.take(step, lambda name: None)
    assert table.memory.closed == "quiescent"
    assert asked == (list(range(60, 40, -1)) if rule == "majority" else [60])


@pytest.mark.parametrize("policy", ["bid", "open"])
def test_a_silence_of_models_that_do_not_answer_is_told_as_what_it_is(policy: str) -> None:
    """Not quiescent: nobody knows what they would say. A person may set it going again."""
    table = Table(agent("ana"), agent("bo"), floor={"policy": policy})
    table.say("eli", "Anything else?")
    table.passes("ana", "bo", failed=True)
    assert table.step() == Close("errors", "")
    table.put(person("eli"))
    step = table.step()
    assert step == Pause("errors")
    table.take(step, lambda name: None)
    assert table.step() is None
    table.say("eli", "Is anybody there?")
    assert (table.memory.floor.paused, table.memory.floor.passes) == ("", {})


def test_one_who_really_passed_makes_it_a_silence() -> None:
    """The others' models may be away."""
    table = Table(agent("ana"), agent("bo"), agent("cy"))
    table.say("eli", "Anything else?")
    table.passes("ana", "bo", failed=True)
    table.passes("cy")
    assert isinstance(table.step(), Nudge)


def test_under_open_who_is_dead_does_not_keep_the_others() -> None:
    """After as long as a draft may take, silence is silence."""
    table = Table(agent("ana"), agent("bo"), floor={"policy": "open", "lease_ms": 60_000})
    table.say("eli", "Anything else?")
    table.passes("ana", ready=True)
    early = replace(LATER, epoch=20_000)
    assert next_step(table.memory, early) == (None, 40_000)
    assert isinstance(table.step(replace(LATER, epoch=60_000)), Nudge)


def test_listeners_that_are_dead_are_no_obstacle() -> None:
    """Who does not answer in time has passed, nudged or not."""
    table = three()
    for name in ("ana", "bo", "cy"):
        assert isinstance(table.step(replace(LATER, nudge=None)), Nudge)
        table.put(FloorNudged(participant=name))
    assert next_step(table.memory, replace(LATER, nudge=1000)) == (None, 5000)
    assert table.step(LATER) == Close("quiescent", "quiescent")


def test_who_is_ready_is_not_nudged() -> None:
    """They have said that they have nothing more to say at all."""
    table = three()
    table.passes("ana", "cy", ready=True)
    table.passes("bo")
    step = table.step()
    assert isinstance(step, Nudge)
    assert step.participant == "bo"
    table = three()
    table.passes("ana", "bo", "cy", ready=True)
    assert table.step() == Close("quiescent", "quiescent")


def test_a_person_at_the_table_has_time_to_break_the_silence() -> None:
    """And without a rule the talk is only at rest; without a person it is over in any case."""
    table = Table(agent("ana"), person("eli"))
    table.passes("ana", ready=True)
    assert next_step(table.memory, replace(LATER, head=10_000)) == (None, 20_000)
    assert table.step(LATER) == Close("quiescent", "quiescent")
    for seats, end in (((person("eli"),), None), ((), Close("quiescent", ""))):
        table = Table(agent("ana"), *seats, stop={"turns": 5})
        table.passes("ana", ready=True)
        assert table.step(LATER) == end


def test_an_idea_that_comes_back_is_told_once() -> None:
    """Fifty messages later; the warning names the message, and what became of it."""
    table = three(chair=["eli"], floor={"policy": "bid", "pair": 0, "hops_soft": 0, "hops_hard": 0})
    for turn in range(1, 61):
        name = ("ana", "bo", "cy")[turn % 3]
        content = {
            5: IDEA, 6: "I oppose P1, the second disk is full.", 7: "I oppose P1.",
            55: "[PROPOSAL] Move the index to the second disk before the audit, then",
        }.get(turn, f"Remark {turn}.")  # fmt: skip
        table.turn(name, content)
        if turn == 8:
            table.say("eli", "I reject P1.")
        step = table.step(NOW)
        if isinstance(step, Nudge):
            table.take(step, lambda name: None)
    (nudge,) = [step for step in table.steps if isinstance(step, Nudge)]
    assert (nudge.warning, nudge.participant, nudge.re, nudge.earlier) == (
        "circling", "", "P2", "P1",
    )  # fmt: skip
    assert nudge.content == (
        "like P1 of message 5, rejected 3-0 at message 9 "
        'because "I oppose P1, the second disk is full." (ana, message 6)'
    )


def test_a_session_that_nobody_can_pay_for_is_over() -> None:
    """Once no call is under way that might give something back."""
    table = three(budget={"tokens": 1000})
    table.put(SpendReserved(participant="ana", call="k", purpose="draft", tokens=900))
    assert next_step(table.memory, NOW) == (None, 90_000)
    table.put(agent("ana", seat="another"))
    assert table.step(NOW) == Close("budget", "")


def test_paused_means_that_nothing_is_granted() -> None:
    """Whoever bids; rules still hold."""
    table = three(stop={"seconds": 60})
    table.put(FloorPaused())
    assert next_step(table.memory, LATER) == (None, 52_000)
    assert table.step(replace(LATER, session=60_000)) == Close("seconds", "seconds:60")


def test_a_closed_session_wants_nothing() -> None:
    """Nor one that is not open yet."""
    table = three()
    table.take(Close("done", ""), lambda name: None)
    assert next_step(table.memory, LATER) == (None, None)


# -- laws ------------------------------------------------------------------------------


def gini(shares: list[int]) -> float:
    """0: all have the same; 1: one has all."""
    shares = sorted(shares)
    ranked = sum((2 * place - len(shares) - 1) * share for place, share in enumerate(shares, 1))
    return ranked / (len(shares) * sum(shares))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lengths", [(0, 0, 0, 0, 0), (80, 80, 120, 200, 300)])
def test_equal_urgency_means_an_equal_share(seed: int, lengths: tuple[int, ...]) -> None:
    """Five who always bid, 200 turns: Gini of tokens 0.25 at most, even of one who never stops."""
    chance = Random(seed)
    names = ["ana", "bo", "cy", "dee", "eve"]
    floor = {"policy": "bid", "seed": seed, "hops_hard": 0, "hops_soft": 0}
    table = Table(*map(agent, names), floor=floor, stop={})
    usual = dict(zip(names, lengths, strict=True))

    def speak(name: str) -> str:
        return "word " * (usual[name] or chance.randrange(80, 300))

    while table.memory.floor.turns < 200:
        table.listen(names, lambda name: 2)
        step = table.step(NOW)
        assert isinstance(step, Grant), step
        table.take(step, speak)
    tokens = [table.memory.floor.seats[name].spoken_tokens for name in names]
    assert sum(tokens) > 200 * count_tokens("word " * 80)
    assert gini(tokens) <= 0.25
    assert min(table.memory.floor.seats[name].turns for name in names) > 20


@given(
    bodies(60, PRIMARY_MAKERS), st.integers(0, 10**6), st.sampled_from(("bid", "moderated")),
    st.booleans(),
)  # fmt: skip
def test_a_step_is_the_same_wherever_it_is_decided(
    entries: list[Entry], ms: int, policy: str, bids: bool
) -> None:
    """From the memory or from its bytes; waits are positive; grants go to who sits there."""
    table = Table(agent("ana"), agent("bo"), floor={"policy": policy})
    table.put(*entries)
    if bids:  # chance alone hardly ever bids for the epoch at hand
        table.bid("bo")
    waited = replace(LATER, epoch=ms, bid=ms, votes=since_call(ms), session=ms, head=ms)
    answer = next_step(table.memory, waited)
    assert answer == next_step(load(dump(table.memory), PACKS), waited)
    step, left = answer
    assert left is None or left > 0
    if isinstance(step, Grant):
        seat = table.memory.floor.seats[step.participant]
        assert seat.present
        assert not seat.muted
        assert not table.memory.floor.holder


def test_a_silence_over_more_proposals_than_votes_are_remembered_ends() -> None:
    """The newest are voted on, once each, though nobody votes."""
    floor = {"policy": "bid", "hops_soft": 0, "hops_hard": 0}
    table = three(stop={"quiescent": True}, floor=floor)
    for k in range(ROWS + 10):
        words = " ".join(sha256(b"%d %d" % (k, j)).hexdigest()[:6] for j in range(8))
        table.say("ana", f"[PROPOSAL] {words}")
    assert len(table.memory.live) > ROWS
    asked: list[int] = []
    while table.memory.closed is None:
        assert len(asked) <= ROWS
        table.listen(("ana", "bo", "cy"), lambda name: None)
        step = table.step(replace(LATER, votes=since_call(120_000)))
        if isinstance(step, CallVote):
            asked.append(step.proposal)
            table.put(VoteInitiated(participant="parley", content="So?", re=f"P{step.proposal}"))
        elif isinstance(step, CountVote):
            table.put(compute_result(table.memory, step.ref))
        else:
            assert step is not None
            table.take(step, lambda name: None)
    assert asked == sorted(set(asked), reverse=True)
    assert table.memory.closed == "quiescent"


@given(st.integers(0, 2**30))
def test_agents_that_do_as_they_like_come_to_an_end(seed: int) -> None:
    """Whatever they bid, pass, say and call each other: no person, no endless talk.

    All the while the gate says of all of them at once what it says of each.
    """
    chance = Random(seed)
    names = ["ana", "bo", "cy"]
    stop = chance.choice(({}, {"turns": 15}, {"all": [{"quiescent": True}, {"decisions": 1}]}))
    policy = chance.choice(("bid", "round_robin", "panel", "moderated"))
    table = Table(*map(agent, names), stop=stop, floor={"policy": policy})
    lines = (IDEA, "I agree.", "@ana, what of it?", "@bo and @cy: no.", "I oppose P1.", "Hm.")
    for _ in range(400):
        at_once = judge_listeners(table.memory, names)
        assert at_once == {name: judge_listener(table.memory, name) for name in names}
        table.listen(names, lambda name: chance.choice((None, None, 0, 1, 3)))
        step = table.step()
        if isinstance(step, CallVote):
            ref = len(table.memory.votes.by_ref) + 1
            table.vote(ref, status="failed", proposal=step.proposal)
            table.put(BallotCompleted(participant="parley", consensus=False, content="No."))
        elif step is not None:
            table.take(step, lambda name: chance.choice((*lines, None)))
        if table.memory.closed is not None:
            return
    pytest.fail(f"still talking after {table.memory.floor.turns} turns")


def test_a_pair_does_not_lock_the_table() -> None:
    """Two of three that always bid: the third is asked, and then they go on to the end."""
    table = three()
    while table.memory.closed is None:
        assert len(table.steps) < 200
        table.listen(("ana", "bo", "cy"), lambda name: None if name == "cy" else 2)
        step = table.step()
        assert step is not None
        table.take(step, lambda name: "No." if name != "cy" else None)
    assert table.memory.floor.turns == 18
    assert table.memory.closed == "hops"
    assert isinstance(table.put(Message(participant="eli", content="Well.")), list)


# -- who does not evaluate by itself -----------------------------------------------


def after(ms: int) -> ElapsedTimes:
    return replace(NOW, epoch=ms, bid=ms, nudge=ms, head=ms)


def test_who_only_speaks_holds_up_no_auction_and_is_held_up_by_none() -> None:
    """Its bid is granted at once, twice in a row too where nobody else asks."""
    table = Table(agent("ana", listens="speaks"), agent("bo", listens="speaks"))
    for _ in range(2):
        table.bid("ana", 1)
        assert table.step(NOW) == Grant("ana", ANY, "bid")
        table.turn("ana")
    table.bid("ana", 1)
    table.bid("bo", 1)
    assert table.step(NOW) == Grant("bo", ANY, "bid")


def test_a_session_does_not_end_before_each_seat_had_its_time() -> None:
    """What it states, else as long as a holder has to speak; once more after a nudge."""
    table = Table(agent("ana", listens="speaks"), agent("bo", answer_ms=200_000))
    table.grant("bo")
    table.release("bo", "interrupted")
    for step_of in (Nudge, Close):
        for ms in (7_000, 91_000, 199_000):
            assert table.step(after(ms)) is None
        step = table.step(after(200_000))
        assert isinstance(step, step_of)
        if isinstance(step, Nudge):
            table.take(step, lambda _: None)
    table.put(agent("cy", listens="speaks"))
    assert table.step(replace(after(200_000), seated=199_000)) is None
    assert isinstance(table.step(replace(after(300_000), seated=200_000)), Close)


def test_who_wants_to_be_asked_is_asked_before_the_end() -> None:
    """Each of them, by name, and given its time; who passes needs none."""
    table = Table(
        agent("ana", listens="asked", answer_ms=20_000), agent("bo", listens="asked"), agent("cy")
    )
    table.turn("cy")
    table.passes("cy")
    first = table.step(NOW)
    assert isinstance(first, Nudge)
    table.take(first, lambda _: None)
    second = table.step(after(90_000))
    assert isinstance(second, Nudge)
    assert {first.participant, second.participant} == {"ana", "bo"}
    table.take(second, lambda _: None)
    assert table.step(after(89_000)) is None
    table.passes("bo")
    assert table.step(after(19_000)) is None
    assert isinstance(table.step(after(20_000)), Close)


def test_a_bid_taken_back_is_no_pass() -> None:
    """Who waited in vain is not taken for who has nothing to say."""
    table = Table(agent("ana", listens="speaks"))
    table.bid("ana", 1)
    table.put(FloorPassed(participant="ana", epoch=0, withdrawn=True))
    assert (table.memory.floor.bids, table.memory.floor.passes) == ({}, {})
    assert table.step(after(80_000)) is None
