"""Long talk in the window: it is read when somebody votes on it, and costs little until then."""

from __future__ import annotations

import pytest

from bus.entries import EntryRedacted, ParticipantAliased
from memory.canonical import dump, load
from memory.fold import fold
from memory.state import Memory
from tests.logs import PACKS, folded, talk

PUT = "Remove the rate limits and require a key from all"
REASONS = ", because the proxy already counts each caller and the second count is always late" * 5
LONG = PUT + REASONS
VOTES = (("bob", "+1"), ("cy", "+1"), ("dee", "+1"))


def proposed(memory: Memory) -> list[int]:
    return [proposal.born for proposal in memory.proposals.values()]


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
    whole = dump(fold(Memory(PACKS), records))
    for cut in range(1, len(records)):
        part = load(dump(fold(Memory(PACKS), records[:cut])), PACKS)
        assert dump(fold(part, records[cut:])) == whole


def test_what_waits_follows_a_name_and_forgets_what_was_redacted() -> None:
    """Nothing of redacted words is kept, and the proposer is whoever has the name now."""
    renamed, _ = folded(talk(("anna", LONG), ParticipantAliased(alias="anna", participant="ana")))
    assert renamed.structure.aside is not None
    assert renamed.structure.aside.who == "ana"
    redacted, _ = folded(talk(("anna", LONG), EntryRedacted(redacted=1, reason="private")))
    assert redacted.structure.aside is not None
    assert not redacted.structure.aside.text
