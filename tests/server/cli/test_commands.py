"""The tree of commands as a whole: everything that is promised is there and explains itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parley.server.cli.command_tree import command
from parley.server.cli.help_text import TEXT, render_help
from parley.server.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[3]
PROMISED = {
    "demo": {"--fast", "--json"},
    "backup": {"--json"},
    "restore": {"--replace", "--json"},
    "archive": {"--older-than", "--tenant", "--dry-run", "--json"},
    "quota set": {"--sessions", "--bytes", "--rate", "--spend", "--json"},
    "quota ls": {"--json"},
    "quota rm": {"--json"},
    "run": {
        "--session",
        "--seed",
        "--processes",
        "--out",
        "--yes",
        "--offline",
        "--fast",
        "--json",
    },
    "scenario ls": {"--json"},
    "scenario show": {"--raw", "--json"},
    "scenario check": {"--json"},
    "scenario schema": set(),
    "patterns ls": {"--json"},
    "patterns show": {"--json"},
    "patterns check": {"--over", "--json"},
    "persona ls": {"--json"},
    "persona show": {"--raw", "--json"},
    "persona check": {"--json"},
    "persona import": {"--to", "--force", "--json"},
    "analyze": {"--format", "--input-format", "--speaker", "--skip-bad", "--json"},
    "replay": {"--session", "--rate", "--input-format", "--speaker", "--skip-bad", "--json"},
    "transcript": {"--format", "--out", "--speaker", "--list", "--skip-bad", "--json"},
    "worker": {"--lanes"},
    "status": {"--json"},
    "say": {"--as", "--act", "--re", "--topic", "--to", "--id", "--outcome", "--json"},
    "publish": {"--json"},
    "join": {"--as", "--may", "--force", "--json"},
    "floor show": {"--json"},
    "floor grant": {"--as", "--json"},
    "floor interrupt": {"--as", "--json"},
    "floor mute": {"--as", "--json"},
    "floor unmute": {"--as", "--json"},
    "floor pause": {"--as", "--json"},
    "floor resume": {"--as", "--json"},
    "watch": {"--after", "--cursor", "--facts", "--json"},
    "search": {"--by", "--limit", "--json"},
    "context": {
        "--as",
        "--brief",
        "--profile",
        "--part",
        "--trace",
        "--budget",
        "--at",
        "--with",
        "--json",
    },
    "memory": {"--layer", "--at", "--json"},
    "explain": {"--json"},
    "goal open": {"--as", "--parent", "--after", "--json"},
    "goal close": {"--as", "--status", "--result", "--json"},
    "goal ls": {"--json"},
    "task open": {"--as", "--parent", "--after", "--json"},
    "task close": {"--as", "--status", "--result", "--json"},
    "episode open": {"--as", "--parent", "--after", "--json"},
    "episode close": {"--as", "--status", "--result", "--json"},
    "step": {"--as", "--form", "--failed", "--discovered", "--confidence", "--of", "--json"},
    "note show": {"--as", "--at", "--raw", "--json"},
    "note revise": {"--as", "--base", "--json"},
    "scenario new": {"--force", "--json"},
    "persona new": {"--force", "--json"},
    "note prompt": {"--as", "--json"},
    "note history": {"--as", "--diff", "--json"},
    "correct": {"--retract", "--merge", "--topic", "--by", "--json"},
    "alias": {"--json"},
    "lessons show": {"--teach", "--json"},
    "lessons export": {"--out"},
    "lessons import": {"--from", "--top", "--dry-run", "--as", "--json"},
    "redact": {"--reason", "--as", "--renumber", "--yes", "--json"},
    "stats": {"--json"},
    "settings": {"--changed", "--suggest", "--apply", "--json"},
    "doctor": {"--json", "--ask-model"},
    "session new": {"--title"},
    "session ls": {"--json"},
    "session show": {"--json"},
    "session set": {"--repack", "--as", "--by", "--json"},
    "session compact": {"--json"},
    "session close": {"--reason"},
    "session archive": {"--out"},
    "session export": {"--out"},
    "session import": {"--as", "--replace"},
    "session verify": {"--file", "--json"},
    "session fork": {"--at"},
    "session rm": {"--yes"},
    "tool put": {"--args", "--result", "--ttl", "--call-id", "--error", "--write", "--json"},
    "tool get": {"--args", "--json"},
    "tool ls": {"--json"},
    "tool call": {"--args", "--ttl", "--write", "--version", "--as", "--json"},
    "tool screen": {"--as", "--json"},
    "vote call": {
        "--on",
        "--option",
        "--rule",
        "--secret",
        "--quorum",
        "--window",
        "--as",
        "--json",
    },
    "vote confirm": {"--no", "--as", "--json"},
    "vote cast": {"--as", "--why", "--json"},
    "vote show": {"--json"},
    "vote extend": {"--as", "--json"},
    "vote tally": {"--rule", "--quorum", "--count", "--json"},
    "serve": {"--host", "--port", "--no-worker", "--ready"},
    "token": {"--session", "--role", "--may", "--hours", "--link", "--force", "--json"},
    "revoke": {"--json"},
    "mcp": {"--as", "--session"},
    "brief": {"--input-format", "--speaker", "--as", "--at", "--json"},
    "minutes": {"--format", "--speaker", "--at", "--out"},
    "schema": set(),
}


def walk(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words."""
    below = getattr(command, "commands", None)
    if below is None:
        if not command.hidden:  # a part of another command, such as the host of a run
            yield name, command
        return
    for word, subcommand in below.items():
        yield from walk(subcommand, f"{name} {word}".strip())


