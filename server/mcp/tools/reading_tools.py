"""The tools that read, and the one that opens a session."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from msgspec.structs import asdict

from parley.bus.contract.errors import SessionNotFound
from parley.bus.contract.session_info import SessionInfo
from parley.bus.entries import Record
from parley.memory.settings.presets import PRESETS
from parley.memory.state.memory import Memory as Folded
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.http.live.frames import entry_frame
from parley.server.http.problems.problem_details import Problem
from parley.server.http.requests.brief_answer import read_brief as brief_of
from parley.server.http.requests.memory_reads import assemble_context, explain_item
from parley.server.http.requests.memory_reads import read_memory as memory_of
from parley.server.http.requests.session_requests import unknown_name_problem
from parley.server.http.requests.session_states import session_rows
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION
from parley.server.mcp.tools.result_rows import add_quotes, cited_messages, memory_tree, message_row
from parley.server.mcp.tools.tool_call import ToolCall
from parley.server.mcp.tools.tool_results import (
    Brief,
    ContextText,
    Created,
    Explained,
    Memory,
    MessageRow,
    Messages,
    SessionRow,
    Sessions,
)
from parley.server.records.session_opening import open_entry
from parley.server.services import goals
from parley.server.settings import Settings

PAGE: Final = 200  # sessions asked for at once
MOST: Final = 100  # messages of one answer
WHOLE: Final = 200_000  # characters of a message that is asked for alone


async def list_sessions(call: ToolCall) -> Sessions:
    """The sessions that the caller may enter, newest activity first."""
    args, caller, bus = call.args, call.caller, call.deps.backend.bus
    session_infos: list[SessionInfo] = []
    if caller.session != EVERY_SESSION and not caller.operator:
        with suppress(SessionNotFound):  # a token may be made before its session is
            session_infos = [await bus.info(caller.session)]
    else:
        offset = 0
        while len(session_infos) < args.limit and (page := await bus.sessions(offset, PAGE)):
            session_infos += [
                session_info
                for session_info in page
                if args.status in (None, _status(session_info))
            ]
            offset += len(page)
    shown = [
        session_info
        for session_info in session_infos
        if args.status in (None, _status(session_info))
    ][: args.limit]
    rows = await session_rows(call.deps, [asdict(session_info) for session_info in shown])
    return Sessions(sessions=[_row(row) for row in rows])


async def create_session(call: ToolCall) -> Created:
    args, backend = call.args, call.deps.backend
    entry = open_entry(_opened_by(call.deps.settings, args.preset), backend.packs, args.title)
    await backend.bus.open(args.session, entry)
    if args.goal is not None:
        begun = goals.draft_episode("goal", args.goal, by=call.caller.name)
        await goals.open_episode(backend, args.session, begun)
    return Created(session=args.session, n=(await backend.bus.info(args.session)).n)


async def read_memory(call: ToolCall) -> Memory:
    args, deps = call.args, call.deps
    tree = memory_tree(await memory_of(deps, call.session, args.at), args.part)
    records = await deps.moments.records(call.session, cited_messages(tree))
    return Memory.model_validate(add_quotes(tree, records))


async def read_brief(call: ToolCall) -> Brief:
    row = await brief_of(call.deps, call.session, call.args.at, call.caller.name)
    return Brief.model_validate(row)


async def get_context(call: ToolCall) -> ContextText:
    """The caller's own; an operator, who takes no part, sees everybody's."""
    args, caller = call.args, call.caller
    context = await assemble_context(
        call.deps, call.session, None if caller.role == "operator" else caller.name,
        args.profile, args.budget, args.at, parts=args.parts,
    )  # fmt: skip
    return ContextText(text=context.text, size=context.size, cites=list(context.cites))


async def explain(call: ToolCall) -> Explained:
    row = await explain_item(call.deps, call.session, normalize_handle(call.args.ref))
    return Explained.model_validate({"handle": row.get("ref"), **row})


async def read_messages(call: ToolCall) -> Messages:
    args, deps, name = call.args, call.deps, call.caller.name
    if args.last < args.first:
        raise Problem("invalid", field="last", fault="before_first")
    memory = await memory_of(deps, call.session)
    last = min(args.last, memory.n)
    numbers = range(args.first, last + 1)[:MOST]
    records = await deps.moments.records(call.session, numbers)
    rows = [
        _message(records[n], memory, name, alone=args.first == args.last)
        for n in numbers
        if n in records and records[n].is_message
    ]
    return Messages(messages=rows, next=numbers[-1] + 1 if numbers and numbers[-1] < last else None)


def _message(record: Record, memory: Folded, name: str, *, alone: bool) -> MessageRow:
    data = orjson.loads(entry_frame(record, []).data)
    return message_row(data, memory, name, **({"most": WHOLE} if alone else {}))


def _opened_by(settings: Settings, preset: str | None) -> Settings:
    """The settings of the process, with that preset for the sessions it opens."""
    if preset is None:
        return settings
    if preset not in PRESETS:
        raise unknown_name_problem("preset", PRESETS)
    session = settings.session.model_copy(update={"preset": preset})
    return settings.model_copy(update={"session": session})


def _row(row: Mapping[str, Any]) -> SessionRow:
    at = datetime.fromtimestamp(row["last_activity_ms"] / 1000, UTC)
    return SessionRow(
        session=row["session"], title=row["title"], status=row["status"], n=row["n"],
        last_activity=at.isoformat(timespec="seconds"),
    )  # fmt: skip


def _status(session_info: SessionInfo) -> str:
    return "open" if session_info.status == "open" else "closed"
