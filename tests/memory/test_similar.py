"""Recognising what was said before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.similar import SIZE, Index, fingerprint, resemblance

TEXTS = st.lists(st.text("abcdefg hij", min_size=1, max_size=60), min_size=1, max_size=20)


@given(st.text(max_size=300))
def test_a_fingerprint_is_small_sorted_and_its_own_likeness(text: str) -> None:
    """At most 24 ascending 32-bit integers, which resemble themselves wholly."""
    made = fingerprint(text)
    assert len(made) <= SIZE
    assert list(made) == sorted(set(made))
    assert all(0 <= each < 2**32 for each in made)
    assert resemblance(made, made) == (1000 if made else 0)


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    """The hashes are stored in memory, so they must never change."""
    assert fingerprint("Move the archive") == fingerprint("let's move the archives!")
    assert fingerprint("Move the archive")[0] == 647016944


def test_rewording_resembles_and_another_subject_does_not() -> None:
    """Inflection, order of little words and punctuation matter less than content."""
    first = fingerprint("I propose that we move the archive to the new rack")
    again = fingerprint("Let's move our archives to that new rack!")
    other = fingerprint("I propose that we hire a second translator")
    assert resemblance(first, again) >= 700
    assert resemblance(first, other) < 150


def test_numbers_tell_proposals_apart() -> None:
    """Thirty days is not ninety days."""
    thirty, ninety = fingerprint("keep logs for 30 days"), fingerprint("keep logs for 90 days")
    assert resemblance(thirty, ninety) < 500


def test_other_scripts_have_fingerprints() -> None:
    """Ideographs count one by one, and Hebrew words as words."""
    one, two = fingerprint("我们使用数据库"), fingerprint("我们应该使用数据库")
    assert resemblance(one, two) >= 500
    assert fingerprint("אני מציע להזיז את הארכיון")


@given(TEXTS, st.integers(1, 1000))
def test_the_index_finds_what_a_full_look_finds(texts: list[str], at_least: int) -> None:
    """For a small index the nearest is the best of all, the highest ref of equals."""
    index = Index()
    prints = {ref: fingerprint(text) for ref, text in enumerate(texts, 1)}
    for ref, each in prints.items():
        index.add(ref, each)
    wanted = fingerprint(texts[0])
    scores = [(resemblance(wanted, each), ref) for ref, each in prints.items()]
    best = max((each for each in scores if each[0] >= at_least and each[0] > 0), default=None)
    assert index.nearest(wanted, at_least) == (None if best is None else (best[1], best[0]))


def test_a_repeat_is_found_among_many_that_share_words() -> None:
    """Words that every text has neither hide the repeat nor slow the look-up."""
    index = Index()
    for ref in range(2000):
        index.add(ref, fingerprint(f"budget plan number {ref} for room {ref * 7 % 97}"))
    found = index.nearest(fingerprint("the budget plan, number 700, for room 50"), 800)
    assert found is not None
    assert found[0] == 700
