"""What a message says again, told to who said it by a command."""

from __future__ import annotations

from tests.support.doors.calls import Parley


def test_say_tells_what_was_proposed_before(at: Parley) -> None:
    """After its number; only where asked, and each once."""
    text = "I propose we buy a heat pump for the boat house."
    assert at("session", "new", "s").code == 0
    first = at("say", "s", text, "--as", "ana", "--outcome", "--json")
    assert first.rows()[0]["repeats"] == []
    again = at("say", "s", text, "--as", "bo", "--outcome", "--json")
    (row,) = again.rows()[0]["repeats"]
    assert (row["n"], row["repeats_n"]) == (2, 1)
    assert row["says"].startswith("P2 was proposed in message 1 as P1, still open")
    assert at("say", "s", text, "--as", "cy").out == "3\n"
