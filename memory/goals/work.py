"""Goals and tasks: what was done, counted as it happens, archived when they close.

A run or step counts in the task that it belongs to and in every goal that holds
it. Details (the newest runs, failed tasks, steps, discovered facts) are kept while
their goal or task is open; closing leaves its counts, and what it taught.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from parley.bus.entries import Step, ToolReturned
from parley.memory.goals import eviction, insights, tallies
from parley.memory.state.episode_state import Episode, TaskStep, ToolPattern, ToolRun, Work
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.lookup import detail_holder, enclosing_work, open_work
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.text_sizes import count_tokens

_RUN_CHARS: Final = 300  # of a run in detail, as of a statement
_ARGUMENT_CHARS: Final = 60
_ARGUMENTS: Final = 10
_BITS: Final = 128  # of an argument that is a number; Python will not write the longest
_STEP_CHARS: Final = 300
_DISCOVERED: Final = 20  # facts of one step
_VALUE_CHARS: Final = 200


def record_run(moment: FoldStep, entry: ToolReturned) -> None:
    """Count a tool run of the goal or task that it belongs to, and keep it in detail."""
    chain = open_work(moment.memory, entry.episode, moment.participant)
    if not chain:
        return
    error = "" if entry.ok else tallies.clip_name(entry.error or "error")
    text = _run_line(entry, error)
    tool = tallies.clip_name(entry.tool)
    run = ToolRun(n=moment.n, tool=tool, ok=entry.ok, text=text, size=count_tokens(text))
    for episode in chain:
        tallies.count_run(_work(episode).tally, run, error, moment.at)
    _note_pattern(_work(chain[0]), run, error)
    keeper = detail_holder(chain)
    _work(keeper).runs.append(run)
    eviction.add_size(moment.memory, keeper, run.size)
    _trim_runs(moment.memory, keeper)
    eviction.enforce_session_limit(moment)


def record_step(moment: FoldStep, entry: Step) -> None:
    """Keep a step of the task that it belongs to, and what it discovered in the goal's context."""
    memory = moment.memory
    chain = open_work(memory, entry.episode, moment.participant)
    if not chain:
        return
    step = _step(moment, entry)
    for episode in chain:
        tallies.count_step(_work(episode).tally, step, moment.at)
    _work(chain[0]).steps.append(step)
    eviction.add_size(memory, chain[0], step.size)
    _trim_steps(moment, chain[0])
    if step.discovered:
        _tell(memory, detail_holder(chain), step)
    eviction.enforce_session_limit(moment)


def archive_work(moment: FoldStep, closing: Episode) -> None:
    """Leave of a closed episode what is worth keeping, and hold the limits.

    Insights are promoted, then details dropped. A task counts in the goal that
    holds it, which keeps failed ones; anything else goes to the archive.
    """
    memory = moment.memory
    if closing.work is not None:
        _close(moment, closing, closing.work)
    eviction.remeasure_episode(memory, closing)
    above = enclosing_work(memory, closing)
    for episode in above:
        tallies.count_task(_work(episode).tally, closing, closing.size)
    if closing.kind == "task" and above:
        if closing.status == "failed":
            _work(above[0]).failed.append(closing.ref)
            _trim_failed(memory, above[0])
        else:
            eviction.forget_episode(memory, closing.ref)
    else:
        eviction.archive_episode(memory, closing)
        eviction.enforce_archive_limit(moment)
    eviction.enforce_session_limit(moment)


def enforce_work_limits(moment: FoldStep, *, wanted: bool = False) -> None:
    """Hold every limit of this layer as the settings have it now; `wanted`: to its target."""
    memory = moment.memory
    for ref in memory.episodes.open:
        episode = memory.episodes.by_ref[ref]
        if episode.work is not None:
            _trim_runs(memory, episode)
            _trim_failed(memory, episode)
            _trim_steps(moment, episode)
            eviction.write_context(
                memory, episode, eviction.fit_context_lines(episode.work.context, memory)
            )
    eviction.clip_closed_contexts(memory)
    insights.enforce_insight_limit(memory)
    eviction.enforce_archive_limit(moment)
    eviction.enforce_session_limit(moment, wanted=wanted)


