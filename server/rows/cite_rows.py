"""Where something in the minutes comes from, with the words that say so. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parley.bus.entries import Record
from parley.memory.state.item_state import Cite, Origin
from parley.memory.text.plain_text import clip, clip_sentence

QUOTE = 240  # characters: two lines of a terminal

Said = Mapping[int, Record]  # entries by n


def origin_row(origin: Origin | None, records: Said) -> dict[str, Any] | None:
    """Where something comes from, with the words that say so."""
    if origin is None:
        return None
    cite = origin.cites[0]
    return {
        "n": cite.n,
        "by": getattr(records[cite.n].entry, "participant", None) if cite.n in records else None,
        "quote": quote(cite, records),
        "how": origin.how,
        "rule": origin.rule,
        "confidence": origin.confidence,
        "cites": [[c.n, c.start, c.end] for c in origin.cites],
    }


def quote(cite: Cite, records: Said) -> str | None:
    """The sentence around `cite`; None where its entry is not at hand or has no words."""
    record = records.get(cite.n)
    content = getattr(record.entry, "content", None) if record else None
    if content is None:
        return None
    if cite.end > cite.start:
        return clip_sentence(content, cite.start, cite.end, QUOTE)
    return clip(content, QUOTE)
