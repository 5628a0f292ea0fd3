"""An agent in plain Python: nothing is installed, it speaks HTTP and hears server-sent events.

    python examples/plain_agent.py http://127.0.0.1:8000 harbour TOKEN

It takes a seat and supports whatever is proposed, until the session closes. `answer` is the
place for a model: `GET …/context` has what it needs to know.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def answer(proposal: str) -> str:
    """What to say of a proposal. A model would be asked here."""
    return f"I am for it: {proposal}"


def main(url: str, session: str, token: str) -> None:
    here = f"{url.rstrip('/')}/v1/sessions/{session}"
    bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(path: str, body: dict[str, Any]) -> Any:
        request = Request(f"{here}/{path}", json.dumps(body).encode(), bearer)  # noqa: S310 - its user's URL
        with urlopen(request) as reply:  # noqa: S310
            return json.load(reply)

    seat = post("seats", {"listens": "speaks", "answer_seconds": 60})["seat"]
    with urlopen(Request(f"{here}/events?after=0", headers=bearer)) as stream:  # noqa: S310
        for line in stream:
            event = json.loads(line[6:]) if line.startswith(b"data: ") else {}
            if event.get("type") != "entry":
                continue
            if event["entry"]["kind"] == "session.closed":
                return
            for fact in event["facts"]:
                if fact["kind"] == "proposal.made" and fact["data"]["participant"] != seat:
                    words = answer(fact["data"]["text"])
                    post("messages", {"content": words, "act": "support", "re": fact["ref"]})


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except HTTPError as refused:  # its body says what is in the way, and what to do
        sys.exit(refused.read().decode())
