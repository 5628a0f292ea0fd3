"""The trace of a message is known from its session and id alone."""

from __future__ import annotations

from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased

from parley.server.telemetry.span_ids import is_followed, span_id, trace_id


def test_a_message_has_one_trace_and_each_step_a_span_of_its_own() -> None:
    """Whoever asks, and whenever: a draft that is sent again is in the same trace."""
    assert trace_id("s", "a") == 0x5351FD094D5DD044677C9CBD48AB2B72
    assert len({trace_id(s, i) for s in "st" for i in "ab"}) == 4
    assert span_id("s", "a", "publish") != span_id("s", "a", "fold")
    assert 0 < span_id("s", "a", "fold") < 1 << 64


def test_the_choice_is_that_of_the_sampler() -> None:
    """So that a span whose parent is elsewhere is kept where its parent is."""
    for ratio in (0.0, 0.25, 1.0):
        sampler = TraceIdRatioBased(ratio)
        for number in range(200):
            trace = trace_id("s", str(number))
            decision = sampler.should_sample(None, trace, "fold").decision
            assert is_followed(trace, ratio) == (decision == Decision.RECORD_AND_SAMPLE)
