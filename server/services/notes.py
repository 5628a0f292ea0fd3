"""Notebooks: read, write, look back."""

from __future__ import annotations

from typing import NamedTuple

from parley.bus.contract.drafts import Receipt
from parley.listeners.sessions.notebook import Notebook, NotebookPage, Revision
from parley.server.queries.memory_queries import check_moment
from parley.server.runtime.backend import Backend


class UpdatePrompt(NamedTuple):
    """A question; its answer is written on revision `base`, in `limit` characters at most."""

    prompt: str
    base: int
    limit: int


async def read_note(
    backend: Backend, session: str, participant: str, at: int | None = None
) -> NotebookPage:
    """The notebook of `participant`. Raises `NoNotebook`, and as `check_moment` does."""
    if at is not None:
        check_moment(await backend.bus.info(session), at)
    return await backend.session(session, participant).notebook.read(at=at)


async def ask_for_update(
    backend: Backend, session: str, participant: str, content: str
) -> UpdatePrompt:
    """What to ask one's own model, to rewrite the notebook in the light of `content`."""
    page = await read_note(backend, session, participant)
    prompt = Notebook.create_memory_update_prompt(page.text, content, page.limit)
    return UpdatePrompt(prompt, page.base, page.limit)


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
