"""What the benchmarks run on: the corpora where they are, and plain talk of our own."""

from __future__ import annotations

import json
import os
import random
from importlib import resources
from pathlib import Path

from parley.bus.contract.wire import decode, encode
from parley.bus.entries import PRIMARY, Entry, Message, PackRef, Record, SessionOpened
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.state.memory import Packs, pack_key

ROOT = Path(__file__).resolve().parent.parent
CORPORA = Path(os.environ.get("PARLEY_CORPORA", ROOT.parent / "shared" / "corpora"))

ENGLISH = parse_pack(resources.files("parley.memory").joinpath("packs/en@1.json").read_bytes())
PACKS: Packs = {pack_key(ENGLISH.name, ENGLISH.hash): ENGLISH}
OPENED = SessionOpened(packs=(PackRef(ENGLISH.name, ENGLISH.hash),))

_WORDS = tuple(
    """
    the queue index backup release cache shard replica quota alert ticket budget vendor customer
    rollout migration latency region schema audit deploy cluster metric review we they it should
    could might was is has been looks seems before after during without more less slow quick last
    next week morning report number error trace log chart page
    """.split()  # noqa: SIM905  # a list of sixty quoted words reads worse
)
_ACTS = (
    "I propose we move the {} to the second {} next week.",
    "+1",
    "I agree with that.",
    "-1 the {} will not hold",
    "We have decided to keep the {} as it is.",
)


def transcript(path: Path) -> list[Entry]:
    """The messages of one file of the corpora, behind an opening entry."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        OPENED,
        *(
            Message(participant=row["agent_id"], content=row["content"], at=row.get("timestamp"))
            for row in rows
            if "content" in row
        ),
    ]


def agent_texts() -> list[str]:
    """What agents wrote in the recorded talk of agents; empty where the corpora are not here."""
    texts = []
    for path in sorted((CORPORA / "agents" / "dev").glob("*.jsonl")):
        if len(path.suffixes) == 1:
            rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            texts += [row["content"] for row in rows if "content" in row]
    return texts


def meetings(corpus: str = "irc") -> list[list[Record]]:
    """Every meeting of a corpus as records; empty where the corpora are not here."""
    paths = sorted((CORPORA / "dev" / corpus).glob("*.jsonl"))
    return [
        numbered(transcript(path))
        for path in paths
        if path.suffixes not in ([".gold", ".jsonl"], [".stripped", ".jsonl"])
    ]


def long_session() -> list[Record]:
    """The session of 30,050 messages; empty where the corpora are not here."""
    path = CORPORA / "long" / "long-session.jsonl"
    return numbered(transcript(path)) if path.exists() else []


def talk(messages: int, chars: int = 480, seed: int = 1, acts: float = 0.03) -> list[Entry]:
    """Messages of about `chars` characters by eight people, a share of them acts."""
    draw = random.Random(seed)
    made: list[Entry] = []
    for _ in range(messages):
        if draw.random() < acts:
            template = draw.choice(_ACTS)
            text = template.format(draw.choice(_WORDS), draw.choice(_WORDS))
        else:
            words: list[str] = []
            while sum(map(len, words)) + len(words) < chars:
                words.append(draw.choice(_WORDS))
            text = " ".join(words).capitalize() + "."
        made.append(Message(participant=f"agent-{draw.randrange(8)}", content=text))
    return made


def numbered(entries: list[Entry]) -> list[Record]:
    """`entries` as the records that a reader of the log would get."""
    records, n = [], 0
    for seq, entry in enumerate(entries, 1):
        n += entry.kind in PRIMARY
        records.append(Record(seq, n, f"line:{seq}", 0, decode(encode(entry))))
    return records
