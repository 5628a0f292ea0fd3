"""Have a model read a stretch of the talk for items, and hold it to what was said.

Whatever it claims is checked here: that its label is one of ours, that the message
is one it was to read, and that the quote stands there, word for word but for its
folding (`quotes`). What fails is dropped and counted. An answer of which nothing
can be read, or half of which fails, is asked for once more; then what there is
stands, even when it is nothing. A question that is too long is rebuilt smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import structlog

from parley.bus.entries import ItemsExtracted, Record
from parley.listeners.extraction.claim_checks import Checked, checked
from parley.listeners.extraction.extraction_prompt import (
    Candidate,
    Extraction,
    Line,
    complaint,
    listed,
    question,
)
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ContextOverflow,
    Model,
    ModelError,
    OverBudget,
    Prompt,
)
from parley.listeners.models.structured_answers import ask
from parley.listeners.summaries.model_summaries import HALVINGS, shrunk
from parley.memory.extraction.model_claims.item_overlay import overlay_claims
from parley.memory.settings.settings_schema import ExtractSettings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.text.text_sizes import count_tokens

CANDIDATES: Final = 24  # listed to be confirmed or taken back; the newest
SHARE: Final = 4  # of a question that may go into listing them: one part in so many
COMPLAINTS: Final = 8  # quoted in a second question
_MESSAGE_CHARS: Final = 4000  # one pasted log must not displace the talk

log = structlog.get_logger("parley.extracting")


@dataclass(slots=True)
class _Usage:
    """What all calls of one reading came to."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    model: str | None = None

    def add(self, prompt: Prompt, answer: Completion) -> None:
        self.calls += 1
        self.model = answer.model
        self.input_tokens += answer.input_tokens or count_tokens(prompt.system + prompt.user)
        self.output_tokens += answer.output_tokens or count_tokens(answer.text)


