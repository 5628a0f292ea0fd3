"""The rules of a live session are changed by entries: settings, packs, compaction."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.doors.calls import Parley

PAGE = Path(__file__).resolve().parents[3] / "docs" / "settings.md"


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server with an open session `s`."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    assert parley("session", "new", "s").code == 0
    return parley


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """An operator's own wording: the example of the documentation."""
    block = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    file = tmp_path / "harbour.json"
    file.write_text(block[1])
    return file


def entries(at: Parley, kind: str, session: str = "s") -> list[dict[str, Any]]:
    """The entries of one kind, as the session's file holds them."""
    tree = json.loads(at("session", "export", session, "-o", "-").out)
    return [row["entry"] for row in tree["entries"] if row["entry"]["kind"] == kind]


def proposals(at: Parley, session: str = "s") -> int:
    count: int = at("stats", session, "--json").rows()[0]["proposals"]
    return count


def test_a_changed_setting_is_an_entry_and_in_force_from_there(at: Parley) -> None:
    """Typed, with who decided it; summaries of later ranges go by it, earlier ones do not."""
    ran = at("session", "set", "s", "summary.interval=5", "chair=Ada, Bo", "--by", "Ada", "--json")
    assert ran.code == 0
    assert ran.rows() == [{"seq": 2, "n": 0, "duplicate": False}]
    assert entries(at, "settings.changed") == [
        {
            "kind": "settings.changed",
            "v": 1,
            "by": "Ada",
            "settings": {"summary": {"interval": 5}, "chair": ["Ada", "Bo"]},
        }
    ]
    memory = json.loads(at("memory", "s", "--json").out)
    assert memory["settings"]["summary"]["interval"] == 5
    assert memory["settings"]["chair"] == ["Ada", "Bo"]
    for k in range(5):
        at("say", "s", f"word {k}", "--as", "Cy")
    assert at("stats", "s", "--json").rows()[0]["summaries_owed"] == 1
    assert at("session", "verify", "s").code == 0


def test_an_operators_pack_is_logged_in_full_when_a_session_opens(at: Parley, pack: Path) -> None:
    """Whoever reads the log later needs no file."""
    assert at("session", "new", "own", "--packs", pack).code == 0
    (opened,) = entries(at, "session.opened", "own")
    *shipped, own = opened["packs"]
    assert own["name"] == "harbour@1"
    assert [each for each in shipped if "content" in each] == []
    assert r"\\bhear ye\\b" in json.dumps(own)
    at("say", "own", "Hear ye: the north basin is dredged in May.", "--as", "Ada")
    assert proposals(at, "own") == 1
    assert "harbour@1/harbour.motion" in at("explain", "own", "P1").out


def test_packs_of_a_live_session_are_replaced_from_here_on(at: Parley, pack: Path) -> None:
    """What was said before is not read again; what is said next is."""
    at("say", "s", "Hear ye: the north basin is dredged in May.", "--as", "Ada")
    assert proposals(at) == 0
    assert at("session", "set", "s", "--repack", "--packs", pack).code == 0
    at("say", "s", "Hear ye: the south basin is dredged in June.", "--as", "Bo")
    assert proposals(at) == 1
    assert "hear ye" in json.dumps(entries(at, "settings.changed"))
    assert at("session", "verify", "s").code == 0


def test_compaction_is_an_entry(at: Parley) -> None:
    """Items shrink at that entry, in every replay."""
    for k in range(16):
        at("say", "s", f"Basin {k} is dredged in May", "--as", "Ada", "--act", "propose")
    before = len(at("memory", "s", "--json").out)
    assert "compacted" in at("session", "compact", "s").err
    assert len(at("memory", "s", "--json").out) < before
    assert proposals(at) == 16
    assert at("session", "verify", "s").code == 0


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "KEY=VALUE"),
        (["summary.interval"], "not KEY=VALUE"),
        (["summary.intervall=3"], "'summary.interval'"),
        (["batch=3"], "'batch' is a setting of the process"),
        (["summary.interval=0"], "summary.interval"),
        (["summary.interval=soon"], "summary.interval"),
        (["--repack", "--packs", "none.json"], "none.json"),
    ],
)
def test_a_wrong_change_is_refused_before_it_is_logged(
    at: Parley, args: list[str], text: str
) -> None:
    """Exit 2, the key at fault or the nearest that there is, and no entry."""
    ran = at("session", "set", "s", *args)
    assert ran.code == 2
    assert text in ran.err
    assert entries(at, "settings.changed") == []


@pytest.mark.parametrize("verb", [["set", "s", "summary.interval=6"], ["compact", "s"]])
def test_a_closed_session_keeps_its_rules(at: Parley, verb: list[str]) -> None:
    """The end is the end."""
    at("session", "close", "s")
    ran = at("session", *verb)
    assert ran.code == 1
    assert "closed" in ran.err


def test_a_participants_own_limit_is_set_by_its_dotted_name(at: Parley) -> None:
    """The others' stay; a name may hold dots; empty takes it back."""
    assert at("session", "set", "s", "note.agents.ana.limit=2000").code == 0
    assert at("session", "set", "s", "note.agents.dr.who.policy=off").code == 0
    assert at("session", "set", "s", 'note.agents={"bo": {"limit": 7}}').code == 0
    agents = json.loads(at("memory", "s", "--json").out)["settings"]["note"]["agents"]
    assert agents["ana"]["limit"] == 2000
    assert agents["dr.who"]["policy"] == "off"
    assert agents["bo"]["limit"] == 7
    assert at("session", "set", "s", "note.agents.ana.limit=").code == 0
    old = at("session", "set", "s", "note.agents.bo.memory_length=8")
    assert "is an old name; write note.agents.bo.limit" in old.err
    agents = json.loads(at("memory", "s", "--json").out)["settings"]["note"]["agents"]
    assert (agents["ana"]["limit"], agents["bo"]["limit"]) == (None, 8)
    assert at("session", "verify", "s").code == 0


@pytest.mark.parametrize(
    "pair",
    [
        "note.agents.ana=3",
        "note.agents.ana.limt=3",
        "note.agents.ana.limit=x",
        "note.agents=[]",
        "note.agents.ana.limit= 5 ",
        "note.agents.ana.limit=1_0",
    ],
)
def test_a_wrong_part_of_a_mapping_is_refused(at: Parley, pair: str) -> None:
    """Nothing is logged, and the key is named."""
    ran = at("session", "set", "s", pair)
    assert ran.code == 2
    assert "note.agents" in ran.err
    assert entries(at, "settings.changed") == []


def test_a_setting_of_nobody_is_refused(at: Parley) -> None:
    """`note.agents..limit` names no participant."""
    assert at("session", "set", "s", "note.agents..limit=1").code == 2
