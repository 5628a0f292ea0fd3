"""Long talk in the window: it is read when somebody votes on it, and costs little until then."""

from __future__ import annotations

import random

import pytest

from parley.bus.entries import EntryRedacted, ParticipantAliased
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, talk

PUT = "Remove the rate limits and require a key from all"
REASONS = ", because the proxy already counts each caller and the second count is always late" * 5
LONG = PUT + REASONS
DULL = "bread because of the weather today"
VOTES = (("bob", "+1"), ("cy", "+1"), ("dee", "+1"))


def proposed(memory: Memory) -> list[int]:
    return [each.born for each in memory.proposals.values() if not each.candidate]


def test_long_talk_with_votes_right_below_is_a_proposal() -> None:
    """As a short line in the same words is."""
    assert len(LONG) > 400
    long, _ = folded(talk(("ana", LONG), *VOTES))
    short, _ = folded(talk(("ana", PUT), *VOTES))
    assert proposed(long) == proposed(short) == [1]


def test_long_talk_is_not_read_before_somebody_votes() -> None:
    """The newest waits, and is no line of the window."""
    memory, _ = folded(talk(*(("ana", f"{LONG} {number}") for number in range(4))))
    assert not memory.structure.lines
    assert memory.structure.aside is not None
    assert memory.structure.aside.n == 4


def test_a_line_below_long_talk_is_nearer_to_the_votes() -> None:
    """What waited is let go of."""
    memory, _ = folded(talk(("ana", LONG), ("bob", "Close ticket 12 as done"), *VOTES))
    assert proposed(memory) == [2]
    assert memory.structure.aside is None


@pytest.mark.parametrize("votes", [1, 2, 3])
def test_long_talk_is_read_alike_wherever_a_fold_is_taken_up(votes: int) -> None:
    """Folding on from a stored memory gives the bytes of folding at once."""
    records = talk(("ana", LONG), ("eve", LONG[::-1]), *VOTES[:votes], ("ana", PUT))
    whole = dump(fold_records(Memory(PACKS), records))
    for cut in range(1, len(records)):
        part = load(dump(fold_records(Memory(PACKS), records[:cut])), PACKS)
        assert dump(fold_records(part, records[cut:])) == whole


def test_what_waits_follows_a_name_and_forgets_what_was_redacted() -> None:
    """Nothing of redacted words is kept, and the proposer is whoever has the name now."""
    renamed, _ = folded(talk(("anna", LONG), ParticipantAliased(alias="anna", participant="ana")))
    assert renamed.structure.aside is not None
    assert renamed.structure.aside.who == "ana"
    redacted, _ = folded(talk(("anna", LONG), EntryRedacted(redacted=1, reason="private")))
    assert redacted.structure.aside is not None
    assert not redacted.structure.aside.text


SAYINGS = (
    LONG, "q+ to speak " * 40, PUT, DULL, "bo: " + "and so it goes on and on " * 20, "+1", "+1",
    "-1", "0", "+1 to that", "I support P1 as it stands", "any objections?", "ok",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_a_fold_taken_up_at_any_entry_goes_on_alike(seed: int) -> None:
    """Votes, long talk and short in any order: a stored memory is all there is to know."""
    draw = random.Random(seed)
    lines = [(draw.choice("abcde"), draw.choice(SAYINGS)) for _ in range(40)]
    whole, part = Memory(PACKS), Memory(PACKS)
    for record in talk(*lines):
        apply(whole, record)
        apply(part, record)
        part = load(dump(part), PACKS)
        assert dump(part) == dump(whole)


def test_what_takes_a_stand_is_no_question() -> None:
    """Votes below it are on the proposal that it names."""
    idea = "I propose that we move the archive to the second rack."
    memory, _ = folded(talk(("ana", idea), ("gus", "I support P1 as it stands"), *VOTES))
    assert proposed(memory) == [1]
    assert sorted(memory.proposals[1].reactions) == ["bob", "cy", "dee", "gus"]


def test_votes_are_on_the_long_line_that_stands_between() -> None:
    """Not on the one above it as well."""
    above = ("cem", "Close the issue on rate limits with no change")
    memory, _ = folded(talk(above, ("ana", LONG), *VOTES, ("eve", "-1")))
    assert proposed(memory) == [2]
