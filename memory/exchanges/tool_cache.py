"""Results of tools that may be served again: by canonical key, for so many exchanges.

A result says until which turn it may be served, so nothing is counted down; a
hit moves that on, within `cache.max_age` of the turn it was stored in. A call
under way is noted by key: whoever wants the same may wait for its result.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from parley.bus.entries import ContextInjected, ToolCalled, ToolReturned
from parley.memory.exchanges import short_forms
from parley.memory.exchanges.tool_keys import cache_key, encode_canonical
from parley.memory.state.exchange_state import CachedResult, Injection, PendingCall
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size, shorten_bytes
from parley.memory.text.plain_text import clip

INJECTIONS: Final = 20  # keys a participant: surroundings, of which few are shown at once
SHOWN: Final = 100  # participants, those shown something last: anybody may bring new names
_MOST_TURNS: Final = 1_000_000  # a stranger may ask for more than any session has


def count_call(moment: FoldStep, entry: ToolCalled) -> None:
    """Count a hit, which keeps the result alive, or a miss, whose call is under way from now on.

    One that joins a call under way is neither; a lookup that finds nothing begins none.
    """
    memory, tools = moment.memory, moment.memory.tools
    key = cache_key(entry.tool, entry.version, entry.arguments)
    if key is None:
        return
    turn, kept = memory.exchanges.turn, tools.cached.get(key)
    if kept is not None:
        tools.hits += 1
        kept.hits += 1
        kept.expires = max(kept.expires, min(turn + kept.ttl + 1, kept.limit))
        data = {"tool": kept.tool, "key": key, "n": kept.n, "expires": kept.expires}
        moment.record_fact("tool.hit", None, **data)
    elif entry.lookup:
        tools.misses += 1
    elif key not in tools.calls:
        tools.misses += 1
        tools.calls[key] = PendingCall(call_id=entry.call_id, n=moment.n, turn=turn)
        _hold(memory)


def keep_result(moment: FoldStep, entry: ToolReturned) -> None:
    """Keep a read-only success; whatever came back ends the call."""
    memory, tools = moment.memory, moment.memory.tools
    key = cache_key(entry.tool, entry.version, entry.arguments)
    if key is None:
        return
    call = tools.calls.get(key)
    if call is not None and call.call_id == entry.call_id:
        del tools.calls[key]
    ttl = memory.settings.cache.ttl if entry.ttl is None else entry.ttl
    if not entry.ok or not entry.read_only or ttl <= 0:
        return
    tools.calls.pop(key, None)
    _drop(memory, key)
    kept = tools.cached[key] = _cached(moment, key, entry, min(ttl, _MOST_TURNS))
    _hold(memory)
    if key in tools.cached:
        data = {"tool": kept.tool, "key": key, "n": kept.n, "expires": kept.expires}
        moment.record_fact("tool.cached", None, **data)


def record_injection(moment: FoldStep, entry: ContextInjected) -> None:
    """Note what a participant was shown of its surroundings."""
    memory = moment.memory
    shown = memory.tools.injected.setdefault(moment.participant, {})
    shown[entry.key] = Injection(
        hash=hash_content(entry.content),
        n=moment.n,
        turn=memory.exchanges.turn,
        text=clip(entry.content, memory.settings.limits.context_text),
    )
    _newest(shown)
    everyone = memory.tools.injected
    if len(everyone) > SHOWN:
        del everyone[
            min(
                everyone, key=lambda name: max(injection.n for injection in everyone[name].values())
            )
        ]
    moment.record_fact("context.injected", None, participant=moment.participant, key=entry.key)


def expire_results(memory: Memory) -> None:
    """Let go of what may not be served in the turn that begins, and of calls of the one before."""
    turn = memory.exchanges.turn
    for key in [key for key, cached in memory.tools.cached.items() if cached.expires <= turn]:
        _drop(memory, key)
    memory.tools.calls.clear()


def enforce_cache_limits(memory: Memory) -> None:
    """Hold the limits in force over what is held already."""
    limits = memory.settings.limits
    for cached in memory.tools.cached.values():
        cached.value = shorten_bytes(cached.value, limits.answer.cap, limits.answer.target)
        cached.arguments = _short(memory, cached.arguments)
    for shown in memory.tools.injected.values():
        for key, injection in shown.items():
            shown[key] = Injection(
                hash=injection.hash,
                n=injection.n,
                turn=injection.turn,
                text=clip(injection.text, limits.context_text),
            )
    _hold(memory)


def rename_user(memory: Memory, old: str, new: str) -> None:
    """Count what `old` gave as given by `new`, and was shown as shown to `new`, the newest of
    each key."""
    for cached in memory.tools.cached.values():
        if cached.participant == old:
            cached.participant = new
    gone = memory.tools.injected.pop(old, None)
    if gone is None:
        return
    shown = memory.tools.injected.setdefault(new, {})
    for key, injection in gone.items():
        if key not in shown or shown[key].n < injection.n:
            shown[key] = injection
    _newest(shown)


# -- asking --------------------------------------------------------------------


def find_result(memory: Memory, key: str | None) -> CachedResult | None:
    """The result that may be served for `key` now."""
    return None if key is None else memory.tools.cached.get(key)


def list_live_results(memory: Memory) -> list[CachedResult]:
    """The results that may be served now, oldest first."""
    return sorted(memory.tools.cached.values(), key=lambda cached: cached.n)


def remaining_exchanges(memory: Memory, cached: CachedResult) -> int:
    """The exchanges after the present one that `cached` may still be served in."""
    return cached.expires - memory.exchanges.turn - 1


def list_injections(memory: Memory, participant: str) -> dict[str, Injection]:
    """What `participant` was shown that is still within the window of exchanges, oldest first."""
    shown = memory.tools.injected.get(memory.named(participant), {})
    turn, most = memory.exchanges.turn, memory.settings.limits.exchanges
    inside = [(key, injection) for key, injection in shown.items() if turn - injection.turn <= most]
    return dict(sorted(inside, key=lambda item: item[1].n))


def hash_content(content: str) -> str:
    """BLAKE2b-128, in hex, of what was injected."""
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# -- holding -------------------------------------------------------------------


def _cached(moment: FoldStep, key: str, entry: ToolReturned, ttl: int) -> CachedResult:
    memory = moment.memory
    turn, limit = memory.exchanges.turn, memory.settings.limits.answer
    return CachedResult(
        key=key,
        tool=entry.tool,
        arguments=_short(memory, encode_canonical(entry.arguments) or ""),
        n=moment.n,
        participant=moment.participant,
        call_id=entry.call_id,
        value=shorten_bytes(entry.content, limit.cap, limit.target),
        bytes=byte_size(entry.content),
        ttl=ttl,
        stored=turn,
        expires=turn + ttl + 1,
        limit=turn + min(memory.settings.cache.max_age, _MOST_TURNS) + 1,
    )


def _short(memory: Memory, arguments: str) -> str:
    """Arguments as they are kept: whole, or not at all, since half of them is no JSON."""
    return arguments if len(arguments) <= memory.settings.limits.context_text else ""


def _hold(memory: Memory) -> None:
    """Keep at most `limits.cached` results; what would end first goes first, then the oldest."""
    tools, most = memory.tools, memory.settings.limits.cached
    while len(tools.cached) > most:
        _drop(memory, min(tools.cached, key=lambda key: _order(tools.cached[key])))
        tools.evicted += 1
    while len(tools.calls) > most:
        del tools.calls[min(tools.calls, key=lambda key: tools.calls[key].n)]


def _order(cached: CachedResult) -> tuple[int, int]:
    return cached.expires, cached.n


def _drop(memory: Memory, key: str) -> None:
    gone = memory.tools.cached.pop(key, None)
    if gone is not None:
        short_forms.drop_short_form(memory, "result", gone.n)


def _newest(shown: dict[str, Injection]) -> None:
    while len(shown) > INJECTIONS:
        del shown[min(shown, key=lambda key: shown[key].n)]
