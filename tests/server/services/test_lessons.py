"""`parley lessons` and `parley context --with`."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.bus.sessions.session_file import with_checksum
from tests.support.doors.calls import Parley


@pytest.fixture
def boats(parley: Parley, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Parley:
    """`parley` on a server with a session `boats` that decided one thing, and an empty one."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    for name in ("boats", "cars"):
        parley("session", "new", name)
    for who, text in (
        ("ana", "[PROPOSAL] We paint it green."), ("bo", "I support P1."), ("cy", "I support P1."),
    ):  # fmt: skip
        parley("say", "boats", text, "--as", who)
    return parley


def test_one_session_teaches_another(boats: Parley) -> None:
    """The source may be closed; importing again is harmless."""
    (row,) = boats("lessons", "boats", "--teach", "--json").rows()
    assert (row["session"], row["ref"], row["n"]) == ("boats", "D1", 3)
    boats("session", "close", "boats")
    assert "1 lesson; 0 were" in boats("lessons", "import", "cars", "--from", "boats").err
    assert "1 lesson; 1 was" in boats("lessons", "import", "cars", "--from", "boats").err
    (known,) = boats("lessons", "cars", "--json").rows()
    assert known["lesson"] == "L1"
    assert "from boats D1, n 3" in boats("lessons", "show", "cars").out


def test_lessons_travel_in_a_file(boats: Parley, tmp_path: Path) -> None:
    """And one byte that was changed is found."""
    file = tmp_path / "boats.json"
    assert boats("lessons", "export", "boats", "-o", file).code == 0
    assert boats("lessons", "import", "cars", "--from", file, "--dry-run").code == 0
    assert boats("lessons", "cars").out == ""
    assert boats("lessons", "import", "cars", "--from", file, "--top", "1").code == 0
    assert len(boats("lessons", "cars", "--json").rows()) == 1
    data = file.read_bytes()
    for damaged in (data.replace(b"green", b"brown"), data[:-9], b"{}", b""):
        file.write_bytes(damaged)
        ran = boats("lessons", "import", "cars", "--from", file)
        assert ran.code == 1
        assert str(file) in ran.err


def test_a_session_that_learnt_nothing_says_so(boats: Parley) -> None:
    """And how it could."""
    assert boats("session", "new", "empty").code == 0
    assert "parley lessons import empty --from" in boats("lessons", "empty").err
    assert "nothing to teach" in boats("lessons", "empty", "--teach").err
    assert boats("lessons", "empty", "--json").out == ""


def test_a_session_cannot_learn_from_itself(boats: Parley) -> None:
    """Nor show itself what it knows."""
    assert boats("lessons", "import", "boats", "--from", "boats").code == 2
    assert boats("context", "boats", "--with", "boats").code == 2


def test_a_context_shows_what_another_session_decided(boats: Parley) -> None:
    """Quoted under its name."""
    ran = boats("context", "cars", "--as", "dee", "--with", "boats")
    assert "| boats D1 **We paint it green**" in ran.out
    assert boats("context", "cars", "--with", "none").code == 1


@pytest.mark.parametrize(
    "lessons",
    ["null", "5", "{}", "[5]", '[{"session":"a","ref":"D1","n":1e30,"text":"x"}]',
     f'[{{"session":"a","ref":"D1","n":{10**30},"text":"x"}}]',
     f'[{{"session":"a","ref":"D1","n":1,"weight":{2**63},"text":"x"}}]'],
)  # fmt: skip
def test_a_file_of_other_things_is_refused(boats: Parley, tmp_path: Path, lessons: str) -> None:
    """Whatever its checksum says, in one line."""
    file = tmp_path / "odd.json"
    header = '{"parley":"lessons","version":1,"session":"a","lessons":'
    file.write_bytes(with_checksum((header + lessons).encode()))
    ran = boats("lessons", "import", "cars", "--from", file)
    assert ran.code in (1, 2)
    assert len(ran.err.splitlines()) == 1


def test_lessons_go_through_a_pipe(boats: Parley, tmp_path: Path) -> None:
    """`-o -` is stdout, as it is for sessions."""
    file = tmp_path / "boats.json"
    boats("lessons", "export", "boats", "-o", file)
    assert boats("lessons", "export", "boats", "-o", "-").out.encode() == file.read_bytes()
