"""Lines that say again what another line in reach said, and what that tells of either."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from functools import lru_cache
from typing import Final

from memory.similar import stems
from memory.structure.runs import backing, closed
from memory.structure.state import Echo, Line, Structure
from memory.structure.steps import band, reached

_LIKENESS: Final = ("", "some", "alike", "contain", "near", "same")
_READ: Final = 320  # characters of a line that are compared
_WORDS: Final = 32  # stems of a line that are compared: a proposal says what it wants in them
_BITS: Final = 512
_APART: Final = (1, 2, 4, 8, 16)  # messages
_VOTES: Final = (1, 2, 3, 5)
_MUCH: Final = 2  # likeness from which a line may stand for the other
_AGAIN: Final = 3  # likeness from which it says the other again


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems of the first words that carry `text`."""
    return frozenset(stems(text[:_READ])[:_WORDS])


@lru_cache(maxsize=4096)
def _sketch(text: str) -> int:
    """A bit for each stem; now and then two stems have one."""
    bits = 0
    for stem in content(text):
        bits |= 1 << zlib.crc32(stem.encode()) % _BITS
    return bits


def likeness(a: frozenset[str], b: frozenset[str]) -> int:
    """How much of what one line says the other says: 0 nothing, 5 the same."""
    shared = len(a & b)
    if shared < 2:
        return 3 if shared and a == b else 0
    if a == b:
        return 5
    either, shorter = len(a) + len(b) - shared, min(len(a), len(b))
    if shared * 10 >= either * 7:
        return 4
    if shared >= 3 and shared * 5 >= shorter * 4:
        return 3
    if shared * 5 >= either * 2:
        return 2
    return 1 if shared >= 3 and shared * 2 >= shorter else 0


def compare(held: Structure, line: Line) -> list[Line]:
    """The lines above, oldest first, of which `line`, a new one, tells more than was known."""
    said, sketch = content(line.text), _sketch(line.text)
    bits = sketch.bit_count()
    least = min(2, bits) if bits == len(said) else 1  # else the two that are shared may be one bit
    touched: list[Line] = []
    for other in held.lines:
        if (sketch & _sketch(other.text)).bit_count() < least:
            continue
        like = likeness(content(other.text), said)
        if like and (_note(held, line, other, like) or like >= _MUCH):
            touched.append(other)
    return touched


def _note(held: Structure, line: Line, other: Line, like: int) -> bool:
    """Note in each what the other tells of it; True where that is news of `other`."""
    votes = len(held.votes) - bisect_right(held.votes, other.place)
    apart, same = line.place - other.place, other.who == line.who
    near = (like, votes >= 2, -apart)
    if line.behind is None or near > _nearness(line.behind):
        chained = other.behind is not None and other.behind.likeness >= _AGAIN
        line.behind = Echo(
            n=other.n, likeness=like, apart=apart, votes=votes, same=same,
            backed=backing(held, other), imperative=other.imperative, scribed=other.scribed,
            again=chained,
        )  # fmt: skip
    if other.ahead is None or near > _nearness(other.ahead):
        other.ahead = Echo(
            n=line.n, likeness=like, apart=apart, votes=votes, same=same,
            imperative=line.imperative, scribed=line.scribed,
        )  # fmt: skip
    told = _restated(like, min(votes, 5), same, band(apart, _APART))
    news = [each for each in told if each not in other.told]
    other.told += news
    if like >= _AGAIN:
        closed(held, other)
    return bool(news)


def _nearness(echo: Echo) -> tuple[int, bool, int]:
    return echo.likeness, echo.votes >= 2, -echo.apart


@lru_cache(maxsize=1024)  # few things can be said
def _restated(like: int, votes: int, same: bool, apart: str) -> tuple[str, ...]:
    """What a later line that says it again tells: all that stays true whatever follows."""
    found: list[str] = []
    for name in _LIKENESS[1 : like + 1]:
        told = [f"restated {name}"]
        if votes >= 2:
            told.append(f"restated {name} past votes")
        found += told
        if same:
            found += [f"{each}, one speaker" for each in told]
    if like < _MUCH:
        return tuple(found)
    found += reached("restated past votes", votes, _VOTES)
    return (*found, f"restated at {apart}")


def restates(echo: Echo) -> list[str]:
    """What the earlier line that it is most like tells of a line."""
    like = _LIKENESS[echo.likeness]
    found = [f"restates {like}", f"restates at {band(echo.apart, _APART)}"]
    found += reached("restates past votes", echo.votes, _VOTES)
    if echo.votes >= 2:
        found.append(f"restates {like} past votes")
        if echo.same and echo.likeness >= _MUCH:
            found.append("restates past votes, one speaker")
    if echo.same:
        found += ["restates, one speaker", f"restates {like}, one speaker"]
    found += reached("restates backed", echo.backed, (1, 2, 3))
    if echo.imperative and echo.likeness >= _MUCH:
        found.append("restates an imperative")
    if echo.scribed:
        found.append("restates a scribed line")
    if echo.again:
        found.append("restates a restatement")
    return found
