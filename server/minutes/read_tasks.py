"""The tasks that a model reads, among those that rules find. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.ledger.ledger_rows import Task
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line
from parley.memory.text.similarity import content_stems
from parley.server.minutes.action_items import TEXT
from parley.server.rows.cite_rows import cite_list
from parley.server.rows.entry_times import time_row

_ALIKE: Final = 0.5  # of the words of the shorter one

Row = dict[str, Any]


def add_read_tasks(
    memory: Memory, found: Sequence[Row], records: Mapping[int, Record], speaks: Mapping[int, str]
) -> list[Row]:
    """The actions that rules `found`, with the tasks that a model reads in place of those of the
    same message; oldest first.

    `speaks` has whose words each message is; a task in a message that it lacks is left out. What
    is reported as done is told with the task if that is known, else as a row of its own.
    """
    tasks = [task for task in ledger_of(memory).tasks if _n(task) in speaks]
    read = {_n(task) for task in tasks}
    rows = [{**row, "as_read": False} for row in found if row["n"] not in read]
    for task in tasks:
        begun = _begun(task, rows) if task.done else None
        if begun is not None:
            begun["done"] = _n(task)
        else:
            rows.append(_row(memory, task, records, speaks))
    return sorted(rows, key=lambda row: row["n"])


def _n(task: Task) -> int:
    return task.origin.cites[0].n


def _begun(done: Task, rows: Sequence[Row]) -> Row | None:
    """The task of the same person, said earlier, that `done` reports: the newest alike."""
    words = {*content_stems(done.what)}
    for row in reversed(rows):
        if row["who"] != done.who or row["done"] is not None or row["n"] >= _n(done):
            continue
        before = {*content_stems(row["text"])}
        if len(words & before) >= max(1, _ALIKE * min(len(words), len(before))):
            return row
    return None


def _row(
    memory: Memory, task: Task, records: Mapping[int, Record], speaks: Mapping[int, str]
) -> Row:
    n, cite = _n(task), task.origin.cites[0]
    record = records.get(n)
    content = str(getattr(record.entry, "content", "")) if record is not None else ""
    return {
        "who": task.who or None,
        "known": task.who in memory.participants,
        "by": speaks[n],
        "text": clip(one_line(task.what), TEXT),
        "words": clip(one_line(content[cite.start : cite.end]), TEXT),
        "due": task.when or None,
        "n": n,
        **time_row(getattr(record.entry, "at", None) if record is not None else None, record),
        "cites": cite_list(task.origin),
        "rule": task.origin.rule,
        "decision": _decision_of(memory, task),
        "done": n if task.done else None,
        "amid": [],
        "as_read": True,
    }


def _decision_of(memory: Memory, task: Task) -> str | None:
    """The decision that it carries out: one it names, or the one that settled what it names."""
    ledger = ledger_of(memory)
    for item in (ledger.item(handle) for handle in task.targets):
        if item is not None and item.kind == "decision":
            return item.handle
        ref = memory.resolving.get(item.item.ref, 0) if item is not None and item.item else 0
        if ref:
            return f"D{ref}"
        if item is not None and item.ending is not None and item.ending.decision:
            return item.ending.decision
    return None
