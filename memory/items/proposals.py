"""The life of a proposal.

    active ──► accepted    a quorum, a chair's word, a vote
           ──► adopted     somebody else reported it done, and nobody is against it
           ──► rejected    a chair's word, a vote
           ──► withdrawn   its proposer
           ──► modified    a successor that amends it
           ──► lapsed      `lapse.after` messages without mention

A settled proposal never moves again; every move has an origin and is a fact.
"""

from __future__ import annotations

from msgspec.structs import replace

from parley.memory.extraction.structure.marking_style import DOCUMENTS, make_firm, shelve_item
from parley.memory.extraction.structure.shelves import firm_side, is_firm_side
from parley.memory.items import echoes, positions
from parley.memory.state.fold_step import FoldStep, evidence_row
from parley.memory.state.item_state import Cite, Origin, Proposal, ProposalStatus, Reaction
from parley.memory.state.line_state import UnlinkedVote
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.text.sentences import topic_line
from parley.memory.text.similarity import fingerprint, measure_resemblance

_TEXT_CHARS = 500  # what a row of the ledger quotes; the span cites the whole
_OWN = 900  # at which one's own words of a document, still open, come again
_STRUCK = 970  # resemblance, per mille, at which words count as those a person struck


def propose(
    moment: FoldStep,
    text: str,
    origin: Origin,
    amends: Proposal | None = None,
    topic: str = "",
    own: str = "",
) -> Proposal | None:
    """Enter a proposal, on `topic` or what its text begins with.

    `own` is what it is compared by, where `text` has words besides that say what it is about.

    None where a person struck the same words before, for what a wording of the same message
    proposes already, and for what a document says again of a proposal that it supports.
    """
    memory = moment.memory
    own = own or text
    marks = fingerprint(own)
    if moment.rewords:
        return _reword(moment, text, origin, marks, topic or text)
    earlier = memory.proposal_index.nearest(marks, memory.settings.echo.similarity)
    if earlier is not None and origin.how != "act" and _is_struck(memory, *earlier):
        return None
    if (
        earlier is not None
        and origin.how == "pattern"
        and _is_born_at(memory, earlier[0], moment.n)
    ):
        return None
    if earlier is not None and amends is None and _is_supported(moment, origin, earlier[0]):
        recall(moment, memory.proposals[earlier[0]])
        return None
    made = _enter(moment, text, origin, marks, amends, topic or text)
    if amends is not None:
        replace_proposal(moment, amends, made)
    elif earlier is not None and not _goes_on(moment, origin, *earlier):
        _echo(moment, made, *earlier, own)
    if made.echoes is None and made.amends is None:
        memory.uncompared[made.ref] = None
    where = origin.cites[0]
    positions.take_position(moment, made.handle, "support", where.start, where.end)
    positions.note_contribution(moment, where.start, where.end)
    return made


def _reword(
    moment: FoldStep, text: str, origin: Origin, marks: tuple[int, ...], topic: str
) -> Proposal:
    """Have the words of an edit stand in the proposal of the old ones that is most like them."""
    rewords = moment.rewords or []
    proposal = max(rewords, key=lambda each: measure_resemblance(each.fingerprint, marks))
    rewords.remove(proposal)
    memory = moment.memory
    if (words := clip(text, _TEXT_CHARS)) != proposal.text:
        proposal.edited = moment.n
        proposal.reactions = {  # to other words: they stand, and settle nothing
            name: replace(reaction, counted=False, vote=False)
            for name, reaction in proposal.reactions.items()
        }
    proposal.topic = clip(moment.topic, 100) if moment.topic else topic_line(topic)
    proposal.text = "" if proposal.shrunk else words
    proposal.named, proposal.origin = bool(moment.topic), origin
    memory.cites.note(proposal, origin)
    memory.proposal_index.replace(proposal.ref, marks)
    proposal.fingerprint = marks
    note_mention(memory, proposal)
    moment.record_fact(
        "proposal.edited", proposal.handle, participant=moment.participant, topic=proposal.topic,
        text=words, **evidence_row(origin),
    )  # fmt: skip
    where = origin.cites[0]
    positions.take_position(moment, proposal.handle, "support", where.start, where.end)
    positions.note_contribution(moment, where.start, where.end)
    return proposal


def recall(moment: FoldStep, proposal: Proposal) -> None:
    """Tell that the message says an earlier proposal again, without making a new one of it."""
    moment.record_fact(
        "proposal.recalled",
        proposal.handle,
        participant=moment.participant,
        proposal_n=proposal.born,
    )


