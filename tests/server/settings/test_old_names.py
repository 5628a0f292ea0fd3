"""Old names are carried over, each with a warning; today's name wins where both are given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parley.memory.settings.session_settings import Settings as SessionSettings
from parley.memory.settings.session_settings import merge_settings
from parley.server.basics.errors import Misuse
from parley.server.settings import SETTINGS, build_settings, read_sources, resolve_defaults
from parley.server.settings.old_names import ALIASES, OLD, OLD_VARIABLES, old_name_rows
from tests.support.doors.calls import Parley

ROOT = Path(__file__).resolve().parents[3]

# Every old name, a value as it was written, and what it comes to.
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("memory_character_limit", "40000", {"limits.note.cap": 40_000}),
    ("memory_length", "30000", {"limits.note.cap": 30_000}),
    ("memory_compression_threshold", "0.7", {"limits.note.warn": 35_000}),
    ("memory_compression_target", "0.29", {"limits.note.target": 14_500}),
    ("enable_truncation", "false", {"limits.statement": 0, "limits.reasoning": 0}),
    ("enable_truncation", "true", {"limits.statement": 300, "limits.reasoning": 200}),
    ("statement_max_length", "250", {"limits.statement": 250}),
    ("reasoning_max_length", "150", {"limits.reasoning": 150}),
    ("guidance_style", '"structured"', {"note.style": "structured"}),
    ("public_history_max_length", "90000", {"limits.history.cap": 90_000}),
    ("short_term_buffer_size", "8", {"context.recent_full": 8}),
    ("window_size", "9", {"context.recent_full": 9}),
    ("enable_short_term_summarization", "true", {"limits.short_term.cap": 4000}),
    ("enable_short_term_summarization", "false", {"limits.short_term.cap": 0}),
    ("enable_summarization", "true", {"limits.short_term.cap": 4000}),
    ("enable_summarization", "false", {"limits.short_term.cap": 0}),
    ("short_term_token_cap", "5000", {"limits.short_term.cap": 5000}),
    ("short_term_token_warning_threshold", "2500", {"limits.short_term.warn": 2500}),
    ("max_token_limit", "2000", {"summary.words": 1500}),
    ("summarization_strategy", '"sync"', {"summary.strategy": "inline"}),
    ("summarization_strategy", '"async"', {"summary.strategy": "background"}),
    ("summarization_strategy", '"background"', {"summary.strategy": "background"}),
    ("session_token_cap", "11000", {"limits.session.cap": 11_000}),
    ("session_token_warning_threshold", "8000", {"limits.session.warn": 8000}),
    ("enable_session_compaction", "true", {"limits.session.cap": 12_000}),
    ("completed_goals_token_cap", "5000", {"limits.archive.cap": 5000}),
    ("keep_completed_goals", "7", {"limits.archive.items": 7}),
    ("tool_history_keep_recent", "15", {"limits.tool_history": 15}),
    ("subtask_keep_failed", "3", {"limits.failed_tasks": 3}),
    ("context_max_length", "1500", {"limits.context_text": 1500}),
    ("max_execution_steps", "50", {"limits.steps": 50}),
    ("enable_goal_based_archiving", "false", {"episodes.supersede": False}),
    ("enable_goal_archiving", "false", {"episodes.supersede": False}),
    ("auto_archive_on_goal_change", "false", {"episodes.supersede": False}),
    ("enable_context_deduplication", "false", {"episodes.deduplicate": False}),
    ("summarization_model", '"small"', {"model": "small"}),
    ("summarization_temperature", "0.5", {"model_temperature": 0.5}),
    ("enable_summarization_cache", "false", {"memo_hours": 0}),
    ("enable_summarization_cache", "true", {"memo_hours": 24}),
    ("cache_ttl_hours", "48", {"memo_hours": 48}),
    ("SUMMARY_INTERVAL", "10", {"summary.interval": 10}),
    ("maxSummaries", "15", {"caps.summaries": 15}),
    ("maxDecisions", "40", {"caps.decisions": 40}),
    ("maxProposals", "25", {"caps.proposals": 25}),
    ("pruneThreshold", "0.8", {"caps.threshold": 800}),
]
SAYS_NOTHING = "enable_session_compaction"  # it cannot be off, so there is nothing to log
SESSION = {old for old, new in OLD.items() if SETTINGS[new[0]].path[0] == "session"}


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server with an open session `s`."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    assert parley("session", "new", "s").code == 0
    return parley


def test_every_old_name_is_tried_here() -> None:
    """The rows below are all there are, and each names a setting that there is."""
    assert {old for old, _, _ in ROWS} == set(OLD)
    assert all(name in SETTINGS for alias in ALIASES for name in alias.new)
    assert not SETTINGS.keys() & OLD.keys()


@pytest.mark.parametrize(("old", "value", "wanted"), ROWS)
def test_an_old_key_of_a_file_sets_the_new_one(
    old: str, value: str, wanted: dict[str, Any], tmp_path: Path
) -> None:
    """With one warning that names both."""
    file = tmp_path / "old.toml"
    file.write_text(f"{old} = {value}\n")
    sources = read_sources({}, {}, file)
    settings = build_settings(sources)
    assert {name: SETTINGS[name].of(settings) for name in wanted} == wanted
    (warning,) = sources.warnings
    assert warning.startswith(f"{old} ({file}) is an old name; write ")
    assert all(name in warning for name in OLD[old])


@pytest.mark.parametrize(("old", "value", "wanted"), ROWS)
def test_an_old_variable_sets_the_new_one(old: str, value: str, wanted: dict[str, Any]) -> None:
    """Those of layered memory have variables; others have none, and are not read."""
    variable = f"AEC_MEMORY_{old.upper()}"
    sources = read_sources({}, {variable: value.strip('"')})
    (warning,) = sources.warnings
    if variable in OLD_VARIABLES:
        assert {name: SETTINGS[name].of(build_settings(sources)) for name in wanted} == wanted
        assert warning.startswith(f"{variable} is an old name")
    else:
        assert not sources.values
        assert "the nearest is AEC_MEMORY_" in warning


@pytest.mark.parametrize("old", sorted(SESSION - {SAYS_NOTHING}))
def test_an_old_key_of_a_live_session_is_logged_by_its_new_name(at: Parley, old: str) -> None:
    """`session set` takes it, warns once, and logs today's key."""
    value = next(value for name, value, _ in ROWS if name == old).strip('"')
    extra = ["limits.note.cap=50000"] if "compression" in old else []
    ran = at("session", "set", "s", f"{old}={value}", *extra)
    assert ran.code == 0
    assert ran.err.count(f"warning: {old} is an old name; write {OLD[old][0]}") == 1
    tree = json.loads(at("session", "export", "s", "-o", "-").out)
    changed = tree["entries"][-1]["entry"]["settings"]
    before = SessionSettings()
    after = merge_settings(before, changed)
    wanted = next(wanted for name, _, wanted in ROWS if name == old)
    for name, expected in wanted.items():
        place: Any = after
        for step in name.split("."):
            place = getattr(place, step)
        assert place == expected


