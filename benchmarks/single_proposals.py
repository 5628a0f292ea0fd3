"""Whether each course that a message puts forward became a proposal of its own.

Counted at the messages whose key has two texts or more and is neither optional nor a repeat.
The key's texts and those of the proposals born there are matched one to one by words: the
pair that shares the largest share of the shorter one's stems goes first (of equals: the more
stems, then the earlier texts), and none that shares less than 3 in 10. Stems are the first
five letters of words of three letters or more that are no function words; numbers count whole,
ideographs one by one. The project's own likeness of texts has no part in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_LEAST: Final = 0.3
_LETTERS: Final = 5
_SHORTEST: Final = 3
_IDEOGRAPH: Final = r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]"
_WORD: Final = re.compile(rf"{_IDEOGRAPH}|(?:(?!{_IDEOGRAPH})[^\W_])+")
_FUNCTION_WORDS: Final = frozenset(
    """
    about all also and any are but can could does for from had has have her his how into its let
    may more must not now off one our out over should than that the their them then there these
    they this those was were what when which who why will with would you your
    """.split()  # noqa: SIM905  # a list of fifty quoted words reads worse
)


def match_texts(gold: Sequence[str], predicted: Sequence[str]) -> int:
    """How many of the texts find their partner."""
    ours, theirs = [_stems(text) for text in gold], [_stems(text) for text in predicted]
    pairs = sorted(
        (-len(a & b) / min(len(a), len(b)), -len(a & b), i, j)
        for i, a in enumerate(ours)
        for j, b in enumerate(theirs)
        if a and b and len(a & b) >= _LEAST * min(len(a), len(b))
    )
    taken: set[int] = set()
    matched: set[int] = set()
    for _, _, i, j in pairs:
        if i not in matched and j not in taken:
            matched.add(i)
            taken.add(j)
    return len(matched)


def _stems(text: str) -> set[str]:
    return {
        word if word.isdigit() else word[:_LETTERS]
        for word in _WORD.findall(text.lower())
        if word not in _FUNCTION_WORDS
        and (len(word) >= _SHORTEST or word.isdigit() or re.match(_IDEOGRAPH, word))
    }
