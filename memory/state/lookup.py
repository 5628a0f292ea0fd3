"""Finding episodes and votes: by handle or entry, the innermost open ones, who holds what. Pure."""

from __future__ import annotations

from parley.bus.entries import Message
from parley.memory.act_targets import needed_target
from parley.memory.errors import DomainError, UnknownMessage, UnknownRef
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.state.vote_state import Vote


def missing_target(memory: Memory, message: Message) -> DomainError | None:
    """Why the act of `message` is on nothing: it needs an item and says none, or its `re` names
    no item, or no entry, that is there.

    None where nothing is missed: a message without an act may answer anything, and a client id
    is for the log to look up.
    """
    on = message.re
    if message.act is None:
        return None
    if on is None:
        return needed_target(message)
    if isinstance(on, int):
        return None if 0 < on <= memory.n else UnknownMessage(on, memory.n)
    is_item = on[:1] in ("P", "D") and on[1:].isascii() and on[1:].isdecimal()
    return UnknownRef(on) if is_item and memory.item(on) is None else None


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
