"""Repair of a torn append-only file before a server starts on it.

A crash may leave the last command of the file, or the last script's MULTI
block, unfinished. Redis itself only cuts the unfinished *command* and leaves
the MULTI open; what it writes next lands inside that block, and the start
after that one throws the block away: an acknowledged entry turns into a ghost
(seen on 6.2.14 and 7.0.15, also under `appendfsync always`). So the file is cut
before the block, by the server's own checker, before each start.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

from msgspec import Struct

from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.data_version import too_old
from parley.bus.embedded.server_binary import MULTI_PART_AOF, Binary

_MANIFEST: Final = Path("appendonlydir") / "appendonly.aof.manifest"
_SINGLE: Final = Path("appendonly.aof")

# in what is to be cut: something was finished after the damage, so it is no torn end
_WHOLE_TRANSACTION: Final = b"\r\n*1\r\n$4\r\nEXEC\r\n"
_ANALYZED = re.compile(rb"AOF analyzed: (?:filename=([^,]+), )?size=(\d+), ok_up_to=(\d+)")


class TornEnd(Struct, frozen=True):
    """What was cut: `size` bytes of `file` from offset `at`, saved in `copy`."""

    file: Path
    at: int
    size: int
    copy: Path


def repair(data: Path, binary: Binary) -> TornEnd | None:
    """Cut the unfinished end off the AOF in `data`; None if it is whole or there is none.

    The bytes cut off are kept beside the file. Only while no server runs on
    `data`. Raises `Unavailable` when the file is damaged before its end (whole
    transactions would go with the cut), or when `binary` is too old to read it;
    nothing is changed then.
    """
    target = _target(data, binary)
    if target is None:
        return None
    checked = _check(binary, target)
    if checked.returncode == 0:
        return None
    cut = _planned(target, checked.stdout)
    if cut is None:
        raise _damaged(target, checked)
    with cut.file.open("rb") as file:
        file.seek(cut.at)
        rest = file.read()
    if _WHOLE_TRANSACTION in rest:
        raise _damaged(target, checked)
    cut.copy.write_bytes(rest)
    # the manifest, never the incremental file: only so does Redis know which is the last
    fixed = _check(binary, target, fix=True)
    if fixed.returncode != 0 or cut.file.stat().st_size != cut.at:
        raise _damaged(target, fixed)
    return cut


def _target(data: Path, binary: Binary) -> Path | None:
    manifest, single = data / _MANIFEST, data / _SINGLE
    if manifest.exists():
        if binary.version < MULTI_PART_AOF:
            raise too_old(data, binary, MULTI_PART_AOF)  # it would start empty
        return manifest
    # 6.2 leaves an empty file until the first write, and its checker refuses that
    return single if single.exists() and single.stat().st_size else None


def _check(
    binary: Binary, target: Path, *, fix: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Run the checker; with `fix` it asks once before it cuts, and is told yes."""
    command = [binary.check_aof, *(["--fix"] if fix else []), target.name]
    return subprocess.run(  # noqa: S603 - the server program itself, no shell
        command,
        executable=binary.path,
        cwd=target.parent,
        input=b"y\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def _planned(target: Path, report: bytes) -> TornEnd | None:
    """The cut that the checker would make; None if the end is not what is wrong."""
    analyzed = _ANALYZED.findall(report)
    if not analyzed:
        return None
    name, size, good = analyzed[-1]
    file = target.with_name(name.decode()) if name else target
    at = int(good)
    if at >= int(size) or file.stat().st_size != int(size):
        return None
    return TornEnd(file, at, int(size) - at, file.with_name(f"{file.name}.cut-{at}"))


def _damaged(target: Path, checked: subprocess.CompletedProcess[bytes]) -> Unavailable:
    lines = checked.stdout.decode(errors="replace").strip().splitlines()
    return Unavailable(
        f"the append-only file {str(target)!r} is damaged before its end "
        f"({lines[-1] if lines else 'its checker says nothing'}); restore it from a backup, or "
        "move it away and import the sessions from their exported files"
    )
