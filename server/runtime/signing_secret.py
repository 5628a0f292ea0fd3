"""The secret that tokens are signed with: as set, or made once and kept beside the data.

Whoever can read it can be anybody; so the file is its owner's alone, and a server
that others can reach wants one that somebody set on purpose.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from parley.server.basics.errors import Misuse
from parley.server.settings import Settings

BYTES: Final = 32  # shortest secret that signs
FILE: Final = "serve.secret"


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """Secrets, the first of which signs, and where they are from."""

    secrets: tuple[str, ...]
    source: Literal["set", "kept", "passing"]


def key_id(secret: str) -> str:
    """What a token names the key by that signed it."""
    return blake2b(secret.encode(), digest_size=4).hexdigest()


def load_or_create(settings: Settings) -> SigningKeys:
    """What a server signs with; makes a secret where none is set and only this machine calls.

    Raises `Misuse` for one that is too short, and where others can call and none is set.
    """
    if settings.serve.secrets:
        return SigningKeys(_long_enough(settings.serve.secrets), "set")
    if not settings.serve.loopback:
        raise Misuse(
            f"--serve-host {settings.serve.host}: others can reach it, and no secret is set; "
            f"set PARLEY_SERVE_SECRET to {BYTES} bytes or more, or listen on 127.0.0.1"
        )
    if settings.embedded == "fake" and not settings.redis:
        return SigningKeys((secrets.token_urlsafe(BYTES),), "passing")
    file = _file(settings)
    if not file.exists():
        _make(file)
    return SigningKeys(_read(file), "kept")


def load(settings: Settings) -> tuple[str, ...]:
    """What a server of these settings signs with. Raises `Misuse` where none ever ran."""
    if settings.serve.secrets:
        return _long_enough(settings.serve.secrets)
    file = _file(settings)
    if not file.exists():
        raise Misuse(
            "there is no secret to sign with; start 'parley serve' once, or set PARLEY_SERVE_SECRET"
        )
    return _read(file)


def _file(settings: Settings) -> Path:
    return settings.data.expanduser() / FILE


def _make(file: Path) -> None:
    """Whole or not at all; of two servers that start at once, one makes it."""
    own = file.with_name(f"{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(own, "x", opener=_private, encoding="ascii") as new:
                new.write(secrets.token_urlsafe(BYTES) + "\n")
                new.flush()
                os.fsync(new.fileno())
            os.link(own, file)
        finally:
            own.unlink(missing_ok=True)
    except FileExistsError:
        return
    except OSError as error:
        raise Misuse(f"cannot make {str(file)!r}: {error.strerror}; set --data") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _read(file: Path) -> tuple[str, ...]:
    try:
        with file.open(encoding="utf-8") as kept:
            if os.fstat(kept.fileno()).st_mode & 0o077:
                raise Misuse(f"others can read {str(file)!r}: chmod 600, or remove it")
            text = kept.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"cannot read {str(file)!r}: {error}") from None
    return _long_enough((text.strip(),))


def _long_enough(secrets: tuple[str, ...]) -> tuple[str, ...]:
    if any(len(secret.encode()) < BYTES for secret in secrets):
        raise Misuse(f"a secret of serve.secret has less than {BYTES} bytes")
    return secrets
