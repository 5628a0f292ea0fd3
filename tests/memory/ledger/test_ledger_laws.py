"""Laws of the ledger, whatever a model answers: marks outrank it, and it ratifies nothing."""

from __future__ import annotations

from random import Random
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import (
    Claim,
    ClaimLabel,
    Doubt,
    Entry,
    ItemCheck,
    ItemsExtracted,
    Message,
    Outcome,
    ReadSide,
    Relation,
    Right,
    Verdict,
)
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.extraction.structure.shelves import is_marked
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, numbered, opened
from tests.support.logs.mixed import NAMES, PRIMARY_MAKERS, bodies

EXTRACT = {"how": "model", "interval": 3, "overlap": 1}
HANDLES = tuple(f"{kind}{ref}" for kind in "PDM" for ref in range(1, 9))


@st.composite
def answers(draw: st.DrawFn, effect: ReadingEffect) -> ItemsExtracted:
    """Any answer to that reading: sound claims about anything, by any right, and verdicts."""
    label = st.sampled_from(get_args(ClaimLabel))
    claims = draw(
        st.lists(
            st.builds(
                lambda n, span, which, **fields: Claim(
                    n=n, start=span[0], end=span[0] + span[1], quote="x" * span[1], label=which,
                    **fields,
                ),
                st.integers(effect.first, effect.last),
                st.tuples(st.integers(0, 6), st.integers(1, 6)),
                label,
                id=st.sampled_from((None, "a", "b")),
                targets=st.lists(st.sampled_from((*HANDLES, "a", "b")), max_size=3).map(tuple),
                side=st.sampled_from(get_args(ReadSide)),
                outcome=st.sampled_from(get_args(Outcome)),
                right=st.sampled_from(get_args(Right)),
                relation=st.sampled_from(get_args(Relation)),
                statement=st.sampled_from((None, "Say it so.")),
                detail=st.sampled_from((None, "on Monday")),
                who=st.sampled_from((None, *NAMES)),
                done=st.booleans(),
            ),
            max_size=12,
        )
    )  # fmt: skip
    check = st.builds(
        ItemCheck,
        ref=st.sampled_from(HANDLES),
        verdict=st.sampled_from(get_args(Verdict)),
        reason=st.sampled_from(get_args(Doubt)),
        statement=st.just("Say it otherwise."),
        who=st.sampled_from((None, None, *NAMES)),
    )
    checks = draw(st.lists(check, max_size=6))
    return ItemsExtracted(
        lead=effect.lead, first=effect.first, last=effect.last,
        claims=tuple(claims), checks=tuple(checks),
    )  # fmt: skip


@st.composite
def read_talks(draw: st.DrawFn) -> tuple[list[Entry], list[ItemsExtracted]]:
    """A log of primary entries under small settings, and an answer to all that is owed of it."""
    chair = draw(st.lists(st.sampled_from(NAMES), max_size=1))
    log: list[Entry] = [opened(extract=EXTRACT, chair=chair)]
    log += draw(bodies(24, PRIMARY_MAKERS))
    memory, _ = folded(numbered(log))
    return log, [draw(answers(effect)) for effect in list_owed_readings(memory)]


def landed(log: list[Entry], readings: list[ItemsExtracted]) -> Memory:
    return folded(numbered([*log, *readings]))[0]


def marked(item: LedgerItem) -> bool:
    """True if a participant made the item by an act or a tag, or a person corrected it."""
    return item.item is not None and is_marked(item.item.origin)


@given(read_talks())
def test_a_model_changes_nothing_that_was_marked(
    talk: tuple[list[Entry], list[ItemsExtracted]],
) -> None:
    """Items, sides and statuses by an act, tag, handle, ballot, chair or person stay."""
    log, readings = talk
    before, after = ledger_of(landed(log, [])), ledger_of(landed(log, readings))
    for item in (*before.proposals(), *before.decisions()):
        then = after.item(item.handle)
        assert then is not None
        for name, side in item.sides.items():
            if side.counted or side.vote or is_marked(side.origin):
                assert then.sides[name] == side
        known = item.item
        settled = known.settled if isinstance(known, Proposal) else None
        if settled is not None and is_marked(settled) and item.status != "lapsed":
            assert (then.status, then.as_read) == (item.status, False)
        if isinstance(known, Decision) and known.status != "claimed":
            assert (then.status, then.as_read) == (item.status, False)
        if marked(item):
            assert (then.shelf, then.statement, then.text) == (item.shelf, "", item.text)


@given(read_talks())
def test_a_model_ratifies_nothing(talk: tuple[list[Entry], list[ItemsExtracted]]) -> None:
    """The fold's items are the same without it, and no shown status calls a reading ratified."""
    log, readings = talk
    without, memory = landed(log, []), landed(log, readings)
    assert memory.proposals == without.proposals
    assert memory.decisions == without.decisions
    assert memory.participants == without.participants
    for item in (*ledger_of(memory).proposals(), *ledger_of(memory).decisions()):
        if item.as_read:
            assert item.status not in ("ratified", "disputed", "superseded")
        if item.item is None:
            assert item.as_read
        assert all(not side.counted for side in item.sides.values() if side.as_read)


@given(read_talks())
def test_a_ruling_that_settles_has_a_right(
    talk: tuple[list[Entry], list[ItemsExtracted]],
) -> None:
    """The chair's, one that another granted, a report by another than the proposer, or agreement.

    Nobody settles a proposal alone: of two who disagree, neither can by what a model reads.
    """
    log, readings = talk
    memory = landed(log, readings)
    ledger = ledger_of(memory)
    for item in ledger.proposals():
        ending = item.ending
        if ending is None or ending.word in ("replaced", "carried_out"):
            continue
        granted = any(grant.who == ending.by and grant.by != ending.by for grant in ledger.grants)
        reported = bool(ending.reporter) and ending.reporter != item.participant
        if ending.by in memory.chairs or granted or reported or ending.by == item.participant:
            continue
        every = [*item.earlier_sides, *item.sides.values()]
        others = [side for side in every if side.n <= ending.n and side.participant != ending.by]
        if ending.word == "rejected":
            assert any(side.stance == "oppose" for side in others)
        else:
            assert ending.word in ("accepted", "accepted_with_changes")
            assert ending.right == "vote" or ending.by != item.participant


@given(read_talks(), st.randoms(use_true_random=False))
def test_answers_land_in_any_order(
    talk: tuple[list[Entry], list[ItemsExtracted]], random: Random
) -> None:
    """The bytes of memory are the same, and so is the ledger."""
    log, readings = talk
    mixed = [*readings]
    random.shuffle(mixed)
    assert dump(landed(log, mixed)) == dump(landed(log, readings))


def test_a_chain_of_a_thousand_amendments_is_shown() -> None:
    """A hostile answer cannot exhaust the stack, nor the time."""
    log: list[Entry] = [opened(extract={"how": "model", "interval": 3})]
    log += [Message(participant="ana", content="x" * 900) for _ in range(3)]
    claims = tuple(
        Claim(
            n=3, start=start, end=start + 1, quote="x", label="proposal", id=f"a{start}",
            relation="replaces", targets=(f"a{start - 1}", f"M3.{start}"),
        )
        for start in range(99)
    )  # fmt: skip
    memory, _ = folded(numbered(log))
    (effect,) = list_owed_readings(memory)
    entry = ItemsExtracted(lead=effect.lead, first=effect.first, last=effect.last, claims=claims)
    (record,) = numbered([entry], memory.seq, memory.n)
    apply(memory, record)
    assert len([*ledger_of(memory).proposals()]) == 99
