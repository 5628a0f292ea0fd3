"""Notebooks from a command line: read, write, look back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bus.drafts import Receipt
from listeners.notebook import Notebook, Reading, Revision
from server.packs import read_packs
from server.questions import check_moment
from server.running import connected
from server.settings import Settings
from server.talking import person


@asynccontextmanager
async def _notebook(
    settings: Settings, session: str, participant: str | None, at: int | None = None
) -> AsyncIterator[Notebook]:
    async with connected(settings) as running:
        await check_moment(running.bus, session, at)
        packs = read_packs(settings.packs).known
        yield Notebook(running.bus, packs, session, participant or person())


async def read(
    settings: Settings, session: str, participant: str | None, at: int | None
) -> Reading:
    """The notebook, now or as of the `at`-th primary entry. Raises `NoNotebook`."""
    async with _notebook(settings, session, participant, at) as notebook:
        return await notebook.read(at=at)


async def write(
    settings: Settings, session: str, participant: str | None, text: str, base: int | None
) -> Receipt:
    """Writes on revision `base`, the standing one when None.

    Raises `LimitExceeded`, `StaleRevision`, `NoNotebook`.
    """
    async with _notebook(settings, session, participant) as notebook:
        return await notebook.write(text, base)


async def history(settings: Settings, session: str, participant: str | None) -> list[Revision]:
    """Every revision and refusal of the notebook, oldest first."""
    async with _notebook(settings, session, participant) as notebook:
        return await notebook.history()
