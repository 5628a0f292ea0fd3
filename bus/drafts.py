"""What a publisher hands in and gets back, and the checks before anything is written. Pure.

The Redis log and the log in this process share this module, so that both
refuse the same things with the same words.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import orjson
from pydantic_core import PydanticSerializationError

from bus.entries import DERIVED, MAX_CONTENT_BYTES, PRIMARY, Entry
from bus.errors import InvalidEntry
from bus.wire import encode, fingerprint

OPEN_ID: Final = "open"  # the id of entry 1
CLOSE_ID: Final = "close"

MAX_ID: Final = 128
MAX_BODY_BYTES: Final = 8 * MAX_CONTENT_BYTES  # content may grow sixfold when it is escaped

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_HANDLE = re.compile(r"[PD][1-9][0-9]{0,8}\Z")
_BY_THE_BUS: Final = {
    "session.opened": "it opens a session: use 'open'",
    "entry.set_aside": "only workers set entries aside",
}


class Draft(NamedTuple):
    """An entry on its way into the log, under its publisher's own id."""

    id: str
    entry: Entry


class Receipt(NamedTuple):
    """Where an entry stands in the log; `duplicate` if it stood there before."""

    seq: int
    n: int
    duplicate: bool


class Prepared(NamedTuple):
    """A draft that was checked and encoded.

    `reference` is the client id that `re` names, to be replaced by its entry's
    n (`resolved`) before anything is written; None when there is none.
    """

    id: str
    body: bytes
    fingerprint: str
    primary: bool
    derived: bool
    reference: str | None


def check_session_name(session: str) -> str:
    """`session`, if it can name one; else `InvalidEntry`."""
    if not _SESSION.match(session):
        raise InvalidEntry(
            f"{session!r} cannot name a session; use 1-64 letters, digits, '.', '_' and '-', "
            "the first a letter or digit"
        )
    return session


def check_id(id: str) -> str:
    """`id`, if an entry may carry it; else `InvalidEntry`."""
    if not 0 < len(id) <= MAX_ID or not id.isprintable() or " " in id:
        raise InvalidEntry(
            f"{id[:MAX_ID]!r} cannot be the id of an entry; "
            f"use 1-{MAX_ID} printable characters without spaces"
        )
    return id


def prepare(draft: Draft, *, by_the_bus: bool = False) -> Prepared:
    """`draft`, checked and encoded. Raises `InvalidEntry`.

    `by_the_bus` lets the kinds through that no publisher may write.
    """
    entry = draft.entry
    kind = entry.kind
    check_id(draft.id)
    derived = kind in DERIVED
    if not by_the_bus and kind in _BY_THE_BUS:
        raise InvalidEntry(f"{kind} cannot be published: {_BY_THE_BUS[kind]}")
    if draft.id.startswith("summary:") and not derived:
        raise InvalidEntry(f"id {draft.id!r}: 'summary:' is kept for summaries; use another id")
    body = _body(draft.id, entry)
    return Prepared(draft.id, body, fingerprint(body), kind in PRIMARY, derived, _reference(entry))


def resolved(draft: Draft, n: int) -> Draft:
    """`draft` with its `re` replaced by the n of the entry that it names."""
    return Draft(draft.id, draft.entry.model_copy(update={"re": n}))


def _reference(entry: Entry) -> str | None:
    if entry.kind != "message" or not isinstance(entry.re, str):
        return None
    return None if _HANDLE.match(entry.re) else entry.re


def _body(id: str, entry: Entry) -> bytes:
    try:
        body = encode(entry)
    except (PydanticSerializationError, UnicodeEncodeError, orjson.JSONEncodeError):
        raise InvalidEntry(
            f"entry {id!r} is not valid text: it holds lone surrogates or values that "
            "JSON lacks; decode its source as UTF-8"
        ) from None
    # escapes only add bytes, so a short body needs no second look at its content
    if len(body) > MAX_CONTENT_BYTES and (
        len(body) > MAX_BODY_BYTES
        or entry.kind != "message"
        or len(entry.content.encode()) > MAX_CONTENT_BYTES
    ):
        raise InvalidEntry(
            f"entry {id!r} is too large ({len(body):,} bytes; a message may have "
            f"{MAX_CONTENT_BYTES:,} of content); split it, or publish a link to it"
        )
    return body