def test_the_prefixed_names_of_the_environment_are_all_read() -> None:
    """The four that the source documents name, by name."""
    settings = resolve_defaults(
        {},
        {
            "AEC_MEMORY_SHORT_TERM_TOKEN_CAP": "3000",
            "AEC_MEMORY_SESSION_TOKEN_CAP": "9000",
            "AEC_MEMORY_ENABLE_GOAL_ARCHIVING": "false",
            "AEC_MEMORY_SUMMARIZATION_MODEL": "tiny",
        },
    )
    assert settings.session.limits.short_term.cap == 3000
    assert settings.session.limits.session.cap == 9000
    assert settings.session.episodes.supersede is False
    assert settings.model == "tiny"


@pytest.mark.parametrize("nest", ["phase2_settings.memory_management", "phase2_settings"])
def test_keys_may_stand_in_the_tables_they_stood_in(nest: str, tmp_path: Path) -> None:
    """A configuration is carried over as it is nested."""
    file = tmp_path / "old.toml"
    file.write_text(f'[{nest}]\nguidance_style = "structured"\nstatement_max_length = 100\n')
    settings = resolve_defaults({}, {}, file)
    assert (settings.session.note.style, settings.session.limits.statement) == ("structured", 100)


def test_the_new_name_wins_wherever_both_are_given(tmp_path: Path) -> None:
    """A variable with the old name does not outrank a file with the new one, and it is said."""
    file = tmp_path / "parley.toml"
    file.write_text("[limits.session]\ncap = 7000\n")
    sources = read_sources({}, {"AEC_MEMORY_SESSION_TOKEN_CAP": "9000"}, file)
    assert build_settings(sources).session.limits.session.cap == 7000
    left_out = "AEC_MEMORY_SESSION_TOKEN_CAP is left out: limits.session.cap ("
    assert [left_out in warning for warning in sources.warnings] == [False, True]


