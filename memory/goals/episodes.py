"""Stretches of a session that belong together: phases, rounds, exchanges, goals, tasks.

    open ──► completed | failed | superseded | abandoned

An episode is held by the innermost open one of a wider kind, unless its entry
names another. A phase, stage or round ends the one before it; a goal archives
its owner's previous one (`episodes.supersede`); tasks run side by side and may
wait for others. What is still open when its holder ends, ends with it.
"""

from __future__ import annotations

from typing import Final

from parley.bus.entries import Ending, EpisodeClosed, EpisodeKind, EpisodeOpened
from parley.memory.exchanges import exchanges
from parley.memory.floor.seats import is_allowed
from parley.memory.goals import work
from parley.memory.goals.tallies import tally_row
from parley.memory.notebooks import history_events
from parley.memory.state.episode_state import Episode, Exchange, Work, WorkTally
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.lookup import find_episode, innermost_open_episode
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.sentences import topic_line

# What holds what: an episode may stand in one of a lower number.
_WIDTH: Final[dict[EpisodeKind, int]] = {
    "phase": 0, "stage": 1, "round": 2, "exchange": 3, "goal": 3, "task": 4,
}  # fmt: skip
_RESULT_CHARS: Final = 2000  # of what an episode came to; a phase's is shown in later ones
_ONE_AT_A_TIME: Final = ("phase", "stage", "round")


def open_episode(moment: FoldStep, entry: EpisodeOpened) -> None:
    """Open an episode, unless as many as `limits.open_episodes` are open already."""
    memory = moment.memory
    store = memory.episodes
    parent = _parent(memory, entry)
    for earlier in _replaced(memory, entry.episode, parent, moment.participant):
        if earlier.status == "open":  # it may have ended with another
            _end(moment, earlier, _how_it_ended(memory, earlier))
    if parent is not None and parent.status != "open":
        parent = _holder(memory, entry.episode)
    if len(store.open) >= memory.settings.limits.open_episodes:
        store.refused += 1
        moment.record_fact(
            "episode.refused", None, episode=entry.episode, limit="limits.open_episodes"
        )
        return
    opened = _enter(moment, entry, parent)
    moment.record_fact(
        "episode.opened",
        opened.handle,
        episode=opened.kind,
        title=opened.title,
        participant=opened.participant,
        parent=None if parent is None else parent.handle,
        after=[f"E{ref}" for ref in opened.after],
    )
    if opened.kind in _ONE_AT_A_TIME:
        history_events.record_phase(moment, opened)


def _enter(moment: FoldStep, entry: EpisodeOpened, parent: Episode | None) -> Episode:
    memory, store = moment.memory, moment.memory.episodes
    store.last += 1
    waits = (find_episode(memory, ref) for ref in entry.after)
    opened = Episode(
        ref=store.last,
        kind=entry.episode,
        title=topic_line(entry.title),
        participant=moment.participant,
        opened=moment.n,
        opened_at=moment.at,
        parent=None if parent is None else parent.ref,
        after=tuple(
            sorted(
                {
                    episode.ref
                    for episode in waits
                    if episode is not None and episode.status != "completed"
                }
            )
        ),
        work=Work(tally=WorkTally()) if entry.episode in ("goal", "task") else None,
        talk=Exchange() if entry.episode == "exchange" else None,
    )
    store.by_ref[opened.ref] = opened
    store.open.append(opened.ref)
    if opened.talk is not None:
        memory.exchanges.open = opened.ref
        memory.regard_layers()
    return opened


def close_episode(moment: FoldStep, entry: EpisodeClosed) -> None:
    """Close the episode that `entry` names; one that is not open changes nothing.

    Nor does an agent that closes a person's goal, unless it moderates.
    """
    memory = moment.memory
    ref, kind = entry.re, entry.episode
    closing = innermost_open_episode(memory, kind) if ref is None else find_episode(memory, ref)
    if closing is None or closing.status != "open" or not _may_close(moment, closing):
        moment.record_fact("episode.ignored", None, re=ref, episode=kind)
        return
    closing.result = clip(one_line(entry.result), _RESULT_CHARS)
    _end(moment, closing, entry.status)


