"""Agents of other tools, as objects of their files, made into personas. Pure.

Two kinds, told apart by their keys: CrewAI's agents (role, goal, backstory),
and characters (name, role, background, personality, biases, strengths,
weaknesses, speakingStyle).
"""

from __future__ import annotations

from typing import Any, Final

from parley.personas.draft import PersonaDraft, one_line, sentence
from parley.personas.errors import PersonaRefused
from parley.personas.persona import Persona

_CREW: Final = frozenset({"goal", "backstory"})
_TASK: Final = frozenset({"expected_output", "agent"})
_PROMPTS: Final = ("systemPrompt", "system_prompt", "prompt", "instructions", "system")
_DESCRIPTIONS: Final = ("description", "summary", "bio")
_ROLES: Final = ("role", "title", "profession", "occupation")
_INTERESTS: Final = ("interests", "expertise", "topics", "domains", "tags")
_TRAITS: Final = (  # of a character, in the order in which it is told
    ("background", "Where you come from"),
    ("backstory", "Where you come from"),
    ("goal", "What you want"),
    ("goals", "What you want"),
    ("personality", "What you are like"),
    ("traits", "What you are like"),
    ("values", "What you hold dear"),
    ("biases", "What you lean towards; allow for it"),
    ("strengths", "What you are good at"),
    ("weaknesses", "What you are not good at; say so when it matters"),
    ("speakingStyle", "How you speak"),
    ("speaking_style", "How you speak"),
    ("communicationStyle", "How you speak"),
    ("communication_style", "How you speak"),
)
_TELLING: Final = frozenset(
    {*(key for key, _ in _TRAITS), *_PROMPTS, *_DESCRIPTIONS, *_ROLES, "name", "id"}
)


def is_agent(value: Any) -> bool:
    """Whether `value` is an object that could be one agent."""
    return isinstance(value, dict) and not _TELLING.isdisjoint(value)


def convert_agent(name: str, tree: dict[str, Any], source: str) -> tuple[Persona, PersonaDraft]:
    """The persona `name` that `tree` describes, with the report. Raises `PersonaRefused`."""
    if set(tree) >= _TASK and "role" not in tree:
        raise PersonaRefused(source, "is a task; agents are in a file of their own, agents.yaml")
    if not is_agent(tree):
        raise PersonaRefused(
            source, "says nothing of whoever it is: no role, goal, background or description"
        )
    draft = PersonaDraft(name, tree, source)
    crew = not _CREW.isdisjoint(tree) and not draft.has("name") and not draft.has("id")
    return (_crew if crew else _character)(draft), draft


def _crew(draft: PersonaDraft) -> Persona:
    role = draft.text("role", "parley.display, description and the text")
    goal = draft.text("goal", "description and the text")
    story = draft.text("backstory", "the text")
    draft.take_display_name(role)
    description = ": ".join(part for part in (one_line(role), one_line(goal)) if part)
    draft.take_description(
        description or sentence(story), "role and goal" if description else "backstory"
    )
    draft.take_models("llm")
    draft.take_interests(*_INTERESTS)
    opening = [f"You are {one_line(role)}."] if role else []
    opening += [f"Your goal: {goal}"] if goal else []
    return draft.finish("\n\n".join([*opening, *([story] if story else [])]))


def _character(draft: PersonaDraft) -> Persona:
    name = one_line(draft.text("name", "name and parley.display") or draft.text("id", "name"))
    if draft.has("id"):
        draft.take("id", "name")
    role = _first(draft, _ROLES, "the text, and description where there is none")
    prompt = _first(draft, _PROMPTS, "the text")
    about = _first(draft, _DESCRIPTIONS, "description")
    traits = {key: draft.text(key, "the text") for key, _ in _TRAITS}
    draft.take_display_name(name)
    if about:
        draft.take_description(about)
    else:
        description = one_line(role) or sentence(
            prompt or next(filter(None, traits.values()), name)
        )
        draft.take_description(description or draft.name, "its role" if role else "its text")
    for key in ("model", "llm"):
        draft.take_models(key)
    draft.take_interests(*_INTERESTS)
    opening = ", ".join(part for part in (name, one_line(role)) if part)
    parts = [prompt or (f"You are {opening}." if opening else "")]
    if not any((prompt, role, *traits.values())):
        parts.append(about)
    for key, title in _TRAITS:
        if traits[key]:
            parts.append(f"{title}:{_below(traits[key])}")
    return draft.finish("\n\n".join(filter(None, parts)))


def _below(text: str) -> str:
    """Text of one line behind its title, of several below it."""
    return "\n" + text if "\n" in text or text.startswith("- ") else " " + text


def _first(draft: PersonaDraft, keys: tuple[str, ...], to: str) -> str:
    """The text of the first of `keys` that is there; the others stay."""
    for key in keys:
        if draft.has(key):
            return draft.text(key, to)
    return ""
