"""A session that lost entries: every door that makes a copy says which, and what can be saved."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import redis

from parley.bus import Bus
from parley.bus.contract.errors import BadSessionFile, SessionDamaged
from parley.bus.contract.keys import Keys
from parley.bus.sessions.copies import copy_of, fill_gaps
from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.bus.sessions.stored_rows import StoredRow, decode_rows
from parley.listeners.sessions.session_client import SessionClient
from parley.server.records.archive import archive_old, list_old
from parley.server.records.backup import back_up, name_of
from parley.server.records.log_audit import find_faults
from parley.server.records.session_file import check_whole, export_session
from parley.server.services.sessions import archive_session, fork_session
from tests.support.doors.calls import Parley
from tests.support.doors.doors import doors
from tests.support.logs.logs import PACKS
from tests.support.sessions.talks import everything, talk

A: Final = Keys(1).of("a")
LOST: Final[dict[str, tuple[Callable[[Any], object], str]]] = {
    "trimmed": (lambda raw: raw.xtrim(A.log, maxlen=2, approximate=False), "1-4 of 6"),
    "deleted": (lambda raw: raw.delete(A.log), "1-6 of 6"),
    "in its midst": (lambda raw: raw.xdel(A.log, "2-1", "4-3", "5-4"), "2, 4-5 of 6"),
    "its end": (lambda raw: raw.xdel(A.log, "6-5"), "6 of 6"),
}


@pytest.fixture
def raw(redis_url: str) -> Iterator[Any]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


def _client(bus: Bus) -> SessionClient:
    return SessionClient(bus, PACKS, "a", "ana")


COPIES: Final[dict[str, Callable[[Bus, Path], Awaitable[object]]]] = {
    "export": lambda bus, _: export_session(bus, "a"),
    "archive": lambda bus, folder: archive_session(bus, "a", folder / "a.json"),
    "fork": lambda bus, _: fork_session(bus, "a", "b", None),
    "to_json": lambda bus, _: _client(bus).to_json(),
    "save": lambda bus, folder: _client(bus).save(folder / "a.json"),
    "get_memory_state": lambda bus, _: _client(bus).get_memory_state(),
}


@pytest.mark.parametrize("door", COPIES)
@pytest.mark.parametrize("damage", LOST)
async def test_no_door_hands_out_a_copy_that_lacks_entries(
    redis_url: str, raw: Any, tmp_path: Path, damage: str, door: str
) -> None:
    """It is refused by its name, no file is written, and nothing is marked or opened."""
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await talk(bus, "a", 5)
        LOST[damage][0](raw)
        with pytest.raises(SessionDamaged, match="'a'"):
            await COPIES[door](bus, tmp_path)
        assert not list(tmp_path.iterdir())
        assert raw.hget(A.meta, "status") == b"open"
        assert [info.session for info in await bus.sessions()] == ["a"]


@pytest.mark.parametrize("damage", LOST)
async def test_what_is_missing_is_named_by_its_numbers(
    redis_url: str, raw: Any, damage: str
) -> None:
    """And what can be saved is, if anything: marked in the file, and imported only on demand."""
    lose, numbers = LOST[damage]
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        await talk(bus, "a", 5)
        before = {record.seq: record for record in await everything(bus, "a")}
        lose(raw)
        stored = await bus.audit("a")
        with pytest.raises(SessionDamaged, match=f"{numbers} (is|are) missing"):
            copy_of(stored)
        if damage == "deleted":
            with pytest.raises(SessionDamaged, match="no entry is left"):
                copy_of(stored, partial=True)
            return
        text = await _client(bus).to_json(partial=True)
        assert json.loads(text)["missing"]
        assert json.loads(text)["head"] == 6
        with pytest.raises(BadSessionFile, match=f"partial file: .* {numbers} (is|are) missing"):
            await _client(bus).from_json(text, replace=True)
        await _client(bus).from_json(text, replace=True, partial=True)
        after = {record.seq: record for record in await everything(bus, "a")}
        kept = {row.seq for row in stored.rows}
        assert {seq: after[seq] for seq in kept} == {seq: before[seq] for seq in kept}
        assert set((await bus.info("a")).skips) == set(range(2, 7)) - kept
        check_whole(await export_session(bus, "a"))


async def test_neither_archives_nor_backups_of_many_take_one(
    redis_url: str, raw: Any, tmp_path: Path
) -> None:
    async with await Bus.connect(redis_url, outbox_seconds=0) as bus:
        for name in ("a", "b"):
            await talk(bus, name, 5)
        (info,) = [info for info in await bus.sessions() if info.session == "a"]
        LOST["trimmed"][0](raw)

        def quiet(name: str, done: int, of: int) -> None:
            pass

        outcome = await back_up(bus, tmp_path / "backup", quiet)
        assert (outcome.written, list(outcome.failed)) == (1, ["a"])
        moved = await archive_old(bus, tmp_path / "archive", [info], quiet)
        assert moved.written == 0
        assert "entries 1-4 of 6 are missing" in moved.failed["a"]
        assert not (tmp_path / "archive" / name_of("a")).exists()
        assert "a" not in [info.session for info in await list_old(bus, 0)]
        assert raw.xlen(A.log) == 2


async def test_the_doors_of_http_refuse_it_too(redis_url: str, raw: Any) -> None:
    """Readers and writers are told; `partial=true` exports, and imports, what there is."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        await talk(d.deps.backend.bus, "a", 5)
        LOST["trimmed"][0](raw)
        post = {"as": "ana", "content": "Is anybody here?"}
        path = "/v1/sessions/a"
        answers = [
            await operator.get(f"{path}/export"), await operator.get(f"{path}/messages"),
            await operator.get(path), await operator.get(f"{path}/memory"),
            await operator.post(f"{path}/messages", json=post),
        ]  # fmt: skip
        for answer in answers:
            assert answer.json()["type"] == "urn:parley:problem:damaged", answer.text
        assert "entries 1-4 of 6 are missing" in answers[0].json()["detail"]
        saved = await operator.get(f"{path}/export?partial=true")
        assert saved.status_code == 200
        refused = await operator.put(f"{path}/import?replace=true", content=saved.content)
        assert refused.json()["type"] == "urn:parley:problem:bad-file"
        taken = await operator.put(
            f"{path}/import?replace=true&partial=true", content=saved.content
        )
        assert taken.status_code == 201, taken.text
        assert (await operator.get(f"{path}/messages")).status_code == 200


