"""Ask a model for a value instead of prose, and read what it says leniently.

A model held to a schema answers with the object alone; others put it in a code
fence, between tags or among words. Any of these is read, as long as one object
of the wanted shape stands there. Nothing is mended: an object that is no JSON,
or of another shape, is `BadAnswer`, which names what is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.listeners.models.model_port import AnswerSchema, BadAnswer, Completion, Model, Prompt
from parley.listeners.models.reasoning import strip_reasoning
from parley.memory.text.fences import escape_invisible
from parley.memory.text.plain_text import clip

QUOTED: Final = 200  # characters of an answer that an error may quote
_MOST: Final = 20_000  # characters of an answer that are looked at; a shape needs far fewer
_TRIES: Final = 100  # braces that an object may begin at
_TAGGED: Final = re.compile(r"<json>(.*?)</json>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_BRACE: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|[{}]')  # or a string, with whatever braces
_KEPT: Final = frozenset(  # of a schema, what endpoints that hold answers to one agree on
    {
        "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "anyOf", "$ref", "$defs", "description", "maxLength",
    }
)  # fmt: skip

_Value = TypeVar("_Value", bound=BaseModel)


async def ask_for(
    model: Model, prompt: Prompt, shape: type[_Value], *, part: bool = False
) -> tuple[_Value, Completion]:
    """The value that `model` answers `prompt` with, and the completion that it stood in.

    Raises `ModelError`; a `BadAnswer` carries the completion, which is paid for
    all the same. With `part` an answer that was cut off counts as far as it goes, where
    that is of the shape.
    """
    answer = await model.complete(replace(prompt, shape=schema_of(shape)))
    try:
        return parse_answer(answer.text, shape), answer
    except BadAnswer as error:
        value = _parse_beginning(answer.text, shape) if part and answer.cut else None
        if value is not None:
            return value, answer
        why = "the answer was cut off" if answer.cut else str(error)
        raise BadAnswer(why, answer) from None


def parse_answer(text: str, shape: type[_Value]) -> _Value:
    """The one object of `shape` that stands in `text`. Raises `BadAnswer`."""
    fault = ""
    for place in _places(strip_reasoning(text)[:_MOST]):
        values: list[_Value] = []
        for data in _objects(place):
            try:
                value = shape.model_validate(data)
            except ValidationError as error:
                fault = fault or _first_error(error)
            else:
                values += [value] * (value not in values)
        if len(values) > 1:
            raise BadAnswer(f"{len(values)} different objects of {shape.__name__}")
        if values:
            return values[0]
    if fault:
        raise BadAnswer(f"no {shape.__name__}: {fault}")
    raise BadAnswer(f"no JSON object in {clip(escape_invisible(text), QUOTED // 2)!r}")


def _parse_beginning(text: str, shape: type[_Value]) -> _Value | None:
    """The object that `text` breaks off in; None where its beginning is not of `shape`."""
    _, brace, rest = strip_reasoning(text)[:_MOST].partition("{")
    try:
        data = from_json(brace + rest, allow_partial="trailing-strings")
        return shape.model_validate(replace_lone_surrogates(data))
    except ValueError:
        return None


def _places(text: str) -> Iterator[str]:
    """Parts of `text`, from where an object is most likely meant to where one may stand."""
    yield from reversed(_TAGGED.findall(text))
    yield from reversed(_FENCED.findall(text))
    yield text


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost objects that stand in `text`.

    What is within braces that hold no JSON is none of them: the part of a
    broken answer is not the answer.
    """
    decoder = json.JSONDecoder(strict=False)  # models put line feeds into strings as they are
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
            yield replace_lone_surrogates(value)
        except (ValueError, RecursionError):
            end = _end_of_braces(text, start)
        start = text.find("{", end)


def _end_of_braces(text: str, start: int) -> int:
    """The index after the brace that closes the one at `start`; the end where none does."""
    depth = 0
    for token in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)


def _first_error(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return clip(escape_invisible(f"{where}: {first['msg']}" if where else first["msg"]), QUOTED)


@cache
def schema_of(value: type[BaseModel]) -> AnswerSchema:
    """The shape of `value`, as endpoints want it: every object closed, every field required."""
    return AnswerSchema(value.__name__, _strict_schema(value.model_json_schema()))


def _strict_schema(schema: Any) -> Any:
    """`schema` without what says less than endpoints want or more than they take."""
    if isinstance(schema, list):
        return [_strict_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict_value(key, value) for key, value in schema.items() if key in _KEPT}
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict


def _strict_value(key: str, value: Any) -> Any:
    if key in ("properties", "$defs"):  # names, and what stands under each
        return {name: _strict_schema(schema) for name, schema in value.items()}
    return _strict_schema(value)
