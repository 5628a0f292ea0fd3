"""`parley settings`: what is in force, where it came from, what use suggests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import EpisodeOpened
from parley.memory.settings.presets import PRESETS, load_preset, opening_tree
from parley.server.settings import SETTINGS
from parley.server.settings.setting_inventory import list_presets
from tests.support.doors.calls import Parley

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    return parley


def opened(at: Parley, session: str) -> dict[str, Any]:
    """The settings that the session was opened with, as logged."""
    tree = json.loads(at("session", "export", session, "-o", "-").out)
    row: dict[str, Any] = tree["entries"][0]["entry"].get("settings", {})
    return row


def rows(at: Parley, *args: str) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in at("settings", *args, "--json").rows()}


def test_every_setting_says_where_it_came_from(
    parley: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flag, a variable, the file, the preset or the default; one row each."""
    Path("parley.toml").write_text('preset = "assistant"\n[cache]\nttl = 5\n')
    monkeypatch.setenv("PARLEY_BATCH", "9")
    by_name = rows(parley, "--summary-interval", "6")
    assert list(by_name) == list(SETTINGS)
    sources = {key: row["source"] for key, row in by_name.items()}
    assert sources["summary.interval"] == "--summary-interval"
    assert sources["batch"] == "PARLEY_BATCH"
    assert sources["cache.ttl"] == "cache.ttl (parley.toml)"
    assert sources["exchange.users"] == "preset assistant"
    assert sources["limits.exchanges"] == "default"
    assert by_name["exchange.users"]["value"] == ["user"]
    changed = {key for key, row in by_name.items() if row["changed"]}
    assert changed == {"data", "preset", "summary.interval", "batch", "cache.ttl"}
    assert list(rows(parley, "--changed")) == ["data", "batch", "preset", "cache.ttl"]


