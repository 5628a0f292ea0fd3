"""One persona: a voice at the table, as its Markdown file describes it. Pure.

The shape is that of agent files elsewhere: YAML front matter with `name` and
`description`, the body the system prompt. What is Parley's own stands under one
`parley:` key; keys of others are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Budget:
    """What a persona may use up in one session; None: only the session's own limits hold."""

    turns: int | None = None
    tokens: int | None = None
    micros: int | None = None  # millionths of the currency


@dataclass(frozen=True, slots=True)
class Persona:
    """Who speaks and how; ratios are per mille.

    `model` is asked to speak and `eval_model` whether to: `large`, `small`, or
    the name of a model. `may` lists acts and capabilities; None: every act and
    no capability. `cooldown` in turns of others; None: the session's.
    """

    name: str
    description: str  # when it should speak
    body: str  # the system prompt
    display: str = ""
    model: str = "large"
    eval_model: str = "small"
    interests: tuple[str, ...] = ()
    reactivity: int = 0
    cooldown: int | None = None
    may: tuple[str, ...] | None = None
    vote_weight: int = 1
    budget: Budget = Budget()
    foreign: Mapping[str, Any] = field(default_factory=dict)  # keys of others, kept as they were
