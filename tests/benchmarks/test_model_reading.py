"""What the reading of a model is measured by, and that it costs what the documents say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from shutil import copyfile
from typing import Any

import pytest

from benchmarks.model_reading import KeptAnswers, figures, main, read_talk, table, talks
from benchmarks.recorded import EXPLICIT, Recorded
from parley.listeners.models.model_port import Prompt
from parley.listeners.models.scripted_model import ScriptedModel
from parley.memory.text.text_sizes import count_tokens
from tests.support.logs.corpora import ROOT
from tests.support.logs.model_answers import answer_text
from tests.support.servers.fake_openai import FakeOpenAI

SCORER = ROOT / "score.py"
needs_scorer = pytest.mark.skipif(
    not SCORER.is_file(), reason=f"no scorer at {ROOT}; set PARLEY_CORPORA to its folder"
)

TALK = (
    ("Ana", "The export takes 3 hours. I'd split it by region."),
    ("Bo", "The parts will fight over one lock. Better: stream it with one cursor."),
    ("Cy", "Streaming is fine with me. Bo, you call it."),
    ("Bo", "Then streaming it is. Ana's split is off the table."),
    ("Ana", "Also: an alert when it runs longer than an hour?"),
)
FIRST = [
    {"is": "proposal", "n": 1, "id": "a", "quote": "split it by region", "says": "Split it."},
    {"is": "proposal", "n": 2, "id": "b", "quote": "stream it", "says": "Stream it.",
     "how": "alternative", "of": ["a"]},
    {"is": "side", "n": 2, "quote": "fight over one lock", "side": "oppose", "of": ["a"]},
    {"is": "side", "n": 3, "quote": "fine with me", "side": "support", "of": ["b"]},
    {"is": "right", "n": 3, "quote": "you call it", "who": "Bo"},
    {"is": "ruling", "n": 4, "quote": "streaming it is", "out": "accepted", "of": ["b"],
     "right": "delegated"},
    {"is": "ruling", "n": 4, "quote": "off the table", "out": "rejected", "of": ["a"],
     "right": "delegated"},
]  # fmt: skip
SECOND = [
    {"is": "proposal", "n": 5, "quote": "an alert when it runs longer", "says": "Alert at an hour."}
]
GOLD: list[dict[str, Any]] = [
    {"index": 0, "label": "proposal"},
    {"index": 1, "label": "proposal"},
    {"index": 4, "label": "proposal"},
    {"index": 3, "label": "decision", "proposal_index": 1},
    {"index": 1, "label": "reaction", "proposal_index": 0, "stance": "oppose"},
    {"index": 2, "label": "reaction", "proposal_index": 1, "stance": "support"},
    {"index": 0, "label": "status", "proposal_index": 0, "status": "rejected"},
    {"index": 1, "label": "status", "proposal_index": 1, "status": "accepted"},
    {"index": 4, "label": "status", "proposal_index": 4, "status": "active"},
]


def by_stretch(user: str) -> str:
    return answer_text(*(SECOND if "Messages to read:\n\n[5]" in user else FIRST))


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """Corpora of one transcript of agents, with the scorer of the real ones."""
    folder = tmp_path / "corpora" / "agents" / "dev"
    folder.mkdir(parents=True)
    copyfile(SCORER, tmp_path / "corpora" / "score.py")
    rows: list[dict[str, Any]] = [{"title": "Export", "repository": "own"}]
    rows += [
        {"index": k, "agent_id": who, "timestamp": None, "content": text}
        for k, (who, text) in enumerate(TALK)
    ]
    (folder / "export.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "export.gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    return tmp_path / "corpora"


@needs_scorer
async def test_what_the_ledger_shows_is_scored(corpora: Path, tmp_path: Path) -> None:
    """Proposals, the decision and what it settles, sides where they were taken, and statuses."""
    (talk,) = talks(corpora)
    model = ScriptedModel(lambda prompt, _: by_stretch(prompt.user))
    read = await read_talk(talk, model, 4, 2, tmp_path)
    row = figures([read])
    assert row["proposal"] == {"P": 1.0, "R": 1.0, "n": 3}
    assert row["decision"] == {"P": 1.0, "R": 1.0, "n": 1}
    assert (row["side"]["P"], row["side"]["R"], row["side"]["oppose"]) == (
        1.0, 1.0, {"R": 1.0, "n": 1},
    )  # fmt: skip
    assert row["status"] == {"acc": 1.0, "n": 3}
    assert (row["calls"], row["refused"]) == (2, {})
    assert "| export | 5 | 1.00 / 1.00 (3) | 1.00 / 1.00 (1) |" in table({"export": row})
    page = (tmp_path / "export.ledger.md").read_text()
    assert "M2 n 2 Bo: Stream it. | proposal accepted (as read) by Bo at n 4 (delegated)" in page
    assert len((tmp_path / "export.pred.jsonl").read_text().splitlines()) == len(read.rows)


@needs_scorer
async def test_a_model_that_reads_nothing_misses_everything(corpora: Path) -> None:
    (talk,) = talks(corpora)
    row = figures([await read_talk(talk, ScriptedModel(lambda *_: answer_text()), 4, 2)])
    assert (row["decision"]["R"], row["side"]["R"], row["side"]["oppose"]["R"]) == (0, 0, 0)


@needs_scorer
def test_a_run_that_ended_early_goes_on_with_what_it_lacks(
    corpora: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Answers are kept by their questions: the second run asks nobody, and says the same."""
    monkeypatch.setattr("benchmarks.model_reading.CORPORA", corpora)
    with FakeOpenAI() as fake:
        fake.answer = by_stretch
        words = ["--endpoint", fake.url, "--model", "m", "--interval", "4", "--overlap", "2"]
        main([*words, "--out", str(tmp_path / "out")])
        first = capsys.readouterr().out
        assert fake.calls == 2
        main([*words, "--out", str(tmp_path / "out")])
        assert capsys.readouterr().out == first
        assert fake.calls == 2
    assert json.loads((tmp_path / "out" / "figures.json").read_text())["all"]["messages"] == 5


