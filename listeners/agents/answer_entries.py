"""A model's answers as entries: messages, calls of votes, intents, reasons. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast, get_args

from parley.bus.entries import Act, Intent, Message, Record, VoteInitiated
from parley.listeners.agents.prompts import Evaluation, says_nothing
from parley.listeners.agents.repeats import (
    MOSTLY_SAID,
    Lines,
    drop_asked,
    drop_copies,
    drop_refusal,
    drop_said_twice,
    find_made_again,
    find_proposed,
    find_repeat,
    gives_back,
    nearest_proposal,
    was_said,
    words_of,
)
from parley.listeners.agents.spoken_acts import (
    agreed_act,
    called_vote,
    drop_tags,
    drop_void_tags,
    may_act,
    may_intend,
    worded_act,
)
from parley.listeners.agents.transcript_form import (
    Names,
    strip_transcript_form,
    telling_lines,
)
from parley.listeners.models.answer_sentences import end_at_sentence, split_sentences
from parley.listeners.models.reasoning import strip_reasoning
from parley.listeners.models.silence import drop_last_silence, is_silence
from parley.listeners.votes.stance_words import hangs_on_condition, is_reserved
from parley.memory.extraction.structure.shelves import firm_side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.floor_state import Bid
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.voting.electorate import may_call
from parley.memory.voting.vote_calls import OPTIONS

LONGEST: Final = 8_000  # characters of a message; far above what is asked for
_STANDING: Final = ("active", "accepted", "adopted")
# Of things, as they are written within a sentence: "SQLite", "Friday"
_NAMED: Final = re.compile(r"(?<=[\w,;:)] )[A-Z]\w+|\b\w+[A-Z]\w*")
_RUN: Final = 8  # words in a row of a proposal that nobody says by chance
_OPEN: Final = 16  # open proposals, the newest, whose words an answer may give back
_ASK_STANCE: Final = "{0} says that already. Say whether you support {0} or oppose it, and why"
_REASON: Final = 200  # of why somebody bids, passes or grants
# An answer to "What would you do?" in its own words; of somebody else it is rather a question.
_AS_YOU: Final = re.compile(
    r"\W*(?:here,? |to \w+,? )?you (?:would|should) (?:also |likely |not )*"
    r"(?:(?:like|want|need) to \w+|"
    r"do|propose|suggest|recommend|support|oppose|agree|answer|speak|say|ask|choose|prefer|decide|"
    r"vote|start|begin|consider|remind|explain|tell|discuss|follow|defend|log|keep|use|move|ship|go|eat"
    r"|take|create|build|make|adopt|switch|store|rotate|share)\b"
    r"(?![^.!\n]*\?)",
    re.IGNORECASE,
)
# "We propose where we eat": the question again, and no answer to it
_NO_ANSWER: Final = re.compile(
    r"\b(?:propose[ds]?|suggest(?:ed|s)?|recommend(?:ed|s)?) (?:where|who|what|when|which|why)\b"
    r"(?![^.\n]*[:?])",
    re.IGNORECASE,
)
_AS_NAMED: Final = (
    r"as (?:an? |the )?{}(?: \([^()\n]{{0,40}}\))?,\s+(?=\w)"  # "As an ana, I would …"
)
_AS_ITEM: Final = re.compile(r"\A[Aa]s [PDV][1-9][0-9]{0,8},\s+(?=I\b)")  # "As P4, I would …"
_OF_FORM: Final = re.compile(
    r"(?i:\bthis (?:message|answer) (?:begins|starts|repeats|is the same)\b)|\bthe tag \[[A-Z]"
    r"|(?i:\bmy (?:first|original|initial) (?:response|answer|message)\b)|\bRecent Messages\b"
    r"|(?i:\bthe recent messages\b|\bin the same words\b|\bmessage (?:mentioned )?in n [0-9])"
    r"|^[PDV][0-9]+ (?:would|should) (?:do|propose|say)\b"
    r"|(?i:\bI (?:would|will|shall) (?:ask (?:your|my|the|a) question|make (?:a|the|my) "
    r"(?:decision|proposal)|give (?:a|an|my) answer)\s*[.!])"
    r"|(?i:\bI(?: am|'m) not (?:giving|providing|following) (?:any )?instructions?\b)"
)
_LONG_BLANK: Final = re.compile(r"[ \t]{100,}")  # of a model that got stuck
_ASSENT: Final = re.compile(  # to the prompt, or a heading for what it asked
    r"\A(?:(?:Sure|Certainly|Of course|Absolutely)!"
    r"|(?:My |The )?(?:[Aa]nswer|[Rr]esponse|[Rr]eply):)\s+(?=\S)"
)
_FORM_WORD: Final = re.compile(  # what a message does, and not a word of it: "proposal."
    r"\W*(?:an? |the |my )?(?:act|intent|reason|novelty|message|answer|response|proposal|question"
    r"|amendment|decision|objection|propose|amend|ask|decide)\W*",
    re.IGNORECASE,
)
_NUMBERED: Final = r"\bn [0-9]{{1,9}} (?:{})\b[^:\n]{{0,40}}:"  # "- `n 3 ann (ask): …"
_AS_MODEL: Final = re.compile(
    r"\bas an? (?:AI|artificial intelligence)(?: language)?(?: model| assistant)?,? I\b",
    re.IGNORECASE,
)
_WITH_ACT: Final = re.compile(
    rf"(?<![^\W_])([^\W_][\w.-]{{0,99}}) \((?:{'|'.join(get_args(Act))})\)"
)
_HANDLES: Final = re.compile(r"\b[PD][1-9][0-9]{0,8}\b", re.IGNORECASE)
_MESSAGE_NUMBER: Final = re.compile(r"\W*(?:n\s*)?([0-9]{1,9})\W*", re.IGNORECASE)


def recent_lines(memory: Memory, records: Sequence[Record]) -> Lines:
    """The messages `records`, each with who said it, as `read_answer` and `read_bid` take them."""
    entries = [cast("Message", record.entry) for record in records]
    return [(memory.named(entry.participant), entry.content) for entry in entries]


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """What an answer says; "" for what is no message. `fault`: why it is asked anew.

    `repeated` are its words, where the fault is that they all were said before; `supports` is
    the handle of the proposal that it agrees with by giving it back.
    """

    text: str
    fault: str = ""
    repeated: str = ""
    supports: str = ""


def read_answer(
    answer: str, names: Names, display: str, recent: Lines, *, cut: bool = False, shown: str = "",
    persona: str = "", refused: str = "",
) -> SpokenAnswer:  # fmt: skip
    """What a model's draft says, as its speaker and no other.

    `recent` are the newest messages, oldest first, each with who said it. A draft that
    is `cut` ends at a sentence; one that says again, word for word, what was said is
    no message, and may be asked anew. Lines of what the model was `shown` are not its own, nor
    is what describes its `persona`, or says why its first draft was `refused`.
    """
    text = _ASSENT.sub("", _LONG_BLANK.sub(" ", strip_reasoning(answer).strip()[:LONGEST]))
    for lead in filter(None, (*names.own, display)):
        if text.lower().startswith(f"{lead.lower()}:"):
            text = text[len(lead) + 1 :].lstrip()
        elif (
            named := re.match(_AS_NAMED.format(re.escape(lead)), text, re.IGNORECASE)
        ) is not None:
            text = text[named.end() :][:1].upper() + text[named.end() + 1 :]
    text = _AS_ITEM.sub("", text)
    as_other = any(
        re.match(_AS_NAMED.format(re.escape(name)) + r"I\b", text, re.IGNORECASE)
        for name in names.others
    )
    text = end_at_sentence(text) if cut else text
    text, foreign = strip_transcript_form(text, names, telling_lines(shown))
    text = drop_said_twice(drop_last_silence(text))
    text = drop_refusal(text, refused) if refused else text
    if foreign or as_other:
        return SpokenAnswer("", "it was written as somebody else's words")
    if is_silence(text):
        return SpokenAnswer("")
    if (fault := find_repeat(text, names, recent)) is not None:
        return SpokenAnswer("", fault, text)
    if fault := _find_pose(text, names, persona):
        return SpokenAnswer("", fault)
    return SpokenAnswer(clip(drop_asked(text, names, recent), LONGEST))


def _find_pose(text: str, names: Names, persona: str) -> str:
    """Why `text` is not what a participant says to others; "" where it is."""
    if _AS_YOU.match(text) is not None:
        return 'it said "you would" of its own speaker, who is "I"'
    if _AS_MODEL.search(text) is not None:
        return "it spoke as a language model and as nobody here"
    if _NO_ANSWER.search(text) is not None:
        return "it gave the question back and no answer"
    anybody = "|".join(map(re.escape, (*names.own, *names.others)))
    numbered = anybody and re.search(_NUMBERED.format(anybody), text)
    if (
        _FORM_WORD.fullmatch(text)
        or _OF_FORM.search(text) is not None
        or numbered
        or _names_with_act(text, names)
    ):
        return "it told of its own form instead of saying something"
    return "it gave back how you were described" if gives_back(text, persona) else ""


def keep_valid_tags(
    memory: Memory, name: str, answer: SpokenAnswer, intent: Bid | None, refused: str = ""
) -> SpokenAnswer:
    """`answer` without the tags that its speaker may not use or that are about nothing.

    Who says a proposal again behind a tag that supports it, or is for or against one that they
    name, and was not yet, has said something; so has who takes any side with words that were
    mostly said before. Who proposes what is open is asked for a stance, and is for it where a
    second draft, after one that was `refused`, proposes it again, or a draft adds words of its
    own.
    """
    canonical = memory.named(name)
    text = answer.repeated or answer.text
    adds = not answer.repeated and nearest_proposal(memory, text) is None
    proposes = intent is not None and intent.intent in ("propose", "amend")
    restated = None if adds and proposes else _restated(memory, canonical, answer)
    if restated is not None:
        if (refused or adds) and not hangs_on_condition(text):
            return SpokenAnswer(drop_tags(memory, text), supports=restated.handle)
        return SpokenAnswer("", _ASK_STANCE.format(restated.handle))
    if answer.repeated and (
        _supports_anew(memory, canonical, answer.repeated)
        or _stands_anew(memory, canonical, answer.repeated)
        or (answer.fault == MOSTLY_SAID and _takes_a_side(memory, answer.repeated))
    ):
        answer = SpokenAnswer(answer.repeated)
    text = drop_void_tags(memory, canonical, answer.text, intent)
    untagged = drop_tags(memory, text)
    if answer.text and (not words_of(text) or _FORM_WORD.fullmatch(untagged)):
        return SpokenAnswer("", "it had a tag and no words")
    if is_silence(untagged):
        return SpokenAnswer("", answer.fault)
    if (mixed := _find_mixed_support(memory, text)) is not None:
        return SpokenAnswer("", f"it is for {mixed}, in words of another proposal")
    if (support := _read_support(memory, canonical, text)) is not None:
        return support
    if (proposed := find_proposed(memory, text)) is not None:
        return SpokenAnswer("", f"{proposed} proposes that already")
    return SpokenAnswer(text, answer.fault)


def _read_support(memory: Memory, name: str, text: str) -> SpokenAnswer | None:
    """`text` as support of an open proposal of somebody else, where it gives that back and agrees.

    The sentences of the proposal go: they would propose it again.
    """
    for proposal in ledger_of(memory).actionable()[:_OPEN]:
        if proposal.participant == name or firm_side(proposal, name) is not None:
            continue
        rest = drop_copies(text, proposal.text)
        if rest != text and _only_supports(memory, rest, proposal):
            tagged = any(detection.how == "tag" for detection in memory.reader.read(rest))
            return SpokenAnswer(rest, supports="" if tagged else proposal.handle)
    return None


def _only_supports(memory: Memory, text: str, proposal: Proposal) -> bool:
    """Whether all that `text` does is to support, and names nothing and nobody else."""
    acts = {detection.act for detection in memory.reader.read(text)}
    return acts == {"support"} and _agrees(memory, text, proposal)


def _agrees(memory: Memory, text: str, proposal: Proposal) -> bool:
    """Whether what `text` supports it supports outright, and it names nothing and nobody else."""
    detections = [each for each in memory.reader.read(text) if each.act == "support"]
    words = set(words_of(text))
    others = {*memory.floor.seats, *memory.participants} - {proposal.participant}
    return (
        not any(is_reserved(text, detection) for detection in detections)
        and all(set(detection.refs) <= {proposal.handle} for detection in detections)
        and words.isdisjoint(other.casefold() for other in others)
        and "?" not in text
    )


def _restated(memory: Memory, name: str, answer: SpokenAnswer) -> Proposal | None:
    """The open proposal of somebody else that is all that it proposes, with reasons or without.

    None where `name` has said a word on it, may not support it, takes another side, agrees with
    somebody else or asks.
    """
    text = answer.repeated or answer.text
    detections = memory.reader.read(text)
    made = [detection for detection in detections if detection.act != "support"]
    if "?" in text or (detections and not made):
        return None
    if not {detection.act for detection in made} <= {"propose", "amend"}:
        return None
    nearest = [find_made_again(memory, text, detection, with_reason=True) for detection in made]
    if not detections:
        nearest = [nearest_proposal(memory, part) for part in (text, *split_sentences(text))]
        nearest = [proposal for proposal in nearest if proposal is not None]
    proposal = nearest[0] if nearest and all(each is nearest[0] for each in nearest) else None
    if proposal is None and answer.repeated:  # sentences of a message that proposes
        live = ledger_of(memory).actionable()[:_OPEN]
        proposal = next((each for each in live if drop_copies(text, each.text) != text), None)
    if (
        proposal is None
        or proposal.status != "active"
        or proposal.participant == name
        or firm_side(proposal, name) is not None
        or not may_act(memory, name, "support")
        or (len(made) < len(detections) and not _agrees(memory, text, proposal))
        or _gives_back_another(memory, text, proposal)
    ):
        return None
    return proposal


def _is_open(memory: Memory, sentence: str) -> bool:
    """Whether an open proposal has that sentence, whoever made it."""
    live = ledger_of(memory).actionable()[:_OPEN]
    return any(not drop_copies(sentence, proposal.text) for proposal in live)


def _find_mixed_support(memory: Memory, text: str) -> str | None:
    """The handle of a proposal that it supports in words, or names, of another one."""
    for detection in memory.reader.read(text):
        item = memory.item(detection.refs[0]) if detection.refs else None
        if (
            detection.act == "support"
            and isinstance(item, Proposal)
            and (_gives_back_another(memory, text, item) or _names_another(memory, text, item))
        ):
            return item.handle
    return None


def _names_another(memory: Memory, text: str, proposal: Proposal) -> bool:
    """Whether it names what another proposal does ("DuckDB"), and nothing that this one does."""
    named, own = _names_in(text), _names_in(proposal.text)
    newest = list(memory.proposals.values())[-_OPEN:]
    others = (
        other
        for other in newest
        if other is not proposal and other.status in _STANDING and not other.candidate
    )
    return any(
        own - theirs and named & (theirs - own) and not named & (own - theirs)
        for theirs in (_names_in(other.text) for other in others)
    )


def _names_in(text: str) -> set[str]:
    return {name for name in _NAMED.findall(text) if _HANDLES.fullmatch(name) is None}


def _gives_back_another(memory: Memory, text: str, proposal: Proposal) -> bool:
    """Whether it has words of an open proposal beside `proposal`, and so is for neither."""
    others = ledger_of(memory).actionable()[:_OPEN]
    return any(
        gives_back(text, other.text, _RUN) and not gives_back(proposal.text, other.text, _RUN)
        for other in others if other is not proposal
    )  # fmt: skip


def _names_with_act(text: str, names: Names) -> bool:
    """Whether it has "ann (ask)", as the newest messages have before them."""
    before = (match[1].casefold() for match in _WITH_ACT.finditer(text))
    known = {name.casefold() for name in (*names.own, *names.others)}
    return not known.isdisjoint(before)


def _supports_anew(memory: Memory, name: str, text: str) -> bool:
    words = f" {' '.join(words_of(text))} "
    for tag in memory.reader.read(text):
        proposal = memory.item(tag.refs[0]) if tag.how == "tag" and tag.refs else None
        if tag.act == "support" and isinstance(proposal, Proposal) and proposal.text:
            again = f" {' '.join(words_of(proposal.text))} " in words
            return again and proposal.participant != name and firm_side(proposal, name) is None
    return False


def _stands_anew(memory: Memory, name: str, text: str) -> bool:
    """Whether it says a stance, on a proposal that it names, that `name` has not taken yet.

    Two who oppose P1 in the same words are two.
    """
    tagged = {detection.act for detection in memory.reader.read(text) if detection.how == "tag"}
    for detection in memory.reader.read(drop_tags(memory, text)):
        proposal = memory.item(detection.refs[0]) if detection.refs else None
        if (
            detection.act in ("support", "oppose")
            and tagged <= {detection.act}
            and not is_reserved(drop_tags(memory, text), detection)
            and isinstance(proposal, Proposal)
            and proposal.participant != name
        ):
            reaction = firm_side(proposal, name)
            return reaction is None or reaction.stance != detection.act
    return False


def _takes_a_side(memory: Memory, text: str) -> bool:
    """Whether it does more with an item than to propose it."""
    return any(detection.act not in ("propose", "ask") for detection in memory.reader.read(text))


def message_entry(
    memory: Memory, name: str, text: str, intent: Bid | None, supports: str = ""
) -> Message:
    """The message that an agent publishes, with the act that its bid was for and its words bear.

    `supports` is a `SpokenAnswer`'s, and goes before the bid where the speaker may support.
    """
    canonical = memory.named(name)
    if supports and may_act(memory, canonical, "support"):
        return Message(participant=name, content=text, act="support", re=supports)
    act, target = agreed_act(memory, canonical, text, intent)
    if act is None:
        act, target = worded_act(memory, canonical, text, target)
        if act == "propose" and _is_open(memory, split_sentences(text)[0]):
            act = "inform" if may_act(memory, canonical, "inform") else None
    return Message(participant=name, content=text, act=act, re=target)


def vote_entry(memory: Memory, name: str, text: str, intent: Bid | None) -> VoteInitiated | None:
    """The vote that the speaker was granted the floor to call, where it may; else None.

    A tag [VOTE P1] in its text is its own word for it, whatever it was granted for.
    """
    wanted = intent.re if intent is not None and intent.intent == "vote" else None
    handle = called_vote(text) or wanted
    if handle is None or not may_call(memory, name):
        return None
    proposal = memory.item(handle)
    if not isinstance(proposal, Proposal) or proposal.status != "active":
        return None
    return vote_on_proposal(memory, name, proposal.handle)


def vote_on_proposal(memory: Memory, name: str, handle: str) -> VoteInitiated:
    """A vote on that proposal; where ballots rank, on it and all others that are active.

    Of more than a vote can hold the newest, or those up to that proposal.
    """
    active = [proposal.handle for proposal in reversed(ledger_of(memory).actionable())]
    if handle not in active:
        active.append(handle)
    if handle in active[:-OPTIONS]:
        active = active[: active.index(handle) + 1]
    active = active[-OPTIONS:]
    if memory.settings.vote.rule == "ranked" and len(active) > 1:
        question = f"Which shall be accepted: {', '.join(active)}?"
        return VoteInitiated(participant=name, content=question, options=tuple(active))
    proposal = memory.item(handle)
    topic = f": {proposal.topic}" if proposal is not None else ""
    question = f"Shall {handle} be accepted{topic}?"
    return VoteInitiated(participant=name, content=question, re=handle)


@dataclass(frozen=True, slots=True)
class BidTerms:
    """What an evaluation asks the floor for."""

    urgency: int
    intent: Intent
    re: int | str | None
    novelty: str


def read_bid(memory: Memory, name: str, answer: Evaluation, recent: Lines = ()) -> BidTerms | None:
    """What canonical `name` bids for with that answer; None for a pass.

    Who says that it would add nothing passes, unless it takes a stand that it has not
    taken yet. What it may not do, or what is about nothing, is an answer. An addition that
    begins with a sentence of the `recent` messages is none.
    """
    if answer.act != "bid":
        return None
    re = _target_of(memory, answer.re)
    intent: Intent = answer.intent if may_intend(memory, name, answer.intent, re) else "answer"
    adds = "novelty" not in answer.model_fields_set or not says_nothing(answer.novelty)
    if not adds and not _is_new_stand(memory, name, intent, re):
        return None
    novelty = answer.novelty
    if (
        says_nothing(novelty)
        or _FORM_WORD.fullmatch(novelty) is not None
        or _speaks_of(novelty, name)
        or was_said(novelty, recent)
    ):
        novelty = ""
    return BidTerms(answer.urgency, intent, re, one_line_reason(novelty))


def _speaks_of(novelty: str, name: str) -> bool:
    """Whether it tells of the bidder ("The Maintainer should respond …") instead of what is new."""
    return re.match(rf"\W*(?:the\s+)?{re.escape(name)}\b", novelty, re.IGNORECASE) is not None


def _is_new_stand(memory: Memory, name: str, intent: Intent, re: int | str | None) -> bool:
    if intent not in ("support", "oppose", "decide", "vote"):
        return False
    item = memory.item(str(re))
    reaction = firm_side(item, name) if isinstance(item, Proposal) else None
    return reaction is None or reaction.stance != intent


def _target_of(memory: Memory, re: str) -> int | str | None:
    """What a bid is about: the one item that is named, or the message of that number."""
    handles = {match[0].upper() for match in _HANDLES.finditer(re)}
    if len(handles) == 1 and memory.item(handle := handles.pop()) is not None:
        return handle
    number = _MESSAGE_NUMBER.fullmatch(re)
    return int(number[1]) if number is not None and 0 < int(number[1]) <= memory.n else None


def one_line_reason(text: str) -> str:
    """A reason on one line."""
    return clip(one_line(text), _REASON)
