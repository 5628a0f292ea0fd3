"""A cast that speaks from a scenario's script instead of asking a model.

Every answer is a function of the request alone: whose it is, what it is for, how
many turns its participant has taken, and what its text holds. So it does not
matter in which process, in which order or how often somebody asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from parley.bus.entries import Act, Intent
from parley.listeners.agents.prompts import ASKED, SILENT
from parley.listeners.models.model_port import ModelError, Prompt
from parley.listeners.models.scripted_model import Answer
from parley.memory.text.plain_text import clip
from parley.server.scenarios.script import Line, Lines

ABSTAIN: Final = "abstain"
ANY: Final = "any"
_GIST: Final = 400  # characters of a summary: nobody asks a script for a good one

_HANDLE: Final = re.compile(r"[PDV][1-9][0-9]{0,8}\Z")
_LISTED: Final = re.compile(r"^\| (?P<name>.+): .*?(?P<turns>\d+) turns so far", re.MULTILINE)
_HEARD: Final = re.compile(r"^- n (\d+) ", re.MULTILINE)  # before each message of a context
_QUESTION: Final = "You vote in V"
_TAGS: Final[Mapping[Act, str]] = {
    "propose": "PROPOSE", "amend": "AMEND", "withdraw": "WITHDRAW", "support": "SUPPORT",
    "oppose": "OPPOSE", "abstain": "ABSTAIN", "accept": "ACCEPT", "reject": "REJECT",
    "decide": "DECIDE", "ratify": "RATIFY", "dispute": "DISPUTE",
}  # fmt: skip
_INTENTS: Final[Mapping[Act, Intent]] = {
    "propose": "propose", "amend": "amend", "support": "support", "oppose": "oppose",
    "ask": "ask", "decide": "decide",
}  # fmt: skip


def script_answers(script: Mapping[str, Lines]) -> Answer:
    """Answers for everyone in `script`; who is not in it passes and abstains."""

    def answer(prompt: Prompt, _: Random) -> str | ModelError:
        lines = script.get(prompt.participant, Lines())
        match prompt.purpose:
            case "evaluate" if prompt.shape is not None and prompt.shape.name == "Panel":
                return _panel(script, prompt.user)
            case "evaluate":
                return json.dumps(evaluation(lines, prompt.turn, prompt.user))
            case "draft":
                line = _next_line(lines, prompt.turn)
                return spoken(line, prompt.user) if line and _is_due(line, prompt.user) else SILENT
            case "ballot":
                return ballot(lines, prompt.user)
            case "grant":
                return _next_speaker(prompt.participant, prompt.user)
            case _:
                return gist(prompt.user)

    return answer


def _next_line(lines: Lines, turn: int) -> Line | None:
    """What is said after `turn` turns; None once everything was."""
    return lines.turns[turn] if turn < len(lines.turns) else None


def _is_due(line: Line, shown: str) -> bool:
    """Whether what is `shown` holds all that the line waits for, and nothing that forbids it."""
    heard = max((int(n) for n in _HEARD.findall(shown)), default=0)
    return (
        heard >= line.after
        and all(_holds(shown, condition) for condition in line.when)
        and not any(_holds(shown, condition) for condition in line.unless)
    )


def evaluation(lines: Lines, turn: int, shown: str) -> dict[str, object]:
    """The answer to whether to speak: a bid with the next line, when it is time for it."""
    line = _next_line(lines, turn)
    if line is None:
        return {"act": "done", "reason": "all is said"}
    if not _is_due(line, shown):
        return {"act": "pass", "reason": "it is not time yet"}
    return {
        "act": "bid",
        "urgency": line.urgency,
        "intent": intent(line),
        "re": line.re,
        "novelty": " ".join(line.say.split()[:12]),
        "reason": "the script",
    }


def intent(line: Line) -> Intent:
    """What the line is bid for with; an act that no bid has is told by its tag alone."""
    if line.call_vote:
        return "vote"
    return _INTENTS.get(line.act, "answer") if line.act else "answer"


def spoken(line: Line, request: str) -> str:
    """The message, with the tag of its act in front where the floor was not granted for it."""
    tag = "VOTE" if line.call_vote else _TAGS.get(line.act) if line.act else None
    if tag is None or f"{ASKED}{intent(line)}{f' on {line.re}' if line.re else ''}" in request:
        return line.say
    return f"[{tag}{f' {line.re}' if line.re else ''}] {line.say}"


def ballot(lines: Lines, request: str) -> str:
    """The ballot for the question at the end of `request`."""
    question = request[max(0, request.rfind(_QUESTION)) :]
    for on, choice in lines.votes.items():
        if on != ANY and _names(question, on):
            return _cast(choice, lines.why)
    return _cast(lines.votes.get(ANY, ABSTAIN), lines.why)


def _cast(choice: Sequence[str] | str, why: str) -> str:
    chosen = [choice] if isinstance(choice, str) else list(choice)
    return json.dumps({"choice": chosen, "why": why})


def _next_speaker(moderator: str, request: str) -> str:
    """Whom a scripted moderator hears next: itself, else who asks and has spoken least."""
    asking = [
        (match["name"] != moderator, int(match["turns"]), match["name"])
        for match in _LISTED.finditer(request)
        if "asks to" in request[match.end() :].partition("\n")[0]
    ]
    chosen = min(asking, default=None, key=lambda bid: bid[:2])
    if chosen is None:
        return json.dumps({"participant": "", "reason": "nobody asks"})
    return json.dumps({"participant": chosen[2], "reason": "has spoken least"})


def _panel(script: Mapping[str, Lines], request: str) -> str:
    bids = [
        {
            "participant": match["name"],
            **evaluation(script.get(match["name"], Lines()), int(match["turns"]), request),
        }
        for match in _LISTED.finditer(request)
    ]
    return json.dumps({"bids": bids})


def gist(request: str) -> str:
    """The first words of what is quoted in `request`: an extract, as good as a script's can be."""
    quoted = [line.removeprefix("| ") for line in request.splitlines() if line.startswith("| ")]
    return clip(" ".join(quoted) or request, _GIST) or SILENT


def _holds(shown: str, text: str) -> bool:
    """Whether `text` stands in what is shown; of a handle, whether its item is listed there."""
    if _HANDLE.match(text):
        return re.search(rf"^- {text}\b", shown, re.MULTILINE) is not None
    return text in shown


def _names(question: str, on: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(on)}(?!\w)", question) is not None
