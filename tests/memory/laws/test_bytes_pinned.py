"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 15: a stretch notes what its entries did to the ledger, for
its summary; written talk is read as documents, with its turns and labels; what two agree on
binds; what was accepted stays accepted when it is merged into an open proposal (five of the first
thousand logs). `logs` has the entries with all their fields. The version of the fold is not among
the bytes: it may rise where none of these logs fares otherwise.

A change of the fold that is meant changes these digests: `FOLD` rises, and the tables here are
made anew from what the failures say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import orjson
import pytest

from parley.bus.entries import Entry, Message, SessionOpened
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import FOLD, Memory
from parley.server.plays.demo import bundled
from tests.support.logs.corpora import ROOT, long_session, needs_corpora
from tests.support.logs.fixed_logs import PACKS, PINNED_PACKS, FixedSession, fixed_session
from tests.support.logs.logs import numbered

BLOCK: Final = 1_000  # logs
SHORT: Final = 200  # of the first block's logs, in the short form


class Digests(NamedTuple):
    """What a block of generated logs comes to."""

    logs: str
    facts: str
    memories: str


class Transcripts(NamedTuple):
    """How many transcripts there are, and what they come to; `stripped`: with their marks cut."""

    files: int
    whole: str
    stripped: str


FIRST: Final = Digests(
    logs="c7df9a81759694a5bd6568fff8135dc4",
    facts="09a3cc5f909dc2194c666953e6ee6a7e",
    memories="aebb83ec8bb07216253d7fda1018e588",
)
GENERATED: Final = (
    Digests(
        logs="d06df264ff3d1a0c1dd6fec227ad0f39",
        facts="649fa6675e42f8e9f33a9a46a99b69c4",
        memories="e4ff402840a8696dd4f64e3e4e6b495e",
    ),
    Digests(
        logs="82bbf9a60ae42e6899aa360db2cb037e",
        facts="488382cac62740871080e475f78dc94e",
        memories="270fee62e1407baa73df9db2539ae8b9",
    ),
    Digests(
        logs="b9148304997570da152aab918e8ce376",
        facts="4962d88b36d0b544ed5c07cae73807f2",
        memories="2d7748d3314eeb17e7770a19ac30adab",
    ),
    Digests(
        logs="10c2d8ca654ccf4931695d2f248e7ce1",
        facts="533b1d2e2df2b789db6404a683437358",
        memories="5b15acbdad17c0e9fd62cc780c0ea878",
    ),
    Digests(
        logs="4c509342f22448e8dd1ed3388fdaec3d",
        facts="5624d8e1421d4ad6fe36257d9a5f70c5",
        memories="dc0df32917bc9a200f98df76cbc6eaf9",
    ),
    Digests(
        logs="a4b3d0e6811ab03177abe6f2e3ed57b9",
        facts="485fa4ef985e8c6b4963fef76bb15279",
        memories="930f995742ff71e2570ab3dc7aa67011",
    ),
    Digests(
        logs="892a2795e54f603df94dd75e184c33ef",
        facts="c9d29fb1a2f6dea85f954ead0749e049",
        memories="8b47945adf4883a613680e80e4d3c630",
    ),
    Digests(
        logs="457abd5444156ee3b41b54e68faa4b4a",
        facts="448bbd313554d921557b900d0fd48036",
        memories="e7ba259bc312cb12d73266e580244345",
    ),
    Digests(
        logs="6c35c8ad6dc2aff90d9da79ff0ffcde9",
        facts="0762ef8d8b7f67a98409e6f8698ac6fb",
        memories="5ed9967e586bfdb5602da32dc2763ff1",
    ),
    Digests(
        logs="e3852974fbf1c850549cc23c458ac9d0",
        facts="c514931c369df19453c04a6afc762ef8",
        memories="0214f5a671de05e9cc05c06ccd9acc39",
    ),
)
DEMO: Final = "bf04830b89bfefe98caab7e46dccd854"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "426c257fe5c5e20d0413f60e179eeb35", "f9dc174fac0e286e4ee16dad8816d0e8"
    ),
    "dev/wg": Transcripts(
        121, "06a03a2acee8c75f224d5bd0c75f587d", "a8d03630ad5bd18b8f2eb6e318c5f347"
    ),
    "agents/dev": Transcripts(
        26, "6d709f1b48d7cfe18bea32313bc6dd3f", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "4ecdd4248067b16676d80ddfe2e2ee5b", "04ab6b05aa6d1e40e556fc5a04865069")


