"""Whether a process goes on, read from Linux' process table."""

from __future__ import annotations

from pathlib import Path


def is_running(pid: int) -> bool:
    """False for a process that has ended, also where nobody has waited for it yet.

    It may end between the opening of its row and the reading of it: that is
    ESRCH, a `ProcessLookupError`, where a row that is gone is a `FileNotFoundError`.
    """
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
