"""Session files give back what was put in, and hide no change."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.bus.contract.errors import BadSessionFile
from parley.bus.contract.wire import decode, encode
from parley.bus.entries import EntrySetAside, Message, SessionClosed, SessionOpened
from parley.bus.sessions.session_file import SessionFile, decode_file, encode_file
from parley.bus.sessions.stored_rows import StoredRow, decode_rows, records_to_restore
from parley.memory.fold.replay import list_set_aside
from parley.server.basics.errors import Failure
from parley.server.records.log_audit import (
    IndexCheck,
    LogCheck,
    find_faults,
    fork_log,
    status_findings,
)
from parley.server.records.session_file import read_file, write_file

ROOT = Path(__file__).resolve().parents[3]


def log(messages: int = 3) -> tuple[StoredRow, ...]:
    """A small sound log."""
    rows = [StoredRow(1, 0, "open", 1_700_000_000_000, encode(SessionOpened(title="Ça va")))]
    for n in range(1, messages + 1):
        body = encode(Message(participant="Ada", content=f"Message {n}.\nTwo lines \u202e."))
        rows.append(StoredRow(n + 1, n, f"line:{n - 1}", 1_700_000_000_000 + n, body))
    return tuple(rows)


FILE = SessionFile("demo", "open", log())


def test_a_file_gives_back_the_log_byte_for_byte() -> None:
    """Export, import, export is identical."""
    data = encode_file(FILE)
    assert decode_file(data) == FILE
    assert encode_file(decode_file(data)) == data


def test_the_file_is_one_json_object_with_an_entry_a_line() -> None:
    """Any JSON tool reads it, and line tools see entries."""
    data = encode_file(FILE)
    tree = json.loads(data)
    assert tree["head"] == 4
    assert tree["n"] == 3
    assert tree["entries"][0]["entry"]["kind"] == "session.opened"
    assert len(data.splitlines()) == 4 + 2


def test_the_file_holds_to_its_schema() -> None:
    """docs/session-file.schema.json describes what is written."""
    schema = json.loads((ROOT / "docs" / "session-file.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    odd = StoredRow(5, 3, "junk", 1, b"\xff\xfe not json")
    for file in (FILE, SessionFile("demo", "closed", (*log(), odd))):
        jsonschema.validate(json.loads(encode_file(file)), schema)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe not json",
        b'{"kind":"future","v":2,"x":1}',
        b'{"kind":\n"future"}',
        b"[1]",
        b"",
        b'{"kind": "message" }',
    ],
)
def test_entries_that_cannot_be_read_are_kept_as_they_are(body: bytes) -> None:
    """An unknown kind, or bytes that an outsider wrote, survive the round trip."""
    file = SessionFile("demo", "open", (*log(), StoredRow(5, 3, "odd", 7, body)))
    assert decode_file(encode_file(file)) == file


@given(place=st.integers(0, len(encode_file(FILE)) - 1), mask=st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_any_flipped_byte_is_found(place: int, mask: int) -> None:
    """Wherever one byte differs, the file is refused."""
    data = bytearray(encode_file(FILE))
    data[place] ^= mask
    with pytest.raises(BadSessionFile):
        decode_file(bytes(data))


def test_every_place_of_a_flipped_bit_is_found() -> None:
    """The same for each byte of the file in turn."""
    whole = encode_file(FILE)
    for place in range(len(whole)):
        data = bytearray(whole)
        data[place] ^= 1
        with pytest.raises(BadSessionFile):
            decode_file(bytes(data))


def test_a_file_cut_anywhere_is_found() -> None:
    """Truncation is named as such or as an altered file, never read as a shorter session."""
    data = encode_file(FILE)
    for length in range(len(data)):
        with pytest.raises(BadSessionFile):
            decode_file(data[:length])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not begin"),
        (b"PK\x03\x04", "does not begin"),
        (encode_file(FILE)[:-30], "cut short"),
        (encode_file(FILE).replace(b'"version":1', b'"version":2'), "version 2"),
        (encode_file(FILE).replace(b"Message 2", b"Message 9"), "altered"),
        (encode_file(FILE) + b" ", "cut short or altered"),
    ],
)
def test_the_refusal_names_what_is_wrong(data: bytes, reason: str) -> None:
    """Cut, altered, another version, no session file at all: told apart."""
    with pytest.raises(BadSessionFile, match=reason):
        decode_file(data)


def _signed(body: bytes) -> bytes:
    """With the checksum that it should have, as whoever alters it on purpose would."""
    digest = blake2b(body, digest_size=16).hexdigest()
    return body + b',"checksum":"blake2b:' + digest.encode() + b'"}\n'


BODY = encode_file(FILE).partition(b',"checksum"')[0]
EMPTY = b'{"parley":"session","version":1,"session":"x","status":"open","head":0,"n":0,"entries":['


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace(b",\n", b", \n"), BODY.replace(b",\n", b"\n", 1), BODY[:-2] + b"]",
        BODY[:-2] + b",\n\n]", BODY[:-2] + b",\n\n\n]", BODY.replace(b"[\n", b"[\n\n"),
        BODY + b" ", BODY[:-1], BODY[:-2], BODY.replace(b"[\n{", b"[{", 1),
        BODY.replace(b'"version":1,', b'"version": 1,'), BODY.replace(b'"n":3', b'"n":4', 1),
        BODY.replace(b'"status"', b'"st\xffatus"'), BODY.replace(b'"seq":2', b'"s\xffq":2'),
        BODY.replace(b'"id":"open"', b'"id":"\xff"'), BODY.replace(b'"seq":2', b'"seq":-2'),
        BODY.replace(b'"seq":2', b'"seq":2,"seq":2'), BODY.replace(b'"entry":', b'"entry": '),
        BODY.replace(b'"entry":{', b'"entry":' + b"[" * 100_000 + b"{", 1),
        BODY.replace(b',"entries":[', b',"entries":7,"x":['), EMPTY + b"]", EMPTY + b"\n\n\n]",
        EMPTY, EMPTY + b"\n", EMPTY + b"\n]",
    ],
)  # fmt: skip
def test_bytes_that_the_format_would_not_write_are_refused(body: bytes) -> None:
    """Though the checksum is that of what was sent."""
    with pytest.raises(BadSessionFile) as refused:
        decode_file(_signed(body))
    assert "altered" not in str(refused.value)


def test_a_log_without_entries_goes_round() -> None:
    """Whether a session can be one is for others to say."""
    empty = SessionFile("x", "open", ())
    assert decode_file(encode_file(empty)) == empty


def _peak_memory(work: Callable[[], object], size: int) -> int:
    """The most that `work` has allocated at once, beside what was there, in per cent of `size`."""
    tracemalloc.start()
    try:
        kept = work()
        return tracemalloc.get_traced_memory()[1] * 100 // size if kept else 0
    finally:
        tracemalloc.stop()


def test_a_long_file_takes_little_more_memory_than_its_length() -> None:
    """Read, what comes of it; to be put in place, next to nothing; written, twice its length."""
    body = encode(Message(participant="Ada", content="w" * 1000))
    rows = [StoredRow(1, 0, "open", 1, encode(SessionOpened()))]
    rows += [StoredRow(n + 1, n, f"line:{n}", n, body + b"") for n in range(1, 2001)]
    file = SessionFile("demo", "open", tuple(rows))
    data = encode_file(file)
    decoded = decode_file(data)
    assert 100 < _peak_memory(lambda: decode_file(data), len(data)) < 170
    assert _peak_memory(lambda: records_to_restore(decoded.rows), len(data)) < 50
    assert 200 < _peak_memory(lambda: encode_file(file), len(data)) < 250


def test_a_file_is_its_owners_alone(tmp_path: Path) -> None:
    """It holds secret ballots and notebooks."""
    write_file(tmp_path / "s.json", FILE)
    assert (tmp_path / "s.json").stat().st_mode & 0o777 == 0o600


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """A write that fails leaves the old file and no debris."""
    path = tmp_path / "s.json"
    write_file(path, FILE)
    assert read_file(path) == FILE
    with pytest.raises(Failure, match="cannot write"):
        write_file(tmp_path / "none" / "s.json", FILE)
    assert [file.name for file in tmp_path.iterdir()] == ["s.json"]


def test_a_sound_log_has_no_findings() -> None:
    """Nothing is wrong with what the bus writes."""
    assert list(find_faults(log())) == []


def _without(place: int) -> list[StoredRow]:
    rows = list(log())
    del rows[place]
    return rows


def _doubled(place: int) -> list[StoredRow]:
    rows = list(log())
    return [*rows[: place + 1], *rows[place:]]


def _swapped(place: int) -> list[StoredRow]:
    rows = list(log())
    rows[place], rows[place + 1] = rows[place + 1], rows[place]
    return rows


@pytest.mark.parametrize("change", [_without, _doubled, _swapped])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_doubled_or_swapped_entry_is_found(change: object, place: int) -> None:
    """By its number, wherever it is."""
    assert callable(change)
    assert list(find_faults(change(place)))


def test_a_wrong_number_or_a_repeated_id_is_found() -> None:
    """n counts primary entries only, and an id is there once."""
    rows = list(log())
    rows[2] = StoredRow(3, 7, rows[2].id, rows[2].received_ms, rows[2].body)
    rows[3] = StoredRow(4, 3, rows[1].id, rows[3].received_ms, rows[3].body)
    faults = list(find_faults(rows))
    assert any("n 7 where 2" in line for line in faults)
    assert any("has the id 'line:0' of entry 2" in line for line in faults)


def test_an_entry_of_a_kind_to_come_is_sound_and_a_broken_one_is_not() -> None:
    """What a newer version wrote is kept; what nobody can have written is found."""
    future = StoredRow(5, 3, "x", 1, b'{"kind":"future.kind","v":1}')
    broken = StoredRow(5, 3, "x", 1, b'{"kind":"message","v":1}')
    assert list(find_faults([*log(), future])) == []
    assert list(find_faults([*log(), StoredRow(5, 4, "x", 1, broken.body)]))


def test_what_a_log_sets_aside_is_known_from_its_bytes() -> None:
    """As a live session is verified, row by row."""
    check = LogCheck()
    aside = StoredRow(5, 3, "set-aside:2", 1, encode(EntrySetAside(seq=2, reason="a test")))
    for row in (*log(), aside):
        assert list(check.take(row, decode(row.body))) == []
    assert check.skips == {2}


def index_findings(ids: Mapping[str, str]) -> list[str]:
    """What an index of ids says otherwise than `log()`."""
    check = IndexCheck()
    for row in log():
        check.take(row, decode(row.body), ids.get(row.id))
    strangers = map(check.describe_stranger, sorted(ids.keys() - check.seen))
    return [*check.end(), *strangers]


def test_the_index_of_ids_is_held_against_the_log() -> None:
    """An id that is missing, points elsewhere or is nobody's is found."""
    from parley.bus.contract.wire import fingerprint

    ids = {row.id: f"{row.seq}-{row.n} {fingerprint(row.body)}" for row in log()}
    assert index_findings(ids) == []
    for change in ({"line:0": "3-2 0000000000000000"}, {"ghost": "9-9 0000000000000000"}):
        assert len(index_findings({**ids, **change})) == 1
    del ids["line:1"]
    assert len(index_findings(ids)) == 1


