"""What a trace says of memory."""

from __future__ import annotations

from parley.bus.entries import Entry
from parley.memory.state.effects import ShortFormEffect
from parley.server.queries.assistant_trace import memory_state_row
from tests.support.logs.dialogues import assistant, condensed, exchange, remembered


def test_a_trace_says_whether_the_summary_stands_in_a_models_words() -> None:
    """Not whether one before it did."""
    limits = {"running": {"cap": 60, "target": 30}, "exchanges": 0}
    log: list[Entry] = [assistant(summary={"how": "model"}, limits=limits), *exchange(1)]
    short_form = condensed(ShortFormEffect("running", 3), "Told.")
    rows = [
        memory_state_row("desk", remembered(log, entries))
        for entries in ([], [short_form], [short_form, *exchange(2)])
    ]
    assert [(row["compressions"], row["in_a_models_words"]) for row in rows] == [
        (1, False), (1, True), (2, False),
    ]  # fmt: skip
