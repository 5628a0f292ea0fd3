"""Other words for a message: items and sides are read anew, and what rests on it holds it."""

from __future__ import annotations

import pytest

from parley.bus.entries import Entry, ItemsExtracted, Message, MessageEdited, VoteInitiated
from parley.memory.context.context import Request, assemble
from parley.memory.exchanges import exchanges
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.item_state import Fact, Proposal
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, talk

REBUILD = "[PROPOSAL] We rebuild the index on Friday"
BEFORE = (("ana", REBUILD), ("bo", "[SUPPORT P1] Fine with me"))


def edit(of: int, content: str, by: str = "ana", **fields: object) -> MessageEdited:
    return MessageEdited.model_validate({
        "participant": by, "of": of, "content": content, **fields,
    })  # fmt: skip


def fold(*lines: tuple[str, str] | Entry, **settings: object) -> tuple[Memory, list[Fact]]:
    return folded(talk(*lines, **settings))


def kinds(facts: list[Fact]) -> list[str]:
    return [fact.kind for fact in facts]


def test_a_proposal_keeps_its_handle_and_who_is_for_it() -> None:
    """Its text and where that stands are the edit's; who supported it did so before the edit."""
    memory, facts = fold(*BEFORE, edit(1, "[PROPOSAL] We rebuild the index on Monday"))
    proposal = memory.proposals[1]
    assert proposal.text == "We rebuild the index on Monday"
    assert (proposal.born, proposal.edited, proposal.origin.cites[0].n) == (1, 3, 3)
    assert proposal.reactions["bo"].origin.cites[0].n == 2 < proposal.edited
    assert not proposal.reactions["bo"].counted  # it was on other words
    assert proposal.tally == (1, 0, 0)
    assert len(memory.proposals) == 1
    assert "proposal.edited" in kinds(facts)


def test_words_that_stay_are_no_other_text() -> None:
    """A change beside the proposal leaves what others said of it as said of this text."""
    memory, _ = fold(*BEFORE, edit(1, f"{REBUILD}\n\nMorning!"))
    assert memory.proposals[1].edited == 0
    assert memory.proposals[1].reactions["bo"].counted


def test_what_the_new_words_do_not_propose_is_withdrawn() -> None:
    """Of two proposals the one that the new words are like keeps its handle."""
    both = f"{REBUILD}\n\n[PROPOSAL] We buy a second rack for the store"
    memory, _ = fold(("ana", both), edit(1, "[PROPOSAL] We buy a second rack for the big store"))
    rebuild, rack = memory.proposals[1], memory.proposals[2]
    assert (rebuild.status, rack.status) == ("withdrawn", "active")
    assert "big store" in rack.text


def test_what_is_taken_back_proposes_nothing() -> None:
    """An edit to nothing withdraws what the message proposed."""
    memory, facts = fold(*BEFORE, edit(1, ""))
    assert memory.proposals[1].status == "withdrawn"
    assert facts[-1].kind == "proposal.settled"
    assert memory.participants["ana"].positions == {}


@pytest.mark.parametrize(
    ("old", "new", "stands"),
    [
        ("[SUPPORT P1] yes", "[OPPOSE P1] no", ("oppose", True)),
        ("[SUPPORT P1] yes", "Let me think about it", None),
        ("+1", "-1", ("oppose", False)),  # found by nearness then, and on the same now
        ("Morning", "[SUPPORT P1] yes", ("support", True)),
    ],
)
def test_a_side_is_read_anew(old: str, new: str, stands: tuple[str, bool] | None) -> None:
    """A side that only the old words took is none; one that names nothing is on what they were."""
    lines = (("ana", REBUILD), ("bo", old), ("cy", "[PROPOSAL] We buy a rack"))
    memory, _ = fold(*lines, edit(2, new, "bo"), ratify={"quorum": 9})
    reaction = memory.proposals[1].reactions.get("bo")
    assert (None if reaction is None else (reaction.stance, reaction.counted)) == stands
    assert memory.proposals[2].reactions == {}
    position = memory.participants["bo"].positions.get("P1")
    assert (position is None) == (stands is None)


def test_an_act_of_the_envelope_is_said_of_the_new_words() -> None:
    """`act` and `re` stay, so what the message amended it amends in other words."""
    amend = Message(participant="bo", content="Rebuild it on Sunday", act="amend", re="P1")
    again = edit(2, "Rebuild it on Sunday at noon", "bo", act="amend", re="P1")
    memory, _ = fold(("ana", REBUILD), amend, again)
    assert memory.proposals[1].superseded_by == 2
    assert memory.proposals[2].text == "Rebuild it on Sunday at noon"
    assert len(memory.proposals) == 2


VOTE = VoteInitiated(participant="cy", content="Shall we?", re="P1")


