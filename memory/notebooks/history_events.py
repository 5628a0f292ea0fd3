"""What happens, told in the history: messages, votes, results, phases.

An event is told once, clipped by its kind, so what it costs does not grow with
who listens. Its route says whether it also calls for reflections.
"""

from __future__ import annotations

from typing import Final

from parley.bus.entries import (
    BallotCompleted,
    Message,
    MessageEdited,
    ResultsFinal,
    VoteConfirmed,
    VoteInitiated,
)
from parley.memory.notebooks.reflections import (
    call_for_overgrown_notes,
    call_for_reflection,
    find_or_begin_note,
    note_policy,
)
from parley.memory.notebooks.shared_history import add_history_line, history_line
from parley.memory.settings.setting_defaults import Route
from parley.memory.state.episode_state import Episode
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.state.notebook_state import LineKind, ReflectionOccasion
from parley.memory.text.plain_text import clip

Known = tuple[tuple[str, str], ...]  # names and values
_NOTEBOOKS: Final = 1000  # beyond so many, results begin none for those who never spoke


def record_message(memory: Memory, n: int, name: str, entry: Message) -> None:
    """Tell a message in the history, and call for the reflections that its route wants."""
    routes, limits = memory.settings.routes, memory.settings.limits
    store, note = memory.notebooks, find_or_begin_note(memory, name, n)
    thought = entry.form == "reasoning"
    own: Route = routes.reasoning if thought else routes.own
    others: Route = "off" if thought else routes.statement
    if own != "off" or others != "off":
        text = _clipped(entry.content, limits.reasoning if thought else limits.statement)
        kind: LineKind = "reasoning" if thought else "statement"
        given = (entry.act, entry.topic, entry.re, (), entry.to)
        add_history_line(memory, history_line(memory, n, kind, name, text, entry.at, *given))
    if others == "reflect":
        store.stirred = ReflectionOccasion(n=n, why="statement", public_size=store.public_size)
    if note is None or call_for_overgrown_notes(memory, n, name, note) or own != "reflect":
        return
    if note_policy(memory, name) == "rewrite":
        call_for_reflection(memory, name, note, n, "reasoning" if thought else "own statement")


def record_edit(memory: Memory, n: int, name: str, entry: MessageEdited) -> None:
    """Tell other words for a message in the history, to whom the message was told."""
    routes, limits = memory.settings.routes, memory.settings.limits
    thought = entry.form == "reasoning"
    if (routes.reasoning if thought else routes.own) == "off" and routes.statement == "off":
        return
    text = _clipped(entry.content or "(taken back)", limits.statement)
    kind: LineKind = "reasoning" if thought else "statement"
    given = ("edited", entry.topic, entry.of, (), entry.to)
    add_history_line(memory, history_line(memory, n, kind, name, text, entry.at, *given))


def record_vote(moment: FoldStep, entry: VoteInitiated | VoteConfirmed | BallotCompleted) -> None:
    """Tell a vote; a ballot calls for reflections, one with consensus of everybody."""
    memory, n = moment.memory, moment.n
    if not memory.keeps_notes:
        return
    store, routes, limits = memory.notebooks, memory.settings.routes, memory.settings.limits
    agreed = entry.kind == "ballot.completed" and entry.consensus
    kind: LineKind = "consensus" if agreed else "vote"
    route: Route = routes.consensus if agreed else routes.vote
    if entry.kind == "vote.confirmed":
        find_or_begin_note(memory, moment.participant, n)
    if route == "off":
        return
    text = _clipped(moment.content, limits.result if agreed else limits.statement)
    act, facts = vote_facts(entry)
    who = moment.participant
    add_history_line(
        memory, history_line(memory, n, kind, who, text, entry.at, act, None, entry.re, facts)
    )
    if route == "reflect":
        occasion = ReflectionOccasion(n=n, why=kind, public_size=store.public_size)
        if agreed:
            store.called = occasion
        elif entry.kind == "ballot.completed":
            store.stirred = occasion


def vote_facts(entry: VoteInitiated | VoteConfirmed | BallotCompleted) -> tuple[str, Known]:
    """What was done, in words, and what is known of it."""
    if entry.kind == "vote.initiated":
        return "vote called", _listed(options=entry.options)
    if entry.kind == "vote.confirmed":
        return "agreed to the vote" if entry.agreed else "did not agree to the vote", ()
    sides = _listed(
        supporters=entry.supporters, dissenters=entry.dissenters, abstainers=entry.abstainers
    )
    return "ballot with consensus" if entry.consensus else "ballot without consensus", sides


def _listed(**lists: tuple[str, ...]) -> Known:
    return tuple((name, ", ".join(values)) for name, values in lists.items() if values)


def record_results(moment: FoldStep, entry: ResultsFinal) -> None:
    """Tell final results, in full, to those they are for."""
    memory, n = moment.memory, moment.n
    route = memory.settings.routes.results
    if not memory.keeps_notes or route == "off":
        return
    text = _clipped(entry.content, memory.settings.limits.result)
    who, more = moment.participant, (None, None, None, result_facts(entry), entry.to)
    notes = []
    for name in dict.fromkeys(map(memory.named, entry.to)):
        stored = memory.notebooks.notes
        known = name in stored or len(stored) < _NOTEBOOKS
        if known and (note := find_or_begin_note(memory, name, n)) is not None:
            notes.append((name, note))
    add_history_line(memory, history_line(memory, n, "results", who, text, entry.at, *more))
    if route != "reflect":
        return
    if not entry.to:
        store = memory.notebooks
        store.called = ReflectionOccasion(n=n, why="results", public_size=store.public_size)
    for name, note in notes:
        call_for_reflection(memory, name, note, n, "results")


def result_facts(entry: ResultsFinal) -> Known:
    """What is known of results besides their words."""
    facts: list[tuple[str, str]] = []
    if entry.consensus is not None:
        facts.append(("consensus", "yes" if entry.consensus else "no"))
    if entry.earnings is not None:
        facts.append(("earnings", str(entry.earnings)))
    facts += [(f"if {name}", str(value)) for name, value in entry.counterfactuals.items()]
    return tuple(facts)


def record_phase(moment: FoldStep, episode: Episode) -> None:
    """Tell that a phase, stage or round was opened or closed; its end may call for reflections."""
    memory, n = moment.memory, moment.n
    route = memory.settings.routes.phase
    if not memory.keeps_notes or route == "off":
        return
    opened = episode.status == "open"
    act = f"{episode.kind} opened" if opened else f"{episode.kind} {episode.status}"
    text = episode.title if opened or not episode.result else f"{episode.title}: {episode.result}"
    add_history_line(
        memory, history_line(memory, n, "phase", moment.participant, text, moment.at, act)
    )
    if route == "reflect" and not opened:
        store = memory.notebooks
        store.stirred = ReflectionOccasion(n=n, why="phase", public_size=store.public_size)


def _clipped(text: str, limit: int) -> str:
    return clip(text, limit) if limit else text
