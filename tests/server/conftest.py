"""A command line to run in this process, with nothing of the machine's own settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parley.server.cli.main import main
from tests.support.doors.calls import Parley, Ran


@pytest.fixture
def parley(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Parley:
    """Runs `parley ARGS` in an empty directory; gives exit code, stdout, stderr."""
    for name in list(os.environ):
        if name.startswith("PARLEY_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PARLEY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)

    def call(*args: str | Path) -> Ran:
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        out, err = capfdbinary.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 1, out.decode(), err.decode())

    return call


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """`parley` on an empty real server."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    return parley
