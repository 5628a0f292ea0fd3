"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 13: a stretch notes what its entries did to the ledger, for
its summary; written talk is read as documents, with its turns; what two agree on binds. The
version of the fold is not among the bytes: it may rise where none of these logs fares otherwise.

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
from parley.listeners.sessions.shipped_packs import newest_packs
from parley.memory.fold.canonical_bytes import dump
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import FOLD, Memory
from parley.server.plays.demo import bundled
from tests.support.logs.corpora import ROOT, long_session, needs_corpora
from tests.support.logs.fixed_logs import PACKS, FixedSession, fixed_session
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
    logs="a5c794302e37eeb5a8c16e05e041d7e8",
    facts="d306f140748e43d72353d5718a70d0c2",
    memories="cc565e2fd08fe70ed912ec724b70d37f",
)
GENERATED: Final = (
    Digests(
        logs="a6c23cbd2ac66e8cc8c671a9719f3be6",
        facts="31291e51b9f7af8c84f3748c66c824dc",
        memories="877c0c4d6077358e07d82624899c83f5",
    ),
    Digests(
        logs="97beddc45ad784f73a398cefc94a3755",
        facts="62b5b9867536e77896addce4c3d08f2f",
        memories="32493150c81e2da2cbde8e0491975d98",
    ),
    Digests(
        logs="9c118cebf38e092ef034eb1bc7a36930",
        facts="5524458cd51d399e83115b136a89ce88",
        memories="695548b8bd9915f0f8ceff92c4e33db6",
    ),
    Digests(
        logs="7887adfa139eabf5f31475b7f74e4034",
        facts="2e704291c3d48d865aae9888fbf1cbad",
        memories="0699c33d8c71a6456bf330f20ea04e4b",
    ),
    Digests(
        logs="4484ecb5c749aa76cf4ce7c3fa236314",
        facts="7dfef0bfd1c9c5fd822777df76548fe1",
        memories="a6c7da5ed5c980b8a7e2d1c35de0a235",
    ),
    Digests(
        logs="1a59c94090a98d29cfab675d9ff5e041",
        facts="04473a879e0ce5c647d3b3d7b854b925",
        memories="b00f24925959521d8e82518e624ce190",
    ),
    Digests(
        logs="11415b4551af054fa7698a766fad97d5",
        facts="3d9bbaa045313b8ec5331e8007aae97c",
        memories="89c1d2d22586eea9e17bb53d98ec4d97",
    ),
    Digests(
        logs="269a21f0d45a07535981818460b02dc1",
        facts="60889c17ddef29285543ade1d3eaefd1",
        memories="92309a980172fe6d9f38f157fcde2301",
    ),
    Digests(
        logs="75b4f5e4fcdd7ceded471294cd8fa51d",
        facts="deabb838ea631742b5bfbab63f0aa49e",
        memories="5140c32f2de14c9350b6684170d66df6",
    ),
    Digests(
        logs="04e4c9ebb3e2e270edd3724212e1a0e8",
        facts="9ec100362379a01970c973943d6d735c",
        memories="3324c6968ca19ce5a1c7c8c3d2607ac0",
    ),
)
DEMO: Final = "bf04830b89bfefe98caab7e46dccd854"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "8a725f4019d9ecfc4bbe55e074a83c6d", "9f4d61fd56d9cd9289bbda023bef30b1"
    ),
    "dev/wg": Transcripts(
        121, "06a03a2acee8c75f224d5bd0c75f587d", "a8d03630ad5bd18b8f2eb6e318c5f347"
    ),
    "agents/dev": Transcripts(
        26, "0e09aef7c7a9fd52b97a072870eb123b", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "3597089773e8033819016004c1671bdd", "138d2d66fa76b376ac49bbfb02ddc9d6")


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
    """Memory of a session that reads with the packs that a new one opens with."""
    return fold_records(Memory(PACKS), numbered([SessionOpened(packs=newest_packs()), *entries]))


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
    memory = folded(transcript_entry.entry for transcript_entry in bundled().entries)
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
