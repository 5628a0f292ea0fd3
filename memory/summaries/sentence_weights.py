"""What each sentence of the talk weighs for the minutes, and the questions left at its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from parley.memory.extraction.writing.back_references import has_fields
from parley.memory.extraction.writing.cards import current_cards
from parley.memory.summaries.filled_forms import is_form, is_run
from parley.memory.summaries.sentence_roles import shipped_roles
from parley.memory.summaries.talk_sentences import (
    ENDS,
    TALK,
    WEIGHED,
    Line,
    Sentence,
    list_sentences,
    says_something,
)
from parley.memory.text.courtesies import is_courtesy
from parley.memory.text.similarity import content_stems

_WEIGH_SHARED: Final = 30  # of a sentence all of whose words the talk comes back to
_WEIGH_FIRST: Final = 22  # the first sentence of a message; its last one half of that
_WEIGH_MARKED: Final = 20  # what its author set in bold
_WEIGH_PERSON: Final = 30  # said by a person, or by whoever is in the chair
_WEIGH_ASKED: Final = 30  # what a person asks for first
_WEIGH_FIGURES: Final = 14  # says how much or how many
_WEIGH_ANNOUNCING: Final = 14  # what is told with what it announces
_WEIGH_HANGING: Final = 14
_WEIGH_PROGRESS: Final = 45  # what was going on until the same participant spoke again
_WEIGH_OUTCOME: Final = 40  # how it stands in the last message of a participant
_WEIGH_ANSWER: Final = 45  # the core of what somebody who asked is answered
_WEIGH_WITHDRAWING: Final = 90  # what its author takes back: before what is put in its place
_WEIGH_LEADING: Final = 25  # what leads a list in, and is told with its heads
_WEIGH_OUTLINE: Final = 70  # the heads of the parts of a long message
_WEIGH_CONTRAST: Final = 16  # what the next sentence holds something against
_WEIGH_ANY: Final = 15  # less than nothing: what stands for a message that has nothing better
_WEIGH_TITLE: Final = 12
_WEIGH_ITEM: Final = 6
_WEIGH_SHORT: Final = 12  # fewer than seven words
_FEW_WORDS: Final = 7
_WEIGH_LONG: Final = 12  # more than forty words
_WEIGH_NAMES: Final = 18  # mostly names of code
_WEIGH_ASKING: Final = 25  # a question behind the first message, which others may have answered
_BRIEF: Final = 40  # characters of a message that is one word or a few
_LEAST_OF_ANY: Final = 3  # words
_LEAST_OF_REQUEST: Final = 8  # words of a question that says what is asked for
_MANY_WORDS: Final = 40
_MOST_GISTS: Final = 4  # of one message
_CHARS_PER_GIST: Final = 400  # of a long message, for each one more
_MOST_OF_LONG: Final = 12
_NEAR_END: Final = 4  # sentences; a question before them is answered by its message itself
_LEAST_ASKED: Final = 6  # words of a question that is more than bare
_LEAST_STEMS: Final = 3
_HANGING: Final = re.compile(r"\W*(?:this|that|these|those|it|they|he|she|such)\b", re.IGNORECASE)


_ADDRESSED: Final = re.compile(r"\W{0,4}([\w.-]+)[,:]\s")
_CONTRAST: Final = re.compile(r"(?:However|Nevertheless|But|That said|Yet)\b")
_CHATS: Final = re.compile(r"(?:Oh|Well|Ah|Ha(?:ha)*|Hey|Hi|Hello)\b,? ")
_FIGURES: Final = re.compile(r"\d")


class Talk(NamedTuple):
    """What an interval's talk offers: some sentences of each message, the weightiest of it first,
    messages in log order; and the questions that nobody answered.
    """

    gists: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]


def read_talk(lines: Sequence[Line]) -> Talk:
    """The sentences of each of `lines` that carry most, and the questions left at the end.

    What carries most plays a part in the minutes (rules, corrects, reports, objects, asks),
    opens its message, is marked by its author, or shares its words with the rest of the talk.
    """
    spoken = [list(list_sentences(line, TALK)) for line in lines]
    weights = _Weights(lines, spoken)
    gists = [gist for place in range(len(lines)) for gist in weights.gists(place)]
    return Talk(tuple(gists), _open_questions(spoken))


class _Weights:
    """The messages of a talk with what their sentences share, each sentence counted once."""

    def __init__(self, lines: Sequence[Line], spoken: Sequence[Sequence[Sentence]]) -> None:
        self._lines, self._spoken = lines, spoken
        self._stems = [[frozenset(content_stems(each.text)) for each in said] for said in spoken]
        self._shared = Counter(stem for each in self._stems for words in each for stem in words)
        self._common = max(1, max(self._shared.values(), default=1) - 1)
        self._last = {line.participant: place for place, line in enumerate(lines)}
        self._taken: set[frozenset[str]] = set()

    def gists(self, place: int) -> Iterator[Sentence]:
        """The weightiest sentences of the message at `place`; four, and more of a long one."""
        line, sentences, stems = self._lines[place], self._spoken[place], self._stems[place]
        person = shipped_roles().people.occurs(line.participant)
        pasted = 2 * sum(words in self._taken for words in stems) > len(stems)
        if is_form(line.content) or is_run(line.content):
            sentences = sentences[:1]
        ranked: list[tuple[int, int]] = []
        answer = self._answer(place)
        opened = asked = False
        for index, (sentence, words) in enumerate(zip(sentences, stems, strict=False)):
            following = sentences[index + 1] if index + 1 < len(sentences) else None
            if not self._says(sentence, words, pasted=pasted):
                continue
            self._taken.update([] if sentence.outline else [words])
            weight = self._weigh(place, sentence, words)
            chats = _CHATS.match(sentence.text) is not None
            if not (opened or chats or sentence.title) and len(words) >= _LEAST_STEMS:
                weight += _WEIGH_FIRST
                opened = True
            elif index == len(sentences) - 1:
                weight += _WEIGH_FIRST // 2
            weight -= _WEIGH_CONTRAST * _is_contrast(following)
            if person:
                asks = not asked and (_is_question(sentence) or _requests(sentence))
                weight += _WEIGH_PERSON + _WEIGH_ASKED * asks
                asked = asked or asks
            elif place > 0 and _is_question(sentence) and not _proposes(sentence):
                weight -= _WEIGH_ASKING
            weight += _WEIGH_ANSWER * (index == answer)
            ranked.append((-weight, index))
        if not (ranked or pasted) and (any_index := self._any_index(place)) is not None:
            ranked.append((_WEIGH_ANY, any_index))
        most = min(_MOST_OF_LONG, _MOST_GISTS + len(line.content) // _CHARS_PER_GIST)
        for weight, index in sorted(ranked)[:most]:
            brief = len(line.content) < _BRIEF
            yield replace(sentences[index], weight=-weight, person=person, brief=brief)

    def _answer(self, place: int) -> int:
        """Which sentence of the message at `place` answers whoever spoke right before it, where it
        opens with the name of that one; -1 for none.
        """
        name = _ADDRESSED.match(self._lines[place].content) if place else None
        if name is None or name[1].casefold() != self._lines[place - 1].participant.casefold():
            return -1
        said = enumerate(self._spoken[place])
        return next(
            (index for index, each in said if shipped_roles().answers.occurs(each.text)), -1
        )

    def _any_index(self, place: int) -> int | None:
        """The first sentence of the message at `place` that is no greeting, no question and nothing
        said before, and has three words, where none carries more.
        """
        said = zip(self._spoken[place], self._stems[place], strict=True)
        if is_form(self._lines[place].content):
            return None
        for index, (sentence, words) in enumerate(said):
            text = sentence.text
            least = 1 if len(self._lines[place].content) < _BRIEF else _LEAST_OF_ANY
            short = sentence.outline or len(text.split()) < least or not says_something(text, 1)
            short = short or shipped_roles().filler.occurs(text)
            if not short and not is_courtesy(text) and words not in self._taken:
                return None if text.endswith(("?", "？", ":")) else index
        return None

    def _says(self, sentence: Sentence, words: frozenset[str], *, pasted: bool) -> bool:
        """False of what says too little, or what was said before; of the parts of a message that
        is `pasted` from another.
        """
        if sentence.run or (sentence.outline and pasted):
            return sentence.run
        text = sentence.text
        least = _LEAST_STEMS - bool(_FIGURES.search(text))
        if not sentence.leads and (len(words) < least or not says_something(text)):
            return False
        if (words and words in self._taken) or has_fields(text, current_cards().texts):
            return False
        bare = _is_question(sentence) and len(text.split()) < _LEAST_OF_REQUEST
        return not bare and not shipped_roles().filler.occurs(text)

    def _weigh(self, place: int, sentence: Sentence, words: frozenset[str]) -> int:
        roles, line, text = shipped_roles(), self._lines[place], sentence.text
        whole = f"{sentence.under} {text}" if sentence.under else text
        part = roles.weigh(whole)
        if sentence.leads:
            listed = line.content[sentence.end : min(sentence.reach, sentence.end + WEIGHED)]
            part += (roles.weigh(f"{whole} {listed}") - part) // 2
        weight = _WEIGH_SHARED * sum(self._shared[word] - 1 for word in words)
        weight = weight // (len(words) + 4) // self._common + part
        weight += _WEIGH_MARKED * sentence.marked
        weight -= _WEIGH_TITLE * sentence.title + _WEIGH_ITEM * sentence.item
        weight += _WEIGH_LEADING * sentence.leads + _WEIGH_OUTLINE * sentence.outline
        announces = roles.bare.occurs(text)
        weight += _WEIGH_ANNOUNCING * announces
        weight += _WEIGH_FIGURES * (_FIGURES.search(text) is not None)
        weight -= _WEIGH_HANGING * bool(_HANGING.match(text))
        if len(text.split()) < _FEW_WORDS and not (announces or sentence.leads):
            weight -= _WEIGH_SHORT
        weight -= _WEIGH_LONG * (len(text.split()) > _MANY_WORDS)
        weight -= _WEIGH_NAMES * (not _is_whole(text) and _names_code(text))
        if roles.progress.occurs(text) and not roles.has(text, "gate"):
            ended = self._last[line.participant] != place
            weight -= _WEIGH_PROGRESS * (2 if ended else 1) // 2
        elif roles.status.occurs(text) and not roles.has(text, "gate"):
            weight += _WEIGH_OUTCOME * (self._last[line.participant] == place)
        weight += _WEIGH_WITHDRAWING * roles.withdraws.occurs(text)
        return weight


def _is_contrast(sentence: Sentence | None) -> bool:
    return sentence is not None and _CONTRAST.match(sentence.text) is not None


def _is_question(sentence: Sentence) -> bool:
    return sentence.text.endswith(("?", "？"))


def _proposes(sentence: Sentence) -> bool:
    return shipped_roles().proposes(sentence.text)


def _requests(sentence: Sentence) -> bool:
    return shipped_roles().has(sentence.text, "request")


def _open_questions(spoken: Sequence[Sequence[Sentence]]) -> tuple[Sentence, ...]:
    """The questions of six words or more that the last message ends with, two at most."""
    asked = [
        sentence
        for sentence in (spoken[-1][-_NEAR_END:] if spoken else ())
        if sentence.text.endswith(("?", "？")) and says_something(sentence.text, _LEAST_ASKED)
    ]
    return tuple(asked[-2:])


def _names_code(text: str) -> bool:
    """True where a third of `text` stands in code spans."""
    return 3 * sum(map(len, text.split("`")[1::2])) >= len(text)


def _is_whole(text: str) -> bool:
    """True of a sentence that ends as one does, and is not mostly names of code."""
    return text.endswith(ENDS) and 3 * sum(map(len, text.split("`")[1::2])) < len(text)
