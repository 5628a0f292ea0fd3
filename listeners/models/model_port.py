"""The port to a language model, and what its refusals mean. Pure.

ModelError
├── ModelUnavailable   down, rate-limited: try again later
│   └── TooSlow        its deadline passed: what it generated may have been paid for
├── ModelRefused       bad key, no quota, no such model: only a person can mend it
├── ContextOverflow    the prompt is too long: ask with less, never the same again
├── BadAnswer          it answered, with nothing that can be used
│   ├── UnknownFinish  it ended for a reason that is not known: perhaps a fragment
│   ├── Unfounded      it says what it was told nothing of; the next question may fare better
│   └── Withheld       the provider's filter refused this question: never the same again
└── OverBudget         it was not asked: the account has no room for the call

Providers that speak OpenAI's protocol agree on success and on little else.
`error_kind` is the one table that reads their refusals.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from parley.bus.entries import Purpose


class ModelError(Exception):
    """Any failure of a model call; its text names provider and cause, never the prompt."""


class ModelUnavailable(ModelError):
    """Worth another try. `retry_after` is the provider's wish in seconds, where it said one."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class TooSlow(ModelUnavailable):
    pass


class ModelRefused(ModelError):
    pass


class ContextOverflow(ModelError):
    pass


class BadAnswer(ModelError):
    """`completion` is what was heard, where anything was: it is paid for all the same."""

    def __init__(self, reason: str, completion: Completion | None = None) -> None:
        super().__init__(reason)
        self.completion = completion


class UnknownFinish(BadAnswer):
    pass


class Unfounded(BadAnswer):
    pass


class Withheld(BadAnswer):
    pass


class OverBudget(ModelError):
    pass


Tier = Literal["small", "large"]


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The JSON object that an answer is to be, as a JSON Schema with a name."""

    name: str  # letters, digits, _ and -
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question. `max_tokens` bounds the answer; `tier` picks among a model's sizes.

    `model`, where given, is asked instead of the tier's. `purpose`, `participant`
    and `turn` (the turns it has taken) say what the question is for: a scripted
    model answers by them, an endpoint never sees them. A model whose temperature is
    below `least_temperature` is asked at that one.
    """

    system: str
    user: str
    max_tokens: int
    tier: Tier = "small"
    model: str = ""
    shape: AnswerSchema | None = None
    purpose: Purpose = "other"
    participant: str = ""
    turn: int = 0
    least_temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, empty only where it was broken off before its first word.

    `cut` where it ran into `max_tokens`; 0 tokens = not reported.
    """

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0  # of the input, served from the provider's cache
    cut: bool = False


class Model(Protocol):
    async def complete(self, prompt: Prompt) -> Completion:
        """The answer to `prompt`, within the model's own deadline; raises `ModelError`."""
        ...


class StreamingModel(Model, Protocol):
    """A model that can be heard while it speaks."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Completion]:
        """The answer in pieces as they come, and the whole `Completion` last.

        Closing the iterator ends the generation. Raises `ModelError`; what was
        heard until then is not the answer.
        """
        ...


ErrorKind = Literal["unavailable", "refused", "overflow", "withheld"]

# Seen in the wild: OpenAI and Azure (context_length_exceeded), vLLM and TGI
# ("maximum context length"), llama.cpp (exceed_context_size_error), Anthropic's
# and Mistral's gateways ("prompt is too long", "too large for model"), Gemini ("The input
# token count (…) exceeds the maximum number of tokens allowed"), LiteLLM, which puts the name
# of its exception before whatever a provider said.
_OVERFLOW_CODES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"}
)
_OVERFLOW_WORDS: Final = re.compile(
    r"maximum context length|context (?:length|window|size)|prompt is too long"
    r"|too large for model|input (?:is )?too long|reduce the length|ContextWindowExceeded"
    r"|exceeds? (?:the maximum number of tokens|context limit|the configured limit)",
    re.IGNORECASE,
)
_OVERFLOW_STATUS: Final = frozenset({400, 413, 422, 500})  # llama.cpp once said 500

_QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_QUOTA_WORDS: Final = re.compile(
    r"insufficient_quota|exceeded your current quota|billing", re.IGNORECASE
)
# Azure (content_filter), OpenAI (content_policy_violation), LiteLLM: of one question, not of a key.
_WITHHELD_CODES: Final = frozenset({"content_filter", "content_policy_violation"})
_WITHHELD_WORDS: Final = re.compile(
    r"content management policy|content[ _]?policy[ _]?violation", re.IGNORECASE
)

_TRANSIENT_STATUS: Final = frozenset({408, 409, 425, 429})


def error_kind(status: int, code: str | None, type: str | None, message: str) -> ErrorKind:
    """What a provider's refusal with HTTP `status` asks of the caller."""
    named = {code, type}
    if status in _OVERFLOW_STATUS and (
        named & _OVERFLOW_CODES or _OVERFLOW_WORDS.search(message) is not None
    ):
        return "overflow"
    if named & _QUOTA_CODES or (status in {402, 429} and _QUOTA_WORDS.search(message)):
        return "refused"
    if status < 500 and (named & _WITHHELD_CODES or _WITHHELD_WORDS.search(message)):
        return "withheld"
    if status in _TRANSIENT_STATUS or status >= 500:
        return "unavailable"
    return "refused"


_REPEATED: Final = re.compile(r"^Error code: \d+(?: - )?")  # as the client begins, and gateways


def error_of(
    status: int,
    code: str | None,
    type: str | None,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> ModelError:
    """The `ModelError` for a provider's refusal."""
    name = "" if str(code or type) == str(status) else code or type or ""
    text = f"HTTP {status} {name}".strip() + f": {_REPEATED.sub('', message)[:300]}"
    match error_kind(status, code, type, message):
        case "overflow":
            return ContextOverflow(text)
        case "refused":
            return ModelRefused(text)
        case "withheld":
            return Withheld(text)
        case "unavailable":
            return ModelUnavailable(text, _retry_after(headers or {}))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; its date form is read as absent."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
