"""Have a model read a stretch of the talk for items, and hold it to what was said.

The model sees the messages, the open ledger and who may rule. What it claims is checked
(`claim_checks`); what fails is refused and named. An answer that is cut keeps its whole rows, and
only the rest is asked for; rows are asked for again if half of an answer is refused. A question
that is too long is asked again smaller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from parley.bus.connection.event_log import EventLog
from parley.bus.entries import Claim, ItemCheck, ItemsExtracted, Record, Refusal
from parley.listeners.extraction.answer_rows import AnswerRows, Row, read_rows
from parley.listeners.extraction.claim_checks import (
    CheckedRows,
    RowFault,
    Shown,
    check_rows,
)
from parley.listeners.extraction.extraction_prompt import (
    CONTEXT,
    ShownMessage,
    again,
    continued,
    extraction_prompt,
    mended,
)
from parley.listeners.extraction.listed_items import Listing, list_items
from parley.listeners.extraction.row_forms import number_of, own_fields
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ContextOverflow,
    Model,
    ModelError,
    OverBudget,
    Prompt,
    Withheld,
)
from parley.listeners.summaries.model_summaries import HALVINGS, clip_lines
from parley.memory.context.item_lines import visible_line
from parley.memory.extraction.model_claims.kept_claims import MOST, REFUSED
from parley.memory.extraction.model_claims.reading_sizes import (
    CALLS,
    answer_tokens,
    message_tokens,
)
from parley.memory.settings.setting_defaults import ExtractSettings
from parley.memory.state.effects import ReadingEffect
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, resolve_name
from parley.memory.text.text_sizes import count_tokens

_SHARE: Final = 4  # of a question that the listing always has: one part in so many
_WHOLE: Final = 200  # characters of any message that stay while longer ones can give way

log = EventLog("parley.extracting")


@dataclass(slots=True)
class _Reading:
    """What was kept of all answers so far, and what they cost."""

    claims: list[Claim] = field(default_factory=list)
    checks: dict[tuple[str, str | None], ItemCheck] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    model: str | None = None

    def pay(self, prompt: Prompt, answer: Completion) -> None:
        self.calls += 1
        self.model = answer.model
        self.input_tokens += answer.input_tokens or count_tokens(prompt.system + prompt.user)
        self.output_tokens += answer.output_tokens or count_tokens(answer.text)

    def keep(self, checked: CheckedRows) -> None:
        """Keep the sound rows; a reading has so many claims at most."""
        room = MOST - len(self.claims)
        self.claims += checked.claims[:room]
        for check in checked.checks:
            self.checks.setdefault((check.ref, check.who), check)
        if len(checked.claims) > room:
            checked.drop("many", len(checked.claims) - room)

    def name(self, checked: CheckedRows) -> None:
        """Name the refused rows of an answer that is not asked for again."""
        self.refused += checked.refused
        for reason, count in checked.dropped.items():
            self.dropped[reason] = self.dropped.get(reason, 0) + count

    def name_one(self, reason: str, row: str) -> None:
        one = CheckedRows()
        one.refuse(row, RowFault(reason, row))
        self.name(one)


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer: its rows, why nothing can be read of it, and if it was cut off."""

    read: AnswerRows
    cut: bool
    unread: str = ""


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """One reading: which messages, the ledger before them, on what terms."""

    effect: ReadingEffect
    terms: ExtractSettings
    listing: Listing = field(default_factory=Listing)
    unread: frozenset[str] = field(default_factory=frozenset)  # whose words nobody reads
    names: Mapping[str, str] = field(default_factory=dict)  # in small letters -> participant
    aliases: Mapping[str, str] = field(default_factory=dict)
    chairs: frozenset[str] = frozenset()

    @classmethod
    def of(cls, memory: Memory, effect: ReadingEffect) -> Self:
        """The job of an effect that `memory` owes."""
        unread = {alias for alias, name in memory.aliases.items() if name in memory.bots}
        return cls(
            effect,
            memory.settings.extract,
            list_items(memory, effect),
            frozenset(memory.bots | unread),
            {small: memory.named(name) for small, name in memory.names.items()},
            dict(memory.aliases),
            memory.chairs,
        )

    @property
    def first(self) -> int:
        return self.effect.lead

    @property
    def last(self) -> int:
        return self.effect.last

    async def run(self, model: Model, records: Sequence[Record]) -> ItemsExtracted:
        """What the model read, checked. Raises `ModelError` if it did not answer."""
        lines = self._lines(records)
        reading = _Reading()
        own = [message for message in lines if message.own]
        if not own:
            return self._entry(reading)
        try:
            prompt, listing, answer = await self._ask_first(model, lines, reading)
        except Withheld as error:  # it would be withheld again
            reading.name_one("answer", str(error))
            return self._entry(reading)
        shown = Shown({line.n: line for line in lines}, listing, self.names, self.chairs)
        if answer.unread:
            try:
                ask = again(prompt, answer.unread, self.terms.out)
                answer = await self._ask(model, ask, reading)
            except (ContextOverflow, OverBudget):
                pass  # the first one is what there is
        if answer.unread:
            reading.name_one("answer", answer.unread)
            return self._entry(reading)
        try:
            await self._read_on(model, prompt, shown, own, answer, reading)
        except ModelError as error:  # what was kept is not lost for that
            reading.name_one("cut", f"not asked for the rest: {error}")
        return self._entry(reading)

    def left_unread(self, reason: str) -> ItemsExtracted:
        """The entry of a stretch that the model never answers: nothing is claimed, and why."""
        reading = _Reading()
        reading.name_one("answer", reason)
        return self._entry(reading)

    # -- asking ----------------------------------------------------------------------

    async def _ask_first(
        self, model: Model, lines: Sequence[ShownMessage], reading: _Reading
    ) -> tuple[Prompt, Listing, _Answer]:
        """The question that fitted, with the items it lists, and its answer."""
        prompt, listing, smaller = self._fit(lines)
        for _ in range(HALVINGS):
            try:
                return prompt, listing, await self._ask(model, prompt, reading)
            except ContextOverflow:
                room = sum(len(message.text) for message in smaller) // 2
                halved = _clip_messages(smaller, room)
                fewer = listing.within(listing.tokens // 2)
                if halved == smaller and fewer == listing:
                    raise
                smaller, listing = halved, fewer
                prompt = self._prompt(smaller, listing)
        raise ContextOverflow("no room even for a small part of the discussion")

    async def _read_on(
        self,
        model: Model,
        prompt: Prompt,
        shown: Shown,
        own: Sequence[ShownMessage],
        answer: _Answer,
        reading: _Reading,
    ) -> None:
        """Keep the rows; ask for the rest of a cut answer, then once for rows that were refused."""
        all_checked = CheckedRows()
        left = list(own)
        while True:
            checked = check_rows(answer.read.rows, shown, reading.claims)
            reading.keep(checked)
            all_checked.add(checked)
            if not answer.cut or answer.unread:
                break
            at = _reached(answer.read.rows, left)
            left = [message for message in left if message.n >= at]
            if reading.calls >= CALLS - 1 or not (checked.claims or checked.checks):
                reading.name_one("cut", f"messages {at} to {left[-1].n}: the answer broke off")
                break
            ask = continued(prompt, reading.claims, at, left[-1].n, self._out(left, 0))
            answer = await self._ask(model, ask, reading)
        if not all_checked.is_poor or reading.calls >= CALLS:
            reading.name(all_checked)
            return
        try:
            ask = mended(prompt, reading.claims, all_checked.faults)
            answer = await self._ask(model, ask, reading)
        except ModelError:
            reading.name(all_checked)
            raise
        checked = check_rows(answer.read.rows, shown, reading.claims)
        reading.keep(checked)
        reading.name(all_checked if answer.unread else checked)

    async def _ask(self, model: Model, prompt: Prompt, reading: _Reading) -> _Answer:
        """One answer. Raises `ModelError`.

        A page of HTML is not an answer of a model: then the endpoint is at fault, and is asked
        again another day.
        """
        try:
            completion = await model.complete(prompt)
            why = ""
        except BadAnswer as error:
            if error.completion is None:
                raise
            completion, why = error.completion, str(error)
        reading.pay(prompt, completion)
        read = read_rows(completion.text)
        cut = completion.cut or bool(why) or not read.whole
        if read.rows or (read.found and not cut):
            return _Answer(read, cut)
        said = f"no rows in {visible_line(completion.text, 80)!r}"
        return _Answer(read, cut, why or ("it was cut off" if cut else said))

    # -- the question ----------------------------------------------------------------

    def _fit(self, lines: Sequence[ShownMessage]) -> tuple[Prompt, Listing, list[ShownMessage]]:
        """The question within `extract.tokens`.

        The listing gives way first, down to a quarter of it, then what is shown for context, then
        the messages to read.
        """
        shown, listing = list(lines), self.listing
        prompt = self._prompt(shown, listing)
        over = _size(prompt) - self.terms.tokens
        if over > 0:
            listing = listing.within(max(listing.tokens - over, self.terms.tokens // _SHARE))
            prompt = self._prompt(shown, listing)
        for _ in range(HALVINGS):
            size = _size(prompt)
            if size <= self.terms.tokens:
                break
            room = sum(len(message.text) for message in shown) * self.terms.tokens // size
            shown = _clip_messages(shown, room * 9 // 10)
            prompt = self._prompt(shown, listing)
        return prompt, listing, shown

    def _prompt(self, lines: Sequence[ShownMessage], listing: Listing) -> Prompt:
        """The question about `lines`, with room for an answer to that much."""
        own = [message for message in lines if message.own]
        return extraction_prompt(lines, listing, self._out(own, listing.doubtful))

    def _out(self, own: Sequence[ShownMessage], checks: int) -> int:
        talk = sum(message_tokens(message.text) for message in own)
        return answer_tokens(self.terms.out, len(own), talk, checks)

    def _lines(self, records: Sequence[Record]) -> list[ShownMessage]:
        """The messages among `records`, without those of bots; context is clipped."""
        messages = []
        for record in records:
            entry: Any = record.entry
            if record.is_message and entry.participant not in self.unread:
                own = self.effect.first <= record.n <= self.effect.last
                text = entry.content if own else clip(entry.content, CONTEXT)
                who = resolve_name(self.aliases, entry.participant)
                messages.append(ShownMessage(record.n, who, text, own))
        return messages

    def _entry(self, reading: _Reading) -> ItemsExtracted:
        if reading.dropped:
            log.info(
                "rows_refused",
                effect=self.effect.id,
                rows=[f"{refusal.reason}: {refusal.row}" for refusal in reading.refused[:REFUSED]],
                **reading.dropped,
            )
        return ItemsExtracted(
            lead=self.effect.lead,
            first=self.effect.first,
            last=self.effect.last,
            claims=tuple(reading.claims),
            checks=tuple(reading.checks.values()),
            refused=tuple(reading.refused[:REFUSED]),
            dropped=reading.dropped,
            model=reading.model,
            calls=reading.calls,
            input_tokens=reading.input_tokens,
            output_tokens=reading.output_tokens,
        )


def _size(prompt: Prompt) -> int:
    return count_tokens(prompt.system) + count_tokens(prompt.user)


def _reached(rows: Sequence[Row], left: Sequence[ShownMessage]) -> int:
    """The message of `left` that the last of `rows` is about, the first one if none is."""
    own = {message.n for message in left}
    numbers = [number_of(own_fields(row).get("n")) for row in rows]
    return max((n for n in numbers if n in own), default=left[0].n)


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
    """Each to the same share of what it has beyond `_WHOLE` characters, if that suffices."""
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
