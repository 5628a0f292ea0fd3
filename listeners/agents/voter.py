"""An agent's ballot: asked of its model once, and once more where it could not be read.

What is asked, the shape of the answer and how that is read are pure, and come last.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, Final

from parley.bus.contract.drafts import replace_lone_surrogates
from parley.bus.entries import BallotCast, VoteConfirmed
from parley.listeners.agents.agent_tally import AgentTally
from parley.listeners.agents.model_caller import CallOutcome, ModelCaller
from parley.listeners.agents.prompts import vote_prompt
from parley.listeners.models.answer_sentences import end_at_sentence
from parley.listeners.models.model_port import AnswerSchema
from parley.listeners.models.reasoning import strip_reasoning
from parley.listeners.rooms.participant import Participant
from parley.listeners.votes.ballot_words import bears, contradiction
from parley.memory.state.vote_state import Vote
from parley.memory.text.fences import fence_lines
from parley.memory.text.plain_text import clip, one_line
from parley.memory.voting.counting_rules import ABSTAIN, Choice
from parley.memory.voting.electorate import list_electorate, read_choice
from parley.memory.voting.turnout import pending_votes
from parley.personas.persona import Persona

_UNREAD_CHARS: Final = 200  # of an answer that is no ballot: kept as it was cast
PATIENCE: Final = 2  # times what an evaluation may take: a vote comes once
MOST_WHY: Final = 400  # characters of a reason; more is a speech
_ASKED_WHY: Final = 240  # of these, asked for: the choice behind it is not to be cut off
_MANY: Final = 2_000  # characters of an answer in which options are looked for by name

_RULES: Final = {
    "majority": "What more than half of the weight chooses carries.",
    "two_thirds": "What two thirds of the weight choose carries.",
    "unanimity": "An option carries when nobody chooses another one.",
    "consent": "It carries unless somebody objects; reject only what you cannot live with.",
    "ranked": "Rank the options that you would accept, the best first.",
}


class Voter:
    """Votes for `presence`."""

    def __init__(
        self, presence: Participant, persona: Persona, caller: ModelCaller, tally: AgentTally
    ) -> None:
        self._me, self._persona, self._caller, self._tally = presence, persona, caller, tally

    def unconfirmed(self) -> Vote | None:
        """The called vote that this participant has not confirmed yet, if any."""
        mine = self._me.canonical
        for vote in pending_votes(self._me.memory):
            is_asked = vote.status == "called" and mine not in vote.agreed
            if is_asked and mine in list_electorate(self._me.memory):
                return vote
        return None

    async def agree(self, vote: Vote) -> None:
        """Agree: an agent is ready whenever it is asked, and its ballot says what it thinks."""
        confirmation = VoteConfirmed(participant=self._me.name, re=vote.n)
        await self._me.publish(self._me.draft("agree", confirmation))

    def pending(self) -> Vote | None:
        """The open vote that waits for this participant's ballot."""
        for vote in pending_votes(self._me.memory):
            if vote.status == "open" and self._me.canonical in vote.electorate:
                cast = vote.ballots.get(self._me.canonical)
                if cast is None or cast.invalid == 1:
                    return vote
        return None

    async def cast(self, vote: Vote) -> None:
        """Ask for a ballot and cast it. Where no answer comes, it is an abstention that says so.

        One whose words are against what it chooses, its reason or what the participant said in
        the talk, is asked for once more; where the second is no better, it is an abstention.
        """
        self._tally.ballots += 1
        outcome = await self._ask(vote, "")
        ballot = self._ballot(vote, outcome)
        doubt = "" if ballot is None else self._contradiction(vote, ballot)
        if doubt and self._me.canonical not in vote.ballots:
            await self._me.publish(outcome.settlement("discarded"))
            outcome = await self._ask(vote, doubt)
            ballot = self._ballot(vote, outcome)
        if ballot is not None and doubt:
            ballot = self._sound(vote, ballot)
        draft = None if ballot is None else self._me.draft("ballot", ballot)
        await self._me.publish(outcome.settlement(), draft)

    def _contradiction(self, vote: Vote, ballot: BallotCast) -> str:
        return contradiction(self._me.memory, self._me.canonical, vote, ballot)

    def _sound(self, vote: Vote, ballot: BallotCast) -> BallotCast:
        """`ballot`, asked for in doubt; an abstention where its words do not bear the choice."""
        if ballot.choice and bears(self._me.memory, self._me.canonical, vote, ballot):
            return ballot
        why = f"chose {ballot.choice[0] if ballot.choice else 'nothing'} against its own words: "
        content = clip(f"{why}{ballot.content}", MOST_WHY)
        return ballot.model_copy(update={"choice": (ABSTAIN,), "content": content})

    async def _ask(self, vote: Vote, doubt: str) -> CallOutcome[str]:
        """The answer to the question, with a `doubt` about a first one."""
        room, ref = self._me.room, vote.ref
        prompt = vote_prompt(
            self._persona, self._me.name, room.memory, tuple(room.talk),
            ballot_question(vote, doubt),
        )  # fmt: skip
        outcome = await self._caller.speak(
            replace(prompt, shape=ballot_shape(vote)),
            lambda: self._is_open(ref),
            PATIENCE * self._me.settings.evaluation_ms / 1000,
        )
        self._tally.count_ending(outcome.ending)
        return outcome

    def _is_open(self, ref: int) -> bool:
        vote = self._me.memory.votes.by_ref.get(ref)
        return vote is not None and vote.status == "open" and self._me.memory.closed is None

    def _ballot(self, vote: Vote, outcome: CallOutcome[str]) -> BallotCast | None:
        name = self._me.name
        if outcome.ending == "cancelled":
            return None
        if outcome.answer is None:
            why = f"no ballot came: {outcome.ending}"
            return BallotCast(participant=name, re=vote.n, choice=("abstain",), content=why)
        choice, why = read_ballot(vote, outcome.answer)
        if not choice:
            why = clip(one_line(outcome.answer), _UNREAD_CHARS)
        return BallotCast(participant=name, re=vote.n, choice=choice, content=why)


def ballot_question(vote: Vote, doubt: str = "") -> str:
    """What a participant is asked; question and options are quoted, as anything from the log is.

    A `doubt` is about its first ballot.
    """
    secret = " Nobody is shown what you choose." if vote.secret else ""
    about = "" if vote.proposal is None else f" It is about proposal P{vote.proposal}."
    means = (
        ""
        if vote.proposal is None
        else f" Accept if you want what P{vote.proposal} says, reject if you do not."
    )
    options = "\n".join(vote.options)
    return (
        f"You vote in {vote.handle} now.{about} The question:\n{fence_lines(vote.question)}\n"
        f"The options, one a line, to be given back letter by letter:\n{fence_lines(options)}\n"
        f"You may also {ABSTAIN}.{means} {_RULES[vote.rule]}{secret}\n{doubt}"
        'Answer with a JSON object: {"why": "…", "choice": ["…"]}.'
    )


def ballot_shape(vote: Vote) -> AnswerSchema:
    """The object that the answer is to be; only what is an option can be chosen.

    The reason comes first: a small model that chose first accepted what its reason was against.
    """
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
            "properties": {"why": {"type": "string", "maxLength": _ASKED_WHY}, "choice": choice},
            "required": ["why", "choice"],
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
    reason = end_at_sentence(reason) if len(reason) >= _ASKED_WHY else reason
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
