"""What is wrong with a log, by its rows alone or against what is stored beside it. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from parley.bus.contract.drafts import is_entry_id
from parley.bus.contract.wire import decode, encode, fingerprint
from parley.bus.entries import KINDS, PRIMARY, EntryRedacted, EntrySetAside, SessionForked, Unknown
from parley.bus.sessions.staged_log import ANY
from parley.bus.sessions.stored_rows import StoredRow, decode_rows, redacted_numbers
from parley.memory.fold.replay import list_set_aside
from parley.memory.text.plain_text import clip


def find_faults(rows: Sequence[StoredRow]) -> Iterator[str]:
    """Each thing that no sound log has, in the order of the rows; nothing for a sound one."""
    n = 0
    ids: dict[str, int] = {}
    for place, row in enumerate(rows, 1):
        entry = decode(row.body)
        if row.seq != place:
            yield f"entry {place} is numbered {row.seq}: one is missing, doubled or misplaced"
            return
        if (place == 1) != (entry.kind == "session.opened"):
            yield f"entry {place} is {entry.kind!r}; a log begins with 'session.opened', once"
        n += entry.kind in PRIMARY
        if row.n != n:
            yield f"entry {place} has n {row.n} where {n} is due"
            n = row.n
        if not is_entry_id(row.id):
            yield f"entry {place} has {clip(row.id, 60)!r}, which is no id"
        if row.id in ids:
            yield f"entry {place} has the id {row.id!r} of entry {ids[row.id]}"
        ids[row.id] = place
        if isinstance(entry, Unknown):
            yield from _unreadable(place, entry)
    if not rows:
        yield "the log is empty; it should begin with 'session.opened'"


def status_findings(status: str, rows: Sequence[StoredRow]) -> Iterator[str]:
    """What a header says of the session otherwise than its log."""
    actual = "open"
    for row in rows:
        kind = decode(row.body).kind
        if kind in ("session.closed", "session.forked"):
            actual = "closed" if kind == "session.closed" else "open"
    if status != actual and not (status == "archived" and actual == "closed"):
        yield f"the header says {clip(status, 60)!r}, the log {actual!r}"


def _unreadable(place: int, entry: Unknown) -> Iterator[str]:
    """An entry of another version's kind is sound; one of a kind known here is not."""
    if entry.kind in KINDS or entry.kind == "?":
        yield f"entry {place} cannot be read as {entry.kind!r}"


def index_findings(rows: Sequence[StoredRow], ids: Mapping[str, str]) -> Iterator[str]:
    """What the index of client ids says otherwise than the log."""
    wordless = redacted_numbers(decode_rows(rows))
    before = 0
    for row in rows:
        gone = row.n > before and row.n in wordless
        before = row.n
        due = f"{row.seq}-{row.n} {ANY if gone else fingerprint(row.body)}"
        indexed = ids.get(row.id)
        if indexed is None:
            yield f"entry {row.seq}: its id {row.id!r} is not in the index of ids"
        elif indexed != due:
            yield f"entry {row.seq}: the index of ids has {indexed!r}, the log {due!r}"
    strangers = set(ids) - {row.id for row in rows}
    for id_ in sorted(strangers):
        yield f"the index of ids has {id_!r}, which is in no entry"


def fork_log(
    rows: Sequence[StoredRow], session: str, at: int, now_ms: int
) -> tuple[StoredRow, ...]:
    """The log of a fork that shares every entry up to the `at`-th primary one.

    What later entries of the original set aside or redacted stays so; a closing is
    left behind. The last entry says where the fork came from, and stands at `now_ms`: what
    waits for a time in it waits from then.
    """
    prefix = [row for row in rows if row.n <= at and decode(row.body).kind != "session.closed"]
    kept = [
        StoredRow(seq, row.n, row.id, row.received_ms, row.body)
        for seq, row in enumerate(prefix, 1)
    ]
    later_skips = list_set_aside(decode_rows(rows)) - list_set_aside(decode_rows(prefix))
    for seq in sorted(later_skips):
        if seq <= len(kept):
            kept.append(_appended(kept, f"set-aside:{seq}", EntrySetAside(seq=seq, reason="fork")))
    there = redacted_numbers(decode_rows(kept))
    for n in sorted(redacted_numbers(decode_rows(rows)) - there):
        if n <= at:
            marker = EntryRedacted(redacted=n, reason="fork")
            kept.append(_appended(kept, f"redacted:fork:{n}", marker))
    name = _free(f"fork:{session}:{at}", {row.id for row in kept})
    fork = _appended(kept, name, SessionForked(session=session, n=at))
    kept.append(replace(fork, received_ms=max(fork.received_ms, now_ms)))
    return tuple(kept)


def _free(name: str, taken: Set[str]) -> str:
    """`name`, or with a number where a fork of a fork has it from its past."""
    others = (f"{name}:{count}" for count in itertools.count(2))
    return name if name not in taken else next(other for other in others if other not in taken)


def _appended(
    rows: Sequence[StoredRow], id_: str, entry: EntryRedacted | EntrySetAside | SessionForked
) -> StoredRow:
    last = rows[-1]
    return StoredRow(last.seq + 1, last.n, id_, last.received_ms, encode(entry))
