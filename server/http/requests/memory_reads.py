"""Memory as a route reads it: as it is now, or as it was."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Annotated, Any, Final

import orjson
from fastapi import Query, Request, Response

from parley.bus.entries import Record
from parley.listeners.cache.memory_reader import is_standing_message
from parley.memory.context.context import Context, Profile, assemble
from parley.memory.context.context import Request as Wanted
from parley.memory.context.parts import Part
from parley.memory.context.recent_talk import most_messages
from parley.memory.state.memory import Memory
from parley.server.http.state.dependencies import MAX_INTEGER, Dependencies
from parley.server.queries import explanation
from parley.server.queries.log_queries import Replay
from parley.server.queries.memory_queries import check_moment

MORE: Final = 16  # entries looked at beyond the messages wanted

At = Annotated[
    int | None, Query(ge=0, le=MAX_INTEGER, description="number of a past primary entry")
]


async def read_memory(deps: Dependencies, session: str, at: int | None = None) -> Memory:
    """Memory now or after primary entry `at`: read it before the next await.

    Raises `SessionNotFound`, and `NotYet` for a moment that has not come.
    """
    if at is None:
        return await deps.backend.reader.current(session)
    check_moment(await deps.backend.bus.info(session), at)
    return await deps.moments.at(session, at)


async def assemble_context(
    deps: Dependencies,
    session: str,
    participant: str | None,
    profile: Profile,
    budget: int | None,
    at: int | None,
    shared: Sequence[str] = (),
    parts: Sequence[Part] = (),
) -> Context:
    """What `participant` needs to know to speak, now or after primary entry `at`.

    Raises `SessionNotFound`, `NotYet`, `ContextOverflow`.
    """
    reader = deps.backend.reader
    if at is None:
        return await reader.context(
            session, participant, profile=profile, budget=budget, shared=shared, parts=parts
        )
    info = await deps.backend.bus.info(session)
    check_moment(info, at)
    if info.skips:
        return await reader.context(
            session, participant, profile=profile, budget=budget, at=at, shared=shared, parts=parts
        )
    others = [(other, await reader.current(other)) for other in shared]
    memory = await deps.moments.at(session, at)
    recent = await _recent(deps, session, at, most_messages(memory, profile, budget))
    asked = Wanted(participant, profile, budget, recent, others, parts)
    return assemble(memory, asked)


async def _recent(deps: Dependencies, session: str, at: int, count: int) -> list[Record]:
    """The newest `count` messages up to primary entry `at`, oldest first."""
    messages: list[Record] = []
    last = at
    while last > 0 and len(messages) < count:
        first = max(1, last - count - MORE)
        records = await deps.moments.records(session, range(first, last + 1))
        messages = [
            record for _, record in sorted(records.items()) if is_standing_message(record, ())
        ] + messages
        last = first - 1
    return messages[-count:] if count else []


async def explain_item(deps: Dependencies, session: str, ref: str) -> dict[str, Any]:
    """Why an item is in memory, as `server.queries.explanation` tells it. Raises `UnknownRef`."""
    facts = await deps.moments.history(session, ref)
    memory = await read_memory(deps, session)
    words = explanation.cited_entries(memory, ref) | {fact.n for fact in facts[:1]}
    recent = await deps.backend.reader.recent(session, most_messages(memory, "full"))
    cited = await deps.moments.records(session, words)
    memory = await read_memory(deps, session)
    cited.update((record.n, record) for record in recent)
    return explanation.build_explanation(Replay(memory, facts, cited), ref)


def gzip_response(request: Request, packed: bytes, tag: str, status: int = 200) -> Response:
    """JSON that is kept packed, to whoever takes it so; 304 where the caller has it."""
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if tag in (word.strip() for word in request.headers.get("if-none-match", "").split(",")):
        return Response(None, 304, headers)
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(packed, status, {**headers, "Content-Encoding": "gzip"}, "application/json")
    return Response(zlib.decompress(packed, 31), status, headers, "application/json")


def gzip_json(tree: Any) -> bytes:
    """The JSON of it, as gzip has it."""
    press = zlib.compressobj(1, wbits=31)
    return press.compress(orjson.dumps(tree)) + press.flush()


def accepts_gzip(accepts: str) -> bool:
    """Whether an `Accept-Encoding` takes gzip: by its name, else by `*`; a weight of 0 is a no."""
    accepted = {}
    for word in accepts.lower().split(","):
        name, _, weight = word.partition(";")
        accepted[name.strip()] = _weighs(weight)
    return accepted.get("gzip", accepted.get("x-gzip", accepted.get("*", False)))


def _weighs(weight: str) -> bool:
    """Whether `q=0.5` is more than nothing; without a word it is."""
    name, _, value = weight.partition("=")
    try:
        return name.strip() != "q" or float(value) > 0
    except ValueError:
        return False
