"""Finding episodes and votes: by handle or entry, the innermost open ones, who holds what. Pure."""

from __future__ import annotations

from typing import Any

from parley.bus.entries import Message, Record
from parley.memory.act_targets import find_handles, needed_target
from parley.memory.errors import AlreadyDecided, DomainError, ItemLeft, UnknownMessage, UnknownRef
from parley.memory.state.episode_state import Episode
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote


def target_refusal(memory: Memory, message: Message) -> DomainError | None:
    """Why the act of `message` is not to be said: it needs an item and says none, what its `re`
    names is not there, or it would replace alone what others ratified.

    None where nothing is in the way: a message without an act may answer anything, and a client
    id is for the log to look up.
    """
    on = message.re
    if message.act is None:
        return None
    if isinstance(on, int) and not 0 < on <= memory.n:
        return UnknownMessage(on, memory.n)
    if isinstance(on, str) and _is_item(on) and memory.item(on) is None:
        return missing_item(memory, on)
    return needed_target(message) or _replaced_alone(memory, message)


def missing_item(memory: Memory, ref: str) -> UnknownRef:
    """The error to raise for `ref`, which names no item that memory holds."""
    return ItemLeft(ref) if memory.has_left(ref) else UnknownRef(ref)


def chair_meant(memory: Memory, name: str) -> str:
    """The chair whose name `name` is but for case and blanks; "" if that is nobody else's."""
    if memory.named(name) in memory.chairs:
        return ""
    bare = _bare(name)
    return next((chair for chair in sorted(memory.chairs) if _bare(chair) == bare), "")


def _bare(name: str) -> str:
    return "".join(name.split()).casefold()


def is_standing_talk(memory: Memory, record: Record) -> bool:
    """True for something said as it stands now: a message that was not edited, else its newest
    words, unless it was taken back.
    """
    entry: Any = record.entry
    if not record.is_talk:
        return False
    edited = memory.edited.get(record.n if entry.kind == "message" else entry.of)
    if entry.kind == "message":
        return edited is None or memory.named(edited.by) != memory.named(entry.participant)
    return bool(entry.content) and edited is not None and edited.n == record.n


def _is_item(ref: str) -> bool:
    return ref[:1] in ("P", "D") and ref[1:].isascii() and ref[1:].isdecimal()


def _replaced_alone(memory: Memory, message: Message) -> AlreadyDecided | None:
    """A decision on a proposal that is decided binds at once: that is a chair's to say."""
    if message.act != "decide" or memory.named(message.participant) in memory.chairs:
        return None
    on = message.re
    named = [memory.item(handle) for handle in find_handles(message.content)]
    if on is not None:
        target = memory.known(on) if isinstance(on, int) else memory.item(on)
        named = [target] if isinstance(target, Proposal) else named
    for item in named:
        if not isinstance(item, Proposal):
            continue
        decision = memory.decision(memory.resolving.get(item.ref, 0))
        if decision is not None and decision.ratified is not None:
            return AlreadyDecided(item.handle, decision.handle)
    return None


def find_episode(memory: Memory, ref: int | str) -> Episode | None:
    """The episode of a handle, or the one that entry `ref` opened; None where none is held."""
    if isinstance(ref, str):
        number = ref[1:]
        whole = number.isascii() and number.isdecimal() and len(number) < 10
        return memory.episodes.by_ref.get(int(number)) if whole and ref[0] in "Ee" else None
    return next(
        (episode for episode in memory.episodes.by_ref.values() if episode.opened == ref), None
    )


def find_vote(memory: Memory, ref: int | str) -> Vote | None:
    """The vote of a handle, or the one that entry `ref` initiated; None where none is held."""
    if isinstance(ref, int):
        return next((vote for vote in memory.votes.by_ref.values() if vote.n == ref), None)
    number = ref[1:]
    whole = number.isascii() and number.isdecimal() and len(number) < 10
    return memory.votes.by_ref.get(int(number)) if whole and ref[0] in "Vv" else None


def find_running_vote(memory: Memory, ref: int | str | None, status: str) -> Vote | None:
    """The vote of that status which `ref` names; the newest of them where it is None."""
    if ref is not None:
        vote = find_vote(memory, ref)
        return vote if vote is not None and vote.status == status else None
    running = [memory.votes.by_ref[ref] for ref in reversed(memory.votes.running)]
    return next((vote for vote in running if vote.status == status), None)


def innermost_open_episode(
    memory: Memory, kind: str | None = None, participant: str | None = None
) -> Episode | None:
    """The open episode, of that kind and of that participant, that was opened last."""
    name = None if participant is None else memory.named(participant)
    for ref in reversed(memory.episodes.open):
        episode = memory.episodes.by_ref[ref]
        if kind in (None, episode.kind) and name in (None, memory.named(episode.participant)):
            return episode
    return None


def current_stages(memory: Memory) -> list[Episode]:
    """Where the session stands: the open phase, stage and round, the widest first."""
    stages = (innermost_open_episode(memory, kind) for kind in ("phase", "stage", "round"))
    return [episode for episode in stages if episode is not None]


def open_work(memory: Memory, named: int | str | None, participant: str) -> list[Episode]:
    """The open goal or task that a piece of work belongs to, then what holds that, outwards.

    The one that is `named`, else the newest of `participant`, else of anyone; of
    either, a task that waits for others only where that is all there is. Empty
    where there is none, and where the one that is named is not open.
    """
    if not memory.episodes.open:
        return []
    inner = _newest(memory, participant) if named is None else find_episode(memory, named)
    if inner is None or inner.work is None or inner.status != "open":
        return []
    return [inner, *enclosing_work(memory, inner)]


def enclosing_work(memory: Memory, episode: Episode) -> list[Episode]:
    """The open goals and tasks that `episode` stands in, the innermost first."""
    chain: list[Episode] = []
    above = episode.parent
    while above is not None and (holder := memory.episodes.by_ref.get(above)) is not None:
        if holder.work is not None and holder.status == "open":
            chain.append(holder)
        above = holder.parent
    return chain


def detail_holder(chain: list[Episode]) -> Episode:
    """Where the detail of a piece of work is kept: the innermost goal, else the task itself."""
    return next((episode for episode in chain if episode.kind == "goal"), chain[0])


def _newest(memory: Memory, participant: str) -> Episode | None:
    newest: dict[tuple[bool, bool], Episode] = {}  # by whether it is another's, and waits
    for ref in reversed(memory.episodes.open):
        episode = memory.episodes.by_ref[ref]
        if episode.work is None:
            continue
        others = memory.named(episode.participant) != participant
        waits = episode.kind == "task" and bool(episode.after)
        if not others and not waits:
            return episode
        newest.setdefault((others, waits), episode)
    return newest[min(newest)] if newest else None
