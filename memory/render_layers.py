"""Episodes, exchanges, tools, notes and lessons as lines of a context.

Everything from the log is made visible and stays on its line, or is fenced.
"""

from __future__ import annotations

from typing import Final

from memory.render import line
from memory.state import Memory
from memory.stores import Cached, Episode, Injection, Insight, Lesson, Tally
from memory.text import ELLIPSIS, clip, fenced
from memory.toolcache import remaining

_STEPS: Final = 5  # newest steps told of a task in hand
_RUNS: Final = 5  # newest tool runs
_TOOLS: Final = 5  # tools and errors counted by name
_VALUE_CHARS: Final = 4000


def stage_line(episode: Episode) -> str:
    return f"- {episode.handle} {episode.kind}: {line(episode.title, 100)}"


def past_lines(episode: Episode, prose: str, *, short: bool = False) -> str:
    """A closed episode: how it ended, what it came to, its tally."""
    head = f"- {episode.handle} {episode.kind} **{line(episode.title, 100)}** ({episode.status})"
    if short:
        return head
    if episode.work is not None and (counts := tally_text(episode.work.tally)):
        head += f": {counts}"
    told = prose or episode.result
    return f"{head}\n{fenced(told)}" if told else head


def tally_text(tally: Tally) -> str:
    """A tally in words; the rate only where something ran."""
    parts = []
    if tally.runs:
        rate = tally.ok * 100 // tally.runs
        runs = "1 tool run" if tally.runs == 1 else f"{tally.runs} tool runs"
        parts.append(f"{runs}, {rate} % ok ({_counts(tally.tools)})")
    if tally.errors:
        parts.append(f"errors: {_counts(tally.errors)}")
    if tally.tasks:
        parts.append(f"tasks: {_counts(tally.tasks)}")
    if tally.steps:
        steps = "1 step" if tally.steps == 1 else f"{tally.steps} steps"
        parts.append(f"{steps}, {tally.steps_ok} ok")
    return "; ".join(parts)


def _counts(of: dict[str, int]) -> str:
    ranked = sorted(of.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{line(name, 40)} {count}" for name, count in ranked[:_TOOLS])
    more = len(ranked) - _TOOLS
    return f"{shown} and {more} more" if more > 0 else shown


def work_lines(episode: Episode) -> str:
    """An open goal or task: what it waits for, what was done, the newest steps and runs."""
    waits = ", ".join(f"E{ref}" for ref in episode.after)
    within = "" if episode.parent is None else f" in E{episode.parent}"
    who = line(episode.participant, 40)
    head = f"- {episode.handle} {episode.kind}{within} of {who}: {line(episode.title, 100)}"
    head += f" (waits for {waits})" if waits else ""
    work = episode.work
    if work is None:
        return head
    rows = [head]
    if counts := tally_text(work.tally):
        rows.append(f"  {counts}")
    rows += [f"| {line(run.tool, 40)}: {line(run.text)}" for run in work.runs[-_RUNS:]]
    rows += [
        f"| {line(step.who, 40)}, {step.form}{'' if step.ok else ', failed'}: {line(step.text)}"
        for step in work.steps[-_STEPS:]
    ]
    return "\n".join(rows)


def insight_line(insight: Insight) -> str:
    times = f", {insight.count} times" if insight.count > 1 else ""
    return f"- {insight.handle} {insight.kind}{times}: {line(insight.text)}"


def lesson_line(lesson: Lesson) -> str:
    """A lesson with where it comes from."""
    whence = f"{line(lesson.session, 64)} {line(lesson.ref, 12)}"
    topic = f" **{line(lesson.topic, 100)}**" if lesson.topic else ""
    standing = f" ({line(lesson.standing, 40)})" if lesson.standing else ""
    return f"- from {whence}{topic}: {line(lesson.text)}{standing}"


def note_lines(text: str, cause: int, chars: int) -> str:
    """A notebook as its owner left it, up to that many characters."""
    head = f"Up to n {cause}:\n" if cause else ""
    return head + fenced(clip(text, chars))


def running_lines(text: str) -> str:
    return fenced(text)


def exchange_lines(episode: Episode, answer: str) -> str:
    """A closed exchange: who asked what, and the answer."""
    talk = episode.talk
    if talk is None:
        return f"- {episode.handle}"
    asked = f"- {episode.handle} {line(talk.asker, 40)} asked:\n{fenced(talk.question)}"
    if not talk.answer_n:
        return f"{asked}\n- nobody answered"
    return f"{asked}\n- {line(talk.answerer, 40)} answered:\n{fenced(answer)}"


def injection_lines(key: str, injection: Injection) -> str:
    return f"- {line(key, 60)} (n {injection.n}):\n{fenced(injection.text)}"


def cached_lines(memory: Memory, cached: Cached, value: str) -> str:
    """A tool result that may be served again, and for how long."""
    call = f"{line(cached.tool, 60)}({line(cached.arguments or ELLIPSIS, 200)})"
    head = f"- {call} n {cached.n}, {remaining(memory, cached)}/{cached.ttl} exchanges remaining:"
    return f"{head}\n{fenced(clip(value, _VALUE_CHARS))}"
