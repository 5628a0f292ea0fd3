"""What prose is likely to do, by the tables: sums of signs, whichever way they are added."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.prose.prose_scores import (
    MOST,
    ProseMessage,
    Setting,
    any_odds,
    choose_units,
)
from parley.memory.extraction.prose.prose_tables import (
    ONE,
    UNIT_HEADS,
    pack,
    shipped_tables,
    unpack,
)
from parley.memory.extraction.prose.unit_signs import name_signs, read_signs
from parley.memory.extraction.writing.chosen_units import ODDS, WIDEST
from parley.memory.extraction.writing.units import hide_code, split_units
from parley.memory.extraction.writing.wording import words_of

TABLES = shipped_tables()
PIECES = (
    "We should move the maps to the cellar.", "# Decision", "- approved, go ahead", "Agreed?",
    "I do not agree with that", "| a | b |", "```\ncode\n```", "The user has decided: no.",
    "1. Please write the tests first.", "Not done yet, but it will be.", "> quoted words", "",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("\n\n".join) | st.text(max_size=300)
SETTINGS = st.builds(Setting, st.booleans(), st.integers(0, 9))


def read(text: str, setting: Setting | None = None) -> ProseMessage:
    units = split_units(hide_code(text))
    words = [words_of(text[unit.start : unit.end].lower()) for unit in units]
    return ProseMessage(units, words, TABLES, setting or Setting())


@given(TEXTS, SETTINGS)
def test_a_score_is_the_sum_of_the_signs_that_are_named(text: str, setting: Setting) -> None:
    """What is added up packed and cached is what those who fit weights see."""
    message = read(text, setting)
    for place, scores in enumerate(message.scores()):
        names = list(message.name_signs(place))
        for head, score in zip(UNIT_HEADS, scores, strict=True):
            weights = TABLES.data["heads"][head]
            total = weights[""] + sum(weights.get(name, 0) for name in names)
            if head == "propose":
                words = [name.removeprefix("word ") for name in names if name[:5] == "word "]
                total += sum(TABLES.words.get(word, 0) for word in words)
            assert score == total


@given(st.lists(st.integers(-(2**30), 2**30), min_size=1, max_size=4))
def test_sums_of_several_heads_keep_apart(weights: list[int]) -> None:
    assert unpack(pack(weights) + pack(weights), len(weights)) == [2 * each for each in weights]


def test_signs_say_where_classes_of_words_stand() -> None:
    def named(text: str) -> set[str]:
        return set(name_signs(read_signs(words_of(text), TABLES), TABLES))

    assert {"+agree", "^we", "~agree", "we+agree"} <= named("i agree with the plan")
    assert "!agree" in named("we do not agree")
    assert "!agree" not in named("we agree")
    assert "?agree" in named("do you agree?")
    assert named("the cellar") == set()


@pytest.mark.parametrize(
    ("text", "does", "does_not"),
    [
        ("**Decision:** approved. Merge it.", "decide", "propose"),
        ("## Next steps\n\n- Add a test for the parser\n- Update the docs", "propose", "decide"),
    ],
)
def test_it_is_told_what_a_message_does(text: str, does: str, does_not: str) -> None:
    message = read(text)
    assert message.certainty(does)  # type: ignore[arg-type]
    assert not message.certainty(does_not)  # type: ignore[arg-type]
    assert message.reasons(message.likeliest(does), does)  # type: ignore[arg-type]


@given(st.lists(st.integers(-2 * WIDEST, 2 * WIDEST), max_size=50))
def test_more_units_make_it_no_less_likely(scores: list[int]) -> None:
    odds = [any_odds(scores[:count]) for count in range(len(scores) + 1)]
    assert odds == sorted(odds)
    assert odds[0] == 0
    assert all(ODDS[score] <= odds[-1] + len(scores) * ONE // 10**6 for score in scores)


@given(TEXTS)
def test_few_units_are_chosen_none_above_another(text: str) -> None:
    message = read(text)
    chosen = choose_units(message.units, [each.propose for each in message.scores()])
    assert len(chosen) <= MOST
    assert bool(chosen) == bool(message.units)
    assert not any(message.units[place].heading in chosen for place in chosen)


def test_the_tables_hold_single_common_words_and_whole_numbers_alone() -> None:
    data = TABLES.data
    assert len(json.dumps(data)) < 2_000_000
    assert all(re.fullmatch(r"[a-z']+|\W|\x1a", word) for word in data["words"])
    weights = [
        *data["words"].values(),
        *(w for head in UNIT_HEADS for w in data["heads"][head].values()),
    ]
    assert all(isinstance(weight, int) for weight in weights)


@pytest.mark.parametrize("head", UNIT_HEADS)
def test_certainty_rises_with_the_score(head: str) -> None:
    levels = TABLES.certainty[head]
    assert [score for score, _ in levels] == sorted({score for score, _ in levels})
    assert [share for _, share in levels] == sorted({share for _, share in levels})
    assert all(0 <= share <= 1000 for _, share in levels)
    assert TABLES.certainty_of(head, 0) == 0
    assert TABLES.certainty_of(head, ODDS[WIDEST]) == levels[-1][1]
