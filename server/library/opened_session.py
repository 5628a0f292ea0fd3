"""A session on Redis in two calls, for a program that hears everybody who talks.

    async with Session.open("lunch", redis=None) as lunch:
        await lunch.say("Ana", "I propose that we try the place by the bridge.")
        print(await lunch.context("Ben"))

No worker is needed: whoever reads folds what is new, and whoever speaks makes the summaries
that fall due. A worker beside it, of `parley serve` say, does no harm.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Unpack

from parley.bus import Bus
from parley.bus.contract.errors import SessionExists
from parley.bus.entries import Act, Record, SessionOpened
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.models.model_port import Model
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.listeners.rooms.said import Said
from parley.listeners.sessions import argument_checks
from parley.listeners.sessions.join_entry import JoinOptions
from parley.listeners.sessions.session import Session as SeatedSession
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.context.parts import Part
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.settings.presets import opening_tree
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.state.memory import Memory
from parley.server.library import memory_rows
from parley.server.library.typed_rows import (
    CandidateRow,
    DecisionRow,
    Evidence,
    PositionRow,
    ProposalRow,
    SummaryRow,
)
from parley.server.queries.log_queries import read_entries
from parley.server.queries.session_stats import measure_memory
from parley.server.rows.digest_rows import cited
from parley.server.runtime.connection import open_connection
from parley.server.settings import resolve_defaults


class OpenSession(SessionClient):
    """A session that `Session.open` opened: a `SessionClient` in which anybody may speak."""

    async def say(
        self,
        participant: str,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        topic: str | None = None,
        at: str | None = None,
        id: str | None = None,
        force: bool = False,
    ) -> Said:
        """`add_message`; gives its `n`, with what it did (`Said`), once it is folded.

        The arguments are those of `parley.Memory.say`.
        """
        receipt = await self.add_message(
            participant, content, act=act, re=re, topic=topic, at=at, id=id, force=force
        )
        return Said.of(await self._access.memory(), receipt.n)

    async def context(
        self,
        participant: str | None = None,
        *,
        brief: bool = False,
        budget: int | None = None,
        parts: Iterable[Part] = (),
    ) -> str:
        """What `participant` needs to know to speak now; `brief`: to decide whether to.

        The text of `get_memory_context`, or of `get_eval_memory_context`; raises as they do.
        `parts` are some of `ledger`, `summary`, `recent` and `own`; all if it is empty.
        """
        read = self.get_eval_memory_context if brief else self.get_memory_context
        return (await read(participant, budget=budget, parts=parts)).text

    @asynccontextmanager
    async def join(self, name: str, **joining: Unpack[JoinOptions]) -> AsyncIterator[SeatedSession]:
        """Take a seat as `name`, to hear others and wait for the floor; leave at the end."""
        reader = self._access.reader
        async with (
            enter_room(RedisLog(reader, self._access.session)) as room,
            SeatedSession.within(room, reader, name, model=self._model, **joining) as seated,
        ):
            yield seated

    async def close(self, reason: str = "closed") -> None:
        """End the session: it takes nothing more, and can be read on. Summarises what is left."""
        await self._access.bus.close(self._access.session, reason)

    async def proposals(self) -> list[ProposalRow]:
        """Every firm proposal, oldest first; `status` says which are open."""
        return memory_rows.list_proposals(*await self._quoted_memory())

    async def decisions(self) -> list[DecisionRow]:
        """Every firm decision, oldest first."""
        return memory_rows.list_decisions(*await self._quoted_memory())

    async def candidates(self) -> list[CandidateRow]:
        """What may be a proposal or a decision and is on no list of them, newest first."""
        return memory_rows.list_candidates(await self._access.memory())

    async def positions(self) -> list[PositionRow]:
        """Where everybody stands, by participant."""
        return memory_rows.list_positions(await self._access.memory())

    async def summaries(self) -> list[SummaryRow]:
        """The standing summaries in the order of the talk."""
        return memory_rows.list_summaries(await self._access.memory())

    async def stats(self) -> dict[str, Any]:
        """Counts of messages, participants, summaries, proposals, decisions and the rest."""
        return await measure_memory(self._access.reader, self._access.session)

    async def evidence(self, ref: str) -> list[Evidence]:
        """The words that an item (P3, D1) rests on; raises `UnknownRef`."""
        return memory_rows.list_evidence(*await self._quoted_memory(), ref)

    async def _quoted_memory(self) -> tuple[Memory, dict[int, Record]]:
        """The memory, and the entries that its items quote."""
        access = self._access
        records = await read_entries(access.bus, access.session, cited(await access.memory()))
        return await access.memory(), records  # folded on meanwhile, perhaps


class Session(SeatedSession):
    """One participant's part in a session (`connect`, `on`), or a session for all (`open`)."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        session: str,
        redis: str | Bus | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        title: str | None = None,
        packs: Sequence[Pack] = (),
        model: Model | None = None,
    ) -> AsyncIterator[OpenSession]:
        """`session` in the hands of a program: opened, or gone on with where it is there.

        `redis` is an address or a `Bus`; None: the one that the command `parley` would use,
        which is that of `PARLEY_REDIS`, or the embedded server of this machine's data
        directory. A new session is opened with `settings`, `title`, the shipped packs and
        `packs` of your own; its summaries are made by whoever adds a message, worded by `model`
        (None: extracts), unless `summary.strategy` says otherwise.

        Raises `Unavailable` where no server is to be had, `InvalidEntry` for what is no setting.
        """
        tree = opening_tree(overlay_trees(_INLINE, argument_checks.check_settings(settings)))
        opening = SessionOpened(settings=tree, title=title, packs=newest_packs(*packs))
        async with _reach(redis) as bus:
            with suppress(SessionExists):
                await bus.open(session, opening)
            reader = MemoryReader(bus, known_packs(*packs))
            yield OpenSession(bus, reader.packs, session, reader=reader, model=model)


_INLINE: dict[str, Any] = {"summary": {"strategy": "inline"}}  # no worker may ever come


@asynccontextmanager
async def _reach(redis: str | Bus | None) -> AsyncIterator[Bus]:
    """The bus on `redis`; it stays open where it is the caller's own."""
    if isinstance(redis, Bus):
        yield redis
    elif redis is not None:
        async with await Bus.connect(redis) as bus:
            yield bus
    else:
        async with open_connection(resolve_defaults({}, os.environ)) as connection:
            yield connection.bus