async def test_another_question_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel(lambda prompt, _: prompt.user)
    kept = KeptAnswers(model, tmp_path)
    for user in ("a", "a", "b"):
        assert (await kept.complete(Prompt("s", user, 20))).text == user
    assert [prompt.user for prompt in model.prompts] == ["a", "b"]


def test_without_corpora_nothing_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.model_reading.CORPORA", tmp_path)
    main([])
    assert "nothing measured" in capsys.readouterr().out


# -- what it costs -----------------------------------------------------------------------

_REPORT = (
    "The run of last night took {} minutes, {} of them in `{}`; its trace shows the {} lock.",
    "In `src/{}/{}.py` line {} the {} is read twice, once for each shard.",
    "With {} workers the {} holds {} requests a second, and the {} is idle for a third of them.",
    "| {} | {} ms | {} | {} |",
)
_WORDS = tuple(
    """
    queue index backup release cache shard replica quota alert ticket budget migration latency
    region schema audit deploy cluster metric review
    """.split()  # noqa: SIM905  # a list of quoted words reads worse
)


def agents_talk(messages: int) -> Recorded:
    """Talk of 1,000 characters a message, as agents write it."""

    class Made(Recorded):
        def transcript(self) -> bytes:
            return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows())

        def rows(self) -> list[dict[str, Any]]:
            chance = Random(7)
            rows: list[dict[str, Any]] = [{"title": "Agents", "chair": "Henrike"}]
            for n in range(messages):
                text = f"Item {n} of the plan stays on the cheap disks.\n\n"
                while len(text) < 1000:
                    words = [chance.choice([*_WORDS, "17", "340"]) for _ in range(4)]
                    text += chance.choice(_REPORT).format(*words) + "\n"
                who = ("claude", "codex", "gemini", "Henrike")[n % 4]
                rows.append(
                    {"index": n, "agent_id": who, "timestamp": None, "content": text[:1000]}
                )
            return rows

        def gold(self) -> list[dict[str, Any]]:
            return []

    return Made("agents", EXPLICIT, "made", Path("made.gold.jsonl"))


def able(prompt: Prompt, _: Any) -> str:
    """What an able model says of such talk, in rows and in length.

    Of 24 messages: 14 proposals, 10 sides, 6 rulings of the chair, 4 tasks; and the checks.
    """
    own = prompt.user.partition("Messages to read:")[2]
    listed = re.findall(r"^\| ([MP][\d.]+) proposal", prompt.user, re.MULTILINE)
    rows: list[dict[str, Any]] = [
        {"is": "check", "of": [ref], "verdict": "wrong", "why": "report"}
        for ref in re.findall(r"^\| ([PD]\d+)\?", prompt.user, re.MULTILINE)
    ]
    last = listed[-1:]
    for n in map(int, re.findall(r"^\[(\d+)\]", own, re.MULTILINE)):
        quote, k = f"Item {n - 1} of the plan stays", n % 12
        if k in (1, 2, 3, 5, 7, 9, 11):
            says = (
                f"Item {n - 1} of the plan stays on the cheap disks until the migration of the "
                "index is through, and is reviewed after the release."
            )
            rows.append({"is": "proposal", "n": n, "id": f"p{n}", "quote": quote, "says": says})
        if last and k in (2, 5, 6, 9, 10):
            side = "oppose" if k == 5 else "support"
            rows.append({"is": "side", "n": n, "quote": quote, "side": side, "of": last})
        if last and k in (0, 4, 8):
            says = f"Item {n - 2} stays on the cheap disks."
            rows.append({"is": "ruling", "n": n, "id": f"r{n}", "quote": quote, "out": "accepted",
                         "of": last, "right": "chair", "says": says})  # fmt: skip
        if last and k in (6, 10):
            rows.append({"is": "task", "n": n, "quote": quote, "says": "Moves the index.",
                         "done": True, "of": last})  # fmt: skip
        last = [f"p{n}"] if k in (1, 2, 3, 5, 7, 9, 11) else last
    return answer_text(*rows)


async def test_a_reading_costs_300_tokens_a_message_beside_the_message() -> None:
    """Questions and answers, by the product's own counter, at the defaults."""
    talk = agents_talk(192)
    read = await read_talk(talk, ScriptedModel(able), 24, 4)
    assert (read.calls, read.refused) == (8, {})
    own = read.own_tokens / read.messages
    beside = read.tokens / read.messages - own
    print(f"{own:.0f} tokens a message, {beside:.0f} beside")
    assert 200 < own < 400
    assert 150 < beside <= 300
    assert count_tokens(str(talk.rows()[1]["content"])) > 200
