"""What the acts of one message do to memory, in the order they were spoken."""

from __future__ import annotations

import re
from dataclasses import replace

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.tags import tagged_handles
from parley.memory.extraction.structure import marking_style
from parley.memory.extraction.structure.scribes import add_scribe_note, is_typed_by_scribe
from parley.memory.extraction.structure.shelves import is_firm_side, may_count
from parley.memory.floor.seats import may_act
from parley.memory.items import decisions, positions, proposals, ratification, unlinked_votes
from parley.memory.items.links import Link, find_referred, find_resolved_proposal, link_stance
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Origin, Proposal, Reaction, Stance
from parley.memory.text.courtesies import is_placeholder
from parley.memory.text.plain_blocks import plain_blocks
from parley.memory.text.plain_text import TOPIC_LIMIT, clip
from parley.memory.text.similarity import fingerprint, measure_resemblance, text_marks

STANCES: dict[str, Stance] = {
    "support": "support",
    "oppose": "oppose",
    "dispute": "oppose",
    "abstain": "neutral",
}
_SIDES_OF_RULINGS: dict[str, Stance] = {
    "accept": "support",
    "ratify": "support",
    "reject": "oppose",
}
_RULINGS = tuple(_SIDES_OF_RULINGS)

_EMPHASIS = "**"
_AROUND = " \t\n*_✅❌"  # ticks behind a heading
_CLAUSE_END = re.compile(r"[,;:.!?(\n]")
Re = int | str | None


def apply_acts(moment: FoldStep, detections: tuple[Detection, ...], re: Re) -> None:
    """Let each detected act take effect, a tag only where its speaker may and its item is there."""
    for detection in detections:
        if detection.how == "tag" and not _is_valid_tag(moment, detection):
            continue
        detection = _aimed(moment, detection, re)
        if detection.act in STANCES:
            _take_stance(moment, detection, re)
        elif detection.act in ("propose", "amend"):
            _propose(moment, detection, re)
        elif detection.act == "decide":
            _decide(moment, detection, re)
        elif detection.act == "withdraw":
            _withdraw(moment, detection, re)
        elif detection.act in _RULINGS:
            _rule(moment, detection, re)


def _is_valid_tag(moment: FoldStep, detection: Detection) -> bool:
    """False for a tag that its speaker, or who typed it, may not use, and for one whose every
    handle names nothing: one on an item that is not there.
    """
    memory = moment.memory
    act = detection.act
    if not may_act(memory, moment.participant, act) or not may_act(memory, moment.typist, act):
        return False
    if act == "propose":
        return True  # the number that an author gives a proposal is no handle
    handles = tagged_handles(moment.content, detection)
    return not handles or any(memory.item(handle) is not None for handle in handles)


def _aimed(moment: FoldStep, detection: Detection, re: Re) -> Detection:
    """A stance or a ruling of the envelope on `re` is on that alone.

    "P4 mends what I opposed in P2", in support of P4, says nothing for P2.
    """
    whole = detection.how == "act" and detection.act in (*STANCES, *_RULINGS)
    if whole and re is not None and find_referred(moment.memory, re) is not None:
        return replace(detection, refs=())
    return detection


def _origin(moment: FoldStep, detection: Detection, link: Link | None = None) -> Origin:
    return moment.origin(
        detection.how,
        add_scribe_note(moment.memory, moment.typist, detection.rule),
        detection.confidence * (1000 if link is None else link.confidence) // 1000,
        start=min(detection.start, detection.text_start),
        end=max(detection.end, detection.text_end),
        link="" if link is None else link.by,
    )


def _payload(moment: FoldStep, detection: Detection) -> str:
    """What is proposed or decided, a block a line, without the marks of Markdown."""
    text = moment.content[detection.text_start : detection.text_end].strip()
    words = plain_blocks(text)
    if _EMPHASIS in words:  # its tag stood in it
        words = words.replace(_EMPHASIS, "").strip(_AROUND)
    return words or text or moment.content.strip()


def _propose(moment: FoldStep, detection: Detection, re: Re) -> None:
    amends = None
    if detection.act == "amend":
        amends = _only_proposal(moment, detection, re)
    link = None if amends is None else Link(amends, "handle")
    made = proposals.propose(
        moment, _payload(moment, detection), _origin(moment, detection, link), amends
    )
    if made is not None:
        _note_manner(moment, detection, made)


def _note_manner(moment: FoldStep, detection: Detection, made: Proposal | Decision) -> None:
    """A mark makes the session one that marks; in such a one mere wording makes candidates."""
    if detection.how == "pattern":
        if isinstance(made, Proposal):
            marking_style.hold_back_unmarked(moment, made)
        return
    if _is_unmarked(moment, detection):
        if _ends_with(moment, detection, marking_style.CANDIDATE):
            marking_style.make_candidate(moment, made)
        return
    moment.memory.structure.marked += 1
    if detection.how == "tag":
        marking_style.note_marked_item(moment, made)


def _is_unmarked(moment: FoldStep, detection: Detection) -> bool:
    """True for a tag that stands for redacted words without any."""
    marks = (marking_style.UNMARKED, marking_style.CANDIDATE)
    return any(_ends_with(moment, detection, mark) for mark in marks)