def test_a_fork_shares_the_past_and_says_so() -> None:
    """Everything up to N, no closing, then where it came from; itself a sound log."""
    closed = (*log(), StoredRow(5, 3, "close", 9, encode(SessionClosed())))
    rows = fork_log(closed, "demo", 2, 0)
    assert list(find_faults(rows)) == []
    assert [row.n for row in rows] == [0, 1, 2, 2]
    assert json.loads(rows[-1].body) == {
        "kind": "session.forked",
        "n": 2,
        "session": "demo",
        "v": 1,
    }
    assert len(fork_log(closed, "demo", 3, 0)) == 5


def test_a_fork_keeps_aside_what_was_set_aside_later() -> None:
    """An entry that kills whoever folds it must not come back to life in a fork."""
    aside = encode(EntrySetAside(seq=2, reason="poison"))
    rows = fork_log((*log(), StoredRow(5, 3, "aside", 9, aside)), "demo", 1, 0)
    assert list(find_faults(rows)) == []
    assert list_set_aside(decode_rows(rows)) == {2}


@pytest.mark.parametrize("depth", [200, 253, 254, 500, 995, 1_010, 1_024, 50_000])
def test_a_deeply_nested_entry_survives_the_file(depth: int) -> None:
    """What a stranger wrote into the log does not keep its export from being read."""
    odd = StoredRow(5, 3, "deep", 1, b'{"kind":"song","v":' + b"[" * depth + b"]" * depth + b"}")
    file = SessionFile("demo", "open", (*log(), odd))
    assert decode_file(encode_file(file)) == file


