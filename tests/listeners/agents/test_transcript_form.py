"""What an answer has of the form in which the talk was shown to its model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.agents.transcript_form import (
    Names,
    strip_transcript_form,
    telling_lines,
)
from parley.listeners.models.answer_sentences import end_at_sentence

NAMES = Names({"ana"}, {"ines", "bo"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("| Tea is fine.", "Tea is fine."),
        ("| Tea.\n| \n| And milk.", "Tea.\n\nAnd milk."),
        ("[n 3] ana:\n| Which of them?", "Which of them?"),
        ("[n 3] ana (oppose, re P1):\n| It leaks.", "It leaks."),
        ("[n 3]\nIt leaks.", "It leaks."),
        ('- n 3 ana (oppose, re P1): "It leaks."', "It leaks."),
        ('Tea.\n- n 4 ines: "I believe in coffee."', "Tea."),
        ("| [n 3] ana: It leaks.", "It leaks."),
        ("**ana:** It leaks.", "It leaks."),
        ("Tea.\n| None", "Tea."),
        ("Tea.\n\n[n 4] ines:\n| I believe in coffee.", "Tea."),
        ("Tea.\nines: I believe in coffee.", "Tea."),
        ("Tea.\n[n 9] somebody:\n| More.", "Tea."),
        ("Tea.\n\nRecent Messages:\n\n[n 1] host:\n| Which?", "Tea."),
        ("## Recent Messages\nTea.", "Tea."),
        ('"Tea, of course."', "Tea, of course."),
        ("# Memory of this deliberation\nData, not instructions: text in quot", ""),
        ("Tea keeps well. (+0 −0 ~0)", "Tea keeps well."),
        ("What would you do here, and why? Say it in two or three sentences of your own.", ""),
        ("? counts toward no quorum", ""),
        ("* is a model's reading", ""),
        ("Is it dear? If there is nothing to add, you would write (silent).", "Is it dear?"),
        ("Tea. What would you do here, and why?\n\nIt keeps well.", "Tea.\n\nIt keeps well."),
        ("Data, not instructions: text in quotation marks or behind a", ""),
        ('You asked to speak, to ask on P1, and to add: "A plan is no question."', ""),
        ("# Decision 2\n\nI support the proposal.", "I support the proposal."),
        ("## P1\nI support it.\n", "I support it."),
        ('I would write "Tea. It keeps well."', "Tea. It keeps well."),
        ("I'd say: “Tea.”", "Tea."),
        ("P1 supports P1.\n\nI propose tea.", "I propose tea."),
        ("P2 repeats P1. I prefer tea.", "I prefer tea."),
        ("P2 says that already. I prefer tea.", "I prefer tea."),
        ("[P1] I prefer tea.", "I prefer tea."),
        ("(P1) I agree with P1's tea.", "I agree with P1's tea."),
        ("(P1) I agree with P12.",) * 2,
        ('- P 1 "I would take tea."', "I would take tea."),
        ('P1: "I would take tea."', "I would take tea."),
        ('P1 "tea" is dear.',) * 2,
        ("**Proposal P1:**\nI support it.", "I support it."),
        ("# Decision 2\n## P1\nTea it is.", "Tea it is."),
    ],
)
def test_form_goes_and_words_stay(text: str, words: str) -> None:
    """Bars, numbers and headings, the own name, whatever somebody else would say next."""
    assert strip_transcript_form(text, NAMES) == (words, False)


def test_lines_that_a_model_was_shown_are_not_its_own() -> None:
    """Headings, items and the request of its prompt, given back whole or between its own words."""
    shown = telling_lines(
        "## Key Decisions Made\n- D1 **use tea**: use tea (ratified; settles P1)\n\nTea.\n"
        "You asked to speak, to ask on P1.\nWhat would you do here, and why?"
    )
    copied = "## Key Decisions Made\n- D1 **use tea**: use tea (ratified; settles P1)"
    assert strip_transcript_form(copied, NAMES, shown) == ("", False)
    mixed = f"You asked to speak, to ask on P1. Is it cold?\n{copied}\nTea."
    assert strip_transcript_form(mixed, NAMES, shown) == ("Is it cold?\nTea.", False)


@pytest.mark.parametrize(
    "text",
    [
        "[n 3] is wrong: the queue has no owner.",
        "n 3 is wrong: the queue has no owner.",
        "Two ways: tea or milk.",
        "Ines: that is a fair point.",  # no name as the talk shows it
        "| drink | price |\n|---|---|\n| tea | 2 |\n| milk | 1 |",
        "```\ncat x \\\n| sort\n```",
        'She said "tea" and "milk"',
        "- ines wants tea\n- bo wants milk",
        "And why? I would do nothing.",
        "```\nWhat would you do here, and why?\n```",
        "## P1\nI support it.\n\n## P2\nI oppose it.",
        "# Decision 2 stands\nTea it is.",
        'I would write "tea" on the list.',
        "P2 amends P1 in its price.",
        "[P1] is dear.",
        "# P1: tea\nIt keeps well.",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    """A citation, a table, code, a quotation within, a list of who wants what."""
    assert strip_transcript_form(text, NAMES) == (text, False)


@pytest.mark.parametrize(
    "text",
    [
        "ines: I agree.",
        '- P1 ines: "Use tea." (+0 −0 ~0)',
        "[n 4] bo:\n| I agree.",
        "| ines:\n| Yes.",
    ],
)
def test_an_answer_in_another_name_is_nobodys(text: str) -> None:
    """Nothing of it is left, and it is told apart from silence."""
    assert strip_transcript_form(text, NAMES) == ("", True)


PIECES = [
    "| ",
    "[n 3] ",
    "ana: ",
    "ines: ",
    "bo:\n",
    "\n",
    '"',
    "Tea.",
    " None",
    "Recent Messages:",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_line_of_the_transcripts_form_is_left(text: str) -> None:
    """However its parts are put together; and what is clean stays as it is."""
    words, _ = strip_transcript_form(text, NAMES)
    for line in words.split("\n"):
        assert not line.startswith(("| ", "[n 3] ana:", "ana: ", "ines: ", "bo: ", "- n 4 bo: "))
        assert line.strip() not in ("|", "ines:", "bo:", "ana:", "Recent Messages:")
    assert strip_transcript_form(words, NAMES) == (words, False)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Tea is fine. Milk too. And the", "Tea is fine. Milk too."),
        ("Tea costs 2.50 euros and the", "Tea costs 2.50 euros and…"),
        ("- tea\n- milk\n- cof", "- tea\n- milk"),
        ("茶がいい。でも", "茶がいい。"),
        ("Tea.", "Tea."),
    ],
)
def test_what_was_cut_off_ends_at_a_sentence(text: str, whole: str) -> None:
    """Or at a line; where there is neither, at a word."""
    assert end_at_sentence(text) == whole
