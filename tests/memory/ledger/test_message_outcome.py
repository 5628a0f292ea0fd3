"""What a message did is found by what cites it, and is what a look at every item finds."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, Message
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.ledger.message_outcome import message_outcome
from parley.memory.state.item_state import Decision, ItemCites, Proposal, list_origins
from parley.memory.state.memory import Memory
from tests.memory.laws.test_law_of_decision import OTHERS, PROPOSED, PROPOSER, said, voted
from tests.support.logs.logs import PACKS, entries, folded, numbered, opened, talk

PEOPLE: Final = (PROPOSER, *OTHERS)


def scan(memory: Memory, n: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The handles that message `n` made and touched, by a look at every item."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    firm = [item for item in items if item.stands and not item.candidate]
    touched = (item.handle for item in firm if item.born < n and n in cited_by(item))
    return tuple(item.handle for item in firm if item.born == n), tuple(touched)


def cited_by(item: Proposal | Decision) -> set[int]:
    return {cite.n for origin in list_origins(item) for cite in origin.cites}


def check_outcomes(memory: Memory) -> None:
    for n in range(1, memory.n + 1):
        outcome = message_outcome(memory, n)
        assert (outcome.made, outcome.touched) == scan(memory, n), n


def check_log(log: list[Entry]) -> None:
    """At every moment of the log, of every message so far; and again from a snapshot midway."""
    memory, records = Memory(PACKS), numbered(log)
    for at, record in enumerate(records):
        apply(memory, record)
        check_outcomes(memory)
        if at == len(records) // 2:
            memory = load(dump(memory), PACKS, memory.seq)
            check_outcomes(memory)


@given(entries(max_size=25))
def test_of_any_log_it_is_what_a_scan_finds(log: list[Entry]) -> None:
    check_log(log)


@given(st.lists(said(st.sampled_from(PEOPLE)) | voted(st.sampled_from(PEOPLE)), max_size=20))
def test_of_acts_and_votes_it_is_what_a_scan_finds(log: list[Entry]) -> None:
    check_log([opened(chair=["eve"]), *PROPOSED, *log])


def test_one_who_repeats_a_side_a_thousand_times_leaves_no_trail() -> None:
    """The index is rebuilt as it grows, so that it takes room by the items alone."""
    again = (("bo", "I support P1."), ("bo", "I oppose P1.")) * 1000
    memory, _ = folded(talk(("ana", "I propose that we move the index."), *again))
    noted = [n for n in range(1, memory.n + 1) if memory.cites.handles(n)]
    assert len(noted) < 600
    assert message_outcome(memory, memory.n).touched == ("P1",)


def test_it_looks_at_no_item_that_the_message_does_not_speak_of() -> None:
    """Of many proposals, one message looks at the one that it is on."""
    made = [Message(participant=f"p{i}", content=f"Plan {i}", act="propose") for i in range(100)]
    on = Message(participant="bo", content="Yes.", act="support", re="P7")
    memory, _ = folded(talk(*made, on))
    assert memory.cites.handles(memory.n) == ["P7"]
    assert message_outcome(memory, memory.n).touched == ("P7",)


def test_an_index_of_no_items_lists_nothing() -> None:
    cites = ItemCites()
    cites.rebuild(())
    assert (cites.handles(1), cites.is_overgrown) == ([], False)
