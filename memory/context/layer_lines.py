"""Episodes, exchanges, tools, notes and lessons as lines of a context.

Everything from the log is made visible and stays on its line, or is fenced.
"""

from __future__ import annotations

from typing import Final

from parley.memory.context.item_lines import quoted_line, visible_line
from parley.memory.exchanges.tool_cache import remaining_exchanges
from parley.memory.goals.tallies import tally_line
from parley.memory.state.episode_state import Episode, WorkTally
from parley.memory.state.exchange_state import CachedResult, Injection
from parley.memory.state.insight_state import Insight, Lesson
from parley.memory.state.memory import Memory
from parley.memory.text.fences import fence_lines
from parley.memory.text.plain_text import ELLIPSIS, clip

_STEPS: Final = 5  # newest steps told of a task in hand
_RUNS: Final = 5  # newest tool runs
_NAMES: Final = 5  # tools, errors, themes counted by name
_TALLY_CHARS: Final = 800  # of which nothing is cut unless names are very long
_VALUE_CHARS: Final = 4000


def stage_line(episode: Episode) -> str:
    return f"- {episode.handle} {episode.kind}: {quoted_line(episode.title, 100)}"


def closed_episode_lines(episode: Episode, prose: str, *, short: bool = False) -> str:
    """A closed episode: how it ended, what it came to, its tally, what was found out."""
    title = quoted_line(episode.title, 100)
    head = f"- {episode.handle} {episode.kind} {title} ({episode.status})"
    if short:
        return head
    work = episode.work
    if work is not None and (counts := _tally(work.tally)):
        head += f": {counts}"
    texts = (prose or episode.result, "" if work is None else work.context)
    return "\n".join([head, *(fence_lines(text) for text in texts if text)])


def _tally(tally: WorkTally) -> str:
    """Counts, in quotation marks where names of tools, errors or tasks stand among them."""
    named = tally.runs or tally.errors or tally.tasks
    text = tally_line(tally, _NAMES)
    return quoted_line(text, _TALLY_CHARS) if named else visible_line(text, _TALLY_CHARS)


def open_work_lines(episode: Episode, *, short: bool = False) -> str:
    """An open goal or task: what it waits for, what was done and found out, the newest of it."""
    waits = ", ".join(f"E{ref}" for ref in episode.after)
    within = "" if episode.parent is None else f" in E{episode.parent}"
    who = visible_line(episode.participant, 40)
    head = f"- {episode.handle} {episode.kind}{within} of {who}: {quoted_line(episode.title, 100)}"
    head += f" (waits for {waits})" if waits else ""
    work = episode.work
    if work is None or short:
        return head
    rows = [head]
    if counts := _tally(work.tally):
        rows.append(f"  {counts}")
    if work.context:
        rows.append(fence_lines(work.context))
    rows += [
        f"| {visible_line(run.tool, 40)}: {visible_line(run.text)}" for run in work.runs[-_RUNS:]
    ]
    rows += [
        f"| {visible_line(step.who, 40)}, {step.form}{'' if step.ok else ', failed'}: "
        f"{visible_line(step.text)}"
        for step in work.steps[-_STEPS:]
    ]
    return "\n".join(rows)


def insight_line(insight: Insight) -> str:
    times = f", {insight.count} times" if insight.count > 1 else ""
    return f"- {insight.handle} {insight.kind}{times}: {quoted_line(insight.text)}"


def lesson_line(lesson: Lesson) -> str:
    """A lesson with where it comes from."""
    whence = f"{visible_line(lesson.session, 64)} {visible_line(lesson.ref, 12)}"
    topic = f" {quoted_line(lesson.topic, 100)}" if lesson.topic else ""
    standing = f" ({quoted_line(lesson.standing, 40)})" if lesson.standing else ""
    return f"- from {whence}{topic}: {quoted_line(lesson.text)}{standing}"


def note_lines(text: str, cause: int, chars: int) -> str:
    """A notebook as its owner left it, up to that many characters."""
    head = f"Up to n {cause}:\n" if cause else ""
    return head + fence_lines(clip(text, chars))


def running_lines(text: str) -> str:
    return fence_lines(text)


def exchange_lines(episode: Episode, answer: str) -> str:
    """A closed exchange: who asked what, and the answer."""
    talk = episode.talk
    if talk is None:
        return f"- {episode.handle}"
    asked = (
        f"- {episode.handle} {visible_line(talk.asker, 40)} asked:\n{fence_lines(talk.question)}"
    )
    if not talk.answer_n:
        return f"{asked}\n- nobody answered"
    return f"{asked}\n- {visible_line(talk.answerer, 40)} answered:\n{fence_lines(answer)}"


def injection_lines(key: str, injection: Injection) -> str:
    return f"- {quoted_line(key, 60)} (n {injection.n}):\n{fence_lines(injection.text)}"


def cached_lines(memory: Memory, cached: CachedResult, value: str) -> str:
    """A tool result that may be served again, who gave it, and for how long."""
    call = quoted_line(f"{cached.tool}({cached.arguments or ELLIPSIS})", 260)
    remaining = remaining_exchanges(memory, cached)
    who = visible_line(cached.participant, 40)
    head = f"- {call} by {who}, n {cached.n}, {remaining}/{cached.ttl} exchanges remaining:"
    return f"{head}\n{fence_lines(clip(value, _VALUE_CHARS))}"
