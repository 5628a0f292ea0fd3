"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 12: a stretch notes what its entries did to the ledger, for
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
    logs="aa1ab5c296acccce1ae9c1ce254f7396",
    facts="9188802583553871139ba4c9ee19d779",
    memories="fc11159fa5ae300e94ef6e645f5c32df",
)
GENERATED: Final = (
    Digests(
        logs="d8d5ff3fbd833a634b598982e2ae8fe1",
        facts="c1328b76c9832598e566a3f17d54b7a1",
        memories="0d0f5c8724603057048bea219342bd5d",
    ),
    Digests(
        logs="40dff8c708b4a4cd5368d6eddb1f367a",
        facts="2b6244b7edbaa3a8ef58e7bb12e3d291",
        memories="d77a4efd05232abdad5c10a0b57dc7b2",
    ),
    Digests(
        logs="d808ea448896d3672a2ad0d5bf1c0361",
        facts="9e1c9e09e27174cab1a51dc9c3b86f27",
        memories="3c05fd5d2b240a5259c2da21de734263",
    ),
    Digests(
        logs="0be8ebe8fdb51167de0aa930dc374c44",
        facts="df7054e7104f0e54ddb69e89d1f406a2",
        memories="cacb137c9c16743c3562fdac745af7d2",
    ),
    Digests(
        logs="fe3bc3c9545a02ae538b582ba8bb530d",
        facts="2240c54d47de9d99395fcc3899b1f3e1",
        memories="b0ed563e38607f0d785c095adf7d4d46",
    ),
    Digests(
        logs="3035c8c58d1d00cef7a07f162ab54055",
        facts="0d9fbb5508f36404076718e9f69cdbf6",
        memories="d46fee5bd52a5574f45f9dc3e276964a",
    ),
    Digests(
        logs="75b44c14858cfbdb9a7b6da079352d67",
        facts="2ce1ba8d9acfe19a0bb41aacbeddce6d",
        memories="da8606877c7506144ea6671a4d4e1507",
    ),
    Digests(
        logs="2a5c0b9bd24fb2f40022f203cbf70e49",
        facts="95acb90304f8a6487deb9b40d9039f49",
        memories="d3d12d2c5886bce82afb322115a7d8fb",
    ),
    Digests(
        logs="439abb68d4a04f6fac6e30b6f15920a1",
        facts="a0255c808de935b03cf09e347edcd826",
        memories="66211e4a6ade8732a398c20d7db55ca3",
    ),
    Digests(
        logs="b8f4de8c6eb2208bf0c4a28a1fa821f4",
        facts="05e783435b3f148aeba7376d519bc51f",
        memories="cc87217e1ebf788d3f9e65526e6d9efa",
    ),
)
DEMO: Final = "7acbe0fb86566b6aac19e035235a1c78"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "cb758d64877d384a661d5fcdf3153b03", "0e181736f3fee1c2869463d4dbff1cb9"
    ),
    "dev/wg": Transcripts(
        121, "9c8001c87381455b1a540bf4978f0b55", "beb9330e4b8ac4ad67d7ad89370bb489"
    ),
    "agents/dev": Transcripts(
        26, "76cd1ae7a851d8b9cb0fc92a89a4791d", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "f5f5b8fb3f0057dfc763db43aa6c4837", "c3909612c312dd00918c7162cb9b7c31")


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