def digest(parts: Iterable[bytes]) -> str:
    """The sha256 of all parts, each behind its length; 32 hex digits."""
    checksum = sha256()
    for part in parts:
        checksum.update(b"%d:" % len(part))
        checksum.update(part)
    return checksum.hexdigest()[:32]


def pinned(memory: Memory) -> bytes:
    """The canonical bytes, but for the version of the fold."""
    return dump(memory).replace(b'"fold":"%s",' % FOLD.encode(), b"", 1)


def block(number: int, size: int = BLOCK) -> Digests:
    """`size` generated logs from 1,000 x `number` on."""
    sessions = [fixed_session(number * BLOCK + index) for index in range(size)]
    return Digests(
        logs=digest(line for session in sessions for line in _lines(session)),
        facts=digest(_facts(session) for session in sessions),
        memories=digest(pinned(session.memory) for session in sessions),
    )


def _lines(session: FixedSession) -> Iterator[bytes]:
    for record in session.records:
        entry = record.entry
        yield b"%d-%d " % (record.seq, record.n) + msgspec.json.encode(entry, order="deterministic")


def _facts(session: FixedSession) -> bytes:
    rows = [(fact.kind, fact.ref, fact.n, fact.data) for fact in session.facts]
    return msgspec.json.encode(rows, order="deterministic")


def folded(entries: Iterable[Entry]) -> Memory:
    """Memory of a session that reads every language."""
    return fold_records(Memory(PACKS), numbered([SessionOpened(packs=PINNED_PACKS), *entries]))


def transcripts(folder: Path) -> list[Path]:
    """Those of a folder of the corpora by name, without answer keys and stripped lines."""
    return [file for file in sorted(folder.glob("*.jsonl")) if file.name.count(".") == 1]


def entries_of(file: Path, *, stripped: bool = False) -> list[Entry]:
    """The messages of a transcript; `stripped`, with the lines whose marks were cut."""
    rows = _rows(file)[1:]
    cut = {row["index"]: row["content"] for row in _rows(_cut(file))} if stripped else {}
    texts = [(row["agent_id"], cut.get(row["index"], row["content"])) for row in rows]
    return [Message(participant=who, content=text) for who, text in texts if text.strip()]


def transcribed(files: Sequence[Path]) -> Transcripts:
    """What the memories of these transcripts come to, taken together in their order."""
    whole = digest(pinned(folded(entries_of(file))) for file in files)
    marked = [file for file in files if _cut(file).is_file()]
    stripped = digest(pinned(folded(entries_of(file, stripped=True))) for file in marked)
    return Transcripts(len(files), whole, stripped)


def _cut(file: Path) -> Path:
    return file.with_name(f"{file.stem}.stripped.jsonl")


def _rows(file: Path) -> list[dict[str, str]]:
    return [orjson.loads(line) for line in file.read_bytes().splitlines()]


def test_the_demo_comes_to_the_same_bytes() -> None:
    memory = folded(entry.entry for entry in bundled().entries)
    assert digest([pinned(memory)]) == DEMO


def test_the_first_generated_logs_come_to_the_same_bytes() -> None:
    """Two hundred sessions of every kind of entry; all ten thousand in the long form."""
    assert block(0, SHORT) == FIRST


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(GENERATED)))
def test_generated_logs_come_to_the_same_bytes(number: int) -> None:
    assert block(number) == GENERATED[number]


@needs_corpora
@pytest.mark.parametrize(
    "folder",
    [
        "agents/dev",
        *(pytest.param(f"dev/{corpus}", marks=pytest.mark.long) for corpus in ("irc", "wg")),
    ],
)
def test_transcripts_come_to_the_same_bytes(folder: str) -> None:
    """As they were said, and where they have marks of proposals, with these cut."""
    assert transcribed(transcripts(ROOT / folder)) == CORPORA[folder]


@needs_corpora
@pytest.mark.long
def test_the_long_session_comes_to_the_same_bytes() -> None:
    assert transcribed([long_session()]) == LONG
