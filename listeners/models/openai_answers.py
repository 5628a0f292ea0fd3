"""Completions out of OpenAI's protocol, from a whole answer or from a stream. Pure.

The client passes a page of HTML with status 200 on as a `str`, JSON of another shape as a
completion without choices, and a stream that broke off as one that ends without its last event:
each is `BadAnswer`. Why a generation ended is read from the finish reason; providers have many
words for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.listeners.models.model_port import (
    BadAnswer,
    Completion,
    ModelError,
    UnknownFinish,
    error_of,
)
from parley.listeners.models.reasoning import strip_reasoning

_SAID: Final = ("text", "output_text")  # types of parts that are words; others are thoughts, calls
MOST_TOKENS: Final = 1_000_000_000  # of one call; what is beyond is no count of anything

# Why a generation ended, in small letters: of OpenAI, Azure, Anthropic, Google, Cohere, Mistral,
# vLLM, TGI, llama.cpp and the routers before them.
_WHOLE: Final = frozenset({
    "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "finished",
    "tool_calls", "tool_call", "tool_use", "function_call",
})  # fmt: skip
_CUT: Final = frozenset({
    "length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length",
    "model_context_window_exceeded", "token_limit", "error_limit",
})  # fmt: skip
_WITHHELD: Final = ("content_filter", "safety", "recitation", "blocklist", "prohibited_content",
                    "spii", "refusal", "language", "error_toxic", "guardrail")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them; 0: it does not say."""

    input: int = 0
    output: int = 0
    cached: int = 0

    @classmethod
    def of(cls, usage: Any) -> Usage:
        details = getattr(usage, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None)
        if cached is None:  # DeepSeek's word for it
            cached = getattr(usage, "prompt_cache_hit_tokens", None)
        input_tokens = _token_count(getattr(usage, "prompt_tokens", None))
        output_tokens = _token_count(getattr(usage, "completion_tokens", None))
        return cls(input_tokens, output_tokens, min(_token_count(cached), input_tokens))


@dataclass(slots=True)
class StreamedAnswer:
    """An answer while it comes, chunk by chunk."""

    model: str
    pieces: list[str] = field(default_factory=list)
    finish: str | None = None
    usage: Usage = Usage()
    declined: bool = False
    ended: bool = False  # the stream came to its proper end: usage, or `[DONE]`
    whole: frozenset[str] = frozenset()  # further finish reasons of answers that are whole

    def take(self, chunk: Any) -> str:
        """The text that `chunk` adds."""
        self.model = str(getattr(chunk, "model", None) or self.model)
        if getattr(chunk, "usage", None) is not None:  # in the last one, or in each anew
            self.usage = Usage.of(chunk.usage)
            self.ended = self.ended or not getattr(chunk, "choices", None)
        added = ""
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = getattr(choice, "delta", None)
            self.finish = getattr(choice, "finish_reason", None) or self.finish
            self.declined = self.declined or bool(getattr(delta, "refusal", None))
            added += _text_of(getattr(delta, "content", None))
        self.pieces.append(added)
        return added

    def partial(self) -> Completion | None:
        """The completion so far, finished or not; None where nothing has arrived."""
        so_far = self._completion_so_far()
        return so_far if so_far.text or so_far.output_tokens else None

    def completion(self) -> Completion:
        """The completion once the stream has ended. Raises `BadAnswer` where it broke off."""
        if self.finish is None and not self.ended:
            raise BadAnswer("the answer was cut off: no finish reason", self.partial())
        so_far = self._completion_so_far()
        return _check_finish(so_far, self.finish, self.whole, declined=self.declined)

    def _completion_so_far(self) -> Completion:
        return _make_completion("".join(self.pieces), self.finish, self.model, self.usage)


def parse_completion(answer: Any, whole: frozenset[str] = frozenset()) -> Completion:
    """The completion of a whole `answer` of the client.

    `whole` are further finish reasons of answers that are whole. Raises `BadAnswer`.
    """
    choices = getattr(answer, "choices", None)
    if not choices:
        if isinstance(error := getattr(answer, "error", None), dict):
            raise error_in_body(error)
        raise BadAnswer(f"no choices in a {type(answer).__name__} of the endpoint")
    message = getattr(choices[0], "message", None)
    finish = getattr(choices[0], "finish_reason", None)
    model = str(getattr(answer, "model", None) or "?")
    usage = Usage.of(getattr(answer, "usage", None))
    return _check_finish(
        _make_completion(_text_of(getattr(message, "content", None)), finish, model, usage),
        finish,
        whole,
        declined=bool(getattr(message, "refusal", None)),
    )


def error_in_body(error: dict[str, Any]) -> ModelError:
    """What routers put into an answer with status 200, or a stream: the refusal of whom they asked.

    Its code is a status, or a name.
    """
    code = str(error.get("code") or "")
    status = int(code) if code.isdecimal() and 400 <= int(code) <= 599 else 500
    named = None if code.isdecimal() else code or None
    kind = error.get("type")
    return error_of(status, named, str(kind) if kind else None, str(error.get("message", "")))


def _text_of(content: Any) -> str:
    """The words of a message: text, or parts of which those of type `text` are said (Mistral)."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    said = [part for part in parts if isinstance(part, dict)]
    texts = [part.get("text") for part in said if part.get("type", "text") in _SAID]
    return "".join(text for text in texts if isinstance(text, str))


def _make_completion(text: str, finish: str | None, model: str, usage: Usage) -> Completion:
    return Completion(
        strip_reasoning(replace_lone_surrogates(text)).strip(),
        replace_lone_surrogates(model),
        usage.input,
        usage.output,
        usage.cached,
        cut=_reason(finish) in _CUT,
    )


def _check_finish(
    completion: Completion, finish: str | None, whole: frozenset[str], *, declined: bool
) -> Completion:
    """The completion, if its finish reason says that it is one; without a reason it is."""
    reason = _reason(finish)
    if finish is not None and reason not in _WHOLE | _CUT | whole:
        if any(word in reason for word in _WITHHELD):
            why = "the provider's content filter withheld the answer"
            raise BadAnswer(f"{why} (finish reason {_shown(finish)})", completion)
        raise UnknownFinish(
            f"the answer ended for a reason that is not known: {_shown(finish)}. If answers that "
            f"end so are whole, say so: model_finish_whole = [{_shown(finish)}]",
            completion,
        )
    if not completion.text:
        why = "the model declined to answer" if declined else "an empty answer"
        raise BadAnswer(f"{why} (finish reason {finish!r})", completion)
    return completion


def _reason(finish: object) -> str:
    return str(finish or "").strip().lower()


def _shown(finish: object) -> str:
    return json.dumps(replace_lone_surrogates(str(finish))[:60], ensure_ascii=False)


def _token_count(number: object) -> int:
    return number if isinstance(number, int) and 0 <= number <= MOST_TOKENS else 0