def _enter(
    moment: FoldStep,
    text: str,
    origin: Origin,
    marks: tuple[int, ...],
    amends: Proposal | None,
    topic: str,
) -> Proposal:
    memory = moment.memory
    made = Proposal(
        ref=memory.evictions.count_proposals() + len(memory.proposals) + 1,
        participant=moment.participant,
        topic=clip(moment.topic, 100) if moment.topic else topic_line(topic),
        text=clip(text, _TEXT_CHARS),
        born=moment.n,
        detected=moment.detected,
        at=moment.at,
        typist=moment.typist,
        origin=origin,
        fingerprint=marks,
        mentioned=memory.messages,
        named=bool(moment.topic),
        amends=None if amends is None else amends.ref,
    )
    memory.proposals[made.ref] = made
    memory.live[made.ref] = None
    memory.full_proposals[made.ref] = None
    memory.at_refs.setdefault(moment.n, []).append(made.handle)
    memory.cites.note(made, origin)
    memory.proposal_index.add(made.ref, marks)
    moment.record_fact(
        "proposal.made", made.handle, id=made.id, participant=made.participant,
        topic=made.topic, text=made.text, **evidence_row(origin),
    )  # fmt: skip
    shelve_item(moment, made)
    return made


def _is_struck(memory: Memory, ref: int, similarity: int) -> bool:
    return memory.proposals[ref].struck and similarity >= _STRUCK


def _is_born_at(memory: Memory, ref: int, n: int) -> bool:
    return memory.proposals[ref].born == n


def _is_supported(moment: FoldStep, origin: Origin, ref: int) -> bool:
    """True where the message that says the proposal again, in other words, supports it."""
    reaction = moment.memory.proposals[ref].reactions.get(moment.participant)
    return (
        (origin.rule or "").startswith(DOCUMENTS)
        and reaction is not None
        and reaction.stance == "support"
        and not reaction.conditional
        and reaction.origin.cites[0].n == moment.n
    )


def _goes_on(moment: FoldStep, origin: Origin, ref: int, similarity: int) -> bool:
    """True where somebody writes more of what they proposed and is still open, in other words."""
    earlier = moment.memory.proposals[ref]
    return (
        similarity < _OWN
        and earlier.status == "active"
        and (origin.rule or "").startswith(DOCUMENTS)
        and moment.memory.named(earlier.participant) == moment.participant
    )


def _echo(moment: FoldStep, made: Proposal, ref: int, similarity: int, text: str) -> None:
    earlier = moment.memory.proposal(ref)
    if earlier is not None:
        echoes.mark_echo(moment, made, earlier, similarity, text)


def replace_proposal(moment: FoldStep, earlier: Proposal, made: Proposal) -> None:
    """Let `made` take the place of `earlier`, which it amends."""
    made.amends = earlier.ref
    earlier.superseded_by = made.ref
    moment.record_fact(
        "proposal.amended", made.handle, participant=made.participant, earlier=earlier.handle
    )
    if earlier.status == "active":
        settle_proposal(moment, earlier, "modified", made.origin)


def record_reaction(moment: FoldStep, proposal: Proposal, reaction: Reaction) -> None:
    """Make `reaction`, a firm one, the participant's latest on `proposal`."""
    memory = moment.memory
    before = firm_side(proposal, moment.participant)
    if not (proposal.shrunk and proposal.status != "active"):
        proposal.reactions[moment.participant] = reaction
        proposal.tally = count_reactions(proposal)
        memory.cites.note(proposal, reaction.origin)
    note_mention(memory, proposal)
    stance, origin = reaction.stance, reaction.origin
    where = origin.cites[0]
    moment.record_fact(
        "reaction.changed",
        proposal.handle,
        participant=moment.participant,
        stance=stance,
        was=None if before is None else before.stance,
        conditional=reaction.conditional,
        counted=reaction.counted,
        link=origin.link,
        proposal_n=proposal.born,
        **evidence_row(origin),
    )
    positions.take_position(moment, proposal.handle, stance, where.start, where.end)


