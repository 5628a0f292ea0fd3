"""An entry where it stands in the log, and one that this version cannot read."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from parley.bus.entries.kinds import Entry


class Unknown(Struct, frozen=True):
    """An entry of a kind (or a shape) this version cannot read: kept, skipped, counted."""

    kind: str
    raw: bytes


class Record(Struct, frozen=True, gc=False):
    """An entry where it stands in the log.

    `seq` numbers every entry from 1; `n` is the number of primary entries up to
    and including this one. `id` is the publisher's; `received_ms` is Redis' time.
    """

    seq: int
    n: int
    id: str
    received_ms: int
    entry: Entry | Unknown

    @property
    def is_message(self) -> bool:
        """Whether it is something said, which can be read here."""
        return self.entry.kind == "message" and type(self.entry) is not Unknown

    @property
    def is_talk(self) -> bool:
        """Whether it is something said, at first or in place of earlier words."""
        return self.is_message or (
            self.entry.kind == "message.edited" and type(self.entry) is not Unknown
        )

    @property
    def identity(self) -> str:
        """What tells this entry from another that took its place after a lost suffix."""
        return f"{self.seq}-{self.n} {self.received_ms} {self.id}"

    @property
    def mark(self) -> str:
        """A digest of `identity`, 8 hex digits: what a client's cursor carries of it."""
        return mark_of(self.identity)


def mark_of(identity: str) -> str:
    """The mark of the entry of that identity; "" where there is none."""
    digest = blake2b(identity.encode(errors="replace"), digest_size=4)
    return digest.hexdigest() if identity else ""
