"""Bugs that the faults of this folder must bring to light, planted in a process by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from parley.bus import Bus, Scripts
from parley.bus.contract.errors import BusError
from parley.bus.log.log_tail import LogTail
from parley.listeners.workers.projector import Projector

LONG = 200  # entries of a batch

# Rules of the scripts, and what stands in their place.
SCRIPT_BUGS: Final[Mapping[str, Mapping[str, str]]] = {
    "no check for duplicates": {"publish.duplicate": "if false then"},
    "no check of whose work it is": {"commit.identity": "", "commit.after": ""},
    "progress is written before the check": {
        "commit.identity": "redis.call('HSET', META, 'folded', ARGV[5]) "
        "if identity(ARGV[5]) ~= ARGV[6] then return {'fenced', 'another entry'} end"
    },
    "offered again, refused as closed": {
        "publish.closed": "if meta[3] ~= 'open' then return {'closed'} end"
    },
}


def leave_out_rules(without: Mapping[str, str]) -> None:
    """Every bus of this process has scripts in which these rules are replaced."""
    Bus.connect = partial(Bus.connect, scripts=Scripts(without))  # type: ignore[method-assign]


def skip_in_long_batches() -> None:
    """One entry of a long batch is not folded."""
    fold: Callable[..., Any] = Projector._fold

    def skipping(self: Projector, tail: Any, records: Sequence[Any]) -> Any:
        kept = [
            record for k, record in enumerate(records) if len(records) <= LONG or k != LONG // 2
        ]
        return fold(self, tail, kept)

    Projector._fold = skipping  # type: ignore[method-assign]


def stop_reading_silently() -> None:
    """Whoever reads a log for its subscribers ends, where the log went back, without a word."""

    def end(self: LogTail, error: BusError) -> None:
        self.ended = True

    LogTail._end = end  # type: ignore[method-assign]


BUGS: Final[Mapping[str, Callable[[], None]]] = {
    "an entry skipped in long batches": skip_in_long_batches,
    "a reader that stops silently": stop_reading_silently,
}
