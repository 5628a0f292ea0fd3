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
from memory.items import Cite, How, Origin, Proposal, Reaction, Stance
from memory.links import Link, resolved_by_words
from memory.moment import Moment
from memory.similar import fingerprint, resemblance
from memory.state import Memory
from memory.structure import window
from memory.structure.evidence import below, features, is_put
from memory.structure.manner import firm, mark, stray
from memory.structure.scorecard import Card, confidence, lexicon, scorecards
from memory.structure.scribes import is_scribes, noted
from memory.structure.state import REACH, Cast, Line, Structure
from memory.structure.wording import READ
from memory.text import plain

_STANCES: Final[dict[str, Stance]] = {
    "support": "support", "oppose": "oppose", "abstain": "neutral",
}  # fmt: skip
_REWORDED: Final = 600  # resemblance per mille: other words for one thing, not another thing
_AGAIN: Final = 3  # of `echoes.likeness`: it says all of it
_SAME: Final = 5
_MARKED: Final = 400  # hundredths of a logit


def hear(moment: Moment, found: Sequence[Detection], bare: Detection | None, re: int = 0) -> None:
    """Take the message of `moment` into the window, and enter what that reveals.

    `found` are its acts, already in effect; `bare` is the vote that it is, where
    it is a vote that names no item, in reply to entry `re` where that is not 0.
    """
    memory = moment.memory
    held = memory.structure
    cards = scorecards("typed")
    touched = window.take_in(moment, cards, found, bare, re)
    if not touched and (not held.lines or held.lines[-1].weighed):
        return
    for line in touched:
        _judge_proposal(moment, cards.proposal, line)
    if held.lines and held.lines[-1].n == moment.n:
        _name(moment, held.lines[-1])
    oldest = memory.messages - cards.decision.wait
    for line in touched:
        if line.place > oldest:
            _judge_decision(moment, cards.decision, line, _least(moment, cards.decision, line))
    for line in _ripe(held, oldest, touched):
        _judge_decision(moment, cards.decision, line, 0)


def _name(moment: Moment, line: Line) -> None:
    """Note the items that the line in hand was found to be when it was read."""
    line.handles = [*moment.memory.at_refs.get(line.n, ())]
    for item in map(moment.memory.item, line.handles):
        if isinstance(item, Proposal) and item.origin.how == "tag":
            _reword(moment, line, item)


def _reword(moment: Moment, line: Line, made: Proposal) -> None:
    """Let `made` stand for the open proposal that its line puts in other words."""
    if line.behind is None or line.behind.likeness == _SAME or made.amends is not None:
        return
    earlier = moment.memory.known(line.behind.n)
    if not isinstance(earlier, Proposal) or earlier is made or earlier.status != "active":
        return
    if resemblance(earlier.fingerprint, made.fingerprint) >= _REWORDED:
        proposals.succeed(moment, earlier, made)


# -- proposals ---------------------------------------------------------------------


def _judge_proposal(moment: Moment, card: Card, line: Line) -> None:
    memory = moment.memory
    if line.n == moment.n:
        return
    votes = below(memory.structure, line)
    score = line.proposal + card.stands(votes)
    if is_put(memory.structure, line, votes):
        score = max(score, 0)
    score -= _doubt(memory)
    if score < 0 or not _is_open(memory, line):
        return
    held_back = [memory.item(handle) for handle in line.handles]
    known = [item for item in held_back if isinstance(item, Proposal)]
    for item in known:
        firm(moment, item)
        _gather(moment, item)
    if not known:
        _enter_proposal(moment, card, line, score)


def _enter_proposal(moment: Moment, card: Card, line: Line, score: int) -> None:
    then = _past(moment, line)
    origin = _origin(moment, card, line, score)
    made = proposals.propose(then, line.text, origin)
    if made is None:
        return
    line.handles.append(made.handle)
    moment.memory.structure.found += 1
    mark(moment, made)
    if _gather(moment, made) > 1:
        _reword(moment, line, made)


def _gather(moment: Moment, made: Proposal) -> int:
    """Count the votes in reach that are on `made`, now that it is one; how many they are."""
    memory = moment.memory
    casts = memory.structure.casts
    on = [one for one in casts if one.n > made.born and _nearest(memory, one) is made]
    moving = [one for one in on if _may_move(memory, made, one)]
    for one in reversed(moving):  # the newest first: what it puts back may be one that moves too
        _take_back(moment, made, one)
    for one in moving:
        _recast(moment, made, one)
    return len(on)


def _is_open(memory: Memory, line: Line) -> bool:
    """True while nothing is known of `line` but what its wording alone says, held back."""
    items = [memory.item(handle) for handle in line.handles]
    return all(item is not None and item.tentative for item in items)


