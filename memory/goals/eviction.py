"""The ladder: how `limits.session` holds after every entry, whatever it is.

    clip      long details shortened
    tally     tool runs told by their counts alone, the oldest first
    summary   failed tasks, steps and contexts likewise; what steps taught is promoted
    archive   closed episodes shortened to title, status and counts
    evict     closed episodes and insights let go, the lightest first
    refuse    nothing is left to let go of: contexts are not kept

What is counted: detailed runs, steps and contexts of open goals and tasks, rows
of closed episodes, insights. Each is measured when it is kept, the total is
maintained. A rung is climbed only while the total is over `target`, nine tenths
of the cap at most, so the next time is as far off as that lies below the cap.
Counts (`Tally`) are never let go while their goal is open: they have a size of
their own that does not grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from parley.memory.exchanges import short_forms
from parley.memory.goals import insights, tallies
from parley.memory.state.episode_state import Episode, TaskStep, ToolRun
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.insight_state import Insight
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip
from parley.memory.text.text_sizes import count_tokens

NAME: Final = "limits.session"
_ROOM: Final = 9  # tenths of the cap: climbing goes at least this low, so that it is seldom
_SHORT: Final = 80  # characters that the rung "clip" leaves of a run or step
_LEFT: Final = 100  # characters that "archive" leaves of a closed episode's result
# A lesson of a phase outlives that of a task; insights weigh 65 to 250 (`insights.weight`).
_WEIGHTS: Final[dict[str, int]] = {
    "phase": 500, "stage": 400, "goal": 300, "round": 200, "task": 100, "exchange": 0,
}  # fmt: skip


def session_size(memory: Memory) -> int:
    """Tokens that `limits.session` counts, as maintained."""
    return memory.episodes.size + memory.insights.size


def enforce_session_limit(moment: FoldStep, *, wanted: bool = False) -> None:
    """Restore `limits.session`, and tell when its warning line or its cap was crossed.

    `wanted`: go down to the target in any case.
    """
    memory = moment.memory
    limit = memory.settings.limits.session
    before = session_size(memory)
    target = min(limit.target, limit.cap * _ROOM // 10)
    _warn(moment, before, min(limit.warn, limit.cap), target)
    if before <= (target if wanted else limit.cap):
        return
    rung = _climb(moment, target)
    moment.record_fact("limit.held", None, limit=NAME, rung=rung, size=before, cap=limit.cap)
    _warn(moment, session_size(memory), min(limit.warn, limit.cap), target)


def _climb(moment: FoldStep, target: int) -> str:
    """Go up the ladder until `target` is met; the rung that was needed."""
    for rung, let_down in _RUNGS:
        let_down(moment, target)
        if session_size(moment.memory) <= target:
            return rung
    return _RUNGS[-1][0]


def enforce_archive_limit(moment: FoldStep) -> None:
    """Restore `limits.archive`: the lightest closed episodes go, the oldest of equals."""
    store, limit = moment.memory.episodes, moment.memory.settings.limits.archive
    while store.archived and (len(store.archived) > limit.items or store.archive_size > limit.cap):
        _evict_episode(moment.memory, min((store.by_ref[ref] for ref in store.archived), key=_rank))


def add_size(memory: Memory, episode: Episode, by: int) -> None:
    """Count `by` more tokens (less, where negative) for `episode`."""
    episode.size += by
    memory.episodes.size += by


def clip_closed_contexts(memory: Memory) -> None:
    """Cut the contexts of closed goals and tasks to `limits.archived_text` as it is now."""
    store = memory.episodes
    for ref, episode in store.by_ref.items():
        if episode.status == "open" or episode.work is None:
            continue
        kept = fit_context_lines(episode.work.context, memory, archived=True)
        if kept != episode.work.context:
            episode.work.context = kept
            by = remeasure_episode(memory, episode)
            store.archive_size += by if ref in store.archived else 0


def forget_episode(memory: Memory, ref: int) -> None:
    """Forget a closed episode; its entries are in the log."""
    store = memory.episodes
    gone = store.by_ref.pop(ref, None)
    if gone is not None:
        store.size -= gone.size
        short_forms.drop_short_form(memory, "episode", gone.opened)


def archive_episode(memory: Memory, episode: Episode) -> None:
    """Keep a closed episode among the archived."""
    store = memory.episodes
    store.archived.append(episode.ref)
    store.archive_size += episode.size


def _evict_episode(memory: Memory, episode: Episode) -> None:
    """Let go of an archived episode."""
    store = memory.episodes
    store.archived.remove(episode.ref)
    store.archive_size -= episode.size
    store.evicted += 1
    forget_episode(memory, episode.ref)


def episode_line(episode: Episode) -> str:
    """A closed episode on one line, all that is held of it: what it is measured by."""
    parts = [f"{episode.handle} {episode.kind} {episode.title}: {episode.status}", episode.result]
    if episode.work is not None:
        parts += [tallies.tally_line(episode.work.tally), episode.work.context.replace("\n", "; ")]
    return " | ".join(part for part in parts if part)


def _episode_weight(episode: Episode) -> int:
    """What a closed episode counts for when some must go: by kind."""
    return _WEIGHTS[episode.kind]


def _rank(episode: Episode) -> tuple[int, int]:
    return (_episode_weight(episode), episode.ref)


def step_size(step: TaskStep) -> int:
    """Tokens of a step: its text and what it discovered."""
    return count_tokens(step.text) + sum(
        count_tokens(f"{name}: {value}") for name, value in step.discovered
    )


def _warn(moment: FoldStep, now: int, warn: int, target: int) -> None:
    """Tell a crossing of the warning line once, until the size was below the target again."""
    warned = moment.memory.episodes.warned
    if NAME in warned:
        if now < warn and now <= target:
            warned.remove(NAME)
    elif now and now >= warn:
        warned.append(NAME)
        warned.sort()
        cap = moment.memory.settings.limits.session.cap
        moment.record_fact("limit.warned", None, limit=NAME, size=now, cap=cap)


# -- rungs: each goes down as far as `target` asks, and no further ---------------


def _working(memory: Memory) -> list[Episode]:
    episodes = (memory.episodes.by_ref[ref] for ref in memory.episodes.open)
    return [episode for episode in episodes if episode.work is not None]


def _clip(moment: FoldStep, target: int) -> None:
    memory = moment.memory
    for episode in _working(memory):
        assert episode.work is not None  # noqa: S101 - `_working`
        for place, run in enumerate(episode.work.runs):
            if session_size(memory) <= target:
                return
            if len(run.text) > _SHORT:
                shorter = clip(run.text, _SHORT)
                kept = ToolRun(
                    n=run.n, tool=run.tool, ok=run.ok, text=shorter, size=count_tokens(shorter)
                )
                episode.work.runs[place] = kept
                add_size(memory, episode, kept.size - run.size)


def _tally(moment: FoldStep, target: int) -> None:
    memory = moment.memory
    for episode in _working(memory):
        assert episode.work is not None  # noqa: S101 - `_working`
        gone = 0
        while gone < len(episode.work.runs) and session_size(memory) > target:
            add_size(memory, episode, -episode.work.runs[gone].size)
            gone += 1
        del episode.work.runs[:gone]


def _summary(moment: FoldStep, target: int) -> None:
    memory = moment.memory
    for episode in _working(memory):
        assert episode.work is not None  # noqa: S101 - `_working`
        while episode.work.failed and session_size(memory) > target:
            forget_episode(memory, episode.work.failed.pop(0))
        gone = 0
        while gone < len(episode.work.steps) and session_size(memory) > target:
            add_size(memory, episode, -episode.work.steps[gone].size)
            gone += 1
        taught = episode.work.steps[:gone]
        del episode.work.steps[:gone]
        for step in taught:
            insights.learn_from_step(moment, episode, step)
        if session_size(memory) > target:
            write_context(
                memory, episode, fit_context_lines(episode.work.context, memory, archived=True)
            )


def _archive(moment: FoldStep, target: int) -> None:
    memory = moment.memory
    store = memory.episodes
    for ref in store.archived:
        if session_size(memory) <= target:
            return
        episode = store.by_ref[ref]
        episode.result = clip(episode.result, _LEFT)
        if episode.work is not None:
            episode.work.context = ""
        store.archive_size += remeasure_episode(memory, episode)


def _evict(moment: FoldStep, target: int) -> None:
    memory = moment.memory
    ranked: list[tuple[int, int, Episode | Insight]] = [
        *((_episode_weight(episode), episode.ref, episode) for episode in _archived(memory)),
        *(
            (insights.insight_weight(insight), insight.ref, insight)
            for insight in memory.insights.by_ref.values()
        ),
    ]
    for _, _, insight in sorted(ranked, key=lambda row: (row[0], row[1], type(row[2]) is Insight)):
        if session_size(memory) <= target:
            return
        if isinstance(insight, Insight):
            insights.evict_insight(memory, insight)
        else:
            _evict_episode(memory, insight)


def _refuse(moment: FoldStep, target: int) -> None:
    for episode in _working(moment.memory):
        if session_size(moment.memory) > target:
            write_context(moment.memory, episode, "")


def _archived(memory: Memory) -> list[Episode]:
    return [memory.episodes.by_ref[ref] for ref in memory.episodes.archived]


def remeasure_episode(memory: Memory, episode: Episode) -> int:
    """Measure a closed episode anew; the difference, in tokens."""
    by = count_tokens(episode_line(episode)) - episode.size
    add_size(memory, episode, by)
    return by


def write_context(memory: Memory, episode: Episode, text: str) -> None:
    """Replace what an open goal or task is about."""
    work = episode.work
    if work is not None and work.context != text:
        add_size(memory, episode, count_tokens(text) - count_tokens(work.context))
        work.context = text


def fit_context_lines(context: str, memory: Memory, *, archived: bool = False) -> str:
    """The newest lines of a context that its limit has room for, whole ones where one fits."""
    limits = memory.settings.limits
    limit = limits.archived_text if archived else limits.context_text
    if len(context) <= limit:
        return context
    cut = context.find("\n", len(context) - limit - 1)
    if cut >= 0:
        return context[cut + 1 :]
    return clip(context[context.rfind("\n") + 1 :], limit)


_RUNGS: Final[tuple[tuple[str, Callable[[FoldStep, int], None]], ...]] = (
    ("clip", _clip),
    ("tally", _tally),
    ("summary", _summary),
    ("archive", _archive),
    ("evict", _evict),
    ("refuse", _refuse),
)
