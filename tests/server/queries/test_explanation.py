"""What explain says of the binding decisions of a long session, over a real server."""

from __future__ import annotations

from parley.bus import Bus, Draft
from parley.server.queries.explanation import build_explanation
from parley.server.queries.log_queries import replay_log
from parley.server.runtime.packs import read_packs
from tests.support.logs.logs import opened
from tests.support.logs.long_log import agreement, long_log


async def test_each_ratified_decision_is_explained_word_for_word(redis_url: str) -> None:
    """After 10,000 entries of all kinds, however short its line in the ledger is."""
    async with await Bus.connect(redis_url) as bus:
        await bus.open("long", opened())
        await bus.publish("long", [Draft(f"e{k}", e) for k, e in enumerate(long_log(10_000))])
        replay = await replay_log(bus, read_packs(), "long")
    assert replay.memory.n >= 7_000  # the others are of the control kinds
    bound = [
        decision for decision in replay.memory.decisions.values() if decision.status == "ratified"
    ]
    assert len(bound) >= 200
    for decision in bound:
        explanation = build_explanation(replay, decision.handle)
        assert explanation["status"] == "ratified"
        assert explanation["words"]
        for row in explanation["words"]:
            assert row["text"] in getattr(replay.records[row["n"]].entry, "content", "")
        if decision.participant.startswith("delegate-"):
            words = "\n".join(row["text"] for row in explanation["words"])
            assert sum(agreement(k) in words for k in range(1, 251)) == 1