def _may_close(moment: FoldStep, closing: Episode) -> bool:
    memory, who = moment.memory, moment.participant
    owner = memory.named(closing.participant)
    if closing.kind != "goal" or owner == who or not _is_agent(memory, who):
        return True
    return _is_agent(memory, owner) or is_allowed(memory, who, "moderate")


def _is_agent(memory: Memory, name: str) -> bool:
    seat = memory.floor.seats.get(name)
    return seat is not None and seat.role == "agent"


def _end(moment: FoldStep, closing: Episode, status: Ending) -> None:
    """Close `closing`, and first, the innermost first, what is still open in it."""
    episodes = moment.memory.episodes.by_ref
    inside = {closing.ref}
    for ref in moment.memory.episodes.open:  # what holds an episode was opened before it
        if episodes[ref].parent in inside:
            inside.add(ref)
    with_it: Ending = "superseded" if status == "superseded" else "abandoned"
    for ref in sorted(inside - {closing.ref}, reverse=True):
        _end_episode(moment, episodes[ref], with_it)
    _end_episode(moment, closing, status)


def _end_episode(moment: FoldStep, closing: Episode, status: Ending) -> None:
    memory = moment.memory
    memory.episodes.open.remove(closing.ref)
    closing.status = status
    closing.closed, closing.closed_at = moment.n, moment.at
    if status == "completed":
        _release(memory, closing.ref)
    data: dict[str, object] = (
        {} if closing.work is None else {"tally": tally_row(closing.work.tally)}
    )
    moment.record_fact(
        "episode.closed",
        closing.handle,
        episode=closing.kind,
        title=closing.title,
        status=status,
        participant=moment.participant,
        result=closing.result,
        **data,
    )
    if closing.talk is not None:
        exchanges.close_exchange(moment, closing)
        return
    if closing.kind in _ONE_AT_A_TIME:
        history_events.record_phase(moment, closing)
    work.archive_work(moment, closing)


def _release(memory: Memory, completed: int) -> None:
    """Let what waits for a completed episode wait for it no longer."""
    for ref in memory.episodes.open:
        waiting = memory.episodes.by_ref[ref]
        if completed in waiting.after:
            waiting.after = tuple(ref for ref in waiting.after if ref != completed)


def _parent(memory: Memory, entry: EpisodeOpened) -> Episode | None:
    if entry.parent is not None:
        named = find_episode(memory, entry.parent)
        if named is not None and named.status == "open":
            return named
    return _holder(memory, entry.episode)


def _holder(memory: Memory, kind: EpisodeKind) -> Episode | None:
    """The innermost open episode that is wide enough to hold one of `kind`."""
    width = _WIDTH[kind]
    for ref in reversed(memory.episodes.open):
        episode = memory.episodes.by_ref[ref]
        if _WIDTH[episode.kind] < width and episode.kind != "exchange":
            return episode
    return None


def _replaced(
    memory: Memory, kind: EpisodeKind, parent: Episode | None, participant: str
) -> list[Episode]:
    """The open ones that an episode of `kind` takes the place of."""
    ref = None if parent is None else parent.ref
    episodes = [memory.episodes.by_ref[ref] for ref in memory.episodes.open]
    alike = [episode for episode in episodes if episode.kind == kind]
    if kind in _ONE_AT_A_TIME:
        return [episode for episode in alike if episode.parent == ref]
    if kind == "exchange":
        return alike
    if kind == "goal" and memory.settings.episodes.supersede:
        return [
            episode
            for episode in alike
            if episode.parent == ref and memory.named(episode.participant) == participant
        ]
    return []


def _how_it_ended(memory: Memory, earlier: Episode) -> Ending:
    if earlier.talk is not None:
        return "completed" if earlier.talk.answer_n else "abandoned"
    return "superseded" if earlier.kind == "goal" else "completed"
