"""Which items are candidates: those of rules that are not sure enough, and mere wordings in a
session that marks what it proposes and decides, or puts bare lines to a vote.

There words such as "I suggest" are talk until somebody takes them up.
"""

from __future__ import annotations

from typing import Final

from parley.memory.extraction.structure.scribes import strip_scribe_note
from parley.memory.extraction.structure.shelves import is_sure
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, Proposal

# Tags that speak for what they stand on alone; "RESOLVED:" is how minutes are kept.
_LOOSE: Final = ("tag/decision", "tag/consensus")
UNMARKED: Final = "(unmarked)"  # after a tag that stands for redacted words without one
CANDIDATE: Final = "(candidate)"  # the same of words that made a candidate
WRITTEN: Final = "writing/"  # how the rules begin that read documents
LIKELY: Final = "prose/"  # how the rules begin that fitted tables are: what they find is likely
DOCUMENTS: Final = (WRITTEN, LIKELY)
_VOTING: Final = 5  # bare votes: here lines are put to a vote, and documents are asides
_STRAY: Final = 3  # votes with nothing proposed: here "+1" is said of talk
_SCRIBED: Final = 5  # of the newest 20 lines: somebody takes minutes of what others say


def shelve_item(moment: FoldStep, made: Proposal | Decision) -> None:
    """Make an item a candidate from its birth if its origin is not sure enough."""
    if not is_sure("proposal" if isinstance(made, Proposal) else "decision", made.origin):
        make_candidate(moment, made)


def note_marked_item(moment: FoldStep, made: Proposal | Decision) -> None:
    """Note an item that a tag marked, or structure found; the first holds earlier wordings back."""
    structure = moment.memory.structure
    if isinstance(made, Proposal) or strip_scribe_note(made.origin.rule or "") not in _LOOSE:
        structure.proposals += 1
        if structure.proposals == 1:
            _hold_proposals(moment)


def note_stray_vote(moment: FoldStep) -> None:
    """Note a vote with nothing proposed that it could be on; some hold earlier wordings back."""
    structure = moment.memory.structure
    structure.stray += 1
    if structure.stray == _STRAY:
        _hold_proposals(moment)


def hold_back_unmarked(moment: FoldStep, made: Proposal) -> None:
    """Hold one back that a mere wording made, where others are marked or minutes are taken."""
    structure = moment.memory.structure
    others = structure.proposals > 0 or structure.stray >= _STRAY
    if others or structure.led.bit_count() >= _SCRIBED:
        _hold_back(moment, made)


def _hold_proposals(moment: FoldStep) -> None:
    for proposal in moment.memory.proposals.values():
        if proposal.status == "active" and not _taken_up(proposal):
            _hold_back(moment, proposal)


def _hold_back(moment: FoldStep, item: Proposal) -> None:
    """Make a candidate of a proposal that its wording alone made.

    Documents are weighed by more than that: theirs is held back only where people vote on lines.
    """
    origin = item.origin
    if (origin.rule or "").startswith(DOCUMENTS) and moment.memory.structure.voted < _VOTING:
        return
    if origin.how == "pattern" and not origin.link and item.stands:
        make_candidate(moment, item)


def make_candidate(moment: FoldStep, item: Proposal | Decision) -> None:
    """Put an item on the other shelf, until somebody takes it up."""
    if not item.candidate:
        item.candidate = True
        moment.record_fact("item.candidate", item.handle, candidate=True)


def make_firm(moment: FoldStep, item: Proposal | Decision) -> None:
    """Count an item: somebody took it up."""
    if item.candidate:
        item.candidate = False
        moment.record_fact("item.candidate", item.handle, candidate=False)


def _taken_up(proposal: Proposal) -> bool:
    others = [
        reaction for name, reaction in proposal.reactions.items() if name != proposal.participant
    ]
    return any(reaction.counted for reaction in others)
