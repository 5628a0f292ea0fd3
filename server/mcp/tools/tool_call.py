"""What a tool is, and what a call of one has at hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from parley.server.http.state.dependencies import Dependencies
from parley.server.http.tokens.callers import Caller
from parley.server.mcp.tools.pending_waits import PendingWaits

BY_NAME: Final = "stdio"  # as `jti`: on standard input by a name alone; of a token none is so short


@dataclass(frozen=True, slots=True)
class McpDependencies:
    """The doors as agents come by them."""

    deps: Dependencies
    waits: PendingWaits


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call: who asks, and the arguments as they were checked."""

    door: McpDependencies
    caller: Caller
    args: Any  # of the tool's own model

    @property
    def deps(self) -> Dependencies:
        return self.door.deps

    @property
    def session(self) -> str:
        """The session that it is about; "" of a tool that is about none."""
        return str(getattr(self.args, "session", ""))


@dataclass(frozen=True, slots=True)
class Tool:
    """One row of the registry: what is listed, checked, run and rendered goes by it.

    `right` is the one that a caller needs; `text` puts a result into words for a reader
    that takes text alone.
    """

    name: str
    title: str
    description: str
    args: type[BaseModel]
    result: type[BaseModel]
    right: str
    run: Callable[[ToolCall], Awaitable[BaseModel]]
    text: Callable[[Any], str]

    @property
    def read_only(self) -> bool:
        """Whether a session is the same after it; by its right, so no row can say otherwise."""
        return self.right in ("token", "read")

    @property
    def in_session(self) -> bool:
        """Whether it is about a session that there is; opening one is not."""
        return "session" in self.args.model_fields and self.right != "operator"
