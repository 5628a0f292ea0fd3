"""What a model's claims add to minutes and to rows of items. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from parley.memory.extraction.model_claims.item_overlay import (
    ClaimedItem,
    ClaimedVoice,
    ClaimOverlay,
)
from parley.memory.state.item_state import Origin
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import (
    RecordsByNumber,
    Row,
    cite_list,
    cites_of,
    origin_row,
    origin_terms,
    pick,
    voice_row,
)


def claim_rows(overlay: ClaimOverlay, records: RecordsByNumber) -> Row:
    """The readings' own items, stances on others, and what they agree with or take back."""
    return {
        "items": [claim_row(claimed_item, records) for claimed_item in overlay.items.values()],
        "stances": [
            {"on": handle, **_voice(claimed_voice, records)}
            for handle, voices in overlay.voices.items()
            for claimed_voice in voices.values()
        ],
        "confirmed": [
            {
                "handle": handle,
                "statement": overlay.statements.get(handle) or None,
                "settles": overlay.settled.get(handle),
                **origin_row(origin, records),
            }
            for handle, origin in overlay.confirmed.items()
        ],
        "retracted": [
            {"handle": handle, "reason": overlay.reasons[handle], **origin_row(origin, records)}
            for handle, origin in overlay.retracted.items()
        ],
    }


def claim_row(claimed_item: ClaimedItem, records: RecordsByNumber) -> Row:
    """One item that a model alone reads in a message."""
    return {
        "handle": claimed_item.handle,
        "kind": claimed_item.kind,
        "status": claimed_item.status,
        "reason": claimed_item.reason or None,
        "topic": claimed_item.topic,
        "text": claimed_item.text,
        "statement": claimed_item.statement or None,
        "settles": claimed_item.settles,
        "participant": claimed_item.participant,
        "n": claimed_item.born,
        "voices": [_voice(voice, records) for voice in claimed_item.voices.values()],
        "evidence": origin_row(claimed_item.origin, records),
    }


def page_claim_row(claimed_item: ClaimedItem) -> Row:
    """`claim_row` for the page: without words."""
    row = claim_row(claimed_item, {})
    return {
        "ref": claimed_item.handle,
        **pick(row, "kind", "status", "topic", "participant", "n"),
        "cites": cite_list(claimed_item.origin),
    }


def cited_entries(overlay: ClaimOverlay) -> set[int]:
    """The entries whose words it rests on."""
    origins = [*overlay.confirmed.values(), *overlay.retracted.values()]
    for item in overlay.items.values():
        origins += [item.origin, *(voice.origin for voice in item.voices.values())]
    for voices in overlay.voices.values():
        origins += [voice.origin for voice in voices.values()]
    return {cite.n for cite in cites_of(*origins)}


def _voice(voice: ClaimedVoice, records: RecordsByNumber) -> Row:
    row = voice_row(voice.participant, voice.origin, records)
    return {"participant": voice.participant, "stance": voice.stance, **row}


def finding_rows_of_claims(
    overlay: ClaimOverlay, memory: Memory, index_of: Callable[[int], int]
) -> Iterator[Row]:
    """The claims as the flat rows that extraction is scored in; what was retracted is left out."""
    born: dict[str, int] = {}
    for item in overlay.items.values():
        if item.status == "retracted":
            continue
        born[item.handle] = item.born
        settled = index_of_item(item.settles, overlay, memory, index_of)
        yield from _item(item, index_of(item.born), settled)
    for handle in overlay.voices:
        known = memory.item(handle)
        if known is not None:
            born[handle] = known.born
    for handle, n in born.items():
        item_read = overlay.items.get(handle)
        voices = overlay.voices.get(handle, {}) if item_read is None else item_read.voices
        for voice in voices.values():
            index = index_of(voice.origin.cites[0].n)
            row = {"index": index, "label": "reaction", "stance": voice.stance}
            id_ = f"claim:{voice.origin.cites[0].n}:{handle}"
            yield {**row, "proposal_index": index_of(n), **_whence(voice.origin, id_)}


def index_of_item(
    handle: str | None, overlay: ClaimOverlay, memory: Memory, index_of: Callable[[int], int]
) -> int | None:
    """The index of the message that item `handle` was born at, whoever found it."""
    item = None if handle is None else overlay.items.get(handle) or memory.item(handle)
    return None if item is None else index_of(item.born)


def _item(item: ClaimedItem, index: int, settled: int | None) -> Iterator[Row]:
    whence = _whence(item.origin, f"claim:{item.born}:{item.handle}")
    if item.kind == "decision":
        yield {"index": index, "label": "decision", "proposal_index": settled, **whence}
        return
    yield {"index": index, "label": "proposal", **whence}
    status = {"index": index, "label": "status", "proposal_index": index, "status": "active"}
    yield {**status, **whence}


def _whence(origin: Origin, id: str) -> Row:
    return {**origin_terms(origin), "id": id}
