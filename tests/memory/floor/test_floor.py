"""The floor as the log tells it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import (
    BallotCast,
    BallotCompleted,
    EpisodeOpened,
    FloorBid,
    FloorGranted,
    FloorMuted,
    FloorNudged,
    FloorPaused,
    FloorReleased,
    FloorResumed,
    Message,
    ParticipantAliased,
    ParticipantJoined,
    ParticipantLeft,
    SettingsChanged,
    SpendReserved,
    VoteInitiated,
)
from parley.memory.floor.seats import is_allowed
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened
from tests.support.logs.mixed import PRIMARY_MAKERS, bodies
from tests.support.logs.tables import Table, agent, person


def three(**settings: object) -> Table:
    """Three agents at a table."""
    return Table(agent("ana"), agent("bo"), agent("cy"), **settings)


def kinds(table: Table) -> list[str]:
    return [fact.kind for fact in table.facts]


# -- seats ---------------------------------------------------------------------


def test_seats_are_numbered_as_they_are_taken() -> None:
    """And not as their names are sorted, whatever a snapshot does to them."""
    table = Table(agent("zoe"), agent("ana"), agent("bo"))
    again = load(dump(table.memory), PACKS)
    for memory in (table.memory, again):
        assert {name: seat.order for name, seat in memory.floor.seats.items()} == {
            "zoe": 1, "ana": 2, "bo": 3,
        }  # fmt: skip


def test_nobody_sits_down_as_the_server() -> None:
    """`parley` is its own voice; what it says is no person's word either."""
    table = three()
    table.turn("ana")
    table.put(ParticipantJoined(participant="parley", role="agent"))
    table.say("parley", "Please be brief.")
    assert "parley" not in table.memory.floor.seats
    assert table.facts[-1].data == {"by": "parley", "what": "seat"}
    assert table.memory.floor.hops == 1


def test_what_an_older_process_says_on_leaving_changes_nothing() -> None:
    """The newer one speaks for the participant now."""
    table = Table(agent("ana", seat="one"), agent("ana", seat="two"))
    table.put(ParticipantLeft(participant="ana", seat="one"))
    assert table.memory.floor.seats["ana"].present
    table.put(ParticipantLeft(participant="ana", seat="two"))
    assert not table.memory.floor.seats["ana"].present


def test_two_names_of_one_share_a_seat_and_an_account() -> None:
    """Turns and tokens add up, bids and holders go by the other name."""
    table = three()
    table.turn("ana", "One two three.")
    table.turn("bo", "Four five six.")
    table.put(SpendReserved(participant="bo", call="k", purpose="draft", tokens=50))
    table.grant("bo")
    tokens = sum(table.memory.floor.seats[name].spoken_tokens for name in ("ana", "bo"))
    table.put(ParticipantAliased(alias="bo", participant="ana"))
    floor, ledger = table.memory.floor, table.memory.ledger
    assert floor.holder == "ana"
    assert sorted(floor.seats) == ["ana", "cy"]
    assert (floor.seats["ana"].turns, floor.seats["ana"].spoken_tokens) == (2, tokens)
    assert ledger.accounts["ana"].held_tokens == 50
    assert ledger.calls["k"].participant == "ana"
    assert set(floor.last) == {"ana"}


# -- turns ---------------------------------------------------------------------


def test_a_turn_is_counted_and_answers_what_was_asked() -> None:
    """Turns, hops, tokens; a bid is spent, an address answered."""
    table = three()
    table.say("eli", "Ana, what now?", to=("ana",))
    table.bid("ana")
    table.turn("ana", "Ship it.")
    floor = table.memory.floor
    seat = floor.seats["ana"]
    assert (floor.turns, floor.hops, seat.turns, seat.spoke, seat.addressed) == (1, 1, 1, 1, 0)
    assert seat.spoken_tokens > 0
    assert floor.bids == {}
    assert floor.last == ["eli", "ana"]


def test_a_person_begins_the_hops_anew_and_clears_the_table() -> None:
    """Bids and passes were made on another talk; a pause of hops is over."""
    table = three()
    table.turn("ana")
    table.bid("bo")
    table.passes("cy")
    table.put(FloorPaused(reason="hops"))
    table.say("eli", "Wait.")
    floor = table.memory.floor
    assert (floor.hops, floor.bids, floor.passes, floor.paused) == (0, {}, {}, "")
    assert floor.stirred == table.memory.n


def test_a_moderators_pause_outlasts_a_persons_word() -> None:
    """Only `floor.resumed` ends it."""
    table = three(chair=["eli"])
    table.put(FloorPaused(by="eli"))
    table.put(FloorPaused(reason="hops"))
    table.say("flo", "Hello?")
    assert table.memory.floor.paused == "moderator"
    table.put(FloorResumed(by="eli"))
    assert table.memory.floor.paused == ""


