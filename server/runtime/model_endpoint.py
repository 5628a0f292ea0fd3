"""The models that the settings name: who answers, what embeds, and what calls cost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from parley.listeners.models.embedding import Embedder
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.spending.prices import Prices, by_tier
from parley.server.settings import Settings


def read_prices(settings: Settings) -> Prices:
    """What calls of the settings' models cost, as far as they say."""
    return by_tier(settings.model_prices, settings.model, settings.model_large or settings.model)


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedding model that the settings name; None where they name none, or no endpoint."""
    if not settings.has_model or not settings.model_embedding:
        return None
    from parley.listeners.models.openai_model import OpenAIModel

    return OpenAIModel(
        settings.model_embedding,
        key=settings.model_key.get_secret_value(),
        url=settings.model_url or None,
        timeout_seconds=settings.patience,
    )


def open_model(settings: Settings) -> StreamingModel | None:
    """The model that the settings name; None where they name none."""
    if not settings.has_model:
        return None
    from parley.listeners.models.openai_model import OpenAIModel

    return OpenAIModel(
        settings.model,
        key=settings.model_key.get_secret_value(),
        url=settings.model_url or None,
        large=settings.model_large or None,
        timeout_seconds=settings.patience,
        temperature=settings.model_temperature,
        finish_whole=settings.model_finish_whole,
    )


@asynccontextmanager
async def closing_model(model: StreamingModel) -> AsyncIterator[None]:
    """At the end an endpoint's connections are closed."""
    try:
        yield
    finally:
        if isinstance(model, OpenAIModel):
            with anyio.CancelScope(shield=True):
                await model.aclose()
