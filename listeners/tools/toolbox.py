"""Tools of a session: looked up before they run, run once, kept in the log.

Several tasks or processes may want the same call at once. Each says so in the
log; the first to have said it runs the tool, the others wait for what it
returns. A runner that died or failed costs them a wait, never a result.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from parley.bus import Receipt
from parley.bus.contract.drafts import new_id, validate_entry
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import ToolCalled, ToolReturned
from parley.listeners.cache.ranges import RangeGone, read_range
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.tools.tool_calls import TURNS, SharedCall, call_key, may_be_shared
from parley.memory.exchanges.tool_cache import find_result, remaining_exchanges

WAIT_SECONDS: Final = 30.0

Arguments = Mapping[str, Any]
Run = Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A result: `n` is its entry, `call_id` that of the call that brought it.

    `kept`: it was there before. `remaining_exchanges` of `ttl` exchanges after this one
    it may be served in; both 0 where it is not kept.
    """

    tool: str
    call_id: str
    result: str
    n: int
    kept: bool
    remaining: int = 0
    ttl: int = 0


class Toolbox:
    """The tools of one session, in the hands of a participant.

    `wait`: seconds for another's call under way; a tool slower than that is run again.
    """

    def __init__(self, access: SessionAccess, wait: float = WAIT_SECONDS) -> None:
        self._access, self._wait_seconds = access, wait
        self._participant = access.participant

    async def lookup(self, tool: str, arguments: Arguments, version: str = "") -> ToolResult | None:
        """The result of that call, in full, if it is kept: a hit, which keeps it for longer.

        None on a miss, which is counted; nobody waits for it. Raises what `bus.publish` does.
        """
        asked = self._called(tool, arguments, version, new_id(), lookup=True)
        await self._publish(asked)
        return await self._kept(call_key(asked))

    async def put(
        self,
        tool: str,
        arguments: Arguments,
        result: str,
        *,
        version: str = "",
        read_only: bool = True,
        ttl: int | None = None,
        error: str | None = None,
        call_id: str | None = None,
        of: str | None = None,
        id: str = "",
    ) -> Receipt:
        """Publish what a tool returned, under `id` or a new one.

        It is kept where it was read-only and no `error`. It counts in the goal or task of
        the handle `of`, else in one's newest.
        """
        returned = validate_entry(
            ToolReturned,
            participant=self._participant,
            tool=tool,
            call_id=new_id() if call_id is None else call_id,
            content=result,
            ok=error is None,
            error=error,
            arguments=_json(arguments),
            version=version,
            read_only=read_only,
            ttl=ttl,
            episode=of,
        )
        return await self._access.publish(returned, id or f"tool:{new_id()}")

    async def call(
        self,
        tool: str,
        arguments: Arguments,
        run: Run,
        *,
        read_only: bool,
        ttl: int | None = None,
        version: str = "",
    ) -> ToolResult:
        """The kept result, that of a call under way, or what `run` gives now.

        A tool that writes is always run. Raises what `run` raises, once the
        failure is in the log; a failure is never kept and never shared.
        """
        begun = await self._begin(tool, arguments, version, read_only)
        return (
            begun if isinstance(begun, ToolResult) else await self._run(begun, run, read_only, ttl)
        )

    async def begin(
        self, tool: str, arguments: Arguments, *, version: str = ""
    ) -> ToolResult | str:
        """`call` of a tool that only reads, for one that is run elsewhere.

        The kept result, or that of a call under way; else the id of a call that is the caller's
        now: run the tool, and `put` what it returns under that `call_id`.
        """
        begun = await self._begin(tool, arguments, version, read_only=True)
        return begun if isinstance(begun, ToolResult) else begun.call_id

    async def _begin(
        self, tool: str, arguments: Arguments, version: str, read_only: bool
    ) -> ToolResult | ToolCalled:
        for turn in range(TURNS):
            asked = self._called(tool, arguments, version, new_id())
            receipt = await self._publish(asked)
            if not read_only or turn == TURNS - 1:
                break
            shared_result, ours = await self._shared(asked, receipt.seq)
            if shared_result is not None:
                return shared_result
            if ours:
                break
        return asked

    async def _shared(self, asked: ToolCalled, seq: int) -> tuple[ToolResult | None, bool]:
        """What is kept, or what the call under way returns; else whether the call is ours now.

        Neither where another's failed: then whoever asks first again owns it.
        """
        key = call_key(asked)
        memory = await self._access.memory()
        under_way = memory.tools.calls.get(key or "")
        if find_result(memory, key) is not None:
            return await self._kept(key), False
        if under_way is None:
            return None, memory.settings.limits.cached == 0
        if under_way.call_id == asked.call_id:
            return None, True
        waiting = SharedCall(self._access.bus, self._access.session, self._wait_seconds)
        other = await waiting.returned(under_way.call_id, asked, seq)
        if other is None:
            return None, True
        entry = cast("ToolReturned", other.entry)
        if not may_be_shared(entry):
            return None, False
        return ToolResult(asked.tool, entry.call_id, entry.content, other.n, kept=True), False

    async def _run(
        self, asked: ToolCalled, run: Run, read_only: bool, ttl: int | None
    ) -> ToolResult:
        tool, arguments, version = asked.tool, asked.arguments, asked.version
        call_fields: dict[str, Any] = {
            "version": version, "read_only": read_only, "ttl": ttl, "call_id": asked.call_id,
        }  # fmt: skip
        try:
            result = await run()
        except Exception as error:
            await self.put(tool, arguments, str(error), error=type(error).__name__, **call_fields)
            raise
        receipt = await self.put(tool, arguments, result, **call_fields)
        memory = await self._access.memory()
        kept_result = find_result(memory, call_key(asked))
        if kept_result is None or kept_result.n != receipt.n:
            return ToolResult(tool, asked.call_id, result, receipt.n, kept=False)
        left = remaining_exchanges(memory, kept_result)
        return ToolResult(tool, asked.call_id, result, receipt.n, False, left, kept_result.ttl)

    async def _kept(self, key: str | None) -> ToolResult | None:
        """What is kept under `key`, its whole text read from the log."""
        memory = await self._access.memory()
        kept_result = find_result(memory, key)
        if kept_result is None:
            return None
        left = remaining_exchanges(memory, kept_result)
        tool, call_id, ttl = kept_result.tool, kept_result.call_id, kept_result.ttl
        n = kept_result.n
        skips = frozenset((await self._access.bus.info(self._access.session)).skips)
        with contextlib.suppress(RangeGone):
            entry_range = await read_range(self._access.bus, self._access.session, n, n, skips)
            for record in entry_range.records:
                entry = cast("ToolReturned", record.entry)
                return ToolResult(tool, call_id, entry.content, n, True, left, ttl)
        return None

    def _called(
        self, tool: str, arguments: Arguments, version: str, call_id: str, *, lookup: bool = False
    ) -> ToolCalled:
        return validate_entry(
            ToolCalled,
            participant=self._participant,
            tool=tool,
            call_id=call_id,
            arguments=_json(arguments),
            version=version,
            lookup=lookup,
        )

    async def _publish(self, asked: ToolCalled) -> Receipt:
        return await self._access.publish(asked, f"call:{asked.call_id}")


def _json(arguments: Arguments) -> dict[str, Any]:
    """Arguments as JSON has them. Raises `InvalidEntry` for what no JSON can say."""
    try:
        json_arguments = cast("dict[str, Any]", orjson.loads(orjson.dumps(dict(arguments))))
        json.dumps(arguments, allow_nan=False, default=str)  # orjson writes NaN as null
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidEntry(f"arguments of a tool must be JSON: {error}") from None
    return json_arguments
