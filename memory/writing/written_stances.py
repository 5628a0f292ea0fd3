"""Where a written message stands on what others proposed: for, against, or without a preference."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from parley.memory.extraction.structure.marking_style import WRITTEN
from parley.memory.extraction.writing.written_message import Placed, WrittenMessage
from parley.memory.items import decisions
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Cite, Origin, Proposal, Reaction, Stance
from parley.memory.writing.answered_turns import (
    PLACED,
    nearest_turns,
    standing_proposals,
)
from parley.memory.writing.stance_targets import find_meant, find_several


def take_stances(
    moment: FoldStep, message: WrittenMessage, placed: Sequence[Placed], answered: list[Proposal]
) -> None:
    """Take the stance of a message on each proposal that it means; opposition outweighs."""
    neutral = next((each for each in placed if each.act == "neutral"), None)
    if neutral is not None:
        _stay_neutral(moment, neutral, answered)
        return
    wording = find_stance(placed)
    if wording is not None:
        several = find_several(moment.memory, moment.participant, message, answered)
        for proposal, own in several:
            _react(moment, proposal, _stance_of(own), own)
        if several:
            return
    if wording is None or not answered:
        return
    for proposal in find_meant(moment.memory, message, wording, answered):
        _react(moment, proposal, _stance_of(wording), wording)


def _stance_of(wording: Placed) -> Stance:
    return "oppose" if wording.act == "oppose" else "support"


def find_stance(placed: Sequence[Placed]) -> Placed | None:
    """The wording that says where a message stands: one of opposition before one of support."""
    first: dict[str, Placed] = {}
    for each in placed:
        first.setdefault(each.act, each)
    return first.get("oppose") or first.get("support")


def _stay_neutral(moment: FoldStep, neutral: Placed, answered: list[Proposal]) -> None:
    """Without a preference between what the last two others proposed."""
    memory = moment.memory
    for proposal in answered:
        _react(moment, proposal, "neutral", neutral)
    first = nearest_turns(memory, moment.participant)
    if not first:
        return
    other = nearest_turns(memory, moment.participant, memory.named(first[0].who))
    for proposal in standing_proposals(memory, other[0].refs) if other else ():
        if proposal not in answered:
            _react(moment, proposal, "neutral", neutral)


def _react(moment: FoldStep, proposal: Proposal, stance: Stance, wording: Placed) -> None:
    """Take a side on `proposal`."""
    if proposal.born == moment.n or not proposal.stands:
        return
    origin = replace(placed_origin(moment, wording), link="answer")
    reaction = Reaction(stance, conditional=False, counted=False, vote=False, origin=origin)
    decisions.take_side(moment, proposal, reaction)


def placed_origin(moment: FoldStep, wording: Placed, also: tuple[Cite, ...] = ()) -> Origin:
    """The origin of what a wording at its place says."""
    unit = wording.unit
    return moment.origin(
        "pattern", f"{WRITTEN}{wording.rule}", PLACED, start=unit.start, end=unit.end, also=also
    )
