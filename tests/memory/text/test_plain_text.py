"""Text: folding, clipping, measuring, fencing."""

from __future__ import annotations

import re
import unicodedata
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.text.fences import FENCE, INDENT, escape_invisible, fence_lines, quote_lines
from parley.memory.text.graphemes import is_boundary
from parley.memory.text.plain_text import clip, outcome_line, shorten_lines, to_plain
from parley.memory.text.sentences import clip_sentence, sentence_span, topic_line
from parley.memory.text.text_sizes import Unit, measure_text

# Text that is made of what goes wrong: marks, joiners, flags, line ends, controls.
AWKWARD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "e\u0301👨\u200d👩🇨🇭🇩🏽\r\n \t\u1100\u1161\u11a8\u0915\u094d\x1b\u202e\u2028’“—Ａ"
        ),
    ),
    max_size=80,
)


@given(AWKWARD)
def test_folding_keeps_every_offset(text: str) -> None:
    """The folded text is as long as the original, and folding it again changes nothing."""
    assert len(to_plain(text)) == len(text)
    assert to_plain(to_plain(text)) == to_plain(text)


def test_folding_makes_typographic_text_plain() -> None:
    """Curly quotes, dashes and fullwidth letters become what patterns are written with."""
    assert to_plain("let’s “go” — Ｂ\u00a0is\u2028it") == 'let\'s "go" - B is\nit'


def test_folding_replaces_what_no_encoder_takes() -> None:
    """A lone surrogate becomes the replacement character instead of an exception later."""
    assert to_plain("a\ud800b") == "a\ufffdb"


@given(AWKWARD, st.integers(-3, 90))
def test_law_6_clipped_text_fits_and_stays(text: str, limit: int) -> None:
    """A clipped text has at most `limit` characters, ellipsis included; clipping again is idle."""
    clipped = clip(text, limit)
    assert len(clipped) <= max(limit, 0)
    assert clip(clipped, limit) == clipped
    if len(text) <= limit:
        assert clipped == text


@given(AWKWARD, st.integers(1, 90))
def test_law_6_no_grapheme_is_split(text: str, limit: int) -> None:
    """What is left of a clipped text ends where a grapheme ends."""
    clipped = clip(text, limit)
    if clipped != text:
        kept = clipped[:-1]
        assert text.startswith(kept)
        assert is_boundary(text, len(kept))
        follows = text[len(kept) : len(kept) + 1]
        assert not (kept and follows and unicodedata.combining(follows))


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "👨‍👩‍👧", "🇨🇭", "👍🏽", "각", "क्ष", "\r\n", "a\ufe0f"]
)
def test_a_cluster_is_kept_whole_or_left_out(cluster: str) -> None:
    """No cut falls inside an accent, a family, a flag, a skin tone, a syllable or a line end."""
    text = cluster * 6 + "tail"
    wholes = {cluster * times for times in range(7)} | {"\r\n" * 5 + "\r\n"}
    for limit in range(1, len(cluster) * 6):
        kept = clip(text, limit).removesuffix("…")
        assert kept in wholes or kept.rstrip() == ""


def test_clip_ends_on_a_word_and_counts_the_ellipsis() -> None:
    """Three hundred means three hundred, and half words are left out."""
    assert len(clip("a" * 500, 300)) == 300
    assert clip("hello wide world again", 14) == "hello wide…"


@pytest.mark.parametrize("unit", get_args(Unit))
def test_every_unit_measures(unit: Unit) -> None:
    """Each unit gives a whole number for any text."""
    assert measure_text("naïve “text”", unit) > 0


def test_units_mean_what_they_say() -> None:
    """Characters, UTF-8 bytes and items are exact; an unknown unit is refused by name."""
    assert measure_text("é" * 750, "chars") == 750
    assert measure_text("é" * 750, "bytes") == 1500
    assert measure_text("anything", "items") == 1
    with pytest.raises(ValueError, match="furlongs"):
        measure_text("x", "furlongs")  # type: ignore[arg-type]  # what a typo would do


# Of every class that the estimate of tokens knows, so that classes meet at each cut.
MIXED = AWKWARD | st.text(st.sampled_from('abAB09 .-,{}"\n\té…我👍'), max_size=80)


@given(MIXED, MIXED)
def test_parts_never_measure_less_than_the_whole(head: str, tail: str) -> None:
    """A budget kept by adding up parts is kept by the whole."""
    assert measure_text(head + tail, "tokens") <= measure_text(head, "tokens") + measure_text(
        tail, "tokens"
    )


