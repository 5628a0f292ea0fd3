"""The errors of the bus, by what the caller can do about them.

BusError
├── SessionNotFound     no such session
├── SessionExists       a session of that name is there already
├── SessionClosed       it takes no more entries
├── Conflict            the id was used before, for another payload
├── UnknownReference    `re` names a client id that is not in the log
├── InvalidEntry        empty, too large, not UTF-8, not an entry
├── Busy                over backlog, or faster than its tenant may; retry_after seconds
├── QuotaExceeded       its tenant has all that it may have
├── StaleEpoch          the floor moved on
├── Fenced              a commit or result built on entries the log no longer has,
│                       or without a skip that others honour: drop the copy, refold
├── SlowSubscriber      dropped for not reading; resume from .cursor
├── FactsExpired        facts after the cursor were cut off; resume from .cursor
├── SnapshotDamaged     a stored memory whose checksum is wrong
├── SessionDamaged      the keys of one session do not hold what Parley wrote
├── BadSessionFile      cut, altered, of another version, or forged
└── Unavailable         Redis is down, read-only, full, locked, or too old
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final


class BusError(Exception):
    """Any refusal of the bus; its text says what to do."""


class SessionNotFound(BusError):
    """`near` are names that there are, and that may have been meant."""

    def __init__(self, session: str, near: Sequence[str] = ()) -> None:
        meant = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        lists = "'parley session ls' lists them, 'parley session new' opens one"
        super().__init__(f"no session {session!r}; {meant}{lists}")
        self.session, self.near = session, tuple(near)


class SessionExists(BusError):
    def __init__(self, session: str, cure: str = "remove it first") -> None:
        super().__init__(f"session {session!r} exists; choose another name, or {cure}")
        self.session = session


class SessionClosed(BusError):
    def __init__(self, session: str) -> None:
        super().__init__(f"session {session!r} is closed; fork it to go on")
        self.session = session


class Conflict(BusError):
    def __init__(self, session: str, id: str, seq: int) -> None:
        super().__init__(
            f"id {id!r} is taken in {session!r} by entry {seq} with another payload; use a new id"
        )
        self.session, self.id, self.seq = session, id, seq


class UnknownReference(BusError):
    def __init__(self, session: str, re: str) -> None:
        super().__init__(
            f"{re!r} is neither a handle (P3, D2) nor the id of an entry of {session!r}"
        )
        self.session, self.re = session, re


class InvalidEntry(BusError):
    pass


class Busy(BusError):
    def __init__(self, session: str, retry_after: float, reason: str) -> None:
        super().__init__(f"session {session!r} is busy ({reason}); retry in {retry_after:g} s")
        self.session, self.retry_after, self.reason = session, retry_after, reason


_CURES = {
    "sessions": ("sessions", "have an operator archive or remove some"),
    "bytes": ("bytes of entries", "have an operator archive or remove sessions"),
    "spend": ("micros this month for models", "wait for the next month"),
}


class QuotaExceeded(BusError):
    """`reason` says which quota is used up and what to do, without a name."""

    def __init__(self, session: str, tenant: str, what: str, limit: int) -> None:
        noun, cure = _CURES[what]
        self.reason = (
            f"the quota of {limit:,} {noun} is used up; {cure}, or raise it with 'parley quota set'"
        )
        super().__init__(f"session {session!r}: of tenant {tenant!r} {self.reason}")
        self.session, self.tenant, self.limit = session, tenant, limit


class StaleEpoch(BusError):
    def __init__(self, session: str, expected: int, current: int) -> None:
        super().__init__(f"the floor of {session!r} moved from epoch {expected} to {current}")
        self.session, self.expected, self.current = session, expected, current


class Fenced(BusError):
    def __init__(self, session: str, reason: str) -> None:
        super().__init__(f"{session!r}: {reason}; refold from the log")
        self.session, self.reason = session, reason


class SlowSubscriber(BusError):
    def __init__(self, session: str, behind: int, cursor: str) -> None:
        super().__init__(
            f"subscriber of {session!r} fell {behind} items behind and was dropped; "
            f"resume from cursor {cursor!r}"
        )
        self.session, self.behind, self.cursor = session, behind, cursor


class FactsExpired(BusError):
    def __init__(self, session: str, cursor: str) -> None:
        super().__init__(
            f"the oldest facts of {session!r} were cut off and some may be missing; fold the log "
            f"for them, and resume from cursor {cursor!r}"
        )
        self.session, self.cursor = session, cursor


class SnapshotDamaged(BusError):
    def __init__(self, session: str, build: str) -> None:
        super().__init__(
            f"the stored memory of {session!r} (build {build}) is damaged; "
            "it is only a cache, and the next snapshot replaces it"
        )
        self.session, self.build = session, build


class WrongType(BusError):
    """A key holds what Parley never put there: `key`, and what it `holds`.

    Of a key that sessions share the text says how to mend it; of a session's own, whoever
    knows the session does (`SessionDamaged`).
    """

    def __init__(self, key: str, holds: str) -> None:
        self.key, self.holds = key, holds
        cure = cure_of(key)
        super().__init__(
            f"the key {key!r} {holds}" + (f". No session is at fault: {cure}" if cure else "")
        )


_CURES_OF_KEYS: Final = (
    (":due:fold", "a worker puts it right; without one, delete it ('redis-cli DEL {key}'): "
     "what is to be folded falls due again by itself"),
    (":due:", "delete it ('redis-cli DEL {key}'); a session whose work was lost with it has it "
     "again after 'parley session export' and 'parley session import FILE --replace'"),
    (":sessions", "delete it ('redis-cli DEL {key}'); a session is listed again with its next "
     "entry, and 'parley session verify NAME' reads one that has none"),
    (":dead", "delete it ('redis-cli DEL {key}'): it has copies alone"),
    (":use:", "delete it ('redis-cli DEL {key}'), then 'parley quota set' counts anew"),
)  # fmt: skip


def cure_of(key: str) -> str:
    """How to mend a key that sessions share; '' for one of a session, or of no known use."""
    if ":s:" in key:
        return ""
    return next((cure.format(key=key) for part, cure in _CURES_OF_KEYS if part in key), "")


class OutOfOrder(BusError):
    """Something stands in a log beyond the place where an entry was to go."""


class SessionDamaged(BusError):
    def __init__(self, session: str, reason: str) -> None:
        super().__init__(
            f"the keys of session {session!r} are damaged ({reason}). Mend them, or put a "
            "saved file in their place with 'parley session import FILE --replace'"
        )
        self.session, self.reason = session, reason


class Unavailable(BusError):
    """Redis cannot serve: the text names the address, the cause and the cure."""


class BadSessionFile(BusError):
    """A file that `parley session export` did not write so."""


@contextmanager
def damage_of(session: str) -> Iterator[None]:
    """Tells what cannot be read within as damage of `session`, unless a shared key is at fault."""
    try:
        yield
    except (WrongType, ValueError, OverflowError) as error:
        if isinstance(error, WrongType) and cure_of(error.key):
            raise
        raise SessionDamaged(session, str(error)) from None
