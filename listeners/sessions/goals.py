"""Working towards goals, as a participant's program does it.

    goals = session.goals
    async with goals.process_goal("Count the doors") as goal:
        async with goals.task("Count doors on floor 2"):
            await goals.record_tool_run("query", "found 12 doors", arguments={"floor": 2})
            await goals.record_step("Two are hidden.", discovered={"hidden doors": "2"})
        goal.result = "14 doors"

Opening a goal archives one's previous one; leaving the block closes it, as
failed where it raised. Everything is an entry of the session's log, dated now.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import anyio

from parley.bus.contract.drafts import new_id
from parley.bus.contract.errors import BusError
from parley.bus.entries import (
    Ending,
    Entry,
    EpisodeClosed,
    EpisodeKind,
    EpisodeOpened,
    Step,
    StepForm,
    ToolReturned,
)
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.effects.inline_summaries import InlineSummaries
from parley.memory.errors import NothingOpen, NotOpened
from parley.memory.state.lookup import find_episode, innermost_open_episode

_RESULT_CHARS: Final = 500  # of an error that ended a goal


@dataclass(slots=True)
class OpenGoal:
    """A goal or task in hand. What is put into `result` is what it came to."""

    handle: str
    n: int  # of the entry that opened it
    result: str = ""


class Goals:
    """One participant's goals and tasks in one session."""

    def __init__(self, access: SessionAccess, inline_summaries: InlineSummaries) -> None:
        self._access, self._inline_summaries = access, inline_summaries
        self._participant = access.participant

    async def set_session_goal(self, title: str, after: Sequence[str] = ()) -> OpenGoal:
        """Open a goal, which archives the one before it; `after`: handles it waits for.

        Raises `NotOpened`, and what `bus.publish` does.
        """
        return await self._open("goal", title, None, after)

    async def complete_current_goal(
        self, success: bool = True, *, status: Ending | None = None, result: str = ""
    ) -> None:
        """Close one's newest open goal: completed, failed, or as `status` says.

        Raises `NothingOpen`.
        """
        goal = innermost_open_episode(await self._access.memory(), "goal", self._participant)
        if goal is None:
            raise NothingOpen(f"no goal of {self._participant!r} is open")
        await self._close(goal.handle, status or ("completed" if success else "failed"), result)

    def process_goal(
        self, title: str, after: Sequence[str] = ()
    ) -> AbstractAsyncContextManager[OpenGoal]:
        """A goal for as long as the block lasts: completed, failed where it raises,
        abandoned where it is cancelled. Whatever it raised passes.
        """
        return self._while_open("goal", title, None, after)

    def task(
        self, title: str, *, of: OpenGoal | None = None, after: Sequence[str] = ()
    ) -> AbstractAsyncContextManager[OpenGoal]:
        """A task of `of` (the innermost open goal) for as long as the block lasts."""
        return self._while_open("task", title, of, after)

    async def record_tool_run(
        self,
        tool: str,
        content: str = "",
        *,
        ok: bool = True,
        error: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        of: OpenGoal | None = None,
    ) -> None:
        """Record a tool run of `of`, else of one's newest open task or goal.

        `error` is the kind of a failure, such as TimeoutError.
        """
        await self._publish(
            ToolReturned(
                participant=self._participant,
                tool=tool,
                call_id=new_id(),
                content=content,
                ok=ok and error is None,
                error=error,
                arguments=dict(arguments or {}),
                episode=None if of is None else of.handle,
                at=_now(),
            )
        )

    async def record_step(
        self,
        content: str,
        form: StepForm = "reasoning",
        *,
        ok: bool = True,
        discovered: Mapping[str, str] | None = None,
        confidence: int | None = None,
        of: OpenGoal | None = None,
    ) -> None:
        """Record a step; `discovered` outlives its task, `confidence` is per mille."""
        await self._publish(
            Step(
                participant=self._participant,
                form=form,
                content=content,
                ok=ok,
                discovered=dict(discovered or {}),
                confidence=confidence,
                episode=None if of is None else of.handle,
                at=_now(),
            )
        )

    @asynccontextmanager
    async def _while_open(
        self, kind: EpisodeKind, title: str, of: OpenGoal | None, after: Sequence[str]
    ) -> AsyncIterator[OpenGoal]:
        goal = await self._open(kind, title, of, after)
        try:
            yield goal
        except Exception as error:
            what = f"{type(error).__name__}: {error}"[:_RESULT_CHARS]
            with suppress(BusError):  # what it raised matters more
                await self._close(goal.handle, "failed", goal.result or what)
            raise
        except BaseException:
            with suppress(BusError), anyio.CancelScope(shield=True):
                await self._close(goal.handle, "abandoned", goal.result)
            raise
        await self._close(goal.handle, "completed", goal.result)

    async def _open(
        self, kind: EpisodeKind, title: str, of: OpenGoal | None, after: Sequence[str]
    ) -> OpenGoal:
        n = await self._publish(
            EpisodeOpened(
                participant=self._participant,
                episode=kind,
                title=title,
                parent=None if of is None else of.handle,
                after=tuple(after),
                at=_now(),
            )
        )
        memory = await self._access.memory()
        opened = find_episode(memory, n)
        if opened is None:
            raise NotOpened(title, memory.settings.limits.open_episodes)
        return OpenGoal(opened.handle, n)

    async def _close(self, handle: str, status: Ending, result: str) -> None:
        await self._publish(
            EpisodeClosed(
                participant=self._participant, re=handle, status=status, result=result, at=_now()
            )
        )

    async def _publish(self, entry: Entry) -> int:
        receipt = await self._access.publish(entry)
        await self._inline_summaries.settle()
        return receipt.n


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
