"""Items and parts of a message in few words."""

from __future__ import annotations

import pytest

from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.list_heads import (
    Part,
    cut_words,
    outline_text,
    tell,
    whole_choices,
)


@pytest.mark.parametrize(
    ("text", "words", "cut"),
    [
        (
            "With a new pump from the town, the cellar of the mill is dry",
            10,
            "With a new pump from the town, the cellar…",
        ),
        (
            "The pumps of the mill are old, the wheel of the barn is new and red",
            9,
            "The pumps of the mill are old",
        ),
        (
            "Is the pump on? No, it has been off since May of last year",
            8,
            "Is the pump on? No, it has been…",
        ),
        ("Old pump (broken - ann has looked at it and at the drains)", 6, "Old pump"),
        (
            "The mill of ann is old (the wheel, which bob mended, is new) and slow",
            10,
            "The mill of ann is old…",
        ),
    ],
)
def test_what_is_cut_ends_with_a_clause_that_stands_alone(text: str, words: int, cut: str) -> None:
    assert cut_words(text, words, current_cards().texts) == cut


def test_a_label_is_told_with_what_stands_under_it_or_not_at_all() -> None:
    wordings = current_cards().texts
    assert Part("Why", "The old pumps burst in May.", True).cut(8, wordings) == (
        "Why: The old pumps burst in May"
    )
    assert Part("Why", "", True).cut(8, wordings) == ""
    assert Part("Mend the pumps of the mill", "", False).cut(8, wordings) == (
        "Mend the pumps of the mill"
    )


def test_what_is_crossed_out_is_told_with_its_cross() -> None:
    """A tick says nothing that is not said without it."""
    assert tell("✅ mend the pumps") == "mend the pumps"
    assert tell("→ say *open* ✅\n→ say *ajar* ❌") == "say open ❌ say ajar"
    assert tell("mend the pumps ❌") == "❌ mend the pumps"


def test_where_room_is_short_the_part_that_concludes_keeps_its_words() -> None:
    parts = [
        "**How the pumps stand:** Both failed, the root cause is a fuse that nobody fixed in May.",
        "**What the drains do:** The real problem is the mud in them, and none was removed in May.",
        "**What it costs:** Nine pumps failed, the root cause is the mud, and none was fixed yet.",
        "**Recommendation:** Dig the drains two feet deeper before the rains of October begin.",
    ]
    message = WrittenMessage("The cellar\n\n" + "\n\n".join(parts), frozenset(), current_cards())
    told = outline_text(message, 140)
    assert "Recommendation: Dig the drains two feet deeper" in told


@pytest.mark.parametrize(
    ("text", "words", "cut"),
    [
        (
            "We have to choose a pump now: (a) the small one of the mill, or (b) the new one",
            15,
            "We have to choose a pump now",
        ),
        ("(a) Buy the small pump of the mill. (b) Mend the old one.", 9, ""),
        ("Two asks: (1) please mend the pump.", 20, ""),
        ("We either mend the pump this week, or the cellar stays wet all year", 8, ""),
        ("Pump only on: a full cellar, a wet spring, a broken drain, the last day", 7, ""),
        (
            "Pump in May only when the cellar is full, when ann asks for it, or on Sunday",
            10,
            "Pump in May only when the cellar is full…",
        ),
    ],
)
def test_of_choices_and_of_what_alone_holds_all_is_told_or_nothing(
    text: str, words: int, cut: str
) -> None:
    """Some of them would be told as if there were no others."""
    assert cut_words(text, words, current_cards().texts) == cut


def test_choices_that_all_find_room_are_told() -> None:
    both = "Which pump? (a) The small one. (b) The new one of the mill."
    assert whole_choices(both, f"{both} Ann decides.") == both
    assert whole_choices("Tell me (1) or (2)", "Tell me (1) or (2) by noon") == "Tell me (1) or (2)"


def test_a_question_is_not_told_with_the_first_of_its_choices() -> None:
    text = "\n\n".join(
        f"**{question}** (a) The small one, which is in the cellar. (b) The new one, later on."
        for question in (
            "Which pump do we buy?",
            "Which drain do we dig?",
            "Which door do we shut?",
        )
    )
    message = WrittenMessage(f"The cellar\n\n{text}", frozenset(), current_cards())
    assert outline_text(message, 160) == (
        "Which pump do we buy?; Which drain do we dig?; Which door do we shut?"
    )


def test_a_head_with_nothing_but_another_label_behind_it_is_not_told() -> None:
    wordings = current_cards().texts
    options = Part("Three options", "Pump A: the small one of the mill, which ann has mended", True)
    assert options.cut(5, wordings) == ""
    assert options.cut(20, wordings) == f"Three options: {options.below}"
    text = "\n\n".join(
        f"## {head}\n\n```\nopen()\n```"
        for head in ("The cellar as it stands", "We drop the old pump", "Pumps are now fixed")
    )
    message = WrittenMessage(f"The mill\n\n{text}", frozenset(), current_cards())
    assert "The cellar as it stands" not in outline_text(message)


def test_the_plain_answers_to_several_questions_are_all_told() -> None:
    rows = [
        ("1. Mend the pump now?", "YES, ann has the parts for it in the barn of the mill"),
        ("2. Which drain is first?", "The one in the north, which is full of mud since May"),
        ("3. Ask bob before each dig?", "No - only before the last one of them"),
        ("4. Buy a second pump?", "Yes: it is cheap, and the shop is open until Sunday"),
    ]
    table = "\n".join(f"| {question} | {answer} |" for question, answer in rows)
    text = (
        "The cellar\n\n## Answers to your questions\n\n"
        f"| Question | Answer |\n|---|---|\n{table}\n\n"
        "## The rest of the week\n\nWe dig in the north of the mill.\n\n"
        "## Is the sluice shut?\n\nYes. Cleo shut it on Sunday, long before the rain of the night."
    )
    message = WrittenMessage(text, frozenset(), current_cards())
    told = outline_text(message, 230)
    answers = "Mend the pump now? YES, Ask bob before each dig? No, Buy a second pump? Yes"
    assert f"Answers to your questions: {answers}" in told
    assert "Is the sluice shut? Yes" in told
