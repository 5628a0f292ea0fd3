"""One question each about a session's memory, now or at a past moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parley.bus.contract.session_info import SessionInfo
from parley.memory.context.context import Context, Profile
from parley.memory.context.parts import Part
from parley.memory.state.memory import Memory
from parley.server.basics.errors import NotYet
from parley.server.queries.log_queries import read_entries
from parley.server.rows.digest_rows import cited, digest
from parley.server.runtime.backend import Backend


def check_moment(info: SessionInfo, at: int | None) -> None:
    """Raises `NotYet` for a moment that has not come yet."""
    if at is not None and at > info.n:
        raise NotYet(info.session, at, info.n)


async def read_memory(backend: Backend, session: str, at: int | None = None) -> Memory:
    """The memory, now or as of the `at`-th primary entry. Raises `NotYet`."""
    if at is None:
        return await backend.reader.current(session)
    check_moment(await backend.bus.info(session), at)
    return await backend.reader.at(session, at)


async def read_digest(backend: Backend, session: str, at: int | None = None) -> dict[str, Any]:
    """The minutes, now or as of the `at`-th primary entry."""
    memory = await read_memory(backend, session, at)
    records = await read_entries(backend.bus, session, cited(memory))
    if at is None:  # reading was an await: the copy may have been folded on
        memory = await backend.reader.current(session)
    return digest(memory, records)


async def read_context(
    backend: Backend,
    session: str,
    participant: str | None,
    profile: Profile,
    budget: int | None,
    at: int | None,
    shared: Sequence[str] = (),
    parts: Sequence[Part] = (),
) -> Context:
    """The context of a participant, or its `parts`, with what the sessions `shared` decided."""
    if at is not None:
        check_moment(await backend.bus.info(session), at)
    return await backend.reader.context(
        session, participant, profile=profile, budget=budget, at=at, shared=shared, parts=parts
    )
