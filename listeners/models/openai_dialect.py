"""What an endpoint understands of OpenAI's protocol, learned from what it refuses. Pure.

A call begins with everything that helps: an answer held to a JSON Schema, the
usage of a stream, a temperature. Whoever refuses a parameter by name is asked
without it: a schema becomes "some JSON object", and that a plain request to put
the object between tags. Each step goes down, so there are few of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import orjson

from parley.listeners.models.model_port import AnswerSchema, Prompt, error_kind

Rung = Literal["json_schema", "json_object", "tagged"]
_BELOW: Final[dict[Rung, Rung]] = {"json_schema": "json_object", "json_object": "tagged"}

_STATUS: Final = frozenset({400, 404, 422, 501})
# As refused by OpenAI, Azure, Mistral and DeepSeek (response_format), Groq ("response
# format `json_schema`"), vLLM (guided_json), routers ("the requested parameters").
_RUNG_WORDS: Final = re.compile(
    r"response[_ ]?format|json[_ ]?(?:schema|object|mode)|guided|structured[_ ]output|grammar"
    r"|requested parameters",
    re.IGNORECASE,
)
_GRAMMAR_WORDS: Final = re.compile(r"json schema conversion|grammar", re.IGNORECASE)
# Of this schema or this answer, not of the endpoint: OpenAI, Groq.
_ONCE_WORDS: Final = re.compile(
    r"invalid schema|invalid_json_schema|json_validate_failed", re.IGNORECASE
)
_USAGE_WORDS: Final = re.compile(r"stream_options|include_usage", re.IGNORECASE)
_TEMPERATURE_WORDS: Final = re.compile(r"\btemperature\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is sent to one model; it starts from everything."""

    rung: Rung = "json_schema"
    usage: bool = True  # asked for, of a stream
    temperature: bool = True
    room: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an endpoint said to a call that it did not take."""

    status: int
    message: str
    code: str | None = None
    type: str | None = None
    param: str | None = None


def simplify(dialect: Dialect, refused: Refusal, prompt: Prompt, *, stream: bool) -> Dialect | None:
    """The dialect to ask in next; None where the refusal is not of a parameter."""
    text = f"{refused.param} {refused.code} {refused.message}"
    if error_kind(refused.status, refused.code, refused.type, refused.message) == "overflow":
        return None
    if prompt.shape is not None and dialect.rung in _BELOW and _is_of_the_rung(refused, text):
        return replace(dialect, rung=_BELOW[dialect.rung])
    if refused.status not in _STATUS:
        return None
    if stream and dialect.usage and _USAGE_WORDS.search(text):
        return replace(dialect, usage=False)
    if dialect.room == "max_tokens" and "max_completion_tokens" in text:
        return replace(dialect, room="max_completion_tokens")
    if dialect.temperature and _TEMPERATURE_WORDS.search(text):
        return replace(dialect, temperature=False)
    return None


def is_permanent(refused: Refusal) -> bool:
    """True where the refusal holds for the model, not just for one schema or one answer."""
    return _ONCE_WORDS.search(f"{refused.code} {refused.message}") is None


def _is_of_the_rung(refused: Refusal, text: str) -> bool:
    if refused.status == 500:  # llama.cpp, of a schema that it cannot turn into a grammar
        return _GRAMMAR_WORDS.search(text) is not None
    if refused.status not in _STATUS:
        return False
    return _RUNG_WORDS.search(text) is not None or _ONCE_WORDS.search(text) is not None


def request_arguments(
    dialect: Dialect, prompt: Prompt, model: str, temperature: float | None, *, stream: bool
) -> dict[str, Any]:
    """The request for `prompt`, as the client takes it."""
    request: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user + _instruction(dialect, prompt.shape)},
        ],
        dialect.room: prompt.max_tokens,
        "stream": stream,
    }
    if temperature is not None and dialect.temperature:
        request["temperature"] = temperature
    if stream and dialect.usage:
        request["stream_options"] = {"include_usage": True}
    if prompt.shape is not None and dialect.rung != "tagged":
        request["response_format"] = _format(dialect.rung, prompt.shape)
    return request


def _format(rung: Rung, shape: AnswerSchema) -> dict[str, Any]:
    if rung == "json_object":
        return {"type": "json_object"}
    schema = {"name": shape.name, "strict": True, "schema": dict(shape.schema)}
    return {"type": "json_schema", "json_schema": schema}


def _instruction(dialect: Dialect, shape: AnswerSchema | None) -> str:
    """What the prompt itself must say where no parameter does."""
    if shape is None or dialect.rung == "json_schema":
        return ""
    schema = orjson.dumps(dict(shape.schema)).decode()
    where = "" if dialect.rung == "json_object" else " between <json> and </json>"
    return f"\n\nAnswer with one JSON object{where}, of this JSON Schema:\n{schema}"
