"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 15: a stretch notes what its entries did to the ledger, for
its summary; written talk is read as documents, with its turns and labels; what two agree on
binds. The version of the fold is not among the bytes: it may rise where none of these logs fares
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
    logs="a5c794302e37eeb5a8c16e05e041d7e8",
    facts="cfbf88d3647147577dfd5bace6a5faf5",
    memories="74bbb38de27a1f1666020ab0d10c7de7",
)
GENERATED: Final = (
    Digests(
        logs="a6c23cbd2ac66e8cc8c671a9719f3be6",
        facts="969f21932f9966dc3cbe8aa126daff8c",
        memories="945576177b3069120e72ab01ee9244dc",
    ),
    Digests(
        logs="97beddc45ad784f73a398cefc94a3755",
        facts="3f4859758550d1bcd9f0e9c01cdcc827",
        memories="9ef6aa35602503ee37b76fdd4b076351",
    ),
    Digests(
        logs="9c118cebf38e092ef034eb1bc7a36930",
        facts="68fe719bc6e0891ef04ba5bb134223de",
        memories="bf6084bee75eadd2f026e9e3de84df5d",
    ),
    Digests(
        logs="7887adfa139eabf5f31475b7f74e4034",
        facts="f2be548357f27dcd39ee7559fb164a9c",
        memories="265d6d64d1d18b31d12deee6a50dbbfe",
    ),
    Digests(
        logs="4484ecb5c749aa76cf4ce7c3fa236314",
        facts="66273fe023bee9a107de5ac5534b29e9",
        memories="5b36f5c53a01595179a0d865f937db96",
    ),
    Digests(
        logs="1a59c94090a98d29cfab675d9ff5e041",
        facts="7da3cb9afec959c053af50dd0a9dc180",
        memories="354d16186e733aa3638aeb025450b11d",
    ),
    Digests(
        logs="11415b4551af054fa7698a766fad97d5",
        facts="02f732f213d2225537bfba5934f0d56f",
        memories="7b6060df5f4ad2896298d7783b202a46",
    ),
    Digests(
        logs="269a21f0d45a07535981818460b02dc1",
        facts="80c4cc06d1aa896ac31e8ff5ace52d54",
        memories="6bc7cb17354019bf2935e23439b42160",
    ),
    Digests(
        logs="75b4f5e4fcdd7ceded471294cd8fa51d",
        facts="a06d73ebeed0ca42f9f1049e6d27c6a8",
        memories="b21e1ad83106c4c6b817edf1d863d970",
    ),
    Digests(
        logs="04e4c9ebb3e2e270edd3724212e1a0e8",
        facts="7a9173d6fa225f44a6ba945f95677f28",
        memories="8c0d262003b3545fd6a37a45132357c2",
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
