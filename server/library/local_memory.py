"""The memory of a talk, as a library: no server, no Redis, no event loop.

    memory = Memory()
    memory.say("Ana", "I propose that we try the place by the bridge.")
    print(memory.context("Ben"))

The same log and the same fold as a server's (`parley.memory.state.memory`), so the same
bytes come of the same entries; `save` writes what `parley session import` reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

from parley.bus.contract import wire
from parley.bus.contract.drafts import Draft, new_id, validate_entry
from parley.bus.contract.errors import BadSessionFile
from parley.bus.entries import PRIMARY, Act, Entry, Message, Record, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.bus.sessions.copies import copy_log
from parley.bus.sessions.session_file import decode_file, encode_file
from parley.bus.sessions.stored_rows import StoredRow, decode_rows
from parley.bus.sessions.whole_file import write_whole
from parley.listeners.offline.local_effects import settle_log
from parley.listeners.rooms.said import Said
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.context.context import Profile, Request, assemble
from parley.memory.context.parts import Part, read_parts
from parley.memory.context.recent_talk import most_messages
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.settings.presets import READ_BY_MODEL, opening_tree
from parley.memory.settings.session_settings import parse_settings
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.state import memory as fold
from parley.memory.state.lookup import target_refusal
from parley.memory.statistics.statistics import count_memory
from parley.server.library import memory_rows
from parley.server.library.typed_rows import (
    CandidateRow,
    DecisionRow,
    Evidence,
    PositionRow,
    ProposalRow,
    SummaryRow,
)

if TYPE_CHECKING:
    from parley.listeners.effects.callable_model import ReadingModel
    from parley.listeners.effects.talk_reader import ReadingReport, TalkReader

_PAGE: Final = 500


class Memory:
    """What a talk has come to: proposals, decisions, positions, summaries, and contexts of them.

    Plain talk is read with the shipped pattern packs, and with `packs` of your own beside
    them; `settings` are those of a session (docs/settings.md). Every call returns once its
    effect is in the memory, the extracts that it made due included. Not for two threads at once.
    A `reader`, an `OpenAIModel` or a function from a prompt to an answer, reads what is said for
    items besides: see `read`. Raises `SettingsRefused` for what is no setting.
    """

    def __init__(
        self,
        *,
        settings: Mapping[str, Any] | None = None,
        title: str | None = None,
        packs: Sequence[Pack] = (),
        reader: ReadingModel | None = None,
    ) -> None:
        tree = overlay_trees({} if reader is None else dict(READ_BY_MODEL), dict(settings or {}))
        parse_settings(tree)
        self._reader = _reading_by(reader)
        log = LocalLog("memory")
        log.open(
            SessionOpened(settings=opening_tree(tree), title=title, packs=newest_packs(*packs))
        )
        self._stand_on(log, (), known_packs(*packs))

    def _stand_on(self, log: LocalLog, stored: Sequence[StoredRow], packs: fold.Packs) -> None:
        self._log, self._stored = log, stored
        self._records: dict[int, Record] = {}  # by n
        self._newest: list[Record] = []  # messages, oldest first
        self._seen = 0  # seq of the newest entry that is in those
        self.state = fold.Memory(packs)
        self._settle()

    def say(
        self,
        participant: str,
        content: str,
        *,
        act: Act | None = None,
        re: int | str | None = None,
        topic: str | None = None,
        at: str | None = None,
        id: str = "",
        force: bool = False,
    ) -> Said:
        """Hear `participant` say something; gives its `n`, with what it did (`Said`).

        With an `id` of your own, hearing it again changes nothing. `at` is the sender's time.
        Raises `InvalidEntry`, `SessionClosed`, `Conflict`; for an `act` on what is not there
        `UnknownRef` or `UnknownMessage`, and `TargetNeeded` for one that needs `re` and has none,
        unless with `force`.
        """
        message = validate_entry(
            Message, participant=participant, content=content, act=act, re=re, topic=topic, at=at
        )
        if not force:
            missing = target_refusal(self.state, message)
            if missing is not None:
                raise missing
        return Said.of(self.state, self.publish(message, id))

    def publish(self, entry: Entry, id: str = "") -> int:
        """Take any entry (a vote, a correction, changed settings …); gives its `n`."""
        (receipt,) = self._log.publish([Draft(id or new_id(), entry)])
        self._settle()
        return receipt.n

    def close(self, reason: str = "closed") -> None:
        """Take nothing more; summarise what is left."""
        self._log.close(reason)
        self._settle()

    async def read(self) -> ReadingReport:
        """Have the `reader` read what was said since it read last; gives what that came to.

        It is the only call that asks a model. It reads as a worker does: in stretches of
        `extract.interval` messages, the last one up to the newest message. What it read is an
        entry of the log, among `candidates` from then on. A stretch that the model fails three
        times is among `unread` of the report. Raises `ValueError` without a reader, and
        `SettingsRefused` if `extract.how` is not `model`.
        """
        if self._reader is None:
            raise ValueError(
                "there is no reader: give Memory(reader=…) or Memory.load(…, reader=…)"
            )
        from parley.listeners.offline.local_extraction import LocalTalk

        try:
            return await self._reader.read_all(LocalTalk(self._log, self.state))
        finally:
            self._settle()

    def context(
        self,
        participant: str | None = None,
        *,
        brief: bool = False,
        budget: int | None = None,
        parts: Iterable[Part] = (),
    ) -> str:
        """What `participant` needs to know to speak now; `brief`: to decide whether to.

        At most `budget` tokens (None: the setting). `parts` are some of `ledger`, `summary`,
        `recent` and `own`; all if it is empty. Raises `ContextOverflow` for a budget that is too
        small for anything, and `UnknownPart`.
        """
        profile: Profile = "brief" if brief else "full"
        count = most_messages(self.state, profile, budget)
        recent = tuple(self._newest[-count:] if count else ())
        request = Request(participant, profile, budget, recent, parts=read_parts(parts))
        return assemble(self.state, request).text

    @property
    def proposals(self) -> list[ProposalRow]:
        """Every firm proposal, oldest first; `status` says which are open."""
        return memory_rows.list_proposals(self.state, self._records)

    @property
    def decisions(self) -> list[DecisionRow]:
        """Every firm decision, oldest first."""
        return memory_rows.list_decisions(self.state, self._records)

    @property
    def candidates(self) -> list[CandidateRow]:
        """What may be a proposal or a decision and is on no list of them, newest first."""
        return memory_rows.list_candidates(self.state)

    @property
    def positions(self) -> list[PositionRow]:
        """Where everybody stands, by participant."""
        return memory_rows.list_positions(self.state)

    @property
    def summaries(self) -> list[SummaryRow]:
        """The standing summaries in the order of the talk."""
        return memory_rows.list_summaries(self.state)

    @property
    def stats(self) -> dict[str, Any]:
        """Counts of messages, participants, summaries, proposals, decisions and the rest."""
        return count_memory(self.state, self._newest)

    def evidence(self, ref: str) -> list[Evidence]:
        """The words that an item (P3, D1) rests on: its own, then each stance on it and change.

        Raises `UnknownRef`.
        """
        return memory_rows.list_evidence(self.state, self._records, ref)

    def to_json(self) -> str:
        """The whole of it as a session file (docs/session-file.md), one entry a line."""
        unstored = self._log.read(after=len(self._stored), count=self._log.info().head)
        rows = (
            StoredRow(r.seq, r.n, r.id, r.received_ms, wire.encode(cast("Entry", r.entry)))
            for r in unstored
        )
        info, all_rows = self._log.info(), (*self._stored, *rows)
        file = copy_log(info.session, info.status, all_rows, info.head, info.n, partial=False)
        return encode_file(file).decode()

    @classmethod
    def from_json(
        cls, text: str | bytes, *, packs: Sequence[Pack] = (), reader: ReadingModel | None = None
    ) -> Self:
        """The memory of a session file, ready to go on; `reader` is that of a new `Memory`.

        Raises `BadSessionFile` for what is none; `PackMissing` where it was read with patterns
        that are neither shipped nor among `packs`.
        """
        file = decode_file(text.encode() if isinstance(text, str) else text)
        log = LocalLog.restore(file.session, decode_rows(file.rows))
        memory = cls.__new__(cls)
        memory._reader = _reading_by(reader)
        memory._stand_on(log, file.rows, known_packs(*packs))
        return memory

    def save(self, path: str | os.PathLike[str]) -> None:
        """`to_json` in a file, there whole or not at all. Raises `OSError`."""
        write_whole(Path(path), self.to_json().encode())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        packs: Sequence[Pack] = (),
        reader: ReadingModel | None = None,
    ) -> Self:
        """`from_json` of a file: of `save`, of a session's, of `parley session export`."""
        try:
            return cls.from_json(Path(path).read_bytes(), packs=packs, reader=reader)
        except BadSessionFile as error:
            raise BadSessionFile(f"{path}: {error}") from None

    def _settle(self) -> None:
        """Fold what is new, make what is due, and keep the words at hand."""
        settle_log(self._log, self.state)
        before = self._seen
        skips = self._log.info().skips
        while page := self._log.read(after=before, count=_PAGE):
            before = self._seen = page[-1].seq
            for record in page:
                if record.entry.kind not in PRIMARY or record.seq in skips:
                    continue
                self._records[record.n] = record
                if record.is_talk:
                    self._newest.append(record)


def _reading_by(model: ReadingModel | None) -> TalkReader | None:
    """Who reads with `model`, whose libraries are loaded only if there is one."""
    if model is None:
        return None
    from parley.listeners.effects.callable_model import as_model
    from parley.listeners.effects.talk_reader import TalkReader

    return TalkReader(as_model(model))
