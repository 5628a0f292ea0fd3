"""A short talk, and readings of it by a model: the entries that tests of the ledger share."""

from __future__ import annotations

from typing import Any, Final

from parley.bus.entries import Entry, ItemsExtracted, Message
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, numbered, opened

READ: Final = {"how": "model", "interval": 4, "overlap": 2}
SAID: Final = (
    ("ana", "Who knows: a second index on the north shard?"),
    ("bo", "Could be. Fine by me."),
    ("cy", "The log shows nothing odd."),
    ("dee", "The second index, that is where we ended up."),
    ("eli", "I propose we rebuild the importer before the next release"),
    ("bo", "No."),
    ("cy", "Morning all."),
    ("dee", "That one has my blessing."),
)


def session_log(count: int = 8, *more: Entry, **settings: Any) -> list[Entry]:
    """The session of the first `count` lines of `SAID`, then `more`."""
    lines = [Message(participant=who, content=text) for who, text in SAID[:count]]
    return [opened(extract={**READ, **settings.pop("extract", {})}, **settings), *lines, *more]


def claim(n: int, quote: str, label: str, *targets: str, **given: object) -> dict[str, Any]:
    """A claim of those words of line `n`, about `targets`."""
    return claim_in(SAID[n - 1][1], n, quote, label, *targets, **given)


def claim_in(
    text: str, n: int, quote: str, label: str, *targets: str, **given: object
) -> dict[str, Any]:
    """A claim of those words of entry `n`, whose content is `text`."""
    start = text.index(quote)
    made = {"n": n, "quote": quote, "label": label, "targets": targets}
    return {**made, "start": start, "end": start + len(quote), **given}


def read(first: int, last: int, *claims: dict[str, Any], **given: Any) -> ItemsExtracted:
    """A reading of messages `first`..`last`, shown from two before them on."""
    fields = {"lead": max(1, first - 2), "first": first, "last": last, "claims": claims}
    return ItemsExtracted.model_validate({**fields, **given})


def remembered(*entries: Entry) -> Memory:
    """The memory of a log of `entries`."""
    return folded(numbered(entries))[0]


FIRST: Final = read(
    1, 4,
    claim(1, "a second index on the north shard", "proposal", id="a"),
    claim(2, "Fine by me", "side", "a", side="support"),
    claim(4, "that is where we ended up", "ruling", "a", outcome="accepted", right="unopposed"),
)  # fmt: skip