def test_words_of_bots_are_no_turns() -> None:
    """Neither an agent's nor a person's."""
    table = three(bots=["clock"])
    table.turn("ana")
    table.bid("bo")
    table.say("clock", "Ten o'clock. @cy")
    floor = table.memory.floor
    assert (floor.turns, floor.hops, list(floor.bids)) == (1, 1, ["bo"])
    assert floor.head == table.memory.n


@pytest.mark.parametrize(
    ("content", "to", "called"),
    [
        ("What do you think?", ("bo",), ["bo"]),
        ("What about it, @bo?", (), ["bo"]),
        ("@BO and @cy: which?", (), ["bo", "cy"]),
        ("mail me at ana@bo.example, @bobby", (), []),
        ("Nobody in particular.", (), []),
        ("I mean myself, @ana", (), []),
    ],
)
def test_a_message_calls_whom_it_names(
    content: str, to: tuple[str, ...], called: list[str]
) -> None:
    """By `to`, or by an @ before a seat's whole name; nobody calls themselves."""
    table = three()
    table.say("ana", content, to=to)
    floor = table.memory.floor
    assert [name for name in sorted(floor.seats) if floor.seats[name].addressed] == called
    assert floor.to == called


def test_two_who_keep_the_talk_to_themselves_cool_down() -> None:
    """After `floor.pair` turns by turns, for as many; told once."""
    table = three(floor={"policy": "bid", "pair": 4})
    for name in ("ana", "bo", "ana"):
        table.turn(name)
    assert "floor.cooled" not in kinds(table)
    table.turn("bo")
    (fact,) = [fact for fact in table.facts if fact.kind == "floor.cooled"]
    assert fact.data == {"participants": ["ana", "bo"]}
    assert [table.memory.floor.seats[name].cooled for name in ("ana", "bo", "cy")] == [8, 8, 0]


@pytest.mark.parametrize("third", ["cy", "eli"])
def test_a_third_voice_breaks_a_pair(third: str) -> None:
    """An agent's or a person's."""
    table = three(floor={"policy": "bid", "pair": 4})
    for name in ("ana", "bo", "ana", third, "bo", "ana"):
        table.say(name)
    assert "floor.cooled" not in kinds(table)


def test_two_alone_may_alternate_for_ever() -> None:
    """There is nobody that they keep out."""
    table = Table(agent("ana"), agent("bo"), floor={"policy": "bid", "pair": 2})
    for name in ("ana", "bo") * 4:
        table.turn(name)
    assert "floor.cooled" not in kinds(table)


def test_only_what_is_new_moves_the_talk_on() -> None:
    """A proposal does, one that repeats it does not."""
    table = three()
    table.turn("ana", "[PROPOSAL] Move the index to the second disk")
    assert table.memory.floor.moved == 1
    table.turn("bo", "Let me think.")
    table.turn("cy", "[PROPOSAL] Move the index to the second disk")
    floor = table.memory.floor
    assert (floor.turns, floor.moved, floor.circles) == (3, 1, [2])
    table.turn("ana", "I support P2.")
    assert floor.moved == 4


# -- bids, passes, epochs --------------------------------------------------------


def test_a_bid_of_another_epoch_is_void() -> None:
    """As is one made before everyone was stirred, or by nobody who sits there."""
    table = three()
    table.grant("ana")
    table.put(FloorBid(participant="bo", epoch=0), FloorBid(participant="zoe", epoch=1))
    assert table.memory.floor.bids == {}
    table.say("eli", "Listen!")
    table.put(FloorBid(participant="bo", epoch=1, heard=table.memory.n - 1))
    assert table.memory.floor.bids == {}
    table.bid("bo")
    assert list(table.memory.floor.bids) == ["bo"]


@pytest.mark.parametrize("change", ["mute", "leave"])
def test_who_is_muted_or_gone_asks_for_nothing(change: str) -> None:
    """What they had asked for is gone as well."""
    table = three()
    table.bid("bo")
    if change == "mute":
        table.put(FloorMuted(participant="bo"))
    else:
        table.put(ParticipantLeft(participant="bo"))
    assert table.memory.floor.bids == {}
    table.bid("bo")
    table.passes("bo")
    assert (table.memory.floor.bids, table.memory.floor.passes) == ({}, {})


def test_a_person_with_a_seat_may_ask_for_the_floor_and_an_observer_not() -> None:
    """Raising a hand is no privilege of agents."""
    table = Table(
        agent("ana"), person("eli"), ParticipantJoined(participant="flo", role="observer")
    )
    table.bid("eli")
    table.bid("flo")
    assert list(table.memory.floor.bids) == ["eli"]


