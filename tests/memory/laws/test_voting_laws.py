"""What holds of votes whatever is published, and in whatever order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from parley.bus.entries import (
    BallotCast,
    BallotCompleted,
    Entry,
    ItemCorrected,
    Message,
    ParticipantAliased,
    SessionClosed,
    SettingsChanged,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
)
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.redaction import choose_tombstone
from parley.memory.fold.replay import fold_records
from parley.memory.state.lookup import find_vote
from parley.memory.state.memory import Memory
from parley.memory.voting.electorate import is_attended
from parley.memory.voting.outcomes import count_vote
from parley.memory.voting.turnout import vote_seconds
from parley.memory.voting.vote_calls import RUNNING
from parley.memory.voting.votes import ROWS, WITH_BALLOTS, compute_result
from tests.support.logs.logs import PACKS, folded, numbered, opened

NAMES = st.sampled_from(("ana", "bo", "cy", "dee"))
VOTES = st.sampled_from(("V1", "v2", "V3", 4, 7))
WORDS = ("accept", "reject", "abstain", "P1", "p2", "tea", "Coffee", "perhaps")
SEATED = (  # who may be asked, and on what; the first vote is the fourth entry
    Message(participant="ana", content="[PROPOSAL] We drink tea at four."),
    Message(participant="bo", content="[PROPOSAL] Move the backups to the other team."),
    Message(participant="cy", content="I support P1."),
)
MOVES = {
    "called": {"called", "open", "cancelled"},
    "open": {"open", "carried", "failed", "short", "cancelled"},
}


def entries() -> st.SearchStrategy[list[Entry]]:
    """A talk in which votes are called, cast in and closed, well and badly."""
    options = st.sampled_from(((), (), ("tea", "coffee"), ("P1", "P2"), ("P1", "tea"), ("tea",)))
    contents = st.sampled_from((
        "[PROPOSAL] We drink tea at four.", "[PROPOSAL] Move the backups to the other team.",
        "I support P1.", "I oppose P1.", "I withdraw P2.", "accept P2", "Hm.",
    ))  # fmt: skip
    rule: Any = st.sampled_from((None, "majority", "two_thirds", "unanimity", "consent", "ranked"))
    tree: Any = {"vote": {"confirm": "majority"}}
    call = st.builds(
        VoteInitiated, participant=NAMES, content=st.just("So?"), options=options, rule=rule,
        re=st.sampled_from((None, "P1", "P2", "P9")), secret=st.booleans(),
        quorum=st.sampled_from((0, 500, 1000)), seconds=st.sampled_from((None, 30, 86_400)),
    )  # fmt: skip
    cast = st.builds(
        BallotCast, participant=NAMES, re=VOTES,
        choice=st.lists(st.sampled_from(WORDS), max_size=2).map(tuple),
    )  # fmt: skip
    close = st.builds(
        BallotCompleted, participant=NAMES, consensus=st.booleans(), content=st.just("So."),
        vote=st.sampled_from((None, 2, 3, 4, 5, 6)), re=st.sampled_from((None, "P1")),
        carried=st.sampled_from((None, *WORDS)), tally=st.just({"accept": 1}),
        heard=st.one_of(st.none(), st.integers(0, 30)),
    )  # fmt: skip
    talk = st.builds(Message, participant=NAMES, content=contents)
    rare = st.one_of(
        st.builds(VoteConfirmed, participant=NAMES, agreed=st.booleans()),
        st.builds(VoteExtended, participant=NAMES, re=VOTES, seconds=st.sampled_from((60, 3_600))),
        st.builds(ParticipantAliased, alias=NAMES, participant=NAMES),
        st.just(SettingsChanged(settings=tree)),
        st.just(ItemCorrected(ref="P1", by="ana", op="retract")),
        st.just(ItemCorrected(ref="P2", by="ana", op="merge", value="P1")),
        st.just(SessionClosed()),
    )
    rest = st.lists(st.one_of(talk, call, call, cast, cast, cast, cast, close, rare), max_size=30)
    return st.builds(lambda calls, more: [*SEATED, *calls, *more], st.lists(call, max_size=3), rest)


@given(entries())
def test_votes_move_along_their_edges_and_a_closed_one_never_again(body: list[Entry]) -> None:
    """What runs is listed, and bounded; who votes is fixed when it opens, but for names."""
    memory = Memory(PACKS)
    before: dict[int, tuple[str, object]] = {}
    for record in numbered([opened(), *body]):
        apply(memory, record)
        votes = memory.votes
        running = [ref for ref, vote in votes.by_ref.items() if vote.status in ("called", "open")]
        assert votes.running == running
        assert len(running) <= RUNNING
        assert sum(bool(vote.closed) for vote in votes.by_ref.values()) <= ROWS
        assert (
            sum(bool(vote.closed and vote.ballots) for vote in votes.by_ref.values())
            <= WITH_BALLOTS
        )
        for ref, vote in votes.by_ref.items():
            was, tally = before.get(ref, ("called", None))
            assert vote.status in MOVES.get(was, {was})
            assert was in MOVES or vote.tally == tally
            assert vote.ballots.keys() <= vote.electorate.keys()
            before[ref] = vote.status, dict(vote.tally)
    assert memory.closed is None or not memory.votes.running


@given(entries(), st.integers(0, 30))
def test_a_vote_goes_on_from_a_snapshot_as_if_nothing_had_been(body: list[Entry], cut: int) -> None:
    """Law 2, of votes."""
    log = numbered([opened(), *body])
    memory = fold_records(Memory(PACKS), log[:cut])
    again = load(dump(memory), PACKS, memory.seq)
    assert dump(fold_records(again, log[cut:])) == dump(folded(log)[0])


@given(entries())
def test_a_published_result_says_what_the_vote_then_holds(body: list[Entry]) -> None:
    """Every open vote can be counted at any time, and closes with what was counted.

    One in which too few others voted is short. A secret one that is short shows no counts: they
    would say whose the few ballots are.
    """
    log = numbered([opened(), *body])
    memory, _ = folded(log)
    for ref in list(memory.votes.running):
        vote = memory.votes.by_ref[ref]
        if vote.status != "open":
            continue
        result, entry = count_vote(vote), compute_result(memory, ref)
        if not is_attended(memory, vote, result.carried):
            result = replace(result, status="short", carried=None)
        (record,) = numbered([entry], memory.seq, memory.n)
        apply(memory, record)
        hidden = vote.secret and result.status == "short"
        tally = {} if hidden else result.tally
        outcome = (result.status, result.carried, tally)
        assert (vote.status, vote.carried, vote.tally) == outcome
        assert entry.consensus == (result.carried not in (None, "reject"))


@given(entries(), st.data())
def test_taking_words_out_renames_no_vote(body: list[Entry], data: st.DataObject) -> None:
    """Whatever is redacted, the same entries call votes, and those carry what they carried."""
    log = numbered([opened(), *body])
    before, _ = folded(log)
    assume(before.n)
    n = data.draw(st.integers(1, before.n))
    place = next(k for k, record in enumerate(log) if record.n == n)
    entry: Any = choose_tombstone(PACKS, log, n, renumber=True).entry
    log[place] = numbered([entry], log[place].seq - 1, n - 1)[0]
    after, _ = folded(log)
    kind = entry.kind
    if kind in ("vote.initiated", "ballot.cast"):
        assert {ref: vote.n for ref, vote in after.votes.by_ref.items()} == {
            ref: vote.n for ref, vote in before.votes.by_ref.items()
        }
        assert [vote.status for vote in after.votes.by_ref.values()] == [
            vote.status for vote in before.votes.by_ref.values()
        ]


@given(entries(), st.integers(0, 30), NAMES, VOTES, st.integers(1, 86_400), st.integers(1, 3_600))
def test_more_time_adds_up_while_a_vote_is_open_and_is_void_else(
    body: list[Entry], cut: int, name: str, re: int | str, first: int, second: int
) -> None:
    """Whatever came before: nothing but its time is another, and it takes no number."""
    log = numbered([opened(), *body])[: cut + 1]
    memory, _ = folded(log)
    before, vote = dump(memory), find_vote(memory, re)
    was_open = vote is not None and vote.status == "open"
    seconds = 0 if vote is None else vote_seconds(memory, vote)
    for more in (first, second):
        (record,) = numbered(
            [VoteExtended(participant=name, re=re, seconds=more)], memory.seq, memory.n
        )
        assert record.n == memory.n
        facts = apply(memory, record)
        log.append(record)
        assert [fact.kind for fact in facts] == ["vote.extended" if was_open else "vote.refused"]
    if was_open:
        assert vote is not None
        assert vote_seconds(memory, vote) == seconds + first + second
    else:
        assert dump(memory) == before
    assert dump(folded(log)[0]) == dump(memory)
