"""Whom a written message is likely for, by fitted tables: candidates, never of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.bus.entries import Entry, Message, Record
from parley.memory.extraction.prose.prose_tables import ProseTables, shipped_tables, use_tables
from parley.memory.extraction.prose.unit_signs import read_signs
from parley.memory.extraction.structure.marking_style import LIKELY
from parley.memory.extraction.writing.wording import words_of
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.memory.writing.answered_turns import TURNS
from parley.memory.writing.likely_sides import (
    FAMILIES,
    HEAD,
    class_masks,
    name_classes,
    watch_pairs,
)
from tests.support.logs.logs import PACKS, folded, numbered, opened, talk

TABLES = shipped_tables()
EVERY = ProseTables({**TABLES.data, "least": {**TABLES.data["least"], HEAD: -1200}})  # takes all
NAMES = ("ana", "bo-7", "cleo")
PARAGRAPHS = (
    "I suggest we cache the tokens for an hour, and the client asks for a fresh one after that.",
    "We should move the maps to the cellar before the rain comes, and keep the frames upstairs.",
    "Ana, that makes sense to me, and the figures of the last week say the same of the tokens.",
    "The build was green in the night, and the image was pushed to the registry at four again.",
    'Bo said "cache the tokens for an hour" and nobody has looked at what that would cost us.',
    "I disagree with that: the maps are safe where they are, and the cellar is wet in spring.",
    "- Option A: a signed cookie of the browser\n- Option B: a row of the table in the cellar",
    "Done: the maps are in the cellar now, and the list of what went where is in the wiki too.",
)
TEXTS = st.lists(st.sampled_from(PARAGRAPHS), min_size=3, max_size=4).map("\n\n".join)
ENTRIES = st.builds(
    lambda who, text, re: Message(participant=who, content=text, re=re),
    st.sampled_from(NAMES),
    TEXTS,
    st.sampled_from([None, None, None, "e3"]),
)
SESSIONS = st.lists(ENTRIES, min_size=2, max_size=24)


def session(entries: Sequence[Entry]) -> list[Record]:
    return numbered([opened(), *entries])


def likely(facts: Sequence[Fact]) -> list[Fact]:
    return [
        fact
        for fact in facts
        if fact.kind == "side.read" and str(fact.data["rule"]).startswith(f"{LIKELY}{HEAD}")
    ]


@given(SESSIONS)
@settings(max_examples=60)
def test_a_side_is_on_what_others_proposed_before_and_counts_for_nothing(
    entries: list[Entry],
) -> None:
    with use_tables(EVERY):
        memory, facts = folded(session(entries))
    for fact in likely(facts):
        proposal = memory.proposals[int(str(fact.ref)[1:])]
        assert proposal.participant != fact.data["participant"]
        assert proposal.born < fact.n
        assert fact.data["stance"] == HEAD
        assert isinstance(fact.data["confidence"], int)
        assert not memory.proposals[proposal.ref].reactions[str(fact.data["participant"])].counted
    assert all(each.tally == (0, 0, 0) for each in memory.proposals.values())


@given(SESSIONS)
@settings(max_examples=30)
def test_a_participant_is_likely_for_an_item_once_and_never_after_their_own_words(
    entries: list[Entry],
) -> None:
    with use_tables(EVERY):
        _, facts = folded(session(entries))
    spoke: set[tuple[str | None, object]] = set()
    for fact in facts:
        if fact.kind in ("side.read", "reaction.changed"):
            of = fact.ref, fact.data["participant"]
            assert fact not in likely(facts) or of not in spoke
            spoke.add(of)


@given(SESSIONS, SESSIONS)
@settings(max_examples=30)
def test_sessions_that_are_read_in_turns_come_to_the_same_bytes(
    ours: list[Entry], theirs: list[Entry]
) -> None:
    with use_tables(EVERY):
        alone = [dump(folded(session(each))[0]) for each in (ours, theirs)]
        memories = [Memory(PACKS), Memory(PACKS)]
        logs = [session(ours), session(theirs)]
        for place in range(max(map(len, logs))):
            for memory, log in zip(memories, logs, strict=True):
                if place < len(log):
                    apply(memory, log[place])
    assert [dump(memory) for memory in memories] == alone


@given(st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=9))
def test_classes_weigh_what_their_names_weigh(paragraphs: list[str]) -> None:
    """What is added up by masks is what those who fit weights see."""
    words = [words_of(each.lower()) for each in paragraphs]
    masks = class_masks(words, [read_signs(each, TABLES) for each in words])
    weights = TABLES.data["heads"][HEAD]
    together = sum(
        TABLES.sides.family(family)[mask] for family, mask in zip(FAMILIES, masks, strict=True)
    )
    assert together == sum(weights.get(sign, 0) for sign in name_classes(masks, TABLES))


def test_no_more_turns_are_looked_at_than_are_kept() -> None:
    plan = "\n\n".join(PARAGRAPHS[:2] + PARAGRAPHS[3:4])
    lines = [Message(participant=NAMES[n % 2], content=plan) for n in range(60)]
    with watch_pairs() as pairs:
        folded(session(lines))
    of_last = [pair for pair in pairs if pair[0] == max(each[0] for each in pairs)]
    assert 0 < len(of_last) <= TURNS
    assert all(born < n for n, born, _ in pairs)


def test_a_likely_side_names_its_reasons_and_a_reply_is_to_its_message_alone() -> None:
    plan, other = ("\n\n".join((PARAGRAPHS[at], *PARAGRAPHS[3:4] * 2)) for at in (0, 1))
    praise = "\n\n".join(PARAGRAPHS[2:4] + PARAGRAPHS[3:4])
    lines = [("ana", plan), ("bo-7", other)]
    with use_tables(EVERY):
        _, facts = folded(talk(*lines, ("cleo", praise)))
        _, replied = folded(talk(*lines, Message(participant="cleo", content=praise, re="e2")))
    assert {fact.data["proposal_n"] for fact in likely(facts)} == {1, 2}
    assert {fact.data["proposal_n"] for fact in likely(replied)} == {1}
    assert all("; " in str(fact.data["rule"]) for fact in likely(facts))


def test_nobody_is_likely_for_anything_where_a_model_reads_or_a_mark_says_it() -> None:
    plan = "\n\n".join(PARAGRAPHS[:2] + PARAGRAPHS[3:4])
    praise = "\n\n".join(PARAGRAPHS[2:4] + PARAGRAPHS[3:4])
    lines = [("ana", plan), ("bo-7", praise)]
    with use_tables(EVERY):
        assert likely(folded(talk(*lines))[1])
        assert not likely(folded(talk(*lines, extract={"how": "model"}))[1])
        assert not likely(folded(talk(lines[0], ("bo-7", f"{praise}\n\n-1 on P1")))[1])
