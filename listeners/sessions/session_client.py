"""A session for a program that takes no seat in it: publish, read, remember.

    harbour = SessionClient(bus, packs, "harbour", "ada")
    await harbour.add_message("ada", "I propose we meet on Fridays.")
    print((await harbour.get_memory_context()).text)
    await harbour.notebook.write("Fridays were my idea.")

Whoever joins instead, hears the others live and speaks with the floor holds a `Session`,
which has all of this too.
"""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import anyio.to_thread

from parley.bus import Bus, Cursor, Receipt
from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import BadSessionFile, SessionNotFound
from parley.bus.entries import Act, Message, Record
from parley.bus.sessions.copies import copy_of, fill_gaps
from parley.bus.sessions.session_file import decode_file, encode_file
from parley.bus.sessions.stored_rows import records_to_restore
from parley.bus.sessions.whole_file import write_whole
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.cache.ranges import read_pages
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.effects.inline_summaries import InlineSummaries
from parley.listeners.models.model_port import Model
from parley.listeners.sessions.file_checks import check_packs, check_voice
from parley.listeners.sessions.goals import Goals
from parley.listeners.sessions.notebook import Notebook
from parley.listeners.tools.assistant import USER, Assistant, prepare_messages_for
from parley.listeners.tools.toolbox import WAIT_SECONDS, Toolbox
from parley.memory.context.chat_messages import ChatMessages
from parley.memory.context.context import Context
from parley.memory.context.parts import Part, read_parts
from parley.memory.errors import SnapshotMismatch
from parley.memory.fold.canonical_bytes import checksum, dump
from parley.memory.state.memory import Packs


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session as it can be kept: its log in full, and the memory that must come of it."""

    session: str
    records: tuple[Record, ...]
    memory: bytes  # canonical
    checksum: str


class SessionClient:
    """One session of a bus, in the hands of `participant`; without one, of nobody in particular.

    `reader` may be shared by all the sessions of a process. `model` words the summaries that
    are made inline (None: they are extracts) and rewrites the notebook. `notebook`, `goals`,
    `tools` and `assistant` belong to `participant`, and raise `ValueError` without one.
    """

    def __init__(
        self,
        bus: Bus,
        packs: Packs,
        session: str,
        participant: str = "",
        *,
        reader: MemoryReader | None = None,
        model: Model | None = None,
    ) -> None:
        self._access = SessionAccess(reader or MemoryReader(bus, packs), session, participant)
        self._model = model

    @cached_property
    def notebook(self) -> Notebook:
        """What the participant wrote for itself."""
        return Notebook(self._own(), self._model)

    @cached_property
    def goals(self) -> Goals:
        """What the participant works towards."""
        return Goals(self._own(), self._inline_summaries)

    @cached_property
    def tools(self) -> Toolbox:
        """Results of tools, looked up before a tool runs."""
        return self.toolbox()

    @cached_property
    def assistant(self) -> Assistant:
        """Exchanges of questions and answers with the user `user`."""
        return self.assistant_for(USER)

    def toolbox(self, wait: float = WAIT_SECONDS) -> Toolbox:
        """`tools`, with another wait for calls that others have under way."""
        return Toolbox(self._own(), wait)

    def assistant_for(self, user: str) -> Assistant:
        """`assistant`, for a user of another name."""
        return Assistant(self._own(), user)

    def _own(self) -> SessionAccess:
        if not self._access.participant:
            raise ValueError("whose? name the participant: SessionClient(…, session, participant)")
        return self._access

    @cached_property
    def _inline_summaries(self) -> InlineSummaries:
        access = self._access
        return InlineSummaries(access.bus, access.session, access.reader, self._model)

    async def add_message(
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
    ) -> Receipt:
        """Say something. With an `id` of your own, saying it again changes nothing.

        Returns at once; where the session's `summary.strategy` is inline, when the
        summaries that this made due are made. Raises what `bus.publish` does, `InvalidEntry`, and
        unless with `force` `UnknownRef` or `UnknownMessage` for an act on what is not there,
        `TargetNeeded` for one that needs `re` and has none.
        """
        entry = validate_entry(
            Message, participant=participant, content=content, act=act, re=re, topic=topic, at=at
        )
        if not force:
            await self._access.check_target(entry)
        receipt = await self._access.publish(entry, id or "")
        await self._inline_summaries.settle()
        return receipt

    async def messages(self, after: Cursor | int | None = None) -> AsyncIterator[Record]:
        """Messages as they come, each once memory has folded it; None: from now on."""
        access = self._access
        subscription = access.bus.subscribe(access.session, after=after, facts=False)
        async with subscription as arrivals:
            async for record in arrivals:
                if isinstance(record, Record) and record.is_message:
                    await access.memory()
                    yield record

    async def get_memory_context(
        self,
        participant: str | None = None,
        *,
        budget: int | None = None,
        at: int | None = None,
        parts: Iterable[Part] = (),
    ) -> Context:
        """The full context for `participant` (its own) to speak from, now or after entry `at`.

        With `parts` these alone, such as `["ledger"]`. Raises `ContextOverflow`, `UnknownPart`.
        """
        reader, session = self._access.reader, self._access.session
        return await reader.context(
            session, self._whose(participant), budget=budget, at=at, parts=read_parts(parts)
        )

    async def get_eval_memory_context(
        self,
        participant: str | None = None,
        *,
        budget: int | None = None,
        parts: Iterable[Part] = (),
    ) -> Context:
        """The brief context, for deciding whether to speak at all; with `parts` these alone."""
        reader, session = self._access.reader, self._access.session
        whose, chosen = self._whose(participant), read_parts(parts)
        return await reader.context(session, whose, profile="brief", budget=budget, parts=chosen)

    def _whose(self, participant: str | None) -> str | None:
        return participant or self._access.participant or None

    async def prepare_messages(
        self, question: str | None = None, *, budget: int | None = None
    ) -> ChatMessages:
        """The messages of an exchange with the open one as it stands, and what had no room.

        Raises `ContextOverflow` where `budget` is below the frame and the question.
        """
        access = self._access
        return await prepare_messages_for(
            access.reader, access.session, access.participant or None, question, budget
        )

    async def get_recent_messages(self, limit: int = 15) -> list[Record]:
        """The newest `limit` messages, oldest first."""
        return await self._access.reader.recent(self._access.session, limit)

    async def get_memory_state(self) -> SavedSession:
        """Everything that `restore_memory` needs, as of now; `to_json` gives it as text."""
        bus, session = self._access.bus, self._access.session
        records = [record async for page in read_pages(bus, session) for record in page]
        if not records:
            raise SessionNotFound(session)
        data = dump(await self._access.reader.folded(session, to=records[-1].seq))
        return SavedSession(session, tuple(records), data, checksum(data))

    async def restore_memory(self, state: SavedSession, *, replace: bool = False) -> None:
        """Write `state` back under this session's name, by replaying its log.

        Raises `SessionExists` unless the session is new or `replace` is given,
        and `SnapshotMismatch` where the replay is not the memory that was saved.
        """
        reader, session = self._access.reader, self._access.session
        await self._access.bus.restore(session, list(state.records), replace=replace)
        reader.forget(session)
        data = dump(await reader.folded(session, to=state.records[-1].seq))
        if checksum(data) != state.checksum:
            raise SnapshotMismatch(
                f"{session!r} was restored, but its replay is not the memory that was "
                "saved; the state was altered, or another version of parley wrote it"
            )

    async def to_json(self, *, partial: bool = False) -> str:
        """The whole of the session as a session file (docs/session-file.md), one entry a line.

        What `parley session export` writes, and `parley.Memory.from_json` reads as well. Raises
        `SessionDamaged` where entries are missing; with `partial` the file has the others, and
        is marked so.
        """
        file = copy_of(await self._access.bus.audit(self._access.session), partial=partial)
        return (await anyio.to_thread.run_sync(encode_file, file)).decode()

    async def from_json(
        self, text: str | bytes, *, replace: bool = False, partial: bool = False
    ) -> None:
        """Write the session of a session file under this one's name.

        Raises `BadSessionFile` for what is none, `PackMissing` where it is read with patterns
        that are not here, `BadPattern` where those that it brings cost much, and `SessionExists`
        unless the session is new or `replace` is given; nothing is changed then. A file that
        lacks entries is none, unless `partial`: they are set aside (`fill_gaps`).
        """
        data = text.encode() if isinstance(text, str) else text
        file = await anyio.to_thread.run_sync(functools.partial(decode_file, partial=partial), data)
        if file.missing:
            file = await anyio.to_thread.run_sync(fill_gaps, file)
        access = self._access
        await anyio.to_thread.run_sync(check_voice, file.rows)
        await check_packs(file.rows, access.reader.packs)
        records = await anyio.to_thread.run_sync(records_to_restore, file.rows)
        await access.bus.restore(access.session, records, replace=replace)
        if file.status == "archived":
            await access.bus.mark(access.session, file.status)
        access.reader.forget(access.session)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """`to_json` in a file, there whole or not at all. Raises `OSError`."""
        data = (await self.to_json()).encode()
        await anyio.to_thread.run_sync(write_whole, Path(path), data)

    async def load(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """`from_json` of a file: of `save`, of a memory's, of `parley session export`."""
        data = await anyio.to_thread.run_sync(Path(path).read_bytes)
        try:
            await self.from_json(data, replace=replace)
        except BadSessionFile as error:
            raise BadSessionFile(f"{path}: {error}") from None
