"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The version of the fold is not among the bytes: it may rise where none of these logs fares
otherwise.

A change of the fold that is meant changes these digests: the tables here are made anew from what
the failures say, and the next release raises `FOLD`.
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
    logs="801309170c96f52eef02f3405ac13c42",
    facts="4291974bff4d703afb48d682f2c70b7a",
    memories="8c31db81dff9097e84e1882ee0b40eb9",
)
GENERATED: Final = (
    Digests(
        logs="a0a80b1e6294dc3ca9a530986a5a0c50",
        facts="7cdc25564294be0bb667b6df8c3ceeac",
        memories="04e161f465076bb68784d6a66db92347",
    ),
    Digests(
        logs="2860268a86e260af470347fac1f58987",
        facts="5ef933c19e9eac56df6d1cf98ed64268",
        memories="7a6e1f85f6634eca978f75ddeda8e847",
    ),
    Digests(
        logs="341f32f242ee753ec699a29d241872d7",
        facts="78b4947a6142faa9e2d770fc4e614101",
        memories="85583c5a1900c27b2b86b804e25f0c93",
    ),
    Digests(
        logs="883b8c4fe9625afbe8b084d96f8fd7ee",
        facts="9dec31780bbd9f7ea9afafe9b5d59868",
        memories="6b502cc4b74fabfe09e1cd10a3212121",
    ),
    Digests(
        logs="9ab5fff8615e55550129ea73afc72d03",
        facts="1e0f2b8ca4d04e28317a83efd9922dd3",
        memories="d877d5fce9b097af54e31ae794ddb498",
    ),
    Digests(
        logs="79140ef585abee93206bd01f1dad3d12",
        facts="d7caf0d9f385f2d0a8b4cd28c91f8479",
        memories="3c53a0176ddf73523cf75a8406412b73",
    ),
    Digests(
        logs="061604495bf08fb8d76da7cd5e5a6d74",
        facts="e9ac49c58113569d4ba63dbcef8edc10",
        memories="7efd0a3070d147262ee65d16a62da9f0",
    ),
    Digests(
        logs="1a2b05464742d577133887fe317f2ad5",
        facts="505dad424211b93efe4d1a945fdb731d",
        memories="d3ea26b7ccc29557983c64e70a38618f",
    ),
    Digests(
        logs="04aefcbe8583c30db5a188c134e34615",
        facts="e48ae374b623b1daa0b4c21e6f6aa728",
        memories="b796d54ad41de715fd74f398e3a896dc",
    ),
    Digests(
        logs="991c94e45e786493d49a48261955d5a0",
        facts="097bdb265e60ca0f0d7973e6abb44bb4",
        memories="81c9187004797df9f5a149cbc5839edb",
    ),
)
DEMO: Final = "5d9bf809368c998ef26e9201781e94ed"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "03656bb619897c5d67cdc14b06996eb4", "939f70a746d873902629a934f0f89084"
    ),
    "dev/wg": Transcripts(
        121, "4464a678fa43a2f1ef51b72fe4c434d6", "07910c56f5dfb929aa93b3e00667ac4d"
    ),
    "agents/dev": Transcripts(
        26, "ff89062276870149a86749b62803a03e", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "13de8dd74cdc6965be36a9c19cf393b0", "c12dcb61db1c4d040cedf22946fe611c")


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
