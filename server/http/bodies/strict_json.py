"""What is kept is what was sent: a value that would come back as another one is refused."""

from __future__ import annotations

import math
from typing import Any, Final

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticCustomError

from parley.server.basics.entry_json import LEFT_OUT, Fields, InvalidField
from parley.server.http.state.dependencies import MAX_INTEGER

_SETTINGS_VALUES: Final = 4_096
_FILLED: Final = frozenset({"kind", "participant", "agent_id", "by", "re", "at", "timestamp"})


def check_exact_numbers(tree: Any) -> Any:
    """`tree`, if every number in it is one that any reader reads alike. Raises `ValueError`."""
    rest = [tree]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            rest += value.values()
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a number that is none")
        elif isinstance(value, int) and abs(value) > MAX_INTEGER:
            raise ValueError("a number is too large")
    return tree


def check_settings_size(tree: dict[str, Any]) -> dict[str, Any]:
    """`tree`, if it has no more values than settings need; else it is invalid.

    Settings are read and folded whole, which holds up everybody else by the values.
    """
    rest: list[Any] = [tree]
    count = 0
    while rest:
        value = rest.pop()
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(inner, list) or isinstance(value, dict):
            count += len(inner)
            rest += inner
        if count > _SETTINGS_VALUES:
            most = {"most": _SETTINGS_VALUES}
            raise PydanticCustomError(
                "too_many_values", "Settings have {most} values at most", most
            )
    return tree


def check_fields(row: Fields) -> None:
    """Raises `InvalidField` for a value that no entry can hold as it is."""
    for name, value in row.items():
        try:
            check_exact_numbers(value)
        except ValueError as error:
            raise InvalidField(str(error), name) from None
    if isinstance(row.get("re"), bool | float):
        raise InvalidField("an entry has a number or an id", "re")
    if len({str(row[name]) for name in ("at", "timestamp") if row.get(name) is not None}) > 1:
        raise InvalidField("one time is told", "at")


def check_round_trip(row: Fields, entry: BaseModel) -> None:
    """Raises `InvalidField` for a field of `row` that `entry` has as something else."""
    for name in row.keys() & type(entry).model_fields.keys() - _FILLED:
        sent = row[name]
        if sent not in LEFT_OUT and orjson.dumps(sent) != orjson.dumps(getattr(entry, name)):
            raise InvalidField("another value than was sent would be kept", name)
