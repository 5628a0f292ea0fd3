"""What is found by what follows it, when names are joined and a person corrects it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, ItemCorrected, Message, ParticipantAliased
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened, put, talk

CLOSE = "Remove the rate limits and require a key from all"
DROP = "The working group will drop the old importer in the next release"


def kinds(facts: list[Fact], ref: str) -> list[str]:
    return [fact.kind for fact in facts if fact.ref == ref]


def test_a_line_and_its_votes_follow_the_name() -> None:
    """Whoever was renamed before the line turned out to be a proposal is its proposer."""
    memory, _ = folded(talk(
        ("anna", CLOSE),
        ("bob", "+1"),
        ParticipantAliased(alias="anna", participant="ana"),
        ParticipantAliased(alias="bob", participant="bo"),
        ("cy", "+1"),
        ("dee", "+1"),
    ))  # fmt: skip
    assert memory.proposals[1].participant == "ana"
    assert sorted(memory.proposals[1].reactions) == ["bo", "cy", "dee"]
    assert {line.who for line in memory.structure.lines} == {"ana"}


def test_two_names_of_one_person_are_one_vote() -> None:
    """The later one; a run has as many voters as people voted in it."""
    memory, _ = folded(talk(
        ("ana", CLOSE),
        ("bob", "-1"),
        ("bo", "+1, on second thoughts"),
        ParticipantAliased(alias="bob", participant="bo"),
    ))  # fmt: skip
    (run,) = memory.structure.runs
    assert (run.voters, run.bare) == ({"bo": 1000}, 0)
    memory, _ = folded(talk(
        ("ana", CLOSE),
        ("bo", "+1, on second thoughts"),
        ("bob", "-1"),
        ParticipantAliased(alias="bob", participant="bo"),
    ))  # fmt: skip
    (run,) = memory.structure.runs
    assert (run.voters, run.bare) == ({"bo": -1000}, 1)


def test_a_vote_that_moves_on_leaves_what_its_other_name_had_said() -> None:
    """Once both are one person, the earlier vote stands again where the later one leaves."""
    memory, _ = folded(talk(
        ("ana", "[PROPOSAL] Rebuild the index before Friday"),
        ("bob", "I oppose P1"),
        ("cy", DROP),
        ("bo", "+1"),
        ParticipantAliased(alias="bob", participant="bo"),
        ("dee", "+1"),
        ("eli", "+1"),
        ("fay", "+1"),
        ("cy", DROP),
    ))  # fmt: skip
    first, second = memory.proposals[1], memory.proposals[2]
    assert {who: reaction.stance for who, reaction in first.reactions.items()} == {"bo": "oppose"}
    assert {who: reaction.stance for who, reaction in second.reactions.items()} == {
        "bo": "support", "dee": "support", "eli": "support", "fay": "support",
    }  # fmt: skip
    assert (first.tally, second.tally) == ((0, 1, 0), (4, 0, 0))


def test_votes_of_both_names_that_move_on_leave_what_came_before_them() -> None:
    """Whichever name said it, with a vote of the other name in between."""
    memory, _ = folded(talk(
        ("ana", "[PROPOSAL] Rebuild the index before Friday"),
        ("bo", "0"),
        ("cy", DROP),
        ("bob", "+1"),
        ("bo", "+1"),
        ParticipantAliased(alias="bob", participant="bo"),
        *((who, "+1") for who in ("dee", "eli", "fay")),
        ("cy", DROP),
    ))  # fmt: skip
    first, second = memory.proposals[1], memory.proposals[2]
    assert {who: reaction.stance for who, reaction in first.reactions.items()} == {"bo": "neutral"}
    assert memory.participants["bo"].positions["P1"].stance == "neutral"
    assert sorted(second.reactions) == ["bo", "dee", "eli", "fay"]


VOTED = [("ana", CLOSE), ("bo", "+1"), ("cy", "+1"), ("dee", "+1")]


@pytest.mark.parametrize("again", [("eli", "+1"), ("ana", CLOSE), ("eli", f"ana: {CLOSE}")])
def test_what_a_person_struck_does_not_come_back(again: tuple[str, str]) -> None:
    """Neither by more votes on its line nor by saying it once more."""
    struck = ItemCorrected(ref="P1", by="ana", op="retract")
    memory, facts = folded(talk(*VOTED, struck, again, ("bo", "+1"), ("cy", "+1"), ("dee", "+1")))
    assert memory.proposals[1].struck
    assert kinds(facts, "P1")[0] == "proposal.made"
    assert [proposal.ref for proposal in memory.proposals.values() if proposal.stands] == []


def test_a_struck_decision_does_not_come_back() -> None:
    """Its line may be restated as often as it likes."""
    lines = [*VOTED, ("ana", CLOSE)]
    struck = ItemCorrected(ref="D1", by="ana", op="retract")
    memory, _ = folded(talk(*lines, struck, ("bo", CLOSE), ("cy", "ok"), ("ana", CLOSE)))
    assert memory.decisions[1].struck
    assert len(memory.decisions) == 1


def test_a_merged_proposal_takes_its_votes_in_reach_along() -> None:
    """They may still move to a nearer line, and leave what was said before."""
    memory, _ = folded(talk(
        ("ana", "I propose that we rebuild the index before Friday"),
        ("ana", "I propose that we move the backups to the other team"),
        ("bo", "I oppose P1"),
        ("cy", DROP),
        ("bo", "+1"),
        ItemCorrected(ref="P2", by="eli", op="merge", value="P1"),
        ("dee", "+1"),
        ("eli", "+1"),
        ("fay", "+1"),
        ("cy", DROP),
    ))  # fmt: skip
    reactions = memory.proposals[1].reactions
    assert {who: reaction.stance for who, reaction in reactions.items()} == {"bo": "oppose"}
    assert sorted(memory.proposals[3].reactions) == ["bo", "dee", "eli", "fay"]


def test_a_topic_and_a_name_of_what_was_found_can_be_put_right() -> None:
    """And the decision that follows takes the topic over."""
    topic = ItemCorrected(ref="P1", by="bo", op="topic", value="limits")
    by = ItemCorrected(ref="P1", by="bo", op="by", value="eli")
    memory, _ = folded(talk(*VOTED, topic, by, ("ana", CLOSE)))
    assert (memory.proposals[1].topic, memory.proposals[1].participant) == ("limits", "eli")
    assert memory.decisions[1].topic == "limits"


@given(st.lists(put(), min_size=1, max_size=3), st.data())
def test_no_trace_is_left_of_a_name_that_became_another(
    rounds: list[list[Message]], data: st.DataObject
) -> None:
    """Wherever it happens, the window folds on from its bytes as it does live."""
    log: list[Entry] = [opened(), *(message for some in rounds for message in some)]
    place = data.draw(st.integers(1, len(log)))
    log.insert(place, ParticipantAliased(alias="bo", participant="cy"))
    memory = fold_records(Memory(PACKS), numbered(log)[: place + 1])
    structure = memory.structure
    names = {line.who for line in structure.lines} | {line.typist for line in structure.lines}
    names |= {who for run in structure.runs for who in run.voters} | {
        unlinked_vote.who for unlinked_vote in structure.casts
    }
    assert "bo" not in names
    assert all(0 <= run.bare <= len(run.voters) for run in structure.runs)
    restored = load(dump(memory), PACKS, memory.seq)
    for record in numbered(log)[place + 1 :]:
        assert apply(restored, record) == apply(memory, record)
    assert dump(restored) == dump(memory)
