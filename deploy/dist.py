"""Builds what a release publishes, from the commit alone, and tries it as its users would.

    python -m deploy.dist [--into dist] [--tag v0.1.0] [--pythons "python3.12 python3.13"]

The tree has to be clean. The source distribution and, from it, the wheel are built twice from an
export of the commit: both wheels have to be equal. Then their metadata and contents are checked,
and the wheel is installed with each extra in environments of its own on each Python that its
classifiers name and that is found here. With `--tag` the version has to be that of the tag.
`--into` has the two files once all of that has passed.
Exit status 1 and lines on stderr say what is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from deploy.dist_contents import Metadata, contents, read_metadata, sdist_problems, wheel_problems
from deploy.dist_installs import NoSuchPython, install_problems, interpreters

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 5  # files that a refusal names
MASK = 0o022  # the modes of files are in the wheel: they must not depend on who builds


class NotReady(Exception):
    """The checkout cannot be released from; the message says what to do."""


def require_clean(root: Path) -> None:
    """Raises `NotReady` if `root` has changes or new files that are not committed."""
    status = _git(root, "status", "--porcelain")
    if changed := [line[3:] for line in status.splitlines()]:
        names = ", ".join(changed[:SHOWN]) + (", …" if len(changed) > SHOWN else "")
        raise NotReady(
            f"the tree has changes that are not committed: {names}; a release is"
            " built from a commit: commit or remove them, then run this again"
        )


def export(root: Path, folder: Path) -> None:
    """Writes the files of the commit at HEAD into `folder`, which it makes."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    _git(root, "-c", f"tar.umask={MASK:04o}", "archive", f"--output={archive}", "HEAD")
    subprocess.run(["tar", "-xpf", archive, "-C", folder], check=True)
    archive.unlink()


def build(root: Path, folder: Path) -> tuple[Path, Path]:
    """The source distribution and the wheel of HEAD, built below `folder`."""
    tree, products = folder / "tree", folder / "products"
    export(root, tree)
    when = _git(root, "log", "-1", "--format=%ct").strip()
    command = [
        sys.executable, "-m", "build", "--no-isolation", "--outdir", str(products), str(tree),
    ]  # fmt: skip
    done = subprocess.run(
        command, env={**os.environ, "SOURCE_DATE_EPOCH": when}, umask=MASK,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise NotReady(f"the build failed:\n{done.stdout}")
    (sdist,), (wheel,) = products.glob("*.tar.gz"), products.glob("*.whl")
    return sdist, wheel


def release(root: Path, into: Path, pythons: str = "", tag: str = "") -> list[str]:
    """Builds, checks and tries a release; returns what is wrong with it, one line each.

    Without a problem `into` has the two files, and no others of this distribution.
    """
    require_clean(root)
    if tag and tag != (ours := f"v{_version(root)}"):
        raise NotReady(f"the tag is {tag}, but pyproject.toml has the version of {ours}")
    found = interpreters(pythons) if pythons else None
    with tempfile.TemporaryDirectory(prefix="dist-") as scratch:
        folder = Path(scratch)
        started = time.monotonic()
        sdist, wheel = build(root, folder / "first")
        _, again = build(root, folder / "second")
        if _sum(wheel) != _sum(again):
            return ["two builds of the same commit gave different wheels"]
        say(f"built twice, the wheels are equal ({time.monotonic() - started:.0f} s)")
        tree = folder / "export"
        export(root, tree)
        metadata = read_metadata(wheel)
        if wrong := [*wheel_problems(wheel, tree), *sdist_problems(sdist, wheel, tree)]:
            return wrong
        for line in contents(wheel):
            say(line)
        if wrong := _tried(wheel, metadata, folder / "installs", found):
            return wrong
        into.mkdir(exist_ok=True)
        for old in into.glob(f"{sdist.name.partition('-')[0]}-*"):
            old.unlink()
        for file in (sdist, wheel):
            shutil.copy2(file, into)
            say(f"{into / file.name}: {file.stat().st_size:,} bytes, sha256 {_sum(file)}")
    return []


def _tried(
    wheel: Path, metadata: Metadata, scratch: Path, found: dict[str, Path] | None
) -> list[str]:
    if found is None:
        found = interpreters(metadata.pythons)
        for version in (one for one in metadata.pythons if one not in found):
            say(f"python {version}: none found here, so not tried")
    return install_problems(wheel, metadata, scratch, found, say)


def say(line: str) -> None:
    """Prints a line at once: whoever waits for minutes sees how far it is."""
    print(line, flush=True)


def _version(root: Path) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _sum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotReady(f"git {words[0]}: {done.stderr.strip()}; a release is built from a checkout")
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(prog="deploy.dist", description="builds and tries a release")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder of the files")
    parser.add_argument("--pythons", default="", help="interpreters to try, with blanks between")
    parser.add_argument("--tag", default="", help="the tag of the release, such as v0.1.0")
    asked = parser.parse_args()
    try:
        problems = release(ROOT, asked.into, asked.pythons, asked.tag)
    except (NotReady, NoSuchPython) as refused:
        problems = [str(refused)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
