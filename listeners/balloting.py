"""The question of a ballot, and how its answer is read. Pure."""

from __future__ import annotations

import json
import re
from typing import Final

from listeners.model import Shape
from memory.electorate import read_choice
from memory.floor_state import Vote
from memory.tallying import ABSTAIN
from memory.text import clip, fenced, one_line

WHY_CHARS: Final = 300
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


class InvalidBallot(ValueError):
    """What was answered names no option."""


def ballot_shape(vote: Vote) -> Shape:
    """The JSON object that a ballot in `vote` is to be."""
    ids = [*vote.options, ABSTAIN]
    most = len(vote.options) if vote.rule == "ranked" else 1
    return Shape("ballot", {
        "type": "object",
        "properties": {
            "choice": {
                "type": "array",
                "items": {"type": "string", "enum": ids},
                "minItems": 1,
                "maxItems": most,
            },
            "why": {"type": "string"},
        },
        "required": ["choice", "why"],
        "additionalProperties": False,
    })  # fmt: skip


def ballot_question(vote: Vote) -> str:
    """What a participant is asked to vote on, and how to answer."""
    order = "best first, as many as you like" if vote.rule == "ranked" else "one of them"
    secret = " Nobody is shown who chose what." if vote.secret else ""
    return (
        f"A vote is held, {vote.handle}:\n{fenced(vote.question)}\nOptions: "
        f"{', '.join(one_line(option) for option in vote.options)}, {ABSTAIN}.{secret}\n"
        f'Answer with a JSON object: {{"choice": [{order}], "why": "in a sentence"}}.'
    )


def read_ballot(vote: Vote, text: str) -> tuple[tuple[str, ...], str]:
    """The choice in `text`, and why. Raises `InvalidBallot` for what names no option."""
    found = _OBJECT.search(text)
    try:
        said = json.loads(found[0]) if found else {"choice": [text.strip()]}
    except ValueError:
        raise InvalidBallot(text) from None
    given = said.get("choice") if isinstance(said, dict) else None
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidBallot(text)
    choice = read_choice(vote, tuple(names))
    if choice is None:
        raise InvalidBallot(text)
    why = said.get("why")
    return choice, clip(one_line(why), WHY_CHARS) if isinstance(why, str) else ""
