"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000 (the
default suite folds the first 200, with a digest of their own). Of the generated ones, the logs
themselves and the facts on the way are pinned too. Where `logs` differs, the generator has changed,
and the rest of that row says nothing of memory.

The digests are those of fold version 12, in which a stretch notes what its entries did to the
ledger, for its summary. With `open.changes` and each range's `changes` taken out they are those of
version 11; the logs and the facts on the way did not change with it. The version of the fold is not
among the bytes: it may rise where none of these logs fares otherwise.

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
    facts="be2ff23723f8b16652faee2c57ead162",
    memories="978c5443c42c6befcdd43492d26cff22",
)
GENERATED: Final = (
    Digests(
        logs="d8d5ff3fbd833a634b598982e2ae8fe1",
        facts="ad8147878352de6342e5360312da64c1",
        memories="6fb8349db553d52547742d56935a9b0d",
    ),
    Digests(
        logs="40dff8c708b4a4cd5368d6eddb1f367a",
        facts="d5bad4287ff3428cc1a96e87083b8b1f",
        memories="55b28a898880811e45a0add18b5be09d",
    ),
    Digests(
        logs="d808ea448896d3672a2ad0d5bf1c0361",
        facts="6007713d44194e18c56bc0842676c015",
        memories="4736a5cbba6a83a65ec917cf5f6cab79",
    ),
    Digests(
        logs="0be8ebe8fdb51167de0aa930dc374c44",
        facts="c1bcd1c9bf5fb4c5d93d327d50f47722",
        memories="d379279444b6de815bd0fcbf40f8eb86",
    ),
    Digests(
        logs="fe3bc3c9545a02ae538b582ba8bb530d",
        facts="948ab669458a6ea19e320cab83e41a7a",
        memories="ebeaa3edf569cbf3f6a1224b81e5d542",
    ),
    Digests(
        logs="3035c8c58d1d00cef7a07f162ab54055",
        facts="8799ccdb4f5e203c8e698ee73719002b",
        memories="e169ed0ee9126cbb6455b95a4fdddab2",
    ),
    Digests(
        logs="75b44c14858cfbdb9a7b6da079352d67",
        facts="bc6cd60e8806be869411ae61ecab4ad8",
        memories="3a5e9800c50f0a353682b322150e90b6",
    ),
    Digests(
        logs="2a5c0b9bd24fb2f40022f203cbf70e49",
        facts="eddc6e85ad2dedf608ef0bc69193b262",
        memories="e059b0f145f03aa287b8c7b4ab324775",
    ),
    Digests(
        logs="439abb68d4a04f6fac6e30b6f15920a1",
        facts="824a4e5553b6bdde9d9a150f5811a154",
        memories="5a44be1cc164cca07aa8f8022b01be08",
    ),
    Digests(
        logs="b8f4de8c6eb2208bf0c4a28a1fa821f4",
        facts="011f8ae9ca963f50b09f42d2cf1ec653",
        memories="bf21b172dadd587f95da4a420c09b2dc",
    ),
)
DEMO: Final = "2b53d7acc7fd709faf30754e72314597"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "a3039cd78e1f152467bc33a9c134203b", "b5f31142bc64f84b0c98848ba9f1ef67"
    ),
    "dev/wg": Transcripts(
        121, "a9df35e5e1c5a6194cde412467c65599", "66bd05462408e4769858ee79bd15dafb"
    ),
    "agents/dev": Transcripts(
        26, "235a712f4dd1cbf3f9b1234b46063955", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "2aa82aa7f7a1ce8f849d678788792ec8", "32c1c0d29f476021b24e664c93bfbfdf")


def digest(parts: Iterable[bytes]) -> str:
    """The sha256 of all parts, each behind its length; 32 hex digits."""
    found = sha256()
    for part in parts:
        found.update(b"%d:" % len(part))
        found.update(part)
    return found.hexdigest()[:32]


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


def said(file: Path, *, stripped: bool = False) -> list[Entry]:
    """The messages of a transcript; `stripped`, with the lines whose marks were cut."""
    rows = _rows(file)[1:]
    cut = {row["index"]: row["content"] for row in _rows(_cut(file))} if stripped else {}
    texts = [(row["agent_id"], cut.get(row["index"], row["content"])) for row in rows]
    return [Message(participant=who, content=text) for who, text in texts if text.strip()]


def transcribed(files: Sequence[Path]) -> Transcripts:
    """What the memories of these transcripts come to, taken together in their order."""
    whole = digest(pinned(folded(said(file))) for file in files)
    marked = [file for file in files if _cut(file).is_file()]
    stripped = digest(pinned(folded(said(file, stripped=True))) for file in marked)
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
    ["agents/dev", *(pytest.param(f"dev/{one}", marks=pytest.mark.long) for one in ("irc", "wg"))],
)
def test_transcripts_come_to_the_same_bytes(folder: str) -> None:
    """As they were said, and where they have marks of proposals, with these cut."""
    assert transcribed(transcripts(ROOT / folder)) == CORPORA[folder]


@needs_corpora
@pytest.mark.long
def test_the_long_session_comes_to_the_same_bytes() -> None:
    assert transcribed([long_session()]) == LONG
