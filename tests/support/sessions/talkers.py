"""What scripted agents answer in tests: functions of the request, by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Final

from parley.listeners.models.model_port import ModelError, ModelUnavailable, Prompt
from parley.personas.persona import Budget, Persona

Answer = Callable[[Prompt, Random], str | ModelError]

_WORDS: Final = (
    "latency", "cache", "queue", "budget", "rollout", "risk", "evidence", "customer", "schema",
    "replica", "deadline", "owner", "measure", "failure", "contract", "region", "backup", "token",
    "review", "margin", "signal", "lease", "shard", "index", "policy", "vendor", "draft", "quota",
)  # fmt: skip


def persona(name: str, *, budget: Budget | None = None, may: tuple[str, ...] | None = None,
            interests: tuple[str, ...] = ()) -> Persona:  # fmt: skip
    """A persona that says who it is and no more."""
    return Persona(
        name, f"{name} speaks when it has something to add.", f"You are {name}.",
        budget=budget or Budget(), may=may, interests=interests,
    )  # fmt: skip


def sentence(chance: Random, words: int = 12) -> str:
    """Words that nobody will take for a proposal."""
    return " ".join(chance.choice(_WORDS) for _ in range(words))


def bid(urgency: int = 1, intent: str = "answer", **more: object) -> str:
    return json.dumps({"act": "bid", "urgency": urgency, "intent": intent, **more})


def passed(*, ready: bool = False) -> str:
    return json.dumps({"act": "done" if ready else "pass"})


def eager(prompt: Prompt, chance: Random) -> str:
    """Always wants to speak, always as urgently, and says something of any length."""
    match prompt.purpose:
        case "evaluate":
            return bid()
        case "ballot":
            return json.dumps({"choice": ["accept"], "why": "fine"})
        case "grant":
            return json.dumps({"participant": ""})
    return sentence(chance, chance.randint(40, 150))


def quiet(prompt: Prompt, chance: Random) -> str:
    """Never wants to speak, and says nothing where it is asked to."""
    if prompt.purpose == "draft":
        return "(silent)"
    return passed() if prompt.purpose == "evaluate" else eager(prompt, chance)


def answer_once(prompt: Prompt, chance: Random) -> str:
    """Wants to speak once, then never again."""
    if prompt.purpose == "evaluate" and prompt.turn:
        return passed(ready=True)
    return eager(prompt, chance)


def moody(prompt: Prompt, chance: Random) -> str | ModelError:
    """Bids, passes, stays silent and fails, as the dice fall."""
    if chance.random() < 0.05:
        return ModelUnavailable("the dice say no")
    if prompt.purpose == "evaluate":
        return bid(chance.randint(0, 3)) if chance.random() < 0.6 else passed()
    if prompt.purpose == "draft" and chance.random() < 0.1:
        return "(silent)"
    return eager(prompt, chance)


ANSWERS: Final[dict[str, Answer]] = {
    "eager": eager, "quiet": quiet, "answer_once": answer_once, "moody": moody,
}  # fmt: skip
