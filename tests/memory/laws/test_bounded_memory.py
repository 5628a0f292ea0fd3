"""Law 24: the bytes of memory are bounded by the caps, however long the talk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pytest
from msgspec.json import decode, encode

from benchmarks.material import written_talk
from parley.bus.entries import Entry, ItemCorrected, Message
from parley.memory.errors import ItemLeft
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import replay
from parley.memory.state.lookup import target_refusal
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_memory
from parley.memory.summaries.range_summaries import list_due_summaries
from parley.server.queries.explanation import build_explanation
from parley.server.queries.log_queries import Replay
from tests.memory.laws.test_growth import chatter
from tests.support.logs.limits import over
from tests.support.logs.logs import PACKS, answer, numbered, opened

TINY: Final = {
    "live": 3, "settled": 2, "candidates": 1, "claims": 1, "ratified": 2, "outspoken": 2,
    "proposals": 2, "decisions": 2, "summaries": 2, "positions": 2, "key_points": 2,
}  # fmt: skip
SHORT_RANGES: Final = {"interval": 3, "fanout": 2, "keep": 1}  # so that old ranges go early
MEBIBYTE: Final = 1 << 20
GROWTH: Final = 1.25  # times the most of the first half of the talk: numbers have more digits


def decided(messages: int) -> list[Entry]:
    """Proposals that are ratified at once, and decisions that nobody confirms."""
    lines = ("[PROPOSAL] Buy lamp {} for hall {}", "[SUPPORT] P{}", "[SUPPORT] P{}")
    talk: list[Entry] = []
    for k in range(messages // 4):
        talk += [
            Message(participant=name, content=line.format(k + 1, k))
            for name, line in zip(("ann", "bob", "cy"), lines, strict=True)
        ]
        talk.append(Message(participant="dee", content=f"[DECISION] Paint door {k} in shade {k}"))
    return talk


TALKS: Final = (chatter, written_talk, decided)


def fold(entries: Sequence[Entry], caps: dict[str, int], sizes: list[int] | None = None) -> Memory:
    """Memory of a session with these caps, whose summaries are made as they fall due.

    `sizes` gets the bytes of memory after every tenth entry, without ranges and their summaries:
    of these there are as many levels as the logarithm of the talk has room for.
    """
    memory = Memory(PACKS)
    seq = n = 0
    summary = SHORT_RANGES if caps else {}
    for place, entry in enumerate((opened(caps=caps, summary=summary), *entries)):
        due = [answer(effect) for effect in list_due_summaries(memory)] if memory.owed else []
        for each in (*due, entry):
            (record,) = numbered([each], seq, n)
            apply(memory, record)
            seq, n = record.seq, record.n
        if sizes is not None and place % 10 == 0:
            state = decode(dump(memory))
            sizes.append(len(encode(state | {"ranges": [], "summaries": []})))
    return memory


@pytest.mark.parametrize("talk", TALKS)
def test_law_24_later_talk_takes_no_more_bytes(talk: Callable[[int], list[Entry]]) -> None:
    """With absurdly small caps, so that every kind of item leaves memory."""
    sizes: list[int] = []
    memory = fold(talk(400), TINY, sizes)
    half = len(sizes) // 2
    assert max(sizes[half:]) <= GROWTH * max(sizes[:half])
    assert not over(memory)


@pytest.mark.long
@pytest.mark.parametrize("talk", TALKS)
def test_law_24_default_caps_hold_a_long_talk_in_a_mebibyte(
    talk: Callable[[int], list[Entry]],
) -> None:
    assert len(dump(fold(talk(1000), {}))) <= MEBIBYTE


def test_what_left_is_counted_and_named() -> None:
    """Numbers go on, statistics count all, and an act on what left is refused with its reason."""
    memory, whole = fold(decided(200), TINY), fold(decided(200), {})
    assert memory.evictions.count_proposals() > 0
    assert max(memory.proposals) == max(whole.proposals)
    assert max(memory.decisions) == max(whole.decisions)
    counts, all_counts = count_memory(memory), count_memory(whole)
    assert counts["proposals_by_status"] == all_counts["proposals_by_status"]
    assert counts["left_memory"]["proposals"] + len(memory.proposals) == len(whole.proposals)
    act = Message(participant="ann", content="yes", act="support", re="P1")
    assert isinstance(target_refusal(memory, act), ItemLeft)
    assert target_refusal(whole, act) is None


def test_explain_reads_what_left_from_the_log() -> None:
    """Its words, its history, and that memory does not hold it."""
    memory, records = Memory(PACKS), numbered([opened(caps=TINY), *decided(200)])
    facts = [fact for _, found in replay(memory, records) for fact in found]
    told = Replay(memory, facts, {record.n: record for record in records})
    explained = build_explanation(told, "P1")
    assert (explained["kind"], explained["held"]) == ("proposal", False)
    assert explained["words"][0]["text"] == "[PROPOSAL] Buy lamp 1 for hall 0"
    assert explained["history"][-1]["kind"] == "proposal.settled"


def test_ratified_decisions_outlive_any_number_of_claims() -> None:
    """Each kind has its own cap: claims push out claims."""
    claims = [
        Message(participant="dee", content=f"[DECISION] Paint door {k} in shade {k}")
        for k in range(40)
    ]
    memory = fold([*decided(4), *claims], TINY)
    assert any(decision.binds for decision in memory.decisions.values())
    assert memory.evictions.decisions.get("claimed", 0) > 0


def test_a_correction_of_what_left_changes_nothing() -> None:
    """Whatever a log says of it, the fold goes on."""
    talk = decided(200)
    late = [*talk, ItemCorrected(ref="P1", op="retract", by="ann")]
    assert fold(late, TINY).proposals.keys() == fold(talk, TINY).proposals.keys()


@pytest.mark.parametrize("talk", TALKS)
def test_law_2_holds_while_items_leave(talk: Callable[[int], list[Entry]]) -> None:
    """A memory that is stored and loaded between any two entries folds on alike."""
    whole, part = Memory(PACKS), Memory(PACKS)
    for record in numbered([opened(caps=TINY), *talk(80)]):
        apply(whole, record)
        apply(part, record)
        part = load(dump(part), PACKS, record.seq)
        assert dump(part) == dump(whole)
