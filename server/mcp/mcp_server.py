"""The MCP server over the doors: its handlers, and `/mcp` over HTTP.

Nothing hangs on a connection: each request brings its token, and what state there is
belongs to a name in a session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from parley.bus.connection.tasks import TaskHost
from parley.server.basics.version import version
from parley.server.http.identity.authorization import RequiresRight
from parley.server.http.problems.problem_details import (
    Problem,
    problem_from_exception,
    send_problem,
)
from parley.server.http.problems.query_parameters import OWN_NAMES
from parley.server.http.state.dependencies import Dependencies, MountedPart
from parley.server.http.tokens.callers import Caller
from parley.server.mcp import mcp_prompts, mcp_resources
from parley.server.mcp.deliberation_grammar import FENCE
from parley.server.mcp.message_envelope import check_envelope
from parley.server.mcp.tools import tool_registry
from parley.server.mcp.tools.call_dispatch import ToolRequest, run_tool
from parley.server.mcp.tools.pending_waits import PendingWaits
from parley.server.mcp.tools.tool_call import McpDependencies
from parley.server.mcp.tools.tool_offer import QUERY, ToolOffer, offer_from_query

PATH: Final = "/mcp"
_INSTRUCTIONS: Final = (
    "Sessions in which people and agents deliberate. Join one with join_session, then call "
    "wait_for_messages again and again; speak when you have something to add. The prompt "
    f"`deliberate` tells more. {FENCE}"
)

Context = ServerRequestContext[Any, Any]


def mount_mcp(deps: Dependencies) -> MountedPart:
    """`/mcp`, behind the same identity, and the session manager that it needs."""
    door = McpDependencies(deps, PendingWaits())
    manager = StreamableHTTPSessionManager(
        app=build_mcp_server(door), stateless=True, json_response=False,
        security_settings=TransportSecuritySettings(
            allowed_hosts=list(deps.origins.hosts), allowed_origins=list(deps.origins.allowed)
        ),
        max_request_body_size=deps.settings.serve.body_bytes,
    )  # fmt: skip

    route = Route(PATH, endpoint=_Endpoint(manager), methods=["POST"])
    return MountedPart((route,), partial(_running, manager))


@asynccontextmanager
async def _running(manager: StreamableHTTPSessionManager) -> AsyncIterator[None]:
    """In a task of its own: the manager has to end where it began, whoever ends the server."""
    host, begun, ending = TaskHost("parley-mcp"), anyio.Event(), anyio.Event()

    async def hold_open() -> None:
        try:
            async with manager.run():
                begun.set()
                await ending.wait()
        finally:
            begun.set()

    child = host.start("parley-mcp", hold_open)
    try:
        await begun.wait()
        if child.error is None:
            yield
    finally:
        ending.set()
        with anyio.CancelScope(shield=True):
            await child.wait()
            await host.aclose()


class _Endpoint:
    """Lets in whoever has a token. Nothing is streamed on GET, and there is nothing to delete."""

    needs = RequiresRight("token")

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[OWN_NAMES] = QUERY
        try:
            scope.setdefault("state", {})["caller"] = await self.needs(HTTPConnection(scope))
            offer_from_query(HTTPConnection(scope).query_params)
            again = await check_envelope(scope, receive)
        except Problem as problem:
            await send_problem(problem, scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._manager.handle_request(scope, again, send)


def build_mcp_server(
    door: McpDependencies, caller: Caller | None = None, offer: ToolOffer | None = None
) -> Server[Any]:
    """The server of MCP. `caller` is who calls where no request brings a token.

    `offer` says which tools are listed; None: the address of each request.
    """
    handlers = _Handlers(door, caller, offer)
    made: Server[Any] = Server(
        "parley", version=version(), title="Parley", instructions=_INSTRUCTIONS,
        get_tool_input_schema=tool_registry.input_schema,
        on_list_tools=handlers.list_tools, on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts, on_get_prompt=handlers.get_prompt,
    )  # fmt: skip
    made.middleware.append(_without_echo)
    return made


# What the SDK (mcp 2.3, `ServerRunner`) raises for a request before the handshake, and no other.
_EARLY: Final = "Invalid request parameters"


async def _without_echo(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Errors of the protocol say what is wrong, and never what was sent."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        message = "Call initialize first." if error.message == _EARLY else error.message
        raise MCPError(error.code, message) from None


class _Handlers:
    """What the protocol asks, answered from the registries."""

    def __init__(
        self, door: McpDependencies, caller: Caller | None, offer: ToolOffer | None
    ) -> None:
        self._door, self._caller, self._offer = door, caller, offer

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        offer, session = self._offered(ctx), self._who(ctx).only_session
        return types.ListToolsResult(tools=list(tool_registry.list_tools(offer, session)))

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tool_registry.BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such tool.")
        asked = ToolRequest(tool, params.arguments or {}, self._offered(ctx))
        return await run_tool(self._door, self._who(ctx), asked)

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=mcp_resources.list_resources(self._who(ctx)))

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=mcp_resources.list_templates())

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text_resource_contents = await mcp_resources.read_resource(
                self._door, self._who(ctx), params.uri
            )
        except Exception as error:
            raise _refusal(error) from None
        return types.ReadResourceResult(contents=[text_resource_contents])

    async def list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(mcp_prompts.PROMPTS))

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        try:
            given = params.arguments or {}
            get_prompt_result = await mcp_prompts.get_prompt(
                self._door, self._who(ctx), params.name, given, self._offered(ctx)
            )
        except Exception as error:
            raise _refusal(error) from None
        if get_prompt_result is None:
            raise MCPError(types.INVALID_PARAMS, "There is no such prompt.")
        return get_prompt_result

    def _offered(self, ctx: Context) -> ToolOffer:
        if self._offer is not None:
            return self._offer
        return ToolOffer() if ctx.request is None else offer_from_query(ctx.request.query_params)

    def _who(self, ctx: Context) -> Caller:
        """Raises `MCPError` for a request without a caller, which the door lets nobody send."""
        if self._caller is not None:
            return self._caller
        if ctx.request is None:
            raise MCPError(types.INTERNAL_ERROR, "Nobody called.")
        caller: Caller = ctx.request.scope["state"]["caller"]
        return caller


def _refusal(error: Exception) -> MCPError:
    problem = problem_from_exception(error)
    code = types.INTERNAL_ERROR if problem.status >= 500 else types.INVALID_PARAMS
    return MCPError(code, f"{problem.slug}: {problem.detail}")
