"""Personas from files of other tools: what is mapped, kept, dropped, and never lost unsaid."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from parley.personas.errors import PersonaRefused
from parley.personas.imports import ImportReport, import_text
from parley.personas.persona_file import parse_persona
from parley.personas.persona_text import write_persona

CREW = """\
researcher:
  role: >
    {topic} Senior Researcher
  goal: >
    Uncover what is new in {topic}
  backstory: >
    You have twenty years of experience
    and a good nose.
  llm: openai/gpt-4o
  allow_delegation: false
  verbose: true
  reasoning:
Report Writer:
  role: Writer
  goal: Write it down
  backstory: You like short words.
"""

ADA = {
    "id": "1",
    "name": "Ada Ruiz",
    "role": "harbour engineer",
    "background": "Built two breakwaters.",
    "personality": ["dry", "patient"],
    "biases": ["trusts concrete more than people"],
    "strengths": ["tides"],
    "weaknesses": "impatient with committees",
    "speakingStyle": "Short sentences.",
    "avatar": "ada.png",
}


def fates(report: ImportReport, persona: str) -> dict[str, str]:
    return {row.key: row.fate for row in report.rows if row.persona == persona}


def test_a_crew_of_agents_is_brought_over() -> None:
    """Role, goal and backstory make the text; the rest is kept, and everything is told."""
    report = import_text(CREW, "agents.yaml")
    first, second = report.personas
    assert (first.name, second.name) == ("researcher", "report-writer")
    assert first.display == "{topic} Senior Researcher"
    assert first.description == "{topic} Senior Researcher: Uncover what is new in {topic}"
    assert first.body == (
        "You are {topic} Senior Researcher.\n\nYour goal: Uncover what is new in {topic}\n\n"
        "You have twenty years of experience and a good nose."
    )
    assert first.model == "openai/gpt-4o"
    assert first.foreign == {"allow_delegation": False, "verbose": True}
    assert fates(report, "researcher") == {
        "role": "mapped", "goal": "mapped", "backstory": "mapped", "llm": "mapped",
        "description": "missing", "interests": "missing", "{topic}": "kept",
        "allow_delegation": "kept", "verbose": "kept", "reasoning": "dropped",
    }  # fmt: skip


@pytest.mark.parametrize("whole", [ADA, [ADA], {"personas": [ADA]}, {"agents": {"ada-ruiz": ADA}}])
def test_a_character_is_brought_over(whole: Any) -> None:
    """One object, a list, or below `personas` or `agents`."""
    (ada,) = import_text(json.dumps(whole), "cast.json").personas
    assert (ada.name, ada.display, ada.description) == ("ada-ruiz", "Ada Ruiz", "harbour engineer")
    assert ada.body == (
        "You are Ada Ruiz, harbour engineer.\n\n"
        "Where you come from: Built two breakwaters.\n\n"
        "What you are like:\n- dry\n- patient\n\n"
        "What you lean towards; allow for it:\n- trusts concrete more than people\n\n"
        "What you are good at:\n- tides\n\n"
        "What you are not good at; say so when it matters: impatient with committees\n\n"
        "How you speak: Short sentences."
    )
    assert ada.foreign == {"avatar": "ada.png"}


def test_a_prompt_and_a_description_are_taken_as_they_are() -> None:
    """Nothing is made up where somebody wrote it."""
    tree = {
        "name": "Bo", "description": "Speaks of boats.", "systemPrompt": "You are Bo.",
        "model": "opus", "expertise": ["boats", "rope"],
    }  # fmt: skip
    report = import_text(json.dumps(tree), "bo.json")
    (bo,) = report.personas
    assert (bo.description, bo.body, bo.model) == ("Speaks of boats.", "You are Bo.", "large")
    assert bo.interests == ("boats", "rope")
    assert set(fates(report, "bo").values()) == {"mapped"}


def test_what_stands_beside_the_agents_is_told() -> None:
    """A key of the file that no persona can hold."""
    report = import_text(json.dumps({"version": 3, "personas": [ADA]}), "cast.json")
    assert fates(report, "") == {"version": "dropped"}


def test_names_that_come_out_the_same_are_numbered() -> None:
    """Also the server's own, and those made of a role for want of Latin letters."""
    names = ["Zoë K", "zoe-k", "山田", "??", "Parley", "a" * 70, "a" * 80]
    agents = [{"name": name, "role": "a voice"} for name in names]
    report = import_text(json.dumps(agents), "x.json").personas
    assert [persona.name for persona in report] == [
        "zoe-k", "zoe-k-2", "a-voice", "a-voice-2", "parley-2", "a" * 64, "a" * 62 + "-2",
    ]  # fmt: skip


