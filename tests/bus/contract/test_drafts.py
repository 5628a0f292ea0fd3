"""What is refused at the door of the log."""

from __future__ import annotations

import pytest

from parley.bus.contract.drafts import seal
from parley.bus.contract.errors import InvalidEntry
from parley.bus.contract.wire import decode
from parley.bus.entries import Entry, LessonImported, Message, ToolReturned


@pytest.mark.parametrize(
    "entry",
    [
        Message(participant="a", content="x", re=2**63),
        LessonImported(session="a", ref="D1", n=2**64 - 1, text="x"),
        LessonImported(session="a", ref="D1", n=1, text="x", weight=2**63),
    ],
)
def test_what_no_reader_could_read_is_not_published(entry: Entry) -> None:
    """It would stand in the log and be passed over by every fold."""
    with pytest.raises(InvalidEntry):
        seal("id", entry)


def test_the_largest_number_is_read_back() -> None:
    """All of 64 bits, with the sign."""
    entry = Message(participant="a", content="x", re=2**63 - 1)
    assert getattr(decode(seal("id", entry).body), "re", None) == 2**63 - 1
    arguments = {"n": 2**64 - 1}
    tool = ToolReturned(participant="a", tool="t", call_id="c", arguments=arguments)
    assert getattr(decode(seal("id", tool).body), "arguments", None) == arguments
