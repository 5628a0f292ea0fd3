"""The life of a decision.

    claimed ──► ratified    its proposal was accepted, a chair said so,
                            or enough others support or restate it
    claimed, ratified ──► disputed     an opposition after the claim
    disputed ──► ratified   a chair ratified it all the same, or nobody opposes it any more
    any ──► superseded      a later ratified one on the same topic or proposal

Supporters and dissenters are those of the proposal that it resolves, and whoever
spoke to the decision itself.
"""

from __future__ import annotations

from msgspec.structs import replace

from parley.memory.extraction.structure.marking_style import make_firm, shelve_item
from parley.memory.extraction.structure.shelves import is_firm_side, is_sure
from parley.memory.items import positions
from parley.memory.items.decision_sides import (
    compute_sides,
    count_sides,
    has_spoken_since,
    put_on_side,
    sides_row,
)
from parley.memory.items.proposals import keep_candidate_side, note_mention, record_reaction
from parley.memory.state.fold_step import FoldStep, evidence_row
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal, Reaction, Stance
from parley.memory.state.line_state import UnlinkedVote
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, outcome_line
from parley.memory.text.sentences import topic_line
from parley.memory.text.similarity import fingerprint

_RESTATED = 950  # resemblance, per mille, at which another's claim says the same and no more
_STRUCK = 970


def claim_decision(
    moment: FoldStep,
    text: str,
    origin: Origin,
    resolves: Proposal | None = None,
    supersedes: Decision | None = None,
    *,
    anew: bool = False,
) -> Decision | None:
    """The decision that somebody says was made: a new one, or the standing one it restates.

    `anew`: what is settled already is decided again, not restated. None where a person struck
    the same words before.
    """
    memory = moment.memory
    marks = fingerprint(text)
    nearest = memory.decision_index.nearest(marks, _RESTATED)
    if nearest is not None:
        ref, similarity = nearest
        if memory.decisions[ref].struck and similarity >= _STRUCK and origin.how != "act":
            return None
        standing = memory.decision(ref)
        again = anew and origin.how != "act"
        if standing is not None and _restates(moment, standing, again=again):
            return _restate(moment, standing, origin)
    settled = None if resolves is None else _settling(memory, resolves)
    if settled is not None and origin.how != "act" and not anew:
        return _restate(moment, settled, origin)
    made = _enter(moment, text, origin, marks, resolves, supersedes)
    put_on_side(moment.memory, made, moment.participant, "support", origin)
    if resolves is not None:
        _resolve(moment, made, resolves)
    else:
        where = origin.cites[0]
        positions.take_position(moment, made.handle, "support", where.start, where.end)
    return made


def take_up_claim(moment: FoldStep, claim: Decision, resolves: Proposal | None) -> Decision:
    """Make a candidate firm; it resolves `resolves` if it was tied to no proposal."""
    make_firm(moment, claim)
    if resolves is not None and claim.resolves is None:
        claim.resolves = resolves.ref
        _resolve(moment, claim, resolves)
    return claim


def decide_accepted(moment: FoldStep, proposal: Proposal, origin: Origin) -> Decision:
    """The decision that accepting `proposal` makes, where nobody had claimed it."""
    where = proposal.origin.cites[0]
    also = Cite(proposal.born, where.start, where.end)
    cited = replace(origin, cites=(*origin.cites, also))
    words, proposer = proposal.text or proposal.topic, proposal.participant
    made = _enter(moment, words, cited, proposal.fingerprint, proposal, participant=proposer)
    _resolve(moment, made, proposal)
    return made


def decide_voted(moment: FoldStep, text: str, origin: Origin) -> Decision:
    """The decision that a ballot made in so many words: the open claim of it, or a new one."""
    memory, marks = moment.memory, fingerprint(text)
    nearest = memory.decision_index.nearest(marks, _RESTATED)
    standing = None if nearest is None else memory.decision(nearest[0])
    if standing is not None and standing.status in ("claimed", "disputed"):
        return standing
    return _enter(moment, text, origin, marks)