def test_secrets_are_masked(parley: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of a model, and a password in an address."""
    monkeypatch.setenv("PARLEY_MODEL_KEY", "sesame")
    monkeypatch.setenv("PARLEY_REDIS", "redis://me:open-it@cache.example:6379/0")
    for args in (["settings"], ["settings", "--json"], ["settings", "--changed"]):
        ran = parley(*args)
        assert ran.code == 0
        assert "******" in ran.out
        assert "sesame" not in ran.out
        assert "open-it" not in ran.out
    assert rows(parley)["redis"]["value"] == "redis://me:******@cache.example:6379/0"
    assert rows(parley)["summary.how"]["value"] == "auto"


@pytest.mark.parametrize("who", ["me:open-it@", "open-it@", "me:open@it@", ":open-it@"])
def test_credentials_of_web_addresses_are_masked(
    parley: Parley, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Those of a collector and of a model, wherever they stand before the host."""
    for name in ("PARLEY_TELEMETRY_URL", "PARLEY_MODEL_URL"):
        monkeypatch.setenv(name, f"https://{who}there.example/v1")
    masked = rows(parley)
    for key in ("telemetry.url", "model_url"):
        assert masked[key]["value"] == "https://******@there.example/v1"


def test_a_session_tells_what_differs_from_its_preset(at: Parley) -> None:
    """Its logged settings; what the opener or anybody since set otherwise is marked."""
    at("session", "new", "s", "--preset", "experiment", "--limits-statement", "200")
    at("session", "set", "s", "note.agents.ana.limit=2000")
    by_name = rows(at, "s")
    assert by_name["note.policy"]["source"] == "preset experiment"
    assert by_name["note.policy"]["changed"] is False
    assert by_name["limits.statement"]["usual"] == 300
    assert "redis" not in by_name
    changed = rows(at, "s", "--changed")
    assert set(changed) == {"preset", "limits.statement", "note.agents"}
    assert changed["note.agents"]["value"] == {"ana": {"limit": 2000}}
    assert "note.agents" in at("settings", "s", "--changed").out


def test_presets_are_listed_with_what_they_set(parley: Parley) -> None:
    """Each by name; the default one sets nothing."""
    listed = parley("settings", "presets", "--json").rows()
    assert [row["preset"] for row in listed] == list(PRESETS)
    assert listed[0]["sets"] == {}
    assert all(key in SETTINGS for row in listed for key in row["sets"])
    shown = parley("settings", "presets").out
    assert all(name in shown for name in PRESETS)
    assert list_presets() == listed


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_logged_under_what_the_opener_sets(at: Parley, name: str) -> None:
    """The whole tree, its name included; `session show` and `settings` say which it is."""
    assert at("session", "new", "s", "--preset", name, "--cache-ttl", "7").code == 0
    tree = opened(at, "s")
    assert tree["preset"] == name
    assert tree["cache"]["ttl"] == 7
    for key in PRESETS[name]:
        assert key in tree
    assert at("session", "show", "s", "--json").rows()[0]["preset"] == name
    assert rows(at, "s")["preset"]["value"] == name
    assert at("session", "verify", "s").code == 0


def test_what_the_opener_sets_outranks_the_preset(at: Parley) -> None:
    """Leaf by leaf: the rest of the preset stays."""
    at("session", "new", "s", "--preset", "autobiographer", "--routes-vote", "append")
    tree, usual = opened(at, "s"), load_preset("autobiographer")
    assert tree["routes"] == {**usual["routes"], "vote": "append"}
    assert tree["note"] == usual["note"]


def test_presets_reach_every_door(
    at: Parley, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`analyze`, `replay`, the variable and the file."""
    file = tmp_path / "talk.jsonl"
    file.write_text('{"index": 0, "agent_id": "user", "content": "Hello?"}\n')
    memory = json.loads(at("analyze", file, "--format", "memory", "--preset", "assistant").out)
    assert memory["settings"]["exchange"]["users"] == ["user"]
    assert at("replay", file, "--session", "r", "--no-wait", "--preset", "analyst").code == 0
    assert opened(at, "r")["preset"] == "analyst"
    Path("parley.toml").write_text('preset = "experiment"\n')
    at("session", "new", "f")
    assert opened(at, "f") == opening_tree(load_preset("experiment"))
    monkeypatch.setenv("PARLEY_PRESET", "autobiographer")
    at("session", "new", "v")
    assert opened(at, "v") == opening_tree(load_preset("autobiographer"))
    Path("parley.toml").unlink()
    monkeypatch.delenv("PARLEY_PRESET")
    at("session", "new", "d")
    assert opened(at, "d") == opening_tree({})
    assert at("session", "show", "d", "--json").rows()[0]["preset"] == "deliberation"


def test_an_unknown_preset_names_the_nearest(at: Parley) -> None:
    """One line, and nothing is opened."""
    ran = at("session", "new", "s", "--preset", "expriment")
    assert ran.code == 2
    assert ran.err == (
        "parley: --preset: no preset is called 'expriment'; the nearest is 'experiment'\n"
    )
    assert (
        "no preset is called 'xyz'; there are " in at("session", "new", "s", "--preset", "xyz").err
    )
    assert at("session", "show", "s").code == 1


def test_a_session_keeps_its_preset(at: Parley) -> None:
    """It names where the session started, so it cannot be changed afterwards."""
    at("session", "new", "s")
    ran = at("session", "set", "s", "preset=assistant")
    assert ran.code == 2
    assert "keeps the preset" in ran.err


def refuse_openings(url: str, session: str) -> None:
    """Three goals are opened at once, whatever the session allows."""

    async def publish() -> None:
        async with await Bus.connect(url) as bus:
            goals = [
                EpisodeOpened(participant=name, episode="goal", title=f"Goal of {name}")
                for name in ("ana", "bo", "cy")
            ]
            await bus.publish(session, [Draft(f"g{k}", goal) for k, goal in enumerate(goals)])

    asyncio.run(publish())


def test_measured_use_suggests_limits_and_apply_logs_them(at: Parley, redis_url: str) -> None:
    """What memory counted is the reason; nothing changes unless told to."""
    at("session", "new", "s", "--limits-open-episodes", "1")
    assert "nothing measured" in at("settings", "s", "--suggest").out
    refuse_openings(redis_url, "s")
    (advice,) = at("settings", "s", "--suggest", "--json").rows()
    assert advice == {
        "key": "limits.open_episodes", "now": 1, "suggested": 2,
        "because": "2 openings were refused",
    }  # fmt: skip
    assert rows(at, "s")["limits.open_episodes"]["value"] == 1
    ran = at("settings", "s", "--suggest", "--apply")
    assert ran.code == 0
    assert "limits.open_episodes=2" in ran.err
    assert rows(at, "s")["limits.open_episodes"]["value"] == 2
    tree = json.loads(at("session", "export", "s", "-o", "-").out)
    last = tree["entries"][-1]["entry"]
    assert last["kind"] == "settings.changed"
    assert last["settings"] == {"limits": {"open_episodes": 2}}


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["settings", "s", "--apply"], "--suggest"),
        (["settings", "--suggest"], "give its name"),
        (["settings", "presets", "--suggest"], "give its name"),
    ],
)
def test_misuse_says_what_to_give(parley: Parley, args: list[str], text: str) -> None:
    """Exit 2 and one line."""
    ran = parley(*args)
    assert ran.code == 2
    assert text in ran.err


def test_an_unknown_session_has_no_settings(at: Parley) -> None:
    """Exit 1, as everywhere."""
    assert at("settings", "nobody").code == 1


def inventory_rows() -> str:
    """The presets as a Markdown table."""
    rows = ["| preset | sets |", "|---|---|"]
    for row in list_presets():
        sets = [f"`{key}` {json.dumps(value)}" for key, value in row["sets"].items()]
        rows.append(f"| `{row['preset']}` | {', '.join(sets) or 'nothing: the defaults'} |")
    return "\n".join(rows) + "\n"


def test_the_documentation_lists_every_preset() -> None:
    """docs/settings.md holds the table that the data makes."""
    assert inventory_rows() in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
