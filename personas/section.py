"""One mapping of a file, read key by key: what a key may hold, and where it stands. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

from parley.personas.errors import PersonaRefused
from parley.personas.front_matter import Path, Place


@dataclass(frozen=True, slots=True)
class Section:
    """The mapping at path `at` of the file `source`. All of it raises `PersonaRefused`.

    A key without a value is one that is not there.
    """

    tree: Mapping[str, Any]
    places: Mapping[Path, Place]
    source: str
    at: Path = ()

    def line(self, key: str) -> int | None:
        """The line number of `key`, from 1; None where it is not known."""
        place = self.places.get((*self.at, key))
        return None if place is None else place.line

    def refuse(self, key: str, takes: str) -> NoReturn:
        """Raises `PersonaRefused` for the value of `key`; `takes` says which values it may have."""
        value = _shown(self.tree.get(key))
        name = ".".join(map(str, (*self.at, key)))
        raise PersonaRefused(self.source, f"{name} takes {takes}, not {value}", self.line(key))

    def section(self, key: str) -> Section:
        """The mapping that `key` holds; an empty one where it is not there."""
        value = self.tree.get(key)
        if value is not None and not isinstance(value, dict):
            self.refuse(key, "keys below it")
        return Section(value or {}, self.places, self.source, (*self.at, key))

    def text(self, key: str, most: int) -> str:
        """Text without white space around it; "" where it is not there."""
        value = self.tree.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.refuse(key, "text: put it in quotes")
        if len(value) > most:
            self.refuse(key, f"text of at most {most} characters")
        return value.strip()

    def texts(self, key: str, most: int, each: int) -> tuple[str, ...] | None:
        """A list of text, each once, in its order; None where it is not there."""
        value = self.tree.get(key)
        if value is None:
            return None
        takes = f"a list of at most {most} texts of 1 to {each} characters, [one, two]"
        if not isinstance(value, list) or len(value) > most:
            self.refuse(key, takes)
        for item in value:
            if not isinstance(item, str) or not 0 < len(item.strip()) <= each:
                self.refuse(key, takes)
        return tuple(dict.fromkeys(item.strip() for item in value))

    def whole(self, key: str, most: int) -> int | None:
        """A whole number from 0."""
        value = self.tree.get(key)
        if value is None:
            return None
        if type(value) is not int or not 0 <= value <= most:
            self.refuse(key, f"a whole number from 0 to {most}")
        return int(value)

    def parts(self, key: str, most: int, scale: int) -> int | None:
        """A number from 0 to `most` as a whole number of 1/`scale`, rounded."""
        value = self.tree.get(key)
        if value is None:
            return None
        if type(value) not in (int, float) or not 0 <= value <= most:
            self.refuse(key, f"a number from 0 to {most}")
        return int((Decimal(repr(value)) * scale).to_integral_value())


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "keys of its own"
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