def keep_candidate_side(moment: FoldStep, proposal: Proposal, reaction: Reaction) -> None:
    """Keep a side that rules read in prose and are not sure of: it is in no tally.

    It takes the place of another such side, never that of a firm one.
    """
    is_kept = not (proposal.shrunk and proposal.status != "active")
    if is_kept and firm_side(proposal, moment.participant) is None:
        proposal.reactions[moment.participant] = reaction
        moment.memory.cites.note(proposal, reaction.origin)
    note_mention(moment.memory, proposal)
    moment.record_fact(
        "side.read",
        proposal.handle,
        participant=moment.participant,
        stance=reaction.stance,
        conditional=reaction.conditional,
        link=reaction.origin.link,
        proposal_n=proposal.born,
        **evidence_row(reaction.origin),
    )


def take_back_reaction(memory: Memory, proposal: Proposal, cast: UnlinkedVote) -> bool:
    """Take back a bare vote that is on another proposal; False where it stands no longer."""
    reaction = proposal.reactions.get(cast.who)
    if reaction is None or reaction.origin.cites[0].n != cast.n:
        return False
    if cast.was is None:
        del proposal.reactions[cast.who]
    else:
        proposal.reactions[cast.who] = cast.was
        memory.cites.note(proposal, cast.was.origin)
    proposal.tally = count_reactions(proposal)
    positions.restore_position(memory, cast.who, proposal.handle, cast.n, cast.stood)
    return True


def count_reactions(proposal: Proposal) -> tuple[int, int, int]:
    """Supporters, opponents and neutral ones, counted from the firm reactions."""
    firm = filter(is_firm_side, proposal.reactions.values())
    stances = [reaction.stance for reaction in firm]
    return stances.count("support"), stances.count("oppose"), stances.count("neutral")


def note_mention(memory: Memory, proposal: Proposal) -> None:
    """Note that the message in hand speaks of `proposal`."""
    proposal.mentioned = memory.messages
    if proposal.ref in memory.live:
        del memory.live[proposal.ref]
        memory.live[proposal.ref] = None


def settle_proposal(
    moment: FoldStep, proposal: Proposal, status: ProposalStatus, origin: Origin
) -> None:
    """Move an active proposal to `status`, for good; what is ruled on was taken up."""
    if status in ("accepted", "adopted", "rejected"):
        make_firm(moment, proposal)
    proposal.status = status
    proposal.settled = origin
    moment.memory.cites.note(proposal, origin)
    moment.memory.live.pop(proposal.ref, None)
    moment.record_fact(
        "proposal.settled",
        proposal.handle,
        status=status,
        by=moment.participant if origin.how != "rule" else None,
        how=origin.how,
        rule=origin.rule,
        proposal_n=proposal.born,
        tally=list(proposal.tally),
        superseded_by=None if proposal.superseded_by is None else f"P{proposal.superseded_by}",
    )


def _is_voted_on(memory: Memory, proposal: Proposal, *, at_leisure: bool = False) -> bool:
    """True if a running vote is on it; `at_leisure`: one with a time of its own."""
    running = (memory.votes.by_ref[ref] for ref in memory.votes.running)
    return any(
        (vote.seconds or not at_leisure)
        and (vote.proposal == proposal.ref or proposal.handle in vote.options)
        for vote in running
    )


def lapse_proposals(moment: FoldStep) -> None:
    """Settle every active proposal that was not mentioned for too long.

    But those that a vote with a time of its own is on: its ballots are awaited while others talk.
    """
    memory = moment.memory
    overdue = memory.messages - memory.lapse_after
    silent: list[Proposal] = []
    for ref in memory.live:
        proposal = memory.proposals[ref]
        if proposal.mentioned > overdue:
            break
        if not _is_voted_on(memory, proposal, at_leisure=True):
            silent.append(proposal)
    _lapse(moment, silent, "lapse.after")


def lapse_longest_unmentioned(moment: FoldStep, count: int) -> None:
    """Settle the `count` active proposals that were unmentioned longest, but those voted on."""
    memory = moment.memory
    idle = [
        proposal
        for proposal in map(memory.proposals.__getitem__, memory.live)
        if not _is_voted_on(memory, proposal)
    ]
    idle.sort(key=lambda proposal: (proposal.mentioned, proposal.ref))
    _lapse(moment, idle[:count], "caps.live")


def _lapse(moment: FoldStep, silent: list[Proposal], rule: str) -> None:
    for proposal in sorted(silent, key=lambda proposal: proposal.ref):
        origin = Origin((Cite(moment.n), Cite(proposal.born)), "rule", rule)
        settle_proposal(moment, proposal, "lapsed", origin)
