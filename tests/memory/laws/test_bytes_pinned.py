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
    logs="3d96275e286920a08348ab654dc8dbe4",
    facts="d0f95bc7c5fe1ab38845bde134f4a039",
    memories="0bb8803eeb7c672b12de54cb700871bf",
)
GENERATED: Final = (
    Digests(
        logs="7950506717c07d692ba2af8c52d9dae5",
        facts="6d4afa976e0e5b68ef5b6558d4f21abd",
        memories="44247b4eab15e5d6789c5b66db59313d",
    ),
    Digests(
        logs="cd6d19850f47013783f1d7f871490bc3",
        facts="488ddb08f4591c546eebd25ec3ea6bdf",
        memories="7ea94df47e904c115a74a1b7efa36492",
    ),
    Digests(
        logs="f392ab3b3240f86b1ee402f135355012",
        facts="252c13aa557a0cc8f63f47dacd5873e7",
        memories="895d9c20a1e3c23c4a7ecf47750f0b97",
    ),
    Digests(
        logs="0067100754e9834e80ad13ab8f839710",
        facts="e49678a72cc1f05aac3a96ac34126677",
        memories="ae73c96839fd67fe6e02b9f366235879",
    ),
    Digests(
        logs="bb01de2570c91b3db79f53255f3d813a",
        facts="62f68d16d24230d33ff37451c0e9fab8",
        memories="162cdcd6e2f355deb13c925b67dc2acc",
    ),
    Digests(
        logs="02d837a44e641437c29f85c11a13533f",
        facts="a87e1079743848cceffc4f9ce2bbc757",
        memories="e4e4a82be4d1f33f4ed8015c3f306904",
    ),
    Digests(
        logs="096450b50a0ff3de23c254bf23c76008",
        facts="2361837af54300b26a7c0c4aae60d96b",
        memories="491f3e974d8b044c7356c18ba2c063f7",
    ),
    Digests(
        logs="08257f9cf09917fec53d39baf849e6ce",
        facts="57ed26772dce6deaeb974bc131c33d39",
        memories="4e4cc82274056763bc9a521348b2229c",
    ),
    Digests(
        logs="a0e2d46049e8bd3dd7465fd18725e0d8",
        facts="227297cd7eb1f9490dd38bf19ad51e49",
        memories="b69561f14a84a87a7fc085219219c00e",
    ),
    Digests(
        logs="6b26dfde04127b79236cf811a35a233b",
        facts="f09a97d18ed5071d7cf50bcd4acaa011",
        memories="54214f46ce17b20b642e16c80ee9f4e9",
    ),
)
DEMO: Final = "e13ac39cdfa71166f47eeef9d30248a7"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "ed946713c193ea7407b4c75c6b09fdfa", "3ecb5bbd97ce406b1dfeb23215f019da"
    ),
    "dev/wg": Transcripts(
        121, "cf4f70140d4d0165123dc4a863d08597", "7446549b625e1677fa29c3cf933d2c08"
    ),
    "agents/dev": Transcripts(
        26, "f4ee03ea1e488666fcda6204b304b11f", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "6e28eba607853c2686ad0ce276ca1616", "1a0f36241ee82f8ed57225504ef32de3")


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
