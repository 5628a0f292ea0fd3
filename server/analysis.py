"""A transcript's memory, made in this process: the same log, fold and extracts, no server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bus.entries import Record
from bus.local import LocalLog
from listeners.effects.offline import settle
from memory import canonical
from memory.context import Context, Profile, Request, assemble
from memory.items import Fact
from memory.state import Memory
from server.items import item_rows
from server.minutes.digest import cited, minutes
from server.opening import drafts, opening_of
from server.packs import read_packs
from server.settings import Settings
from server.transcripts import Transcript


@dataclass(slots=True)
class Analysis:
    """What a transcript came to, with the records and facts behind it."""

    transcript: Transcript
    memory: Memory
    facts: list[Fact]
    said: dict[int, Record]

    def canonical(self) -> bytes:
        return canonical.dump(self.memory)

    def minutes(self) -> dict[str, Any]:
        wanted = cited(self.memory)
        return minutes(self.memory, {n: self.said[n] for n in wanted if n in self.said})

    def items(self) -> list[dict[str, Any]]:
        said = self.transcript.said
        return item_rows(self.facts, self.memory, lambda n: said[n - 1].index)

    def context(self, participant: str | None, *, brief: bool, budget: int | None) -> Context:
        shown = self.memory.settings.context
        count = shown.recent_brief if brief else shown.recent_full
        recent = [self.said[n] for n in sorted(self.said)[-count:]] if count else []
        profile: Profile = "brief" if brief else "full"
        return assemble(self.memory, Request(participant, profile, budget, tuple(recent)))


def analyze(transcript: Transcript, settings: Settings) -> Analysis:
    """The analysis of a whole transcript, settled: no effect is due.

    Where `extract.how` is model it is read by that, which takes its time.
    """
    packs = read_packs(settings.packs)
    log = LocalLog()
    log.open(opening_of(transcript, settings, packs))
    log.publish(drafts(transcript.said))
    memory = Memory(packs.known)
    found = settle(log, memory)
    if memory.is_read:
        from server.model_reading import read_by_model  # a second of imports that few need

        found += read_by_model(log, memory, settings)
    facts = [fact for _, some in found for fact in some]
    said = {r.n: r for r in log.read(0, count=log.info().head) if r.entry.kind == "message"}
    return Analysis(transcript, memory, facts, said)