def find_resolving_decision(memory: Memory, proposal: Proposal) -> Decision | None:
    """The decision that resolves `proposal`, claimed or ratified."""
    ref = memory.resolving.get(proposal.ref)
    return None if ref is None else memory.decision(ref)


def _settling(memory: Memory, proposal: Proposal) -> Decision | None:
    """The ratified decision that settled `proposal` already."""
    decision = find_resolving_decision(memory, proposal)
    return decision if decision is not None and decision.status == "ratified" else None


def find_settled(memory: Memory, proposal: Proposal) -> Decision | None:
    """The decision that settled `proposal`, ratified and perhaps disputed since."""
    decision = find_resolving_decision(memory, proposal)
    if decision is None or decision.ratified is None:
        return None
    return decision if decision.status in ("ratified", "disputed") else None


def claim_instead(moment: FoldStep, text: str, origin: Origin, settled: Decision) -> None:
    """Somebody decides what is settled: the same again, or other words for it.

    The same is support for it. Other words are a claim of their own, which names what it would
    replace, and replaces it once others ratify it: nobody does that alone.
    """
    marks = fingerprint(text)
    nearest = moment.memory.decision_index.nearest(marks, _RESTATED)
    if nearest is not None and nearest[0] == settled.ref:
        _restate(moment, settled, origin)
        return
    claim_decision(moment, text, origin, supersedes=settled)


def _enter(
    moment: FoldStep,
    text: str,
    origin: Origin,
    marks: tuple[int, ...],
    resolves: Proposal | None = None,
    supersedes: Decision | None = None,
    participant: str | None = None,
) -> Decision:
    memory = moment.memory
    topic, named = _topic(moment, text, resolves)
    made = Decision(
        ref=memory.evictions.count_decisions() + len(memory.decisions) + 1,
        participant=participant or moment.participant,
        topic=topic,
        named=named,
        outcome=outcome_line(text),
        born=moment.n,
        detected=moment.detected,
        at=moment.at,
        typist=moment.typist,
        origin=origin,
        fingerprint=marks,
        resolves=None if resolves is None else resolves.ref,
        supersedes=None if supersedes is None else supersedes.ref,
    )
    _keep(moment, made)
    moment.record_fact(
        "decision.claimed", made.handle, id=made.id, participant=made.participant,
        topic=made.topic, outcome=made.outcome,
        resolves=None if resolves is None else resolves.handle,
        proposal_n=None if resolves is None else resolves.born, **evidence_row(origin),
    )  # fmt: skip
    shelve_item(moment, made)
    where = origin.cites[0]
    positions.note_contribution(moment, where.start, where.end)
    return made


def _keep(moment: FoldStep, made: Decision) -> None:
    """Where it is found again: by its number, its message, its words and its topic."""
    memory = moment.memory
    memory.decisions[made.ref] = made
    memory.full_decisions[made.ref] = None
    memory.at_refs.setdefault(moment.n, []).append(made.handle)
    memory.cites.note(made, made.origin)
    memory.decision_index.add(made.ref, made.fingerprint)
    if made.named:
        memory.topics.setdefault(made.topic.casefold(), []).append(made.ref)


def _topic(moment: FoldStep, text: str, resolves: Proposal | None) -> tuple[str, bool]:
    """What a decision is about, and whether somebody named it so."""
    if moment.topic:
        return clip(moment.topic, 100), True
    if resolves is not None:
        return resolves.topic, resolves.named
    return topic_line(text), False


def _resolve(moment: FoldStep, made: Decision, proposal: Proposal) -> None:
    """Tie `made` to the proposal it settles, and take over who stood where on it."""
    memory = moment.memory
    note_mention(memory, proposal)
    chain: Proposal | None = proposal
    while chain is not None and made.supersedes is None:
        made.supersedes = memory.resolving.get(chain.ref)
        chain = None if chain.amends is None else memory.proposals.get(chain.amends)
    memory.resolving[proposal.ref] = made.ref
    compute_sides(memory, made, proposal)


