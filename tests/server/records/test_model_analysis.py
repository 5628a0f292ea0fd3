"""What a model reads, from the command line: a transcript whole, and a session's items."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import ItemsExtracted
from tests.support.doors.calls import Parley
from tests.support.servers.fake_openai import FakeOpenAI

TALK = (
    ("ana", "I keep thinking of a second index on the north shard."),
    ("bo", "Could be. Fine by me."),
    ("cy", "I propose we rebuild the importer before the next release"),
    ("dee", "The second index, that is where we ended up."),
)
PROPOSED = {"is": "proposal", "n": 1, "id": "a", "quote": "a second index on the north shard"}
AGREED = {"is": "side", "n": 2, "quote": "Fine by me", "side": "support", "of": ["a"]}
ENDED = {
    "is": "ruling", "n": 4, "quote": "that is where we ended up", "out": "accepted", "of": ["a"],
    "right": "unopposed", "says": "The north shard gets a second index.",
}  # fmt: skip
DOUBT = {"is": "check", "of": ["P1"], "verdict": "wrong", "why": "hypothesis"}


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talk.jsonl"
    rows = [{"index": k, "agent_id": who, "content": text} for k, (who, text) in enumerate(TALK)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    rows = {"rows": [DOUBT, PROPOSED, AGREED, ENDED]}
    with FakeOpenAI(lambda _: json.dumps(rows)) as server:
        yield server


def test_a_transcript_is_read_whole(parley: Parley, talk: Path, fake: FakeOpenAI) -> None:
    """What the model found is marked, what it denied is left out, what it cost is told."""
    model = ("--extract-how", "model", "--model-url", fake.url)
    report = parley("analyze", talk, *model)
    assert report.code == 0
    assert "M1 accepted (as read) a second index on the north shard" in report.out
    assert "M4 accepted (as read) The north shard gets a second index." in report.out
    assert "for: bo (2, as read), dee (4, as read)" in report.out
    assert "rebuild the importer" not in report.out  # what it denied
    assert "extraction: 1 stretch read by a model, 0 waiting; 3 claims, 2 new items" in report.out
    assert "1 call:" in report.out


def test_rows_of_items_say_which_a_model_found(
    parley: Parley, talk: Path, fake: FakeOpenAI
) -> None:
    """In the form that extraction is scored in; what it denied is left out."""
    model = ("--extract-how", "model", "--model-url", fake.url)
    rows = parley("analyze", talk, "--format", "items", *model).rows()
    items = [(row["index"], row["label"], row.get("proposal_index"), row["how"]) for row in rows]
    assert items == [
        (0, "proposal", None, "model"),
        (0, "status", 0, "model"),
        (1, "reaction", 0, "model"),
        (3, "reaction", 0, "model"),
        (3, "decision", 0, "model"),
    ]


def test_without_a_model_it_says_what_to_do(parley: Parley, talk: Path) -> None:
    """One line; nothing is half done."""
    ran = parley("analyze", talk, "--extract-how", "model")
    assert (ran.code, ran.out) == (2, "")
    assert "give --model-url or --model-key" in ran.err


def test_what_was_not_read_is_named(parley: Parley, talk: Path, fake: FakeOpenAI) -> None:
    """Where nothing was, it fails; where some was, the rest is told of."""
    short = ("--extract-how", "model", "--extract-interval", "2", "--model-url", fake.url)
    fake.fail("quota")
    ran = parley("analyze", talk, *short)
    assert (ran.code, ran.out) == (1, "")
    assert "messages 1-2 were not read: HTTP 429" in ran.err
    assert "the model read nothing" in ran.err
    fake.recover()
    fake.fail("html", times=1)
    ran = parley("analyze", talk, *short)
    assert ran.code == 0
    assert "messages 1-2 were not read" in ran.err
    assert "M4 claimed (as read) The north shard gets a second index." in ran.out


def test_an_item_of_a_model_is_explained_and_retracted(at: Parley, redis_url: str) -> None:
    """Like any other: its words, the entry that says so, and a person's last word on it."""
    at("session", "new", "tea", "--extract-how", "model", "--extract-interval", "4")
    for who, text in TALK:
        at("say", "tea", text, "--as", who)
    asyncio.run(_land(redis_url))
    ran = at("explain", "tea", "M1")
    assert ran.code == 0
    assert "proposal (model extract:1:4, confidence 70 %)" in ran.out
    assert "a second index on the north shard" in ran.out
    assert at("explain", "tea", "P1", "--json").rows()[0]["shelf"] == "denied"
    assert at("correct", "tea", "M1", "--retract").code == 0
    assert at("explain", "tea", "M1", "--json").rows()[0]["shelf"] == "denied"
    assert "a second index" not in at("memory", "tea").out.partition("Positions")[0]
    missing = at("correct", "tea", "M2", "--retract")
    assert missing.code == 1
    assert "M2" in missing.err
    assert "1 stretch read by a model" in at("stats", "tea").out


async def _land(url: str) -> None:
    claim = {"label": "proposal", "n": 1, "quote": PROPOSED["quote"], "start": 20, "end": 53}
    check = {"ref": "P1", "verdict": "wrong", "reason": "hypothesis"}
    range_ = {"lead": 1, "first": 1, "last": 4}
    made = ItemsExtracted.model_validate({**range_, "claims": [claim], "checks": [check]})
    async with await Bus.connect(url) as bus:
        await bus.publish("tea", [Draft("extract:1:4:model", made)])