def _doubt(memory: Memory) -> int:
    """What an unmarked line must outweigh where others are marked."""
    held = memory.structure
    return _MARKED if held.marked > held.found else 0


def past(
    moment: Moment, n: int, who: str, text: str, start: int, at: str | None, topic: str | None
) -> Moment:
    """An earlier entry as a moment of its own, whose facts are told by the one in hand."""
    then = Moment(moment.memory, n, who, " " * start + text, at, topic)
    then.told = moment.told
    then.facts = moment.facts
    return then


def _past(moment: Moment, line: Line) -> Moment:
    then = past(moment, line.n, line.who, line.text, line.start, line.at, line.topic)
    then.typist = "" if line.typist == line.who else line.typist
    return then


def _origin(moment: Moment, card: Card, line: Line, score: int) -> Origin:
    """Cites the line, then the entry that revealed it; the rule names what decided."""
    stands = features(moment.memory.structure, line)
    reasons = card.reasons(lexicon().cues(plain(line.text)), stands)
    cites = [Cite(line.n, line.start, line.start + len(line.text.rstrip()))]
    if moment.n != line.n:
        cites.append(Cite(moment.n, 0, len(moment.content)))
    typist = "" if line.typist == line.who else line.typist
    rule = noted(moment.memory, typist, "; ".join(reasons))
    return Origin(tuple(cites), "structure", rule, confidence(score))


# -- votes that name nothing ---------------------------------------------------------


def replies(memory: Memory, detection: Detection, re: int | str | None) -> int:
    """The entry that a stance replies to and that is no item so far, else 0."""
    if not isinstance(re, int) or detection.refs or detection.act not in _STANCES:
        return 0
    outright = detection.vote or detection.how == "act"
    return re if outright and memory.known(re) is None else 0


