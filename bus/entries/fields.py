"""What the fields of entries hold: names, texts, references, times.

`EntryModel` is what every kind is built on: frozen, versioned by `v`, and with the
publisher's own time in `at`. What is wrong with a field is told by `describe_fault`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

MAX_CONTENT_BYTES: Final = 1_048_576  # a pasted log fits; a pasted disk image does not

Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"\S")]
Content = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Ref = Annotated[
    str, StringConstraints(pattern=r"^([PD][1-9][0-9]{0,8}|M[1-9][0-9]{0,8}(\.[1-9][0-9]?)?)$")
]
EpisodeRef = Annotated[str, StringConstraints(pattern=r"^E[1-9][0-9]{0,8}$")]
_LONGEST: Final = 100  # characters of a word that are compared
_QUOTED: Final = re.compile(r"'([^']*)'")
# What people call acts, which are no acts: told in errors alone.
_EVERYDAY: Final = {
    "agree": "support", "approve": "support", "disagree": "oppose", "object": "oppose",
    "suggest": "propose", "recommend": "propose",
}  # fmt: skip
_OF_LISTS: Final = frozenset({"list_type", "tuple_type"})
_OF_CHOICES: Final = frozenset({"literal_error", "enum"})


class EntryModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    v: Literal[1] = 1
    at: str | None = None  # RFC 3339 as the publisher gave it; shown, never compared
    at_text: str | None = None  # the original, where it was not RFC 3339

    @model_validator(mode="before")
    @classmethod
    def _keep_odd_times_as_text(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("at") is not None:
            at = data["at"]
            if isinstance(at, datetime):
                at = at.isoformat()
            if not is_rfc3339(str(at)):
                data = {**data, "at": None, "at_text": data.get("at_text") or str(at)}
            else:
                data = {**data, "at": str(at)}
        return data


def is_rfc3339(text: str) -> bool:
    """True for a full date-time with an offset, such as 2026-01-31T09:30:00Z."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text and moment.tzinfo is not None


def nearest(word: str, choices: Iterable[str], alike: float = 0.6) -> str | None:
    """The choice that `word` was most likely meant to be; None where none is near."""
    from difflib import get_close_matches  # few calls have a misspelling

    close = get_close_matches(word[:_LONGEST], list(choices), n=1, cutoff=alike)
    return close[0] if close else None


def suggest(word: object, choices: Iterable[str]) -> str:
    """`; did you mean 'support'?`; empty where none of `choices`, in small letters, is near."""
    known = list(choices)
    if not isinstance(word, str):
        return ""
    meant = _EVERYDAY.get(word.casefold())
    near = meant if meant in known else nearest(word.casefold(), known)
    return "" if near is None else f"; did you mean {near!r}?"


def describe_fault(error: Mapping[str, Any]) -> str:
    """What a model says of a field, and of a misspelt choice the nearest one.

    `error` is an item of `ValidationError.errors`, its input and context included; the words
    tell what is taken, and nothing of what was given but for what pydantic itself quotes.
    """
    if error["type"] in _OF_LISTS:
        items = '"..."' if isinstance(error.get("input"), str) else "..."
        return f"Input should be a list in brackets, also of one: [{items}]"
    message = str(error["msg"])
    if error["type"] not in _OF_CHOICES:
        return message
    return message + suggest(error.get("input"), quoted(error.get("ctx", {}).get("expected", "")))


def quoted(text: str) -> list[str]:
    """What stands in single quotes."""
    return _QUOTED.findall(text)
