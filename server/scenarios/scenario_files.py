"""Scenario files: found by name or path, read, and refused in one line where they are wrong."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path as FilePath
from types import UnionType
from typing import Annotated, Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from parley.bus.entries.fields import nearest
from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import Path, Place
from parley.personas.front_matter import parse_front_matter as load_yaml
from parley.server.basics.errors import Misuse
from parley.server.scenarios.scenario import Scenario

MAX_BYTES: Final = 1_048_576  # a hundred times a long scenario with its script
_TAGS: Final = ("named", "written")  # of the two ways to name a persona; no keys of a file
Loc = Sequence[int | str]


def bundled() -> dict[str, str]:
    """The text of each scenario that comes with Parley, by name, in alphabetical order."""
    folder = resources.files("parley.server") / "data" / "scenarios"
    files: Iterable[resources.abc.Traversable] = folder.iterdir()
    texts = {
        file.name.removesuffix(".yaml"): file.read_text(encoding="utf-8")
        for file in files
        if file.name.endswith(".yaml")
    }
    return dict(sorted(texts.items()))


def is_path(name: str) -> bool:
    """Whether `name` is that of a file: it has a slash, or ends as a YAML file does."""
    return "/" in name or name.endswith((".yaml", ".yml"))


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario, the name of its file, and where in that each key is."""

    scenario: Scenario
    source: str
    places: Mapping[Path, Place]

    def refusal(self, reason: str, *loc: int | str) -> Misuse:
        """The error that `reason` is of what stands at `loc`, or of the file."""
        named = f"{_key_path(loc)}: " if loc else ""
        return Misuse(f"{_where(self.source, self.places, loc)}: {named}{reason}")


def load(name: str) -> ScenarioFile:
    """The scenario in the file `name`, or the bundled one of that name.

    Raises `Misuse`: one line with the file, the line where it is known, the key
    and what it takes.
    """
    if is_path(name):
        return parse(text_of(FilePath(name)), name)
    known = bundled()
    if name not in known:
        raise Misuse(f"{unknown(name)}; a file's name has a slash or ends in .yaml")
    return parse(known[name], f"{name}.yaml")


def unknown(name: str) -> str:
    """The error that no scenario is called so: which is meant, or which there are."""
    known = bundled()
    near = nearest(name, known)
    advice = f"the nearest is {near!r}" if near else f"there are {', '.join(known)}"
    return f"no scenario is called {name!r}; {advice}"


def parse(text: str, source: str) -> ScenarioFile:
    """The scenario that `text` describes. Raises `Misuse`, which names `source`."""
    try:
        tree, places = load_yaml(text, source)
    except PersonaRefused as refused:
        raise Misuse(str(refused)) from None
    try:
        return ScenarioFile(Scenario.model_validate(tree), source, places)
    except ValidationError as refused:
        first = _likeliest(refused)
        loc = [step for step in first["loc"] if step not in _TAGS]
        reason = _reason(first["type"], first["msg"], loc)
        raise Misuse(f"{_where(source, places, loc)}: {_key_path(loc)}: {reason}") from None


def _where(source: str, places: Mapping[Path, Place], loc: Loc) -> str:
    """The file, with line and column of the innermost of `loc` that is there."""
    within = (tuple(loc[:end]) for end in range(len(loc), 0, -1))
    place = next((places[path] for path in within if path in places), None)
    return source if place is None else f"{source}:{place.line}:{place.column}"


def _likeliest(refused: ValidationError) -> ErrorDetails:
    """The mistake to tell first: a misspelled key often is why another is missing."""
    errors = refused.errors(include_url=False, include_context=False, include_input=False)
    return next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])


def _key_path(loc: Loc) -> str:
    """A place in a file as one writes it: participants[2].budget.turns."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return path.removeprefix(".") or "the file"


def _reason(kind: str, message: str, loc: Loc) -> str:
    if kind == "extra_forbidden":
        known = _fields_at(Scenario, loc[:-1])
        near = nearest(str(loc[-1]), known)
        meant = f"is {near!r} meant? " if near else ""
        return f"there is no such key; {meant}it takes {', '.join(known)}"
    if kind == "missing":
        return "it must be there"
    return message


def _fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that may stand at `loc` below `model`, as a file spells them."""
    node: type[BaseModel] | None = model
    for step in loc:
        if isinstance(step, int) or node is None:
            continue
        below = next(
            (info for name, info in node.model_fields.items() if step in (name, info.alias)), None
        )
        if below is None:
            continue  # a name within a mapping: its model was taken already
        node = _model_in(below.annotation)
    return [] if node is None else [i.alias or name for name, i in node.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that values of `annotation` are, or are made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    origin = typing.get_origin(annotation)
    if origin in (Annotated, typing.Union, UnionType, tuple, dict):
        inside = (_model_in(model) for model in typing.get_args(annotation))
        return next((model for model in inside if model is not None), None)
    return None


def text_of(path: FilePath) -> str:
    """The text of a scenario file. Raises `Misuse`, naming the line where it is not UTF-8."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Misuse(f"cannot read {str(path)!r}: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise Misuse(f"{path}: larger than {MAX_BYTES} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Misuse(f"{path}:{line}: not UTF-8: {error.reason} at byte {error.start}") from None
