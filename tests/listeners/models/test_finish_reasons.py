"""Any finish reason whatever: an answer is whole, cut or refused by its name; nothing else."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.listeners.models import openai_answers
from parley.listeners.models.model_port import ModelError

KNOWN = sorted(openai_answers._WHOLE | openai_answers._CUT | {*openai_answers._WITHHELD})
REASONS = st.one_of(
    st.none(),
    st.text(max_size=80),
    st.sampled_from(KNOWN).flatmap(
        lambda word: st.sampled_from([word.upper(), f" {word}\n", f"{word}: X", f"x{word}"])
    ),
    st.sampled_from(["error", "abort", "other", "\ud83d", "x" * 5_000]),
)


def check(reason: str | None) -> None:
    """A fragment is never taken as whole: only reasons that are known, or none, let it through."""
    made = openai_answers._make_completion("A fragm", reason, "m", openai_answers.Usage())
    plain = (reason or "").strip().lower()
    refused = ""
    try:
        taken = openai_answers._check_finish(made, reason, frozenset(), declined=False)
    except ModelError as error:
        refused, taken = str(error), made
    if refused:
        assert plain not in openai_answers._WHOLE | openai_answers._CUT
        assert reason is not None
        assert len(refused.encode()) < 2_000
        return
    assert reason is None or plain in openai_answers._WHOLE | openai_answers._CUT
    assert taken.cut == (plain in openai_answers._CUT)
    declared = openai_answers._check_finish(made, reason, frozenset({plain}), declined=False)
    assert declared == taken


@settings(max_examples=300)
@given(reason=REASONS)
def test_a_fragment_is_never_taken_as_whole(reason: str | None) -> None:
    check(reason)


@pytest.mark.long
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(reason=REASONS)
def test_a_fragment_is_never_taken_as_whole_in_many(reason: str | None) -> None:
    check(reason)
