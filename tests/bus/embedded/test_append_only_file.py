"""A torn append-only file costs its unfinished end, and nothing written afterwards."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from parley.bus.contract.errors import Unavailable
from parley.bus.embedded.append_only_file import TornEnd, repair
from parley.bus.embedded.server_binary import Binary
from tests.support.servers.servers import Flavour, RedisServer, StartServer, real_flavours

# like publish: an entry and its bookkeeping, in one transaction of the AOF
APPEND = """
local head = redis.call('HINCRBY', KEYS[2], 'head', 1)
redis.call('XADD', KEYS[1], head .. '-1', 'id', ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], head)
return head
"""


def binary(server: RedisServer) -> Binary:
    return Binary(
        server.binary, "bundled" if server.flavour == "bundled" else "path", server.version
    )


def append(server: RedisServer, *ids: str) -> None:
    with server.client() as client:
        for each in ids:
            client.eval(APPEND, 3, "log", "meta", "ids", each)


def entries(server: RedisServer) -> list[str]:
    """The ids in the log, after checking that the bookkeeping agrees."""
    with server.client() as client:
        rows = client.xrange("log")
        ids = [fields[b"id"].decode() for _, fields in rows]
        head = int(client.hget("meta", "head") or 0)
        assert head == len(ids)
        assert client.hlen("ids") == len(ids)
        return ids


def crash_and_cut(server: RedisServer, back: int) -> None:
    server.kill9()
    server.cut_aof(server.aof_file().stat().st_size - back)


def transaction_bytes(server: RedisServer) -> int:
    """The size of one append in the file."""
    before = server.aof_file().stat().st_size
    append(server, "measured")
    return server.aof_file().stat().st_size - before


@pytest.mark.parametrize("seed", range(6))
def test_an_acknowledged_entry_survives_two_restarts_after_a_cut(
    every_real_flavour: Flavour, start_server: StartServer, seed: int
) -> None:
    """Cut anywhere, repair, write, restart again: what was acknowledged in between is there."""
    server = start_server(every_real_flavour, aof="always")
    ids = [f"m{i}" for i in range(8)]
    append(server, *ids)
    size = transaction_bytes(server)
    ids.append("measured")
    back = random.Random(seed).randrange(1, 3 * size)
    crash_and_cut(server, back)

    cut = repair(server.dir, binary(server))
    server.start()
    left = entries(server)
    assert left == ids[: len(left)], back
    assert len(left) >= len(ids) - 1 - back // size, back
    if cut is not None:
        assert cut.copy.stat().st_size == cut.size
    append(server, "fresh")

    server.kill9()
    assert repair(server.dir, binary(server)) is None, back
    server.start()
    assert entries(server) == [*left, "fresh"], back


def test_without_the_repair_an_acknowledged_entry_is_a_ghost(
    every_real_flavour: Flavour, start_server: StartServer
) -> None:
    """Why the repair is there: Redis alone loses what it acknowledged after the cut."""
    server = start_server(every_real_flavour, aof="always")
    append(server, "m1", "m2")
    crash_and_cut(server, 3)  # inside the last EXEC
    server.start()
    append(server, "fresh")
    server.kill9()
    server.start()
    with server.client() as client:
        ids = [fields[b"id"] for _, fields in client.xrange("log")]
    assert b"fresh" not in ids


def test_a_whole_file_is_left_alone(every_real_flavour: Flavour, start_server: StartServer) -> None:
    """Nothing is cut and no byte changes, with a rewritten file as with a fresh one."""
    server = start_server(every_real_flavour, aof="always")
    append(server, *(f"m{i}" for i in range(20)))
    server.stop()
    before = server.aof_file().read_bytes()
    assert repair(server.dir, binary(server)) is None
    assert server.aof_file().read_bytes() == before
    assert not list(server.dir.rglob("*.cut-*"))


def test_nothing_to_repair_is_no_error(
    every_real_flavour: Flavour, start_server: StartServer, tmp_path: Path
) -> None:
    """A fresh directory, and one whose server never wrote, have nothing to cut."""
    server = start_server(every_real_flavour, aof="always")
    server.stop()
    assert repair(tmp_path, binary(server)) is None
    assert repair(server.dir, binary(server)) is None


def test_the_cut_bytes_are_kept_beside_the_file(
    every_real_flavour: Flavour, start_server: StartServer
) -> None:
    """What is cut off is put aside, and the cut says where."""
    server = start_server(every_real_flavour, aof="always")
    append(server, "m1", "m2")
    crash_and_cut(server, 5)
    torn = server.aof_file().read_bytes()
    cut = repair(server.dir, binary(server))
    assert isinstance(cut, TornEnd)
    assert cut.copy.read_bytes() == torn[cut.at :]
    assert cut.file.read_bytes() == torn[: cut.at]
    server.start()
    assert entries(server) == ["m1"]


def snapshot(server: RedisServer) -> dict[str, bytes]:
    parts = [part for part in server.dir.rglob("*") if "aof" in part.name and part.is_file()]
    return {str(part): part.read_bytes() for part in parts}


def test_damage_with_whole_transactions_after_it_is_refused(
    every_real_flavour: Flavour, start_server: StartServer
) -> None:
    """A flipped byte in the middle is for a person to judge: nothing is cut or changed."""
    server = start_server(every_real_flavour, aof="always")
    append(server, "m1", "m2", "m3")
    server.stop()
    file = server.aof_file()
    content = bytearray(file.read_bytes())
    content[content.index(b"m2") - 5] ^= 0x10  # in the length before the id
    file.write_bytes(content)
    before = snapshot(server)
    with pytest.raises(Unavailable, match="damaged before its end"):
        repair(server.dir, binary(server))
    assert snapshot(server) == before


@pytest.mark.skipif("path" not in real_flavours(), reason="only Redis 7 keeps its AOF in parts")
def test_a_damaged_base_is_refused(start_server: StartServer) -> None:
    """A part that is not the last one is never cut."""
    server = start_server("path", aof="always")
    append(server, "m1")
    server.stop()
    [base] = server.aof_file().parent.glob("*.base.rdb")
    base.write_bytes(base.read_bytes()[:40])
    before = snapshot(server)
    with pytest.raises(Unavailable, match="damaged before its end"):
        repair(server.dir, binary(server))
    assert snapshot(server) == before


def test_a_repaired_directory_may_be_copied(
    start_server: StartServer, tmp_path: Path, every_real_flavour: Flavour
) -> None:
    """Repair needs nothing but the directory: a backup is repaired like the original."""
    server = start_server(every_real_flavour, aof="always")
    append(server, "m1", "m2")
    crash_and_cut(server, 4)
    copy = tmp_path / "copy"
    shutil.copytree(server.dir, copy, ignore=shutil.ignore_patterns("s"))
    original, backup = repair(server.dir, binary(server)), repair(copy, binary(server))
    assert original
    assert backup
    assert (original.at, original.size) == (backup.at, backup.size)
