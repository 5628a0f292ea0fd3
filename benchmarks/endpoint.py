"""The endpoint of `benchmarks.deliberation`: `python -m benchmarks.endpoint SPEED SEED`.

Prints its address and serves until it is killed. An evaluation bids in half of
the cases, with an intent and an urgency drawn by the request; a ballot chooses any option.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from parley.listeners.agents.repeats import words_of
from parley.personas.library import bundled_cast
from tests.support.servers.fake_openai import FakeOpenAI, Manners
from tests.support.servers.fake_replies import random_of, realistic_reply

INTENTS = ("answer", "propose", "support", "oppose", "ask", "answer")


def replies(seed: int) -> Any:
    """Prose of 80 to 300 tokens, and evaluations that are neither all bids nor all passes."""
    prose = realistic_reply(seed, vocabulary())

    def reply(request: dict[str, Any]) -> str:
        wanted = request.get("response_format", {}).get("json_schema", {})
        if wanted.get("name") == "ballot":
            options = wanted["schema"]["properties"]["choice"]["items"]["enum"]
            chance = random_of(seed, "ballot", request["messages"])
            return json.dumps({"choice": [chance.choice(options)], "why": "on balance"})
        if wanted.get("name") != "Evaluation":
            return prose(request)
        chance = random_of(seed, "evaluation", request["messages"])
        return json.dumps({
            "act": chance.choice(("bid", "pass")), "urgency": chance.randint(0, 3),
            "intent": chance.choice(INTENTS), "re": chance.choice(("", "P1", "P2")),
            "novelty": "a point not made so far", "reason": "it was not said yet",
        })  # fmt: skip

    return reply


def vocabulary() -> list[str]:
    """Some thousand words that people write: the cast's.

    Of few words, a long message has those of any proposal, and is asked anew for making it again.
    """
    return sorted({word for persona in bundled_cast().values() for word in words_of(persona.body)})


def main(speed: str, seed: str) -> None:
    manners = Manners(
        first_token_seconds=0.3 / float(speed), tokens_per_second=50 * float(speed), faults=50,
        seed=int(seed), reply=replies(int(seed)),
    )  # fmt: skip
    with FakeOpenAI(manners=manners) as fake:
        print(fake.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
