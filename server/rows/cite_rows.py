"""What rows of items are made of: handles, tallies, cites, origins with their words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.state.item_state import Cite, Origin
from parley.memory.text.plain_text import clip
from parley.memory.text.sentences import clip_sentence
from parley.server.rows.item_shapes import Evidence, OriginTerms

QUOTE = 240  # characters: two lines of a terminal

Row = dict[str, Any]
RecordsByNumber = Mapping[int, Record]  # entries by n
NO_RECORDS: Final[RecordsByNumber] = MappingProxyType({})


def pick(row: Mapping[str, Any], *names: str) -> Row:
    """These fields of `row`, in this order."""
    return {name: row[name] for name in names}


def handle_of(letter: str, ref: int | None) -> str | None:
    """The handle of the item of that number: 3 is P3."""
    return None if ref is None else f"{letter}{ref}"


def cites_of(*origins: Origin | None) -> list[Cite]:
    """The cites of all of them, in order."""
    return [cite for origin in origins if origin is not None for cite in origin.cites]


def cite_list(*origins: Origin | None) -> list[list[int]]:
    """Their cites as [n, start, end]."""
    return [[cite.n, cite.start, cite.end] for cite in cites_of(*origins)]


def cite_places(cites: Iterable[Cite]) -> list[Row]:
    """The cites by the names of their fields, none twice."""
    places = dict.fromkeys((cite.n, cite.start, cite.end) for cite in cites)
    return [{"n": n, "start": start, "end": end} for n, start, end in places]


def origin_terms(origin: Origin) -> OriginTerms:
    """How something was found, by which rule, and how surely (per mille)."""
    return {"how": origin.how, "rule": origin.rule, "confidence": origin.confidence}


def origin_row(origin: Origin, records: RecordsByNumber) -> Evidence:
    """Where something comes from, with the words that say so."""
    cite = origin.cites[0]
    return {
        "n": cite.n,
        "by": getattr(records[cite.n].entry, "participant", None) if cite.n in records else None,
        "quote": quote(cite, records),
        **origin_terms(origin),
        "cites": cite_list(origin),
    }


def late_origin_row(origin: Origin | None, records: RecordsByNumber) -> Evidence | None:
    """`origin_row` of what may not have come about."""
    return None if origin is None else origin_row(origin, records)


def quote(cite: Cite, records: RecordsByNumber) -> str | None:
    """The sentence around `cite`; None where its entry is not at hand or has no words."""
    record = records.get(cite.n)
    content = getattr(record.entry, "content", None) if record else None
    if content is None:
        return None
    if cite.end > cite.start:
        return clip_sentence(content, cite.start, cite.end, QUOTE)
    return clip(content, QUOTE)
