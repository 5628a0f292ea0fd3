"""The trace of a message, known from its session and id alone. Pure.

Whoever publishes, folds or answers it comes to the same trace, the same spans and the same
choice of whether it is followed: so nothing of it stands in the log, and a draft that is sent
again stays the same draft.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

Step = Literal["publish", "fold"]

_HALF: Final = (1 << 64) - 1


def trace_id(session: str, id: str) -> int:
    """128 bits, never 0."""
    return int.from_bytes(_digest(session, id, b"trace", 16)) or 1


def span_id(session: str, id: str, step: Step) -> int:
    """64 bits, never 0."""
    return int.from_bytes(_digest(session, id, step.encode(), 8)) or 1


def is_followed(trace: int, ratio: float) -> bool:
    """As OpenTelemetry's sampler by ratio chooses: by the lower half of the trace's id."""
    return (trace & _HALF) < round(ratio * (1 << 64))


def _digest(session: str, id: str, person: bytes, size: int) -> bytes:
    name = f"{session} {id}".encode(errors="replace")
    return blake2b(name, digest_size=size, person=person).digest()
