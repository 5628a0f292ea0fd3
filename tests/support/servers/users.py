"""A Redis with the users of deploy/redis/users.acl, each with a password of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.servers import RedisServer, path_binary, real_flavours

ACL_FILE: Final = Path(__file__).resolve().parents[3] / "deploy" / "redis" / "users.acl"
USERS: Final = ("reader", "publisher", "worker", "gateway", "operator")


def _is_new_enough() -> bool:
    return path_binary() is not None and RedisServer("path").version >= (7, 0)


needs_users = pytest.mark.skipif(
    not real_flavours() or not _is_new_enough(), reason="patterns of keys need a Redis 7 on PATH"
)


def password(user: str) -> str:
    return f"sesame-of-{user}-{len(user)}"


@contextmanager
def server_with_users(scratch: Path, **options: str) -> Iterator[RedisServer]:
    """Its file of users is put into `scratch`, as the entry point of the image makes it."""
    lines = []
    for line in ACL_FILE.read_text("utf-8").splitlines():
        name = line.split()[1]
        hashed = hashlib.sha256(password(name).encode()).hexdigest()
        lines.append(f"{line} #{hashed}" if name in USERS else line)
    users = scratch / "users.acl"
    users.write_text("\n".join(lines) + "\n", "utf-8")
    with RedisServer("path", aof="everysec", options={"aclfile": str(users), **options}) as server:
        yield server
