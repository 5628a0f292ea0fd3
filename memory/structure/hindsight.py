"""What the window finds becomes items: born at an earlier line, revealed by the one in hand.

A line that crosses its scorecard is entered as if it had been marked: its own
message is cited first, the one that revealed it after. The bare votes since
then, which had nothing nearer to be on, are counted as its reactions. Nothing
is taken back but such a vote's place, and that only for a nearer proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory import decisions, proposals, ratification
from memory.detection import Detection
from memory.items import Cite, Origin, Proposal, Reaction, Stance
from memory.links import Link, resolved_by_words
from memory.moment import Moment
from memory.similar import fingerprint
from memory.state import Memory
from memory.structure.evidence import Heard, features, observe
from memory.structure.manner import firm, formalise
from memory.structure.scorecard import Card, Scorecards, confidence, lexicon, scorecards
from memory.structure.state import REACH, Cast, Line
from memory.structure.wording import READ, lead
from memory.text import plain

_VALUES: Final = {"support": 1000, "oppose": -1000, "abstain": 0}
_STANCES: Final[dict[str, Stance]] = {
    "support": "support", "oppose": "oppose", "abstain": "neutral",
}  # fmt: skip
_PUT: Final = ("propose", "amend")
_LEAST: Final = 6  # characters: a shorter line puts nothing to anybody


def hear(moment: Moment, found: Sequence[Detection], bare: Detection | None) -> None:
    """Take the message of `moment` into the window, and enter what that reveals.

    `found` are its acts, already in effect; `bare` is the vote that it is, where
    it is a vote on nothing that it names.
    """
    memory = moment.memory
    held = memory.structure
    cards = scorecards("typed")
    heard = _vote(moment, bare) if bare is not None else _line(moment, cards, found)
    for line in observe(held, heard):
        _judge_proposal(moment, cards.proposal, line)
    if heard.passes:
        _name(memory, held.lines[-1])
    _judge_decisions(moment, cards.decision)


def _vote(moment: Moment, bare: Detection) -> Heard:
    value = _VALUES[bare.act]
    if bare.conditional:
        value //= 2
    remark = len(moment.content) - bare.end > 3
    return Heard(
        moment.n, moment.memory.messages, moment.participant, moment.participant,
        vote=value, remark=remark,
    )  # fmt: skip


def _line(moment: Moment, cards: Scorecards, found: Sequence[Detection]) -> Heard:
    content = plain(moment.content[: READ + 40])
    start = lead(content)
    put = next((each for each in found if each.how != "pattern" and each.act in _PUT), None)
    if put is not None and put.text_start < READ:
        start = put.text_start
    text = content[start : start + READ]
    cues = lexicon().cues(text)
    own = cards.own(cues)
    marked = any(each.how != "pattern" and not each.reacts for each in found)
    passes = len(text) >= _LEAST and (own >= 0 or marked)
    wording = (cards.proposal.said(cues), cards.decision.said(cues)) if passes else (0, 0)
    return Heard(
        moment.n, moment.memory.messages, moment.participant, moment.participant,
        moment.content[start : start + READ] if passes else "", start, moment.at, moment.topic,
        None, False, frozenset(cues), own, wording, passes, start > 0 and put is None,
    )  # fmt: skip


def _name(memory: Memory, line: Line) -> None:
    """Note the items that the line in hand was found to be when it was read."""
    line.handles = [*memory.at_refs.get(line.n, ())]


# -- proposals ---------------------------------------------------------------------


def _judge_proposal(moment: Moment, card: Card, line: Line) -> None:
    memory = moment.memory
    tentative = [memory.item(handle) for handle in line.handles]
    if line.n == moment.n or not all(item is not None and item.tentative for item in tentative):
        return
    held = moment.memory.structure
    stands = features(held, line)
    score = line.wording[0] + card.stands(stands)
    if score < 0:
        return
    for item in tentative:
        if isinstance(item, Proposal):
            firm(moment, item)
    if not line.handles:
        _enter_proposal(moment, card, line, score, stands)


def _enter_proposal(
    moment: Moment, card: Card, line: Line, score: int, stands: Sequence[str]
) -> None:
    memory = moment.memory
    then = past(moment, line.n, line.who, line.text, line.start, line.at, line.topic)
    origin = _origin(moment, card, line, score, stands)
    made = proposals.propose(then, line.text, origin)
    if made is None:
        return
    line.handles.append(made.handle)
    formalise(moment)
    for cast in memory.structure.casts:
        if cast.n > line.n and _nearest(memory, cast) is made:
            _recast(moment, made, cast)


def past(
    moment: Moment, n: int, who: str, text: str, start: int, at: str | None, topic: str | None
) -> Moment:
    """An earlier entry as a moment of its own, whose facts are told by the one in hand."""
    then = Moment(moment.memory, n, who, " " * start + text, at, topic)
    then.told = moment.told
    then.facts = moment.facts
    return then


def _origin(moment: Moment, card: Card, line: Line, score: int, stands: Sequence[str]) -> Origin:
    """Cites the line, then the entry that revealed it; the rule names what decided."""
    reasons = card.reasons(lexicon().cues(plain(line.text)), stands)
    cites = [Cite(line.n, line.start, line.start + len(line.text.rstrip()))]
    if moment.n != line.n:
        cites.append(Cite(moment.n, 0, len(moment.content)))
    return Origin(tuple(cites), "structure", "; ".join(reasons), confidence(score))


# -- votes that name nothing ---------------------------------------------------------


def cast(moment: Moment, detection: Detection, link: Link | None) -> bool:
    """Keep a vote that names nothing; True where it counts for `link`'s proposal at once.

    It waits where a line nearer than that proposal may turn out to be what it
    is on, and the proposal is settled: it cannot be moved from there again.
    """
    memory = moment.memory
    held = memory.structure
    while held.casts and held.casts[0].place < memory.messages - REACH:
        del held.casts[0]
    proposal = link.item if link is not None and isinstance(link.item, Proposal) else None
    taken = Cast(
        n=moment.n, place=memory.messages, who=moment.participant,
        stance=_STANCES[detection.act],
        conditional=detection.conditional, start=detection.start, end=detection.end,
        rule=detection.rule, confidence=detection.confidence, text=moment.content[:READ],
        at=moment.at,
    )  # fmt: skip
    held.casts.append(taken)
    if proposal is None:
        return False
    nearer = any(line.n > proposal.born and not line.handles for line in held.lines)
    if nearer and (proposal.status != "active" or proposal.ref in memory.resolving):
        return False
    taken.on = proposal.ref
    taken.was = proposal.reactions.get(moment.participant)
    person = memory.participants.get(moment.participant)
    taken.stood = None if person is None else person.positions.get(proposal.handle)
    return True


def _nearest(memory: Memory, cast: Cast) -> Proposal | None:
    """The proposal last born before `cast`, which it is on."""
    found: Proposal | None = None
    for line in memory.structure.lines:
        if line.n < cast.n:
            for handle in line.handles:
                item = memory.item(handle)
                if isinstance(item, Proposal):
                    found = item
    return found


def _recast(moment: Moment, made: Proposal, cast: Cast) -> None:
    """Count `cast` for `made`, and no longer for what it was taken to be on."""
    memory = moment.memory
    before = memory.proposal(cast.on) if cast.on else None
    if before is made or (before is not None and before.status != "active"):
        return
    if before is not None:
        proposals.unreact(memory, before, cast)
    cast.on = made.ref
    cast.was, cast.stood = None, None
    then = past(moment, cast.n, memory.named(cast.who), cast.text, 0, cast.at, None)
    cites = (Cite(cast.n, cast.start, cast.end), Cite(made.born))
    origin = Origin(cites, "tag", cast.rule, cast.confidence)
    reaction = Reaction(cast.stance, cast.conditional, False, True, origin)
    proposals.react(then, made, reaction)
    decisions.follow(then, made, reaction)


# -- decisions -----------------------------------------------------------------------


def _judge_decisions(moment: Moment, card: Card) -> None:
    """Look at the line that stood long enough for a vote on it to show."""
    memory = moment.memory
    held = memory.structure
    for line in reversed(held.lines):
        apart = memory.messages - line.place
        if apart > card.wait:
            break
        if apart == card.wait and not line.handles:
            stands = features(held, line)
            score = line.wording[1] + card.stands(stands)
            if score >= 0:
                _enter_decision(moment, card, line, score, stands)


def _enter_decision(
    moment: Moment, card: Card, line: Line, score: int, stands: Sequence[str]
) -> None:
    then = past(moment, line.n, line.who, line.text, line.start, line.at, line.topic)
    origin = _origin(moment, card, line, score, stands)
    link = _settled_by(moment, line)
    formalise(moment)
    resolves = link.item if link is not None and isinstance(link.item, Proposal) else None
    made = decisions.claim(then, line.text, origin, resolves)
    if made is None:
        return
    line.handles.append(made.handle)
    if link is not None and link.sure and resolves is not None and made.born == line.n:
        ratification.ratify_by_vote(moment, made, resolves)


def _settled_by(moment: Moment, line: Line) -> Link | None:
    """The proposal that a decision's line restates, else the newest near it."""
    memory = moment.memory
    if line.behind is not None and line.behind.likeness >= 2:
        item = memory.known(line.behind.n)
        if isinstance(item, Proposal):
            return Link(item, sure=True)
    return resolved_by_words(moment, fingerprint(line.text))
