"""Notebooks: read, write, look back."""

from __future__ import annotations

from parley.bus.contract.drafts import Receipt
from parley.listeners.sessions.notebook import NotebookPage, Revision
from parley.server.queries.memory_queries import check_moment
from parley.server.runtime.backend import Backend


async def read_note(
    backend: Backend, session: str, participant: str, at: int | None = None
) -> NotebookPage:
    """The notebook of `participant`. Raises `NoNotebook`, and as `check_moment` does."""
    if at is not None:
        check_moment(await backend.bus.info(session), at)
    return await backend.session(session, participant).notebook.read(at=at)


async def write_note(
    backend: Backend,
    session: str,
    participant: str,
    text: str,
    base: int | None,
    id: str | None = None,
) -> Receipt:
    """Writes on revision `base`, the standing one when None.

    Raises `LimitExceeded`, `StaleRevision`, `NoNotebook`.
    """
    return await backend.session(session, participant).notebook.write(text, base, id=id)


async def list_revisions(backend: Backend, session: str, participant: str) -> list[Revision]:
    """Every revision and refusal, oldest first. Raises `NoNotebook`."""
    return await backend.session(session, participant).notebook.history()
