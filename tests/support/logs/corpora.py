"""Recorded deliberations that stay outside the project: found beside it, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from parley.bus import Draft
from parley.bus.entries import Message

ROOT = Path(os.environ.get("PARLEY_CORPORA") or Path(__file__).parents[4] / "shared" / "corpora")

needs_corpora = pytest.mark.skipif(
    not ROOT.is_dir(), reason=f"no corpora at {ROOT}; set PARLEY_CORPORA to their folder"
)


def meetings(kind: str = "irc") -> list[Path]:
    """The transcripts of one kind, without their answer keys."""
    files = sorted((ROOT / "dev" / kind).glob("*.jsonl"))
    return [file for file in files if file.name.count(".") == 1]


def long_session() -> Path:
    return ROOT / "long" / "long-session.jsonl"


def drafts_of(file: Path) -> list[Draft]:
    """The messages of a transcript, under ids that the file alone decides."""
    rows = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    return [
        Draft(
            f"m{row['index']}",
            Message(participant=row["agent_id"], content=row["content"], at=row.get("timestamp")),
        )
        for row in rows
        if "content" in row and row["content"].strip()
    ]
