"""What an endpoint understands of OpenAI's protocol, learned from what it refuses. Pure.

A call begins with everything that helps: an answer held to a JSON Schema, the
usage of a stream, a temperature. Whoever refuses a parameter by name is asked
without it: a schema becomes "some JSON object", and that a plain request to put
the object between tags. Each step goes down, so there are few of them. Whoever takes
a parameter and does not keep to it says nothing: that is seen by the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import orjson

from parley.listeners.models.model_port import AnswerSchema, Completion, Prompt, error_kind

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
# Keywords that OpenAI, Azure and Anthropic's gateways refuse by name where a schema is strict.
_LENGTHS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_LENGTH_WORDS: Final = re.compile(rf"\b(?:{'|'.join(sorted(_LENGTHS))})\b")
_USAGE_WORDS: Final = re.compile(r"stream_options|include_usage", re.IGNORECASE)
# Gemini ("Developer instruction is not enabled"), templates of Gemma and early Mistral models.
_SYSTEM_WORDS: Final = re.compile(
    r"system (?:role|message|prompt|instruction)s?\b.{0,40}\b(?:not|un)|developer instruction"
    r"|only user(?:,| and) assistant",
    re.IGNORECASE,
)
# OpenAI ("max_tokens is too large: 16000. This model supports at most 4096 completion
# tokens"), vLLM ("… is too large: …. This model's maximum context length is 8192 tokens and
# your request has 300 input tokens"), OpenAI of old ("(300 in the messages, 16000 in the
# completion)"), Anthropic's gateways ("max_tokens: 16000 > 8192", "input length and
# `max_tokens` exceed context limit: 300 + 16000 > 8192").
_ROOM_WORDS: Final = re.compile(
    r"max_(?:completion_)?tokens\W{0,3}(?:\s*or\W{0,3}max_completion_tokens\W{0,3})?"
    r"(?:is too (?:large|high|big)|must be|\d+ >)|invalid max_tokens|in the completion\)"
    r"|exceed context limit",
    re.IGNORECASE,
)
_MOST: Final = re.compile(
    r"(?:at most|tokens: \d+ >|less than(?: or equal to)?|<=?|between 1 and|\[1,) ?`?(\d+)",
    re.IGNORECASE,
)
_WINDOW: Final = re.compile(
    r"(?:context (?:length|window|size)\D{0,40}|context limit: \d+ \+ \d+ > )(\d+)", re.IGNORECASE
)
_INPUT: Final = re.compile(
    r"(\d+) (?:input tokens|in the messages|prompt tokens|\+ \d+ >)", re.IGNORECASE
)
_LEAST_ROOM: Final = 64  # tokens of an answer: for less it is not asked

_TEMPERATURE_WORDS: Final = re.compile(r"\btemperature\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is sent to one model; it starts from everything."""

    rung: Rung = "json_schema"
    lengths: bool = True  # bounded, in a schema
    usage: bool = True  # asked for, of a stream
    temperature: bool = True
    room: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    most: int | None = None  # tokens of an answer that it takes
    system: bool = True  # a role of its own for what the system says


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
    if refused.status in _STATUS and (most := _smaller_room(dialect, refused, prompt)):
        return replace(dialect, most=most)
    if error_kind(refused.status, refused.code, refused.type, refused.message) == "overflow":
        return None
    if prompt.shape is not None and _is_of_lengths(dialect, refused):
        return replace(dialect, lengths=False)
    if prompt.shape is not None and dialect.rung in _BELOW and _is_of_the_rung(refused, text):
        return replace(dialect, rung=_BELOW[dialect.rung])
    if dialect.system and refused.status in (*_STATUS, 500) and _SYSTEM_WORDS.search(text):
        return replace(dialect, system=False)
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
    """True where the refusal holds for the model, not just for one schema, question or answer."""
    if _LENGTH_WORDS.search(refused.message) is not None:
        return True
    text = f"{refused.code} {refused.message}"
    return _ONCE_WORDS.search(text) is None and _INPUT.search(text) is None


def ignores_format(dialect: Dialect, prompt: Prompt, answer: Completion) -> bool:
    """True where an answer that was to be held to a shape is prose: the endpoint took no notice."""
    shaped = prompt.shape is not None and dialect.rung in _BELOW
    return shaped and not answer.cut and bool(answer.text) and "{" not in answer.text


def _smaller_room(dialect: Dialect, refused: Refusal, prompt: Prompt) -> int | None:
    """Tokens of an answer that the endpoint has room for; None where it speaks of other things."""
    if _ROOM_WORDS.search(refused.message) is None:
        return None
    asked = min(prompt.max_tokens, dialect.most or prompt.max_tokens)
    window, given = _WINDOW.search(refused.message), _INPUT.search(refused.message)
    if window and given:
        most = int(window[1]) - int(given[1])
    else:
        stated = _MOST.search(refused.message)
        most = int(stated[1]) if stated else asked // 2
    return most if _LEAST_ROOM <= most < asked else None


def _is_of_lengths(dialect: Dialect, refused: Refusal) -> bool:
    asked = dialect.lengths and dialect.rung == "json_schema" and refused.status in _STATUS
    return asked and _LENGTH_WORDS.search(refused.message) is not None


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
        "messages": _messages(dialect, prompt),
        dialect.room: min(prompt.max_tokens, dialect.most or prompt.max_tokens),
        "stream": stream,
    }
    if temperature is not None and dialect.temperature:
        request["temperature"] = max(temperature, prompt.least_temperature)
    if stream and dialect.usage:
        request["stream_options"] = {"include_usage": True}
    if prompt.shape is not None and dialect.rung != "tagged":
        request["response_format"] = _format(dialect, prompt.shape)
    return request


def _messages(dialect: Dialect, prompt: Prompt) -> list[dict[str, str]]:
    user = prompt.user + _instruction(dialect, prompt.shape)
    if not dialect.system:
        return [{"role": "user", "content": f"{prompt.system}\n\n{user}"}]
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": user}]


def _format(dialect: Dialect, shape: AnswerSchema) -> dict[str, Any]:
    if dialect.rung == "json_object":
        return {"type": "json_object"}
    schema = shape.schema if dialect.lengths else _without_lengths(shape.schema)
    wanted = {"name": shape.name, "strict": True, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": wanted}


def _without_lengths(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_lengths(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _without_lengths(item) for key, item in schema.items() if key not in _LENGTHS}


def _instruction(dialect: Dialect, shape: AnswerSchema | None) -> str:
    """What the prompt itself must say where no parameter does."""
    if shape is None or dialect.rung == "json_schema":
        return ""
    schema = orjson.dumps(dict(shape.schema)).decode()
    where = "" if dialect.rung == "json_object" else " between <json> and </json>"
    return f"\n\nAnswer with one JSON object{where}, of this JSON Schema:\n{schema}"