def _ends_with(moment: FoldStep, detection: Detection, mark: str) -> bool:
    return moment.content.endswith(mark, detection.text_start, detection.text_end)


def _only_proposal(moment: FoldStep, detection: Detection, re: Re) -> Proposal | None:
    """The first proposal that an act names outright."""
    named = _named(moment, detection, re)
    return next((item for item in named if isinstance(item, Proposal)), None)


def _named(moment: FoldStep, detection: Detection, re: Re) -> list[Proposal | Decision | None]:
    """What an act names outright: by `re` first, then by its handles."""
    memory = moment.memory
    items = [] if re is None else [find_referred(memory, re)]
    return items + [memory.item(handle) for handle in detection.refs]


def _take_stance(moment: FoldStep, detection: Detection, re: Re) -> None:
    stance = STANCES[detection.act]
    links = link_stance(moment, detection, re)
    told = any(link.by != "near" for link in links)
    bare = detection.vote and re is None and not told
    if bare and not unlinked_votes.keep_vote(moment, detection, links[0] if links else None):
        return
    if replied := unlinked_votes.replied_entry(moment.memory, detection, re):
        unlinked_votes.keep_vote(moment, detection, None, replied)
    if not links and moment.topic and detection.how == "act":
        topic = clip(moment.topic, TOPIC_LIMIT)
        positions.take_position(moment, topic, stance, detection.start, detection.end)
    for link in links:
        if link.item.born == moment.n:
            continue
        _speak_to(moment, detection, link, stance)


def _speak_to(moment: FoldStep, detection: Detection, link: Link, stance: Stance) -> None:
    """Take a side on an item. Who speaks to the claim on an open proposal speaks to both."""
    item = link.item
    if isinstance(item, Proposal):
        react(moment, detection, link, item, stance)
        return
    if link.by in ("handle", "reply"):
        marking_style.make_firm(moment, item)
    proposal = _open_proposal_of(moment, item)
    if proposal is not None:
        react(moment, detection, link, proposal, stance)
        return
    origin = _origin(moment, detection, link)
    decisions.hear_about_decision(moment, item, stance, origin)
    ratification.ratify_if_enough(moment, item)
    ratification.restore_if_unopposed(moment, item, origin)


def _open_proposal_of(moment: FoldStep, decision: Decision) -> Proposal | None:
    """The open proposal that `decision` is the claim on: named by it, or in the same words."""
    memory = moment.memory
    proposal = None if decision.resolves is None else memory.proposal(decision.resolves)
    if proposal is None or proposal.status != "active":
        return None
    if decisions.find_resolving_decision(memory, proposal) is not decision:
        return None
    likeness = measure_resemblance(decision.fingerprint, proposal.fingerprint)
    is_named = decision.origin.link in ("handle", "reply")
    return proposal if is_named or likeness >= memory.settings.echo.similarity else None


def react(
    moment: FoldStep, detection: Detection, link: Link, proposal: Proposal, stance: Stance
) -> None:
    """Make what was detected a side on `proposal`; a firm one that names it takes it up."""
    origin = _origin(moment, detection, link)
    counted = (
        may_count(origin) and not _is_unmarked(moment, detection) and not is_typed_by_scribe(origin)
    )
    reaction = Reaction(stance, detection.conditional, counted, detection.vote, origin)
    if link.by != "near" and is_firm_side(reaction):
        marking_style.make_firm(moment, proposal)
    if decisions.take_side(moment, proposal, reaction):
        ratification.accept_by_quorum(moment, proposal, reaction)
        decision = decisions.find_resolving_decision(moment.memory, proposal)
        ratification.restore_if_unopposed(moment, decision, origin)


def _decide(moment: FoldStep, detection: Detection, re: Re) -> None:
    text = _payload(moment, detection)
    if is_placeholder(text):
        return
    binds = _is_sure(moment, detection) and ratification.may_bind(moment)
    link = find_resolved_proposal(moment, detection, re, fingerprint(text))
    if binds and link is not None and not link.sure:
        link = None  # what binds settles nothing that is only near
    names = ("handle", "reply") if detection.how in ("act", "tag") else ("handle",)
    named = link if link is not None and link.by in names else None
    origin = _origin(moment, detection, named)
    supersedes = _superseded_decision(moment, detection, re)
    resolves = link.item if link is not None and isinstance(link.item, Proposal) else None
    if resolves is not None and detection.how == "act" and not binds:
        settled = decisions.find_settled(moment.memory, resolves)
        if settled is not None:
            decisions.claim_instead(moment, text, origin, settled)
            return
    made = decisions.claim_decision(moment, text, origin, resolves, supersedes, anew=binds)
    if made is None:
        return
    if made.born == moment.n:
        _note_manner(moment, detection, made)
    if binds:
        ratification.bind_decision(moment, made, resolves, origin)
    elif made.born != moment.n:
        ratification.ratify_if_enough(moment, made)
    elif link is not None and link.sure and resolves is not None and not made.candidate:
        ratification.ratify_by_vote(moment, made, resolves)


