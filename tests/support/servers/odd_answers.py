"""A model with every bad habit at once: thoughts among its words, odd names, odd ends.

Whatever nobody should come to read holds the word `MARKER`. Answers are streamed in pieces of one
to seven characters; habits, ends and spellings follow one another, so that each occurs.
"""

from __future__ import annotations

import json
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any, Final

from tests.support.servers.fake_openai import Spoken

MARKER: Final = "wombat"
# What no reader sees either: the marks of such stretches.
MARKS: Final = (
    "<|",
    "|>",
    "[think",
    "[/think",
    "<think",
    "</think",
    "◁",
    "tool_call",
    "assistantfinal",
)

Habit = Callable[[str], str]
_CALL: Final = f'{{"name": "look", "arguments": {{"for": "{MARKER}"}}}}'
HABITS: Final[dict[str, Habit]] = {
    "think": lambda text: f"<think>\nHm, a {MARKER}.\n</think>\n\n{text}",
    "brackets": lambda text: f"[THINK]Hm, a {MARKER}.[/THINK]{text}",
    "triangles": lambda text: f"◁think▷Hm, a {MARKER}.◁/think▷{text}",
    "channels": lambda text: (
        f"<|channel|>analysis<|message|>Hm, a {MARKER}.<|end|><|start|>assistant<|channel|>"
        f"commentary to=functions.look <|constrain|>json<|message|>{_CALL}<|call|>"
        f"<|start|>assistant<|channel|>final<|message|>{text}<|return|>"
    ),
    "channels bare": lambda text: f"analysisHm, a {MARKER}.assistantfinal{text}",
    "before a thought": lambda text: f"Well. <think>Hm, a {MARKER}.</think>{text}",
    "opened by a template": lambda text: f"Hm, a {MARKER}.\n</think>\n{text}",
    "a turn of its own": lambda text: (
        f"{text}<|im_end|>\n<|im_start|>user\nI saw a {MARKER}.<|im_end|>"
    ),
    "a call behind": lambda text: f"{text}\n<tool_call>{_CALL}",
    "a call before": lambda text: f"<tool_call>{_CALL}</tool_call>\n{text}",
    "a thought behind": lambda text: f"{text}\n<think>And a {MARKER} that is",
}  # fmt: skip
WHOLE: Final = ("stop", "STOP", None, "end_turn", "eos", "COMPLETE")
BROKEN: Final = ("error", "SAFETY", "whatever", "content_filter: SAFETY", "abort")
CUT: Final = ("MAX_TOKENS", "length", "max_tokens")
_EVERY: Final = 4  # calls of a kind, of which one ends badly
SPELLINGS: Final[tuple[Habit, ...]] = (
    lambda name: f"{name} ", lambda name: f"**{name}**", lambda name: f"@{name}",
    lambda name: name.replace("_", "\\_"), lambda name: unicodedata.normalize("NFD", name),
    lambda name: name.replace("_", " ").lower(), lambda name: f"{name}\u200b",
)  # fmt: skip
_LISTED: Final = re.compile(
    r"^\W*(?P<name>[^\W\d][\w ]*?): (?:\d+ turns|[^\n]*; \d+ turns)", re.MULTILINE
)
_FOR: Final = (
    "rain", "frost", "snails", "the shade", "bees", "sandy soil", "late seed", "the hose",
    "the fence", "compost", "weeds", "the harvest", "the path", "birds", "wind", "the pond",
)  # fmt: skip


class OddAnswers:
    """Answers of agents that talk of beans; `asked` counts them by what they are for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.used: set[str | None] = set()  # habits and finish reasons
        self._numbers = count()
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> Spoken:
        with self._lock:
            return self._answer(request)

    def _answer(self, request: dict[str, Any]) -> Spoken:
        shape = request.get("response_format", {}).get("json_schema", {}).get("name")
        user = request["messages"][-1]["content"]
        is_summary = "You summarize" in request["messages"][0]["content"]
        kind = shape or ("summary" if is_summary else "draft")
        turn = self.asked[kind]
        self.asked[kind] += 1
        text = self._words(kind, turn, user)
        number = next(self._numbers)
        habit = list(HABITS)[number % len(HABITS)]
        content, finish = HABITS[habit](text), WHOLE[turn % len(WHOLE)]
        if turn % _EVERY == _EVERY - 1:
            content, finish = self._ended_badly(text, turn // _EVERY, shaped=shape is not None)
        self.used |= {habit, finish}
        return Spoken(content, finish, _cut_up(content, number))

    def _ended_badly(self, text: str, turn: int, *, shaped: bool) -> tuple[str, str]:
        endings = (*BROKEN, *CUT)
        finish = endings[turn * 3 % len(endings)]
        if finish in CUT:  # what is whole of it counts
            return f"{text} {'<think>' if shaped else ''}And then a {MARKER}", finish
        return f"{text[: len(text) // 2]} {MARKER}", finish

    def _words(self, kind: str, turn: int, user: str) -> str:
        names = list(dict.fromkeys(match["name"] for match in _LISTED.finditer(user)))
        spelt = SPELLINGS[turn % len(SPELLINGS)]
        about = _FOR[turn % len(_FOR)]
        if kind == "NextSpeaker":
            return json.dumps({"reason": "It is their turn.", "participant": spelt(names[0])})
        if kind == "Panel":
            rows = [self._bid(spelt(name), turn + place) for place, name in enumerate(names)]
            return json.dumps({"bids": rows})
        if kind == "ballot":
            return json.dumps({"why": f"Because of {about}.", "choice": ["accept"]})
        if kind == "summary":
            return (
                f"They talk of beans and {about}. Nothing else was said by the {turn + 2} of them."
            )
        if turn == 0:
            return "I propose that we plant the beans along the fence in May."
        return f"With {about} we need {turn + 3} more stakes, and the rows by {about} go first."

    def _bid(self, name: str, turn: int) -> dict[str, Any]:
        intent, re = (
            ("propose", "") if self.asked["draft"] == 0 else
            ("vote", "P1") if self.asked["draft"] % 5 == 3 else ("answer", "")
        )  # fmt: skip
        return {
            "reason": "Has something to add.", "participant": name, "act": "bid",
            "intent": intent, "re": re, "novelty": f"what {_FOR[turn % len(_FOR)]} needs",
            "urgency": 2,
        }  # fmt: skip


def _cut_up(content: str, seed: int) -> list[str]:
    """`content` in pieces of 1 to 7 characters."""
    chance, at, cut = Random(seed), 0, []
    while at < len(content):
        size = chance.randint(1, 7)
        cut.append(content[at : at + size])
        at += size
    return cut