def test_of_two_old_names_the_later_one_wins(tmp_path: Path) -> None:
    """`memory_character_limit` took the place of `memory_length`; 50,000 where neither is."""
    file = tmp_path / "parley.toml"
    file.write_text("memory_length = 5000\nmemory_character_limit = 60000\n")
    assert resolve_defaults({}, {}, file).session.limits.note.cap == 60_000
    file.write_text("")
    assert resolve_defaults({}, {}, file).session.limits.note.cap == 50_000


def test_a_share_is_one_of_the_cap_that_is_in_force(tmp_path: Path) -> None:
    """Whichever name gives the cap, and exactly: no binary fractions."""
    file = tmp_path / "parley.toml"
    file.write_text("memory_compression_target = 0.29\nmemory_length = 100\n")
    assert resolve_defaults({}, {}, file).session.limits.note.target == 29
    file.write_text("memory_compression_target = 0.29\n[limits.note]\ncap = 1000\n")
    assert resolve_defaults({}, {}, file).session.limits.note.target == 290


def test_switched_off_outranks_the_size_beside_it(tmp_path: Path) -> None:
    """`enable_truncation = false` means no limit whatever length stands there."""
    file = tmp_path / "parley.toml"
    file.write_text("enable_truncation = false\nstatement_max_length = 300\n")
    assert resolve_defaults({}, {}, file).session.limits.statement == 0
    file.write_text("enable_summarization = true\nshort_term_token_cap = 900\n")
    assert resolve_defaults({}, {}, file).session.limits.short_term.cap == 900


def test_old_keys_of_a_participant_are_its_limit(tmp_path: Path) -> None:
    """Limits were given by agent; the later of the two old names wins here too."""
    file = tmp_path / "parley.toml"
    file.write_text(
        "[note.agents.ana]\nmemory_character_limit = 900\nmemory_length = 5\n"
        "[note.agents.bo]\nmemory_length = 7\nlimit = 70\n"
    )
    sources = read_sources({}, {}, file)
    agents = build_settings(sources).session.note.agents
    assert (agents["ana"].limit, agents["bo"].limit) == (900, 70)
    assert len(sources.warnings) == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("session_token_cap = 'many'", "session_token_cap"),
        ("enable_truncation = 'maybe'", "enable_truncation"),
        ("enable_session_compaction = false", "enable_session_compaction"),
        ("memory_compression_target = 3", "memory_compression_target"),
        ("max_token_limit = 'x'", "max_token_limit"),
        ("max_token_limit = 9", "max_token_limit"),
        ("summarization_strategy = 'later'", "summarization_strategy"),
        ("guidance_style = 'sung'", "guidance_style"),
        ("memory_lenght = 3", "no setting is called 'memory_lenght'"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_it_was_given(
    tmp_path: Path, content: str, text: str
) -> None:
    """One line that names the old key, as the person wrote it."""
    file = tmp_path / "parley.toml"
    file.write_text(content + "\n")
    with pytest.raises(Misuse, match=text):
        resolve_defaults({}, {}, file)


def test_warnings_are_said_once_on_stderr(at: Parley, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on stdout, and not again by the workers that a command starts."""
    monkeypatch.setenv("AEC_MEMORY_SESSION_TOKEN_CAP", "9000")
    Path("parley.toml").write_text("keep_completed_goals = 3\n")
    Path("talk.jsonl").write_text('{"index": 0, "agent_id": "Ana", "content": "Hello."}\n')
    ran = at("replay", "talk.jsonl", "--session", "old", "--json")
    assert ran.code == 0
    assert ran.err.count("is an old name") == 2
    assert "old name" not in ran.out
    opened = json.loads(at("memory", "old", "--json").out)["settings"]["limits"]
    assert (opened["session"]["cap"], opened["archive"]["items"]) == (9000, 3)


def test_a_share_needs_its_cap_where_none_is_at_hand(at: Parley) -> None:
    """A live session is changed without being read: the cap is given with it."""
    ran = at("session", "set", "s", "memory_compression_target=0.5")
    assert ran.code == 2
    assert "limits.note.cap, which has to be given with it" in ran.err


def test_an_old_key_that_changes_nothing_is_not_logged(at: Parley) -> None:
    """What holds anyway needs no entry."""
    ran = at("session", "set", "s", f"{SAYS_NOTHING}=true")
    assert ran.code == 2
    assert "nothing to change" in ran.err


def test_a_setting_of_the_process_is_none_of_a_session(at: Parley) -> None:
    """By its old name and by the new one."""
    for pair in ("summarization_model=x", "model=x"):
        ran = at("session", "set", "s", pair)
        assert ran.code == 2
        assert "'model' is a setting of the process, not of a session" in ran.err


def test_the_documentation_lists_every_old_name() -> None:
    """docs/settings.md holds the table that the data makes."""
    assert old_name_rows() in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
