"""Persona files: what is read, what is refused, what is merely remarked on."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import ACTS
from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import MAX_TEXT
from parley.personas.persona import Budget, Persona
from parley.personas.persona_file import CAPABILITIES, parse_persona
from parley.personas.persona_text import write_persona

WHOLE = """\
---
name: skeptic
description: Demands evidence.
model: inherit
color: red
parley:
  display: The Skeptic
  eval_model: small
  interests: [evidence, risk, risk]
  reactivity: 0.6
  cooldown_turns: 1
  may: [propose, oppose, vote]
  vote_weight: 2
  budget: {turns: 20, tokens: 60000, cost: 0.25}
---

You are hard to convince.
"""


def file(head: str, body: str = "You are.") -> str:
    return f"---\n{head}\n---\n{body}\n"


def ours(line: str) -> str:
    """A file whose line 5 stands below `parley:`."""
    return file(f"name: ana\ndescription: Speaks.\nparley:\n  {line}")


def test_every_key_of_the_format_is_read() -> None:
    """The example of the design, with keys of others kept."""
    read = parse_persona(WHOLE, "skeptic.md")
    assert read.warnings == ()
    assert read.persona == Persona(
        name="skeptic",
        description="Demands evidence.",
        body="You are hard to convince.",
        display="The Skeptic",
        interests=("evidence", "risk"),
        reactivity=600,
        cooldown=1,
        may=("propose", "oppose", "vote"),
        vote_weight=2,
        budget=Budget(20, 60_000, 250_000),
        foreign={"color": "red"},
    )


def test_a_name_and_a_description_are_enough() -> None:
    """An agent file made for another tool drops in."""
    read = parse_persona(file("name: reviewer\ndescription: Reviews.\ntools: Read, Grep"), "f")
    assert read.warnings == ()
    assert (read.persona.model, read.persona.eval_model) == ("large", "small")
    assert read.persona.may is None
    assert read.persona.foreign == {"tools": "Read, Grep"}


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_and_a_byte_order_mark_do_not_matter(ends: str) -> None:
    """A file that was saved elsewhere reads the same."""
    text = "\ufeff" + WHOLE.replace("\n", ends)
    assert parse_persona(text, "f").persona == parse_persona(WHOLE, "f").persona


def test_a_body_may_hold_rules_of_its_own() -> None:
    """Only the first two lines of dashes are the front matter's."""
    assert parse_persona(
        file("name: a\ndescription: b", "One.\n---\nTwo."), "f"
    ).persona.body.endswith("Two.")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "no front matter"),
        ("You are.", 1, "no front matter"),
        ("---\nname: a\n", 1, "no end"),
        (file("name: a\ndescription: b", " "), None, "no text under"),
        (file("description: b"), 1, "no name"),
        (file("name: a"), 1, "no description"),
        (file("name: a\ndescripton: b"), 3, "is 'descripton' meant"),
        (file("nmae: a\ndescription: b"), 2, "is 'nmae' meant"),
        (file("name: Ana\ndescription: b"), 2, "small letters"),
        (file("name: '-a'\ndescription: b"), 2, "small letters"),
        (file("name: " + "a" * 65 + "\ndescription: b"), 2, "1 to 64"),
        (file("name: parley\ndescription: b"), 2, "of the server"),
        (file("name: 7\ndescription: b"), 2, "put it in quotes"),
        (file("name: a\ndescription: [b]"), 3, "put it in quotes"),
        (file("name: a\ndescription: " + "b" * 4001), 3, "4000"),
        (file("name: a\ndescription: b\nmodel: a b"), 4, "inherit, small, large"),
        (file("name: a\ndescription: b\nparley: yes"), 4, "keys below it"),
        (file("name: a\nname: b\ndescription: b"), 3, "stands twice, first on line 2"),
        (file("name: a\ndescription: Use it: now"), 3, "in quotes"),
        (file("- a"), 2, "key: value"),
        (file("name: !x a\ndescription: b"), 2, "a tag"),
        (file("name: a\ndescription: b\nx: &x [*x]"), 4, "within itself"),
        (file("name: a\ndescription: b\n? [c]\n: d"), 4, "a key of its YAML"),
        (file("name: a\ndescription: \x07"), 3, "0x0007"),
        (file("name: a\n...\nb: c"), 4, "cannot be read"),
        (file("x: " + "[" * 5000), None, "nested too deeply"),
        (file("x: [" + "a, " * 20_001 + "]"), None, "more than 20000 values"),
        ("\ud800", None, "lone surrogate"),
        ("x" * (MAX_TEXT + 1), None, "at most"),
        (ours("display: 3"), 5, "parley.display takes text"),
        (ours("interests: evidence"), 5, "a list"),
        (ours("interests: [1]"), 5, "a list"),
        (ours("interests: ['']"), 5, "a list"),
        (ours("reactivity: 600"), 5, "from 0 to 1, not 600"),
        (ours("reactivity: true"), 5, "from 0 to 1, not true"),
        (ours("cooldown_turns: -1"), 5, "whole number"),
        (ours("cooldown_turns: 1.5"), 5, "whole number"),
        (ours("vote_weight: 1000001"), 5, "whole number"),
        (ours("may: [opose]"), 5, "is 'oppose' meant"),
        (ours("may: oppose"), 5, "a list"),
        (ours("budget: 3"), 5, "keys below it"),
        (ours("budget: {turns: many}"), 5, "parley.budget.turns takes a whole number"),
        (ours("budget: {cost: -0.1}"), 5, "parley.budget.cost takes a number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_file_line_and_key(
    text: str, line: int | None, reason: str
) -> None:
    """And told what is allowed there."""
    with pytest.raises(PersonaRefused) as refused:
        parse_persona(text, "ana.md")
    assert reason in str(refused.value)
    assert refused.value.line == line
    assert str(refused.value).startswith("ana.md:" if line is None else f"ana.md:{line}: ")


