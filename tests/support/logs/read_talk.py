"""A talk that a model read, with something for each place of the ledger; for tests of the doors."""

from __future__ import annotations

from typing import Any, Final

from parley.bus.entries import Entry, ItemCorrected, ItemsExtracted, Message, Record
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, numbered, opened
from tests.support.logs.readings import claim_in

CANDIDATE: Final = "P1"  # its wording alone, where people vote on what is said
FIRM: Final = "P2"  # tagged; a model reads two sides on it
STRUCK: Final = "P3"  # tagged, and retracted by a person
READ_ONLY: Final = "M9"  # a proposal that only a model reads
RULING: Final = "M10"  # the chair's, on that

LINES: Final = (
    ("bob", "+1 to that"),
    ("cem", "+1"),
    ("dee", "+1 bob"),
    ("ann", "I propose that we move the archive to the second rack."),
    ("ana", "[PROPOSAL] We move the index to the second disk."),
    ("cy", "That disk is too old, so not with me."),
    ("bo", "Works for me once the backup is done."),
    ("fay", "[PROPOSAL] We hold the next meeting on the moon."),
    ("dee", "Who knows: a read replica in the north hall?"),
    ("eli", "Then the replica it is, with two nodes."),
    ("cy", "Two nodes will be ordered from my side before the weekend."),
    ("eli", "Cables are for dee to settle."),
    ("fay", "I propose that we sail to the office."),
    ("gil", "Home by boat would suit me."),
)
DENIED: Final = "P4"  # read in prose by rules; a joke, as the model says
SETTINGS: Final[dict[str, Any]] = {
    "extract": {"how": "model", "interval": 14, "overlap": 2},
    "chair": ["eli"],
}
RETRACTED: Final = "M14"  # only a model reads it, and a person retracted it


def _claim(n: int, quote: str, label: str, *targets: str, **given: object) -> dict[str, Any]:
    return claim_in(LINES[n - 1][1], n, quote, label, *targets, **given)


def reading(joke: str = DENIED) -> ItemsExtracted:
    """What a model reads in all of it; `joke` is the handle of what fay says in message 13."""
    return ItemsExtracted.model_validate({
        "lead": 1, "first": 1, "last": 14,
        "claims": [
            _claim(6, "too old, so not with me", "side", FIRM, side="oppose"),
            _claim(7, "Works for me once the backup is done", "side", FIRM, side="conditional",
                   detail="the backup is done"),
            _claim(9, "a read replica in the north hall", "proposal", FIRM, id="a",
                   statement="Run a read replica in the north hall.", relation="alternative",
                   detail="Where does the index live?"),
            _claim(10, "Then the replica it is, with two nodes", "ruling", "a",
                   outcome="accepted_with_changes", right="chair", detail="two nodes",
                   statement="The read replica is built with two nodes."),
            _claim(11, "Two nodes will be ordered", "task", "a", who="cy",
                   statement="Order two nodes", detail="before the weekend"),
            _claim(12, "Cables are for dee to settle", "right", who="dee"),
            _claim(14, "Home by boat", "proposal", statement="Sail home."),
        ],
        "checks": [{"ref": joke, "verdict": "wrong", "reason": "irony"}],
        "calls": 1,
    })  # fmt: skip


def entries(*more: Entry) -> list[Entry]:
    """The log of the talk with its reading, then `more`."""
    lines = [Message(participant=who, content=text) for who, text in LINES]
    struck = [ItemCorrected(ref=ref, by="eli", op="retract") for ref in (STRUCK, RETRACTED)]
    return [opened(**SETTINGS), *lines, reading(), *struck, *more]


def read_talk(*more: Entry) -> tuple[Memory, list[Record]]:
    """The memory of the talk and its records."""
    records = numbered(entries(*more))
    return folded(records)[0], records
