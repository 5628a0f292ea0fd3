"""`parley note …`, run in this process against a real server."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from tests.support.doors.calls import Parley


@pytest.fixture
def at(redis_url: str, monkeypatch: pytest.MonkeyPatch, parley: Parley) -> Parley:
    """A session `s` with notebooks of at most 40 characters, in which two have spoken."""
    monkeypatch.setenv("PARLEY_REDIS", redis_url)
    limits = ("--note-policy", "append", "--limits-note-cap", "60")
    assert parley("session", "new", "s", *limits).code == 0
    parley("say", "s", "I rank the floor first.", "--as", "ana")
    parley("say", "s", "Average.", "--as", "bo")
    return parley


def test_a_notebook_is_shown_with_what_happened_since(at: Parley) -> None:
    """Its revision and size, then the text; to the letter with --raw; whole as JSON."""
    shown = at("note", "show", "s", "--as", "ana")
    assert shown.out.splitlines()[0] == "no revision yet, 37 of 60 characters"
    assert at("note", "revise", "s", "Floor\x1b[31m first.", "--as", "ana").out == "3\n"
    at("say", "s", "Why?", "--as", "bo")
    shown = at("note", "show", "s", "--as", "ana")
    assert shown.out.splitlines() == [
        "revision 3, 37 of 60 characters",
        "Floor\\x1b[31m first.",
        "[n 4] bo said: Why?",
    ]
    raw = at("note", "show", "s", "--as", "ana", "--raw")
    assert raw.out == "Floor\x1b[31m first.\n[n 4] bo said: Why?\n"
    (row,) = at("note", "show", "s", "--as", "ana", "--json").rows()
    assert row["base"] == 3
    assert row["limit"] == 60
    assert row["standing"] == "Floor\x1b[31m first."
    (row,) = at("note", "show", "s", "--as", "ana", "--at", "1", "--json").rows()
    assert row["text"] == "[n 1] ana said: I rank the floor first."


def test_a_text_too_long_or_stale_is_one_line_of_advice(at: Parley) -> None:
    """Exit 1; both sizes, or the revision to read again."""
    ran = at("note", "revise", "s", "x" * 61, "--as", "ana")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == ("parley: Memory length 61 exceeds limit 60. Please shorten your memory.\n")
    assert at("note", "revise", "s", "One.", "--as", "ana", "--base", "0").code == 0
    ran = at("note", "revise", "s", "Two.", "--as", "ana", "--base", "0")
    assert ran.code == 1
    assert "revised at n 3 since revision 0 was read" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_text_may_come_from_stdin_or_begin_with_a_dash(
    at: Parley, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of points is no flag."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"Point one.\nTwo.\n")))
    assert at("note", "revise", "s", "-", "--as", "ana").code == 0
    assert at("note", "show", "s", "--as", "ana", "--raw").out == "Point one.\nTwo.\n"
    assert at("note", "revise", "s", "- one point", "--as", "ana").code == 0


def test_the_history_tells_each_revision_and_what_it_changed(at: Parley) -> None:
    """Cause, base, size, why; with --diff the lines that came and went."""
    assert at("note", "history", "s", "--as", "ana").out == "no revisions yet\n"
    at("note", "revise", "s", "Floor first.\nAverage last.", "--as", "ana")
    at("note", "revise", "s", "Floor first.\nRange last.", "--as", "ana")
    lines = at("note", "history", "s", "--as", "ana", "--diff").out.splitlines()
    assert lines[0].split() == ["3", "written", "on", "0:", "written,", "26", "characters"]
    assert [line.strip() for line in lines[1:4]] == [
        "@@ -0,0 +1,2 @@",
        "+Floor first.",
        "+Average last.",
    ]
    assert [line.strip() for line in lines[-2:]] == ["-Average last.", "+Range last."]
    rows = at("note", "history", "s", "--as", "ana", "--json").rows()
    assert [(row["cause"], row["base"], row["stood"]) for row in rows] == [
        (3, 0, True),
        (4, 3, True),
    ]


def test_who_keeps_no_notebook_is_named(at: Parley) -> None:
    """A session without them says which setting gives them; so does a moment to come."""
    assert at("session", "new", "plain").code == 0
    ran = at("note", "show", "plain", "--as", "ana")
    assert ran.code == 1
    assert "set note.policy to append or rewrite" in ran.err
    assert at("note", "show", "s", "--as", "ana", "--at", "9").code == 2
    assert at("note", "show", "nobody", "--as", "ana").code == 1


def test_a_name_that_no_entry_can_have_is_refused(at: Parley) -> None:
    """In one line."""
    ran = at("note", "revise", "s", "x", "--as", "n" * 129)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)


def test_a_revision_that_was_never_made_cannot_be_built_on(at: Parley) -> None:
    """Neither an older one nor one of the future."""
    at("session", "new", "s", "--preset", "experiment")
    at("say", "s", "Good morning.", "--as", "ana")
    refused = at("note", "revise", "s", "Mine.", "--as", "ana", "--base", "99")
    assert refused.code == 1
    assert "revision 99" in refused.err