@dataclass(frozen=True, slots=True)
class Extracting:
    """One reading: which messages, what stands among them already, on what terms."""

    effect: ReadingEffect
    terms: ExtractSettings
    candidates: tuple[Candidate, ...] = ()
    unread: frozenset[str] = field(default_factory=frozenset)  # whose words nobody reads

    @classmethod
    def of(cls, memory: Memory, effect: ReadingEffect) -> Self:
        """The job of an effect that `memory` owes."""
        unread = {one for one, name in memory.aliases.items() if name in memory.bots}
        return cls(
            effect,
            memory.settings.extract,
            tuple(fitting(candidates(memory, effect), memory.settings.extract.tokens // SHARE)),
            frozenset(memory.bots | unread),
        )

    @property
    def first(self) -> int:
        return self.effect.lead

    @property
    def last(self) -> int:
        return self.effect.last

    async def run(self, model: Model, records: Sequence[Record]) -> ItemsExtracted:
        """What the model read, checked. Raises `ModelError` where it did not answer."""
        lines = self._lines(records)
        if not any(one.own for one in lines):
            return self._made(Checked(), _Usage(calls=0))
        usage = _Usage()
        prompt, first = await self._first(model, lines, usage)
        if not first.is_poor:
            return self._made(first, usage)
        again = replace(prompt, user=complaint(prompt, first.told[:COMPLAINTS]))
        try:
            second = await self._asked(model, again, lines, usage)
        except ModelError as error:
            if first.unread and not isinstance(error, ContextOverflow | OverBudget):
                raise
            return self._made(first, usage)  # what the first one said is not lost for that
        return self._made(better(first, second), usage)

    async def _first(
        self, model: Model, lines: Sequence[Line], usage: _Usage
    ) -> tuple[Prompt, Checked]:
        """The question that fitted, and what came of it."""
        prompt, smaller = self._fitting(lines)
        for _ in range(HALVINGS):
            try:
                return prompt, await self._asked(model, prompt, lines, usage)
            except ContextOverflow:
                room = sum(len(one.text) for one in smaller) // 2
                halved = _shrunk(smaller, room)
                if halved == smaller:
                    raise
                smaller = halved
                prompt = question(smaller, self.candidates, self.terms.out)
        raise ContextOverflow("no room even for a small part of the discussion")

    async def _asked(
        self, model: Model, prompt: Prompt, lines: Sequence[Line], usage: _Usage
    ) -> Checked:
        """What can stand of the answer. Raises `ModelError`.

        A page of HTML is no answer of a model: there the endpoint is at fault, and
        is asked again another day.
        """
        try:
            answer, said = await ask(model, prompt, Extraction)
        except BadAnswer as error:
            if error.completion is None:
                raise
            usage.add(prompt, error.completion)
            fewer = "; claim less" if error.completion.cut else ""
            return Checked(unread=str(error), told=[f"{error}{fewer}"])
        usage.add(prompt, said)
        return checked(answer, lines, self.candidates)

    def _fitting(self, lines: Sequence[Line]) -> tuple[Prompt, list[Line]]:
        """The question, the longest messages clipped until it has `extract.tokens`."""
        shown = [replace(one, text=clip(one.text, _MESSAGE_CHARS)) for one in lines]
        prompt = question(shown, self.candidates, self.terms.out)
        for _ in range(HALVINGS):
            size = count_tokens(prompt.system) + count_tokens(prompt.user)
            if size <= self.terms.tokens:
                break
            room = sum(len(one.text) for one in shown) * self.terms.tokens // size
            shown = _shrunk(shown, room * 9 // 10)
            prompt = question(shown, self.candidates, self.terms.out)
        return prompt, shown

    def _lines(self, records: Sequence[Record]) -> list[Line]:
        """The messages among `records`, without those of bots."""
        found = []
        for record in records:
            entry: Any = record.entry
            if entry.kind == "message" and entry.participant not in self.unread:
                own = self.effect.first <= record.n <= self.effect.last
                found.append(Line(record.n, entry.participant, entry.content, own))
        return found

    def _made(self, found: Checked, usage: _Usage) -> ItemsExtracted:
        kept = Checked(dropped={"answer": usage.calls}) if found.unread else found
        if kept.dropped:
            log.info("claims_dropped", effect=self.effect.id, **kept.dropped)
        return ItemsExtracted(
            lead=self.effect.lead,
            first=self.effect.first,
            last=self.effect.last,
            claims=tuple(kept.claims),
            confirmed=tuple(kept.confirmed),
            retracted=tuple(kept.retracted),
            dropped=kept.dropped,
            model=usage.model,
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )


def better(first: Checked, second: Checked) -> Checked:
    """The answer of which more can stand; of two alike the second, which was told what to mend."""
    if second.unread or len(first.claims) > len(second.claims):
        return first
    return second


def candidates(memory: Memory, effect: ReadingEffect) -> list[Candidate]:
    """What stood when the stretch ended and was said in what is shown, the newest, in order."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    found = [
        Candidate(one.handle, _kind(one), one.born, one.participant, _words(one))
        for one in items
        if one.stands and effect.lead <= one.born and one.detected <= effect.last
    ]
    found += [
        Candidate(one.handle, one.kind, one.born, one.participant, one.text)
        for one in overlay_claims(memory).items.values()
        if one.status == "claimed" and effect.lead <= one.born < effect.first
    ]
    return sorted(found, key=lambda one: (one.n, one.ref))[-CANDIDATES:]


def fitting(found: Sequence[Candidate], room: int) -> list[Candidate]:
    """The newest of `found` whose lines have at most `room` tokens together."""
    kept: list[Candidate] = []
    for one in reversed(found):
        room -= count_tokens(listed(one) + "\n")
        if room < 0:
            break
        kept.append(one)
    return kept[::-1]


def _kind(item: Proposal | Decision) -> str:
    return "proposal" if isinstance(item, Proposal) else "decision"


def _words(item: Proposal | Decision) -> str:
    said = item.text if isinstance(item, Proposal) else item.outcome
    return said or item.topic


def _shrunk(lines: Sequence[Line], room: int) -> list[Line]:
    texts = shrunk([(one.who, one.text) for one in lines], room)
    return [replace(one, text=text) for one, text in zip(lines, texts, strict=True)]
