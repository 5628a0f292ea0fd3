"""What is counted in agents' talk, on made-up transcripts and on the recorded ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile

import pytest

from benchmarks.agents_page import agents_tables
from benchmarks.agents_scores import (
    ALL,
    agents_figures,
    closure,
    invented_votes,
    repeats,
    single_proposals,
)
from benchmarks.agents_talk import (
    Talk,
    agents_corpus,
    fold_talk,
    transcripts,
    unread,
)
from benchmarks.extraction import main
from benchmarks.extraction_scores import Read, merge_statuses
from benchmarks.recorded import EXPLICIT, Recorded, Row
from benchmarks.single_proposals import match_texts
from tests.support.logs.corpora import ROOT

needs_agents = pytest.mark.skipif(
    agents_corpus(ROOT) is None,
    reason=f"no agents' talk at {ROOT}; set PARLEY_CORPORA to the folder of the corpora",
)


def talk(
    gold: Sequence[Row] = (),
    rows: Sequence[Row] = (),
    texts: dict[int, list[str]] | None = None,
    links: Sequence[tuple[int, int]] = (),
    gold_links: Sequence[tuple[int, int]] = (),
) -> Talk:
    """Ten messages of which this was found."""
    transcript = Recorded("dev", EXPLICIT, "made-up", Path("made-up.gold.jsonl"))
    read = Read(transcript, 10, list(rows))
    return Talk("owner/name", read, list(gold), texts or {}, set(links), set(gold_links))


@pytest.mark.parametrize(
    ("gold", "predicted", "matched"),
    [
        (["Raise the tax"], ["I would raise taxes by a tenth"], 1),
        (["Raise the tax", "Close the pool"], ["Raise the tax and close the pool"], 1),
        (["Raise the tax", "Close the pool"], ["Close the pool", "Raise the tax"], 2),
        (["Raise the tax"], ["Close the pool"], 0),
        (["Use port 80"], ["Try line 80 and mirror logs weekly"], 1),
        (["Pay rent, water, heating and light"], ["Pay nobody again this summer, whatever"], 0),
        (["of it"], ["of it"], 0),
        (["把窗户关上"], ["关上窗户吧"], 1),
    ],
)
def test_texts_are_matched_by_words(gold: list[str], predicted: list[str], matched: int) -> None:
    """One to one, by three in ten of the shorter one's stems at least."""
    assert match_texts(gold, predicted) == matched


def test_single_proposals_are_counted_where_the_key_lists_several() -> None:
    """One text, an optional row or a repeat count for neither precision nor recall."""
    several = {"label": "proposal", "texts": ["Raise the tax", "Close the pool"]}
    gold = [
        {"index": 0, **several},
        {"index": 1, **several, "optional": True},
        {"index": 2, **several, "repeat_of": 0},
        {"index": 3, "label": "proposal", "texts": ["Sell the hall"]},
        {"index": 4, **several},
    ]
    texts = {0: ["close the pool", "thank the mayor"], 1: ["x"], 2: ["y"], 3: ["sell the hall"]}
    row = single_proposals([talk(gold, texts=texts)])
    assert row == {"messages": 2, "texts": 4, "items": 2, "right": 1, "R": 0.25, "P": 0.5}


def test_votes_are_invented_where_the_key_has_none_of_that_stance() -> None:
    """Only what was read from a vote mark counts; an optional reaction excuses it."""
    gold = [
        {"index": 1, "label": "reaction", "stance": "support", "proposal_index": 0},
        {"index": 2, "label": "reaction", "stance": "oppose", "proposal_index": 0,
         "optional": True},
    ]  # fmt: skip
    rows = [
        {"index": index, "label": "reaction", "stance": stance, "proposal_index": 0, "rule": rule}
        for index, stance, rule in [
            (1, "support", "vote/+1"), (1, "oppose", "vote/-1"), (2, "oppose", "vote/-1"),
            (3, "support", "en@1/agree"), (4, "support", None), (5, "neutral", "vote/0"),
        ]
    ]  # fmt: skip
    row = invented_votes([talk(gold, rows)])
    assert row == {"votes": 4, "invented": 2, "per_200": 40.0}


def test_repeats_are_found_through_chains() -> None:
    """A pair is found, and a link right, where links between lead to it."""
    row = repeats([talk(links=[(0, 2), (2, 5), (1, 6)], gold_links=[(0, 5), (0, 1), (1, 2)])])
    assert row == {"gold": 3, "links": 3, "hit": 1, "right": 1, "P": 0.333, "R": 0.333}
    assert closure([(0, 1), (1, 2), (2, 3)]) >= {(0, 2), (0, 3), (1, 3)}


