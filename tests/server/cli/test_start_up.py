"""What commands import before they do their work, counted in processes of their own.

Modules are counted and not seconds: a machine under load changes the one and not the other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.doors.calls import Parley

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import atexit, json, sys
atexit.register(lambda: sys.stderr.write("\\n" + json.dumps(sorted(sys.modules))))
from parley.server.cli.main import main
main()
"""
TALK = '{"index": 0, "agent_id": "Ada", "content": "[PROPOSAL] We drink tea at four."}\n'


def _imported(redis_url: str, *args: str) -> list[str]:
    """The modules that are there when `parley ARGS` has ended well."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env={
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "PARLEY_REDIS": redis_url,
        },
    )  # fmt: skip
    names: list[str] = json.loads(ran.stderr.splitlines()[-1])
    return names


def _below(names: list[str], *packages: str) -> list[str]:
    return [name for name in names if name.startswith(packages)]


@pytest.mark.parametrize(
    ("args", "all_told"),
    [(["--help"], 96), (["-h"], 96), (["--version"], 162)],  # which looks up what is installed
)
def test_help_and_version_import_next_to_nothing(args: list[str], all_told: int) -> None:
    """No library at all: the text of the help is at hand."""
    names = _imported("", *args)
    assert _below(names, "typer", "pydantic", "redis", "rich", "anyio", "orjson") == []
    assert len(_below(names, "parley")) <= 10
    assert len(names) <= all_told


@pytest.mark.parametrize(
    ("args", "own", "all_told"),
    [(["say", "s", "Hello."], 105, 466), (["status"], 100, 376), (["session", "ls"], 99, 376)],
    ids=["say", "status", "session ls"],
)
def test_short_commands_load_no_fold(
    args: list[str], own: int, all_told: int, at: Parley, redis_url: str
) -> None:
    """Nor agents, models, doors or the tree of settings: what they need is the bus."""
    at("session", "new", "s")
    names = _imported(redis_url, *args)
    heavy = ("parley.listeners", "parley.memory.fold", "parley.memory.state.memory")
    assert _below(names, *heavy) == []
    assert _below(names, "parley.memory.extraction", "parley.server.settings.settings_tree") == []
    assert _below(names, "parley.server.http", "parley.server.mcp", "openai", "fastapi") == []
    assert _below(names, "redis", "structlog", "rich", "parley.bus.entries.kinds") == []
    assert _below(names, "parley.memory.state.item_state", "parley.memory.text.sentences") == []
    assert len(_below(names, "parley")) <= own
    assert len(names) <= all_told


@pytest.mark.parametrize("args", [["status"], ["session", "ls"]], ids=" ".join)
def test_commands_that_write_no_entry_load_no_models(
    args: list[str], at: Parley, redis_url: str
) -> None:
    """Neither for what the log holds nor for the options of the line, of which they read some."""
    at("session", "new", "s")
    names = _imported(redis_url, *args, "--json", "--log-level", "info")
    assert _below(names, "pydantic", "importlib.metadata", "parley.bus.entries.fields") == []


def test_analysis_loads_no_redis_and_no_doors(tmp_path: Path) -> None:
    """It reads a file: the fold is all that it needs, and the one format that the file has."""
    file = tmp_path / "talk.jsonl"
    file.write_text(TALK)
    names = _imported("", "analyze", str(file))
    assert _below(names, "redis", "anyio", "openai", "parley.server.http", "typer._adapters") == []
    assert _below(names, "parley.server.transcripts.formats.") == [
        "parley.server.transcripts.formats.json_lines"
    ]
    assert _below(names, "parley.server.transcripts.posts") == []
    drawing = _below(names, "rich", "attr")  # which differ from release to release
    assert len(names) - len(drawing) <= 612


@pytest.mark.parametrize("form", ["text", "md", "html", "json"])
def test_minutes_of_a_file_load_nothing_that_draws_on_a_terminal(tmp_path: Path, form: str) -> None:
    """Only a terminal has colours and a width to wrap at."""
    file = tmp_path / "talk.jsonl"
    file.write_text(TALK)
    names = _imported("", "minutes", str(file), "--format", form)
    assert _below(names, "rich", "openai", "parley.server.http") == []
