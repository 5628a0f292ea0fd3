"""The life of a decision.

    claimed ──► ratified    its proposal was accepted, someone permitted said so,
                            or enough others restated it
    claimed, ratified ──► disputed     an opposition after the claim
    disputed ──► ratified   someone permitted ratified it all the same
    any ──► superseded      a later ratified one on the same topic or proposal

Supporters and dissenters are those of the proposal that it resolves, and whoever
spoke to the decision itself.
"""

from __future__ import annotations

from memory import positions
from memory.items import Cite, Decision, Origin, Proposal, Reaction, Stance
from memory.moment import Moment
from memory.proposals import has_quorum, mention, settle
from memory.similar import fingerprint
from memory.state import Memory
from memory.text import clip, outcome_line, topic_line

_RESTATED = 800  # resemblance, per mille, at which another's claim says the same
_STRUCK = 900


def claim(
    moment: Moment,
    text: str,
    origin: Origin,
    resolves: Proposal | None = None,
    supersedes: Decision | None = None,
) -> Decision | None:
    """Enter a decision that somebody says was made.

    None where a person struck the same words before, or where it only restates
    a standing one, whose support it then joins.
    """
    memory = moment.memory
    marks = fingerprint(text)
    nearest = memory.decision_index.nearest(marks, _RESTATED)
    if nearest is not None:
        ref, similarity = nearest
        if memory.decisions[ref].struck and similarity >= _STRUCK and origin.how != "act":
            return None
        standing = memory.decision(ref)
        if standing is not None and _restates(moment, standing):
            restate(moment, standing, origin)
            return None
    settled = None if resolves is None else _settling(memory, resolves)
    if settled is not None and origin.how != "act":
        restate(moment, settled, origin)
        return None
    made = _enter(moment, text, origin, marks, resolves, supersedes)
    made.supporters[moment.participant] = origin
    made.tally = (1, 0, 0)
    if resolves is not None:
        _resolve(moment, made, resolves)
    else:
        where = origin.cites[0]
        positions.take(moment, made.handle, "support", where.start, where.end)
    return made


def _settling(memory: Memory, proposal: Proposal) -> Decision | None:
    """The ratified decision that settled `proposal` already."""
    ref = memory.resolving.get(proposal.ref)
    decision = None if ref is None else memory.decision(ref)
    return decision if decision is not None and decision.status == "ratified" else None


def _enter(
    moment: Moment,
    text: str,
    origin: Origin,
    marks: tuple[int, ...],
    resolves: Proposal | None = None,
    supersedes: Decision | None = None,
    participant: str | None = None,
) -> Decision:
    memory = moment.memory
    ref = len(memory.decisions) + 1
    topic, named = _topic(moment, text, resolves)
    made = Decision(
        ref=ref,
        participant=participant or moment.participant,
        topic=topic,
        named=named,
        outcome=outcome_line(text),
        born=moment.n,
        detected=moment.n,
        at=moment.at,
        origin=origin,
        fingerprint=marks,
        resolves=None if resolves is None else resolves.ref,
        supersedes=None if supersedes is None else supersedes.ref,
    )
    memory.decisions[ref] = made
    memory.full_decisions[ref] = None
    memory.at_refs.setdefault(moment.n, []).append(made.handle)
    memory.decision_index.add(ref, marks)
    if named:
        memory.topics.setdefault(made.topic.casefold(), []).append(ref)
    where = origin.cites[0]
    moment.found(
        "decision.claimed",
        made.handle,
        id=made.id,
        participant=made.participant,
        topic=made.topic,
        outcome=made.outcome,
        resolves=None if resolves is None else resolves.handle,
        proposal_n=None if resolves is None else resolves.born,
        start=where.start,
        end=where.end,
        how=origin.how,
        rule=origin.rule,
        confidence=origin.confidence,
    )
    positions.contribute(moment, where.start, where.end)
    return made


def _topic(moment: Moment, text: str, resolves: Proposal | None) -> tuple[str, bool]:
    """What a decision is about, and whether somebody named it so."""
    if moment.topic:
        return clip(moment.topic, 100), True
    if resolves is not None:
        return resolves.topic, resolves.named
    return topic_line(text), False