def test_a_message_has_one_status() -> None:
    """The one that most of its settled proposals have, active where none is settled."""
    rows = [
        {"index": index, "label": "status", "proposal_index": index, "status": status}
        for index, status in [
            (0, "active"), (0, "active"), (0, "rejected"),
            (1, "rejected"), (1, "accepted"), (1, "accepted"), (2, "active"),
        ]
    ]  # fmt: skip
    statuses = {row["index"]: row["status"] for row in merge_statuses(rows)}
    assert statuses == {0: "rejected", 1: "accepted", 2: "active"}
    assert len(merge_statuses(rows)) == 3


def test_three_repositories_are_kept_apart_whatever_their_order() -> None:
    """Chosen by a hash of their names, each once."""
    names = [f"owner/name{number}" for number in range(9)]
    assert unread(names) == unread([*reversed(names), *names])
    assert len(unread(names)) == 3


def test_a_transcript_is_folded_and_scored(corpora: Path, tmp_path: Path) -> None:
    """What is proposed, repeated and voted on in a file is in the figures of its repository."""
    copyfile(corpora / "score.py", tmp_path / "score.py")
    folder = tmp_path / "agents" / "dev"
    folder.mkdir(parents=True)
    messages = [
        ("ada", "PROPOSAL: raise the parking fee downtown next year"),
        ("bob", "+1"),
        ("cyd", "PROPOSAL: raise the parking fee downtown next year"),
    ]
    lines: list[Row] = [{"repository": "owner/name"}]
    lines += [
        {"index": index, "agent_id": name, "timestamp": None, "content": content}
        for index, (name, content) in enumerate(messages)
    ]
    gold = [
        {"index": 0, "label": "proposal", "texts": ["Raise the parking fee", "Do so next year"]},
        {"index": 1, "label": "reaction", "stance": "support", "proposal_index": 0},
        {"index": 0, "label": "status", "proposal_index": 0, "status": "active"},
    ]
    for name, rows in {"town.jsonl": lines, "town.gold.jsonl": gold}.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    echoes = {"transcript": "town", "pairs": [[0, 2]]}
    (folder.parent / "echoes.jsonl").write_text(json.dumps(echoes) + "\n", "utf-8")
    assert agents_corpus(tmp_path) == folder

    groups = agents_figures([fold_talk(transcript) for transcript in transcripts(folder)])
    assert list(groups) == [ALL, "1 kept unread", "owner/name"]
    row = groups[ALL]
    assert row["proposal"]["tp"] == 1
    assert row["reaction"]["right_both"] == 1.0
    assert row["single_proposals"]["right"] == 1
    assert row["repeats"]["hit"] == row["repeats"]["right"] == 1
    assert row["invented_votes"] == {"votes": 1, "invented": 0, "per_200": 0.0}
    assert any(line.startswith("| owner/name | 3 | 1 (1) |") for line in agents_tables(groups))


@needs_agents
def test_recorded_talk_of_agents_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All repositories, those kept unread and the others add up; the key has its totals."""
    monkeypatch.setattr("benchmarks.extraction.CORPORA", ROOT)
    monkeypatch.setattr("sys.argv", ["extraction", "--agents", "--json", "--runs", "0"])
    main()
    groups = json.loads(capsys.readouterr().out)["agents"]
    everything, apart, others, *repositories = groups.values()
    assert len(repositories) == 14
    assert everything["meetings"] == 26
    assert everything["proposal"]["tp"] + everything["proposal"]["fn"] == 174
    assert everything["messages"] == apart["messages"] + others["messages"] == 477
    assert everything["messages"] == sum(row["messages"] for row in repositories)


@pytest.mark.parametrize("option", [["--errors", "3"], ["--write", "x.md"], ["x"]])
def test_agents_alone_go_with_nothing_that_is_of_the_meetings(
    option: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What pages show of them is cross-validated."""
    monkeypatch.setattr("sys.argv", ["extraction", "--agents", *option])
    with pytest.raises(SystemExit):
        main()
    assert "--agents goes with no" in capsys.readouterr().err


@needs_agents
def test_keys_agree_with_themselves() -> None:
    """Keys scored as predictions are right everywhere."""
    corpus = agents_corpus(ROOT)
    assert corpus is not None
    talks = []
    for transcript in transcripts(corpus):
        gold = transcript.gold()
        rows = [{"how": "rule", "rule": None, **row} for row in gold]
        texts = {row["index"]: row["texts"] for row in gold if row["label"] == "proposal"}
        pairs = fold_talk(transcript).gold_repeats
        read = Read(transcript, len(transcript.rows()) - 1, rows)
        talks.append(Talk(transcript.name, read, gold, texts, pairs, pairs))
    row = agents_figures(talks)[ALL]
    assert row["proposal"]["F1"] == row["decision"]["F1"] == row["status"]["accuracy_all"] == 1
    assert row["reaction"]["right_both"] == row["reaction"]["precision"] == 1
    assert row["single_proposals"]["P"] == row["single_proposals"]["R"] == 1
    assert row["repeats"]["P"] == row["repeats"]["R"] == 1
