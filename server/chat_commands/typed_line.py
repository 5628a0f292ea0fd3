"""A typed line on its way to the log: what commands come to, and the names in them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from parley.bus.entries import Entry
from parley.memory.errors import ItemLeft
from parley.memory.state.item_state import Decision, Proposal
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import DIGITS, normalize_handle
from parley.server.basics.errors import Misuse
from parley.server.basics.spelling import nearest

View = Literal["memory", "context", "who", "floor", "votes", "help"]


@dataclass(frozen=True, slots=True)
class Publish:
    """Entries for the log, in one batch; `needs` is the capability that they take, or ""."""

    entries: tuple[Entry, ...]
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Show:
    view: View


@dataclass(frozen=True, slots=True)
class Close:
    reason: str
    needs: str = "close"


@dataclass(frozen=True, slots=True)
class Quit:
    pass


Command = Publish | Show | Close | Quit


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A command with what was typed after its name, who typed it, and what is known by then."""

    name: str
    rest: str
    me: str
    memory: Memory

    def words(self, usage: str) -> str:
        """The words behind the command. Raises `Misuse` where there are none."""
        if not self.rest:
            raise Misuse(f"say more: /{self.name} {usage}")
        return self.rest

    def first(self, usage: str) -> tuple[str, str]:
        """The first word and what follows it."""
        word, _, rest = self.words(usage).partition(" ")
        return word, rest.strip()


def looks_like(word: str, letter: str) -> bool:
    rest = word[1:]
    return word[:1].upper() == letter and rest.isdecimal() and len(rest) <= DIGITS


def find_item(memory: Memory, word: str, letter: str) -> str:
    """The handle that `word` is, of an item there is."""
    ref = normalize_handle(word)
    item: Proposal | Decision | None = memory.item(ref) if looks_like(ref, letter) else None
    if item is None and looks_like(ref, letter) and memory.has_left(ref):
        raise Misuse(str(ItemLeft(ref)))
    if item is None:
        what, items = (
            ("proposals", [f"P{p}" for p in memory.live])
            if letter == "P"
            else (
                "decisions",
                [f"D{d}" for d, decision in memory.decisions.items() if decision.stands],
            )
        )
        raise Misuse(f"{word!r} is none of the {what}; {list_handles(what, items)}")
    return ref


def list_handles(what: str, refs: Sequence[str]) -> str:
    """Which of them there are, the newest ten."""
    if not refs:
        return f"there are no {what} yet"
    return f"there {'is' if len(refs) == 1 else 'are'} {', '.join(refs[-10:])}"


def find_seat(memory: Memory, name: str) -> str:
    return _one_of(name, memory.floor.seats, memory, "has a seat")


def find_participant(memory: Memory, name: str) -> str:
    return _one_of(name, [*memory.floor.seats, *memory.participants], memory, "is here")


def _one_of(name: str, names: Iterable[str], memory: Memory, what: str) -> str:
    """The canonical name that `name` is of those known: as it is written, else in any case."""
    known = list(names)
    by_fold = {known_name.casefold(): known_name for known_name in known}
    for asked in map(memory.named, (name, name.removeprefix("@"))):
        choice = asked if asked in known else by_fold.get(asked.casefold())
        if choice is not None:
            return choice
    near = f"; did you mean {nearest(name, list(by_fold.values()))}?" if known else ""
    raise Misuse(f"nobody called {name!r} {what}{near}")
