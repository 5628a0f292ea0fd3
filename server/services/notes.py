"""Notebooks: read, write, look back; from a command line, or of what is held."""

from __future__ import annotations

from parley.bus.contract.drafts import Receipt
from parley.listeners.sessions.notebook import NotebookPage, Revision
from parley.server.basics.entry_drafts import login_name
from parley.server.queries.memory_queries import check_moment
from parley.server.runtime.backend import Backend, open_backend
from parley.server.settings import Settings


async def read(
    settings: Settings, session: str, participant: str | None, at: int | None
) -> NotebookPage:
    """The notebook, now or as of the `at`-th primary entry. Raises `NoNotebook`."""
    async with open_backend(settings) as backend:
        return await read_in(backend, session, participant or login_name(), at)


async def read_in(
    backend: Backend, session: str, participant: str, at: int | None = None
) -> NotebookPage:
    """The notebook of `participant`. Raises `NoNotebook`, and as `check_moment` does."""
    await check_moment(backend.bus, session, at)
    return await backend.session(session, participant).notebook.read(at=at)


async def write(
    settings: Settings, session: str, participant: str | None, text: str, base: int | None
) -> Receipt:
    """Writes on revision `base`, the standing one when None.

    Raises `LimitExceeded`, `StaleRevision`, `NoNotebook`.
    """
    async with open_backend(settings) as backend:
        return await write_in(backend, session, participant or login_name(), text, base)


async def write_in(
    backend: Backend,
    session: str,
    participant: str,
    text: str,
    base: int | None,
    id: str | None = None,
) -> Receipt:
    """Writes on revision `base`, as `write` does."""
    return await backend.session(session, participant).notebook.write(text, base, id=id)


async def history(settings: Settings, session: str, participant: str | None) -> list[Revision]:
    """Every revision and refusal of the notebook, oldest first."""
    async with open_backend(settings) as backend:
        return await history_in(backend, session, participant or login_name())


async def history_in(backend: Backend, session: str, participant: str) -> list[Revision]:
    """Every revision and refusal, oldest first. Raises `NoNotebook`."""
    return await backend.session(session, participant).notebook.history()
