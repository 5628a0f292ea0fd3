"""What memory is owed: work whose result, whoever does it, comes back as an entry. Pure.

Numbers are `n`, ranges are closed.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final, Self

from msgspec import Struct

from parley.bus.entries import Part

_SUMMARY: Final = re.compile(r"summary:(\d+):(\d+):(\d+)(?::again(\d+))?")


class OwedWork(Struct, frozen=True, gc=False):
    """Work that memory is owed; the same memory always owes it under the same id."""

    @property
    def id(self) -> str:
        raise NotImplementedError

    def result_id(self, how: str) -> str:
        """The id of what answers it, the same whoever does: the first to land stands."""
        return f"{self.id}:{how}"


class SummaryEffect(OwedWork, frozen=True, gc=False, omit_defaults=True):
    """Work that memory is owed: summarise n `first`..`last` at `level`.

    `id` is `summary:<level>:<first>:<last>`; the result's id adds `:extract`
    or `:model`.
    """

    level: int
    first: int
    last: int
    again: int = 0  # redactions within the range: what they touched is summarised anew

    @classmethod
    def named(cls, id: str) -> Self | None:
        """The summary of that id; None where it is the id of something else."""
        match = _SUMMARY.fullmatch(id)
        return None if match is None else cls(*(int(part or 0) for part in match.groups()))

    @property
    def id(self) -> str:
        again = f":again{self.again}" if self.again else ""
        return f"summary:{self.level}:{self.first}:{self.last}{again}"


class ReflectionEffect(OwedWork, frozen=True, gc=False, omit_defaults=True):
    """A participant's note is to be rewritten in the light of entries up to n `cause`.

    Only a model can; `id` is `note:<key of the participant>:<cause>`.
    """

    participant: str
    cause: int
    why: str

    @property
    def id(self) -> str:
        key = blake2b(self.participant.encode(), digest_size=8).hexdigest()
        return f"note:{key}:{self.cause}"


class ComparisonEffect(OwedWork, frozen=True, gc=False, omit_defaults=True):
    """Proposal `ref`, born at entry `of`, is to be compared with earlier ones by an embedding.

    `id` is `similarity:<of>:<ref>`.
    """

    of: int
    ref: int

    @property
    def id(self) -> str:
        return f"similarity:{self.of}:{self.ref}"


class ReadingEffect(OwedWork, frozen=True, gc=False, omit_defaults=True):
    """Messages n `first`..`last` are to be read for items, those from `lead` on shown with them.

    Only a model can; `id` is `extract:<first>:<last>`.
    """

    first: int
    last: int
    lead: int
    again: int = 0  # redactions among what is shown

    @property
    def id(self) -> str:
        again = f":again{self.again}" if self.again else ""
        return f"extract:{self.first}:{self.last}{again}"


class ShortFormEffect(OwedWork, frozen=True, gc=False, omit_defaults=True):
    """A clipped text that a model could put better: `part` of entry `of`.

    `id` is `condense:<part>:<of>`.
    """

    part: Part
    of: int

    @property
    def id(self) -> str:
        return f"condense:{self.part}:{self.of}"