def _resolve(moment: Moment, made: Decision, proposal: Proposal) -> None:
    """Tie `made` to the proposal it settles, and take over who stood where on it."""
    memory = moment.memory
    mention(memory, proposal)
    chain: Proposal | None = proposal
    while chain is not None and made.supersedes is None:
        made.supersedes = memory.resolving.get(chain.ref)
        chain = None if chain.amends is None else memory.proposals.get(chain.amends)
    memory.resolving[proposal.ref] = made.ref
    take_sides(made, proposal)


def take_sides(decision: Decision, proposal: Proposal) -> None:
    """Compute the sides of `decision` from the reactions to `proposal`."""
    for name, reaction in proposal.reactions.items():
        _side(decision, name, reaction.stance, reaction.origin)
    proposer = proposal.participant
    if proposer not in proposal.reactions and not _spoke(decision, proposer):
        decision.supporters[proposer] = proposal.origin
    decision.tally = counted(decision)


def _spoke(decision: Decision, name: str) -> bool:
    return any(
        name in side for side in (decision.supporters, decision.dissenters, decision.abstainers)
    )


def _side(decision: Decision, name: str, stance: Stance, origin: Origin) -> None:
    for side in (decision.supporters, decision.dissenters, decision.abstainers):
        side.pop(name, None)
    sides = {
        "support": decision.supporters,
        "oppose": decision.dissenters,
        "neutral": decision.abstainers,
    }
    sides[stance][name] = origin


def counted(decision: Decision) -> tuple[int, int, int]:
    """Supporters, dissenters and abstainers, counted."""
    return len(decision.supporters), len(decision.dissenters), len(decision.abstainers)


def _restates(moment: Moment, standing: Decision) -> bool:
    return standing.status == "claimed" and moment.participant != standing.participant


def restate(moment: Moment, decision: Decision, origin: Origin) -> None:
    """Another participant says the same: count it, ratify when enough do."""
    where = origin.cites[0]
    moment.found(
        "decision.restated",
        decision.handle,
        participant=moment.participant,
        start=where.start,
        end=where.end,
        how=origin.how,
        rule=origin.rule,
        confidence=origin.confidence,
    )
    hear(moment, decision, "support", origin)
    ratify_if_enough(moment, decision)


def ratify_if_enough(moment: Moment, decision: Decision) -> None:
    """Ratify a claim that resolves no proposal once enough others said the same of it."""
    if decision.status != "claimed" or decision.dissenters or decision.resolves is not None:
        return
    cites = [
        origin.cites[0]
        for name, origin in sorted(decision.supporters.items())
        if name != decision.participant
    ]
    if len(cites) >= moment.memory.settings.ratify.quorum:
        cites.sort(key=lambda cite: -cite.n)
        ratify(moment, decision, Origin(tuple(cites), "rule", "ratify.quorum"))


def hear(moment: Moment, decision: Decision, stance: Stance, origin: Origin) -> None:
    """Somebody speaks to the decision itself."""
    where = origin.cites[0]
    if not decision.shrunk:
        _side(decision, moment.participant, stance, origin)
        decision.tally = counted(decision)
    proposal = None
    if decision.resolves is not None:
        proposal = moment.memory.proposal(decision.resolves)
    on = decision.handle if proposal is None else proposal.handle
    positions.take(moment, on, stance, where.start, where.end)
    if stance == "oppose":
        dispute(moment, decision, origin)


def follow(moment: Moment, proposal: Proposal, reaction: Reaction) -> None:
    """Carry a new reaction over to the decision that resolves `proposal`."""
    memory = moment.memory
    ref = memory.resolving.get(proposal.ref)
    decision = None if ref is None else memory.decision(ref)
    if decision is None:
        return
    if not decision.shrunk:
        _side(decision, moment.participant, reaction.stance, reaction.origin)
        decision.tally = counted(decision)
    if reaction.stance == "oppose":
        dispute(moment, decision, reaction.origin)


def dispute(moment: Moment, decision: Decision, origin: Origin) -> None:
    """Mark a standing decision disputed; a superseded or disputed one stays as it is."""
    if decision.status not in ("claimed", "ratified"):
        return
    was = decision.status
    decision.status = "disputed"
    decision.disputed = origin
    moment.found(
        "decision.disputed",
        decision.handle,
        participant=moment.participant,
        was=was,
        **_sides_of(decision),
    )


