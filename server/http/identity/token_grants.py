"""What one may do in a session beside a route's right: by role, chair, seat and floor. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from parley.bus.entries import Entry, EpisodeClosed, EpisodeOpened, ItemCorrected, Message
from parley.listeners.sessions.turns import Muted
from parley.memory.extraction.structure import scribes
from parley.memory.floor.seats import is_allowed
from parley.memory.fold.corrections import may_confirm
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.lookup import find_episode, innermost_open_episode
from parley.memory.state.memory import Memory
from parley.server.http.identity.authorization import Caller
from parley.server.http.problems.problem_details import Problem
from parley.server.http.problems.problem_types import NOT_OF_THE_SESSION

# What is said to everybody, in words that are shown to them as such. All else that one may
# publish is a ballot, work, or for oneself.
TALK: Final = frozenset({"message", "message.edited", "results.final"})

_OF_OTHERS: Final = frozenset({"by", "merge"})  # what puts words into somebody's mouth
_NOT_TOLD: Final = (
    "Whose an item is, and whether two are one, is for an operator or a chair to say."
)
_NOT_RATIFIED: Final = (
    "A chair confirms items, or in a session without one anybody but who said it."
)
_NOT_OWN: Final = (
    "An agent corrects items of its own; on another's it takes a stance, with a reason."
)

_NOTED: Final = (
    "You write like a scribe, so a line that begins with another's name would be taken for their "
    "words. Leave the name out, give the line an act, or be named in structure.scribes."
)


def needs_floor(memory: Memory, caller: Caller) -> bool:
    """Whether what `caller` says goes through its seat, in its turn."""
    return caller.role == "agent" and memory.settings.floor.policy != "open"


def is_muted(memory: Memory, caller: Caller) -> bool:
    """Whether `caller` is an agent that nobody is to hear, whatever the policy."""
    if caller.role != "agent":
        return False
    seat = memory.floor.seats.get(memory.named(caller.name))
    return seat is not None and seat.muted


def check_floor(memory: Memory, caller: Caller, kind: str) -> None:
    """Refuse an agent's talk past its seat (`Problem` `floor-required`), or muted (`Muted`)."""
    if kind not in TALK:
        return
    if needs_floor(memory, caller):
        raise Problem("floor-required")
    if is_muted(memory, caller):
        raise Muted(caller.name)


def may_be_note(caller: Caller, entry: Message) -> bool:
    """Whether `check_message_authors` may refuse it:
    a look that spares most messages the memory.
    """
    return not caller.operator and entry.act is None and scribes.may_name_speaker(entry.content)


def check_message_authors(memory: Memory, caller: Caller, messages: Sequence[Message]) -> None:
    """Refuses messages that the fold would take for another's words: `Problem` `not-your-name`.

    "ann: I am for it" is Ann's where a scribe types it. In a talk that has doors Ann speaks
    for herself: only whom the settings make a scribe, or the chair, writes for others.
    """
    if not any(may_be_note(caller, message) for message in messages):
        return
    typist = memory.named(caller.name)
    if typist in memory.bots or scribes.keeps_record(memory, typist):
        return
    whose = scribes.foresee_speakers(memory, typist, [message.content for message in messages])
    if any(
        who != typist and message.act is None for who, message in zip(whose, messages, strict=True)
    ):
        raise Problem("not-your-name", needs="operator", detail=_NOTED)


def check_correction(memory: Memory, caller: Caller, by: str, entry: ItemCorrected) -> None:
    """Raises `Problem` `forbidden` where `by` may not correct this item so.

    A merge hands on what others said of one item to another, so it is held to what a
    change of names is. To confirm is for a chair, or without one for anybody but its maker: the
    fold takes it of nobody else.
    """
    if entry.op == "confirm" and not _may_confirm(memory, memory.named(by), entry.ref):
        raise Problem("forbidden", detail=_NOT_RATIFIED)
    if caller.operator or memory.named(by) in memory.chairs:
        return
    if entry.op in _OF_OTHERS:
        raise Problem("forbidden", needs="operator", detail=_NOT_TOLD)
    maker = _maker(memory, entry.ref)
    if caller.role == "agent" and maker is not None and maker != memory.named(by):
        raise Problem("forbidden", needs="operator", detail=_NOT_OWN)


def check_phase(memory: Memory, caller: Caller, by: str, entry: Entry) -> None:
    """Raises `Problem` `forbidden` where `entry` begins or ends a phase, and `by` may not.

    An end that names nothing is that of the innermost episode, which may be a phase.
    """
    if caller.operator or not _is_of_phase(memory, entry):
        return
    if not caller.may_do("phase", caller.session):
        raise Problem("forbidden", needs="phase")
    if not is_allowed(memory, by, "phase"):
        raise Problem("forbidden", needs="phase", detail=NOT_OF_THE_SESSION)


def _is_of_phase(memory: Memory, entry: Entry) -> bool:
    if isinstance(entry, EpisodeOpened):
        return entry.episode == "phase"
    if not isinstance(entry, EpisodeClosed):
        return False
    named = (
        innermost_open_episode(memory, entry.episode)
        if entry.re is None
        else find_episode(memory, entry.re)
    )
    return entry.episode == "phase" or (named is not None and named.kind == "phase")


def _may_confirm(memory: Memory, by: str, ref: str) -> bool:
    """True if `by` may confirm the item; of one that is not there, True: it is refused later."""
    if (known := memory.item(ref)) is not None:
        return may_confirm(memory, by, known)
    maker = _maker(memory, ref)
    return maker is None or (by in memory.chairs if memory.chairs else by != maker)


def _maker(memory: Memory, ref: str) -> str | None:
    """Whose item `ref` is; None of one that is not there."""
    item = ledger_of(memory).item(ref)
    return None if item is None else memory.named(item.participant)
