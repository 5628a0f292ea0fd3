"""What one written message proposes and says: its units, what they weigh, wordings at a place."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.chosen_units import MOST, choose_units
from parley.memory.extraction.writing.item_texts import headed, item_span, item_text, led_in
from parley.memory.extraction.writing.ruling_texts import ruling_text
from parley.memory.extraction.writing.unit_texts import tidy
from parley.memory.extraction.writing.units import MOST as MOST_UNITS
from parley.memory.extraction.writing.units import split_units
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.text.plain_text import to_plain

NAMES = frozenset({"ana", "bo", "cy"})
PLAN = """## Next steps

Two things are missing before the release:

1. Add a retry to the upload client. It fails on the first timeout.
2. Please review the schema, @bo.

```python
we_should_use("this")
```

> We should use that.

| Step | Owner |
|---|---|
| Deploy | ana |
"""
PIECES = st.sampled_from(
    ["We should ", "please ", "use ", "the cache", ". ", "! ", "\n", "\n\n", "- ", "1. ", "**",
     "`x` ", "# ", "Bo, ", "ana ", "approved ", "é", "✅ ", "İ", "| a | b |\n", "|---|---|\n", "> ",
     "```\n",
     "\x1a", "http://a.b/c ", "what if we ", "I disagree ", "let's ", "12 ", "option b "]
)  # fmt: skip
DOCUMENTS = st.lists(PIECES, max_size=60).map("".join)


def read(text: str) -> WrittenMessage:
    return WrittenMessage(to_plain(text), NAMES, shipped_cards())


def proposed(text: str) -> list[str]:
    message = read(text)
    units = [weighed.unit for weighed in message.proposals()]
    spans = [item_span(message, unit, units) for unit in units]
    return [item_text(message, unit, span).text for unit, span in zip(units, spans, strict=True)]


def test_politeness_before_a_proposal_is_no_part_of_its_text() -> None:
    """The span leaves it out as well; what it stands in front of says all."""
    text = (
        "I appreciate your passion for the town. I suggest that we repair the bridge in May. "
        "It carries half of the traffic."
    )
    assert proposed(text)[0].startswith("I suggest that we repair the bridge in May.")


def test_a_long_ruling_ends_with_a_sentence() -> None:
    """It begins with the sentence that rules, whatever stands before it."""
    before = "Both sides were heard at length, and each of them has a point that we understand. "
    ruling = "Decision: approved. "
    message = read(before * 2 + ruling + "The work begins on Monday, with the roof. " * 5)
    unit = next(unit for unit in message.units if message.text[unit.start :].startswith("Decision"))
    text = ruling_text(message, unit).text
    assert text.startswith("Decision: approved. The work begins")
    assert text.endswith("with the roof.")
    assert len(text) <= 200


def test_a_lead_that_is_a_sentence_stands_before_what_it_leads_to() -> None:
    message = read("## We go on with three changes.\n\n- Fix the docs\n- Ship it\n")
    unit = next(unit for unit in message.units if unit.kind == "item")
    assert headed(message, unit, "Fix the docs") == "We go on with three changes. Fix the docs"


def placed(text: str) -> set[str]:
    return {each.rule for each in read(text).placed()}


# -- units -------------------------------------------------------------------------


def test_only_prose_is_read() -> None:
    """Neither code nor what somebody else is quoted with."""
    units = [PLAN[unit.start : unit.end] for unit in split_units(PLAN)]
    assert not any("this" in unit or "that" in unit for unit in units)
    assert "Add a retry to the upload client. It fails on the first timeout." in units


def test_units_stand_under_headings_and_lead_ins() -> None:
    units = split_units(PLAN)
    first = next(unit for unit in units if PLAN.startswith("Add a retry", unit.start))
    assert PLAN[units[first.heading].start : units[first.heading].end] == "Next steps"
    assert PLAN[units[first.lead].start : units[first.lead].end].endswith("the release:")


@given(DOCUMENTS)
def test_units_lie_in_the_text_in_order(text: str) -> None:
    end = 0
    for number, unit in enumerate(units := split_units(text)):
        assert end <= unit.start < unit.end <= len(text)
        assert unit.heading < number
        assert unit.lead < number
        end = unit.end
    assert len(units) < MOST_UNITS + 50


# -- what they weigh ---------------------------------------------------------------


@given(DOCUMENTS)
def test_a_score_is_the_sum_of_the_weights_of_its_features(text: str) -> None:
    """Those that `features` names, each once: the fast sum forgets none."""
    message, cards = read(text), shipped_cards()
    for index, score in enumerate(message.scores()):
        weights = [cards.weights.get(each, 0) for each in message.features(index)]
        assert score == cards.bias + sum(weights)


@given(st.one_of(DOCUMENTS, st.text(max_size=300)))
def test_a_score_is_that_sum_whatever_weighs(text: str) -> None:
    """With a weight on each feature that the text has, not on the shipped ones alone."""
    bare = read(text)
    names = sorted({each for index in range(len(bare.units)) for each in bare.features(index)})
    weights = {name: 7 * number % 401 - 200 for number, name in enumerate(names, 1)}
    message = WrittenMessage(bare.text, NAMES, shipped_cards().with_weights(-13, weights))
    for index, score in enumerate(message.scores()):
        assert score == -13 + sum(weights[each] for each in message.features(index))


@given(DOCUMENTS, st.data())
def test_some_units_are_chosen_whatever_they_weigh(text: str, data: st.DataObject) -> None:
    """In order, few, the likeliest or what stands under it; two of a block only where each is
    likely by itself.
    """
    if units := read(text).units:
        weights = st.lists(st.integers(-1000, 1000), min_size=len(units), max_size=len(units))
        scores = data.draw(weights)
        chosen = choose_units(units, scores)
        assert chosen == sorted(chosen)
        assert 0 < len(chosen) <= MOST
        faint = [units[index].block for index in chosen if scores[index] <= 50]
        assert len(set(faint)) == len(faint)


@given(DOCUMENTS)
def test_no_words_are_in_two_items(text: str) -> None:
    message = read(text)
    units = [weighed.unit for weighed in message.proposals()]
    assert len(units) <= MOST
    end = 0
    for unit in units:
        first, last = item_span(message, unit, units)
        assert end <= first <= unit.start < unit.end <= last
        end = last


def test_two_courses_of_one_paragraph_are_two_items() -> None:
    both = (
        "I propose that we move the sessions to Redis. The old table stays for a week. "
        "I also propose that we drop the nightly job."
    )
    assert proposed(both) == [
        "I propose that we move the sessions to Redis. The old table stays for a week.",
        "I also propose that we drop the nightly job.",
    ]


def test_what_points_back_takes_the_sentence_before_it() -> None:
    text = "The two checks of the gateway are missing.\n\nThey should be added before we merge."
    message = read(text)
    assert item_span(message, message.units[1]) == (0, len(text))
    message = read(text.replace("They", "Tests"))
    assert item_span(message, message.units[1])[0] == message.units[1].start


# -- what is said ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "I suggest we cache the tokens for an hour and drop the second lookup.",
        "The lookup is slow.\n\nWhat if we cache the tokens for an hour?",
        "## Proposed plan\n\n- Cache the tokens for an hour\n- Drop the second lookup",
        "Bo, please cache the tokens before you touch the second lookup.",
        "We should never keep tokens in the log. Let's mask them before they are written.",
    ],
)
def test_a_course_of_action_is_a_proposal(text: str) -> None:
    assert proposed(text)


@pytest.mark.parametrize(
    "text",
    [
        "Good morning, everyone.",
        "All tests passed. The build was green and the image was pushed to the registry.",
        "```\nlet's use this; we should call that\n```",
        "> I suggest we cache the tokens for an hour.",
        "- ✅ tests passed\n- ✅ image pushed\n- ✅ docs updated",
        "If you need anything else, please let me know.",
    ],
)
def test_reports_code_and_quotations_propose_nothing(text: str) -> None:
    assert not proposed(text)


def test_each_option_is_an_item_of_its_own() -> None:
    text = (
        "I recommend we pick one of these:\n\n"
        "- Option A: keep the tokens in Redis\n- Option B: keep the tokens in a signed cookie\n"
    )
    assert proposed(text) == [
        "I recommend we pick one of these: Option A: keep the tokens in Redis; or Option B: keep "
        "the tokens in a signed cookie",
        "I recommend we pick one of these: Option B: keep the tokens in a signed cookie; or Option "
        "A: keep the tokens in Redis",
    ]


def test_texts_have_no_markup_and_no_signs_around_them() -> None:
    assert tidy("→ **Use `redis`** for\n  the cache ✅") == "Use redis for the cache"
    assert tidy("***") == "***"


def test_a_short_item_is_told_under_its_lead_in() -> None:
    text = "Please do the following before Friday:\n\n- Wire Redis\n"
    assert proposed(text) == ["Please do the following before Friday: Wire Redis"]


def test_a_lead_in_is_told_with_what_it_leads_in() -> None:
    """Not with the parts of a part, nor with what stands behind the list."""
    text = (
        "The two lookups cost us most of a request. Please change **these**:\n\n"
        "- the cache of the tokens,\n    - its size was measured\n- the index of the table\n\n"
        "The figures are in the wiki, where the others were put."
    )
    assert proposed(text)[0].endswith(
        "Please change these: the cache of the tokens; the index of the table"
    )
    steps = "".join(f"- step {number} of the plan that was read aloud\n" for number in range(20))
    long = proposed(f"Please go on with what follows:\n\n{steps}")[0]
    assert long.startswith("Please go on with what follows: step 0 of the plan that was read")
    assert len(long) <= 300
    assert long.endswith("aloud")


def test_a_question_that_a_colon_ends_is_told_with_the_sentence_behind_it() -> None:
    text = "I suggest the following:\n\nThe old printer goes to the archive in May."
    assert proposed(text) == ["I suggest the following: The old printer goes to the archive in May"]


@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        (
            "Please call this before the vote:\n\n```python\ncount_the_maps()\n```\n\nIt is fast.",
            "Please call this before the vote: count_the_maps()",
        ),
        (
            "We should take one of these rooms:\n\n"
            "| Room | Size |\n|---|---|\n| Cellar | large |\n| Attic | small |\n",
            "We should take one of these rooms: Cellar: large; Attic: small",
        ),
    ],
)
def test_what_says_nothing_alone_is_told_with_what_it_shows(text: str, proposal: str) -> None:
    """The first line of code, the rows of a table by their first cells, what stands below."""
    assert proposed(text)[0] == proposal
    message = read("## Move the maps\n\nThe cellar is dry, and it has room.")
    led_in_text = led_in(message, message.units[0], "Move the maps")
    assert led_in_text == "Move the maps: The cellar is dry, and it has room"


def test_a_text_ends_before_what_only_leads_on() -> None:
    """And a sentence that is short and stands alone has the one before it."""
    assert (
        proposed("I suggest that we move the maps to the cellar. This is the list:\n\n- A\n- B")[0]
        == "I suggest that we move the maps to the cellar."
    )
    short = proposed("The cellar of the town hall floods in spring.\n\nLet us move the maps.")
    assert short == ["The cellar of the town hall floods in spring. Let us move the maps."]


def test_several_courses_of_one_message_are_items_each() -> None:
    """Also those that are less likely than the first, and short ones of one list."""
    text = (
        "The archive has no room left.\n\n## Proposed steps\n\n"
        "- Move the old maps to the cellar\n- Sell the second press\n- Print nothing until June\n"
    )
    assert proposed(text) == [
        "Proposed steps: Move the old maps to the cellar",
        "Proposed steps: Sell the second press",
        "Proposed steps: Print nothing until June",
    ]


def test_a_ruling_says_what_stands_under_its_heading() -> None:
    message = read("## Plan approved\n\nThe tokens are cached for an hour, by Bo.")
    decided = next(each for each in message.placed() if each.act == "decide")
    ruling = "Plan approved: The tokens are cached for an hour, by Bo."
    assert ruling_text(message, decided.unit).text == ruling


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Agreed. Go on with the cache.", "support.yes"),
        ("Bo, agreed. Go on with the cache.", "support.addressed-yes"),
        ("I respectfully disagree with the cache. It hides errors.", "oppose.disagree"),
        ("However, we must keep the second lookup until March.", "oppose.but-must"),
        ("I have no strong preference between the two.", "neutral.none"),
        ("The user approved the plan. Bo starts on Monday.", "decide.ruled"),
        ("Taking option 2, and starting with the schema.", "support.pick"),
        ("No objections received, so we proceed.", "decide.no-objection"),
    ],
)
def test_wordings_count_at_their_place(text: str, rule: str) -> None:
    assert rule in placed(text)


def test_a_yes_far_down_is_no_answer() -> None:
    far = "The cache is slow.\n\nThe log is long.\n\nThe disk is full.\n\nThe night is dark.\n\n"
    assert "support.yes" not in placed(f"{far}Agreed, it is.")


def test_the_language_is_told_by_its_commonest_words() -> None:
    assert read("We should keep the cache for the tokens that you have.").is_readable()
    german = (
        "Wir sollten den Zwischenspeicher behalten, weil er schneller ist als jede Abfrage. " * 3
    )
    assert not read(german).is_readable()


# -- hostile -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    ["we should use it. ", "? ", "**a** ", "- - - ", "> ", "`a` ", "a", "✅ ", "http://", "|a|b|\n",
     "# a\n", "?", "!.", "No. ", "?*_", "? (", " - ", "…", "I agree. ", "option b ", "İ", "要",
     '"a" ', "not approved, "],
)  # fmt: skip
def test_time_grows_with_the_length(piece: str) -> None:
    """Eight times the text takes at most some twenty times as long, on a machine that is shared."""

    def spent(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            begun = process_time()
            message = read(text)
            message.proposals()
            message.placed()
            best = min(best, process_time() - begun)
        return best

    assert spent(64_000) < 20 * max(spent(8_000), 0.002)
