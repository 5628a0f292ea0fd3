"""The state of a session besides its entries. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

IMPORTED: Final = "import"  # the origin of what was restored: its names are as its file says
DAMAGED: Final = "damaged"  # the status of a session whose state cannot be read


def _nothing_due() -> dict[str, int]:
    return {"fold": 0, "effects": 0, "upgrades": 0}


def lineage(incarnation: str) -> str:
    """What the incarnations of one log have in common: a redaction adds to its name."""
    return incarnation.partition(".")[0]


class SessionInfo(Struct, frozen=True):
    """A session's state at one moment.

    `folded` is how far some worker has folded it, by seq; `due` counts what each
    lane still owes it.
    """

    session: str
    incarnation: str
    head: int
    n: int
    folded: int = 0
    base: int = 0
    status: str = "open"  # open, closed, what a closed one was marked, or `DAMAGED`
    skips: tuple[int, ...] = ()
    last_activity_ms: int = 0
    origin: str | None = None  # `<session>@<n>` of a fork, else `IMPORTED` where it was restored
    due: dict[str, int] = field(default_factory=_nothing_due)
    epoch: int = 0  # of the floor
    healed: int = 0  # entries that publishers gave back after the log had lost them

    @property
    def lineage(self) -> str:
        """The name of the log, which a redaction leaves and a removal or an import does not."""
        return lineage(self.incarnation)

    @property
    def settled(self) -> bool:
        """Head is folded and no effect is due; upgrades do not count."""
        return self.folded >= self.head and not self.due["effects"]
