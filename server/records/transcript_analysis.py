"""A transcript's memory, made in this process: the same log, fold and extracts, no server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parley.bus.entries import Record
from parley.bus.log.local_log import LocalLog
from parley.listeners.offline.local_effects import settle_log
from parley.memory.context.context import Context, Profile, Request, assemble
from parley.memory.context.parts import Part
from parley.memory.context.recent_talk import most_messages
from parley.memory.fold import canonical_bytes
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from parley.server.records.session_opening import opening_of_transcript, transcript_drafts
from parley.server.rows.digest_rows import cited, digest
from parley.server.rows.finding_rows import finding_rows
from parley.server.runtime.packs import read_packs
from parley.server.settings import Settings
from parley.server.transcripts import Transcript


@dataclass(slots=True)
class Analysis:
    """What a transcript came to, with the records and facts behind it."""

    transcript: Transcript
    memory: Memory
    facts: list[Fact]
    messages: dict[int, Record]  # by n

    def canonical(self) -> bytes:
        return canonical_bytes.dump(self.memory)

    def minutes(self) -> dict[str, Any]:
        wanted = cited(self.memory)
        return digest(self.memory, {n: self.messages[n] for n in wanted if n in self.messages})

    def items(self) -> list[dict[str, Any]]:
        transcript_entries = self.transcript.entries
        return finding_rows(self.facts, self.memory, lambda n: transcript_entries[n - 1].index)

    def context(
        self,
        participant: str | None,
        *,
        brief: bool,
        budget: int | None,
        parts: Sequence[Part] = (),
    ) -> Context:
        profile: Profile = "brief" if brief else "full"
        count = most_messages(self.memory, profile, budget)
        recent = [self.messages[n] for n in sorted(self.messages)[-count:]] if count else []
        request = Request(participant, profile, budget, tuple(recent), parts=parts)
        return assemble(self.memory, request)


def analyze(transcript: Transcript, settings: Settings) -> Analysis:
    """The analysis of a whole transcript, settled: no effect is due.

    Where `extract.how` is model it is read by that, which takes its time.
    """
    packs = read_packs(settings.packs)
    log = LocalLog(now_ms=lambda: 0)  # nobody received it: what is read of a file has its own times
    log.open(opening_of_transcript(transcript, settings, packs))
    log.publish(transcript_drafts(transcript))
    memory = Memory(packs.known)
    settled = settle_log(log, memory)
    if memory.is_read:
        from parley.server.records.model_analysis import (
            analyse_by_model,  # a second of imports that few need
        )

        settled += analyse_by_model(log, memory, settings)
    facts = [fact for _, some in settled for fact in some]
    messages = {r.n: r for r in log.read(0, count=log.info().head) if r.entry.kind == "message"}
    return Analysis(transcript, memory, facts, messages)
