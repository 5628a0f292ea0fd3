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
from typing import Any, Final, Unpack

from parley.bus import Bus
from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child, TaskHost
from parley.bus.contract.errors import SessionExists
from parley.bus.entries import Act, Record, SessionOpened
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.effects.callable_model import ReadingModel, as_model
from parley.listeners.effects.talk_reader import ReadingReport, SessionTalk, TalkReader
from parley.listeners.models.model_port import Model
from parley.listeners.rooms.edits import draft_edit
from parley.listeners.rooms.log_port import RedisLog
from parley.listeners.rooms.room import enter_room
from parley.listeners.rooms.said import Said
from parley.listeners.sessions import argument_checks
from parley.listeners.sessions.join_entry import JoinOptions
from parley.listeners.sessions.session import Session as SeatedSession
from parley.listeners.sessions.session_client import SessionClient
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.context.parts import Part
from parley.memory.context.recent_talk import is_visible_message
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.settings.presets import READ_BY_MODEL, opening_tree
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

    _reading: Reading | None = None  # by the program's own model

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
        memory = await self._access.memory()
        if self._reading is not None:
            self._reading.begin(memory)
        return Said.of(memory, receipt.n)

    async def read(self) -> ReadingReport:
        """Have the `reader` read what was said so far; gives what that came to.

        It reads by itself, beside the talk, once `extract.interval` messages are there: this
        reads to the newest message, and returns when that is in the log. A stretch that the model
        fails three times is among `unread` of the report. Raises `ValueError` without a reader,
        and `SettingsRefused` if `extract.how` of the session is not `model`.
        """
        if self._reading is None:
            raise ValueError("there is no reader: give Session.open(…, reader=…)")
        return await self._reading.read_all()

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

    async def edit(self, participant: str, n: int, content: str) -> int:
        """Give `participant`'s last message `n` other words, or take it back with "".

        Gives the `n` of the edit. Raises `UnknownMessage`, and `EditRefused` if it is somebody
        else's, they have spoken since, or something rests on it.
        """
        access = self._access
        memory = await access.memory()
        entry = await draft_edit(access.bus, memory, access.session, participant, n, content)
        return (await access.publish(entry)).n

    async def talk(self, participant: str, limit: int | None = None) -> list[tuple[str, Record]]:
        """The newest `limit` messages that `participant` may see, each with who said it.

        Oldest first, each in its newest words; None: all of them.
        """
        memory = await self._access.memory()
        name, asked = memory.named(participant), memory.n if limit is None else limit
        while True:
            records = await self.get_recent_messages(asked)
            shown = [each for each in records if is_visible_message(memory, name, each)]
            if len(records) < asked or limit is None or len(shown) >= limit:
                break
            asked *= 2  # some were reworded or taken back
        entries: list[Any] = [record.entry for record in shown]
        named = [memory.named(entry.participant) for entry in entries]
        return list(zip(named, shown, strict=True))[-limit if limit else 0 :]

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
        """End the session: it takes nothing more, and can be read on. Summarises what is left.

        If it has a `reader`, that reads what is left first.
        """
        if self._reading is not None and (await self._access.memory()).is_read:
            await self._reading.read_all()
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


class Reading:
    """A model of the program's own that reads a session, in a task beside the talk."""

    def __init__(self, reader: TalkReader, talk: SessionTalk) -> None:
        self._reader, self._talk = reader, talk
        self._tasks = TaskHost(f"parley-reading-{talk.session}", _note_death)
        self._task: Child | None = None

    def begin(self, memory: Memory) -> None:
        """Read what `memory` owes, unless that is under way; returns at once."""
        is_busy = self._task is not None and not self._task.is_over
        if not is_busy and self._reader.may_read(memory):
            self._task = self._tasks.start(self._tasks.name, self._read_owed)

    async def read_all(self) -> ReadingReport:
        return await self._reader.read_all(self._talk)

    async def finish(self) -> None:
        """Wait until what is owed by now is read, or the model fails."""
        if self._task is not None:
            await self._task.wait()

    async def aclose(self) -> None:
        """Break off what is under way; it is owed to whoever reads next."""
        await self._tasks.aclose()

    async def _read_owed(self) -> None:
        await self._reader.read_owed(self._talk)


def _note_death(_: Child, error: Exception) -> None:
    log.warning("reading_failed", reason=str(error))


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
        reader: ReadingModel | None = None,
    ) -> AsyncIterator[OpenSession]:
        """`session` in the hands of a program: opened, or gone on with where it is there.

        `redis` is an address or a `Bus`; None: the one that the command `parley` would use,
        which is that of `PARLEY_REDIS`, or the embedded server of this machine's data
        directory. A new session is opened with `settings`, `title`, the shipped packs and
        `packs` of your own; its summaries are made by whoever adds a message, worded by `model`
        (None: extracts), unless `summary.strategy` says otherwise. `reader`, an `OpenAIModel` or
        a function from a prompt to an answer, reads what is said here for items (`read`).

        Raises `Unavailable` where no server is to be had, `InvalidEntry` for what is no setting.
        """
        own = dict(_INLINE if reader is None else {**_INLINE, **READ_BY_MODEL})
        tree = opening_tree(overlay_trees(own, argument_checks.check_settings(settings)))
        asked = None if reader is None else TalkReader(as_model(reader))
        opening = SessionOpened(settings=tree, title=title, packs=newest_packs(*packs))
        async with _reach(redis) as bus:
            with suppress(SessionExists):
                await bus.open(session, opening)
            memories = MemoryReader(bus, known_packs(*packs))
            opened = OpenSession(bus, memories.packs, session, reader=memories, model=model)
            if asked is None:
                yield opened
                return
            opened._reading = Reading(asked, SessionTalk(bus, memories, session))
            try:
                yield opened
                await opened._reading.finish()
            finally:
                await opened._reading.aclose()


log: Final = EventLog("parley.reading")
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
