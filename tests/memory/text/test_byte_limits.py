"""Texts in so many bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parley.memory.text.byte_limits import (
    byte_size,
    clip_bytes,
    cut_bytes,
    first_sentence,
    shorten_bytes,
)
from parley.memory.text.graphemes import is_boundary


def test_bytes_are_counted_not_characters() -> None:
    """750 é are 1500 bytes: over a cap of 750, and clipped to 500."""
    text = "é" * 750
    assert byte_size(text) == 1500
    short = shorten_bytes(text, 750, 500)
    assert byte_size(short) == 499  # 248 of two bytes, and the ellipsis
    assert shorten_bytes("e" * 750, 750, 500) == "e" * 750


def test_whole_sentences_are_kept_where_they_fill_half_the_room() -> None:
    """A cut stands at a sentence's end rather than in the middle of the next."""
    text = "It rains in the north. It is dry in the south. The wind turns at noon."
    assert clip_bytes(text, 50) == "It rains in the north. It is dry in the south."
    assert clip_bytes("It rains. " + "word " * 40, 60) == "It rains. " + "word " * 8 + "word…"
    assert clip_bytes("雨が降る。風が強い。" * 9, 40) == "雨が降る。風が強い。"


def test_a_target_above_the_cap_gives_no_more_than_the_cap() -> None:
    """What is over its cap comes back under it."""
    assert byte_size(shorten_bytes("x" * 100, 20, 80)) <= 20


def test_the_first_sentence_is_sought_behind_the_name() -> None:
    """A dot in a name ends no sentence."""
    line = "Q (Dr. Who): Where is it? I ask again."
    assert first_sentence(line, 100, line.find("): ") + 3) == "Q (Dr. Who): Where is it?"


TEXTS = st.text(st.sampled_from("ab é.!?。\n\r\u0301👍🏽\u200d🇩🇪"), max_size=60)


@given(TEXTS, st.integers(-1, 60))
def test_law_6_clipped_bytes_fit_and_stay(text: str, limit: int) -> None:
    """Within the limit, the ellipsis included; clipping again changes nothing."""
    for clipped in (clip_bytes(text, limit), cut_bytes(text, limit)):
        assert byte_size(clipped) <= max(0, limit)
    assert clip_bytes(clip_bytes(text, limit), limit) == clip_bytes(text, limit)


@given(TEXTS, st.integers(0, 60))
def test_law_6_no_grapheme_is_split(text: str, limit: int) -> None:
    """What is left ends where a reader sees a character end."""
    head = clip_bytes(text, limit)
    kept = head if text.startswith(head) else head[:-1]
    assert text.startswith(kept)
    assert is_boundary(text, len(kept))
