"""The floor as the log tells it: grants and releases, nudges, pauses, mutes.

Entries of an epoch that is not newer are void. A grant or a release moves the
epoch even where nobody gets the floor by it, because the log has moved on too.
"""

from __future__ import annotations

from parley.bus.entries import (
    BallotCompleted,
    EntrySetAside,
    EpisodeOpened,
    FloorGranted,
    FloorMuted,
    FloorNudged,
    FloorPaused,
    FloorReleased,
    FloorResumed,
)
from parley.memory.floor.seats import SEAT_FIELDS, is_allowed, speaking_order, withdraw_bid
from parley.memory.floor.turns import ITEM_CHANGES, reset_bids
from parley.memory.state.floor_state import Floor, FloorPass
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip


def grant_floor(moment: FoldStep, entry: FloorGranted) -> None:
    """A new epoch; its holder is who was granted it, where that was anybody's to grant."""
    memory, name = moment.memory, moment.participant
    floor = memory.floor
    if entry.epoch <= floor.epoch:
        return
    _begin(floor, entry.epoch)
    if not is_allowed(memory, entry.by, "grant"):
        moment.record_fact("floor.refused", None, by=entry.by, what="grant")
        return
    seat = floor.seats.get(name)
    if entry.by is None:
        _serve(memory, name)
    if seat is None or not seat.present or seat.muted or seat.role == "observer" or floor.paused:
        moment.record_fact("floor.refused", None, by=name, what="floor")
        return
    floor.holder, floor.lease_ms = name, max(1, entry.lease_ms)
    seat.invited = True
    floor.intent = floor.bids.pop(name, None)
    moment.record_fact(
        "floor.granted",
        None,
        participant=name,
        epoch=entry.epoch,
        reason=clip(entry.reason, SEAT_FIELDS),
        score=entry.score,
    )


def void_grant(memory: Memory, entry: EntrySetAside) -> None:
    """The entry that began an epoch is set aside: the epoch stands, and nobody holds the floor."""
    if entry.epoch > memory.floor.epoch:
        _begin(memory.floor, entry.epoch)


def _begin(floor: Floor, epoch: int) -> None:
    floor.epoch, floor.holder, floor.lease_ms, floor.intent = epoch, "", 0, None


def _serve(memory: Memory, name: str) -> None:
    floor, order = memory.floor, speaking_order(memory)
    floor.served = name
    if name in order[floor.place :]:
        floor.place = order.index(name, floor.place) + 1


def release_floor(moment: FoldStep, entry: FloorReleased) -> None:
    """A new epoch, with a free floor. Who held it and had nothing to say has passed."""
    memory, name = moment.memory, moment.participant
    floor = memory.floor
    if entry.epoch <= floor.epoch:
        return
    holder = floor.holder
    _begin(floor, entry.epoch)
    if not (entry.by is not None and memory.named(entry.by) == holder) and not is_allowed(
        memory, entry.by, "interrupt"
    ):
        moment.record_fact("floor.refused", None, by=entry.by, what="interrupt")
        return
    if holder != name:
        return
    if entry.reason in ("silent", "failed", "expired", "budget"):
        yield_floor(memory, name, moment.n, failed=entry.reason == "failed")
    moment.record_fact("floor.released", None, participant=name, reason=entry.reason)


def yield_floor(
    memory: Memory, name: str, heard: int, *, ready: bool = False, failed: bool = False
) -> None:
    """`name` has nothing to say for now; each time in a row it stays away for longer."""
    floor = memory.floor
    before = floor.passes.get(name)
    floor.bids.pop(name, None)
    if (seat := floor.seats.get(name)) is not None:
        seat.addressed = 0
    floor.passes[name] = FloorPass(
        heard=heard,
        turn=floor.turns,
        messages=memory.messages,
        streak=1 if before is None else before.streak + 1,
        ready=ready,
        failed=failed,
    )


# -- told to everyone ----------------------------------------------------------


def record_nudge(moment: FoldStep, entry: FloorNudged) -> None:
    """Somebody is asked to speak, and owes an answer; or all are told where the talk stands."""
    floor, name = moment.memory.floor, moment.participant
    here = max(1, moment.n)
    if entry.warning == "quiet":
        floor.nudged = here
    elif entry.warning == "hops":
        floor.hinted = True
    elif entry.warning == "circling" and isinstance(entry.re, str):
        floor.circles = [ref for ref in floor.circles if f"P{ref}" != entry.re]
    if (seat := floor.seats.get(name)) is not None:
        seat.addressed, seat.cooled, seat.invited = here, 0, True
        floor.passes.pop(name, None)
    moment.record_fact(
        "floor.nudged",
        None,
        participant=name,
        warning=entry.warning,
        re=entry.re,
        earlier=entry.earlier,
        text=clip(entry.content, SEAT_FIELDS),
    )


def pause_floor(moment: FoldStep, entry: FloorPaused) -> None:
    """No grants from here on; a moderator's pause outranks that of the hops."""
    floor = moment.memory.floor
    if not is_allowed(moment.memory, entry.by, "pause"):
        moment.record_fact("floor.refused", None, by=entry.by, what="pause")
        return
    reason = clip(entry.reason, SEAT_FIELDS) or "moderator"
    if reason == "hops" and entry.by is not None:
        reason = "moderator"  # a person's word does not end by itself
    if not floor.paused or reason != "hops":
        floor.paused = reason
    moment.record_fact("floor.paused", None, reason=reason, by=entry.by)


def resume_floor(moment: FoldStep, entry: FloorResumed) -> None:
    """Grants again, and the hops begin anew: somebody has looked. Who failed is asked anew."""
    floor = moment.memory.floor
    if not is_allowed(moment.memory, entry.by, "pause"):
        moment.record_fact("floor.refused", None, by=entry.by, what="pause")
        return
    floor.paused, floor.hops, floor.hinted = "", 0, False
    floor.passes = {
        name: floor_pass for name, floor_pass in floor.passes.items() if not floor_pass.failed
    }
    moment.record_fact("floor.resumed", None, by=entry.by)


def mute_seat(moment: FoldStep, entry: FloorMuted) -> None:
    """A seat is not given the floor, or is again. What it holds it keeps until it is taken."""
    floor, name = moment.memory.floor, moment.participant
    seat = floor.seats.get(name)
    if seat is None or not is_allowed(moment.memory, entry.by, "mute"):
        moment.record_fact("floor.refused", None, by=entry.by, what="mute")
        return
    seat.muted = entry.muted
    if entry.muted:
        withdraw_bid(floor, name)
    moment.record_fact("floor.muted", None, participant=name, muted=entry.muted, by=entry.by)


def begin_phase(moment: FoldStep, entry: EpisodeOpened) -> None:
    """A phase begins: everyone is to think anew."""
    begun = any(
        fact.kind == "episode.opened" and fact.data["episode"] == "phase" for fact in moment.facts
    )
    if begun and moment.memory.has_floor:
        reset_bids(moment.memory.floor, moment.n)


def note_vote_end(moment: FoldStep, entry: BallotCompleted) -> None:
    """A vote has ended: everyone is to think anew. The one nudge of a silence stays spent."""
    floor = moment.memory.floor
    refused = entry.vote is not None and all(fact.kind != "vote.closed" for fact in moment.facts)
    if refused or not moment.memory.has_floor:
        return
    reset_bids(floor, moment.n)
    if any(fact.kind in ITEM_CHANGES for fact in moment.facts):
        floor.moved = floor.turns
