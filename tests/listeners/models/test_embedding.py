"""What of an endpoint's vectors can be used, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.models.embedding import check_vectors, similarity
from parley.listeners.models.model_port import (
    BadAnswer,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    TooSlow,
)
from parley.listeners.models.openai_model import OpenAIModel, forbid_models
from tests.support.servers.fake_openai import Failure, FakeOpenAI
from tests.support.servers.patience import PATIENCE

VECTORS = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).filter(
    lambda v: max(map(abs, v)) > 1e-3
)
Rows = list[dict[str, Any]]


@given(VECTORS, VECTORS)
def test_likeness_is_a_whole_number_either_way(first: list[float], other: list[float]) -> None:
    """Symmetric, between 0 and 1000, 1000 of a vector and itself."""
    a, b = check_vectors([(0, first), (1, other)], 2)
    assert similarity(a, b) == similarity(b, a)
    assert 0 <= similarity(a, b) <= 1000
    assert similarity(a, a) == 1000


async def test_vectors_come_in_the_order_of_the_texts(fake: FakeOpenAI) -> None:
    """Whatever order the endpoint gives them in; usage is what it counted."""
    fake.spoil = lambda rows: rows[::-1]
    model = OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE)
    embeddings = await model.embed(["ban dogs", "open the shop", "banish pooch"])
    await model.aclose()
    first, other, again = embeddings.vectors
    assert similarity(first, again) == 1000
    assert similarity(first, other) < 500
    assert embeddings.model == "embed-1"
    assert embeddings.input_tokens > 0
    assert fake.embeddings[0]["encoding_format"] == "float"


def _first(value: object) -> Callable[[Rows], Any]:
    def spoil(rows: Rows) -> Rows:
        return [{**rows[0], "embedding": value}, *rows[1:]]

    return spoil


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda rows: rows[:1], "1 vectors for 2 texts"),
        (lambda rows: [rows[0], rows[0]], "2 vectors for 2 texts"),
        (lambda rows: [], "vectors for 2 texts|[Nn]o embedding data"),
        (lambda rows: None, "no vectors in the answer|[Nn]o embedding data"),
        (_first([1.0, 0.0]), "of 2 and of 64 numbers"),
        (_first([float("nan")] * 64), "no direction"),
        (_first([float("inf")] * 64), "no direction"),
        (_first([0.0] * 64), "no direction"),
        (_first([]), "numbers|no direction"),
        (_first(["x"] * 64), "no vectors in the answer"),
        (_first("AAAA"), "no vectors in the answer"),
        (_first(None), "no vectors in the answer"),
    ],
)
async def test_an_answer_without_usable_vectors_is_refused(
    fake: FakeOpenAI, spoil: Callable[[Rows], Any], says: str
) -> None:
    """Too few, twice the same, other dimensions, not finite, all zeros, no numbers."""
    fake.spoil = spoil
    model = OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE)
    with pytest.raises(BadAnswer, match=says):
        await model.embed(["ban dogs", "open the shop"])
    await model.aclose()


@pytest.mark.parametrize(
    ("failure", "kind"),
    [("401", ModelRefused), ("quota", ModelRefused), ("500", ModelUnavailable),
     ("not-json", BadAnswer), ("silent", TooSlow)],
)  # fmt: skip
async def test_a_refusal_is_a_model_error(
    fake: FakeOpenAI, failure: Failure, kind: type[ModelError]
) -> None:
    """Of the same kinds as those of a question."""
    fake.fail(failure)
    model = OpenAIModel(
        "embed-1", url=fake.url, timeout_seconds=0.5 if failure == "silent" else PATIENCE
    )
    with pytest.raises(kind):
        await model.embed(["ban dogs"])
    await model.aclose()


async def test_a_blip_is_asked_again(fake: FakeOpenAI) -> None:
    """Within the one deadline."""
    fake.fail("500", times=1)
    model = OpenAIModel("embed-1", url=fake.url, timeout_seconds=PATIENCE)
    assert len((await model.embed(["ban dogs"])).vectors) == 1
    assert len(fake.embeddings) == 2
    await model.aclose()


async def test_who_must_ask_no_model_asks_no_embedder(fake: FakeOpenAI) -> None:
    """A rebuild of memory calls nothing."""
    model = OpenAIModel("embed-1", url=fake.url)
    with forbid_models(), pytest.raises(ModelRefused):
        await model.embed(["ban dogs"])
