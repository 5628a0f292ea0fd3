"""Taking the words of an entry out of a session, with every handle kept where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from parley.bus import Bus
from parley.bus.entries import Entry, Record, Unknown
from parley.bus.sessions.redaction import Redaction, may_quote, seq_of
from parley.listeners.cache.ranges import read_pages
from parley.memory.fold.redaction import choose_tombstone
from parley.memory.state.memory import Packs


@dataclass(frozen=True, slots=True)
class Preview:
    """What a redaction would take: the words of entry `n`, and of its `edits`, n -> words.

    `derived` counts, by kind, what would be made again. `moved` has the items whose status would
    change: handle -> before, after.
    """

    n: int
    kind: str
    participant: str
    words: str
    edits: dict[int, str] = field(default_factory=dict)
    derived: dict[str, int] = field(default_factory=dict)
    moved: dict[str, tuple[str, str]] = field(default_factory=dict)


async def preview(
    bus: Bus, packs: Packs, session: str, n: int, *, renumber: bool = False
) -> Preview:
    """What `redact` would do now. Raises as it does, and changes nothing."""
    log = await _whole(bus, session)
    entry = log[seq_of(session, log, n) - 1].entry
    edits = {record.n: _words(record.entry) for record in log if _is_edit(record, n)}
    derived: dict[str, int] = {}
    for record in log:
        if any(may_quote(record, gone) for gone in (n, *edits)):
            derived[record.entry.kind] = derived.get(record.entry.kind, 0) + 1
    moved: dict[str, tuple[str, str]] = {}
    for gone in (*edits, n):
        moved |= choose_tombstone(packs, log, gone, renumber=renumber).moved
    return Preview(
        n,
        entry.kind,
        str(getattr(entry, "participant", getattr(entry, "by", ""))),
        _words(entry),
        edits,
        derived,
        moved,
    )


async def redact(
    bus: Bus,
    packs: Packs,
    session: str,
    n: int,
    *,
    reason: str,
    by: str | None = None,
    renumber: bool = False,
) -> Redaction:
    """Takes the words of primary entry `n`, and of its edits, out of the log for good; repeatable.

    What is called P3 or E2 is called so afterwards: raises `RedactionRefused`
    where that cannot be had, unless `renumber` allows it; `PackMissing`, and what
    `Bus.redact` does. What was derived of the words falls due again.
    """

    def blank(log: Sequence[Record], n: int) -> Entry | Unknown:
        return choose_tombstone(packs, log, n, renumber=renumber).entry

    for edit in [record.n for record in await _whole(bus, session) if _is_edit(record, n)]:
        await bus.redact(session, edit, blank=blank, reason=reason, by=by)
    return await bus.redact(session, n, blank=blank, reason=reason, by=by)


def _is_edit(record: Record, n: int) -> bool:
    return record.entry.kind == "message.edited" and getattr(record.entry, "of", 0) == n


def _words(entry: Entry | Unknown) -> str:
    for name in ("content", "title", "result", "value"):
        if isinstance(text := getattr(entry, name, None), str) and text:
            return text
    return ""


async def _whole(bus: Bus, session: str) -> list[Record]:
    return [record async for page in read_pages(bus, session) for record in page]
