"""The words of an idea: what they are roots of, how much they say, what is denied.

A mark is a 32-bit integer: three bits that say what it stands for, over 29 of a hash
of the word. So sorted marks hold denials first, then what fills a blank of a sentence
(numbers, days), then words, then words that nearly every sentence has.

English where it knows words at all. What it does not know counts as a plain word,
so texts of other languages are compared by what they share.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_lowercase, digits
from typing import Final

from parley.memory.text.plain_text import beyond_ascii, to_plain

DENIED, LEFT, VALUE, WORD, LIGHT = range(5)  # LEFT: what is moved away from, or done without
HASH_BITS: Final = 29
HASH: Final = (1 << HASH_BITS) - 1
WEIGHT: Final = 4  # of a number, a day, a word
LIGHT_WEIGHT: Final = 2
_LIGHTS: Final = LIGHT << HASH_BITS  # where the marks of such words begin

_TOKEN: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W_]+|[.;!?]", re.UNICODE)
_IDEOGRAPHS: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_ENDINGS: Final = (
    "ations", "ation", "ingly", "ments", "ment", "ating", "ated", "ates", "ate", "ings", "ing",
    "edly", "ions", "ied", "ies", "ion", "ers", "als", "al", "ed", "es", "er", "ly", "s", "e", "y",
)  # fmt: skip
_STOPS: Final = frozenset(".;!?")
_NUMBER: Final = re.compile("[0-9](?:[.,:][0-9]|[a-z])")  # that is not digits between other signs
_KEPT_APART: Final = frozenset((ascii_lowercase + digits + "".join(_STOPS)).encode())
_APART: Final = bytes(code if code in _KEPT_APART else 32 for code in range(256))
_KEPT: Final = 16_384  # words whose marks are kept
_SCOPE: Final = 5  # tokens after a denial in which the word that it denies stands

# Words that say nothing of what is offered. Denials are not among them.
_SILENT: Final = frozenset(
    """
    a an and are as at be been being both but by can could do does doing done for from get gets had
    has have having here how i if in into is it its let lets may me might must my of on one ones or
    ought our ourselves please propose proposed proposal proposals resolve resolved resolution shall
    should so some such suggest suggested suggestion than that the their them then there these they
    this those to too up us was we well were what when where which who whom why will with would you
    your im ill weve youre thats theyre um uh er hmm mm yeah
    """.split()  # noqa: SIM905  # a list of a hundred quoted words reads worse
)
_LIGHT: Final = """
    about again agree all already along also always another any anyway anything around ask back
    because become better big call case come consider course current each either else end ensure
    entire even ever every everyone everything extra fact far few find first follow fully further
    general give go going good great group hand happen help idea important include instead it issue
    just keep kind know large last later least less like likely line little long longer look lot
    main make many matter mean meeting member more most move much near need new next nothing now off
    okay old onto other others out over own part particular people perhaps place plan point possible
    put quite rather ready really reason right run same say see seem sense set show side simply
    since small someone something soon sort specific start still sure take talk tell thing think
    though through time today together topic toward towards try turn two under until upon use very
    want way week while whole work working year yes yet
""".split()  # noqa: SIM905
# One line an idea: what is said for it, and after the stroke what is said against it.
_ALIKE: Final = """
    allow permit | forbid ban prohibit disallow disable block deny
    raise increase grow bigger larger higher enlarge | lower reduce decrease cut shrink smaller
    enable activate | disable deactivate
    keep retain preserve add include maintain | drop remove delete exclude omit discard
    start begin launch commence resume | stop cease terminate cancel quit abandon
    open | close shut
    accept approve adopt endorse | reject decline refuse
    before prior | after
    early earlier sooner | late later
    public | private
    mandatory compulsory obligatory require | optional voluntary
    above | below under
    first | last
    maximum | minimum
    faster quicker | slower
    buy purchase acquire |
    hire employ recruit |
    repair fix mend |
    postpone delay defer |
    choose select pick |
    build construct erect |
    relocate move shift |
    finish complete |
    replace substitute swap |
    send mail post |
    inform notify |
    show display |
    help assist |
    gather collect |
    check verify |
    test try |
    meeting gathering |
    error mistake |
    document doc |
    specification spec |
    repository repo |
    photo picture |
