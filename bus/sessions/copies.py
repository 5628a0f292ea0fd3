"""Copies of a session: a file that has all its entries, or says which it has not. Pure.

Every door that hands a copy out makes it here, and counts what it wrote against the head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from parley.bus.contract import wire
from parley.bus.contract.drafts import set_aside_id
from parley.bus.contract.errors import BadSessionFile, SessionDamaged
from parley.bus.contract.whole_log import epoch_after
from parley.bus.entries import PRIMARY, EntrySetAside, Message, SessionOpened
from parley.bus.sessions.session_file import SessionFile, describe_lost
from parley.bus.sessions.stored_rows import StoredRow

if TYPE_CHECKING:  # it loads the connections, and an event loop with them
    from parley.bus.sessions.audit import StoredSession

_LOST: Final = b'{"kind":"entry.lost","v":1}'  # a kind that every fold passes over
_REASON: Final = "it was lost before this session was restored from a partial file"


def copy_of(stored: StoredSession, *, partial: bool = False) -> SessionFile:
    """The file of a session, without the rows at the end of its log that Parley did not write.

    Raises `SessionDamaged` as `copy_log` does.
    """
    own = len(stored.rows) - len(stored.strange_rows())
    rows = stored.rows[:own]
    return copy_log(stored.session, stored.status, rows, stored.head, stored.n, partial=partial)


def copy_log(
    session: str, status: str, rows: Sequence[StoredRow], head: int, n: int, *, partial: bool
) -> SessionFile:
    """The file of a log whose last entry should be `head`, the `n`-th primary one.

    Raises `SessionDamaged`, naming the entries that are missing, unless `partial`: the file is
    marked then; and for a log of which no entry is left.
    """
    whole = SessionFile(session, status, tuple(rows))
    if len(rows) >= max(head, whole.head):
        return whole
    file = SessionFile(session, status, tuple(rows), (max(head, whole.head), max(n, whole.n)))
    lacks = describe_lost(file.missing, file.head)
    if not rows:
        raise SessionDamaged(session, f"{lacks}: no entry is left that could be saved")
    if not partial:
        saves = f"'parley session export {session} --partial' saves the other {len(rows):,}"
        raise SessionDamaged(session, f"{lacks}; {saves}")
    return file


def fill_gaps(file: SessionFile) -> SessionFile:
    """A whole log out of a partial file, in which every entry left has its number.

    What is missing is an entry without words that is set aside, so that no memory has it; a
    lost opening is one without settings. Raises `BadSessionFile` where `n` cannot be right.
    """
    rows = list(_filled(file))
    lost = [seq for first, last in file.missing for seq in range(max(first, 2), last + 1)]
    epochs = max((epoch_after(wire.decode(row.body)) for row in rows), default=0)
    end = rows[-1]
    for seq in lost:
        aside = EntrySetAside(seq=seq, reason=_REASON, epoch=epochs)
        name, place = set_aside_id(seq), len(rows) + 1
        rows.append(StoredRow(place, end.n, name, end.received_ms, wire.encode(aside)))
    return SessionFile(file.session, _status_of(file.status, rows), tuple(rows))


def _filled(file: SessionFile) -> Iterator[StoredRow]:
    """The rows of a file, and one in the place of each that is missing."""
    seq = n = 0
    time = file.rows[0].received_ms
    for row in (*file.rows, None):
        upto, of = (row.seq, row.n) if row is not None else (file.head + 1, file.n)
        primary = of - n - (row is not None and wire.decode(row.body).kind in PRIMARY)
        if primary < 0 or primary > upto - seq - 1 - (seq == 0 and upto > 1):
            raise BadSessionFile(f"the entries before {upto} cannot come to n {of}")
        for lost in range(seq + 1, upto):
            is_primary = lost > 1 and primary > 0
            n, primary = n + is_primary, primary - is_primary
            yield StoredRow(lost, n, _name(lost), time, _placeholder(lost, is_primary))
        if row is not None:
            yield row
            seq, n, time = row.seq, row.n, row.received_ms


def _name(seq: int) -> str:
    return "open" if seq == 1 else f"lost:{seq}"


def _placeholder(seq: int, is_primary: bool) -> bytes:
    if seq == 1:
        return wire.encode(SessionOpened())
    if is_primary:
        return wire.encode(Message(participant="nobody", content="This entry was lost."))
    return _LOST


def _status_of(status: str, rows: Sequence[StoredRow]) -> str:
    """The status that the rows show; `archived` if they end and the session was archived."""
    kinds = [wire.decode(row.body).kind for row in rows]
    ends = [kind for kind in kinds if kind in ("session.closed", "session.forked")]
    if not ends or ends[-1] != "session.closed":
        return "open"
    return status if status == "archived" else "closed"
