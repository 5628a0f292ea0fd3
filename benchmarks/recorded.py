"""Recorded meetings with their answer keys, and the scorer that lies beside them."""

from __future__ import annotations

import importlib.util
import json
import sys
import zlib
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

CORPORA_OF_DEV: Final = ("irc", "wg")
FOLDS: Final = 8  # as `benchmarks.fit_scorecards` parts them
STRIPPED: Final = "stripped"  # the marks PROPOSAL and RESOLVED are cut
EXPLICIT: Final = "explicit"  # they are left in
_KEY: Final = ".gold.jsonl"

Row = dict[str, Any]


class Recorded(NamedTuple):
    """One meeting as it is read: with its marks or without. `key` is the file of its answers."""

    corpus: str
    variant: str
    name: str
    key: Path

    @property
    def part(self) -> str:
        """Which part of its corpus it belongs to, by its name's hash: a new one moves no other."""
        return str(zlib.crc32(self.name.encode()) % FOLDS)

    def rows(self) -> list[Row]:
        """The messages, behind the line that describes the session."""
        transcript = self.key.with_name(f"{self.name}.jsonl")
        rows: list[Row] = scorer(self.key).session(str(transcript), self.variant == STRIPPED)
        return rows

    def transcript(self) -> bytes:
        return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows())

    def gold(self) -> list[Row]:
        rows: list[Row] = scorer(self.key).load(str(self.key))
        return rows


def recorded(corpus: Path) -> list[Recorded]:
    """The meetings of the folder `corpus`, by name, each without its marks and with them.

    The variants of a meeting follow each other: most of their lines are the same.
    """
    return [
        Recorded(corpus.name, variant, key.name.removesuffix(_KEY), key)
        for key in sorted(corpus.glob(f"*{_KEY}"))
        for variant in (STRIPPED, EXPLICIT)
    ]


def agents_corpus(folder: Path) -> Path | None:
    """The folder of agents' talk in the corpora at `folder` that may be tuned on, None without."""
    corpus = folder / "agents" / "dev"
    return corpus if corpus.is_dir() and recorded(corpus) else None


def transcripts(corpus: Path) -> list[Recorded]:
    """The transcripts of a folder of agents' talk, by name, with their marks."""
    return [meeting for meeting in recorded(corpus) if meeting.variant == EXPLICIT]


def corpora_of(folder: Path) -> list[Path]:
    """The corpora of `folder`/dev that are there."""
    return [folder / "dev" / name for name in CORPORA_OF_DEV if (folder / "dev" / name).is_dir()]


def scorer(beside: Path) -> ModuleType:
    """`score.py` of the folder of `beside`, or of one above it; exits where there is none."""
    for folder in beside.resolve().parents:
        if (folder / "score.py").is_file():
            return _loaded(folder / "score.py")
    sys.exit(f"no score.py in {beside.parent} or above it: name a folder of the corpora")


@cache
def _loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpora_score", file)
    if spec is None or spec.loader is None:
        sys.exit(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