@pytest.mark.parametrize(
    ("lines", "of", "by", "reason"),
    [
        ((*BEFORE, VOTE), 1, "ana", "P1 was put to a vote"),
        ((*BEFORE, VOTE), 2, "bo", "P1 was put to a vote"),
        ((*BEFORE, ("ana", "[WITHDRAW P1]")), 1, "ana", "P1 is withdrawn by now"),
        ((("ana", "[DECISION] We rebuild it"),), 1, "ana", "a decision on D1 rests on it"),
        (BEFORE, 1, "bo", "P1 is somebody else's"),
        ((*BEFORE, edit(1, "Morning")), 1, "bo", "it is somebody else's"),
        (BEFORE, 9, "ana", "there is no entry 9"),
    ],
)
def test_what_something_rests_on_stays(
    lines: tuple[tuple[str, str] | Entry, ...], of: int, by: str, reason: str
) -> None:
    """Refused is what a vote or a decision rests on, what is settled, and what is another's."""
    before, _ = fold(*lines)
    memory, facts = fold(*lines, edit(of, "Something else", by))
    assert facts[-1].kind == "edit.ignored"
    assert facts[-1].data["reason"] == reason
    assert memory.proposals == before.proposals
    assert memory.edited == before.edited


def test_the_moment_before_is_as_it_was() -> None:
    """What is folded up to the edit has the old words, byte for byte."""
    records = talk(*BEFORE, edit(1, "[PROPOSAL] We rebuild the index on Monday"))
    before, _ = folded(records[:-1])
    assert dump(before) == dump(fold(*BEFORE)[0])
    assert before.proposals[1].text == "We rebuild the index on Friday"
    assert b'"edited"' not in dump(before)


def test_an_edited_proposal_is_found_by_its_new_words_alone() -> None:
    """Of a memory that went on, and of one that was stored and read again."""
    lines = (("ana", "[PROPOSAL] Drop the importer"), edit(1, "[PROPOSAL] Paint the office green"))
    again = (("bo", "[PROPOSAL] Drop the importer"), ("cy", "[PROPOSAL] Paint the office green"))
    records = talk(*lines, *again)
    live, _ = folded(records[:3])
    restored = load(dump(live), PACKS, live.seq)
    for record in records[3:]:
        assert apply(live, record) == apply(restored, record)
    assert live.proposals[2].echoes is None
    assert live.proposals[3].echoes == 1


def test_what_a_model_read_in_the_old_words_goes() -> None:
    """Whether its answer came before the edit or after it."""
    lines = [("ana", "Perhaps we should rebuild the index"), ("bo", "Perhaps")]
    claim = {"n": 1, "start": 0, "end": 7, "quote": "Perhaps", "label": "proposal"}
    read = ItemsExtracted.model_validate({"lead": 1, "first": 1, "last": 2, "claims": [claim]})
    settings = {"extract": {"how": "model", "interval": 2}}
    early, _ = fold(*lines, read, edit(1, "Morning"), **settings)
    late, _ = fold(*lines, edit(1, "Morning"), read, **settings)
    kept, _ = fold(*lines, read, **settings)
    assert len(kept.claims.kept) == 1
    assert early.claims.kept == late.claims.kept == []
    assert dump(early) == dump(late)


def test_a_document_is_read_anew_as_one() -> None:
    """A long text keeps the handle of what it proposes in other words."""
    rest = "\n".join(
        f"The store had {k} slow nights, as the log of that week says." for k in range(9)
    )
    old = f"# Plan\n\nWe should move the nightly backups to the second region.\n\n{rest}"
    new = old.replace("the second region", "the third region")
    memory, _ = fold(("ana", old), edit(1, new))
    assert [proposal.status for proposal in memory.proposals.values()] == ["active"]
    assert "third region" in memory.proposals[1].text


def test_the_open_exchange_has_the_new_words() -> None:
    """A question that is asked in other words, and an answer."""
    lines = (("ana", "Where is it?"), ("bo", "In Ghent"))
    edits = (edit(1, "Where is the rack?"), edit(2, "In Bruges", "bo"))
    memory, _ = fold(*lines, *edits, exchange={"users": ["ana"]})
    current = exchanges.open_exchange(memory)
    assert current is not None
    assert current.talk is not None
    assert (current.talk.question, current.talk.answer) == ("Where is the rack?", "In Bruges")


def test_notebooks_are_told_of_it_as_they_were_of_the_message() -> None:
    """Those to whom it was said, and nobody else."""
    said = Message(participant="ana", content="Psst", to=("bo",))
    memory, _ = fold(said, edit(1, "Psst!", to=["bo"]), note={"policy": "append"})
    line = memory.notebooks.history[-1]
    assert (line.act, line.re, line.text, line.to) == ("edited", "n 1", "Psst!", ("bo",))


def test_a_context_shows_the_newest_words_once() -> None:
    """The old line is gone, the edit's says whose place it takes; one taken back is not there."""
    records = talk(*BEFORE, edit(1, "Morning all"), ("cy", "Hello"), edit(4, "", "cy"))
    memory, _ = folded(records)
    text = assemble(memory, Request(recent=records)).text
    assert "on Friday" not in text
    assert "n 3 ana (edited n 1)" in text
    assert "Morning all" in text
    assert "Hello" not in text
    assert isinstance(memory.proposals[1], Proposal)
