"""A line of the minutes: its words, the participants among them, the entries that show it. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, Self

Span = tuple[int, int]  # characters, half-open, as cites have them
Cite = tuple[int, int, int]  # n, start, end
Words = tuple[str, tuple[Span, ...]]


class Name(str):
    """A participant's name, among other words."""

    __slots__ = ()


class Line(NamedTuple):
    """`mark` leads it, `note` behind its words says how it stands, `kind` is its look.

    Of an entry there is one cite, as `cited` gives them.
    """

    text: str
    cites: tuple[Cite, ...] = ()
    mark: str = ""
    note: str = ""
    kind: str = ""  # "", quote, against, firm, read, over, long (its line breaks stay)
    under: tuple[Line, ...] = ()
    of: Literal["", "item", "participant"] = ""  # what `mark` names; "": it is a word
    names: tuple[Span, ...] = ()  # where in `text` participants are named

    @classmethod
    def of_words(cls, words: Words, *rest: Any, **more: Any) -> Self:
        """A line of `join_words` words; the rest as for any."""
        text, names = words
        return cls(text, *rest, **more)._replace(names=names)

    def numbers(self, at_hand: Container[int]) -> Iterator[int]:
        """The entries that a page names: those `at_hand` on it, and the one that decided it."""
        for n, *_ in self.cites:
            if n in at_hand or (self.kind in ("firm", "read") and self.of == "item"):
                yield n

    def row(self) -> dict[str, Any]:
        """The line as plain data."""
        under = [line.row() for line in self.under]
        names = [[*span] for span in self.names]
        return {
            **self._asdict(),
            "cites": [[*cite] for cite in self.cites],
            "under": under,
            "names": names,
        }


def cited(*sources: Mapping[str, Any] | int | None) -> tuple[Cite, ...]:
    """Each entry once, ascending, with the words that are meant there, where that is known.

    An origin tells both; a number stands for the whole of its entry, 0 and None for nothing.
    """
    cites: dict[int, Cite] = {}
    for source in sources:
        origin: Mapping[str, Any] = {"n": source} if isinstance(source, int) else source or {}
        n = origin.get("n") or 0
        words = [(n, start, end) for at, start, end in origin.get("cites", ()) if at == n]
        if n and (words or n not in cites):
            cites[n] = (words or [(n, 0, 0)])[0]
    return tuple(cites[n] for n in sorted(cites))


def join_words(*parts: str) -> Words:
    """The parts one after the other, and where the names among them stand."""
    names: list[Span] = []
    at = 0
    for part in parts:
        if isinstance(part, Name):
            names.append((at, at + len(part)))
        at += len(part)
    return "".join(parts), tuple(names)


def join_names(names: Iterable[str]) -> Words:
    """Names, with commas between."""
    parts = [part for name in names for part in (", ", Name(name))]
    return join_words(*parts[1:])
