"""What `make dist` builds, refuses and tries: a release is of a commit, whole, and installs."""

from __future__ import annotations

import io
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.dist import NotReady, build, export, main, release, require_clean
from deploy.dist_contents import (
    Metadata,
    contents,
    metadata_problems,
    read_metadata,
    sdist_problems,
    wheel_problems,
)
from deploy.dist_installs import DOORS, NoSuchPython, install_problems, interpreters

ROOT = Path(__file__).parents[2]
MINE = f"{sys.version_info.major}.{sys.version_info.minor}"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def committed(folder: Path, files: dict[str, str]) -> Path:
    """A repository in `folder` with these files, all committed."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that has this working tree as its only commit."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("an unpacked archive has no commit to build from")
    folder = tmp_path_factory.mktemp("checkout")
    for name in listed.stdout.split("\0"):
        if name and os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return committed(folder, {})


Built = tuple[Path, Path, Path]


@pytest.fixture(scope="module")
def built(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The source distribution, the wheel, and an export of their commit."""
    folder = tmp_path_factory.mktemp("built")
    sdist, wheel = build(checkout, folder / "build")
    export(checkout, folder / "export")
    return sdist, wheel, folder / "export"


def test_what_is_built_is_whole(built: Built) -> None:
    """Each module, data file and licence of the commit, and what operators copy."""
    sdist, wheel, tree = built
    assert list(wheel_problems(wheel, tree)) == []
    assert list(sdist_problems(sdist, wheel, tree)) == []
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/")[2] for name in archive.namelist()}
    assert {
        "py.typed", "bus/scripts/publish.lua", "server/page/index.html",
        "data/share/parley/systemd/parley-serve.service", "licenses/LICENSE",
        "licenses/src/parley/server/page/vendor/LICENSE-uPlot.txt",
    } <= names  # fmt: skip
    assert read_metadata(wheel).pythons == ["3.11", "3.12", "3.13"]
    lines = list(contents(wheel))
    assert any(line.startswith("  parley.bus: ") and " .lua" in line for line in lines)


def test_who_builds_and_when_changes_no_byte(checkout: Path, built: Built, tmp_path: Path) -> None:
    """Another folder, another umask and a later hour give the same wheel."""
    before = os.umask(0o077)
    try:
        _, again = build(checkout, tmp_path / "again")
    finally:
        os.umask(before)
    assert again.read_bytes() == built[1].read_bytes()


def test_the_image_is_built_of_what_its_file_copies(built: Built, tmp_path: Path) -> None:
    """Without deploy/, which the image does not need: the metadata must not ask for it."""
    tree = built[2]
    lines = (tree / "deploy" / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--" not in line]
    names = {name for names in copied for name in names}
    assert {"pyproject.toml", "src", "server"} <= names
    for name in names:
        if (tree / name).is_dir():
            shutil.copytree(tree / name, tmp_path / name, symlinks=True)
        else:
            shutil.copy2(tree / name, tmp_path / name)
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps",
        "--no-build-isolation", "--wheel-dir", str(tmp_path / "made"), str(tmp_path),
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=300)
    (wheel,) = (tmp_path / "made").iterdir()
    problems = list(wheel_problems(wheel, tree))
    assert all("share/parley" in problem for problem in problems), problems


def test_only_what_is_committed_is_exported(tmp_path: Path) -> None:
    """Files that git ignores lie in the checkout, and in no release."""
    repository = committed(tmp_path / "r", {"kept.py": "1", ".gitignore": "*.env\n"})
    (repository / "secret.env").write_text("PASSWORD=1")
    require_clean(repository)
    export(repository, tmp_path / "export")
    names = {file.name for file in (tmp_path / "export").iterdir()}
    assert names == {"kept.py", ".gitignore"}


