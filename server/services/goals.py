"""Goals, tasks, steps and other episodes of a session: opened, closed, recorded, listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parley.bus.entries import EpisodeClosed, EpisodeOpened, Step
from parley.memory.errors import NothingOpen, NotOpened
from parley.memory.state import lookup
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import build_entry, handle_of_kind
from parley.server.basics.errors import Failure, Misuse
from parley.server.rows.goal_rows import evicted_goal_row, goal_row, goal_rows
from parley.server.runtime.backend import Backend
from parley.server.services.publication import publish_entry, published_n


def draft_episode(
    kind: str, title: str, *, by: str, parent: str | None = None, after: Sequence[str] = ()
) -> EpisodeOpened:
    """The entry that opens an episode. Raises `Misuse`."""
    return build_entry(
        EpisodeOpened,
        participant=by,
        episode=kind,
        title=title,
        parent=parent and episode_handle(parent),
        after=tuple(map(episode_handle, after)),
    )


def split_handles(refs: str | None) -> list[str]:
    """The handles of a list with commas, as typed."""
    return [] if refs is None else [part.strip() for part in refs.split(",") if part.strip()]


async def open_episode(
    backend: Backend, session: str, entry: EpisodeOpened, id: str = ""
) -> dict[str, Any]:
    """The row of the episode that `draft_episode` made, published. Raises `Failure`,
    `NotOpened`.
    """
    n = await published_n(backend.bus, session, entry, id)
    if n is None:
        memory = await backend.reader.current(session)
        for ref in filter(None, (entry.parent, *entry.after)):
            _kept(memory, str(ref))
        if entry.parent is not None:
            _open(memory, str(entry.parent))
        n = (await publish_entry(backend.bus, session, entry, id)).n
    memory = await backend.reader.current(session)
    opened = lookup.find_episode(memory, n)
    if opened is None:
        raise NotOpened(entry.title, memory.settings.limits.open_episodes)
    return goal_row(memory, opened)


async def close_episode(
    backend: Backend, session: str, ref: str | None, *, kind: str | None, by: str,
    status: str = "completed", result: str = "", id: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Closes the episode `ref`, else one's newest open one of `kind`, else anyone's; its row.

    Raises `Misuse`, `Failure`, `NothingOpen`.
    """
    memory = await backend.reader.current(session)
    if ref is not None:
        entry = build_entry(
            EpisodeClosed, participant=by, re=episode_handle(ref), status=status, result=result
        )
        before = await published_n(backend.bus, session, entry, id)
        if before is not None:
            kept = lookup.find_episode(memory, episode_handle(ref))
            if kept is not None:
                return goal_row(memory, kept)
            return evicted_goal_row(
                _kept(await backend.reader.at(session, before - 1), episode_handle(ref)), status
            )
    closing = _newest(memory, kind, by) if ref is None else _open(memory, episode_handle(ref))
    if kind is not None and closing.kind != kind:
        raise Misuse(f"{closing.handle} is a {closing.kind}: 'parley episode close' closes it")
    entry = build_entry(
        EpisodeClosed, participant=by, re=closing.handle, status=status, result=result
    )
    await publish_entry(backend.bus, session, entry, id)
    memory = await backend.reader.current(session)
    left = memory.episodes.by_ref.get(closing.ref)
    return evicted_goal_row(closing, status) if left is None else goal_row(memory, left)


def draft_step(
    content: str, *, by: str, of: str | None = None, discovered: Sequence[str] = (), **fields: Any
) -> Step:
    """The entry of a step, `discovered` as NAME=VALUE. Raises `Misuse`."""
    return build_entry(
        Step,
        participant=by,
        content=content,
        episode=of and episode_handle(of),
        discovered=dict(map(_pair, discovered)),
        **fields,
    )


async def record_step(backend: Backend, session: str, entry: Step, id: str = "") -> dict[str, Any]:
    """Publishes a step; its n, and the handle of the goal or task that it belongs to.

    Raises `NothingOpen`.
    """
    memory = await backend.reader.current(session)
    before = await published_n(backend.bus, session, entry, id)
    of = None if entry.episode is None else str(entry.episode)
    chain = lookup.open_work(memory, of, memory.named(entry.participant))
    if before is not None:
        return {"n": before, "ref": chain[0].handle if chain else of or ""}
    if not chain:
        raise NothingOpen(f"{of} is not open" if of else "no goal or task is open")
    return {"n": (await publish_entry(backend.bus, session, entry, id)).n, "ref": chain[0].handle}


async def list_goals(backend: Backend, session: str) -> list[dict[str, Any]]:
    """Every episode that memory holds but the exchanges: what holds it before it, in order."""
    return list(goal_rows(await backend.reader.current(session)))


def episode_handle(ref: str) -> str:
    """The handle of an episode as memory writes it. Raises `Misuse`."""
    return handle_of_kind("E", ref, "an episode")


def _pair(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not (name.strip() and mark):
        raise Misuse(f"{text!r} is no fact; write --discovered NAME=VALUE")
    return name.strip(), value.strip()


def _kept(memory: Memory, ref: str) -> Episode:
    episode = lookup.find_episode(memory, ref)
    if episode is None:
        raise Failure(f"no episode {ref} is held here; 'parley goal ls' lists those that are")
    return episode


def _open(memory: Memory, ref: str) -> Episode:
    episode = _kept(memory, ref)
    if episode.status != "open":
        raise NothingOpen(f"{ref} is {episode.status}, not open")
    return episode


def _newest(memory: Memory, kind: str | None, who: str) -> Episode:
    newest = lookup.innermost_open_episode(memory, kind, who) or lookup.innermost_open_episode(
        memory, kind
    )
    if newest is None:
        raise NothingOpen(f"no {kind or 'episode'} is open")
    return newest
