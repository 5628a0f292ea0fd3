"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 19: a tool result that is kept has who gave it; what is to be
chosen from is told with what stands beside it; what puts no course forward is no proposal, and a
bare verdict is told with what it rules, an instruction without its headings; a seat notes that it
had the floor or was nudged;
reports and reasons are no proposals, and items have the title of their message; nobody decides
alone otherwise than others have; a stretch notes what its entries did to the ledger, for its
summary; written talk is read as documents, with its turns and labels; what two agree on binds;
what was accepted stays accepted when it is merged into an open proposal (five of the first
thousand logs).
`logs` has the entries with all their fields.
The version of the fold is not among the bytes: it may rise where none of these logs fares
otherwise.

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
    logs="8c385f4a6806490dbe652e709ab7149a",
    facts="2a520e7116ef1d063b802098b2a6c47e",
    memories="6d65a84656bc79837f764ced79769eb5",
)
GENERATED: Final = (
    Digests(
        logs="79f6722e26d30fb8555aebbb25f7dcc7",
        facts="31ba0f04ef6ae0a4f8979191f576394e",
        memories="a27fcdbd6c40f4bbadc0ddbc86460f3d",
    ),
    Digests(
        logs="0933c698fa28db8b14546a0451073d86",
        facts="3db636b2f0e9f413de1dd35b4d78e699",
        memories="2a5bae1c34f8a85bb9052051d28ae8cd",
    ),
    Digests(
        logs="a4bfb367929139cbb92cac9e38120c14",
        facts="7e70fcbc6d7e459f30b568de647f45e8",
        memories="0bcad750d226d827492bbcc5b3fee163",
    ),
    Digests(
        logs="823cca5d3bd6cf280eb3372d43f7dc12",
        facts="30c8e09c9d1d3872a30c4fd5084e308a",
        memories="189cb1a98c52e52c2fb220e833895deb",
    ),
    Digests(
        logs="49ae7468cc4a534b656e95496556a443",
        facts="81a77ace91026dc72a82d0c301df4008",
        memories="f099feba0c2ac2275ee9dd3ddcba4620",
    ),
    Digests(
        logs="18d94c690198161d4a035b420f878962",
        facts="807cdbccf0667e8dd49f6fce366eb5d3",
        memories="22546ea7eb32bfe4d9065783adf3d28d",
    ),
    Digests(
        logs="5168644e10260029cafe39d60015bc92",
        facts="6ba3379fbdf1e275b762b72bbc354b8f",
        memories="0242c85b1ee5ac5c19352836dc39bc3e",
    ),
    Digests(
        logs="ecf562fca87b70205d77028576dce554",
        facts="9c6d35edeef7382464b4f665b46d9650",
        memories="a0551fc0b511d33f001f0b5158af2209",
    ),
    Digests(
        logs="902ecf7a671e02ad2f0d68ed80de2ba8",
        facts="698f76eb57123230d3f1f5b4cc01c3ed",
        memories="0c8af4ea213e9d20ca750a538caa3740",
    ),
    Digests(
        logs="d20b1cb1479983b06a88367ef60cad52",
        facts="8690aceead9c357240dcd06f586cd1a5",
        memories="f10445c2416aced403e75323e711f60e",
    ),
)
DEMO: Final = "17112c2bcaad7b3eb75f16cfdc41a00e"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "8dfb484a43420b7b918becaa7bf9211c", "22ed562530088e6400e3d90541cb2284"
    ),
    "dev/wg": Transcripts(
        121, "113ecd93cb4eaf675a25fd6ac3db6173", "6b5d825e3242b89e3c2601841b0d5ff9"
    ),
    "agents/dev": Transcripts(
        26, "9f4d67fd54e44c123e6a2e960536d93f", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "b310dbddc3330a80a9237d238578867a", "3b5f97654fee8ab886edae61872aa055")


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
