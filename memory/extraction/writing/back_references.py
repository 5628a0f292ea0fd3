"""What a text points back to: words that stand for something said elsewhere.

"These components", "do it", "Option B", "However": a reader of the text alone cannot know what
is meant. The wordings are data (`english.json`, `texts`). Pure; linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from parley.memory.extraction.patterns.regular_expressions import RarePattern

_OPENERS: Final = 3  # words that lead on and are taken off: "And so, finally, ..."
_NOUNS: Final = 4  # words behind "these" that may say what is meant
_STEM: Final = 5  # letters by which a noun is known again
_LEAST_LETTERS: Final = 4
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s+[A-Z0-9\"'(])")
_WORD: Final = re.compile(r"[a-z]+")
_PLURAL: Final = re.compile(r"[a-z]{3,}s\b| and \w")  # of several, before "them"
_LETTERS: Final = re.compile(r"[a-z_/.-]*[a-z]{3,}")
_SAYS_WHAT: Final = 3  # words beside those of a verdict that say what was ruled
_MARKER: Final = re.compile(
    r"^(?:\((?:[A-Za-z]|\d{1,2})\)|(?:[A-Za-z]|\d{1,2})\)|(?:[A-H]|\d{1,2})\.)\s+"
)
_BOX: Final = re.compile(r"^\[[ xX]\]\s+")
_FORM: Final = re.compile(  # the fields that a message has on top of what it says
    r"^(?:(?:TYPE|STATUS|MESSAGE|SUBJECT|CONTENT|FROM|TO|ROLE|AGENT|PRIORITY):\s+"
    r"(?:[A-Z]{3,20};?\s+)?)+(?=[^A-Z]|[A-Z][^A-Z:])"
)
_SHOWN: Final = re.compile(
    r"(?:\s(?!(?:would|will|should|could|can|must|may|might|is|are|was|were)\s)[\w'-]+){0,4}:\s+\S"
)  # what stands behind says what is meant
_SHOWABLE: Final = ("this", "these", "those")
_CONTENT: Final = re.compile(r"[*_`\"']{0,3}\s?(?:\(|:[*_]{0,2}\s|[-=]\s)\s*([^()|\n]{3,120})")
_TAIL: Final = re.compile(r"[\s,;:(\[-]+$")


class TextWordings(NamedTuple):
    """The wordings of one language that tell of words elsewhere."""

    openers: RarePattern  # what leads on from what was said before
    no_openers: RarePattern
    pointers: RarePattern  # words that stand for something, wherever they are in a first sentence
    no_pointers: RarePattern
    beginnings: RarePattern  # such as stand for something at the beginning alone
    no_beginnings: RarePattern
    hanging: RarePattern  # what no sentence ends with
    labels: RarePattern  # "option b", "phase 2"
    generic: RarePattern  # headings that say nothing of what stands below
    announces: RarePattern  # the end of what only says that something is put forward
    governs: RarePattern  # leads without which an item under them says something else
    objectless: RarePattern  # instructions that do not say to what, or only by a pronoun
    fields: RarePattern  # names of the fields that a message has on top
    objects: RarePattern  # "help them": whom, if nobody is named before
    promises: RarePattern  # what whoever takes something on says that they do now
    chooses: RarePattern  # leads of what is to be chosen from
    verdicts: frozenset[str]  # words of a ruling that do not say what was ruled


def compile_wordings(data: Mapping[str, str]) -> TextWordings:
    """The wordings of `data`, a pattern each, and the words of verdicts."""
    *names, words = TextWordings._fields
    patterns = [RarePattern(data[name], f"texts.{name}") for name in names]
    return TextWordings._make([*patterns, frozenset(data[words].split())])


def has_fields(text: str, wordings: TextWordings) -> bool:
    """True of a line that has several fields of a form ("Date: ...; From: ...")."""
    return wordings.fields.occurs(text) and len(list(wordings.fields.each(text))) > 1


def is_field(text: str, wordings: TextWordings) -> bool:
    """True of a line that is a field of a form, or several."""
    return wordings.fields.begins(f"{text} ")


def is_bare_verdict(text: str, wordings: TextWordings) -> bool:
    """True of words that say that something was ruled, and hardly what: "Plan approved"."""
    says = {word for word in _LETTERS.findall(text.lower()) if word not in wordings.verdicts}
    return len(says) < _SAYS_WHAT and text.isascii()


def drop_openers(text: str, wordings: TextWordings) -> str:
    """`text` without the number of its item, the fields of a form and words that lead on."""
    for label in (_MARKER, _BOX, _FORM):
        if match := label.match(text):
            text = text[match.end() :]
    for _ in range(_OPENERS):
        opener = wordings.openers.match(text)
        if opener is None or wordings.no_openers.begins(text):
            break
        rest = text[opener.end() :]
        if not rest:
            break
        text = rest[0].upper() + rest[1:]
    return text


def points_elsewhere(text: str, wordings: TextWordings) -> bool:
    """True where the first sentence has words for something that it does not say itself.

    A colon behind such words shows what they stand for, and so does a noun said before them.
    """
    sentence = first_sentence(text).lower()
    begins = _beginning(sentence, wordings)
    if begins is not None:
        return begins
    for pointer in wordings.pointers.each(sentence):
        behind = sentence[pointer.start() :]
        if wordings.no_pointers.begins(behind) or ":" in sentence[pointer.end() : -1]:
            continue
        nouns = {word[:_STEM] for word in _WORD.findall(behind)[1 : _NOUNS + 1]}
        before = {
            word[:_STEM]
            for word in _WORD.findall(sentence[: pointer.start()])
            if len(word) >= _LEAST_LETTERS
        }
        if nouns.isdisjoint(before):
            return True
    return any(
        not _PLURAL.search(sentence, 0, each.start()) for each in wordings.objects.each(sentence)
    )


def begins_elsewhere(text: str, wordings: TextWordings) -> bool:
    """True where the text begins with words for something that was said before it."""
    return _beginning(first_sentence(text).lower(), wordings) is True


def _beginning(sentence: str, wordings: TextWordings) -> bool | None:
    """Whether `sentence` begins with words that stand for something said before it; False where
    it says itself for what ("these: the cellar, the attic"), None where it has none.
    """
    begins = wordings.beginnings.match(sentence)
    if begins is None or wordings.no_beginnings.begins(sentence):
        return None
    return not (begins[0].endswith(_SHOWABLE) and _SHOWN.match(sentence, begins.end()))


def read_labels(text: str, wordings: TextWordings) -> dict[str, tuple[int, str]]:
    """What `text` says that its labels are of ("Option B: a signed cookie", "phase 2 (memory)").

    By the label in small letters: where its content begins, and its words. The first of each.
    """
    labels: dict[str, tuple[int, str]] = {}
    for match in wordings.labels.each(text):
        key = label_key(match[0])
        content = _CONTENT.match(text, match.end()) if key not in labels else None
        if content is not None:
            labels[key] = (content.start(1), content[1])
    return labels


def label_key(label: str) -> str:
    """A label as it is looked up: "Option-B" and "option B" are one."""
    return " ".join(label.lower().replace("-", " ").replace("#", " ").split())


def first_sentence(text: str) -> str:
    """The first sentence of `text`, with its stop; all of it where none ends."""
    end = _SENTENCE_END.search(text)
    return text[: end.end()] if end else text


def end_whole(text: str, limit: int, wordings: TextWordings, *, parts: bool = True) -> str:
    """`text` in at most `limit` characters, ended where a sentence or a clause ends, and never
    behind a word that asks for another; as long as it is where there is no such place.

    Without `parts` no clause is cut at a comma.
    """
    if len(text) > limit:
        text = _end_before(text, limit, _ENDS if parts else _ENDS[:2])
    text = _close(text)
    while (hanging := wordings.hanging.search(text)) and hanging.start() > 0:
        text = _TAIL.sub("", text[: hanging.start()])
    return text


_ENDS: Final = (  # a sentence, a clause, a part of one; each with the least share of the room
    (re.compile(r"(?<![\s(]\d)(?<![\s(]\d\d)[.!?](?=\s)"), 15),  # behind a number alone none ends
    (re.compile(r";(?=\s)| - "), 40),
    (re.compile(r",(?=\s)|\s(?=\()"), 50),
)


def _end_before(text: str, limit: int, places_of: Sequence[tuple[re.Pattern[str], int]]) -> str:
    for ends, share in places_of:
        places = [end.end() for end in ends.finditer(text, 0, limit)]
        places = [place for place in places if share * limit <= 100 * place]
        if places:
            return _close(text[: places[-1]].rstrip(" ,;:(-"))
    return text


_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}


def _close(text: str) -> str:
    """`text` up to the sentence in which a bracket opens that nothing closes."""
    if "(" not in text and "[" not in text and "{" not in text:
        return text
    open_at: list[tuple[str, int]] = []
    for bracket in _BRACKET.finditer(text):
        if bracket[0] in "([{":
            open_at.append((bracket[0], bracket.start()))
        elif open_at and open_at[-1][0] == _BRACKETS[bracket[0]]:
            open_at.pop()
    if not open_at:
        return text
    cut = text[: open_at[0][1]]
    ends = [end.end() for end in _FULL_STOP.finditer(cut)]
    return cut[: ends[-1]] if ends else cut.rstrip(" ,;:-")


_BRACKET: Final = re.compile(r"[()\[\]{}]")
_FULL_STOP: Final = re.compile(r"[.!?](?=\s|$)")
