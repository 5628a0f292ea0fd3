"""Short forms of long texts, made by a model where memory could only clip.

A model is asked for words, since it cannot count bytes; what it says is measured
in bytes, sent back once with its size where it is too long, then clipped at a
sentence. A prompt that is too long is rebuilt at half its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from parley.bus.entries import Record, TextCondensed
from parley.listeners.models.answer_sentences import whole_part
from parley.listeners.models.model_port import BadAnswer, ContextOverflow, Model, ModelError, Prompt
from parley.listeners.summaries.model_summaries import (
    HALVINGS,
    SYSTEM,
    TOKENS_PER_WORD,
    Lines,
    clip_lines,
    put_around,
)
from parley.memory.exchanges.short_forms import allowed_bytes, earlier_text
from parley.memory.state.effects import ShortFormEffect
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size, clip_bytes
from parley.memory.text.fences import escape_invisible, fence_lines

_BYTES_PER_WORD: Final = 6  # of English with its space; other scripts are measured and sent back
_LEAST_WORDS: Final = 5
_ASKED: Final = {
    "answer": "Put the following answer in few words, keeping what it says and every figure.",
    "result": "Put the following result of a tool in few words, keeping every name and figure.",
    "episode": "Say what the following piece of work came to: outcome, reasons, what is left open.",
    "running": "Summarize the following questions and answers as one, keeping what was found out.",
}


@dataclass(frozen=True, slots=True)
class CondenseJob:
    """One text to be shortened to `allowed_bytes` bytes; `before` is what went ahead of it."""

    effect: ShortFormEffect
    first: int
    last: int
    room: int
    before: str = ""

    @classmethod
    def of(cls, memory: Memory, effect: ShortFormEffect) -> Self:
        """The job of an effect that `memory` owes."""
        size = allowed_bytes(memory, effect)
        if effect.part == "running":
            store = memory.exchanges
            before = earlier_text(memory) or store.running[: store.kept]
            return cls(effect, min(store.first, effect.of), effect.of, size, before)
        if effect.part == "episode":
            episode = next(
                episode
                for episode in memory.episodes.by_ref.values()
                if episode.opened == effect.of
            )
            return cls(effect, effect.of, episode.closed or effect.of, size, episode.result)
        return cls(effect, effect.of, effect.of, size)

    async def run(self, model: Model, records: Sequence[Record]) -> TextCondensed:
        """The shorter form; "" of a text that is gone. Raises `ModelError`."""
        if self.effect.part == "running":  # questions and answers, not what tools said meanwhile
            records = [record for record in records if record.is_message]
        lines = _contents_of(records)
        if self.before:
            lines = [("so far", self.before), *lines]
        if not lines:
            return TextCondensed(part=self.effect.part, of=self.effect.of, text="")
        text, by = await self._ask_smaller(model, lines)
        return TextCondensed(part=self.effect.part, of=self.effect.of, text=text, model=by)

    async def _ask_smaller(self, model: Model, lines: Lines) -> tuple[str, str]:
        size = sum(len(content) for _, content in lines)
        for _ in range(HALVINGS):
            try:
                return await self._ask(model, lines)
            except ContextOverflow:
                size //= 2
                names = [name for name, _ in lines]
                smaller = list(zip(names, clip_lines(lines, size), strict=True))
                if smaller == list(lines):
                    raise
                lines = smaller
        raise ContextOverflow(f"no room even for {size} characters")

    async def _ask(self, model: Model, lines: Lines) -> tuple[str, str]:
        prompt = self.prompt(lines)
        answer = await model.complete(prompt)
        text = whole_part(answer).strip()
        if answer.cut or byte_size(text) > self.room:
            text = await self._shorten(model, text, prompt.max_tokens)
        text = clip_bytes(text, self.room)
        if not text:
            raise BadAnswer("nothing is left of the answer")
        return text, answer.model

    async def _shorten(self, model: Model, text: str, max_tokens: int) -> str:
        """A shorter form of the text if the model can make one; else its first answer."""
        prompt = Prompt(
            SYSTEM,
            put_around(
                f"This text has {byte_size(text)} bytes.",
                fence_lines(text[: self.room * 4]),
                f"Shorten it to under {self.room} bytes, about {self.words} words, keeping what "
                "matters most.",
            ),
            max_tokens,
            purpose="condense",
        )
        try:
            answer = await model.complete(prompt)
        except ModelError:
            return text
        shorter = whole_part(answer).strip()
        return shorter if byte_size(shorter) < byte_size(text) else text

    @property
    def words(self) -> int:
        return max(_LEAST_WORDS, self.room // _BYTES_PER_WORD)

    def prompt(self, lines: Lines) -> Prompt:
        """The question about `lines`, (who, content) each."""
        quoted = "\n\n".join(
            f"[{escape_invisible(name)}]:\n{fence_lines(content)}" for name, content in lines
        )
        return Prompt(
            SYSTEM,
            put_around(
                _ASKED[self.effect.part],
                quoted,
                f"Now do that in your own words. Under {self.words} words.",
            ),
            self.words * TOKENS_PER_WORD,
            purpose="condense",
        )


def _contents_of(records: Sequence[Record]) -> list[tuple[str, str]]:
    """(who, content) of whatever was said, done or returned among `records`."""
    lines: list[tuple[str, str]] = []
    for record in records:
        entry: Any = record.entry
        content = getattr(entry, "content", "") or getattr(entry, "result", "")
        if content.strip() and entry.kind != "context.injected":
            lines.append((getattr(entry, "tool", entry.participant), content))
    return lines
