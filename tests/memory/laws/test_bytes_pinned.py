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
    logs="16feea91d2839ad455780803bd7f6f95",
    facts="168bb45a47e123d9410b0ce72f64e4fa",
    memories="e3851eb698a6770c829a9cd15fb9c582",
)
GENERATED: Final = (
    Digests(
        logs="adcdaad0d9870296558aeb3b61274638",
        facts="9b615bec504845d5dd3410c72707371d",
        memories="7d861c3c8ee9003a773cdf0e233ae1de",
    ),
    Digests(
        logs="5f1c5f899508efaad33a287dbc2bf05b",
        facts="93f1e4673ac62e2f1eeaf86c739b91eb",
        memories="5b56e77051f31473bbff8749f07c666e",
    ),
    Digests(
        logs="e0850f939f8158e5b09efb7972f100bc",
        facts="8d36739ca758a5bb91e5603ad1f572e5",
        memories="77279319be1cfe1cc483a2288ff4db93",
    ),
    Digests(
        logs="133f5bcee4f3ca1c00ea480d8b6c3973",
        facts="e1a7514494b7522993157ea444e657c8",
        memories="acb088e7d2b3bb6be37ca6907034f844",
    ),
    Digests(
        logs="6056ac93ec83b91fa508286e24204c94",
        facts="5cd3c1ad92b9144daff2837be669e2a1",
        memories="ad4ad4b429fd5d2135908540a8bf9296",
    ),
    Digests(
        logs="3fca2774ebb86c2701a45b17225c1bff",
        facts="3fc6c1941ff2e078e1b38d6cc85d87fb",
        memories="b989a34bf9df2ef3e0446ac2a336f00f",
    ),
    Digests(
        logs="80ab948271a73ddce030b45a02f0a10a",
        facts="c0c7a86e9e36887e9de6a29dddb29659",
        memories="ae789c30152b00bed8f56f16b2c17477",
    ),
    Digests(
        logs="db5eaac4b7b615cfada84ee6dec05cb4",
        facts="4d7f63fdaf4ea70440abff14d2a8bde2",
        memories="14c8815af43d4897edd08be69a0756f5",
    ),
    Digests(
        logs="f6ccae5364a2e1dfdc73cf0d99560a40",
        facts="db7e02c720d9107906f8f8da568223bd",
        memories="abbc0c286d6ce8dc7ff20ebe1f2cbc19",
    ),
    Digests(
        logs="733a521795149d059e3f324dbf379990",
        facts="c005c06477b305661c48765d5ccf9691",
        memories="46747dddb212b0225d40f1e09f324f18",
    ),
)
DEMO: Final = "48d125de6fdfac8b7a3165b1ec7c88c9"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "498bac9bf1e639bdc795b5e31f2db268", "9c1abe518b19a442305c98ecdaa4ee78"
    ),
    "dev/wg": Transcripts(
        121, "8167e22f2bd49235a8b9d16056b8828c", "c930e32fbc97f09ad217b040c8b9b6f1"
    ),
    "agents/dev": Transcripts(
        26, "bcb091ba203260c06a0696e340473670", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "92aa1b5be07bdb054b9ffeb34df8904d", "c8a552f0bf5e222b94d216a92527dc2d")


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
