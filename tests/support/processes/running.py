"""Whether a process goes on, read from Linux' process table."""

from __future__ import annotations

from pathlib import Path


def is_running(pid: int) -> bool:
    """False for a process that has ended, also where nobody has waited for it yet.

    It may end between the opening of its row and the reading of it: that is
    ESRCH, a `ProcessLookupError`, where a row that is gone is a `FileNotFoundError`.
    """
    row = _row(pid)
    return bool(row) and row[0] != "Z"


def parent_of(pid: int) -> int | None:
    """The process that started `pid`; None once that has ended."""
    row = _row(pid)
    return int(row[1]) if row else None


def children_of(pid: int) -> list[int]:
    """The processes that `pid` has started and that are still in the table."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [child for child in pids if parent_of(child) == pid]


def _row(pid: int) -> list[str]:
    """State, parent and so on, as the process table has them; empty for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
