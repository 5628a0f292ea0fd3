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

from parley.bus.connection.event_log import EventLog
from parley.bus.entries import ItemsExtracted, Record
from parley.listeners.extraction.claim_checks import CheckedClaims, check_claims
from parley.listeners.extraction.extraction_prompt import (
    Candidate,
    Extraction,
    ShownMessage,
    candidate_line,
    extraction_prompt,
    retry_question,
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
from parley.listeners.models.structured_answers import ask_for
from parley.listeners.summaries.model_summaries import HALVINGS, clip_lines
from parley.memory.extraction.model_claims.item_overlay import overlay_claims
from parley.memory.extraction.model_claims.reading_sizes import (
    CANDIDATES,
    answer_tokens,
    message_tokens,
)
from parley.memory.settings.setting_defaults import ExtractSettings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.text.text_sizes import count_tokens

SHARE: Final = 4  # of a question that may go into listing them: one part in so many
_COMPLAINTS: Final = 8  # quoted in a second question
_WHOLE: Final = 200  # characters of any message that stay while longer ones can give way

log = EventLog("parley.extracting")


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
class ExtractionJob:
    """One reading: which messages, what stands among them already, on what terms."""

    effect: ReadingEffect
    terms: ExtractSettings
    candidates: tuple[Candidate, ...] = ()
    unread: frozenset[str] = field(default_factory=frozenset)  # whose words nobody reads

    @classmethod
    def of(cls, memory: Memory, effect: ReadingEffect) -> Self:
        """The job of an effect that `memory` owes."""
        unread = {alias for alias, name in memory.aliases.items() if name in memory.bots}
        return cls(
            effect,
            memory.settings.extract,
            tuple(
                _newest_candidates(
                    list_candidates(memory, effect), memory.settings.extract.tokens // SHARE
                )
            ),
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
        if not any(message.own for message in lines):
            return self._entry(CheckedClaims(), _Usage(calls=0))
        usage = _Usage()
        prompt, first = await self._ask_first(model, lines, usage)
        if not first.is_poor:
            return self._entry(first, usage)
        again = replace(prompt, user=retry_question(prompt, first.complaints[:_COMPLAINTS]))
        try:
            second = await self._ask_and_check(model, again, lines, usage)
        except ModelError as error:
            if first.unread and not isinstance(error, ContextOverflow | OverBudget):
                raise
            return self._entry(first, usage)  # what the first one said is not lost for that
        return self._entry(_better_of(first, second), usage)

    async def _ask_first(
        self, model: Model, lines: Sequence[ShownMessage], usage: _Usage
    ) -> tuple[Prompt, CheckedClaims]:
        """The question that fitted, and what came of it."""
        prompt, smaller = self._fit(lines)
        for _ in range(HALVINGS):
            try:
                return prompt, await self._ask_and_check(model, prompt, lines, usage)
            except ContextOverflow:
                room = sum(len(message.text) for message in smaller) // 2
                halved = _clip_messages(smaller, room)
                if halved == smaller:
                    raise
                smaller = halved
                prompt = self._prompt(smaller)
        raise ContextOverflow("no room even for a small part of the discussion")

    async def _ask_and_check(
        self, model: Model, prompt: Prompt, lines: Sequence[ShownMessage], usage: _Usage
    ) -> CheckedClaims:
        """What can stand of the answer. Raises `ModelError`.

        A page of HTML is no answer of a model: there the endpoint is at fault, and
        is asked again another day.
        """
        try:
            answer, completion = await ask_for(model, prompt, Extraction)
        except BadAnswer as error:
            if error.completion is None:
                raise
            usage.add(prompt, error.completion)
            fewer = "; claim less" if error.completion.cut else ""
            return CheckedClaims(unread=str(error), complaints=[f"{error}{fewer}"])
        usage.add(prompt, completion)
        return check_claims(answer, lines, self.candidates)

    def _fit(self, lines: Sequence[ShownMessage]) -> tuple[Prompt, list[ShownMessage]]:
        """The question, within `extract.tokens`: what is shown before gives way first."""
        shown = list(lines)
        prompt = self._prompt(shown)
        for _ in range(HALVINGS):
            size = count_tokens(prompt.system) + count_tokens(prompt.user)
            if size <= self.terms.tokens:
                break
            room = sum(len(message.text) for message in shown) * self.terms.tokens // size
            shown = _clip_messages(shown, room * 9 // 10)
            prompt = self._prompt(shown)
        return prompt, shown

    def _prompt(self, lines: Sequence[ShownMessage]) -> Prompt:
        """The question about `lines`, with room for an answer to that much."""
        own = [message_tokens(message.text) for message in lines if message.own]
        out = answer_tokens(self.terms.out, len(own), sum(own), len(self.candidates))
        return extraction_prompt(lines, self.candidates, out)

    def _lines(self, records: Sequence[Record]) -> list[ShownMessage]:
        """The messages among `records`, without those of bots."""
        messages = []
        for record in records:
            entry: Any = record.entry
            if record.is_message and entry.participant not in self.unread:
                own = self.effect.first <= record.n <= self.effect.last
                messages.append(ShownMessage(record.n, entry.participant, entry.content, own))
        return messages

    def _entry(self, checked: CheckedClaims, usage: _Usage) -> ItemsExtracted:
        claims = CheckedClaims(dropped={"answer": usage.calls}) if checked.unread else checked
        if claims.dropped:
            log.info("claims_dropped", effect=self.effect.id, **claims.dropped)
        return ItemsExtracted(
            lead=self.effect.lead,
            first=self.effect.first,
            last=self.effect.last,
            claims=tuple(claims.claims),
            confirmed=tuple(claims.confirmed),
            retracted=tuple(claims.retracted),
            dropped=claims.dropped,
            model=usage.model,
            calls=usage.calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )


def _better_of(first: CheckedClaims, second: CheckedClaims) -> CheckedClaims:
    """The answer of which more can stand; of two alike the second, which was told what to mend."""
    if second.unread or len(first.claims) > len(second.claims):
        return first
    return second


def list_candidates(memory: Memory, effect: ReadingEffect) -> list[Candidate]:
    """What stood when the stretch ended and was said in what is shown, the newest, in order."""
    items: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
    listed = [
        Candidate(item.handle, _kind(item), item.born, item.participant, _words(item))
        for item in items
        if item.stands and effect.lead <= item.born and item.detected <= effect.last
    ]
    listed += [
        Candidate(item.handle, item.kind, item.born, item.participant, item.text)
        for item in overlay_claims(memory).items.values()
        if item.status == "claimed" and effect.lead <= item.born < effect.first
    ]
    return sorted(listed, key=lambda candidate: (candidate.n, candidate.ref))[-CANDIDATES:]


def _newest_candidates(candidates: Sequence[Candidate], room: int) -> list[Candidate]:
    """The newest of `candidates` whose lines have at most `room` tokens together."""
    newest: list[Candidate] = []
    for candidate in reversed(candidates):
        room -= count_tokens(candidate_line(candidate) + "\n")
        if room < 0:
            break
        newest.append(candidate)
    return newest[::-1]


def _kind(item: Proposal | Decision) -> str:
    return "proposal" if isinstance(item, Proposal) else "decision"


def _words(item: Proposal | Decision) -> str:
    text = item.text if isinstance(item, Proposal) else item.outcome
    return text or item.topic


def _clip_messages(lines: Sequence[ShownMessage], room: int) -> list[ShownMessage]:
    """`lines` in about `room` characters: those said before give way first, the longest of them.

    Those to be read give way together: a long one is as likely a plan as a pasted log.
    """
    before = [message for message in lines if not message.own]
    own = [message for message in lines if message.own]
    before = _clip_longest(before, room - sum(len(message.text) for message in own))
    return [*before, *_clip_alike(own, room - sum(len(message.text) for message in before))]


def _clip_longest(lines: Sequence[ShownMessage], room: int) -> list[ShownMessage]:
    texts = clip_lines([(message.who, message.text) for message in lines], room)
    return [replace(message, text=text) for message, text in zip(lines, texts, strict=True)]


def _clip_alike(lines: Sequence[ShownMessage], room: int) -> list[ShownMessage]:
    """Each to the same share of what it has beyond `_WHOLE` characters, where that suffices."""
    spare = room - sum(min(len(message.text), _WHOLE) for message in lines)
    beyond = sum(max(0, len(message.text) - _WHOLE) for message in lines)
    if spare < 0:
        return _clip_longest(lines, room)
    if spare >= beyond:
        return list(lines)
    return [
        replace(message, text=clip(message.text, _WHOLE + (size - _WHOLE) * spare // beyond))
        if (size := len(message.text)) > _WHOLE
        else message
        for message in lines
    ]
