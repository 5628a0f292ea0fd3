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
    logs="f5025a2a8854f9341b7f8cf7498a772d",
    facts="4291974bff4d703afb48d682f2c70b7a",
    memories="b8b269200e9716881562bfc30674c71f",
)
GENERATED: Final = (
    Digests(
        logs="a86fcf2e49996230aa65e70310fb3664",
        facts="7cdc25564294be0bb667b6df8c3ceeac",
        memories="3a9c2d68db42749f704638af3454f5e1",
    ),
    Digests(
        logs="5c333170f785f6ca33781ca2523872c1",
        facts="5ef933c19e9eac56df6d1cf98ed64268",
        memories="d47bccdbd2979d7374ea22e276874a47",
    ),
    Digests(
        logs="62dd9fcf750eb8a3ba00bc560f71be21",
        facts="78b4947a6142faa9e2d770fc4e614101",
        memories="9ad97b14c49ac1d7a919f297bb48346e",
    ),
    Digests(
        logs="725fc0fb170aa9a31520ef5993708f88",
        facts="9dec31780bbd9f7ea9afafe9b5d59868",
        memories="b1661457c98af593b33f47b6b6005d9a",
    ),
    Digests(
        logs="637dbd41d0460e62521ba0609e709cf5",
        facts="1e0f2b8ca4d04e28317a83efd9922dd3",
        memories="b9c590507f5af6de7e9a374cc493d2df",
    ),
    Digests(
        logs="05ca58eb2b4065c6e7ba4f10dae9de69",
        facts="d7caf0d9f385f2d0a8b4cd28c91f8479",
        memories="466dde475bcf228b4a75b1471259e7bf",
    ),
    Digests(
        logs="c224cd5d91c11392baae5b56ebe1c444",
        facts="e9ac49c58113569d4ba63dbcef8edc10",
        memories="f3cf50542b40385aa707ca5970dab619",
    ),
    Digests(
        logs="e8622685c66f728b4cf09eed16452327",
        facts="505dad424211b93efe4d1a945fdb731d",
        memories="d5e892df295b6fd70aafb7c3a4975cb4",
    ),
    Digests(
        logs="8646573c96b3a362030a04643d3bdcc1",
        facts="e48ae374b623b1daa0b4c21e6f6aa728",
        memories="07d6f75b09226016add68cddd8c5ee4a",
    ),
    Digests(
        logs="28c8f2875a6572b5ff06c44ff66bbb85",
        facts="097bdb265e60ca0f0d7973e6abb44bb4",
        memories="33cec0f629daf064e13a5f48c64057af",
    ),
)
DEMO: Final = "6859eabcb28e2172ecc7738472229843"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "f78027c7c25648bf266bf302630fcbf9", "9d90b75aa28207f018062bd25184e11a"
    ),
    "dev/wg": Transcripts(
        121, "03f35088ac2c97e25622a5a0f4846121", "92d7d81d965b39778f47980c34742d11"
    ),
    "agents/dev": Transcripts(
        26, "7ad127ffe00f53782d57e0262343e58c", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "4b63a8aaae015ea3990fa681275acd0b", "53850e33264a95d4e89f9df2840117ad")


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
