"""What the window finds becomes items: born at an earlier line, revealed by the one in hand.

A line that crosses its scorecard is entered as if it had been marked: its own
message is cited first, the one that revealed it after. The bare votes since
then, which had nothing nearer to be on, are counted as its reactions. Nothing
is taken back but such a vote's place (`unlinked_votes`), and that only for a nearer proposal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.bus.entries import Message
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.structure import window
from parley.memory.extraction.structure.evidence import is_put_to_vote, line_features, vote_features
from parley.memory.extraction.structure.marking_style import make_firm, note_marked_item
from parley.memory.extraction.structure.restatements import AGAIN
from parley.memory.extraction.structure.scorecards import (
    Scorecard,
    current_scorecards,
    lexicon,
    score_confidence,
)
from parley.memory.extraction.structure.scribes import add_scribe_note
from parley.memory.items import decisions, proposals, ratification
from parley.memory.items.links import Link, find_resolved_by_words
from parley.memory.items.unlinked_votes import gather_votes, replied_entry, votes_between
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal
from parley.memory.state.line_state import Structure, WindowLine
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import to_plain
from parley.memory.text.similarity import fingerprint, measure_resemblance

_REWORDED: Final = 600  # resemblance per mille: other words for one thing, not another thing
_SAME: Final = 5  # of `restatements.likeness`
_MARKED: Final = 400  # hundredths of a logit


def read_late(moment: FoldStep, detections: Sequence[Detection], entry: Message) -> None:
    """Find what no act of a message shows; `detections` are its acts, already in effect."""
    re = replied_entry(moment.memory, detections[0], entry.re) if detections else 0
    _reveal_late_items(
        moment, detections, detections[0] if re else _bare_vote(detections, entry), re
    )


def _bare_vote(detections: Sequence[Detection], entry: Message) -> Detection | None:
    """The vote that a message is, where it is one on nothing that it names."""
    if not detections or not detections[0].vote or detections[0].refs or entry.re is not None:
        return None
    return detections[0]


def _reveal_late_items(
    moment: FoldStep, detections: Sequence[Detection], bare: Detection | None, re: int = 0
) -> None:
    """Take the message of `moment` into the window, and enter what that reveals.

    `detections` are its acts, already in effect; `bare` is the vote that it is, where
    it is a vote that names no item, in reply to entry `re` where that is not 0.
    """
    memory = moment.memory
    structure = memory.structure
    waits = bare is None and not detections and window.skip_long_message(moment)
    touched = [] if waits else window.take_message(moment, detections, bare, re)
    if not touched and (not structure.lines or structure.lines[-1].weighed):
        return
    cards = current_scorecards()
    for line in touched:
        _judge_proposal(moment, cards.proposal, line)
    if structure.lines and structure.lines[-1].n == moment.n:
        _name(moment, structure.lines[-1])
    oldest = memory.messages - cards.decision.wait
    for line in touched:
        if line.place > oldest:
            _judge_decision(moment, cards.decision, line, _least(moment, cards.decision, line))
    for line in _ripe(structure, oldest, touched):
        _judge_decision(moment, cards.decision, line, 0)


def _name(moment: FoldStep, line: WindowLine) -> None:
    """Note the items that the line in hand was found to be when it was read."""
    line.handles = [*moment.memory.at_refs.get(line.n, ())]
    for item in map(moment.memory.item, line.handles):
        if isinstance(item, Proposal) and item.origin.how == "tag":
            _reword(moment, line, item)


def _reword(moment: FoldStep, line: WindowLine, made: Proposal) -> None:
    """Let `made` stand for the open proposal that its line puts in other words."""
    if line.behind is None or line.behind.likeness == _SAME or made.amends is not None:
        return
    earlier = moment.memory.known(line.behind.n)
    if not isinstance(earlier, Proposal) or earlier is made or earlier.status != "active":
        return
    if measure_resemblance(earlier.fingerprint, made.fingerprint) >= _REWORDED:
        proposals.replace_proposal(moment, earlier, made)


# -- proposals ---------------------------------------------------------------------


def _judge_proposal(moment: FoldStep, card: Scorecard, line: WindowLine) -> None:
    memory = moment.memory
    if line.n == moment.n:
        return
    votes = vote_features(memory.structure, line)
    score = line.proposal + card.stands(votes)
    if is_put_to_vote(memory.structure, line, votes):
        score = max(score, 0)
    score -= _doubt(memory)
    line.handles = line.handles or [*memory.at_refs.get(line.n, ())]  # it was not read as a line
    if score < 0 or not _is_open(memory, line):
        return
    items = [memory.item(handle) for handle in line.handles]
    known = [item for item in items if isinstance(item, Proposal)]
    for item in known:
        make_firm(moment, item)
        gather_votes(moment, item)
    if not known:
        _enter_proposal(moment, card, line, score)


def _enter_proposal(moment: FoldStep, card: Scorecard, line: WindowLine, score: int) -> None:
    then = _past(moment, line)
    origin = _origin(moment, card, line, score)
    made = proposals.propose(then, line.text, origin)
    if made is None:
        return
    line.handles.append(made.handle)
    moment.memory.structure.unmarked += 1
    note_marked_item(moment, made)
    if gather_votes(moment, made) > 1:
        _reword(moment, line, made)


def _is_open(memory: Memory, line: WindowLine) -> bool:
    """True while nothing is known of `line` but what its wording alone says, held back."""
    items = [memory.item(handle) for handle in line.handles]
    return all(item is not None and item.candidate for item in items)


def _doubt(memory: Memory) -> int:
    """What an unmarked line must outweigh where others are marked."""
    structure = memory.structure
    return _MARKED if structure.marked > structure.unmarked else 0


def _past(moment: FoldStep, line: WindowLine) -> FoldStep:
    then = moment.earlier(line.n, line.who, line.text, line.start, line.at, line.topic)
    then.typist = "" if line.typist == line.who else line.typist
    return then


def _origin(moment: FoldStep, card: Scorecard, line: WindowLine, score: int) -> Origin:
    """Cites the line, then the entry that revealed it; the rule names what decided."""
    stands = line_features(moment.memory.structure, line)
    reasons = card.reasons(lexicon().cues(to_plain(line.text)), stands)
    cites = [Cite(line.n, line.start, line.start + len(line.text.rstrip()))]
    if moment.n != line.n:
        cites.append(Cite(moment.n, 0, len(moment.content)))
    typist = "" if line.typist == line.who else line.typist
    rule = add_scribe_note(moment.memory, typist, "; ".join(reasons))
    return Origin(tuple(cites), "structure", rule, score_confidence(score))


# -- decisions -----------------------------------------------------------------------


def _ripe(structure: Structure, oldest: int, touched: Sequence[WindowLine]) -> list[WindowLine]:
    """The lines to look at now: those that stood long enough for a vote on them to show.

    Each once when it did, and again when something is said of it.
    """
    ripe = {line.place: line for line in touched if line.place <= oldest}
    for line in reversed(structure.lines):
        if line.weighed:
            break
        if line.place <= oldest:
            ripe[line.place] = line
    for line in ripe.values():
        line.weighed = True
    return [ripe[place] for place in sorted(ripe)]


def _least(moment: FoldStep, card: Scorecard, line: WindowLine) -> int:
    """The score from which `line` need not wait: any, where it closes a vote that was carried.

    It does where it stands right below the votes and says again what they are on.
    """
    votes, behind = moment.memory.structure.votes, line.behind
    closes = line.n == moment.n and bool(votes) and votes[-1] == line.place - 1
    if not closes or behind is None or behind.likeness < AGAIN:
        return card.hurry
    put = moment.memory.known(behind.n)
    if not isinstance(put, Proposal) or put.candidate or put.status != "active":
        return card.hurry
    return 0 if ratification.has_carrying_vote(moment.memory, put) else card.hurry


def _judge_decision(moment: FoldStep, card: Scorecard, line: WindowLine, least: int) -> None:
    score = line.decision - _doubt(moment.memory)
    score += card.stands(vote_features(moment.memory.structure, line))
    if score >= least and _is_open(moment.memory, line):
        _enter_decision(moment, card, line, score)


def _enter_decision(moment: FoldStep, card: Scorecard, line: WindowLine, score: int) -> None:
    then = _past(moment, line)
    link = _settled_by(moment, line)
    resolves = link.item if link is not None and isinstance(link.item, Proposal) else None
    if (known := _known_decision(moment.memory, line)) is not None:
        made: Decision | None = decisions.take_up_claim(then, known, resolves)
    else:
        origin = _origin(moment, card, line, score)
        made = decisions.claim_decision(then, line.text, origin, resolves)
    if made is None:
        return
    if made is not known:
        line.handles.append(made.handle)
    moment.memory.structure.unmarked += 1
    note_marked_item(moment, made)
    if link is not None and link.sure and resolves is not None and made.born == line.n:
        also = votes_between(moment.memory, resolves, line)
        ratification.ratify_by_vote(moment, made, resolves, also)


def _known_decision(memory: Memory, line: WindowLine) -> Decision | None:
    """The candidate that the wording of `line` made already."""
    items = map(memory.item, line.handles)
    return next((item for item in items if isinstance(item, Decision)), None)


def _settled_by(moment: FoldStep, line: WindowLine) -> Link | None:
    """The proposal before a decision's line that it restates, else the only one near."""
    memory = moment.memory
    if line.behind is not None and line.behind.likeness >= 2:
        item = memory.known(line.behind.n)
        if isinstance(item, Proposal):
            return Link(item, "quote")
    link = find_resolved_by_words(moment, fingerprint(line.text))
    return link if link is not None and link.item.born < line.n else None
