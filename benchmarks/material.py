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
_BLANKS = 12  # words that a passage takes at most
_PASSAGES = (
    "## Plan for the {}\n\nThe {} was slow again, and the {} of last week shows why: every request "
    "waits for the {} before it looks at the {}.\n\nI recommend that we move the {} behind the {}, "
    "and measure it for {number} days before anything else is changed.\n\n- **Owner:** agent-{who}"
    "\n- **Risk:** the {} may be read while the {} is written",
    "I agree with agent-{who}. The {} should not depend on the {}, and the numbers of run {number} "
    "bear it out.\n\nOne addition: we should keep the old {} for a week, so that whoever needs the "
    "{} can still go back.",
    "There are two ways to keep the {}:\n\n- Option A: store the {} beside the {}, for {number} "
    "minutes\n- Option B: rebuild the {} from the {} whenever it is asked for\n\nI prefer option A"
    ", because the {} is read more often than it is written.",
    "I disagree with that. The {} does not fit into the {}, as ticket {number} shows, and nobody "
    "has looked at the {} since the last {}.\n\nCan we first find out what the {} costs?",
    "Status: done. The {} was moved behind the {} in change {number}, all tests pass, and the {} "
    "is as quick as before.\n\n```\nmake {}-check\n```\n\nNext I will look at the {}.",
    "1. Measure the {} on the {} of the customer\n2. Let the {} expire after {number} hours\n"
    "3. Write down what the {} promises to the {}\n\nThese steps can be taken one after another. "
    "Please tell me if the {} stands against it.",
    "The {} of today was quiet. Nothing in the {} points at the {}, and the {} of run {number} is "
    "within what we said in the {}. The {} is attached with all of its {}.",
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
    return _transcripts(CORPORA / "dev" / corpus)


def agent_talk() -> list[list[Record]]:
    """Every recorded transcript of agents as records; empty where the corpora are not here."""
    return _transcripts(CORPORA / "agents" / "dev")


def _transcripts(folder: Path) -> list[list[Record]]:
    paths = sorted(folder.glob("*.jsonl"))
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


def written_talk(messages: int, seed: int = 1) -> list[Entry]:
    """Messages of some 720 characters as agents write them, by eight of them: plans, options,
    answers, reports.
    """
    draw = random.Random(seed)
    made: list[Entry] = []
    for _ in range(messages):
        passages = [
            passage.format(
                *draw.choices(_WORDS[1:24], k=_BLANKS),
                number=draw.randrange(900),
                who=draw.randrange(8),
            )
            for passage in draw.sample(_PASSAGES, 3)
        ]
        text = "\n\n".join(passages)
        made.append(Message(participant=f"agent-{draw.randrange(8)}", content=text))
    return made


def numbered(entries: list[Entry]) -> list[Record]:
    """`entries` as the records that a reader of the log would get."""
    records, n = [], 0
    for seq, entry in enumerate(entries, 1):
        n += entry.kind in PRIMARY
        records.append(Record(seq, n, f"line:{seq}", 0, decode(encode(entry))))
    return records
