"""Lines that say again what another line in reach said, and what that tells of either."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from memory.similar import stems
from memory.structure.runs import backing, closed
from memory.structure.state import Echo, Line, Structure
from memory.structure.steps import band, reached

_LIKENESS: Final = ("", "some", "alike", "contain", "near", "same")
_MUCH: Final = 2  # likeness from which a line may stand for the other
_AGAIN: Final = 3  # likeness from which it says the other again


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems of the words that carry `text`."""
    return frozenset(stems(text))


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
    """The lines above, oldest first, of which `line`, a new one, says much again."""
    said = content(line.text)
    touched: list[Line] = []
    for other in held.lines:
        like = likeness(content(other.text), said)
        if like:
            _note(held, line, other, like)
            touched.append(other)
    return touched


def _note(held: Structure, line: Line, other: Line, like: int) -> None:
    votes = sum(other.place < place for place in held.votes)
    apart, same = line.place - other.place, other.who == line.who
    chained = other.behind is not None and other.behind.likeness >= _AGAIN
    behind = Echo(
        n=other.n, likeness=like, apart=apart, votes=votes, same=same,
        backed=backing(held, other), imperative=other.imperative, scribed=other.scribed,
        again=chained,
    )  # fmt: skip
    if line.behind is None or _closer(behind, line.behind):
        line.behind = behind
    ahead = msgspec.structs.replace(
        behind, n=line.n, backed=0, imperative=line.imperative, scribed=line.scribed, again=False
    )
    if other.ahead is None or _closer(ahead, other.ahead):
        other.ahead = ahead
    other.told += [each for each in _restated(ahead) if each not in other.told]
    if like >= _AGAIN:
        closed(held, other)


def _closer(one: Echo, other: Echo) -> bool:
    return _nearness(one) > _nearness(other)


def _nearness(echo: Echo) -> tuple[int, bool, int]:
    return echo.likeness, echo.votes >= 2, -echo.apart


def _restated(echo: Echo) -> list[str]:
    """What a later line that says it again tells: all that stays true whatever follows."""
    found = []
    for like in _LIKENESS[1 : echo.likeness + 1]:
        told = [f"restated {like}"]
        if echo.votes >= 2:
            told.append(f"restated {like} past votes")
        found += told
        if echo.same:
            found += [f"{each}, one speaker" for each in told]
    if echo.likeness >= _MUCH:
        found += reached("restated past votes", echo.votes, (1, 2, 3, 5))
        found.append(f"restated at {band(echo.apart, (1, 2, 4, 8, 16))}")
    return found


def restates(echo: Echo) -> list[str]:
    """What the earlier line that it is most like tells of a line."""
    like = _LIKENESS[echo.likeness]
    found = [f"restates {like}", f"restates at {band(echo.apart, (1, 2, 4, 8, 16))}"]
    found += reached("restates past votes", echo.votes, (1, 2, 3, 5))
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
