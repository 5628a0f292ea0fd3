"""What is in a wheel and a source distribution, and what is wrong with it."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import packaging.metadata
from packaging.specifiers import SpecifierSet
from trove_classifiers import classifiers as known_classifiers

VERSION_CLASSIFIER = "Programming Language :: Python :: "
SHARED = "share/parley"  # below the prefix of an environment
OPERATORS = (  # of deploy/: what works without a checkout
    "grafana", "kubernetes", "parley.env.example", "prometheus", "redis", "secrets.sh", "systemd",
)  # fmt: skip
PAGES = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "SECURITY.md", "requirements.lock")


@dataclass(frozen=True)
class Metadata:
    """What the wheel says of itself."""

    name: str
    version: str
    extras: Sequence[str]
    pythons: Sequence[str]  # such as 3.11, of its classifiers
    readme: str


def read_metadata(wheel: Path) -> Metadata:
    """The metadata of a wheel whose `wheel_problems` are not known yet."""
    raw, _ = packaging.metadata.parse_email(_metadata(wheel))
    versions = [c.removeprefix(VERSION_CLASSIFIER) for c in raw.get("classifiers", [])]
    return Metadata(
        name=raw["name"],
        version=raw["version"],
        extras=raw.get("provides_extra", []),
        pythons=[each for each in versions if each.replace(".", "").isdecimal() and "." in each],
        readme=raw.get("description", ""),
    )


def wheel_problems(wheel: Path, tree: Path) -> Iterator[str]:
    """What the wheel lacks, or has too much of, against an export of its commit in `tree`."""
    yield from metadata_problems(_metadata(wheel))
    with zipfile.ZipFile(wheel) as archive:
        members = archive.infolist()
    for member in members:
        if stat.S_ISLNK(member.external_attr >> 16):
            yield f"{wheel.name}: {member.filename} is a symbolic link"
    names = {member.filename for member in members if not member.is_dir()}
    stem = "-".join(wheel.name.split("-")[:2])
    info, data = f"{stem}.dist-info/", f"{stem}.data/data/"
    wanted = {*_packaged(tree), *(f"{data}{SHARED}/{file}" for file in _for_operators(tree))}
    had = {name for name in names if not name.startswith(info)}
    yield from (f"{wheel.name}: lacks {name}" for name in sorted(wanted - had))
    yield from (f"{wheel.name}: has {name}, which is not in git" for name in sorted(had - wanted))
    for licence in _licences(_metadata(wheel)):
        if f"{info}licenses/{licence}" not in names:
            yield f"{wheel.name}: lacks the licence {licence}"


def sdist_problems(sdist: Path, wheel: Path, tree: Path) -> Iterator[str]:
    """What the source distribution lacks to build that wheel, and what it must not have."""
    stem = sdist.name.removesuffix(".tar.gz")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
        packed = archive.extractfile(f"{stem}/PKG-INFO")
        said = packed.read() if packed else b""
    if said != _metadata(wheel):
        yield f"{sdist.name}: its metadata is not that of the wheel"
    for member in members:
        if not (member.isfile() or member.isdir()):
            yield f"{sdist.name}: {member.name} is a link or a device"
        if member.name.split("/")[0] != stem or ".." in PurePosixPath(member.name).parts:
            yield f"{sdist.name}: {member.name} is outside of {stem}/"
    files = {member.name.removeprefix(f"{stem}/") for member in members if member.isfile()}
    wanted = {
        *(f"src/{name}" for name in _packaged(tree)),
        *(f"deploy/{name}" for name in _for_operators(tree)),
        *(name for folder in ("docs", "examples") for name in _below(tree, folder)),
        *PAGES, *_licences(said),
    }  # fmt: skip
    yield from (f"{sdist.name}: lacks {name}" for name in sorted(wanted - files))
    for name in sorted(files):
        if name.startswith("tests/") or name.endswith((".pyc", ".pyo")):
            yield f"{sdist.name}: {name} does not belong into it"
        elif "egg-info" not in name and name not in MADE and not (tree / name).is_file():
            yield f"{sdist.name}: has {name}, which is not in git"


MADE = ("PKG-INFO", "setup.cfg")


def metadata_problems(said: bytes) -> Iterator[str]:
    """What an index refuses in core metadata, and what would look broken on its page."""
    try:
        metadata = packaging.metadata.Metadata.from_email(said, validate=True)
    except ExceptionGroup as refused:
        yield from (f"metadata: {each}" for each in refused.exceptions)
        return
    if not (metadata.description or "").strip():
        yield "metadata: there is no description"
    if metadata.description_content_type != "text/markdown":
        yield f"metadata: the description is {metadata.description_content_type}, not text/markdown"
    for needed in ("summary", "requires_python", "license_expression", "license_files", "keywords"):
        if not getattr(metadata, needed):
            yield f"metadata: there is no {needed}"
    if not (metadata.author or metadata.author_email):
        yield "metadata: there is no author"
    given = metadata.classifiers or []
    for classifier in (c for c in given if c not in known_classifiers):
        yield f"metadata: no index knows the classifier {classifier!r}"
    supported = metadata.requires_python or SpecifierSet()
    for classifier in given:
        version = classifier.removeprefix(VERSION_CLASSIFIER)
        if version.count(".") == 1 and not supported.contains(f"{version}.0"):
            yield f"metadata: requires-python {supported} does not allow {classifier!r}"


def contents(wheel: Path) -> Iterator[str]:
    """The wheel in some lines: files a package, by suffix, with their bytes."""
    with zipfile.ZipFile(wheel) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
    suffixes: dict[str, Counter[str]] = {}
    sizes: Counter[str] = Counter()
    for member in members:
        path = PurePosixPath(member.filename)
        part = _part(path)
        suffixes.setdefault(part, Counter())[path.suffix or path.name] += 1
        sizes[part] += member.file_size
    total = sum(sizes.values())
    yield f"{wheel.name}: {len(members)} files, {total:,} bytes, {wheel.stat().st_size:,} packed"
    for part, counted in suffixes.items():
        kinds = ", ".join(f"{many} {kind}" for kind, many in counted.most_common())
        yield f"  {part}: {kinds}; {sizes[part]:,} bytes"


def _part(path: PurePosixPath) -> str:
    if path.parts[0].endswith((".dist-info", ".data")):
        return SHARED if path.parts[0].endswith(".data") else "dist-info"
    return ".".join(path.parts[: min(2, len(path.parts) - 1)])


def _packaged(tree: Path) -> Iterator[str]:
    """The files below src/, such as `parley/bus/client.py`, through the links to the packages."""
    for folder, _, files in os.walk(tree / "src" / "parley", followlinks=True):
        yield from (Path(folder, file).relative_to(tree / "src").as_posix() for file in files)


def _for_operators(tree: Path) -> Iterator[str]:
    for name in OPERATORS:
        if (tree / "deploy" / name).is_file():
            yield name
        else:
            yield from _below(tree / "deploy", name)


def _below(tree: Path, folder: str) -> Iterator[str]:
    for file in (tree / folder).rglob("*"):
        if file.is_file():
            yield file.relative_to(tree).as_posix()


def _metadata(wheel: Path) -> bytes:
    stem = "-".join(wheel.name.split("-")[:2])
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"{stem}.dist-info/METADATA")


def _licences(said: bytes) -> Sequence[str]:
    raw, _ = packaging.metadata.parse_email(said)
    return raw.get("license_files", [])
