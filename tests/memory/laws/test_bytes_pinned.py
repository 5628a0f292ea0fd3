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
    facts="8aefc194491888d20452e35bc6eea558",
    memories="3ac8f5a25398e67c52a9e4565c85ad4f",
)
GENERATED: Final = (
    Digests(
        logs="adcdaad0d9870296558aeb3b61274638",
        facts="981690afc038c266d85e0641963f70e3",
        memories="2bc1ac02ed5add753cfb3e5446692cf5",
    ),
    Digests(
        logs="5f1c5f899508efaad33a287dbc2bf05b",
        facts="fc9f4df3a60862c32c2c58f11bc70e12",
        memories="54a318cfc5367ba72019b406cf973768",
    ),
    Digests(
        logs="e0850f939f8158e5b09efb7972f100bc",
        facts="8b3fbdd377792f0d64c73915a985c36d",
        memories="77564833400880731b69a8ea4f85a7a6",
    ),
    Digests(
        logs="133f5bcee4f3ca1c00ea480d8b6c3973",
        facts="de4527e770d9ebb3328417bd360c2d43",
        memories="52b753e871c224c479e92030d73a4d80",
    ),
    Digests(
        logs="6056ac93ec83b91fa508286e24204c94",
        facts="5a6b036b31361894f06969ab0c8df7e1",
        memories="8334f1e35b349e2d5cf858eb5e155bb9",
    ),
    Digests(
        logs="3fca2774ebb86c2701a45b17225c1bff",
        facts="a0a2e840394bcc90e814ff6bcc762708",
        memories="deb989f341be251dc80d0326a02a740d",
    ),
    Digests(
        logs="80ab948271a73ddce030b45a02f0a10a",
        facts="264f8bca0c7b93fe706765f70bdf2639",
        memories="b96be3f558740130b23a25c69e60c3bb",
    ),
    Digests(
        logs="db5eaac4b7b615cfada84ee6dec05cb4",
        facts="150254b1536094d4a0b49b09b0095ecb",
        memories="4f70b4388fcc453365f4c4b22e544b69",
    ),
    Digests(
        logs="f6ccae5364a2e1dfdc73cf0d99560a40",
        facts="8d05bc23de45bfca11fcc48fa182a50d",
        memories="ef197734a17740d5d69b4ca69c452e79",
    ),
    Digests(
        logs="733a521795149d059e3f324dbf379990",
        facts="4c17948884a7c3850d99496d9559a0e0",
        memories="778dae840563f48ba09531c13d26c9d3",
    ),
)
DEMO: Final = "0c49b17aaa63cad1692f6944220cda8b"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "cf538e13d70d6e2fa7855b338dff476f", "0296f16ef6531c27c750033333d58923"
    ),
    "dev/wg": Transcripts(
        121, "ce0be722bed55d4ba23b4343b9b703ed", "d96e40c6a76cc407b3a3d07c9d377c75"
    ),
    "agents/dev": Transcripts(
        26, "aeed7c27d760bdf2dc214101884830c2", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "13cc06c8cc810dd77a292e063984d9ff", "0f87c28d9ef5c46abf764200995d8dee")


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
