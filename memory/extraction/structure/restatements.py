"""Lines that say again what another line in reach said, and what that tells of either."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from functools import lru_cache
from typing import Final, NamedTuple

from parley.memory.extraction.structure.count_bands import count_band, reached_steps
from parley.memory.extraction.structure.vote_runs import close_votes_on_line, count_backers
from parley.memory.state.line_state import Restatement, Structure, WindowLine
from parley.memory.text.similarity import content_stems

_LIKENESS: Final = ("", "some", "alike", "contain", "near", "same")
_READ: Final = 320  # characters of a line that are compared
_WORDS: Final = 32  # stems of a line that are compared: a proposal says what it wants in them
_BITS: Final = 512
_APART: Final = (1, 2, 4, 8, 16)  # messages
_VOTES: Final = (1, 2, 3, 5)
_MUCH: Final = 2  # likeness from which a line may stand for the other
AGAIN: Final = 3  # likeness from which it says the other again


class _Said(NamedTuple):
    """The stems of the first words that carry a line, and a sketch of them."""

    stems: frozenset[str]
    sketch: int  # a bit for each stem; now and then two stems have one
    clashes: int  # stems whose bit another one has


@lru_cache(maxsize=4096)
def _said(text: str) -> _Said:
    stems = frozenset(content_stems(text[:_READ])[:_WORDS])
    sketch = 0
    for stem in stems:
        sketch |= 1 << zlib.crc32(stem.encode()) % _BITS
    return _Said(stems, sketch, len(stems) - sketch.bit_count())


def _rate_likeness(a: frozenset[str], b: frozenset[str]) -> int:
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


def rate_text_likeness(a: str, b: str) -> int:
    """How much of what one text says the other says, as `_rate_likeness` of their stems."""
    return _rate_likeness(_said(a).stems, _said(b).stems)


def find_restated_lines(structure: Structure, line: WindowLine) -> list[tuple[WindowLine, int]]:
    """The lines above, oldest first, of which `line`, a new one, says something again.

    With each, the bits of what that tells of it which was not told before.
    """
    stems, sketch, clashes = _said(line.text)
    restated: list[tuple[WindowLine, int]] = []
    for other in structure.lines:
        theirs = _said(other.text)
        shared = (sketch & theirs.sketch).bit_count() + min(clashes, theirs.clashes)
        if shared == 0 or shared * 2 < min(len(stems), len(theirs.stems)):
            continue
        like = _rate_likeness(theirs.stems, stems)
        if like:
            features = _note(structure, line, other, like)
            restated.append((other, features & ~other.restated))
            other.restated |= features
    return restated


def _note(structure: Structure, line: WindowLine, other: WindowLine, like: int) -> int:
    votes = len(structure.votes) - bisect_right(structure.votes, other.place)
    apart, same = line.place - other.place, other.who == line.who
    if line.behind is None or (like, votes >= 2, -apart) > _nearness(line.behind):
        chained = other.behind is not None and other.behind.likeness >= AGAIN
        line.behind = Restatement(
            n=other.n, likeness=like, apart=apart, votes=votes, same=same,
            backed=count_backers(structure, other), imperative=other.imperative,
            scribed=other.scribed,
            again=chained,
        )  # fmt: skip
    if like >= AGAIN:
        close_votes_on_line(structure, other)
    return _restated(like, min(votes, _VOTES[-1]), same, count_band(apart, _APART))


def _nearness(echo: Restatement) -> tuple[int, bool, int]:
    return echo.likeness, echo.votes >= 2, -echo.apart


TOLD: Final = (
    *(
        f"restated {like}{votes}{same}"
        for like in _LIKENESS[1:]
        for votes in ("", " past votes")
        for same in ("", ", one speaker")
    ),
    *(f"restated past votes >={step}" for step in _VOTES),
    *(f"restated at {count_band(apart, _APART)}" for apart in (*_APART, _APART[-1] + 1)),
)
_BIT: Final = {name: 1 << number for number, name in enumerate(TOLD)}


@lru_cache(maxsize=1024)  # few things can be said
def _restated(like: int, votes: int, same: bool, apart: str) -> int:
    """What a later line that says it again tells: all that stays true whatever follows."""
    features: list[str] = []
    for name in _LIKENESS[1 : like + 1]:
        restated = [f"restated {name}"]
        if votes >= 2:
            restated.append(f"restated {name} past votes")
        features += restated
        if same:
            features += [f"{each}, one speaker" for each in restated]
    if like >= _MUCH:
        features += reached_steps("restated past votes", votes, _VOTES)
        features.append(f"restated at {apart}")
    return sum(_BIT[name] for name in features)


@lru_cache(maxsize=4096)
def restatement_features(bits: int) -> tuple[str, ...]:
    """The names of what was told of a line."""
    return tuple(name for number, name in enumerate(TOLD) if bits >> number & 1)


def earlier_line_features(echo: Restatement) -> list[str]:
    """What the earlier line that it is most like tells of a line."""
    like = _LIKENESS[echo.likeness]
    features = [f"restates {like}", f"restates at {count_band(echo.apart, _APART)}"]
    features += reached_steps("restates past votes", echo.votes, _VOTES)
    if echo.votes >= 2:
        features.append(f"restates {like} past votes")
        if echo.same and echo.likeness >= _MUCH:
            features.append("restates past votes, one speaker")
    if echo.same:
        features += ["restates, one speaker", f"restates {like}, one speaker"]
    features += reached_steps("restates backed", echo.backed, (1, 2, 3))
    if echo.imperative and echo.likeness >= _MUCH:
        features.append("restates an imperative")
    if echo.scribed:
        features.append("restates a scribed line")
    if echo.again:
        features.append("restates a restatement")
    return features
