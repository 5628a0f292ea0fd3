"""A context without what it quotes: the server's own words."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import ValidationError

from parley.bus.entries import Entry
from parley.memory.context.item_lines import FRAME
from parley.memory.text.fences import FENCE

CANARY: Final = "zqx"
PIECES: Final = (CANARY, '"', "\\", "\n", " ", FENCE, ")", "- D9 ", "## ", "'", "a", "\u202e")

# In a quotation a mark stands behind an odd number of backslashes, and its end behind an even one
_QUOTATION: Final = re.compile(r'"(?:[^"\\]|(?:\\\\)*\\"|\\+(?!["\\]))*(?:\\\\)*"')
_WORDS: Final = frozenset({
    "arguments", "content", "context", "error", "goal", "key", "options", "question", "quote",
    "reason", "result", "standing", "statement", "summary", "text", "theme", "title", "tool",
    "topic", "value", "novelty",
})  # fmt: skip


def unquoted(context: str) -> str:
    """What of a context stands behind no bar and in no quotation marks, its frame aside."""
    lines = context.partition(FRAME)[2].split("\n")
    return _QUOTATION.sub("…", "\n".join(line for line in lines if not line.startswith(FENCE)))


def tainted(entry: Entry, words: str) -> Entry:
    """The entry with `words` before whatever a participant worded."""
    if entry.kind == "item.corrected" and entry.op != "topic":
        return entry  # whose it is is a name, and names stand by themselves
    fields: dict[str, Any] = entry.model_dump()
    for name in _WORDS & fields.keys():
        match fields[name]:
            case str(value):
                fields[name] = f"{words}{value}"
            case (tuple() | list()) as values if all(isinstance(value, str) for value in values):
                fields[name] = tuple(f"{words}{value}" for value in values)
    try:
        return type(entry).model_validate(fields)
    except ValidationError:  # a list of words that may be said, not words of somebody's
        return entry
