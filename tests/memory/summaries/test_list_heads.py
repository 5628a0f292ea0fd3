"""Items and parts of a message in few words."""

from __future__ import annotations

import pytest

from parley.memory.extraction.writing.cards import current_cards
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.summaries.list_heads import Part, cut_words, outline_text, tell


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