def _restates(moment: FoldStep, standing: Decision, *, again: bool) -> bool:
    """True for the claim of another; `again`: for what is ratified already, too."""
    if again and standing.status == "ratified":
        return True
    return standing.status == "claimed" and moment.participant != standing.participant


def _restate(moment: FoldStep, decision: Decision, origin: Origin) -> Decision:
    """Somebody says the same again: they support it, if that is sure, and take it up."""
    if not is_sure("decision", origin):
        return decision
    make_firm(moment, decision)
    moment.record_fact(
        "decision.restated",
        decision.handle,
        participant=moment.participant,
        **evidence_row(origin),
    )
    _take_side(moment, decision, "support", origin)
    return decision


def hear_about_decision(
    moment: FoldStep, decision: Decision, stance: Stance, origin: Origin
) -> None:
    """Somebody speaks to the decision itself; nothing changes if that is not sure."""
    if is_sure("side", origin):
        _take_side(moment, decision, stance, origin)


def _take_side(moment: FoldStep, decision: Decision, stance: Stance, origin: Origin) -> None:
    """Put who speaks on a side of it; of a line found late, what came since stands."""
    if has_spoken_since(decision, moment.participant, moment.n):
        return
    where = origin.cites[0]
    if not decision.shrunk:
        put_on_side(moment.memory, decision, moment.participant, stance, origin)
    proposal = None
    if decision.resolves is not None:
        proposal = moment.memory.proposal(decision.resolves)
    on = decision.handle if proposal is None else proposal.handle
    positions.take_position(moment, on, stance, where.start, where.end)
    if stance == "oppose":
        _dispute_decision(moment, decision, origin)


def take_side(moment: FoldStep, proposal: Proposal, reaction: Reaction) -> bool:
    """Have who speaks take a side on `proposal`, and on its decision; False if it is not firm."""
    if not is_firm_side(reaction):
        keep_candidate_side(moment, proposal, reaction)
        return False
    record_reaction(moment, proposal, reaction)
    follow_reaction(moment, proposal, reaction)
    return True


def follow_reaction(moment: FoldStep, proposal: Proposal, reaction: Reaction) -> None:
    """Carry a new reaction over to the decision that resolves `proposal`."""
    memory = moment.memory
    decision = find_resolving_decision(memory, proposal)
    if decision is None:
        return
    if not decision.shrunk:
        put_on_side(memory, decision, moment.participant, reaction.stance, reaction.origin)
    if reaction.stance == "oppose":
        _dispute_decision(moment, decision, reaction.origin)


def unfollow_reaction(memory: Memory, proposal: Proposal, cast: UnlinkedVote) -> None:
    """Take a bare vote that is on another proposal off the decision that resolves this one."""
    decision = find_resolving_decision(memory, proposal)
    if decision is None or decision.shrunk:
        return
    for side_of in (decision.supporters, decision.dissenters, decision.abstainers):
        origin = side_of.get(cast.who)
        if origin is not None and origin.cites[0].n == cast.n:
            del side_of[cast.who]
            decision.tally = count_sides(decision)
            if cast.was is not None and is_firm_side(cast.was):
                put_on_side(memory, decision, cast.who, cast.was.stance, cast.was.origin)
            elif cast.who == proposal.participant:
                put_on_side(memory, decision, cast.who, "support", proposal.origin)
            return


def _dispute_decision(moment: FoldStep, decision: Decision, origin: Origin) -> None:
    """Mark a standing decision disputed; a superseded or disputed one stays as it is."""
    if decision.status not in ("claimed", "ratified"):
        return
    was = decision.status
    decision.status = "disputed"
    decision.disputed = origin
    moment.memory.cites.note(decision, origin)
    moment.record_fact(
        "decision.disputed",
        decision.handle,
        participant=moment.participant,
        was=was,
        **sides_row(decision),
    )
