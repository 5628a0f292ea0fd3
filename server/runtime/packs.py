"""Pattern packs: the shipped ones and the operator's files, as values for memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parley.bus.entries import Message, PackRef, Record, SessionOpened
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.errors import BadPattern
from parley.memory.extraction.patterns.pattern_packs import Pack, parse_pack
from parley.memory.fold.apply import apply
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Misuse


@dataclass(frozen=True, slots=True)
class Packs:
    """The packs a process knows, by `"name hash"`, and those new sessions open with."""

    known: dict[str, Pack]
    opening: tuple[PackRef, ...]


def read_packs(files: Sequence[str] = ()) -> Packs:
    """Every shipped pack, and the packs in `files`.

    New sessions open with the newest shipped pack of each name and all of
    `files`; those are logged in full, so that the log can be read without
    them. Raises `Misuse` for a file that cannot be read or a pattern that is
    refused, naming it.
    """
    own = [_read(Path(file)) for file in files]
    return Packs(dict(known_packs(*own)), newest_packs(*own))


def compile_packs(packs: Packs) -> None:
    """Compiles the patterns that new sessions open with, by folding two messages of one.

    Those of other scripts, too, which the first letter beyond ASCII asks for. Takes tenths of
    a second, which nobody waits for later in this process.
    """
    memory = Memory(packs.known)
    apply(memory, Record(1, 0, "open", 0, SessionOpened(packs=packs.opening)))
    for n, content in enumerate(("I propose a light at the pier.", "Über den Pier."), 1):
        message = Message(participant="ana", content=content)
        apply(memory, Record(n + 1, n, f"m{n}", 0, message))


def _read(file: Path) -> Pack:
    try:
        return parse_pack(file.read_bytes())
    except OSError as error:
        raise Misuse(f"cannot read pattern pack {str(file)!r}: {error.strerror}") from None
    except BadPattern as error:
        raise Misuse(f"{file}: {error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise Misuse(f"{str(file)!r} is not a pattern pack: {error}") from None
