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

from listeners.model import BadAnswer, Completion, Model, Prompt, Shape
from memory.text import clip, visible

QUOTED: Final = 200  # characters of an answer that an error may quote
_MOST: Final = 100_000  # characters of an answer that are looked at; a shape needs far fewer
_TRIES: Final = 100  # braces that an object may begin at
_THOUGHT: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)  # of models that reason aloud
_TAGGED: Final = re.compile(r"<json>(.*?)</json>", re.DOTALL)
_FENCED: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_KEPT: Final = frozenset(  # of a schema, what endpoints that hold answers to one agree on
    {
        "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "anyOf", "$ref", "$defs", "description",
    }
)  # fmt: skip

_Value = TypeVar("_Value", bound=BaseModel)


async def ask(model: Model, prompt: Prompt, shape: type[_Value]) -> tuple[_Value, Completion]:
    """The value that `model` answers `prompt` with, and the completion that it stood in.

    Raises `ModelError`; a `BadAnswer` carries the completion, which is paid for
    all the same.
    """
    answer = await model.complete(replace(prompt, shape=shape_of(shape)))
    try:
        return parsed(answer.text, shape), answer
    except BadAnswer as error:
        why = "the answer was cut off" if answer.cut else str(error)
        raise BadAnswer(why, answer) from None


def parsed(text: str, shape: type[_Value]) -> _Value:
    """The one object of `shape` that stands in `text`. Raises `BadAnswer`."""
    wrong = ""
    for candidate in _candidates(_THOUGHT.sub("", text[:_MOST])):
        try:
            return shape.model_validate(candidate)
        except ValidationError as error:
            wrong = wrong or _first_wrong(error)
    if wrong:
        raise BadAnswer(f"no {shape.__name__}: {wrong}")
    quoted = clip(visible(text), QUOTED - len("no JSON object in ") - len(shape.__name__))
    raise BadAnswer(f"no JSON object in {quoted!r}")


def _candidates(text: str) -> Iterator[dict[str, Any]]:
    """The objects in `text`, from where they are most likely meant to where they may stand."""
    places = [*reversed(_TAGGED.findall(text)), *reversed(_FENCED.findall(text)), text]
    for place in places:
        yield from _objects(place)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost objects that stand in `text`."""
    decoder = json.JSONDecoder(strict=False)  # models put line feeds into strings as they are
    start = text.find("{")
    for _ in range(_TRIES):
        if start < 0:
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield found
        start = text.find("{", end)


def _first_wrong(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return clip(visible(f"{where}: {first['msg']}" if where else first["msg"]), QUOTED)


@cache
def shape_of(value: type[BaseModel]) -> Shape:
    """The shape of `value`, as endpoints want it: every object closed, every field required."""
    return Shape(value.__name__, _strict(value.model_json_schema()))


def _strict(schema: Any) -> Any:
    """`schema` without what says less than endpoints want or more than they take."""
    if isinstance(schema, list):
        return [_strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _inner(key, value) for key, value in schema.items() if key in _KEPT}
    if "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept


def _inner(key: str, value: Any) -> Any:
    if key in ("properties", "$defs"):  # names, and what stands under each
        return {name: _strict(one) for name, one in value.items()}
    return _strict(value)