@pytest.mark.parametrize("letter", "PDV")
def test_a_handle_of_any_length_names_nothing(letter: str) -> None:
    """No fold fails over it, whoever wrote it into a log."""
    table, handle = Table(agent("ana"), person("eli")), letter + "9" * 5000
    table.bid("ana", re=handle)
    table.say("eli", "I support it.", re=handle)
    table.put(VoteInitiated(participant="eli", content="So?", re=handle))
    table.put(BallotCast(participant="eli", re=handle, choice=("accept",)))
    bid = table.memory.floor.bids.get("ana")
    assert bid is None or len(bid.re or "") <= 200
    assert not table.memory.votes.by_ref


def test_a_bid_that_is_made_again_has_waited_all_along() -> None:
    """Its turn is that of the first."""
    table = three()
    table.bid("bo")
    table.turn("ana")
    table.bid("bo", 2)
    assert table.memory.floor.bids["bo"].turn == 0
    assert table.memory.floor.bids["bo"].urgency == 2


def test_a_bid_that_lost_stands_for_so_many_turns() -> None:
    """`floor.bid_turns`, and not one more."""
    table = three(floor={"policy": "bid", "bid_turns": 2})
    table.bid("cy")
    for name in ("ana", "bo"):
        table.turn(name)
    assert "cy" in table.memory.floor.bids
    table.turn("ana")
    assert "cy" not in table.memory.floor.bids


def test_the_holder_speaks_on_its_bid() -> None:
    """Which is spent, and kept with the grant."""
    table = three()
    table.bid("bo", 3, intent="oppose", re="P1", novelty="it\nleaks")
    table.grant("bo")
    floor = table.memory.floor
    assert (floor.holder, floor.epoch, floor.bids) == ("bo", 1, {})
    assert floor.intent is not None
    assert (floor.intent.intent, floor.intent.novelty) == ("oppose", "it leaks")
    table.release("bo")
    assert (table.memory.floor.holder, table.memory.floor.epoch) == ("", 2)
    assert table.memory.floor.intent is None
    assert table.memory.floor.passes == {}


@pytest.mark.parametrize("reason", ["silent", "failed", "expired", "budget"])
def test_who_had_nothing_to_say_has_passed(reason: str) -> None:
    """Twice in a row counts as twice."""
    table = three()
    for streak in (1, 2):
        table.grant("bo")
        table.release("bo", reason)
        assert table.memory.floor.passes["bo"].streak == streak


@pytest.mark.parametrize("entry", [
    FloorGranted(participant="bo", epoch=2),
    FloorReleased(participant="ana", epoch=2, reason="silent"),
    FloorGranted(participant="bo", epoch=1),
])  # fmt: skip
def test_an_entry_of_an_old_epoch_is_void(entry: FloorGranted | FloorReleased) -> None:
    """The first that landed holds."""
    table = three()
    table.grant("ana")
    table.release("ana")
    table.grant("cy")
    before = dump(table.memory)
    table.put(entry)
    assert dump(table.memory) == before


def test_a_grant_by_somebody_without_the_right_gives_it_to_nobody() -> None:
    """The epoch has begun all the same: the log has moved on."""
    table = three()
    table.grant("ana", by="bo")
    assert (table.memory.floor.epoch, table.memory.floor.holder) == (1, "")
    assert table.facts[-1].kind == "floor.refused"
    assert table.facts[-1].data == {"by": "bo", "what": "grant"}


@pytest.mark.parametrize("obstacle", [
    FloorMuted(participant="ana"), ParticipantLeft(participant="ana"), FloorPaused(),
])  # fmt: skip
def test_a_grant_that_comes_too_late_gives_it_to_nobody(
    obstacle: FloorMuted | ParticipantLeft | FloorPaused,
) -> None:
    """Whoever was muted, left, or paused with everyone meanwhile does not speak."""
    table = three()
    table.put(obstacle)
    table.grant("ana")
    assert (table.memory.floor.epoch, table.memory.floor.holder) == (1, "")


def test_a_moderator_takes_the_floor_away_and_others_cannot() -> None:
    """The capability is `interrupt`, or to be the one who holds it."""
    table = Table(agent("ana"), agent("bo", may=("interrupt",)), agent("cy"))
    table.grant("ana")
    table.release("ana", "revoked", by="cy")
    assert table.facts[-1].kind == "floor.refused"
    table.grant("ana")
    table.release("ana", "revoked", by="bo")
    assert table.facts[-1].kind == "floor.released"
    table.grant("ana")
    table.release("ana", "silent", by="ana")
    assert table.facts[-1].kind == "floor.released"