def test_an_agent_of_another_tool_drops_in() -> None:
    """Its name becomes one, its model a size, its tools stay."""
    text = (
        "---\nname: Code Reviewer\ndescription: Use it: after changes\ntools: Read, Grep\n"
        "model: sonnet\n---\n# Review\n\nYou review code.\n"
    )
    report = import_text(text, "agents/x.md")
    (persona,) = report.personas
    assert (persona.name, persona.display) == ("code-reviewer", "Code Reviewer")
    assert persona.description == "Use it: after changes"
    assert persona.model == "large"
    assert persona.foreign == {"tools": "Read, Grep"}
    assert "line by line" in next(row.note for row in report.rows if row.key == "front matter")


def test_a_file_without_front_matter_is_a_prompt() -> None:
    """Called as the file is, described by its first sentence."""
    (persona,) = import_text(
        "# The Baker\n\nYou bake. You rise early.", "notes/the_baker.md"
    ).personas
    assert (persona.name, persona.description) == ("the-baker", "The Baker")
    assert persona.body.startswith("# The Baker")


def test_our_own_file_is_imported_as_it_is() -> None:
    """Whatever it says below `parley:`."""
    head = "name: ana\ndescription: Speaks.\nparley: {interests: [rope], reactivity: 0.5}"
    text = f"---\n{head}\n---\nYou.\n"
    report = import_text(text, "ana.md")
    assert report.personas == (parse_persona(text, "ana.md").persona,)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", "{", "a.json:1: is no JSON"),
        ("a.json", "3", "no agents"),
        ("a.json", "[]", "0 agents"),
        ("a.json", "[3]", "agent 1: is no agent"),
        ("a.json", '[{"name": "x", "name": "y"}]', "'name' stands twice"),
        ("a.json", '{"role": NaN}', "NaN is no JSON"),
        ("a.json", "[" * 40 + "]" * 40, "nested too deeply"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '[{"colour": "red"}]', "agent 1: says nothing"),
        ("a.json", json.dumps({"name": "x", "role": "y", "z": [0] * 30_000}), "agent 1: cannot be"),
        ("a.yaml", "x: 3", "'x': is no agent"),
        ("a.yaml", "- x", "key: value"),
        ("a.yaml", "t: {description: d, expected_output: e, agent: a}", "is a task"),
        ("a.md", "", "says nothing"),
        ("a.md", "---\nname: x\n", "no end"),
        ("agents", "what is this", "key: value"),
    ],
)
def test_what_holds_no_persona_is_refused(name: str, text: str, reason: str) -> None:
    """With the agent at fault."""
    with pytest.raises(PersonaRefused, match="a") as refused:
        import_text(text, name)
    assert reason in str(refused.value)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below),
    max_leaves=10,
)
keys = st.sampled_from([
    "id", "name", "role", "goal", "backstory", "background", "personality", "biases", "strengths",
    "weaknesses", "speakingStyle", "description", "systemPrompt", "model", "llm", "parley",
    "interests", "tags", "expected_output", "agent", "colour",
])  # fmt: skip
agents = st.dictionaries(keys, json_values, max_size=8)
voices = st.builds(lambda agent, role: {"role": role, **agent}, agents, st.just("a voice"))
files = voices | st.lists(voices, max_size=3) | st.dictionaries(st.text(max_size=9), voices)


def imported(text: str, name: str) -> ImportReport:
    """What is imported; an example that is refused is none, and others are tried."""
    try:
        return import_text(text, name)
    except PersonaRefused:
        reject()


@given(tree=agents | json_values, name=st.sampled_from(["a.json", "a.yaml", "a", "a.md"]))
def test_whatever_an_object_holds_is_read_or_refused(tree: Any, name: str) -> None:
    """No traceback."""
    with suppress(PersonaRefused):
        assert import_text(json.dumps(tree), name).personas


@given(tree=files, name=st.sampled_from(["a.json", "a.yaml", "a", "a.md"]))
def test_what_is_imported_can_be_written_and_read_again(tree: Any, name: str) -> None:
    """Each persona is the same, and no two have one name."""
    report = imported(json.dumps(tree), name)
    assert report.personas
    for persona in report.personas:
        assert parse_persona(write_persona(persona), "f").persona == persona
    assert len({persona.name for persona in report.personas}) == len(report.personas)


@given(tree=voices)
def test_no_key_is_lost_unsaid(tree: dict[str, Any]) -> None:
    """Each has its row in the report."""
    report = imported(json.dumps(tree), "a.json")
    assert set(tree) <= {row.key for row in report.rows}


@given(
    text=st.text(max_size=200) | st.text("-:[]{}&*!<>|'\"\n ab0.", max_size=100),
    name=st.sampled_from(["a.json", "a.yaml", "a", "a.md"]),
)
def test_hostile_text_is_read_or_refused(text: str, name: str) -> None:
    """Bare, as front matter, and within an agent."""
    for whole in (text, f"---\n{text}\n---\nx", f"a:\n  role: b\n  {text}"):
        with suppress(PersonaRefused):
            assert import_text(whole, name).personas
