"""The fields of JSON that a reader takes over, and those of a row that it does not know.

A reader says once what it knows; whatever else a row holds is counted by name
(`EntryCollector.leave_fields`), so that nothing of a file is lost without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})  # says as much as a field that is not there
_LONGEST: Final = 60  # characters of a name; one above is no name that a person reads


@dataclass(frozen=True, slots=True)
class KnownFields:
    """Names of fields, and for those that hold objects (or lists of them) what is known there."""

    names: frozenset[str]
    inner: Mapping[str, KnownFields]

    def unknown(self, row: Mapping[str, Any], within: str = "") -> Iterator[str]:
        """The dotted names of the fields that hold something and are not known, in their order."""
        if not row.keys() <= self.names:
            for name, value in row.items():
                if name not in self.names and value not in _EMPTY:
                    yield within + name[:_LONGEST]
        for name, known in self.inner.items():
            value = row.get(name)
            for each in value if isinstance(value, list) else (value,):
                if isinstance(each, dict):
                    yield from known.unknown(each, f"{within}{name}.")


def known_fields(names: str, **inner: KnownFields) -> KnownFields:
    """What is known of an object: `names` parted by blanks, and the objects within it."""
    return KnownFields(frozenset(names.split()) | inner.keys(), inner)
