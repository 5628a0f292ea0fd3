"""Ask a model next to nothing, to tell a question that it refuses from a model that is away."""

from __future__ import annotations

from typing import Final

from parley.listeners.models.model_port import BadAnswer, Model, ModelError, Prompt

TRIES: Final = 3  # failures of one question before another question is asked

_PROBE: Final = Prompt(system="", user="Answer with the word yes.", max_tokens=16)


async def does_answer(model: Model) -> bool:
    """True if `model` says anything at all to a question of five words."""
    try:
        await model.complete(_PROBE)
    except BadAnswer as error:
        return error.completion is not None
    except ModelError:
        return False
    return True
