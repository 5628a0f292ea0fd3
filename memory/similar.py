"""Recognising a proposal that was made before, in other words or the same.

A fingerprint is a bottom-k sketch: the smallest hashes of the stemmed content
words and of their pairs. Two sketches estimate how much two texts share; the
index finds the nearest earlier one without looking at every one.
"""

from __future__ import annotations

import heapq
import re
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from memory.text import plain

SIZE: Final = 24  # hashes kept: an estimate within about 100 per mille, in 24 small integers
_MAX_TEXT: Final = 4000  # characters read: a proposal says what it wants before that
_COMMON: Final = 64  # posting lists longer than this tell little; only the newest are looked at
_MAX_CANDIDATES: Final = 32

_WORD: Final = re.compile(r"[^\W_]+", re.UNICODE)
_IDEOGRAPHS: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_SUFFIXES: Final = ("ations", "ation", "ingly", "ments", "ment", "ings", "ing", "edly", "ions",
                    "ies", "ion", "ers", "ed", "es", "er", "ly", "s", "e", "y")  # fmt: skip
# Words that carry no proposal; few and short, because other languages share the list.
_STOP_WORDS: Final = frozenset(
    """
    a an and are as at be been but by can could do does for from get had has have how i if in
    into is it its let lets me my no not of on one or our propose proposal proposed should so
    suggest than that the their them then there these they this those to up us was we were what
    when which who why will with would you your
    """.split()  # noqa: SIM905  # a list of a hundred quoted words reads worse
)


def fingerprint(text: str) -> tuple[int, ...]:
    """At most 24 ascending 32-bit integers; () for a text without words."""
    words = stems(text[:_MAX_TEXT])
    pairs = {f"{one} {two}" for one, two in pairwise(words)}
    hashes = {zlib.crc32(each.encode()) for each in {*words, *pairs}}
    return tuple(sorted(hashes)[:SIZE])


def stems(text: str) -> list[str]:
    """The content words of `text`, without common endings; ideographs one by one.

    All words where stop words are all there is.
    """
    words = _words(text)
    return [_stem(word) for word in words if word not in _STOP_WORDS] or words


def content_words(text: str) -> list[str]:
    """The content words of `text` in lower case, whole; all words where there is no other."""
    words = _words(text)
    return [word for word in words if word not in _STOP_WORDS] or words


def _words(text: str) -> list[str]:
    spaced = plain(text).lower()
    if not spaced.isascii():
        spaced = _IDEOGRAPHS.sub(r" \g<0> ", spaced)
    return _WORD.findall(spaced.replace("'", ""))


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    if len(word) > 4 and word.isascii() and word.isalpha():
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= 3:
                return word[: -len(suffix)]
    return word


def resemblance(a: Sequence[int], b: Sequence[int]) -> int:
    """The share of the two texts' shingles that both have, estimated, per mille.

    Exact where both sketches hold all of their text. 0 where one is empty.
    """
    if not a or not b:
        return 0
    both = set(a).intersection(b)
    reach = min(
        a[-1] if len(a) >= SIZE else b[-1],  # a full sketch speaks only for its smallest hashes
        b[-1] if len(b) >= SIZE else a[-1],
    )
    if len(a) < SIZE and len(b) < SIZE:
        reach = max(a[-1], b[-1])
    shared = sum(each <= reach for each in both)
    return 1000 * shared // (bisect_right(a, reach) + bisect_right(b, reach) - shared)


class Index:
    """Fingerprints by number, found again by resemblance.

    A pure function of what was added: rebuild it from the items.
    """

    __slots__ = ("_by_hash", "_prints")

    def __init__(self) -> None:
        self._prints: dict[int, tuple[int, ...]] = {}
        self._by_hash: dict[int, list[int]] = {}

    def add(self, ref: int, fp: Sequence[int]) -> None:
        """Adds `ref`, a new number."""
        self._prints[ref] = tuple(fp)
        for each in fp:
            self._by_hash.setdefault(each, []).append(ref)

    def nearest(self, fp: Sequence[int], at_least: int) -> tuple[int, int] | None:
        """The ref that resembles `fp` most and how much, per mille; None below `at_least`.

        The highest ref of equals. Looks at 32 candidates at most, those that
        share the most hashes; of a hash that many texts have, at the newest 64.
        """
        best: tuple[int, int] | None = None
        for ref in self._candidates(fp, at_least):
            score = resemblance(fp, self._prints[ref])
            if score >= at_least and (best is None or (score, ref) > best):
                best = (score, ref)
        return None if best is None else (best[1], best[0])

    def _candidates(self, fp: Sequence[int], at_least: int) -> list[int]:
        """The refs that share the most hashes, rare ones first, and can resemble `at_least`."""
        lists = [self._by_hash[each] for each in fp if each in self._by_hash]
        rare, common = Counter[int](), Counter[int]()
        unseen = 0  # shared hashes that may go uncounted
        for refs in lists:
            if len(refs) <= _COMMON:
                rare.update(refs)
            else:
                common.update(refs[-_COMMON:])
                unseen += 1
        possible = []
        for ref in {**rare, **common}:
            longer = max(len(fp), len(self._prints[ref]))
            if 1000 * min(rare[ref] + unseen, longer) >= at_least * longer:
                possible.append((-rare[ref], -common[ref], -ref))
        return [-ref for _, _, ref in heapq.nsmallest(_MAX_CANDIDATES, possible)]
