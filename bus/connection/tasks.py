"""Tasks that outlive the call which starts them, and the group they belong to.

Where a task lasts no longer than one block, use `anyio.create_task_group` there. A
`TaskHost` is for the others: its group lives in a task of its own, so it can be started
and closed from any task, a fixture or a lifespan (docs/decisions/0020).

The one module that names asyncio's tasks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVarTuple, Unpack

import anyio
from anyio.abc import TaskGroup

Ts = TypeVarTuple("Ts")
OnDeath = Callable[["Child", Exception], None]


class Child:
    """One task of a `TaskHost`, to be cancelled or awaited by anyone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.error: Exception | None = None  # what it died of
        self.scope: Final = anyio.CancelScope()
        self.over: Final = anyio.Event()

    @property
    def is_over(self) -> bool:
        return self.over.is_set()

    def cancel(self) -> None:
        """Asks it to end: each wait of the child raises, until it has."""
        self.scope.cancel()

    async def wait(self) -> None:
        """Waits until it is over, whatever of. Raises nothing of the child's: see `error`."""
        await self.over.wait()

    async def aclose(self) -> None:
        """Cancels it and waits until it is over, even in a cancelled scope."""
        self.cancel()
        with anyio.CancelScope(shield=True):
            await self.over.wait()


class TaskHost:
    """A task group in a task of its own; `start` and `aclose` may be called from any task.

    A child that dies of an error takes no sibling with it: it is handed to the `on_death`
    of its `start`, else to the host's, at once and in the child's task, which may start
    another. Without either the error is kept, and raised by the next `start` or `aclose`.

    Cancelled children are cancelled again at each wait (anyio's rule), so one that
    swallows a cancellation, as `asyncio.wait_for` may on Python 3.11, ends all the same. What a
    child does while it ends has to be shielded if it waits.
    """

    def __init__(self, name: str, on_death: OnDeath | None = None) -> None:
        self.name = name
        self.children: set[Child] = set()
        self._on_death = on_death
        self._errors: list[Exception] = []
        self._parent: asyncio.Task[None] | None = None
        self._closing = anyio.Event()
        self._group: TaskGroup | None = None
        self._due: list[Callable[[TaskGroup], None]] = []  # until the group is open

    def start(
        self,
        name: str,
        function: Callable[[Unpack[Ts]], Awaitable[Any]],
        *args: *Ts,
        on_death: OnDeath | None = None,
    ) -> Child:
        """Runs `function(*args)` as a child. Opens the host if it is not, or not any more."""
        self._raise_errors()
        if self._parent is None or self._parent.done():
            self._open()
        child = Child(name)
        self.children.add(child)

        def begin(group: TaskGroup) -> None:
            group.start_soon(self._run, child, function, args, on_death, name=name)

        if self._group is None:
            self._due.append(begin)
        else:
            begin(self._group)
        return child

    async def aclose(self) -> None:
        """Cancels all children and waits until they are over, even in a cancelled scope.

        Not to be called by a child. The host may be used again. Raises the errors that were
        handed to nobody.
        """
        with anyio.CancelScope(shield=True):
            while (parent := self._parent) is not None:
                self._closing.set()
                await asyncio.wait([parent])
                if self._parent is parent:
                    self._parent = None
        self._raise_errors()

    def _open(self) -> None:
        self._closing, self._group, self._due = anyio.Event(), None, []
        children = self.children = set()
        self._parent = asyncio.create_task(self._hold_group(self._closing), name=self.name)
        self._parent.add_done_callback(lambda _: _finish(*children))  # those that never began

    async def _hold_group(self, closing: anyio.Event) -> None:
        async with anyio.create_task_group() as group:
            self._group = group
            self._begin_due(group)
            await closing.wait()
            group.cancel_scope.cancel()

    def _begin_due(self, group: TaskGroup) -> None:
        due, self._due = self._due, []  # not kept: they hold what the children work on
        for begin in due:
            begin(group)

    async def _run(
        self,
        child: Child,
        function: Callable[..., Awaitable[Any]],
        args: tuple[Any, ...],
        on_death: OnDeath | None,
    ) -> None:
        try:
            with child.scope:
                await function(*args)
        except anyio.get_cancelled_exc_class():
            if not self._is_ending():  # somebody else's: its siblings live on
                self._report(child, RuntimeError(f"{child.name} was cancelled by others"), on_death)
        except Exception as error:
            self._report(child, error, on_death)
        finally:
            self.children.discard(child)
            _finish(child)

    def _is_ending(self) -> bool:
        parent = self._parent
        return self._closing.is_set() or parent is None or parent.cancelling() > 0

    def _report(self, child: Child, error: Exception, on_death: OnDeath | None) -> None:
        child.error = error
        if (hear := on_death or self._on_death) is not None:
            hear(child, error)
        else:
            self._errors.append(error)

    def _raise_errors(self) -> None:
        errors, self._errors = self._errors, []
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ExceptionGroup(f"{self.name}: tasks died", errors)


def _finish(*children: Child) -> None:
    for child in children:
        child.over.set()