def ratify(moment: Moment, decision: Decision, origin: Origin) -> None:
    """Make a claimed or disputed decision binding; what it replaces is superseded."""
    if decision.status not in ("claimed", "disputed"):
        return
    decision.status = "ratified"
    decision.ratified = origin
    moment.found(
        "decision.ratified",
        decision.handle,
        participant=moment.participant if origin.how != "rule" else None,
        topic=decision.topic,
        outcome=decision.outcome,
        resolves=None if decision.resolves is None else f"P{decision.resolves}",
        how=origin.how,
        rule=origin.rule,
        **_sides_of(decision),
    )
    _supersede(moment, decision, origin)


def _sides_of(decision: Decision) -> dict[str, object]:
    return {
        "supporters": sorted(decision.supporters),
        "dissenters": sorted(decision.dissenters),
        "abstainers": sorted(decision.abstainers),
        "tally": list(decision.tally),
    }


def _supersede(moment: Moment, decision: Decision, origin: Origin) -> None:
    memory = moment.memory
    replaced: list[Decision] = []
    if decision.supersedes is not None:
        earlier = memory.decision(decision.supersedes)
        if earlier is not None:
            replaced.append(earlier)
    for ref in memory.topics.get(decision.topic.casefold(), ()):
        earlier = memory.decision(ref)
        if earlier is not None and earlier.ref < decision.ref and earlier not in replaced:
            replaced.append(earlier)
    for earlier in sorted(replaced, key=lambda found: found.ref):
        if earlier is decision or earlier.status == "superseded":
            continue
        earlier.status = "superseded"
        earlier.superseded_by = decision.ref
        if decision.supersedes is None:
            decision.supersedes = earlier.ref
        moment.found("decision.superseded", earlier.handle, by=decision.handle, rule=origin.rule)


def accept(moment: Moment, proposal: Proposal, origin: Origin, text: str | None = None) -> None:
    """Accept `proposal` and ratify the decision that resolves it, made now if there is none."""
    memory = moment.memory
    if proposal.status == "active":
        settle(moment, proposal, "accepted", origin)
    ref = memory.resolving.get(proposal.ref)
    decision = None if ref is None else memory.decision(ref)
    if decision is None:
        also = (Cite(proposal.born, *_span(proposal)),)
        cited = Origin((*origin.cites, *also), origin.how, origin.rule, origin.confidence)
        words = text or proposal.text or proposal.topic
        decision = _enter(
            moment, words, cited, proposal.fingerprint, proposal, participant=proposal.participant
        )
        _resolve(moment, decision, proposal)
    ratify(moment, decision, origin)


def bind(moment: Moment, decision: Decision, resolves: Proposal | None, origin: Origin) -> None:
    """Ratify `decision` by the word of someone permitted, and accept what it resolves."""
    if resolves is not None and resolves.status == "active":
        accept(moment, resolves, origin)
    ratify(moment, decision, origin)


def _span(proposal: Proposal) -> tuple[int, int]:
    where = proposal.origin.cites[0]
    return where.start, where.end


def settle_by_reactions(moment: Moment, proposal: Proposal, reaction: Reaction) -> None:
    """Accept `proposal` when the reaction in hand completes the quorum."""
    memory = moment.memory
    if proposal.status != "active" or reaction.stance != "support":
        return
    if has_quorum(memory, proposal):
        also = tuple(
            held.origin.cites[0]
            for _, held in sorted(proposal.reactions.items())
            if held.stance == "support" and held is not reaction
        )
        cites = (*reaction.origin.cites, *also)
        accept(moment, proposal, Origin(cites, "rule", "ratify.quorum"))


def settle_by_claim(moment: Moment, decision: Decision, proposal: Proposal) -> None:
    """Ratify a claim that restates a proposal whose bare votes make the quorum."""
    if proposal.status == "active" and has_quorum(moment.memory, proposal, votes_too=True):
        cites = (*decision.origin.cites, proposal.origin.cites[0])
        accept(moment, proposal, Origin(cites, "vote", "ratify.quorum"))
    elif proposal.status == "accepted":
        ratify(moment, decision, Origin(decision.origin.cites, "rule", "proposal.accepted"))
