"""What an endpoint's model is like, by asking it: how fast, what it supports, what follows."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import anyio
from pydantic import BaseModel

from parley.listeners.models.model_port import BadAnswer, Completion, ModelError, Prompt, TooSlow
from parley.listeners.models.openai_dialect import Dialect
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.models.structured_answers import ask_for
from parley.memory.text.text_sizes import count_tokens
from parley.server.runtime.checks import Check
from parley.server.runtime.model_endpoint import closing_model, open_model
from parley.server.settings import Settings

_SYSTEM: Final = "You answer briefly."
_TO_SAY: Final = Prompt(  # as a message is asked for
    _SYSTEM, "Count from one to twenty, in words.", max_tokens=64, tier="large"
)
_TO_JUDGE: Final = Prompt(  # as a bid is
    _SYSTEM, "Is seven more than five? Say so as yes or no, with a reason.", max_tokens=64
)
_SHAPES: Final = {
    "json_schema": "answers held to a JSON Schema",
    "json_object": "answers of some JSON object, not held to a schema",
    "tagged": "no response_format: objects are asked for between tags",
}
_TIMES: Final = 2  # of what an answer may take: a later question is longer


class _Judgement(BaseModel):
    reason: str = ""
    answer: str


@dataclass(frozen=True, slots=True)
class _Pace:
    """How long an answer took, in seconds, the first word apart."""

    seconds: float
    first: float
    tokens: int
    streamed: bool  # in more than one piece

    @property
    def a_second(self) -> float:
        """Tokens a second, once it speaks; of all the time where it came in one piece."""
        speaking = self.seconds - self.first if self.streamed else self.seconds
        return self.tokens / max(speaking, 0.001)

    def seconds_for(self, tokens: int) -> float:
        """What so many tokens may take."""
        return (self.first if self.streamed else 0.0) + tokens / self.a_second


async def check_model(settings: Settings) -> AsyncIterator[Check]:
    """Whether the model answers; how fast, what its endpoint supports, which settings follow."""
    model = open_model(settings)
    if not isinstance(model, OpenAIModel):
        finding = "none: summaries are extracts; --model-key or --model-url adds one"
        yield {"what": "model", "state": "ok", "finding": finding}
        return
    if importlib.util.find_spec("openai") is None:
        finding = (
            "the openai package is missing: install parley-deliberation[model] (docs/install.md)"
        )
        yield {"what": "model", "state": "fail", "finding": finding}
        return
    async with closing_model(model):
        try:
            answer, pace = await _hear(model)
            shaped = await _is_shaped(model)
        except ModelError as error:
            slow = "; one that is only slow wants more --patience" * isinstance(error, TooSlow)
            where = settings.model_url or "the default endpoint"
            cure = "; correct PARLEY_MODEL_URL, PARLEY_MODEL or PARLEY_MODEL_KEY" * (not slow)
            yield {"what": "model", "state": "fail", "finding": f"{where}: {error}{slow}{cure}"}
            return
    yield {
        "what": "model", "state": "ok",
        "finding": f"{answer.model} answered in {pace.seconds:.1f} s, its first word after "
        f"{pace.first:.1f} s, {pace.a_second:.0f} tokens a second",
        "seconds": round(pace.seconds, 3), "first_seconds": round(pace.first, 3),
        "tokens_a_second": round(pace.a_second, 1),
    }  # fmt: skip
    yield _supported(model, pace, shaped, counted=answer.output_tokens > 0)
    yield _settings_for(settings, pace)


async def _hear(model: OpenAIModel) -> tuple[Completion, _Pace]:
    """What the model that speaks says, heard as it is said."""
    began, first, pieces = anyio.current_time(), None, 0
    answer = Completion("", "")
    async for piece in model.stream(_TO_SAY):
        if isinstance(piece, Completion):
            answer = piece
        else:
            pieces += 1
            first = anyio.current_time() - began if first is None else first
    seconds = anyio.current_time() - began
    tokens = max(1, answer.output_tokens or count_tokens(answer.text))
    return answer, _Pace(seconds, seconds if first is None else first, tokens, pieces > 1)


async def _is_shaped(model: OpenAIModel) -> bool:
    """Whether the model that judges answers with an object, in whatever way it is asked for one."""
    for _ in range(2):
        before = model.dialect("small")
        try:
            await ask_for(model, _TO_JUDGE, _Judgement)
        except BadAnswer:
            if model.dialect("small") == before:
                return False
        else:
            return True
    return False


def _supported(model: OpenAIModel, pace: _Pace, shaped: bool, *, counted: bool) -> Check:
    """What the endpoint understands of the protocol, as far as it was asked."""
    speaks, judges = model.dialect("large"), model.dialect("small")
    supports = {
        "response_format": None if judges.rung == "tagged" else judges.rung,
        "objects": shaped, "system": speaks.system and judges.system, "stream": pace.streamed,
        "usage": counted, "temperature": speaks.temperature, "length": speaks.room,
        "most_tokens": speaks.most,
    }  # fmt: skip
    findings = [
        _SHAPES[judges.rung] if shaped else "no object where one is asked for: no bids, no votes",
        "a system role" if supports["system"] else "no system role",
        "streams" if pace.streamed else "answers in one piece",
        "counts its tokens" if counted else "does not count its tokens",
        *_lengths(speaks),
    ]
    state = "ok" if shaped else "warn"
    return {
        "what": "endpoint",
        "state": state,
        "finding": "; ".join(findings),
        "supports": supports,
    }


def _lengths(dialect: Dialect) -> list[str]:
    most = "" if dialect.most is None else f", at most {dialect.most}"
    return [f"{dialect.room}{most}", *(["no temperature"] if not dialect.temperature else [])]


def _settings_for(settings: Settings, pace: _Pace) -> Check:
    """Which settings such a pace wants, beside those there are."""
    out = settings.session.speak.out
    speech = pace.seconds_for(out)
    finding = f"what is said, {out} tokens, may take {speech:.0f} s of --patience "
    finding += f"{settings.patience:g}"
    if speech <= settings.patience:
        return {"what": "patience", "state": "ok", "finding": finding, "settings": {}}
    wanted: dict[str, Any] = {"patience": math.ceil(_TIMES * speech)}
    fits = math.floor(out * settings.patience / (_TIMES * speech))
    if fits >= _TO_SAY.max_tokens:
        wanted["speak_out"] = fits
    finding += f": --patience {wanted['patience']} would do"
    if "speak_out" in wanted:
        finding += f", or --speak-out {fits}"
    return {
        "what": "patience", "state": "warn", "settings": wanted,
        "finding": f"{finding}; --floor-queue 1 --effects-at-once 1 ask it one thing at a time "
        "(docs/models.md)",
    }  # fmt: skip
