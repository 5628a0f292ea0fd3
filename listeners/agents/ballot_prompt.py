"""A model's ballot: what it is asked, the shape of its answer, and how that is read. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from parley.listeners.models.model_port import AnswerSchema
from parley.listeners.models.openai_answers import replace_lone_surrogates
from parley.listeners.models.reasoning import strip_reasoning
from parley.memory.state.vote_state import Vote
from parley.memory.text.fences import fence_lines
from parley.memory.voting.counting_rules import ABSTAIN, Choice
from parley.memory.voting.electorate import read_choice

MOST_WHY: Final = 400  # characters of a reason; more is a speech
_MANY: Final = 2_000  # characters of an answer in which options are looked for by name

_RULES: Final = {
    "majority": "What more than half of the weight chooses carries.",
    "two_thirds": "What two thirds of the weight choose carries.",
    "unanimity": "An option carries when nobody chooses another one.",
    "consent": "It carries unless somebody objects; reject only what you cannot live with.",
    "ranked": "Rank the options that you would accept, the best first.",
}


def ballot_question(vote: Vote) -> str:
    """What a participant is asked; question and options are quoted, as anything from the log is."""
    secret = " Nobody is shown what you choose." if vote.secret else ""
    about = "" if vote.proposal is None else f" It is about proposal P{vote.proposal}."
    options = "\n".join(vote.options)
    return (
        f"You vote in {vote.handle} now.{about} The question:\n{fence_lines(vote.question)}\n"
        f"The options, one a line, to be given back letter by letter:\n{fence_lines(options)}\n"
        f"You may also {ABSTAIN}. {_RULES[vote.rule]}{secret}\n"
        'Answer with a JSON object: {"choice": ["…"], "why": "…"}.'
    )


def ballot_shape(vote: Vote) -> AnswerSchema:
    """The object that the answer is to be; only what is an option can be chosen."""
    most = len(vote.options) if vote.rule == "ranked" else 1
    choice = {
        "type": "array",
        "items": {"type": "string", "enum": [*vote.options, ABSTAIN]},
        "minItems": 1,
        "maxItems": most,
    }
    return AnswerSchema(
        name="ballot",
        schema={
            "type": "object",
            "properties": {"choice": choice, "why": {"type": "string", "maxLength": MOST_WHY}},
            "required": ["choice", "why"],
            "additionalProperties": False,
        },
    )


def read_ballot(vote: Vote, text: str) -> tuple[Choice, str]:
    """The choice in an answer, and the reason given; an empty choice where it is no ballot.

    Takes the object that was asked for, also fenced, after a thought or among words, a
    lone choice instead of a list, and an answer that is nothing but an option.
    Never guesses: words that merely speak of an option are no ballot.
    """
    text = strip_reasoning(text)
    answer = _parse_object(text)
    if answer is None:
        bare = text.strip(" \t\r\n\"'`.*")[:_MANY]
        return read_choice(vote, [text.strip()[:_MANY]]) or read_choice(vote, [bare]) or (), ""
    choice = answer.get("choice")
    words: list[Any] = choice if isinstance(choice, list) else [choice]
    why = answer.get("why")
    reason = " ".join(why.split())[:MOST_WHY] if isinstance(why, str) else ""
    if not all(isinstance(word, str) for word in words):
        return (), reason
    return read_choice(vote, words) or (), reason


def _parse_object(text: str) -> dict[str, Any] | None:
    """The JSON object from the first brace to the last; None where there is none."""
    match = re.search(r"\{.*\}", text, re.DOTALL)
    if match is None:
        return None
    try:
        answer = replace_lone_surrogates(json.loads(match[0]))
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None