@pytest.mark.parametrize(
    ("text", "line", "remark"),
    [
        (ours("intrests: [a]"), 5, "'parley.intrests' is not read; is 'interests' meant?"),
        (ours("budget: {cots: 1}"), 5, "'parley.budget.cots' is not read; is 'cost' meant?"),
        (ours("zzz: 1"), 5, "known are display"),
        (ours("may: [grant]"), 5, "names no act"),
        (file("name: a\ndescription: b\nmodel: sonnet"), 4, "write large for the size"),
        (file("name: a\ndescription: b\nmodle: small"), 4, "is 'model' meant?"),
        (file("name: a\ndescription: b\ninterests: [a]"), 4, "stands below 'parley:'"),
        (file("name: a\ndescription: b\nintrests: [a]"), 4, "is 'parley: interests' meant?"),
        (file("name: a\ndescription: b", "x" * 8001), None, "8001 characters"),
    ],
)
def test_what_is_odd_is_remarked_on(text: str, line: int | None, remark: str) -> None:
    """With the nearest key, and the persona stands."""
    (warning,) = parse_persona(text, "ana.md").warnings
    assert remark in warning.text
    assert warning.line == line


def test_an_alias_bomb_is_refused_before_it_is_built() -> None:
    """Twelve lines that would be a million million values."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(PersonaRefused, match="write it out"):
        parse_persona(file("\n".join(rows)), "bomb.md")


def test_words_that_yaml_once_took_for_something_else_stay_words() -> None:
    """A persona may answer "no", and a date is no time of day."""
    head = "name: no\ndescription: on\ndue: 2026-01-01\nat: 12:30\noff: yes"
    persona = parse_persona(file(head), "f").persona
    assert (persona.name, persona.description) == ("no", "on")
    assert persona.foreign == {"due": "2026-01-01", "at": "12:30", "off": "yes"}


def test_one_value_may_be_used_twice() -> None:
    """Anchors, aliases and merged keys are read as they are elsewhere."""
    head = "name: a\ndescription: b\nx: &x {k: [1]}\ny: {<<: *x, z: 2}"
    assert parse_persona(file(head), "f").persona.foreign["y"] == {"k": [1], "z": 2}


line = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=60,
).map(str.strip)
words = line.filter(bool)
numbers = st.floats(allow_nan=False, allow_infinity=False)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | numbers | line,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(line, below, max_size=3),
    max_leaves=8,
)  # fmt: skip
counts = st.none() | st.integers(0, 10**9)
personas = st.builds(
    Persona,
    name=st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,63}\Z").filter(lambda name: name != "parley"),
    description=words,
    body=st.lists(line, min_size=1).map("\n".join).map(str.strip).filter(bool),
    display=line,
    model=st.sampled_from(["large", "small", "gpt-5.1", "no", "1e5", "a/b:c"]),
    eval_model=st.sampled_from(["large", "small", "~", "null", "true"]),
    interests=st.lists(words, max_size=4, unique=True).map(tuple),
    reactivity=st.integers(0, 1000),
    cooldown=counts,
    may=st.none() | st.lists(st.sampled_from([*ACTS, *CAPABILITIES]), unique=True).map(tuple),
    vote_weight=st.integers(0, 1_000_000),
    budget=st.builds(Budget, counts, counts, st.none() | st.integers(0, 10**12)),
    foreign=st.dictionaries(
        line.filter(lambda key: key not in {"name", "description", "model", "parley"}),
        plain,
        max_size=3,
    ),
)


@given(persona=personas)
def test_what_is_written_is_read_back(persona: Persona) -> None:
    """Every persona survives its file, keys of others included."""
    assert parse_persona(write_persona(persona), "f").persona == persona


@given(text=st.text(max_size=300) | st.text("-:[]{}&*!<>|?#'\"\n ab0.", max_size=120))
def test_no_file_ends_in_a_traceback(text: str) -> None:
    """Whatever it holds, it is read or refused."""
    for whole in (text, file(text), file(f"name: a\ndescription: b\n{text}")):
        with suppress(PersonaRefused):
            assert parse_persona(whole, "f").persona.body