COMMANDS = dict(walk(command()))


def test_every_promised_command_and_flag_is_there() -> None:
    """And none that is not listed, here and in docs/cli.md."""
    assert set(COMMANDS) == set(PROMISED)
    for name, flags in PROMISED.items():
        params = {option for param in COMMANDS[name].params for option in param.opts}
        assert flags <= params, name
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in PROMISED:
        family, _, word = name.rpartition(" ")
        assert f"`parley {name}" in page or (family and f"`{word} " in page), name


@pytest.mark.parametrize("name", COMMANDS)
def test_everything_explains_itself(name: str) -> None:
    """A sentence for each command, a word for each argument and option."""
    command = COMMANDS[name]
    assert command.help
    assert command.help.rstrip().endswith(".")
    for param in command.params:
        assert param.help, f"{name}: {param.name}"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_shown_without_a_server(name: str, parley: Any) -> None:
    """Exit 0, and every flag of the command is in the text."""
    ran = parley(*name.split(), "--help", "--redis", "unix:///nowhere/at/all")
    assert ran.code == 0
    assert "--help" in ran.out
    for flag in PROMISED[name]:
        assert flag in ran.out


def test_every_setting_is_a_flag_of_the_command() -> None:
    """As docs/settings.md lists them, switches with their negation."""
    whole: Any = command()
    flags = {flag for param in whole.params for flag in (*param.opts, *param.secondary_opts)}
    for setting in SETTINGS.values():
        assert setting.flag in flags
        assert not setting.switch or f"--no-{setting.flag[2:]}" in flags


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("parley se", {"search", "serve", "session", "settings"}), ("parley session ve", {"verify"}),
     ("parley analyze --form", {"--format"})],
)  # fmt: skip
def test_the_shell_completes(typed: str, offered: set[str]) -> None:
    """Commands, subcommands and flags."""
    completed = subprocess.run(
        [sys.executable, "-c", "from parley.server.cli.main import main; main()"],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env={
            "PATH": "", "_PARLEY_COMPLETE": "complete_bash", "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split()) - 1),
        },
    )  # fmt: skip
    assert set(completed.stdout.split()) == offered


def test_the_help_at_hand_is_that_of_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m parley.server.cli.help_text` writes it anew; a narrow terminal has its own."""
    monkeypatch.setenv("COLUMNS", "80")
    assert render_help() == TEXT.read_text("utf-8")
    narrow = subprocess.run(
        [sys.executable, "-m", "parley", "--help"],
        cwd=ROOT, env={"PATH": "", "COLUMNS": "60"}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert max(map(len, narrow.splitlines())) < 80


@pytest.mark.parametrize("words", [[], ["session"]])
def test_no_line_of_the_overview_is_cut(words: list[str]) -> None:
    """Eighty columns hold a whole sentence for every command."""
    stdout = subprocess.run(
        [sys.executable, "-m", "parley", *words, "--help"],
        cwd=ROOT, env={"PATH": "", "COLUMNS": "80"}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    cut = [line for line in stdout.splitlines()[1:] if line.endswith("...")]
    assert not cut
