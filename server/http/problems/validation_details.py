"""A domain's refusal, fit to be sent: what a caller sent is taken out of it again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from parley.bus.entries.fields import describe_fault, nearest
from parley.memory.text.fences import escape_invisible
from parley.memory.text.plain_text import clip

LONGEST: Final = 300
READ: Final = 4000  # of a refusal that quotes a whole message
# As `repr` writes a value; an apostrophe inside a word opens none. What is cut off stays out.
_QUOTED: Final = re.compile(
    r"""(?<!\w)'(?:[^'\\]|\\.)*(?:'|$)|(?<!\w)"(?:[^"\\]|\\.)*(?:"|$)""", re.DOTALL
)
_FOR_A_SHELL: Final = re.compile(r"(?<!\w)--\w|(?<!\w)'parley |PARLEY_")
_ASIDE: Final = re.compile(r" ?\([^()]*(?:'parley |--\w)[^()]*\)")
_CLAUSES: Final = re.compile(r"(; |(?<=\.) |: )")
# Whose message tells what the model takes, and nothing of what was sent.
_OF_THE_MODEL: Final = frozenset({
    "bool_parsing", "bool_type", "dict_type", "enum", "extra_forbidden", "finite_number",
    "float_parsing", "float_type", "greater_than", "greater_than_equal", "int_from_float",
    "int_parsing", "int_type", "less_than", "less_than_equal", "list_type", "literal_error",
    "missing", "out_of_range", "string_pattern_mismatch", "string_too_long", "string_too_short",
    "string_type", "too_many_values", "tuple_type",
})  # fmt: skip
_NAMELESS: Final = re.compile(r"^… (?=(?:is|has|names|was)\b)")  # what was sent begins it
_SHORTEST: Final = 2  # a value this short is taken out where it is quoted only


def redact_input(text: str, values: Iterable[str] = ()) -> str:
    """`text` without what is in quotes, without `values`, without advice for a shell.

    Empty where nothing is left that says anything.
    """
    kept = _without_shell(text[:READ])
    kept = _QUOTED.sub("…", kept)
    for value in sorted(set(values), key=len, reverse=True):
        if len(value) > _SHORTEST:
            kept = kept.replace(value, "…")
    kept = _NAMELESS.sub("That ", clip(escape_invisible(kept), LONGEST).strip(" ;:,"))
    return kept if re.search(r"\w", kept) else ""


def describe_expected(error: Mapping[str, Any]) -> str:
    """What a field takes, as the model says it; empty where that may tell what was sent."""
    if error["type"] not in _OF_THE_MODEL:
        return ""
    words = describe_fault(error)
    return f"A field of the request is missing or wrong. {words}{'' if words[-1] == '?' else '.'}"


def describe_unknown(name: str, known: Sequence[str], query: Iterable[str] = ()) -> str:
    """Say that `known` has no `name`: where it belongs, or what is near it.

    `query` are parameters of the address; `name` itself is said only where it is one of them.
    """
    if name in query:
        return f"{name} is no field of the body: it belongs in the address, as ?{name}=…."
    if near := nearest(name, known, alike=0.7):
        return f"There is no such name here; did you mean {near}?"
    return f"There is no such name here; it takes {', '.join(known) or 'none'}."


def _without_shell(text: str) -> str:
    """`text` without the clauses that tell what to type."""
    text = _ASIDE.sub("", text)
    if not _FOR_A_SHELL.search(text):
        return text
    parts = _CLAUSES.split(text)
    kept: list[str] = []
    for part, joint in zip(parts[::2], ["", *parts[1::2]], strict=True):
        if not _FOR_A_SHELL.search(part):
            kept += [joint if kept else "", part]
    return "".join(kept)
