"""Recognising an idea that was offered before, in other words or the same.

A fingerprint is the marks of a text's words (`word_marks`), of a long text the 24 that
sort first. Two of them tell how much the texts share, weighed: a word that only one text has
makes it longer, words that each has and the other has not make another idea of it. Another
number, another day, or a word that only one of them denies is another idea outright.
The index finds the nearest earlier one without looking at every one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from parley.memory.text.plain_text import to_plain
from parley.memory.text.word_marks import (
    DENIED,
    HASH,
    HASH_BITS,
    LEFT,
    LIGHT,
    LIGHT_WEIGHT,
    VALUE,
    WEIGHT,
    WORD,
    all_marks,
    content_marks,
    word_marks,
)

SIZE: Final = 24  # marks kept: all of nineteen recorded proposals in twenty
_MAX_TEXT: Final = 4000  # characters read: a proposal says what it wants before that
_COMMON: Final = 64  # posting lists longer than this tell little; only the newest are looked at
_MAX_CANDIDATES: Final = 32
_NOWHERE: Final[list[int]] = []
_RARE: Final = 8  # common words that a rare one outranks
# Per cent of the words that the longer, and the shorter, text has to itself: fitted, see
# docs/circling.md.
_LONGER: Final = 20
_SHORTER: Final = 150
_ENOUGH: Final = 8  # shared weight, two words' worth, below which sharing shows little
_COUNTED: Final = VALUE << HASH_BITS  # where the marks begin that weigh anything
_WORDS: Final = WORD << HASH_BITS
_LIGHTS: Final = LIGHT << HASH_BITS
_BEYOND: Final = (LIGHT + 1) << HASH_BITS
_CONTRARY: Final = 40  # per cent that is left of it where numbers differ, or one denies

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
    return tuple(sorted(text_marks(text))[:SIZE])


def text_marks(text: str) -> set[int]:
    """The marks of `text`, not only those that a fingerprint keeps: for counting words of a
    fingerprint that it says as well.
    """
    read = text[:_MAX_TEXT]
    return content_marks(read) or set(all_marks(read))


def shared_words(text: str, fp: Sequence[int], most: int = 5) -> tuple[str, ...]:
    """The words of `text`, the ones that say most first, that a text of fingerprint `fp` has too.

    As `text` has them, in lower case, cut at 30 characters.
    """
    marks = set(fp)
    words = {mark: word for mark, word in word_marks(text[:_MAX_TEXT]) if mark in marks}
    telling = sorted(words, key=lambda mark: (mark >> HASH_BITS == LIGHT, words[mark]))
    return tuple(words[mark][:30] for mark in telling[:most])


def content_stems(text: str) -> list[str]:
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
    spaced = to_plain(text).lower()
    if not spaced.isascii():
        spaced = _IDEOGRAPHS.sub(lambda match: f" {match[0]} ", spaced)
    return _WORD.findall(spaced.replace("'", ""))


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    if len(word) > 4 and word.isascii() and word.isalpha():
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= 3:
                return word[: -len(suffix)]
    return word


def measure_resemblance(a: Sequence[int], b: Sequence[int]) -> int:
    """How much the two texts are one idea, per mille: symmetric, 1000 of a text and itself.

    Of a text that its fingerprint does not hold whole, estimated from what it holds. 0 where
    one is empty.
    """
    ones = set(a)
    return _judge(a, b, ones, _shared(a, b, ones.intersection(b)))


def _judge(a: Sequence[int], b: Sequence[int], ones: set[int], shared: int) -> int:
    """`shared`, less where the texts, `ones` the marks of `a`, say contrary things with it."""
    if shared and (a[0] < _WORDS or b[0] < _WORDS):  # else nothing is counted or denied
        others = set(b)
        if _differs_in_values(ones, others) or _is_contrary(ones, others):
            return shared * _CONTRARY // 100
    return shared


def _shared(a: Sequence[int], b: Sequence[int], both: set[int]) -> int:
    """How much the words of the two texts, of which `both` are in each, have in common, per mille,
    whatever they say of it.
    """
    if not both:
        return 0
    if len(both) == len(a) == len(b):
        return 1000
    reach = _BEYOND  # a full fingerprint speaks only for its smallest marks
    if len(a) >= SIZE:
        reach = a[-1]
    if len(b) >= SIZE and b[-1] < reach:
        reach = b[-1]
    shared = 0
    for mark in both:
        if _COUNTED <= mark <= reach:
            shared += WEIGHT if mark < _LIGHTS else LIGHT_WEIGHT
    if not shared:
        return 0
    mine, theirs = _weight(a, reach) - shared, _weight(b, reach) - shared
    longer, shorter = (mine, theirs) if mine > theirs else (theirs, mine)
    apart = _LONGER * longer + _SHORTER * shorter
    if longer and shared < _ENOUGH:
        apart += 100 * (_ENOUGH - shared)
    return 100_000 * shared // (100 * shared + apart)


def _weight(fp: Sequence[int], reach: int = _BEYOND) -> int:
    """What the words among the marks of `fp` up to `reach` weigh; they are in order."""
    end = bisect_right(fp, reach)
    light = bisect_left(fp, _LIGHTS, 0, end)
    first = bisect_left(fp, _COUNTED, 0, light)
    return WEIGHT * (light - first) + LIGHT_WEIGHT * (end - light)


def _differs_in_values(ones: set[int], others: set[int]) -> bool:
    """True where each has a number or a day that the other has not."""
    apart = ones ^ others
    values = [mark for mark in apart if mark >> HASH_BITS == VALUE]
    return any(mark in ones for mark in values) and any(mark in others for mark in values)


def _is_contrary(ones: set[int], others: set[int]) -> bool:
    """True where each turns from a word that the other stands by, or one alone denies one.

    "Hold it online, not in Ghent" and "hold it in Ghent, not online" are such, and so are "sell the
    van" and "do not sell the van"; "forbid it" and "do not allow it" deny as often.
    """
    turned, other = _turned(ones), _turned(others)
    if not turned and not other:
        return False
    against, for_it = _against(turned, other, others), _against(other, turned, ones)
    if against and for_it:
        return True
    odd = (_denials(ones) + _denials(others)) % 2 == 1
    denied = {word for word, kind in turned.items() if kind == DENIED and word in against}
    denied |= {word for word, kind in other.items() if kind == DENIED and word in for_it}
    return odd and bool(denied)


def _turned(marks: set[int]) -> dict[int, int]:
    """The words that a text denies or turns from, by hash: which of the two."""
    sides = {mark & HASH: LEFT for mark in marks if mark >> HASH_BITS == LEFT}
    return sides | {mark & HASH: DENIED for mark in marks if mark >> HASH_BITS == DENIED}


def _against(turned: dict[int, int], also: dict[int, int], marks: set[int]) -> set[int]:
    """The words turned from that the other text, whose `content_marks` these are, stands by."""
    return {
        word
        for word in turned
        if word not in also and any(kind << HASH_BITS | word in marks for kind in (VALUE, WORD))
    }


def _denials(marks: set[int]) -> int:
    return sum(mark >> HASH_BITS == DENIED for mark in marks)


class SimilarityIndex:
    """Fingerprints by number, found again by resemblance.

    A pure function of what was added: rebuild it from the items.
    """

    __slots__ = ("_by_mark", "_prints")

    def __init__(self) -> None:
        self._prints: dict[int, tuple[tuple[int, ...], int]] = {}  # with what each weighs
        self._by_mark: dict[int, list[int]] = {}

    def add(self, ref: int, fp: Sequence[int]) -> None:
        """Adds `ref`, a new number."""
        prints = tuple(fp)
        self._prints[ref] = prints, _weight(prints)
        for mark in prints[bisect_left(prints, _COUNTED) :]:
            self._by_mark.setdefault(mark, []).append(ref)

    def replace(self, ref: int, fp: Sequence[int]) -> None:
        """Have `ref`, which was added, found by `fp` instead."""
        self.remove(ref)
        prints = tuple(fp)
        self._prints[ref] = prints, _weight(prints)
        for mark in prints[bisect_left(prints, _COUNTED) :]:
            insort(self._by_mark.setdefault(mark, []), ref)

    def remove(self, ref: int) -> None:
        """Have `ref`, which was added, found no more."""
        prints, _ = self._prints.pop(ref)
        for mark in prints[bisect_left(prints, _COUNTED) :]:
            refs = self._by_mark[mark]
            refs.remove(ref)
            if not refs:
                del self._by_mark[mark]

    def nearest(self, fp: Sequence[int], at_least: int) -> tuple[int, int] | None:
        """The ref that resembles `fp` most and how much, per mille; None below `at_least`.

        The highest ref of equals. Looks at 32 candidates at most, those that
        share the most words; of a word that many texts have, at the newest 64.
        """
        best: tuple[int, int] | None = None
        ones, weight, least = set(fp), _weight(fp), at_least
        common = ones.intersection
        for ref in self._candidates(fp):
            prints, own = self._prints[ref]
            both = common(prints)
            most = WEIGHT * len(both)  # what they share at most: one of two always counts whole
            apart = _LONGER * (min(weight, own) - most)
            if apart > 0 and 100_000 * most // (100 * most + apart) < least:
                continue
            shared = _shared(fp, prints, both)
            if shared < least:
                continue  # what they say of it could only part them more
            score = _judge(fp, prints, ones, shared)
            if score >= at_least and (best is None or (score, ref) > best):
                best, least = (score, ref), score
        return None if best is None else (best[1], best[0])

    def _candidates(self, fp: Sequence[int]) -> list[int]:
        """The refs that share the most words, rare ones first; light ones fill up the number."""
        light = bisect_left(fp, _LIGHTS)
        get = self._by_mark.get
        words = [get(mark, _NOWHERE) for mark in fp[bisect_left(fp, _COUNTED) : light]]
        counts: dict[int, int] = {}
        common = []
        for refs in words:
            if len(refs) > _COMMON:
                common.append(refs)
                continue
            for ref in reversed(refs):
                counts[ref] = counts.get(ref, 0) + _RARE
        for refs in common:
            for ref in refs[: -_COMMON - 1 : -1]:
                counts[ref] = counts.get(ref, 0) + 1
        for mark in fp[light:]:
            if len(counts) >= _MAX_CANDIDATES:
                break
            for ref in get(mark, _NOWHERE)[: -_COMMON - 1 : -1]:
                counts[ref] = counts.get(ref, 0) + 1
        if len(counts) <= _MAX_CANDIDATES:
            return list(counts)
        return sorted(counts, key=counts.__getitem__, reverse=True)[:_MAX_CANDIDATES]
