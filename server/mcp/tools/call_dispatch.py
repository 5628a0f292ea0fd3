"""A call of a tool: its arguments checked, its right, its rate; its result, or why not.

Nothing of the arguments is said back: a refusal names a field of ours and what is
wrong with it, and tells what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from parley.bus.connection.event_log import EventLog
from parley.server.http.identity.credentials import charge_rate
from parley.server.http.problems.problem_details import Problem, problem_from_exception
from parley.server.http.requests.message_requests import likeliest_error, validation_fault
from parley.server.http.tokens.callers import Caller
from parley.server.mcp.tools.tool_call import BY_NAME, McpDependencies, Tool, ToolCall
from parley.server.mcp.tools.tool_offer import ToolOffer

_logger = EventLog(__name__)

_STARTED: Final = (
    "This process was started for session {session}: leave out --session for all of them."
)

_ADVICE: Final = {
    "no-session": "list_sessions shows those that there are.",
    "exists": "Take another name, or join that one with join_session.",
    "no-item": "read_memory lists the handles that there are.",
    "no-message": "wait_for_messages and read_messages tell the numbers that there are.",
    "no-vote": "read_memory lists the votes that there are.",
    "closed": "Nothing more is taken there; read_memory still reads it.",
    "floor-not-granted": "Call wait_for_messages, then say it again if it still holds.",
    "floor-lost": "Call wait_for_messages to hear what came, then say it again if it still holds.",
    "seat-taken": "Call join_session to take it back.",
    "conflict": "Repeat a call with the words it had; for others take another key.",
    "invalid": "See the schema of the tool.",
    "not-yet": "Leave `at` out, or wait after the newest entry.",
    "damaged": "Nothing mends it from here: tell whoever runs the server.",
    "budget-too-small": "Ask for a larger budget.",
    "token-expired": "Ask whoever gave you the token for a new one.",
}

_HANDLES: Final = "get_context shows the handles that there are."

# Of these the advice names tools that `core` does not list.
_CORE_ADVICE: Final = {
    "no-session": "Ask whoever started you for its id.",
    "no-item": _HANDLES,
    "no-message": "wait_for_messages tells the numbers that there are.",
    "no-vote": _HANDLES,
    "closed": "Nothing more is taken there; get_context still reads it.",
}


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A tool, what it was called with, and which tools its caller was shown."""

    tool: Tool
    arguments: dict[str, Any]
    offer: ToolOffer


async def run_tool(door: McpDependencies, caller: Caller, asked: ToolRequest) -> CallToolResult:
    """Run it. What goes wrong is a result that says so, so that an agent reads it."""
    tool = asked.tool
    try:
        call = ToolCall(door, caller, _read(tool, caller, asked.arguments))
        await door.deps.revocations.refresh()
        door.deps.revocations.check(caller.jti)
        await door.deps.revocations.check_log(caller)
        check_right(door, caller, tool.right, call.session)
        if not tool.read_only:
            charge_rate(door.deps, caller, "publish")
        base_model = await tool.run(call)
        tree = base_model.model_dump(mode="json")
        return CallToolResult(content=_text(tool.text(base_model)), structured_content=tree)
    except Exception as error:
        return _refused(problem_from_exception(error), error, asked)


def check_right(door: McpDependencies, caller: Caller, right: str, session: str) -> None:
    """Raises `Problem`: an expired token's, another session's, a right that is missing.

    Who came by a name alone runs the process, and has the bus itself: it is held to no operator's.
    """
    if door.deps.clock() > caller.expires:
        raise Problem("token-expired")
    if session and not caller.may_enter(session):
        started = _STARTED.format(session=caller.session) if caller.jti == BY_NAME else ""
        raise Problem("other-session", detail=started)
    if right == "operator" and caller.jti == BY_NAME:
        return
    if not caller.may_do(right, session or caller.session):
        raise Problem("forbidden", needs=right)


def _read(tool: Tool, caller: Caller, arguments: dict[str, Any]) -> Any:
    if caller.only_session is not None and tool.in_session:
        arguments = {"session": caller.only_session, **arguments}
    try:
        return tool.args.model_validate(arguments)
    except ValidationError as refused:
        first = likeliest_error(refused)
        place: dict[str, Any] = validation_fault(tool.args, first["loc"], first)
        raise Problem("invalid", **place) from None


def _refused(problem: Problem, error: Exception, asked: ToolRequest) -> CallToolResult:
    if problem.slug == "internal":
        _logger.error("tool_failed", tool=asked.tool.name, exc_info=error)
    lines = [f"{problem.slug}: {problem.detail}"]
    lines += [
        f"{name}: {value}."
        for name, value in problem.body().items()
        if name in ("because", "field", "fault", "needs", "retry_after", "limit")
    ]
    few = _CORE_ADVICE if asked.offer.tools == "core" else {}
    if advice := few.get(problem.slug, _ADVICE.get(problem.slug)):
        lines.append(advice)
    return CallToolResult(content=_text(" ".join(lines)), is_error=True)


def _text(words: str) -> list[Any]:
    return [TextContent(type="text", text=words)]