@pytest.mark.parametrize("name", ["kept.py", "new.py"])
def test_a_dirty_tree_is_refused(tmp_path: Path, name: str) -> None:
    """A changed and a new file are each named, and nothing is written."""
    repository = committed(tmp_path / "r", {"kept.py": "1"})
    (repository / name).write_text("2")
    with pytest.raises(NotReady, match=rf"not committed: {name}; .* commit or remove them"):
        release(repository, tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_a_folder_without_a_commit_is_refused(tmp_path: Path) -> None:
    """An unpacked archive cannot be released from; the message says so."""
    with pytest.raises(NotReady, match="a release is built from a checkout"):
        release(tmp_path, tmp_path / "dist")


def test_a_tag_of_another_version_is_refused(tmp_path: Path) -> None:
    """Both versions are named, and nothing is built."""
    repository = committed(tmp_path / "r", {"pyproject.toml": "[project]\nversion = '0.1.0'\n"})
    with pytest.raises(NotReady, match=r"the tag is v9\.9\.9, but .* version of v0\.1\.0"):
        release(repository, tmp_path / "dist", tag="v9.9.9")


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    """The output of the build backend is in the message."""
    repository = committed(tmp_path / "r", {"pyproject.toml": "[project]\nname = 'x'\n"})
    with pytest.raises(NotReady, match=r"the build failed:[\s\S]*version"):
        release(repository, tmp_path / "dist")


def rewritten(wheel: Path, folder: Path, *, without: str = "", more: str = "") -> Path:
    """A copy of the wheel without the files that end so, and with one more."""
    copy = folder / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.infolist():
            if not without or not member.filename.endswith(without):
                new.writestr(member, old.read(member))
        if more:
            link = zipfile.ZipInfo(more)
            mode = stat.S_IFLNK if more.endswith("link.py") else stat.S_IFREG
            link.external_attr = (mode | 0o644) << 16
            new.writestr(link, "x")
    return copy


@pytest.mark.parametrize(
    ("without", "more", "named"),
    [
        ("scripts/publish.lua", "", "lacks parley/bus/scripts/publish.lua"),
        ("py.typed", "", "lacks parley/py.typed"),
        ("systemd/parley-serve.service", "", "lacks parley_deliberation-"),
        ("licenses/LICENSE", "", "lacks the licence LICENSE"),
        ("", "parley/bus/__pycache__/client.cpython-311.pyc", "client.cpython-311.pyc, which is"),
        ("", "tests/test_docs.py", "has tests/test_docs.py, which is not"),
        ("", "parley/link.py", "parley/link.py is a symbolic link"),
    ],
)
def test_a_wheel_that_differs_from_the_commit_is_named(
    built: Built, tmp_path: Path, without: str, more: str, named: str
) -> None:
    """What is missing, and what should not be there."""
    copy = rewritten(built[1], tmp_path, without=without, more=more)
    problems = list(wheel_problems(copy, built[2]))
    assert problems
    assert all(copy.name in problem for problem in problems)
    assert any(named in problem for problem in problems)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("docs/install.md", "lacks docs/install.md"),
        ("src/parley/memory/fold/apply.py", ""),
        ("+tests/test_docs.py", "tests/test_docs.py does not belong"),
        ("+deploy/parley.env", "has deploy/parley.env, which is not in git"),
        ("+../outside", "is outside of"),
        ("@src/parley/bus", "is a link"),
    ],
)
def test_a_source_distribution_that_differs_is_named(
    built: Built, tmp_path: Path, change: str, named: str
) -> None:
    """A file left out, or more than there should be: tests, secrets, links, paths outside."""
    sdist, wheel, tree = built
    copy = tmp_path / sdist.name
    stem = sdist.name.removesuffix(".tar.gz")
    if not named:  # any module will do
        change = next(f"src/parley/memory/{f.name}" for f in (tree / "memory").glob("*.py"))
        named = f"lacks {change}"
    with tarfile.open(sdist) as old, tarfile.open(copy, "w:gz") as new:
        for member in old:
            if member.name != f"{stem}/{change}":
                new.addfile(member, old.extractfile(member) if member.isfile() else None)
        extra = tarfile.TarInfo(f"{stem}/{change[1:]}")
        if change[0] == "@":
            extra.type, extra.linkname = tarfile.SYMTYPE, "../../bus"
        if change[0] in "@+":
            new.addfile(extra, io.BytesIO())
    assert any(named in problem for problem in sdist_problems(copy, wheel, tree))


SOUND = """\
Metadata-Version: 2.4
Name: parley-deliberation
Version: 0.1.0
Summary: a server
Author: the Parley developers
License-Expression: Apache-2.0 AND MIT
License-File: LICENSE
Keywords: decisions
Classifier: Programming Language :: Python :: 3.11
Requires-Python: >=3.11
Description-Content-Type: text/markdown

# Parley
"""


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("", "", ""),
        ("Apache-2.0 AND MIT", "Apache 2", "license"),
        ("Python :: 3.11", "Python :: 3.10", "does not allow"),
        ("Python :: 3.11", "Python :: three", "no index knows the classifier"),
        ("Summary: a server\n", "", "there is no summary"),
        ("Author: the Parley developers\n", "", "there is no author"),
        ("License-File: LICENSE\n", "", "there is no license_files"),
        ("text/markdown", "text/plain", "not text/markdown"),
        ("# Parley\n", "", "there is no description"),
        ("Version: 0.1.0", "Version: next", "version"),
    ],
)
def test_metadata_that_an_index_refuses_is_named(old: str, new: str, named: str) -> None:
    """Each mistake alone; without one there is nothing to say."""
    assert old in SOUND
    problems = list(metadata_problems(SOUND.replace(old, new).encode() if old else SOUND.encode()))
    assert bool(problems) == bool(named)
    assert all(named in problem for problem in problems)


def program(file: Path, *lines: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(("#!/bin/sh", *lines, "")))
    file.chmod(0o755)
    return file


