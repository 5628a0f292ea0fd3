"""Closed exchanges, and results of tools, as memory holds them."""

from __future__ import annotations

from msgspec import Struct

from parley.memory.state.store import StateTree


class Exchanges(StateTree):
    """The newest closed exchanges, and the running summary of those before.

    `running` is one line a question and one an answer, oldest first.
    """

    turn: int = 0  # exchanges closed so far
    open: int = 0  # ref of the open one; 0: none
    window: list[int] = []  # refs, oldest first
    running: str = ""  # at most `limits.running`
    through: int = 0  # n of the close of the newest exchange in `running`
    cause: int = 0  # n of the close of the newest exchange in the last compression
    compressions: int = 0
    kept: int = 0  # characters of `running` that the last compression left
    first: int = 0  # n where the exchanges begin that the last compression took in
    since: int = 0  # n where those begin that came after it; 0: none did


class CachedResult(StateTree):
    """A result that may be served again while turn < `expires`."""

    key: str
    tool: str
    arguments: str  # canonical JSON; "" where it has more than `limits.context_text`
    n: int  # of the tool.returned: the whole result is there
    participant: str  # who gave it
    call_id: str
    value: str  # at most `limits.answer`
    bytes: int  # of the whole result
    ttl: int  # exchanges
    stored: int  # turn
    expires: int  # turn; moved on by a hit, never beyond `limit`
    limit: int  # turn
    hits: int = 0


class PendingCall(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A call under way: whoever wants the same waits for its result, in this turn at most."""

    call_id: str
    n: int
    turn: int


class Injection(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """What a participant was shown under a key, and when."""

    hash: str
    n: int
    turn: int
    text: str  # at most `limits.context_text`


class Tools(StateTree):
    cached: dict[str, CachedResult] = {}  # by key, oldest first
    calls: dict[str, PendingCall] = {}  # by key
    hits: int = 0
    misses: int = 0
    evicted: int = 0
    injected: dict[str, dict[str, Injection]] = {}  # by participant, by key


class ShortForm(Struct, omit_defaults=True, kw_only=True, frozen=True):
    """A model's shorter form of something that memory already holds clipped."""

    text: str
    size: int  # bytes