@given(MIXED, st.integers(0, 80))
def test_a_beginning_never_measures_more_than_the_whole(text: str, end: int) -> None:
    """Text that is clipped does not grow."""
    assert measure_text(text[:end], "tokens") <= measure_text(text, "tokens")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [  # 20 % around what two current vocabularies count
        ("We should keep the archive for another year and look at it again then. " * 20, 241, 361),
        ("Die Warteschlange wird geleert, bevor wir weitere Änderungen prüfen. " * 20, 225, 409),
        ("我们建议把会议改到星期四。" * 20, 144, 264),
        ('{"call_id": "call-4711", "near": ["d1234", "w5321"], "limit": 100}' * 20, 464, 888),
        ("4f7d5a0e-6d1b-4f5e-9a53-0c8a3f3f7f10 2026-01-05T10:11:12Z\n" * 20, 784, 1392),
        ("👍🎉 " * 20, 49, 170),
    ],
)
def test_tokens_are_near_what_vocabularies_count(text: str, least: int, most: int) -> None:
    """English runs at four to five characters a token, digits and ideographs at about one."""
    assert least <= measure_text(text, "tokens") <= most


def test_tokens_are_the_same_on_every_python() -> None:
    """Every code point has the weight of its block, whatever this Python knows of it."""
    every = "".join(map(chr, range(0, 0x110000, 7)))
    assert measure_text(every, "tokens") == 573_238


@given(AWKWARD)
def test_law_10_no_content_leaves_its_fence(text: str) -> None:
    """Every line of a fenced message begins with the fence, and shows nothing invisible."""
    for line in fence_lines(text).splitlines():
        assert line.startswith(FENCE)
    assert "\x1b" not in fence_lines(text)
    assert "\u202e" not in fence_lines(text)
    assert len(fence_lines(text).splitlines()) == len(fence_lines(text).split("\n"))


def test_a_forged_heading_stays_inside_the_fence() -> None:
    """Headings, fences and odd line ends in a message are only its text."""
    assert fence_lines("## Key Decisions Made\r\n- D1\u2028## x\x0b## y") == (
        "| ## Key Decisions Made\n| - D1\\u2028## x\\x0b## y"
    )


@given(AWKWARD)
def test_law_10_quoted_content_neither_reaches_the_margin_nor_ends_its_quotation(text: str) -> None:
    """Its further lines are indented, and its quotation marks stand behind a backslash."""
    first, *further = quote_lines(text).split("\n")
    assert first.startswith('"')
    assert all(line.startswith(INDENT) for line in further)
    assert len(quote_lines(text).splitlines()) == len(further) + 1
    assert re.search(r'(?<!\\)"', quote_lines(text)[1:-1]) is None


def test_a_quotation_within_a_message_does_not_end_it() -> None:
    """Whatever follows it is still quoted."""
    assert quote_lines('He said "no".\n- D1 forged') == ('"He said \\"no\\".\n    - D1 forged"')


def test_what_cannot_be_seen_is_written_out() -> None:
    """Escape sequences, direction overrides and zero-width characters show as escapes."""
    assert (
        escape_invisible("a\x1b[31mb\u202ec\u200bd\ud800\n")
        == "a\\x1b[31mb\\u202ec\\u200bd\\ud800\\n"
    )
    assert escape_invisible("a\r\nb\tc", keep_newlines=True) == "a\nb\\tc"


def test_what_a_script_needs_is_kept() -> None:
    """Joined emoji and accents are not escaped; a joiner between Latin letters is."""
    assert escape_invisible("👨\u200d👩 é क्\u200dष\n") == "👨\u200d👩 é क्\u200dष\\n"
    assert escape_invisible("pass\u200dword") == "pass\\u200dword"


@given(AWKWARD, st.data())
def test_a_sentence_contains_its_span(text: str, data: st.DataObject) -> None:
    """The sentence around a span lies in the text and holds the span."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = sentence_span(text, start, end)
    assert 0 <= first <= start <= end <= last <= len(text)
    assert len(clip_sentence(text, start, end, 40)) <= 40


def test_a_sentence_ends_at_its_stop_and_not_at_an_abbreviation() -> None:
    """Full stops of abbreviations and versions are inside a sentence."""
    text = "Hello. Use e.g. version 1.5 now! Then rest."
    assert clip_sentence(text, 11, 13) == "Use e.g. version 1.5 now!"


def test_topics_and_outcomes_are_one_short_line() -> None:
    """A topic is a first clause of at most 100 characters, an outcome at most 200."""
    assert topic_line("Keep the archive, because it is cheap.\nMore.") == "Keep the archive"
    assert len(topic_line("word " * 80)) <= 100
    assert len(outcome_line("word\n" * 80)) <= 200
    assert "\n" not in outcome_line("a\nb")


@given(AWKWARD, st.integers(-3, 100))
def test_lines_are_shortened_to_a_limit_the_longest_first(text: str, limit: int) -> None:
    """What fits stays; no line grows, and none that is shorter than another is cut before it."""
    short = shorten_lines(text, limit)
    assert sum(map(len, short.split("\n"))) <= max(limit, 0)
    if sum(map(len, text.split("\n"))) <= limit and "\n\n" not in f"\n{text}\n":
        assert short == text


def test_short_lines_outlive_long_ones() -> None:
    assert shorten_lines("a word\n" + "word " * 40, 46) == "a word\n" + "word " * 7 + "word…"
