"""Messages that people publish by commands: refused where they would be for nothing."""

from __future__ import annotations

from tests.support.doors.calls import Parley


def test_a_word_on_what_is_not_there_is_refused(at: Parley) -> None:
    """Nothing lands; `--force` says it all the same, and a repeated id is not judged again."""
    assert at("session", "new", "s").code == 0
    at("say", "s", "I propose we buy a heat pump.", "--as", "ana", "--act", "propose")
    for re, wrong in (("P99", "no item 'P99'"), ("D1", "no item 'D1'"), ("7", "no message 7")):
        refused = at("say", "s", "Yes.", "--act", "support", "--re", re)
        assert (refused.code, refused.out) == (1, "")
        assert wrong in refused.err
    assert at("say", "s", "Yes.", "--act", "support", "--re", "p1", "--as", "bo").out == "2\n"
    late = ("say", "s", "Yes.", "--act", "support", "--re", "P99", "--as", "bo", "--id", "late")
    assert at(*late, "--force").out == "3\n"
    assert at(*late).out == "3\n"
    assert at("say", "s", "Which one?", "--re", "P99").out == "4\n"  # an answer to anything
