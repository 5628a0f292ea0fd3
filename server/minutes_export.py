"""`parley minutes`: the minutes of a session or a file, to read or to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from server.settings import Settings

Form = Literal["text", "md", "html", "json"]


def minutes(settings: Settings, source: str, form: Form, at: int | None, out: Path | None) -> None:
    """Print them, or write them to `out`. `source` names a session, a file or `-`."""
    raise NotImplementedError