@pytest.mark.parametrize("place", ["entries", "version"])
def test_a_file_nested_too_deeply_is_refused(place: str) -> None:
    """Also where its checksum is right."""
    deep = "[" * 100_000 + "]" * 100_000
    fields = {"version": "1", "entries": "[]", place: deep}
    body = (
        f'{{"parley":"session","version":{fields["version"]},"session":"s","status":"open",'
        f'"head":0,"n":0,"entries":{fields["entries"]}'
    ).encode()
    digest = blake2b(body, digest_size=16).hexdigest()
    with pytest.raises(BadSessionFile):
        decode_file(body + f',"checksum":"blake2b:{digest}"}}\n'.encode())


@pytest.mark.parametrize("t", [-1, 2**53, 2**70])
def test_a_number_that_no_log_has_is_refused(t: int) -> None:
    """Also where the checksum of the file is right."""
    body = encode_file(FILE).partition(b',"checksum"')[0].replace(b"1700000000002", b"%d" % t)
    digest = blake2b(body, digest_size=16).hexdigest()
    with pytest.raises(BadSessionFile):
        decode_file(body + f',"checksum":"blake2b:{digest}"}}\n'.encode())


@pytest.mark.parametrize("name", ["", "a b", "a\x1b[31m", "x" * 129])
def test_an_id_that_none_can_have_is_found(name: str) -> None:
    """A stranger's id would be shown, and could never be published."""
    assert "no id" in next(find_faults((*log(), StoredRow(5, 3, name, 9, encode(SessionClosed())))))


def test_a_second_opening_is_found() -> None:
    """A session is opened once."""
    rows = (*log(), StoredRow(5, 3, "again", 9, encode(SessionOpened())))
    assert "entry 5 is 'session.opened'" in next(find_faults(rows))


@pytest.mark.parametrize("status", ["open", "closed", "archived", "\x1b[31m"])
@pytest.mark.parametrize("closed", [True, False])
def test_a_status_that_the_log_denies_is_found(status: str, closed: bool) -> None:
    """Open, or closed and perhaps archived: the log decides."""
    rows = (*log(), StoredRow(5, 3, "close", 9, encode(SessionClosed()))) if closed else log()
    right = status in (("closed", "archived") if closed else ("open",))
    assert (list(status_findings(status, rows)) == []) is right


def test_a_session_forked_from_its_own_fork_is_sound() -> None:
    """Every fork's entry has an id of its own, also where the names come round again."""
    first = fork_log(log(), "a", 2, 0)
    second = fork_log(first, "b", 2, 0)
    assert list(find_faults(fork_log(second, "a", 2, 0))) == []
