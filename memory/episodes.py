"""Stretches of a session that belong together: phases, rounds, exchanges, goals, tasks.

    open ──► completed | failed | superseded | abandoned

An episode is held by the innermost open one of a wider kind, unless its entry
names another. A phase, stage or round ends the one before it; a goal archives
its owner's previous one (`episodes.supersede`); tasks run side by side and may
wait for others. What is still open when its holder ends, ends with it.
"""

from __future__ import annotations

from typing import Final

from bus.entries import Ending, EpisodeClosed, EpisodeKind, EpisodeOpened
from memory import events, exchanges, work
from memory.moment import Moment
from memory.state import Memory
from memory.stores import Episode, Talk, Tally, Work
from memory.text import clip, one_line, topic_line

# What holds what: an episode may stand in one of a lower number.
_WIDTH: Final[dict[EpisodeKind, int]] = {
    "phase": 0, "stage": 1, "round": 2, "exchange": 3, "goal": 3, "task": 4,
}  # fmt: skip
_RESULT_CHARS: Final = 2000  # of what an episode came to; a phase's is shown in later ones
_ONE_AT_A_TIME: Final = ("phase", "stage", "round")


def begin(moment: Moment, entry: EpisodeOpened) -> None:
    """Open an episode, unless as many as `limits.open_episodes` are open already."""
    memory = moment.memory
    store = memory.episodes
    parent = _parent(memory, entry)
    for earlier in _replaced(memory, entry.episode, parent, moment.participant):
        _end(moment, earlier, _how_it_ended(memory, earlier))
    if len(store.open) >= memory.settings.limits.open_episodes:
        store.refused += 1
        moment.found("episode.refused", None, episode=entry.episode, limit="limits.open_episodes")
        return
    store.last += 1
    waits = (found(memory, ref) for ref in entry.after)
    opened = Episode(
        ref=store.last,
        kind=entry.episode,
        title=topic_line(entry.title),
        participant=moment.participant,
        opened=moment.n,
        opened_at=moment.at,
        parent=None if parent is None else parent.ref,
        after=tuple(
            sorted({one.ref for one in waits if one is not None and one.status != "completed"})
        ),
        work=Work(tally=Tally()) if entry.episode in ("goal", "task") else None,
        talk=Talk() if entry.episode == "exchange" else None,
    )
    store.held[opened.ref] = opened
    store.open.append(opened.ref)
    if opened.talk is not None:
        memory.exchanges.open = opened.ref
    moment.found(
        "episode.opened",
        opened.handle,
        episode=opened.kind,
        title=opened.title,
        participant=opened.participant,
        parent=None if parent is None else parent.handle,
        after=[f"E{ref}" for ref in opened.after],
    )
    if opened.kind in _ONE_AT_A_TIME:
        events.tell_phase(moment, opened)


def finish(moment: Moment, entry: EpisodeClosed) -> None:
    """Close the episode that `entry` names; one that is not open changes nothing."""
    memory = moment.memory
    ref, kind = entry.re, entry.episode
    closing = innermost(memory, kind) if ref is None else found(memory, ref)
    if closing is None or closing.status != "open":
        moment.found("episode.ignored", None, re=ref, episode=kind)
        return
    closing.result = clip(one_line(entry.result), _RESULT_CHARS)
    _end(moment, closing, entry.status)


def _end(moment: Moment, closing: Episode, status: Ending) -> None:
    """Close `closing`, and first what is still open in it."""
    memory = moment.memory
    for ref in reversed(memory.episodes.open):
        inner = memory.episodes.held[ref]
        if inner.parent == closing.ref and inner.status == "open":
            _end(moment, inner, "superseded" if status == "superseded" else "abandoned")
    memory.episodes.open.remove(closing.ref)
    closing.status = status
    closing.closed, closing.closed_at = moment.n, moment.at
    if status == "completed":
        for ref in memory.episodes.open:
            waiting = memory.episodes.held[ref]
            if closing.ref in waiting.after:
                waiting.after = tuple(one for one in waiting.after if one != closing.ref)
    moment.found(
        "episode.closed",
        closing.handle,
        episode=closing.kind,
        title=closing.title,
        status=status,
        participant=moment.participant,
        result=closing.result,
    )
    if closing.talk is not None:
        exchanges.close(moment, closing)
        return
    if closing.kind in _ONE_AT_A_TIME:
        events.tell_phase(moment, closing)
    work.archive(moment, closing)


def found(memory: Memory, ref: int | str) -> Episode | None:
    """The episode of a handle, or the one that entry `ref` opened; None where none is held."""
    if isinstance(ref, str):
        number = ref[1:]
        return memory.episodes.held.get(int(number)) if number.isdecimal() else None
    return next((one for one in memory.episodes.held.values() if one.opened == ref), None)


def innermost(memory: Memory, kind: EpisodeKind | None = None) -> Episode | None:
    """The open episode, of that kind, that was opened last."""
    for ref in reversed(memory.episodes.open):
        held = memory.episodes.held[ref]
        if kind is None or held.kind == kind:
            return held
    return None


def stage(memory: Memory) -> list[Episode]:
    """Where the session stands: the open phase, stage and round, the widest first."""
    held = (innermost(memory, kind) for kind in ("phase", "stage", "round"))
    return [one for one in held if one is not None]


def ready(memory: Memory) -> list[Episode]:
    """The open tasks that wait for nothing, oldest first."""
    held = (memory.episodes.held[ref] for ref in memory.episodes.open)
    return [one for one in held if one.kind == "task" and not one.after]


def _parent(memory: Memory, entry: EpisodeOpened) -> Episode | None:
    if entry.parent is not None:
        named = found(memory, entry.parent)
        if named is not None and named.status == "open":
            return named
    width = _WIDTH[entry.episode]
    for ref in reversed(memory.episodes.open):
        held = memory.episodes.held[ref]
        if _WIDTH[held.kind] < width and held.kind != "exchange":
            return held
    return None


def _replaced(
    memory: Memory, kind: EpisodeKind, parent: Episode | None, participant: str
) -> list[Episode]:
    """The open ones that an episode of `kind` takes the place of."""
    ref = None if parent is None else parent.ref
    held = [memory.episodes.held[one] for one in memory.episodes.open]
    alike = [one for one in held if one.kind == kind]
    if kind in _ONE_AT_A_TIME:
        return [one for one in alike if one.parent == ref]
    if kind == "exchange":
        return alike
    if kind == "goal" and memory.settings.episodes.supersede:
        return [one for one in alike if one.parent == ref and one.participant == participant]
    return []


def _how_it_ended(memory: Memory, earlier: Episode) -> Ending:
    if earlier.talk is not None:
        return "completed" if earlier.talk.answer_n else "abandoned"
    return "superseded" if earlier.kind == "goal" else "completed"