@given(bodies(60, PRIMARY_MAKERS))
def test_the_floor_has_one_holder_who_sits_there(entries: list[object]) -> None:
    """Whatever is published: epochs only grow, and no bid is held by who may not ask."""
    table = three()
    epoch = 0
    for entry in entries:
        table.put(entry)  # type: ignore[arg-type]  # entries of every kind
        floor = table.memory.floor
        assert floor.epoch >= epoch
        epoch = floor.epoch
        assert not floor.holder or floor.holder in floor.seats
        assert not floor.bids.keys() & floor.passes.keys()
        for name in floor.bids:
            assert floor.seats[name].present
            assert floor.seats[name].role != "observer"


# -- told to everyone --------------------------------------------------------------


def test_a_nudge_is_owed_an_answer() -> None:
    """What was passed before no longer counts, a cooldown neither; the next turn ends it."""
    table = three()
    table.passes("bo")
    table.put(FloorNudged(participant="bo", content="Well?"))
    floor = table.memory.floor
    assert (floor.seats["bo"].addressed > 0, floor.passes, floor.nudged > 0) == (True, {}, True)
    table.turn("bo")
    assert (floor.seats["bo"].addressed, floor.nudged) == (0, 0)


@pytest.mark.parametrize("end", ["phase", "vote"])
def test_a_phase_and_the_end_of_a_vote_call_for_new_thoughts(end: str) -> None:
    """Passes are gone; the hops go on."""
    table = three()
    table.turn("ana")
    table.passes("bo", "cy")
    if end == "phase":
        table.put(EpisodeOpened(participant="ana", episode="phase", title="Votes"))
    else:
        sides = ("bo", "cy")
        table.put(
            BallotCompleted(participant="parley", consensus=True, content="Tea.", supporters=sides)
        )
    floor = table.memory.floor
    assert (floor.passes, floor.stirred, floor.hops) == ({}, table.memory.n, 1)
    assert floor.moved == (1 if end == "vote" else 0)


def test_a_result_of_no_vote_stirs_nobody() -> None:
    """Or anyone could begin the talk anew, again and again."""
    table = three()
    table.passes("bo")
    table.put(BallotCompleted(participant="cy", consensus=False, content="No.", vote=99))
    assert list(table.memory.floor.passes) == ["bo"]


@pytest.mark.parametrize(
    ("by", "capability", "may"),
    [
        (None, "pause", True),
        ("chair", "pause", True),
        ("mod", "mute", True),
        ("mod", "grant", True),
        ("granter", "grant", True),
        ("granter", "pause", False),
        ("plain", "vote", False),
        ("eli", "vote", True),
        ("eli", "pause", False),
        ("stranger", "vote", True),
        ("stranger", "grant", False),
    ],
)
def test_capabilities(by: str | None, capability: str, may: bool) -> None:
    """Chairs have all, `moderate` is all, people may call a vote."""
    table = Table(
        agent("mod", may=("moderate",)), agent("granter", may=("propose", "grant")),
        agent("plain"), person("eli"), chair=["chair"],
    )  # fmt: skip
    assert is_allowed(table.memory, by, capability) is may


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        (FloorPaused(by="ana"), "pause"),
        (FloorResumed(by="ana"), "pause"),
        (FloorMuted(participant="bo", by="ana"), "mute"),
        (FloorMuted(participant="nobody"), "mute"),
    ],
)
def test_what_somebody_may_not_do_changes_nothing(entry: object, what: str) -> None:
    """It is refused as a fact."""
    table = three()
    before = dump(table.memory)
    table.put(entry)  # type: ignore[arg-type]  # several kinds
    assert dump(table.memory) == before
    assert table.facts[-1].kind == "floor.refused"
    assert table.facts[-1].data["what"] == what


def test_a_session_without_a_table_keeps_none() -> None:
    """Talk alone leaves no trace in the floor, and is heard again once somebody sits down."""
    records = numbered([opened(), *[Message(participant="eli", content="Hello.")] * 3])
    memory, _ = folded(records)
    assert not memory.layered
    assert dump(memory) == dump(folded(records)[0])
    assert memory.floor == Memory(PACKS).floor
    table = Table(agent("ana"), floor={"policy": "open"})
    assert table.memory.layered
    table.put(SettingsChanged(settings={"bots": ["ana"]}))
    assert table.memory.layered


@given(st.integers(1, 9), st.integers(0, 3))
def test_a_snapshot_folds_on_as_the_memory_would(turns: int, cut: int) -> None:
    """Law 2 with a floor in use, bids and all."""
    table = three()
    for turn in range(turns):
        table.bid(("ana", "bo", "cy")[turn % 3], turn % 4)
        table.turn(("ana", "cy")[turn % 2])
        if turn == cut:
            table.memory = load(dump(table.memory), PACKS, table.memory.seq)
    other = three()
    for turn in range(turns):
        other.bid(("ana", "bo", "cy")[turn % 3], turn % 4)
        other.turn(("ana", "cy")[turn % 2])
    assert dump(table.memory) == dump(other.memory)
