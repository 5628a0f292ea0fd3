"""Traces: the steps of agents, read as what was said in them, once each.

Each call of a model repeats what was said before it. Of an input only what was not said yet is
taken, of an output all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.traces.model_items import NO_MESSAGES, ItemReader, find_messages

Row = dict[str, Any]
_REPEATED: Final = "messages that a later call repeats"
_STEPS: Final = "steps that neither ask a model nor use a tool"


Kind = Literal["model", "tool", "other"]


class Span(NamedTuple):
    """A step: `trace` is the talk that it belongs to, `agent` who takes it, if anything says."""

    place: str
    trace: str
    kind: Kind
    key: str
    name: str
    agent: str
    at: Any
    input: Any
    output: Any
    is_root: bool


def take_spans(spans: Iterable[Span], taking: EntryCollector) -> None:
    """Takes the words and results of traces, each trace in its order."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    if len(traces) > 1:
        taking.note(f"{len(traces)} traces: each message's topic is its trace")
    for name, steps in traces.items():
        _Trace(taking, name if len(traces) > 1 else None, steps).take()


class _Trace:
    def __init__(self, taking: EntryCollector, topic: str | None, steps: list[Span]) -> None:
        self._taking, self._topic = taking, topic
        self._reader = ItemReader(taking)
        self._said: Counter[str] = Counter()
        self._steps = steps
        self._has_tools = any(step.kind == "tool" for step in steps)

    def take(self) -> None:
        asked = any(step.kind == "model" for step in self._steps)
        for step in self._steps:
            if step.kind == "tool":
                self._reader.returned(
                    step.place, step.agent or self._reader.agent, step.name, step.key, step.input,
                    step.output, timestamp=step.at,
                )  # fmt: skip
            elif step.kind == "model" or (step.is_root and not asked):
                self._ask(step)
            else:
                self._taking.skip(_STEPS, step.place)
        self._reader.end()

    def _ask(self, step: Span) -> None:
        self._reader.agent = step.agent or "assistant"
        now: Counter[str] = Counter()
        asked = list(find_messages(step.input, "user"))
        if step.input not in (None, "", [], {}) and not asked:
            self._taking.skip(NO_MESSAGES, f"{step.place}, input")
        for number, row in enumerate(asked):
            place, words = f"{step.place}, input {number}", _words(row)
            now[words] += 1
            if now[words] <= self._said[words]:
                self._taking.skip(_REPEATED, place)
            else:
                self._item(place, row, words, step.at)
        answered = list(find_messages(step.output, "assistant"))
        if step.output not in (None, "", [], {}) and not answered:
            self._taking.skip(NO_MESSAGES, f"{step.place}, output")
        for number, row in enumerate(answered):
            self._item(f"{step.place}, output {number}", row, _words(row), step.at)

    def _item(self, place: str, row: Row, words: str, at: Any) -> None:
        self._said[words] += 1
        if self._has_tools and read_word(row.get("role")) in ("tool", "function"):
            self._taking.skip(_REPEATED, place)  # the step of the tool has the result
            return
        self._reader.item(place, row, timestamp=at, **self._fields(row))

    def _fields(self, row: Row) -> Row:
        is_result = read_word(row.get("role")) in ("tool", "function") or "output" in row
        return {} if is_result or self._topic is None else {"topic": self._topic}


def _words(row: Row) -> str:
    """What tells an item from others: its words, else what it calls or answers."""
    content = row.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    if text := "\n\n".join(each for each in texts if isinstance(each, str)).strip():
        return text
    return repr([row.get(name) for name in ("tool_calls", "call_id", "output", "type")])
