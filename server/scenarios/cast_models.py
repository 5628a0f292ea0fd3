"""Whose words a scenario's agents speak: an endpoint's, or the script's."""

from __future__ import annotations

from typing import Final

from pydantic import SecretStr

from parley.listeners.models.model_port import StreamingModel
from parley.listeners.models.scripted_model import ScriptedModel
from parley.listeners.spending.prices import Prices
from parley.server.basics.errors import Misuse
from parley.server.runtime.model_endpoint import open_model as endpoint
from parley.server.runtime.model_endpoint import read_prices as listed
from parley.server.scenarios.cast import Cast
from parley.server.scenarios.scripted_model import script_answers
from parley.server.settings import Settings

_THINKS_SECONDS: Final = 0.25  # before it speaks, so that one can read along
_TOKENS_PER_SECOND: Final = 120.0  # faster than one reads, and a talk of 30 turns in a minute


def with_scenario_models(settings: Settings, cast: Cast, *, offline: bool) -> Settings:
    """`settings` with the scenario's models in them; with none where it is played `offline`."""
    models = cast.scenario.models
    names = {"model": models.small, "model_large": models.large}
    if offline:
        return settings.model_copy(update={"model_url": "", "model_key": SecretStr("")})
    return settings.model_copy(update={name: value for name, value in names.items() if value})


def open_cast_model(settings: Settings, cast: Cast, *, fast: bool) -> StreamingModel:
    """Who answers: the endpoint of the settings, or the script where they name none.

    `fast`: a script that does not pause. Raises `Misuse` where there is neither.
    """
    speaker = endpoint(settings)
    if speaker is not None:
        return speaker
    if not cast.scenario.script:
        raise Misuse(
            f"{cast.source} has no script to play offline; name a model with --model-url "
            "or --model-key"
        )
    answers = script_answers(cast.scenario.script)
    if fast:
        return ScriptedModel(answers)
    return ScriptedModel(
        answers, first_token_seconds=_THINKS_SECONDS, tokens_per_second=_TOKENS_PER_SECOND
    )


def cast_prices(settings: Settings, cast: Cast) -> Prices:
    """What calls cost: the scenario's prices before those of the settings."""
    return {**listed(settings), **cast.prices}
