"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 16: a stretch notes what its entries did to the ledger, for
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
    facts="d529250a207bd0817665d08fc8a42028",
    memories="358006f5e7cc617fa7cadf39262ef60a",
)
GENERATED: Final = (
    Digests(
        logs="d06df264ff3d1a0c1dd6fec227ad0f39",
        facts="19d1a9586d5a28c95fbb05d9fd8e9e71",
        memories="c24ccf46a7eebe0a8caa1bfec809b6be",
    ),
    Digests(
        logs="82bbf9a60ae42e6899aa360db2cb037e",
        facts="78a95907c443930ad1317d55e1d121da",
        memories="bb0f9e2a2939ba666f65dc4710a08ded",
    ),
    Digests(
        logs="b9148304997570da152aab918e8ce376",
        facts="e60c9e503623999bf1d725169f8e5a15",
        memories="cfd2f3d15287db186d3f72fae0817db5",
    ),
    Digests(
        logs="10c2d8ca654ccf4931695d2f248e7ce1",
        facts="3307ac67e2cee59322a65bc2cdaafe19",
        memories="c2512c87bd4908176e21f85dfdae41f3",
    ),
    Digests(
        logs="4c509342f22448e8dd1ed3388fdaec3d",
        facts="93e7ef7c4b3df320ae64d6ebe30e8b99",
        memories="3dd19554aa2ebc096582115095e669a0",
    ),
    Digests(
        logs="a4b3d0e6811ab03177abe6f2e3ed57b9",
        facts="f182211dab8c79bb21d71022e0c53c07",
        memories="01fbb5455406a975d336b5976de4d5e0",
    ),
    Digests(
        logs="892a2795e54f603df94dd75e184c33ef",
        facts="00933c8013047a1eaa9f8525ba0b59af",
        memories="3c4cd850a0bf095cbcc310a16730f0dd",
    ),
    Digests(
        logs="457abd5444156ee3b41b54e68faa4b4a",
        facts="62789e38a403bf0610265c9aca2ca8aa",
        memories="229d9a2bb635ef6d5a74112c73aa1940",
    ),
    Digests(
        logs="6c35c8ad6dc2aff90d9da79ff0ffcde9",
        facts="e55f9c041ff206c70a10f7fbaa891efe",
        memories="eeaf9d1ee1cd8f0ef444a7e21df8142b",
    ),
    Digests(
        logs="e3852974fbf1c850549cc23c458ac9d0",
        facts="a8a42061532eea59759f101de51f29c1",
        memories="36a835d5e4a3b147259e110f22090c8e",
    ),
)
DEMO: Final = "17112c2bcaad7b3eb75f16cfdc41a00e"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "40c77b6e817175402c16056c0d135ab4", "7a6d9bf4f65f1ee1ea77c373e1325ac7"
    ),
    "dev/wg": Transcripts(
        121, "10ce68b10c2a2090b971a64558ee5205", "d7a16026587507e4d9e58dab6a2949cb"
    ),
    "agents/dev": Transcripts(
        26, "8453b146b79694a6772fd27358e740f0", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "658df094316a008cd4e925d2740d8708", "a58a27f5a9c11e3bf27b69717d33b435")


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