def _is_sure(moment: FoldStep, detection: Detection) -> bool:
    """True for an act or a tag ("Decision: ..."); what else is read in words only claims."""
    return detection.how in ("act", "tag") and not _is_unmarked(moment, detection)


def _superseded_decision(moment: FoldStep, detection: Detection, re: Re) -> Decision | None:
    named = _named(moment, detection, re)
    return next((item for item in named if isinstance(item, Decision)), None)


def _withdraw(moment: FoldStep, detection: Detection, re: Re) -> None:
    """Only its proposer, or a chair, may withdraw a proposal, and nobody for them.

    Without a name it is the one of their own that is told by its words, else their newest; a
    pattern whose payload is what is withdrawn ("I withdraw the cache") withdraws no other.
    """
    proposal = _only_proposal(moment, detection, re) or _own_told(moment, detection)
    if proposal is None and not _tells_what(detection):
        proposal = _own_newest(moment)
    if proposal is None or proposal.status != "active" or moment.typist:
        return
    if (
        moment.participant != proposal.participant
        and moment.participant not in moment.memory.chairs
    ):
        return
    proposals.settle_proposal(moment, proposal, "withdrawn", _origin(moment, detection))
    positions.take_position(moment, proposal.handle, "neutral", detection.start, detection.end)


def _tells_what(detection: Detection) -> bool:
    """True where the payload of a pattern is what it withdraws: it lies within the match."""
    return detection.how == "pattern" and detection.start < detection.text_start < detection.end


def _own_told(moment: FoldStep, detection: Detection) -> Proposal | None:
    """The one of their open proposals that shares most words with what an act names, up to the
    first comma; None where several do.
    """
    memory = moment.memory
    begin = detection.text_start
    if detection.how == "pattern":  # whose payload may be the sentence around it
        begin = max(begin, detection.start)
    named = moment.content[begin : detection.text_end]
    stop = _CLAUSE_END.search(named)
    marks = text_marks(named[: stop.start()] if stop else named)
    shared: dict[int, list[Proposal]] = {}
    for ref in reversed(memory.live):
        proposal = memory.proposals[ref]
        if not memory.in_window(proposal):
            break
        if proposal.participant == moment.participant and proposal.born != moment.n:
            count = len(marks.intersection(proposal.fingerprint))
            shared.setdefault(count, []).append(proposal)
    most = max(shared, default=0)
    likest = shared[most] if most else []
    return likest[0] if len(likest) == 1 else None


def _own_newest(moment: FoldStep) -> Proposal | None:
    """The latest of their open proposals that was spoken of; of those by one message the last made.

    Among these the order of mention does not outlive a snapshot.
    """
    memory = moment.memory
    newest: Proposal | None = None
    for ref in reversed(memory.live):
        proposal = memory.proposals[ref]
        if not memory.in_window(proposal):
            break
        if newest is not None and proposal.mentioned < newest.mentioned:
            break
        own = proposal.participant == moment.participant and proposal.born != moment.n
        if own and (newest is None or newest.ref < ref):
            newest = proposal
    return newest


def _rule(moment: FoldStep, detection: Detection, re: Re) -> None:
    """Accept, reject or ratify by a chair; by anyone else this is support, or opposition."""
    binds = ratification.may_bind(moment)
    for item in _ruled_on(moment, detection, re):
        link = Link(item, "handle")
        origin = _origin(moment, detection, link)
        if not binds:
            _speak_to(moment, detection, link, _SIDES_OF_RULINGS[detection.act])
        elif isinstance(item, Decision):
            _rule_on_decision(moment, detection.act, item, origin)
        else:
            _rule_on_proposal(moment, detection.act, item, origin)


def _ruled_on(moment: FoldStep, detection: Detection, re: Re) -> list[Proposal | Decision]:
    memory = moment.memory
    named = [memory.item(handle) for handle in detection.refs]
    if not named and re is not None:
        named = [find_referred(memory, re)]
    items: list[Proposal | Decision] = []
    for item in named:
        if item is not None and item.born != moment.n and item not in items:
            items.append(item)
    return items


def _rule_on_decision(moment: FoldStep, act: str, decision: Decision, origin: Origin) -> None:
    if act == "reject":
        decisions.hear_about_decision(moment, decision, "oppose", origin)
        return
    decisions.hear_about_decision(moment, decision, "support", origin)
    ratification.bind_decision(moment, decision, None, origin)


def _rule_on_proposal(moment: FoldStep, act: str, proposal: Proposal, origin: Origin) -> None:
    stance: Stance = "oppose" if act == "reject" else "support"
    reaction = Reaction(stance, conditional=False, counted=True, vote=False, origin=origin)
    marking_style.make_firm(moment, proposal)
    proposals.record_reaction(moment, proposal, reaction)
    decisions.follow_reaction(moment, proposal, reaction)
    if proposal.status != "active":
        return
    if act == "reject":
        proposals.settle_proposal(moment, proposal, "rejected", origin)
    else:
        ratification.accept_proposal(moment, proposal, origin)
