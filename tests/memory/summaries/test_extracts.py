"""Summaries without a model."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.summaries.extracts import condense_extracts, extract_summary

READER = SpeechActReader(
    [parse_pack((Path(__file__).parents[3] / "memory/packs/en@1.json").read_bytes())]
)
TALK = [
    ("ann", "Good morning all. I propose we move the archive to the new rack. It is cheaper."),
    ("bob", "I disagree: the new rack is loud. Who pays for it?"),
    ("cleo", "The rack has room for the archive and for the backups of the archive."),
    ("bob", "It rained all night here, by the way."),
    ("ann", "+1"),
    ("dora", "RESOLVED: move the archive in May. Thanks."),
]


def test_what_was_decided_proposed_opposed_and_asked_is_kept() -> None:
    """The sentences that do something are there, each under its speaker's name."""
    lines = extract_summary(TALK, READER, 60).splitlines()
    assert "ann: I propose we move the archive to the new rack." in lines
    assert "bob: I disagree: the new rack is loud. Who pays for it?" in lines
    assert "dora: RESOLVED: move the archive in May." in lines


def test_the_decision_outlives_the_rest() -> None:
    """With few words left it is the decision that is kept."""
    assert extract_summary(TALK, READER, 8) == "dora: RESOLVED: move the archive in May."


def test_central_sentences_fill_what_is_left() -> None:
    """After the acts come the sentences whose words the others share, small talk last."""
    told = extract_summary(TALK, READER, 52)
    assert "backups of the archive" in told
    assert "rained" not in told


def test_sentences_stand_in_the_order_of_the_talk() -> None:
    """Choosing by weight does not reorder what was said."""
    told = extract_summary(TALK, READER, 200)
    places = [told.index(part) for part in ("I propose", "I disagree", "backups", "RESOLVED")]
    assert places == sorted(places)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=9), st.text(max_size=120)), max_size=12),
    st.integers(-1, 40),
)
def test_a_summary_keeps_its_words(lines: list[tuple[str, str]], words: int) -> None:
    """Never more words than asked for, and the same summary every time."""
    told = extract_summary(lines, READER, words)
    assert len(told.split()) <= max(words, 0)
    assert told == extract_summary(lines, READER, words)
    assert len(condense_extracts([told, told], words).split()) <= max(words, 0)


@pytest.mark.parametrize("content", ["ok", "one two three four five six seven", "+1"])
def test_something_is_said_about_any_talk(content: str) -> None:
    """Where no sentence fits or counts, the best one is cut to what fits."""
    assert extract_summary([("ann", content)], READER, 4).startswith("ann: ")


def test_a_repeated_sentence_is_told_once() -> None:
    """Echoes take no room."""
    again = [("ann", "We keep the archive upstairs."), ("bob", "we keep the archive upstairs!")]
    assert extract_summary(again, READER, 100) == "ann: We keep the archive upstairs."


def test_condensing_tells_each_speakers_part_once() -> None:
    """A summary of summaries keeps names and drops what they repeat."""
    one = extract_summary(TALK[:3], READER, 100)
    told = condense_extracts([one, one, extract_summary(TALK[3:], READER, 100)], 100)
    assert told.count("I propose") == 1
    assert "dora: RESOLVED: move the archive in May." in told.splitlines()


@pytest.mark.parametrize("unit", ["a. ", "word ", ".", "a", "I propose b. ", "? ", "\n"])
def test_a_megabyte_line_is_summarised_in_bounded_time(unit: str) -> None:
    """What one message can cost does not grow with its length."""
    content = unit * (1_000_000 // len(unit)) + "x"
    start = time.process_time()
    told = extract_summary([("ann", content)], READER, 200)
    assert time.process_time() - start < 2.0
    assert len(told.split()) <= 200
