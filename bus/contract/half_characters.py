"""Halves of characters in text: what JSON and Python allow, and no log can hold. Pure."""

from __future__ import annotations

from typing import Any, Final

LEVELS: Final = 500  # of lists and objects, if nobody says how many


def replace_lone_surrogates(value: Any, levels: int = LEVELS) -> Any:
    """Text, or data as JSON has it, with each half of a character as U+FFFD; pairs are joined.

    Whoever writes token by token may send an emoji in two halves. Raises `RecursionError` for data
    of more than `levels` levels.
    """
    if levels < 0:
        raise RecursionError
    match value:
        case str():
            if value.isascii():
                return value
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [replace_lone_surrogates(each, levels - 1) for each in value]
        case dict():
            return {
                replace_lone_surrogates(key): replace_lone_surrogates(each, levels - 1)
                for key, each in value.items()
            }
        case _:
            return value
