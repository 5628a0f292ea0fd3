"""The bus, a fake endpoint over real HTTP, and a model that asks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from parley.bus import Bus
from parley.listeners.models.openai_model import OpenAIModel
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.patience import PATIENCE


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as connected:
        yield connected


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    """It serves for as long as the test runs."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
async def model(fake: FakeOpenAI) -> AsyncIterator[OpenAIModel]:
    """One that waits for as long as a test does."""
    model = OpenAIModel("small-1", url=fake.url, timeout_seconds=PATIENCE)
    yield model
    await model.aclose()
