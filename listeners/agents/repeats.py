"""What a model says again of the talk, its proposals and its persona instead of something of its
own. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from parley.listeners.agents.transcript_form import Names
from parley.listeners.models.answer_sentences import split_sentences
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.similarity import fingerprint

_FEWEST_OWN: Final = 5  # words that are a repetition of one's own; "I agree" may be said twice
_FEWEST_OTHERS: Final = 12  # and of somebody else's
_DESCRIBED: Final = 8  # words in a row of a persona's description; a turn of speech has fewer
_REFUSED: Final = 5  # and of why a first draft was refused, said right after it
_RUN: Final = 8  # words in a row that are somebody's words, whatever stands before them
_BRACKETED: Final = re.compile(r"\[[^\]\n]{0,200}\]")  # a tag or a citation
_REPEATING: Final = re.compile(
    r"\bI(?: would| will| can| should| could|'ll|'d)? (?:repeat|rephrase|restate|reword)\b",
    re.IGNORECASE,
)
# How a sentence begins that asks for something, or proposes it
_FRAME: Final = frozenset({
    "i", "you", "we", "they", "shall", "should", "would", "could", "will", "do", "does", "let",
    "us", "please", "propose", "suggest", "to", "that", "what", "if", "how", "about", "this", "is",
    "because", "it", "reason",
})  # fmt: skip
_PROPOSING: Final = frozenset({
    "should", "would", "could", "must", "propose", "proposed", "proposes", "proposal", "suggest",
})  # fmt: skip
MOSTLY_SAID: Final = "most of that was said before, in the same words"
_FEWEST_LEFT: Final = 3  # words of a sentence without how it begins
_SAME: Final = 900  # resemblance, per mille, of a proposal made again: some words in ten differ
_REASONS: Final = re.compile(r",?\s+(?:as|because|since|so that)\s|(?<=\w)[.;]\s", re.IGNORECASE)
_OPINES: Final = re.compile(  # how a sentence begins that amends nothing
    r"\s*(?:I (?:believe|think|agree|support|would (?:agree|support))|it (?:would|will|is)"
    r"|this (?:approach|proposal|plan|system|way|would|will|is|ensures))\b",
    re.IGNORECASE,
)
_STANDING: Final = ("active", "accepted", "adopted")
_HANDLE: Final = re.compile(r"[pdv] ?[0-9]{0,9}")
_WORD: Final = re.compile(r"\w+")

Lines = Sequence[tuple[str, str]]  # (participant, content)


def find_repeat(text: str, names: Names, recent: Lines) -> str | None:
    """What `text` repeats sentence by sentence; None where any is new, or it is too short to tell.

    But for how a sentence begins: "Shall we meet on Tuesday or Friday?" is said again as "You
    would propose to meet on Tuesday or Friday." Beside a question or a request that is given
    back, parts of sentences are not new.
    """
    sentences, size = _sentences_of(text), len(words_of(text))
    if not sentences or size < _FEWEST_OWN:
        return None
    own_words = _joined(words_of(content) for who, content in recent if who in names.own)
    new = [sentence for sentence in sentences if not _stands_in(sentence, own_words)]
    if not new:
        return "you said that before, in the same words"
    others = [content for who, content in recent if who not in names.own]
    if any(
        sentence.proposes(question) for content in others for question in _sentences_of(content)
        for sentence in sentences
    ):  # fmt: skip
        return "it gave a choice back instead of choosing"
    said = {sentence.words: sentence for content in others for sentence in _sentences_of(content)}
    copies = [s for s in new if s.words in said and s.says_again(said[s.words], size)]
    other_words = _joined(map(words_of, others))
    rest = [sentence for sentence in new if sentence not in copies]
    asked = any(said[copy.words].asks for copy in copies)
    if copies and (not rest or (asked and all(_stands_in(s, other_words) for s in rest))):
        return "somebody else said that, in the same words"
    stated = [words_of(content) for who, content in recent if who in names.own]
    stated += [run for content in others for run in _statements_of(content)]
    if not any(sentence.asks for sentence in new) and _is_mostly_of(words_of(text), stated):
        return MOSTLY_SAID
    return None


def _is_mostly_of(words: list[str], stated: Iterable[list[str]]) -> bool:
    """Whether four fifths of `words` stand in runs of words that were `stated`."""
    said = {run for each in stated for run in _runs(each)}
    covered = {
        place for start, run in enumerate(_runs(words)) if run in said
        for place in range(start, start + _RUN)
    }  # fmt: skip
    return len(words) >= _FEWEST_OTHERS and 5 * len(covered) >= 4 * len(words)


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)]


def gives_back(text: str, persona: str, count: int = _DESCRIBED) -> bool:
    """Whether `text` has `count` words of the description in a row: nobody says them by chance."""
    words, described = words_of(text), f" {' '.join(words_of(persona))} "
    runs = (words[start : start + count] for start in range(len(words) - count + 1))
    return any(f" {' '.join(run)} " in described for run in runs)


def drop_refusal(text: str, refused: str) -> str:
    """`text` without sentences that answer why its first draft was `refused`."""
    kept = [
        sentence for sentence in split_sentences(text)
        if not gives_back(sentence, refused, _REFUSED) and _REPEATING.search(sentence) is None
    ]  # fmt: skip
    return "".join(kept).strip()


def drop_said_twice(text: str) -> str:
    """`text` without the sentences that it has said before: a small model gets stuck in them."""
    kept: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for sentence in split_sentences(text):
        words = tuple(words_of(sentence))
        if len(words) < _FEWEST_OWN or words not in seen:
            kept.append(sentence)
        seen.add(words)
    return text if len(kept) == len(split_sentences(text)) else "".join(kept).strip()


def drop_copies(text: str, said: str) -> str:
    """`text` without its whole sentences that `said` has, whichever way they begin."""
    words = _joined([words_of(said)])

    def is_copy(sentence: str) -> bool:
        read = _sentences_of(sentence)
        size = len(words_of(sentence))
        return bool(read) and size >= _FEWEST_OWN and all(_stands_in(s, words) for s in read)

    kept = [sentence for sentence in split_sentences(text) if not is_copy(sentence)]
    return "".join(kept).strip()


def drop_asked(text: str, names: Names, recent: Lines) -> str:
    """`text` without the question at its end that others asked in the same words, if more is left.

    A model that has answered goes on with what it was asked.
    """
    asked = {
        sentence.words
        for who, content in recent if who not in names.own
        for sentence in _sentences_of(content) if sentence.asks == "question"
    }  # fmt: skip

    def is_asked(sentence: str) -> bool:
        read = _sentences_of(sentence)
        return len(words_of(sentence)) >= _FEWEST_OWN and any(s.words in asked for s in read)

    kept = split_sentences(text)
    while kept and (is_asked(kept[-1]) or not kept[-1].strip()):
        kept.pop()
    return "".join(kept).strip() or text


def find_made_again(
    memory: Memory, text: str, detection: Detection, *, with_reason: bool = False
) -> Proposal | None:
    """The proposal that a detection in `text` makes again, or amends in its own words."""
    words = text[detection.text_start : detection.text_end]
    if detection.act == "propose":
        made = nearest_proposal(memory, words, with_reason=with_reason)
        around = [s for s in split_sentences(text) if words.strip() and words.strip() in s]
        return made or (nearest_proposal(memory, around[0]) if around else None)
    amended = (
        memory.item(detection.refs[0]) if detection.act == "amend" and detection.refs else None
    )
    if not isinstance(amended, Proposal) or amended.status not in _STANDING:
        return None
    rest = split_sentences(drop_copies(words, amended.text))
    changes = [s for s in rest if words_of(s) and _OPINES.match(s) is None]
    return None if changes else amended


def nearest_proposal(memory: Memory, words: str, *, with_reason: bool = False) -> Proposal | None:
    """The proposal, open or agreed on, that `words` make in nearly its words, before any reason."""
    ends = [reason.start() for reason in _REASONS.finditer(words)] if with_reason else []
    parts = [words, *(words[:end] for end in ends)]
    for part in parts:
        match = memory.proposal_index.nearest(fingerprint(part), _SAME)
        nearest = None if match is None else memory.proposals[match[0]]
        if nearest is not None and nearest.status in _STANDING and not nearest.candidate:
            return nearest
    return None


def find_proposed(memory: Memory, text: str) -> str | None:
    """The handle of the proposal, open or agreed on, that `text` makes or amends in its words."""
    for detection in memory.reader.read(text):
        if (proposal := find_made_again(memory, text, detection)) is not None:
            return proposal.handle
    return None


class _Sentence(NamedTuple):
    """Its words, without how it begins, and whether it asks: a question, or a request."""

    words: tuple[str, ...]
    asks: Literal["", "question", "request"]

    def says_again(self, said: _Sentence, size: int) -> bool:
        """Whether it says `said` again, in a text of `size` words, instead of answering it.

        Who proposes what a question asked for has answered, unless that gave a choice.
        """
        if said.asks == "question":
            return self.asks == "question" or "or" in self.words
        return said.asks == "request" or size >= _FEWEST_OTHERS

    def proposes(self, choice: _Sentence) -> bool:
        """Whether it proposes all of a question that gave a choice: "We should eat in, or out"."""
        if choice.asks != "question" or "or" not in choice.words or self.asks == "question":
            return False
        begins, ends = self.words[: -len(choice.words)], self.words[-len(choice.words) :]
        return ends == choice.words and (not begins or not _PROPOSING.isdisjoint(begins))


def _sentences_of(text: str) -> list[_Sentence]:
    """Its sentences; a mere handle or letter is none."""
    sentences = []
    for sentence in split_sentences(_BRACKETED.sub(" ", text)):
        words = words_of(sentence)
        request = words[:1] == ["please"]
        question = sentence.rstrip("\"')*”’ \n").endswith(("?", "？"))
        while len(words) > _FEWEST_LEFT and words[0] in _FRAME:
            words = words[1:]
        if words and not _HANDLE.fullmatch(" ".join(words)):
            asks: Literal["", "question", "request"] = "question" if question else ""
            sentences.append(_Sentence(tuple(words), "request" if request else asks))
    return sentences


def _statements_of(text: str) -> list[list[str]]:
    """The words of its sentences that ask nothing, those that follow each other together.

    Without how the first of these begins: that may be said again.
    """
    statements: list[list[str]] = [[]]
    for sentence in split_sentences(text):
        read = _sentences_of(sentence)
        if any(each.asks for each in read):
            statements.append([])
        elif statements[-1]:
            statements[-1] += words_of(sentence)
        else:
            statements[-1] += [word for each in read for word in each.words]
    return statements


def _joined(texts: Iterable[list[str]]) -> str:
    return "|".join(f" {' '.join(words)} " for words in texts)


def _stands_in(sentence: _Sentence, words: str) -> bool:
    return f" {' '.join(sentence.words)} " in words


def words_of(text: str) -> list[str]:
    """The words of `text` in one case, without tags and citations."""
    return _WORD.findall(_BRACKETED.sub(" ", text).casefold())


def was_said(novelty: str, recent: Lines) -> bool:
    """Whether it is a mere handle or letter, or begins with a sentence of the talk, be it cut."""
    sentences = _sentences_of(novelty)
    if not sentences or len(sentences[0].words) < _FEWEST_OWN:
        return not sentences
    first = " ".join(sentences[0].words)
    return any(
        " ".join(said.words).startswith(first)
        for _, content in recent for said in _sentences_of(content)
    )  # fmt: skip
