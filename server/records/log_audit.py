"""What is wrong with a log, by its rows alone or against what is stored beside it. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from parley.bus.contract.drafts import is_entry_id
from parley.bus.contract.whole_log import epoch_after
from parley.bus.contract.wire import decode, encode, fingerprint
from parley.bus.entries import (
    KINDS,
    PRIMARY,
    Entry,
    EntryRedacted,
    EntrySetAside,
    SessionForked,
    Unknown,
)
from parley.bus.log.wholeness import ANY
from parley.bus.sessions.stored_rows import StoredRow, decode_rows, redacted_numbers
from parley.memory.fold.replay import list_set_aside
from parley.memory.text.plain_text import clip


class LogCheck:
    """The rows of a log as they are read in order, and what no sound log has among them."""

    def __init__(self) -> None:
        self.seq = self.n = self.epoch = 0  # of the last row; of the floor after it
        self.skips: set[int] = set()  # what the log sets aside
        self._ids: dict[str, int] = {}
        self._rows = 0
        self._is_lost = False  # a row stands elsewhere than it says: the rest tells nothing

    def take(self, row: StoredRow, entry: Entry | Unknown) -> Iterator[str]:
        """What is wrong with the next row, which holds `entry`; nothing after a wrong number."""
        self._rows += 1
        place, due = self._rows, self.n + (entry.kind in PRIMARY)
        self.seq, self.n = row.seq, row.n
        if self._is_lost:
            return
        if entry.kind == "entry.set_aside":
            self.skips.add(getattr(entry, "seq", 0))
        self.epoch = max(self.epoch, epoch_after(entry))
        if row.seq != place:
            self._is_lost = True
            yield f"entry {place} is numbered {row.seq}: one is missing, doubled or misplaced"
            return
        if (place == 1) != (entry.kind == "session.opened"):
            yield f"entry {place} is {entry.kind!r}; a log begins with 'session.opened', once"
        if row.n != due:
            yield f"entry {place} has n {row.n} where {due} is due"
        if not is_entry_id(row.id):
            yield f"entry {place} has {clip(row.id, 60)!r}, which is no id"
        if row.id in self._ids:
            yield f"entry {place} has the id {row.id!r} of entry {self._ids[row.id]}"
        self._ids[row.id] = place
        if isinstance(entry, Unknown):
            yield from _unreadable(place, entry)

    def end(self) -> Iterator[str]:
        """What is wrong with a log that ends here."""
        if not self._rows:
            yield "the log is empty; it should begin with 'session.opened'"


def find_faults(rows: Sequence[StoredRow]) -> Iterator[str]:
    """Each thing that no sound log has, in the order of the rows; nothing for a sound one."""
    check = LogCheck()
    for row in rows:
        yield from check.take(row, decode(row.body))
    yield from check.end()


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


class IndexCheck:
    """The index of client ids beside the rows of a log, as they are read in order."""

    def __init__(self) -> None:
        self.seen: set[str] = set()  # ids of the log
        self.count = 0  # of them, in the index
        self._n = 0
        self._redacted: set[int] = set()
        self._rows: dict[int, _Indexed] = {}  # by n: those whose words may be gone
        self._findings: list[str] = []

    def take(self, row: StoredRow, entry: Entry | Unknown, indexed: str | None) -> None:
        """The next row, and where the index has its id; None where it has it not."""
        if entry.kind == "entry.redacted":
            self._redacted.add(getattr(entry, "redacted", 0))
        if row.id not in self.seen:
            self.seen.add(row.id)
            self.count += indexed is not None
        place, begins, self._n = f"{row.seq}-{row.n}", row.n > self._n, row.n
        whole, gone = f"{place} {fingerprint(row.body)}", f"{place} {ANY}"
        if indexed is None:
            self._findings.append(f"entry {row.seq}: its id {row.id!r} is not in the index of ids")
        elif begins and indexed == gone:
            self._rows[row.n] = _Indexed(row.seq, indexed, whole)
        elif indexed != whole:
            self._findings.append(_differs(row.seq, indexed, whole))

    def pass_over(self, id_: str) -> None:
        """An id of an entry that is not looked at."""
        self.seen.add(id_)
        self.count += 1

    def end(self) -> Iterator[str]:
        """What the index says otherwise than the log."""
        yield from self._findings
        for n, row in self._rows.items():
            if n not in self._redacted:
                yield _differs(row.seq, row.indexed, row.whole)
        for n in sorted(self._redacted - self._rows.keys()):
            if n <= self._n:
                yield f"the index of ids holds what stood in message {n} before it was redacted"

    @staticmethod
    def describe_stranger(id_: str) -> str:
        return f"the index of ids has {id_!r}, which is in no entry"


class _Indexed(Struct, frozen=True):
    """A row whose words are gone by the index, and what it would have if they were not."""

    seq: int
    indexed: str
    whole: str


def _differs(seq: int, indexed: str, due: str) -> str:
    return f"entry {seq}: the index of ids has {indexed!r}, the log {due!r}"


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
