"""The bundled cast: complete, distinct, of a length that a prompt can have."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from parley.bus.entries import ACTS
from parley.memory.text.similarity import fingerprint, measure_resemblance
from parley.personas.library import bundled_cast, find_all
from parley.personas.persona import Persona

CAST = list(bundled_cast().values())
PAIRS = list(combinations(CAST, 2))


def test_there_are_voices_enough_to_disagree() -> None:
    """At least fourteen, each read without a remark."""
    assert len(CAST) >= 14
    assert all(persona.warnings == () for persona in find_all().personas.values())


@pytest.mark.parametrize("persona", CAST, ids=lambda persona: persona.name)
def test_each_says_what_it_needs_to(persona: Persona) -> None:
    """Its length, when it speaks and when not, items, short messages, what it never does.

    A handle in an example is none of the session's, and small models take it for one.
    """
    assert 100 <= len(persona.body.split()) <= 220
    assert re.search(r"\b(?:handle|proposal|amend|decision|objection)", persona.body)
    assert not re.search(r"\b[PDV][0-9]", persona.body)
    for words in ("[Ss]peak", "[Ss]tay silent", "[Yy]ou never", "mov|[Ee]vidence|believe"):
        assert re.search(words, persona.body), words
    assert "speaks when" in persona.description
    assert persona.display.startswith("The ")
    assert len(persona.interests) >= 5
    assert all(interest == interest.lower() for interest in persona.interests)
    assert persona.budget.turns is not None
    assert persona.budget.tokens is not None


def test_no_interest_is_shared() -> None:
    """What one listens for, nobody else does: the rules gate then wakes few at a time."""
    for persona, other in PAIRS:
        assert not set(persona.interests) & set(other.interests), (persona.name, other.name)


def test_nobody_listens_for_the_words_of_procedure() -> None:
    """They stand in most messages: whoever listened for them would never sleep."""
    for persona in CAST:
        assert not {*ACTS, "proposal", "decision", "message"} & set(persona.interests)


def test_no_two_bodies_are_alike() -> None:
    """By the measure that finds a proposal that was made before."""
    for persona, other in PAIRS:
        assert measure_resemblance(fingerprint(persona.body), fingerprint(other.body)) < 450


def test_the_page_lists_the_cast() -> None:
    """The table of docs/personas.md is what the files say."""
    page = (Path(__file__).parents[2] / "docs" / "personas.md").read_text(encoding="utf-8")
    rows = [
        f"| `{persona.name}` | {persona.description} | {', '.join(persona.interests)} |"
        for persona in CAST
    ]
    assert "\n".join(["| name | speaks | listens for |", "|---|---|---|", *rows, ""]) in page


def test_those_who_keep_the_procedure_stay_out_of_the_matter() -> None:
    """The moderator alone has capabilities; neither it nor the scribe may propose."""
    cast = bundled_cast()
    assert "moderate" in (cast["moderator"].may or ())
    for name, persona in cast.items():
        may = persona.may or ()
        assert ("moderate" in may) == (name == "moderator")
        if name in ("moderator", "scribe"):
            assert not {"propose", "support", "oppose", "decide"} & set(may)
