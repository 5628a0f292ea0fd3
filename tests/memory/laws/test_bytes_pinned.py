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
    logs="a5c794302e37eeb5a8c16e05e041d7e8",
    facts="e798d08ab7ebc12dc1587ef9bae96310",
    memories="e83c388648a302cb9c791a9b943c974d",
)
GENERATED: Final = (
    Digests(
        logs="a6c23cbd2ac66e8cc8c671a9719f3be6",
        facts="63679b8157efc7b5b1549f25b16e3629",
        memories="d75c64d12f1401b92d08dda59a0bfe5b",
    ),
    Digests(
        logs="97beddc45ad784f73a398cefc94a3755",
        facts="79b7f9a01c50527136a8a0f09d9ce97c",
        memories="2ba03b8c47d42e174cc228984308e1f2",
    ),
    Digests(
        logs="9c118cebf38e092ef034eb1bc7a36930",
        facts="7b2aa7f44e6063817cc2b7d0e3ce967a",
        memories="1dcfb8ba6fbb087703ab4dc2270cad9e",
    ),
    Digests(
        logs="7887adfa139eabf5f31475b7f74e4034",
        facts="5793215dfaaf222c971f92e2bd6ca9ff",
        memories="f1095226d75e2c4349b34350ae629a4b",
    ),
    Digests(
        logs="4484ecb5c749aa76cf4ce7c3fa236314",
        facts="5e5892af642ab5e683072d08f4c9abb8",
        memories="3431375282dcf3b65169dac762a41e5a",
    ),
    Digests(
        logs="1a59c94090a98d29cfab675d9ff5e041",
        facts="034f56696bb62000193a63e13684b429",
        memories="bee6b45dcc24e9f40f213c9d9deb7f7b",
    ),
    Digests(
        logs="11415b4551af054fa7698a766fad97d5",
        facts="36ae6ac74bef677ef0c999950a07f88e",
        memories="5f911f300ea00b33b1faa51cb2bd974f",
    ),
    Digests(
        logs="269a21f0d45a07535981818460b02dc1",
        facts="5da1ee4262790bf68fc8c59207dc9622",
        memories="334b781658c7086676848766a3d76e7b",
    ),
    Digests(
        logs="75b4f5e4fcdd7ceded471294cd8fa51d",
        facts="ff2e382a01b3288f8a0fc05888e60c73",
        memories="ec7faf343b7e26071e63b89be6248e9b",
    ),
    Digests(
        logs="04e4c9ebb3e2e270edd3724212e1a0e8",
        facts="428e8d67d828b9f0d5185e434d39a714",
        memories="e19f74e5022ac8d12234a0b187816cec",
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