def test_the_commands_say_what_is_missing(at: Parley, redis_url: str, tmp_path: Path) -> None:
    """Export, archive, status and doctor; what is saved with --partial is imported with it."""
    at("session", "new", "a")
    for k in range(5):
        at("say", "a", f"I propose we do the {k}th thing.", "--as", "ana")
    with redis.Redis.from_url(redis_url) as raw:
        raw.xtrim(A.log, maxlen=2, approximate=False)
    file = tmp_path / "a.json"
    head = int(at("status", "--json").rows()[0]["lag"]["entries_not_folded"]) or 0
    assert head == 0  # it counts among the damaged alone
    ran = at("session", "export", "a", "-o", file)
    assert ran.code == 1
    assert "are missing" in ran.err
    assert "--partial" in ran.err
    assert at("session", "archive", "a", "-o", file).code == 1
    assert not file.exists()
    assert "its log has 2 of" in at("status").out
    doctor = at("doctor", "--no-model")
    assert doctor.code == 1
    assert "a is set apart: its log has 2 of" in doctor.out
    ran = at("session", "export", "a", "--partial", "-o", file)
    assert (ran.code, ran.err.splitlines()[0][:9]) == (0, "partial: ")
    assert "2 entries in" in ran.err
    ran = at("session", "import", file, "--replace")
    assert ran.code == 1
    assert "partial file" in ran.err
    assert at("session", "verify", "--file", file).code == 1
    ran = at("session", "import", file, "--replace", "--partial")
    assert ran.code == 0
    assert "are missing; an empty one is set aside in the place of each" in ran.err
    assert "a: 2 entries restored" in ran.err
    ran = at("session", "verify", "a")
    assert ran.code == 0, ran.out
    assert "set aside, so that no memory has them" in ran.err
    assert at("say", "a", "More.", "--as", "ana").code == 0


def _row(seq: int, n: int, kind: str = "message") -> StoredRow:
    body: dict[str, Any] = {"kind": kind, "v": 1}
    if kind == "message":
        body |= {"participant": "ana", "content": "x"}
    return StoredRow(seq, n, f"m{seq}", 1, json.dumps(body, separators=(",", ":")).encode())


def test_a_partial_file_is_read_as_it_was_written() -> None:
    """With its gaps, and as canonical as any other."""
    file = SessionFile("a", "closed", (_row(3, 1), _row(6, 3)), (9, 5))
    assert file.missing == [(1, 2), (4, 5), (7, 9)]
    data = encode_file(file)
    assert decode_file(data, partial=True) == file
    whole = fill_gaps(file)
    assert not list(find_faults(whole.rows))
    assert [(row.seq, row.n) for row in whole.rows][:9] == [
        (1, 0), (2, 0), (3, 1), (4, 2), (5, 2), (6, 3), (7, 4), (8, 5), (9, 5),
    ]  # fmt: skip
    assert whole.status == "open"  # its closing is lost
    assert decode_rows(whole.rows)[0].entry.kind == "session.opened"


@pytest.mark.parametrize("n", [0, 9])
def test_numbers_that_no_log_has_are_refused(n: int) -> None:
    file = SessionFile("a", "open", (_row(3, 1), _row(6, 3)), (7, n))
    with pytest.raises(BadSessionFile, match="cannot come to n"):
        fill_gaps(file)