def test_a_python_is_found_behind_a_shim_that_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyenv puts names on PATH that fail; its versions are looked through, the newest first."""
    shims = tmp_path / "shims"
    program(shims / "python3.99", "echo 'command not found' >&2", "exit 127")
    program(shims / "pyenv", f"echo {tmp_path / 'root'}")
    for patch in (1, 2):
        program(tmp_path / f"root/versions/3.99.{patch}/bin/python3.99", "echo 3.99")
    monkeypatch.setenv("PATH", f"{shims}:/usr/bin:/bin")
    found = interpreters([MINE, "3.98", "3.99"])
    assert list(found) == [MINE, "3.99"]
    assert found["3.99"].parts[-3] == "3.99.2"


def test_a_python_that_is_asked_for_has_to_run(tmp_path: Path) -> None:
    """By a name or a path; one that is not there is refused by its name."""
    assert interpreters(sys.executable) == {MINE: Path(sys.executable)}
    with pytest.raises(NoSuchPython, match=r"python3\.98 does not run; name Python interpreters"):
        interpreters(f"{sys.executable} python3.98")
    broken = program(tmp_path / "python", "exit 1")
    with pytest.raises(NoSuchPython, match="does not run"):
        interpreters(str(broken))


def modules() -> Iterator[str]:
    """The files that make every door importable, without a line in them."""
    for names in DOORS.values():
        for name in names:
            *folders, last = name.split(".")
            for depth in range(1, len(folders) + 1):
                yield "/".join((*folders[:depth], "__init__.py"))
            yield f"{'/'.join((*folders, last))}.py"


NAMED = "Metadata-Version: 2.1\nName: little\nVersion: 0.1.0\n"


def little_wheel(folder: Path, readme: str, version: str = "0.1.0") -> tuple[Path, Metadata]:
    """A wheel that needs no other, with a command, extras and units as ours has."""
    info, data = "little-0.1.0.dist-info", "little-0.1.0.data/data"
    extras = "".join(f"Provides-Extra: {extra}\n" for extra in DOORS)
    files = dict.fromkeys(modules(), "") | {
        "parley/__main__.py": "",
        "parley/command.py": f"def main(): print('parley {version}')\n",
        f"{data}/share/parley/systemd/parley.service": "",
        f"{info}/METADATA": f"{NAMED}{extras}\n{readme}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nparley = parley.command:main\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in files)
    wheel = folder / "little-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel, read_metadata(wheel)


BLOCKS = """\
```python
print("in every environment")
```

```python
def said(redis): raise SystemExit("an embedded server")
said(redis=None)
```
"""


def test_each_extra_is_tried_in_an_environment_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are tried though one fails; the block of an embedded server needs its extra."""
    program(tmp_path / "bin" / "redis-server")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    wheel, metadata = little_wheel(tmp_path, BLOCKS)
    said: list[str] = []
    scratch = tmp_path / "scratch"
    problems = install_problems(wheel, metadata, scratch, {MINE: Path(sys.executable)}, said.append)
    assert [problem.partition(":")[0] for problem in problems] == [
        f"python {MINE} [embedded]", f"python {MINE} [all]",
    ]  # fmt: skip
    assert all("an embedded server" in problem for problem in problems)
    assert len([line for line in said if "installed and tried" in line]) == 4
    assert not list(scratch.iterdir())


def test_without_any_server_the_example_is_left_out_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Python for which no package has a server, on a machine without one."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    wheel, metadata = little_wheel(tmp_path, BLOCKS)
    said: list[str] = []
    pythons = {MINE: Path(sys.executable)}
    assert install_problems(wheel, metadata, tmp_path / "s", pythons, said.append) == []
    left_out = [line for line in said if "not the example with an embedded server" in line]
    assert len(left_out) == 2


def test_a_command_of_another_version_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed has to say the version of the metadata."""
    wheel, metadata = little_wheel(tmp_path, "", version="0.2.0")
    monkeypatch.setattr("deploy.dist_installs.DOORS", {})
    bare = replace(metadata, extras=[])
    pythons = {MINE: Path(sys.executable)}
    problems = install_problems(wheel, bare, tmp_path / "s", pythons, lambda line: None)
    assert len(problems) == 2
    assert all("says 'parley 0.2.0\\n', the metadata 0.1.0" in problem for problem in problems)


def test_an_extra_that_is_not_tried_is_named(tmp_path: Path) -> None:
    """A new extra needs a line that says what it is for."""
    metadata = Metadata("little", "0.1.0", [*DOORS, "new"], [MINE], "")
    (problem,) = install_problems(tmp_path / "x.whl", metadata, tmp_path, {}, lambda line: None)
    assert "extras: new differ" in problem


def test_a_refusal_is_one_line_and_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person reads what to do; no traceback."""
    monkeypatch.setattr(sys, "argv", ["dist", "--pythons", "python3.98"])
    monkeypatch.setattr("deploy.dist.require_clean", lambda root: None)
    assert main() == 1
    assert capsys.readouterr().err.startswith("python3.98 does not run;")