def cast(moment: Moment, detection: Detection, link: Link | None, re: int = 0) -> bool:
    """Keep a vote that names no item; True where it counts for `link`'s proposal at once.

    It waits where a line nearer than that proposal may turn out to be what it
    is on, and the proposal is settled: it cannot be moved from there again. One in
    reply to entry `re` waits for that to turn out to be a proposal.
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
        rule=noted(memory, moment.typist, detection.rule) or "", confidence=detection.confidence,
        text=moment.content[detection.start :][:READ], typist=moment.typist, at=moment.at, re=re,
    )  # fmt: skip
    if proposal is not None and not _waits(memory, proposal):
        _count_for(memory, proposal, taken)
    _keep(held, taken)
    if proposal is None:
        stray(moment)
    return taken.on > 0


def _waits(memory: Memory, proposal: Proposal) -> bool:
    """True where a vote could not be moved from `proposal`, and a line is nearer than it."""
    nearer = any(line.n > proposal.born and not line.handles for line in memory.structure.lines)
    return nearer and (proposal.status != "active" or proposal.ref in memory.resolving)


def _keep(held: Structure, taken: Cast) -> None:
    """Keep `taken`; of several votes in one message on one thing the last one stands."""
    before = held.casts[-1] if held.casts else None
    if before is not None and (before.n, before.on) == (taken.n, taken.on):
        taken.was, taken.stood = before.was, before.stood
        del held.casts[-1]
    held.casts.append(taken)


def _nearest(memory: Memory, cast: Cast) -> Proposal | None:
    """The proposal last born before `cast`, or at the line that it replies to, which it is on."""
    found: Proposal | None = None
    for line in memory.structure.lines:
        if line.n == cast.re or (not cast.re and line.n < cast.n):
            for handle in line.handles:
                item = memory.item(handle)
                if isinstance(item, Proposal) and not item.tentative:
                    found = item
    return found


def _may_move(memory: Memory, made: Proposal, cast: Cast) -> bool:
    """True unless `cast` is on `made` already, or on what is settled or nearer to it."""
    before = memory.proposal(cast.on) if cast.on else None
    if before is None:
        return True
    farther = before.tentative or before.born <= made.born
    return before is not made and before.status == "active" and farther


def _as_cast(moment: Moment, cast: Cast) -> Moment:
    """The entry of `cast` as a moment of its own."""
    who = moment.memory.named(cast.who)
    then = past(moment, cast.n, who, cast.text, cast.start, cast.at, None)
    then.typist = cast.typist
    return then


def _take_back(moment: Moment, made: Proposal, cast: Cast) -> None:
    """Count `cast`, which is on `made`, no longer for what it was taken to be on."""
    before = moment.memory.proposal(cast.on) if cast.on else None
    if before is not None and proposals.unreact(moment.memory, before, cast):
        decisions.unfollow(moment.memory, before, cast)
        then = _as_cast(moment, cast)
        then.found("reaction.moved", before.handle, participant=then.participant, to=made.handle)


def _recast(moment: Moment, made: Proposal, cast: Cast) -> None:
    """Count `cast` for `made`."""
    then = _as_cast(moment, cast)
    _count_for(moment.memory, made, cast)
    cites = (Cite(cast.n, cast.start, cast.end), Cite(made.born))
    how: How = "act" if cast.rule.startswith("act/") else "tag"
    origin = Origin(cites, how, cast.rule, cast.confidence)
    reaction = Reaction(cast.stance, cast.conditional, False, True, origin)
    proposals.react(then, made, reaction)
    decisions.follow(then, made, reaction)


def _count_for(memory: Memory, proposal: Proposal, cast: Cast) -> None:
    """Note what `cast` is on, and what its caster had said of that before."""
    cast.on = proposal.ref
    cast.was = proposal.reactions.get(cast.who)
    person = memory.participants.get(cast.who)
    cast.stood = None if person is None else person.positions.get(proposal.handle)


# -- decisions -----------------------------------------------------------------------


def _ripe(held: Structure, oldest: int, touched: Sequence[Line]) -> list[Line]:
    """The lines to look at now: those that stood long enough for a vote on them to show.

    Each once when it did, and again when something is said of it.
    """
    ripe = {line.place: line for line in touched if line.place <= oldest}
    for line in reversed(held.lines):
        if line.weighed:
            break
        if line.place <= oldest:
            ripe[line.place] = line
    for line in ripe.values():
        line.weighed = True
    return [ripe[place] for place in sorted(ripe)]


def _least(moment: Moment, card: Card, line: Line) -> int:
    """The score from which `line` need not wait: any, where it closes a vote that was carried.

    It does where it stands right below the votes and says again what they are on.
    """
    votes, behind = moment.memory.structure.votes, line.behind
    closes = line.n == moment.n and bool(votes) and votes[-1] == line.place - 1
    if not closes or behind is None or behind.likeness < _AGAIN:
        return card.hurry
    put = moment.memory.known(behind.n)
    if not isinstance(put, Proposal) or put.tentative or put.status != "active":
        return card.hurry
    return 0 if ratification.carries(moment.memory, put) else card.hurry


def _judge_decision(moment: Moment, card: Card, line: Line, least: int) -> None:
    score = line.decision - _doubt(moment.memory)
    score += card.stands(below(moment.memory.structure, line))
    if score >= least and _is_open(moment.memory, line):
        _enter_decision(moment, card, line, score)


def _enter_decision(moment: Moment, card: Card, line: Line, score: int) -> None:
    then = _past(moment, line)
    origin = _origin(moment, card, line, score)
    link = _settled_by(moment, line)
    resolves = link.item if link is not None and isinstance(link.item, Proposal) else None
    made = decisions.claim(then, line.text, origin, resolves)
    if made is None:
        return
    line.handles.append(made.handle)
    moment.memory.structure.found += 1
    mark(moment, made)
    if link is not None and link.sure and resolves is not None and made.born == line.n:
        also = _votes_between(moment.memory, resolves, line)
        ratification.ratify_by_vote(moment, made, resolves, also)


def _votes_between(memory: Memory, proposal: Proposal, line: Line) -> dict[str, Stance]:
    """What others voted, naming nothing, before `line` said `proposal` again.

    A remark between may have been taken for what they are on. Votes that settled something
    by then are spent.
    """
    if line.behind is None or line.behind.n != proposal.born or line.behind.likeness < _AGAIN:
        return {}
    return {
        cast.who: cast.stance
        for cast in memory.structure.casts
        if proposal.born < cast.n < line.n and not cast.re and not is_scribes(cast.rule)
        and cast.who not in (proposal.participant, proposal.typist) and not _spent(memory, cast)
    }  # fmt: skip


def _spent(memory: Memory, cast: Cast) -> bool:
    """True where a decision that came after `cast` settled what it is on."""
    on = memory.proposal(cast.on) if cast.on else None
    decision = None if on is None else decisions.resolved(memory, on)
    return decision is not None and cast.n < decision.born


def _settled_by(moment: Moment, line: Line) -> Link | None:
    """The proposal before a decision's line that it restates, else the only one near."""
    memory = moment.memory
    if line.behind is not None and line.behind.likeness >= 2:
        item = memory.known(line.behind.n)
        if isinstance(item, Proposal):
            return Link(item, sure=True)
    link = resolved_by_words(moment, fingerprint(line.text))
    return link if link is not None and link.item.born < line.n else None
