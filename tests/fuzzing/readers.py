"""The pure readers of bytes that others wrote, with samples and the refusals they may give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from parley.bus.contract.errors import BusError
from parley.bus.contract.wire import decode, encode
from parley.bus.log.replies import parse_records, parse_stretch
from parley.bus.sessions.session_file import (
    SessionFile,
    check_checksum,
    decode_file,
    encode_file,
    with_checksum,
)
from parley.bus.sessions.stored_rows import StoredRow
from parley.memory.errors import DomainError
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.memory import Memory
from parley.personas.errors import PersonaError
from parley.personas.imports import import_text
from parley.personas.persona_file import parse_persona
from parley.server.basics.errors import Refused
from parley.server.http.bodies.value_count import check_value_count
from parley.server.http.problems.problem_details import Problem
from parley.server.http.subscriptions.websocket_messages import parse_client_message, read_ref
from parley.server.records.log_audit import find_faults
from parley.server.scenarios.scenario_files import parse as parse_scenario
from parley.server.transcripts import parse_transcript
from tests.fuzzing.written_samples import AGENTS, SCENARIOS
from tests.server.transcripts.samples import SAMPLES
from tests.support.logs.logs import PACKS, numbered
from tests.support.logs.mixed import DERIVED_MAKERS, TIMED_MAKERS, made, opening

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` gives anything or raises one of `refusals`: whatever else it raises is a fault."""

    read: Callable[[bytes], Any]
    samples: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...]


@cache
def readers() -> dict[str, Reader]:
    """By name. Making the samples takes a second."""
    entries = tuple(
        encode(made(bytes([0, *range(seed, seed + 13)]), (maker,)))
        for maker in dict.fromkeys((*TIMED_MAKERS, *DERIVED_MAKERS))
        for seed in range(3)
    )
    texts = {name: data for name, (_, data) in SAMPLES.items()}
    packs = _files("memory/packs/*.json")
    personas = _files("personas/cast/*.md")
    scenarios = _files("server/data/scenarios/*.yaml")
    return {
        "entry": Reader(_fold_entry, entries, ()),
        "reply": Reader(_read_reply, entries, (BusError,)),
        "snapshot": Reader(_read_snapshot, (_snapshot(),), (DomainError,)),
        "session file": Reader(_read_session_file, (_session_file(entries),), (BusError,)),
        "persona": Reader(_read_text(parse_persona), personas, (PersonaError,)),
        "persona import": Reader(
            _read_text(import_text), (*personas[:3], *AGENTS), (PersonaError,)
        ),
        "scenario": Reader(_read_text(parse_scenario), (*scenarios, *SCENARIOS * 12), (Refused,)),
        "pack": Reader(parse_pack, packs, (DomainError,)),
        "transcript": Reader(_read_transcript, tuple(texts.values()), (Refused,)),
        "frame": Reader(_read_frame, _FRAMES, (Problem,)),
        "body": Reader(check_value_count, (*entries, *_FRAMES), (Problem,)),
    }


def _files(pattern: str) -> tuple[bytes, ...]:
    """In the order of their names: a case is the same on every machine."""
    return tuple(path.read_bytes() for path in sorted(ROOT.glob(pattern)))


def _fold_entry(data: bytes) -> bytes:
    """An entry as a log has it, read and folded into a young session."""
    memory = Memory(PACKS)
    for record in numbered([opening("deliberation", {}), decode(data)]):
        apply(memory, record)
    return dump(memory)


def _read_reply(data: bytes) -> Any:
    """A row of a log whose places, times and fields are what stands in `data`."""
    parts = data.split(b",")
    state: list[bytes | None] = [b"a", b"3", b"2", b"1", b"open", b"1,2"]
    state[len(data) % len(state)] = parts[0]
    row = [b"1-0", [b"id", parts[0], b"t", parts[-1], b"entry", data]]
    return parse_records([row]), parse_stretch("s", state, [row])


def _read_snapshot(data: bytes) -> bytes:
    return dump(load(data, PACKS, 3))


def _read_session_file(data: bytes) -> Any:
    """A file whose checksum is right, whatever its lines say."""
    return list(find_faults(decode_file(with_checksum(data)).rows))


def _read_text(read: Callable[[str, str], Any]) -> Callable[[bytes], Any]:
    """As the file's reader has it: what is not UTF-8 was refused before."""
    return lambda data: read(data.decode("utf-8", "replace"), "file")


def _read_transcript(data: bytes) -> Any:
    return parse_transcript(data, lambda *_: None)


def _read_frame(data: bytes) -> Any:
    try:
        tree = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    read_ref(tree)
    return parse_client_message(tree)


def _snapshot() -> bytes:
    memory = Memory(PACKS)
    bodies = [made(bytes([0, *range(k, k + 13)]), TIMED_MAKERS) for k in range(0, 200, 7)]
    for record in numbered([opening("deliberation", {}), *bodies]):
        apply(memory, record)
    return dump(memory)


def _session_file(entries: tuple[bytes, ...]) -> bytes:
    first = encode(opening("deliberation", {}))
    rows = tuple(
        StoredRow(seq, seq - 1, f"e{seq}", 1_700_000_000_000 + seq, body)
        for seq, body in enumerate((first, *entries[:5]), 1)
    )
    return check_checksum(encode_file(SessionFile("s", "open", rows)))


_FRAMES: Final = (
    b'{"type": "subscribe", "after": 0, "facts": true, "ref": "a"}',
    b'{"type": "subscribe", "after": "4.a1b2"}', b'{"type": "unsubscribe"}', b'{"type": "ping"}',
    b'{"type": "publish", "ref": "b", "entries": [{"id": "x", "entry": {"kind": "message", '
    b'"participant": "ana", "content": "Hello.", "act": "propose", "re": "P1", "to": ["bo"]}}]}',
)  # fmt: skip