def _close(moment: FoldStep, closing: Episode, work: Work) -> None:
    """Promote what an episode taught, and drop its details."""
    memory = moment.memory
    for ref in work.failed:
        eviction.forget_episode(memory, ref)
    steps, patterns = work.steps, work.patterns
    context = eviction.fit_context_lines(work.context, memory, archived=True)
    closing.work = Work(tally=work.tally, context=context)
    for step in steps:
        insights.learn_from_step(moment, closing, step)
    insights.learn_from_runs(moment, closing, patterns)


# -- details -------------------------------------------------------------------


def _work(episode: Episode) -> Work:
    assert episode.work is not None  # noqa: S101 - goals and tasks have one (`lookup`)
    return episode.work


def _run_line(entry: ToolReturned, error: str) -> str:
    """A run on one line: the arguments, then the result or the error."""
    given = ", ".join(
        f"{clip(one_line(name), _ARGUMENT_CHARS)}={_shallow(entry.arguments[name])}"
        for name in sorted(entry.arguments)[:_ARGUMENTS]
    )
    came = clip(one_line(entry.content), _RUN_CHARS)
    if error:
        came = f"{error}: {came}" if came else error
    return clip(f"{given} → {came}" if given else came, _RUN_CHARS)


def _shallow(value: Any) -> str:
    """An argument in a few characters; of a tree that there is one."""
    if isinstance(value, dict | list):
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return "…"
    return clip(one_line(str(value)), _ARGUMENT_CHARS)


def _step(moment: FoldStep, entry: Step) -> TaskStep:
    facts = (
        (tallies.clip_name(name), clip(one_line(entry.discovered[name]), _VALUE_CHARS))
        for name in sorted(entry.discovered)[:_DISCOVERED]
    )
    step = TaskStep(
        n=moment.n, who=moment.participant, form=entry.form, ok=entry.ok,
        text=clip(one_line(entry.content), _STEP_CHARS), size=0,
        confidence=entry.confidence, discovered=tuple(facts),
    )  # fmt: skip
    return replace(step, size=eviction.step_size(step))


def _tell(memory: Memory, keeper: Episode, step: TaskStep) -> None:
    """Put what a step discovered into a context: the newest word on a name stands."""
    context = _work(keeper).context
    for name, value in step.discovered:
        if memory.settings.episodes.deduplicate:
            context = _without(context, name)
        context += f"\n{name}: {value}" if context else f"{name}: {value}"
    eviction.write_context(memory, keeper, eviction.fit_context_lines(context, memory))


def _without(context: str, name: str) -> str:
    """A context without its line on `name`."""
    lines = f"\n{context}\n"
    start = lines.find(f"\n{name}: ")
    if start < 0:
        return context
    return (lines[:start] + lines[lines.index("\n", start + 1) :])[1:-1]


def _note_pattern(work: Work, run: ToolRun, error: str) -> None:
    key = f"{run.tool}\n{error}"
    pattern = work.patterns.get(key)
    if pattern is None:
        if len(work.patterns) >= tallies.NAMES:
            return
        pattern = work.patterns[key] = ToolPattern(tool=run.tool, error=error, first=run.n)
    pattern.count += 1
    pattern.last = run.n


def _trim_runs(memory: Memory, episode: Episode) -> None:
    runs = _work(episode).runs
    surplus = max(0, len(runs) - memory.settings.limits.tool_history)
    eviction.add_size(memory, episode, -sum(run.size for run in runs[:surplus]))
    del runs[:surplus]


def _trim_failed(memory: Memory, episode: Episode) -> None:
    failed = _work(episode).failed
    while len(failed) > memory.settings.limits.failed_tasks:
        eviction.forget_episode(memory, failed.pop(0))


def _trim_steps(moment: FoldStep, episode: Episode) -> None:
    """The oldest steps go; what they taught is kept."""
    steps = _work(episode).steps
    surplus = max(0, len(steps) - moment.memory.settings.limits.steps)
    gone = steps[:surplus]
    del steps[:surplus]
    eviction.add_size(moment.memory, episode, -sum(step.size for step in gone))
    for step in gone:
        insights.learn_from_step(moment, episode, step)
