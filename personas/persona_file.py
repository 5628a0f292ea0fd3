"""A persona from its file: its keys are checked, misspelled ones reported. Pure.

docs/personas.md is the page of the format. What is wrong is refused by file,
line and key; what is merely odd is a remark, and the persona stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from parley.bus.entries import ACTS
from parley.bus.entries.fields import nearest
from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import FrontMatter, split
from parley.personas.persona import Budget, Persona
from parley.personas.section import Section

CAPABILITIES: Final = (
    "grant", "mute", "pause", "phase", "vote", "close", "interrupt", "moderate",
)  # fmt: skip
NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
SERVER: Final = "parley"  # the server's own voice; no seat may be called so

MAX_DESCRIPTION: Final = 4000
MAX_DISPLAY: Final = 128
MAX_INTERESTS: Final = 64
MAX_INTEREST: Final = 64
_MAX_WEIGHT: Final = 1_000_000
_MAX_COUNT: Final = 10**15  # of turns and tokens
_MAX_COST: Final = 1_000_000  # of the currency
SIZES: Final = {"sonnet": "large", "opus": "large", "haiku": "small"}  # as other tools say them
_LONG_BODY: Final = 8000  # characters, about 2,000 tokens: sent with every call
MODEL: Final = re.compile(r"[!-~]{1,200}")  # what an endpoint calls a model

_KEYS: Final = ("name", "description", "model", "parley")
_OURS: Final = (
    "display", "eval_model", "interests", "reactivity", "cooldown_turns", "may", "vote_weight",
    "budget",
)  # fmt: skip
_BUDGET: Final = ("turns", "tokens", "cost")
# Keys of other tools that look like one of ours misspelled, and are not.
_OTHERS: Final = frozenset({"mode", "models", "modes", "nickname", "namespace", "tags"})
_NEAR: Final = 0.75  # `descripton`, `modle`, `intrests`; not `version` or `tools`


@dataclass(frozen=True, slots=True)
class Remark:
    """Something odd that a file says; `line` where it is known."""

    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class PersonaReading:
    """A persona, and remarks for its author."""

    persona: Persona
    warnings: tuple[Remark, ...] = ()


def parse_persona(text: str, source: str) -> PersonaReading:
    """The persona that `text` describes. Raises `PersonaRefused`, which names `source`."""
    return persona_of(split(text, source), source)


def persona_of(matter: FrontMatter, source: str) -> PersonaReading:
    """The persona of a file that was split."""
    top = Section(matter.tree, matter.places, source)
    ours = top.section("parley")
    budget = ours.section("budget")
    if not matter.body:
        raise PersonaRefused(source, "has no text under its front matter: what the model is told")
    persona = Persona(
        name=_name(top),
        description=_required(top, "description", MAX_DESCRIPTION),
        body=matter.body,
        display=ours.text("display", MAX_DISPLAY),
        model=_model(top, "model", "large"),
        eval_model=_model(ours, "eval_model", "small"),
        interests=ours.texts("interests", MAX_INTERESTS, MAX_INTEREST) or (),
        reactivity=ours.parts("reactivity", 1, 1000) or 0,
        cooldown=ours.whole("cooldown_turns", _MAX_COUNT),
        may=_may(ours),
        vote_weight=_weight(ours),
        budget=Budget(
            budget.whole("turns", _MAX_COUNT),
            budget.whole("tokens", _MAX_COUNT),
            budget.parts("cost", _MAX_COST, 1_000_000),
        ),
        foreign={key: value for key, value in matter.tree.items() if key not in _KEYS},
    )
    return PersonaReading(persona, tuple(_remarks(top, ours, budget, persona)))


def _required(top: Section, key: str, most: int) -> str:
    text = top.text(key, most)
    if text:
        return text
    near = nearest(key, set(top.tree) - set(_KEYS), _NEAR)
    advice = f"; is {near!r} meant to be it?" if near else ""
    line = top.line(near or key)
    raise PersonaRefused(top.source, f"has no {key}{advice}", 1 if line is None else line)


def _name(top: Section) -> str:
    name = _required(top, "name", 1000)
    if NAME.fullmatch(name) is None:
        top.refuse("name", "1 to 64 small letters, digits and dashes, no dash first")
    if name == SERVER:
        top.refuse("name", "any name but that of the server")
    return name


def _model(section: Section, key: str, default: str) -> str:
    model = section.text(key, 1000)
    if model in ("", "inherit"):
        return default
    if MODEL.fullmatch(model) is None:
        section.refuse(key, "inherit, small, large, or the name of a model")
    return model


def _may(ours: Section) -> tuple[str, ...] | None:
    may = ours.texts("may", 64, 64)
    for word in may or ():
        if word not in ACTS and word not in CAPABILITIES:
            near = nearest(word, (*ACTS, *CAPABILITIES))
            meant = f"is {near!r} meant? " if near else ""
            reason = (
                f"parley.may: {word!r} is neither act nor capability; {meant}Acts: "
                f"{', '.join(ACTS)}. Capabilities: {', '.join(CAPABILITIES)}"
            )
            raise PersonaRefused(ours.source, reason, ours.line("may"))
    return may


def _weight(ours: Section) -> int:
    weight = ours.whole("vote_weight", _MAX_WEIGHT)
    return 1 if weight is None else weight


def _remarks(top: Section, ours: Section, budget: Section, persona: Persona) -> Iterable[Remark]:
    for key in persona.foreign:
        yield from _misplaced(top, key)
    for section, known_keys in ((ours, _OURS), (budget, _BUDGET)):
        for key in section.tree:
            if key not in known_keys:
                yield _unknown(section, key, known_keys)
    if persona.may is not None and not set(persona.may) & set(ACTS):
        yield Remark(ours.line("may"), "parley.may names no act, so none is allowed; add some")
    for section, key in ((top, "model"), (ours, "eval_model")):
        model = section.tree.get(key)
        if model in SIZES:
            advice = f"write {SIZES[model]} for the size that was meant"
            yield Remark(section.line(key), f"{model!r} is asked for by that name; {advice}")
    if len(persona.body) > _LONG_BODY:
        size = len(persona.body)
        yield Remark(None, f"its text has {size} characters, which every call of a model pays for")


def _misplaced(top: Section, key: str) -> Iterable[Remark]:
    """A remark where a key of others looks like one of ours."""
    if key in _OTHERS:
        return
    if key in _OURS:
        yield Remark(top.line(key), f"{key!r} stands below 'parley:'; here it is not read")
        return
    near = nearest(key, _KEYS, _NEAR)
    if near is None:
        near = nearest(key, _OURS, _NEAR)
        near = f"parley: {near}" if near else None
    if near is not None:
        yield Remark(top.line(key), f"{key!r} is not read; is {near!r} meant?")


def _unknown(section: Section, key: str, known_keys: Iterable[str]) -> Remark:
    known_keys = tuple(known_keys)
    near = nearest(key, known_keys)
    advice = f"is {near!r} meant?" if near else f"known are {', '.join(known_keys)}"
    name = ".".join(map(str, (*section.at, key)))
    return Remark(section.line(key), f"{name!r} is not read; {advice}")
