"""Langfuse's traces and LangSmith's runs, as their exports and APIs give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from parley.server.transcripts.sources.entry_collector import EntryCollector, read_word
from parley.server.transcripts.sources.json_values import first_values, json_values
from parley.server.transcripts.sources.known_fields import known_fields
from parley.server.transcripts.sources.source import Source
from parley.server.transcripts.sources.transcript_format import NO, SURE, Format
from parley.server.transcripts.traces.spans import Kind, Span, take_spans

Row = dict[str, Any]
_LOOKED_AT: Final = 20
_OBSERVATION: Final = known_fields(
    "id traceId type name startTime input output parentObservationId"
)
_TRACE: Final = known_fields("id name timestamp input output observations")
_RUN: Final = known_fields(
    "id name run_type inputs outputs start_time trace_id parent_run_id dotted_order child_runs"
)
_LIST: Final = ("data", "traces", "observations", "runs")


def _listed(value: Any) -> Iterator[Row]:
    """The objects of a file: in a list, in an answer, or alone."""
    if isinstance(value, list):
        yield from (row for row in value if isinstance(row, dict))
    elif isinstance(value, dict):
        held = next((value[n] for n in _LIST if isinstance(value.get(n), list)), None)
        is_trace = held is None or "timestamp" in value or "name" in value
        yield from [value] if is_trace else (row for row in held or () if isinstance(row, dict))


def _rows(source: Source, taking: EntryCollector) -> Iterator[tuple[str, Row]]:
    for place, value in json_values(source, taking):
        if not isinstance(value, (dict, list)):
            taking.refuse(place, "not a JSON object")
            continue
        for number, row in enumerate(_listed(value)):
            yield f"{place}, {number}", row


def _tell(source: Source, is_ours: Any) -> int:
    rows = [row for value in first_values(source, _LOOKED_AT) for row in _listed(value)]
    return SURE + 1 if any(is_ours(row) for row in rows[:_LOOKED_AT]) else NO


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


# -- Langfuse --------------------------------------------------------------------------


def _is_observation(row: Any) -> bool:
    return isinstance(row, dict) and "startTime" in row and isinstance(row.get("type"), str) and (
        "traceId" in row or "input" in row
    )  # fmt: skip


def _is_langfuse(row: Row) -> bool:
    observations = row.get("observations")
    if isinstance(observations, list) and ("input" in row or "timestamp" in row):
        return not observations or any(map(_is_observation, observations))
    return _is_observation(row) and "traceId" in row


def _tell_langfuse(source: Source) -> int:
    return _tell(source, _is_langfuse)


def _read_langfuse(source: Source, taking: EntryCollector) -> None:
    take_spans(_langfuse_spans(source, taking), taking)


def _langfuse_spans(source: Source, taking: EntryCollector) -> Iterator[Span]:
    loose: dict[str, list[tuple[str, Row]]] = {}
    for place, row in _rows(source, taking):
        observations = row.get("observations")
        if _is_observation(row):
            loose.setdefault(_text(row.get("traceId")), []).append((place, row))
            continue
        taking.leave_fields(place, row, _TRACE)
        name = _text(row.get("name")) or _text(row.get("id"))
        yield Span(place, name, "other", _text(row.get("id")), name, "", row.get("timestamp"),
                   row.get("input"), row.get("output"), is_root=True)  # fmt: skip
        listed = observations if isinstance(observations, list) else []
        steps = [(f"{place}, step {n}", o) for n, o in enumerate(listed) if isinstance(o, dict)]
        yield from _observations(name, steps, taking, rooted=True)
    for name, steps in loose.items():
        yield from _observations(name, steps, taking, rooted=False)


def _observations(
    trace: str, steps: list[tuple[str, Row]], taking: EntryCollector, *, rooted: bool
) -> Iterator[Span]:
    steps = sorted(steps, key=lambda step: _text(step[1].get("startTime")))
    by_id = {_text(row.get("id")): row for _, row in steps}
    agents = _agents(by_id)
    for place, row in steps:
        taking.leave_fields(place, row, _OBSERVATION)
        kind = read_word(row.get("type")).upper()
        parent = _text(row.get("parentObservationId"))
        yield Span(
            place, trace, _KINDS.get(kind, "other"), _text(row.get("id")) or place,
            read_word(row.get("name")), agents.get(parent, ""), row.get("startTime"),
            row.get("input"), row.get("output"), is_root=not rooted and parent not in by_id,
        )  # fmt: skip


_KINDS: Final[dict[str, Kind]] = {
    "GENERATION": "model",
    "TOOL": "tool",
}


def _agents(by_id: dict[str, Row]) -> dict[str, str]:
    """The name of the nearest agent that each observation is within, or is itself; "" for none."""
    found: dict[str, str] = {}
    for key in by_id:
        path: dict[str, None] = {}
        while key in by_id and key not in found and key not in path:
            path[key] = None
            if read_word(by_id[key].get("type")).upper() == "AGENT":
                found[key] = read_word(by_id[key].get("name"))
                break
            key = _text(by_id[key].get("parentObservationId"))
        found.update(dict.fromkeys(path, found.get(key, "")))
    return found


# -- LangSmith -------------------------------------------------------------------------


def _is_run(row: Row) -> bool:
    return isinstance(row.get("run_type"), str) and "inputs" in row


def _tell_langsmith(source: Source) -> int:
    return _tell(source, _is_run)


def _read_langsmith(source: Source, taking: EntryCollector) -> None:
    runs: list[tuple[str, Row]] = []
    for place, row in _rows(source, taking):
        if _is_run(row):
            runs += _with_children(place, row)
        else:
            taking.refuse(place, "not a run of LangSmith: it has no 'run_type' with 'inputs'")
    runs.sort(key=lambda run: _text(run[1].get("dotted_order")) or _text(run[1].get("start_time")))
    ids = {_text(row.get("id")) for _, row in runs}
    take_spans((_run_span(place, row, ids, taking) for place, row in runs), taking)


def _with_children(place: str, row: Row) -> list[tuple[str, Row]]:
    found, waiting = [], [(place, row)]
    while waiting:
        where, run = waiting.pop()
        found.append((where, run))
        children = run.get("child_runs")
        for number, child in enumerate(children if isinstance(children, list) else ()):
            if isinstance(child, dict):
                waiting.append((f"{where}, {number}", {"trace_id": run.get("trace_id"), **child}))
    return found


def _run_span(place: str, row: Row, ids: set[str], taking: EntryCollector) -> Span:
    taking.leave_fields(place, row, _RUN)
    kind = read_word(row.get("run_type"))
    return Span(
        place, _text(row.get("trace_id")), _RUNS.get(kind, "other"), _text(row.get("id")) or place,
        read_word(row.get("name")), "", row.get("start_time"), row.get("inputs"),
        row.get("outputs"), is_root=_text(row.get("parent_run_id")) not in ids,
    )  # fmt: skip


_RUNS: Final[dict[str, Kind]] = {"llm": "model", "tool": "tool"}

LANGFUSE: Final = Format(
    "langfuse", "Langfuse: traces with observations, or observations alone", ("json", "jsonl"),
    _tell_langfuse, _read_langfuse,
)  # fmt: skip
LANGSMITH: Final = Format(
    "langsmith", "LangSmith: runs, as a list or a line each", ("json", "jsonl"),
    _tell_langsmith, _read_langsmith,
)  # fmt: skip
