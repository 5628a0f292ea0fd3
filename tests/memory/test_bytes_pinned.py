"""Memory's canonical bytes stay what they were: moving code must not change what is folded.

Pinned are the first 32 hex digits of the sha256 of the bytes that snapshots are made of: for the
bundled demo, for the corpora where they are, and for 10,000 generated logs in blocks of 1,000. Of
these, the logs themselves and the facts on the way are pinned too. Where `logs` differs, the
generator has changed, and the rest of that row says nothing of memory.

The digests hold for fold version 10 as well, which still read speech by rules, once that version's
`structure.spoken` and its settings `structure.manner` and `structure.decisions` are taken out. No
log here ever turned into speech under it; the recorded speech of `dev/ami` did, and is left out.
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
from parley.listeners.sessions.shipped_packs import newest
from parley.memory.canonical import dump
from parley.memory.fold import fold
from parley.memory.state import FOLD, Memory
from parley.server.plays.demo import bundled
from tests.corpora import ROOT, long_session, needs_corpora
from tests.fixed_logs import PACKS, FixedSession, fixed_session
from tests.logs import numbered

BLOCK: Final = 1_000  # logs


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


GENERATED: Final = (
    Digests(
        logs="a5a2a1510c231445519fab6a31216284",
        facts="4fb6c65ac9a466a7c5d856d7618a8d3b",
        memories="12fbba798d175f31ad09912c2ac502ad",
    ),
    Digests(
        logs="1bd6ec4e790e774ab00b22d423efae0d",
        facts="6cb101e568c2fce6d2ce639cabdd9520",
        memories="79c312ac7167781f2e19e16004a80f13",
    ),
    Digests(
        logs="039fcd5edfc637805684350184b2e00a",
        facts="e28ead3af4768009a5c4c2d955e446ad",
        memories="a3e7ddd1b40137924e7faf177997b645",
    ),
    Digests(
        logs="8ac5105d56c82eddd2778db80263334f",
        facts="bb87558d8247c10521d1e56216e42957",
        memories="990e45fde348d36f1287f167f98d492a",
    ),
    Digests(
        logs="ef11e4104cbfc88db8c983d7744bccc1",
        facts="9dc3a2dc890e88071209e4a7c48bd514",
        memories="5d391a72cc2fef5a15117a5b866482d6",
    ),
    Digests(
        logs="37119b9037d1801bc8d66b3015aa23db",
        facts="09b59e05e124fe84c6285c425e09baf5",
        memories="12c6e6b8f6e48373923a5bee5bad0e24",
    ),
    Digests(
        logs="b03055a33e36a5a8a28a8204fdcdebcd",
        facts="fcd334eb8d69c6e019196607607dfdf2",
        memories="448d3b19ed5c6c4c0c1ed4ff81481abb",
    ),
    Digests(
        logs="36af58e08336e992deb5613f6eb694e4",
        facts="cccbec3841a9a3241a062fb6a4ff2855",
        memories="e97bea9448a2424d2afc63ed49d180a8",
    ),
    Digests(
        logs="23d741837821da6de0e21b0088374295",
        facts="df666aa9d66f88a227f1509bf1556f5b",
        memories="b5b2dc3c03b5805dee007ef1f3c9c378",
    ),
    Digests(
        logs="f4af1ffeaee7746a67e31242a1d53e5e",
        facts="f465cdf8515a5aff993628007f3c16b0",
        memories="cbdacb55203961808925495708b38a3d",
    ),
)
DEMO: Final = "4af7924d2b24c8a1f5afeb964a0a8520"
CORPORA: Final = {
    "dev/irc": Transcripts(
        86, "56f83fe2ffc0222237679a730f2da8c1", "d616d3842cc9e23101616a14f88b2c30"
    ),
    "dev/wg": Transcripts(
        121, "bd5fcf24b40a731875d0c1b622dd763d", "8e3c658eb7544de5c9c20b7aa6ac9a1c"
    ),
    "agents/dev": Transcripts(
        26, "0715d44d40dddd9cbf54bc46af0eec64", "e3b0c44298fc1c149afbf4c8996fb924"
    ),
}
LONG: Final = Transcripts(1, "bb562194922c994bd4ba0d7054a9a89f", "014b6d7f837d6cdd8a1b869029c3767a")


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


def block(number: int) -> Digests:
    """The generated logs from 1,000 x `number` on."""
    sessions = [fixed_session(number * BLOCK + index) for index in range(BLOCK)]
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
    return fold(Memory(PACKS), numbered([SessionOpened(packs=newest()), *entries]))


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
    memory = folded(one.entry for one in bundled().said)
    assert digest([pinned(memory)]) == DEMO


@pytest.mark.parametrize(
    "number",
    [pytest.param(k, marks=pytest.mark.long if k else ()) for k in range(len(GENERATED))],
)
def test_generated_logs_come_to_the_same_bytes(number: int) -> None:
    """A thousand sessions of every kind of entry; the other nine thousand in the long form."""
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
