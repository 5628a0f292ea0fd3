"""What a format is: its name, how to tell it by content, how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from parley.server.transcripts.sources.entry_collector import EntryCollector
from parley.server.transcripts.sources.source import Source

# How sure a look at the content is. Of two alike the file's extension decides, then the order.
NO: Final = 0
PERHAPS: Final = 20  # it can be read so, where nothing fits better
LIKELY: Final = 60
SURE: Final = 100


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file. `tell` says how sure its content is of this kind; `read` takes it all."""

    name: str
    about: str  # one line, for the list
    extensions: tuple[str, ...]
    tell: Callable[[Source], int]
    read: Callable[[Source, EntryCollector], None]