""".strip().splitlines()
_IRREGULAR: Final = dict(
    pair.split("-")
    for pair in """
    began-begin begun-begin bought-buy built-build chose-choose chosen-choose cut-cut drew-draw
    drawn-draw fell-fall fallen-fall found-find gave-give given-give grew-grow grown-grow held-hold
    kept-keep led-lead left-leave lost-lose made-make met-meet paid-pay ran-run sent-send sold-sell
    spent-spend taken-take taught-teach took-take wrote-write written-write
    """.split()  # noqa: SIM905
)
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen twenty""".split()  # noqa: SIM905
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
_VALUES: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july
    august september october november december spring summer autumn winter north south east west
    """.split()  # noqa: SIM905
)
_DENIALS: Final = frozenset(
    """
    not no never without avoid nobody none neither nor dont doesnt didnt cannot cant wont wouldnt
    shouldnt isnt arent mustnt neednt against
    """.split()  # noqa: SIM905
)
_AWAY: Final = frozenset({"from", "replace", "replacing", "replaced"})
_IN_PLACE: Final = {("instead", "of"), ("rather", "than"), ("place", "of"), ("lieu", "of")}
_ONLY: Final = ("only", "just")  # behind "not", which then denies nothing
_TURNING: Final = _DENIALS | _AWAY | {first for first, _ in _IN_PLACE}  # what they do is to others


def content_marks(text: str) -> set[int]:
    """The marks of every word of `text` that says something."""
    tokens = _tokens(text)
    words = set(tokens)
    if not _TURNING.isdisjoint(words):
        return _turned_marks(tokens)
    marks = set(map(_SAID.__getitem__, words))
    marks.discard(0)
    for said in [mark for mark in marks if mark < 0]:
        marks.remove(said)
        marks |= {-said, DENIED << HASH_BITS | -said & HASH}
    return marks


def _turned_marks(  # noqa: C901  # a kind of word each, without a call
    tokens: list[str],
) -> set[int]:
    """The marks of words in their order, some of which deny others or turn from them."""
    marks: set[int] = set()
    denied = away = 0  # how many tokens a denial still reaches
    before = ""
    for token in tokens:
        said = _SAID[token]
        if said > 0 and not denied and not away and before != "not":
            marks.add(said)
            before = token
            continue
        if denied:
            denied -= 1
        if away:
            away -= 1
        if said and before == "not" and token in _ONLY:
            denied = 0
        elif said:
            mark = abs(said)
            marks.add(mark)
            if mark < _LIGHTS:  # "no longer record": what is denied comes after
                if (denied > 0) != (said < 0):
                    marks.add(DENIED << HASH_BITS | mark & HASH)
                if away:
                    marks.add(LEFT << HASH_BITS | mark & HASH)
                denied = away = 0
        elif token in _STOPS:
            denied = away = 0
        elif token in _DENIALS:
            denied = 0 if denied else _SCOPE
        elif token in _AWAY or (before, token) in _IN_PLACE:
            away = _SCOPE
        before = token
    return marks


def all_marks(text: str) -> Iterator[int]:
    """The marks of every word whatsoever, for a text none of whose words says something."""
    return (_hashed(LIGHT, token) for token in _tokens(text) if token not in _STOPS)


def word_marks(text: str) -> Iterator[tuple[int, str]]:
    """Each mark of a word with the word as it stands there, for saying what two texts share."""
    for token in _tokens(text):
        if token not in _SILENT and token not in _DENIALS and token not in _STOPS:
            yield _mark(token)[0], token


def _tokens(text: str) -> list[str]:
    """The words and numbers of `text` in lower case, and its stops."""
    spaced = to_plain(text).lower().replace("'", "")
    if not spaced.isascii():
        beyond = beyond_ascii(spaced)
        if any(map(str.isalnum, beyond)):
            return _TOKEN.findall(_IDEOGRAPHS.sub(lambda match: f" {match[0]} ", spaced))
        for sign in beyond:
            spaced = spaced.replace(sign, " ")
    if _NUMBER.search(spaced):
        return _TOKEN.findall(spaced)
    spaced = spaced.encode().translate(_APART).decode()  # what `_TOKEN` finds, in less time
    for stop in _STOPS:
        if stop in spaced:
            spaced = spaced.replace(stop, f" {stop} ")
    return spaced.split()


class _Said(dict[str, int]):
    """What each word says: its mark, negated where it says the opposite; 0 where it says nothing.

    Learnt as words come, and learnt anew where that were too many.
    """

    def __missing__(self, word: str) -> int:
        if len(self) >= _KEPT:
            self.clear()
        silent = word in _SILENT or word in _STOPS or word in _DENIALS or word in _AWAY
        mark, against = (0, False) if silent else _mark(word)
        said = self[word] = -mark if against else mark
        return said


@lru_cache(maxsize=_KEPT)
def _mark(word: str) -> tuple[int, bool]:
    """The mark of a word, and whether the word says the opposite of what the mark stands for."""
    number = _NUMBERS.get(word, word)
    if number[0].isdigit():
        return _hashed(VALUE, number), False
    if word in _VALUES or (word[-1] == "s" and word[:-1] in _VALUES):
        return _hashed(VALUE, word.removesuffix("s")), False
    root = _root(_IRREGULAR.get(word, word))
    known = _KNOWN.get(root)
    if known is not None:
        return _hashed(WORD, known[0]), known[1]
    return _hashed(LIGHT if root in _LIGHT_ROOTS else WORD, root), False


def _hashed(kind: int, word: str) -> int:
    return kind << HASH_BITS | zlib.crc32(word.encode()) & HASH


def _root(word: str) -> str:
    """`word` without a common ending; a doubled last letter and a silent one go with it."""
    if not (word.isascii() and word.isalpha()) or len(word) < 4:
        return word
    if len(word) == 4:
        return word[:3] if word[3] == "s" and word[2] not in "sui" else word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            root = word[: -len(ending)]
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                return root[:-1]
            return root[:-1] if len(root) > 4 and root[-1] == "e" else root
    return word


def _known() -> dict[str, tuple[str, bool]]:
    known: dict[str, tuple[str, bool]] = {}
    for line in _ALIKE:
        meaning, _, against = line.partition("|")
        for words, opposite in ((meaning, False), (against, True)):
            for word in words.split():
                known.setdefault(_root(word), (meaning.split()[0], opposite))
    return known


_KNOWN: Final = _known()
_LIGHT_ROOTS: Final = frozenset(map(_root, _LIGHT))
_SAID: Final = _Said()
