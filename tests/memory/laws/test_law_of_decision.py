"""The rule of decision: what fewer than a quorum of others do, without a chair, binds nothing."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import (
    BallotCast,
    BallotCompleted,
    Entry,
    ItemCorrected,
    Message,
    VoteConfirmed,
    VoteInitiated,
)
from parley.memory.fold.apply import apply
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.voting.votes import compute_result
from tests.support.logs.logs import PACKS, numbered, opened

PROPOSER: Final = "ana"
OTHERS: Final = ("bo", "cy", "dee")
HANDLES: Final = ("P1", "P2", "D1", "D2", "D3")
PROPOSED: Final = (
    Message(participant=PROPOSER, content="We move the index to the second disk.", act="propose"),
    Message(participant=PROPOSER, content="[PROPOSAL] Buy a second rack"),
)
WORDS: Final = (
    "+1", "-1", "[ACCEPT P1]", "[REJECT P1]", "[RATIFY D1]", "[SUPPORT P1]", "[OPPOSE P2]",
    "[DISPUTE D1]", "[DECISION P1] We move the index to the second disk.",
    "Decision: we move the index to the second disk.", "RESOLVED: Buy a second rack",
    "I accept P1.", "I support P2.", "I ratify D1.", "P1 is accepted.", "P1 is rejected.",
    "We agreed to move the index to the second disk.", "Consensus: buy a second rack.",
    "We have decided to buy a second rack.", "bo: +1 to P1", "cy: I support P1.", "cy: [ACCEPT P1]",
)  # fmt: skip
ACTS: Final = ("support", "oppose", "abstain", "accept", "reject", "decide", "ratify", "dispute")
VOTES: Final = ("V1", "V2", "V3")
CHOICES: Final = ("accept", "reject", "abstain", "P1", "P2", "yes", "no")
RULES: Final = (None, "majority", "two_thirds", "unanimity", "consent", "ranked")
MAKES_FINAL: Final = ("accepted", "rejected")


def said(names: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    """Acts, tags and marks on the proposals and on whatever decisions come of them."""
    targets: Any = st.sampled_from((*HANDLES, 1, 2))
    acts: Any = st.sampled_from(ACTS)
    words = st.sampled_from(WORDS)
    return st.builds(Message, participant=names, content=words, act=acts, re=targets) | st.builds(
        Message, participant=names, content=words, re=st.none() | targets
    )


def voted(names: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    """Votes called and agreed to, ballots, and results that anybody says they counted."""
    options: Any = st.sampled_from(((), (), ("P1", "P2"), ("yes", "no")))
    rules: Any = st.sampled_from(RULES)
    call = st.builds(
        VoteInitiated, participant=names, content=st.just("So?"), options=options, rule=rules,
        re=st.sampled_from((None, "P1", "P2")), secret=st.booleans(),
        quorum=st.sampled_from((None, 0)),
    )  # fmt: skip
    agree = st.builds(VoteConfirmed, participant=names, agreed=st.just(True))
    cast = st.builds(
        BallotCast, participant=names, re=st.sampled_from(VOTES),
        choice=st.tuples(st.sampled_from(CHOICES)),
    )  # fmt: skip
    claimed = st.builds(
        BallotCompleted, participant=names, consensus=st.booleans(), content=st.just("Counted."),
        vote=st.integers(3, 9), carried=st.sampled_from(CHOICES),
        tally=st.just({"accept": 9, "yes": 9}),
    )  # fmt: skip
    told = st.builds(
        BallotCompleted, participant=names, consensus=st.just(True), content=st.just("Buy a rack."),
        re=st.sampled_from((None, "P1", "D1")), supporters=names.map(lambda name: (name,)),
    )  # fmt: skip
    return call | agree | cast | claimed | told


def corrected(names: st.SearchStrategy[str]) -> st.SearchStrategy[Entry]:
    refs = st.sampled_from(HANDLES)
    return st.builds(ItemCorrected, by=names, ref=refs, op=st.just("confirm"))


def count_open_votes(memory: Memory) -> list[Entry]:
    """What the server publishes of each vote that runs."""
    return [compute_result(memory, ref) for ref in memory.votes.running]


@st.composite
def talks(draw: st.DrawFn, quorum: int) -> list[Entry]:
    """What the proposer and fewer than `quorum` others say, in any order, with any act."""
    count = draw(st.integers(0, quorum - 1))
    others = OTHERS[:count]
    names = st.sampled_from((PROPOSER, *others))
    if draw(st.booleans()):
        names = st.sampled_from(others or (PROPOSER,))
    return draw(st.lists(said(names) | voted(names) | corrected(names), max_size=25))


def folded_with_counts(talk: list[Entry], **settings: object) -> Memory:
    """The memory of `talk`; each vote that runs is counted behind every fifth entry."""
    memory, seq, n = Memory(PACKS), 0, 0
    waiting: list[Entry] = [opened(**settings), *PROPOSED]
    for place, entry in enumerate([*talk, Message(participant=PROPOSER, content="Well.")]):
        waiting.append(entry)
        for each in waiting:
            record = numbered([each], seq, n)[0]
            seq, n = record.seq, record.n
            apply(memory, record)
        waiting = count_open_votes(memory) if place % 5 == 4 else []
    for result in count_open_votes(memory):
        record = numbered([result], seq, n)[0]
        seq, n = record.seq, record.n
        apply(memory, record)
    return memory


def is_final(item: Proposal | Decision) -> bool:
    """True if it was accepted, rejected or ratified, whatever came after."""
    if isinstance(item, Decision):
        return item.ratified is not None or item.status in ("ratified", "superseded")
    return item.status in MAKES_FINAL


def final_items(memory: Memory) -> list[str]:
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    return [each.handle for each in items if is_final(each)]


@given(st.integers(1, 3).flatmap(lambda quorum: st.tuples(st.just(quorum), talks(quorum))))
def test_law_25_fewer_than_a_quorum_of_others_accept_reject_and_ratify_nothing(
    drawn: tuple[int, list[Entry]],
) -> None:
    """By acts, tags, marks, ballots, results and confirmations, in any order, without a chair."""
    quorum, talk = drawn
    memory = folded_with_counts(talk, ratify={"quorum": quorum}, vote={"confirm": "none"})
    assert final_items(memory) == []
    statuses = {proposal.status for proposal in memory.proposals.values()}
    assert statuses <= {"active", "modified", "withdrawn", "lapsed"}


def test_a_chair_who_restates_a_claim_settles_what_it_is_on() -> None:
    """In the same words, without its handle: the proposal is accepted with the decision."""
    memory = Memory(PACKS)
    talk: list[Entry] = [
        opened(chair=["lead"]),
        Message(participant="ana", content="We keep the orders in Postgres.", act="propose"),
        Message(participant="bo", content="One region alone is a risk.", act="oppose", re="P1"),
        Message(participant="bo", content="Postgres it is.", act="decide", re="P1"),
        Message(participant="lead", content="Postgres it is.", act="decide"),
    ]
    for record in numbered(talk):
        apply(memory, record)
    assert memory.decisions[1].status == "ratified"
    assert memory.proposals[1].status == "accepted"


@given(talks(2), st.sampled_from(("act", "tag", "accept", "decide")))
def test_law_25_a_chair_accepts_alone_by_whatever_spelling(talk: list[Entry], how: str) -> None:
    """After whatever the others did, the chair's word settles what is open."""
    memory = folded_with_counts(talk, chair=["chair"], vote={"confirm": "none"})
    proposal = memory.proposals[1]
    if proposal.status != "active":
        return
    words = {
        "act": Message(participant="chair", content="Yes.", act="accept", re="P1"),
        "tag": Message(participant="chair", content=f"[DECISION P1] {proposal.text}"),
        "accept": Message(participant="chair", content="[ACCEPT P1]"),
        "decide": Message(participant="chair", content=proposal.text, act="decide", re="P1"),
    }[how]
    apply(memory, numbered([words], memory.seq, memory.n)[0])
    assert memory.proposals[1].status == "accepted"
    (decision,) = [
        each for each in memory.decisions.values() if each.resolves == 1 and each.ratified
    ]
    assert decision.status == "ratified"
