"""Sessions as documents: what a client may put before a model without calling a tool."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from mcp_types import Resource, ResourceTemplate, TextResourceContents

from parley.memory.fold import canonical_bytes
from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests.memory_reads import read_memory
from parley.server.http.requests.minutes_answer import render_minutes
from parley.server.http.state.dependencies import SESSION_PATTERN
from parley.server.http.tokens.callers import Caller
from parley.server.mcp.deliberation_grammar import describe_grammar
from parley.server.mcp.tools import reading_tools
from parley.server.mcp.tools.call_dispatch import check_right
from parley.server.mcp.tools.tool_arguments import ListSessions, ReadMemory
from parley.server.mcp.tools.tool_call import McpDependencies, ToolCall

JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown"
ALL: Final = "parley://sessions"
_URI: Final = re.compile(r"parley://sessions/([^/?#]{1,64})/([a-z]{1,20})")


@dataclass(frozen=True, slots=True)
class Document:
    """A document that every session has."""

    name: str
    title: str
    media: str
    read: Callable[[McpDependencies, Caller, str], Awaitable[str]]


async def minutes_text(door: McpDependencies, caller: Caller, session: str) -> str:
    """The minutes as Markdown. Raises `Problem`."""
    check_session(door, caller, session)
    return (await render_minutes(door.deps, session, None, "md")).decode()


async def _memory(door: McpDependencies, caller: Caller, session: str) -> str:
    """The whole memory, notebooks and secret ballots as well: for the operator, as over HTTP."""
    check_right(door, caller, "operator", session)
    return canonical_bytes.dump(await read_memory(door.deps, session)).decode()


async def _decisions(door: McpDependencies, caller: Caller, session: str) -> str:
    wish = ReadMemory(session=session, part="decisions")
    return (await reading_tools.read_memory(ToolCall(door, caller, wish))).model_dump_json()


async def _grammar(door: McpDependencies, caller: Caller, session: str) -> str:
    return describe_grammar(await read_memory(door.deps, session))


DOCUMENTS: Final = {
    document.name: document
    for document in (
        Document("minutes", "Minutes", MARKDOWN, minutes_text),
        Document("memory", "Memory, whole", JSON, _memory),
        Document("decisions", "Decisions with their evidence", JSON, _decisions),
        Document("grammar", "How to speak there", MARKDOWN, _grammar),
    )
}


def list_resources(caller: Caller) -> list[Resource]:
    """The list of sessions; of a token for one session also its documents."""
    resources = [Resource(uri=ALL, name="sessions", title="Sessions", mime_type=JSON)]
    if caller.session not in ("", "*"):
        resources += [
            Resource(
                uri=f"{ALL}/{caller.session}/{document.name}",
                name=f"{caller.session} {document.name}",
                title=document.title, mime_type=document.media,
            )
            for document in DOCUMENTS.values()
        ]  # fmt: skip
    return resources


def list_templates() -> list[ResourceTemplate]:
    return [
        ResourceTemplate(
            uri_template=f"{ALL}/{{session}}/{document.name}", name=document.name,
            title=document.title,
            mime_type=document.media,
        )
        for document in DOCUMENTS.values()
    ]  # fmt: skip


async def read_resource(door: McpDependencies, caller: Caller, uri: str) -> TextResourceContents:
    """What stands there. Raises `Problem` `not-found`, and what a tool would."""
    if uri == ALL:
        check_right(door, caller, "token", "")
        text = (
            await reading_tools.list_sessions(ToolCall(door, caller, ListSessions()))
        ).model_dump_json()
        return TextResourceContents(uri=uri, mime_type=JSON, text=text)
    match = _URI.fullmatch(uri)
    document = DOCUMENTS.get(match[2]) if match else None
    if match is None or document is None:
        raise Problem("not-found")
    check_session(door, caller, match[1])
    text = await document.read(door, caller, match[1])
    return TextResourceContents(uri=uri, mime_type=document.media, text=text)


def check_session(door: McpDependencies, caller: Caller, session: str) -> None:
    """Whether the caller may read it. Raises `Problem`."""
    if not re.fullmatch(SESSION_PATTERN, session):
        raise Problem("invalid", field="session", fault="string_pattern_mismatch")
    check_right(door, caller, "read", session)
