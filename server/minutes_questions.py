"""What was asked and, as far as words can tell, not answered. Pure.

Unresolved is a question that no message is marked as an answer to, that nobody else
took up in the messages right after, least of all whoever it names, that no later
decision speaks to, and whose item, if it is on one, is not settled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, Final, NamedTuple

from bus.entries import Record
from memory.clauses import Script, Span
from memory.items import Proposal
from memory.state import Memory
from memory.text import IDEOGRAPHIC, clip, one_line, plain
from server.minutes_decided import Decided
from server.minutes_names import Names
from server.minutes_voices import Voice
from server.minutes_words import content

MOST: Final = 30
AFTER: Final = 8  # messages in which an answer may come
TEXT: Final = 240
_READ: Final = 50_000
_SHORT: Final = 6  # words of a bare yes or no
_HEAD: Final = 60  # characters of a message in which it names whom it speaks to
_FULL: Final = 3  # words of a statement
_IN_ONE: Final = 3  # questions of one message
_MARKS: Final = re.compile(r"\?+")
_MARKS_READ: Final = 64  # of one message
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_CLAUSE: Final = re.compile(r"[,;:(]\s*|\s-\s+")
_WITHOUT_SPACES: Final = re.compile(f"[{IDEOGRAPHIC}]")
_CLOSERS: Final = "\"')]*! "
_LED: Final = re.compile(r"\s*([^\W\d_][\w.'-]{1,30}(?: [\w.'-]{1,30})?):\s")
# A sentence, and the marks that end it: a stop within a word ends none.
_SENTENCE: Final = re.compile(r"\w(?:[^.!?？。！\n]|[.!?](?=[^\s.!?]))*([.!?？。！]*)")

Row = dict[str, Any]


class _Question(NamedTuple):
    place: int  # of its message among the others
    span: Span
    text: str
    how: str  # act or words
    closed: bool  # yes or no would do
    handles: tuple[str, ...]
    about: frozenset[str]  # its stems
    to: frozenset[str]  # whom it names, but for whoever asks


class Openers(NamedTuple):
    """The words that questions open with, and those that answer one by themselves."""

    open: frozenset[str]
    closed: frozenset[str]
    leads: frozenset[str]
    answers: frozenset[str]
    marks: frozenset[str]  # what leads a line and is nobody's name


@cache
def openers() -> Openers:
    """The shipped words of all languages."""
    tree = json.loads((resources.files("server") / "data/questions.json").read_text("utf-8"))
    return Openers(
        frozenset(" ".join(tree["open"].values()).split()),
        frozenset(" ".join(tree["closed"].values()).split()),
        frozenset(tree["leads"].split()),
        frozenset(tree["answers"].split()),
        frozenset(tree["marks"].split()),
    )


def questions(
    memory: Memory, messages: Sequence[Record], said: Mapping[int, Voice], decided: Decided
) -> tuple[list[Row], int]:
    """The newest unresolved ones, oldest first, and how many older ones are left out.

    `said` tells whose words each of the `messages` is.
    """
    names = Names(memory)
    answered = {getattr(record.entry, "re", None) for record in messages}
    replies = _Replies(messages, said, names)
    rows = [
        _row(messages[one.place], one, said)
        for one in _asked(messages, names, said)
        if messages[one.place].n not in answered
        and not _settled(memory, messages[one.place], one)
        and not replies.answer(one)
        and not decided.speaks_to(one.about, messages[one.place].n)
    ]
    return rows[-MOST:], max(0, len(rows) - MOST)


def _asked(
    messages: Sequence[Record], names: Names, said: Mapping[int, Voice]
) -> Iterator[_Question]:
    for place, record in enumerate(messages):
        entry: Any = record.entry
        marked = entry.act == "ask"
        if not marked and "?" not in entry.content and "？" not in entry.content:
            continue
        script = Script(plain(entry.content[:_READ]))
        voice = said[record.n]
        found = [*islice(_in_words(place, script, names, voice), _IN_ONE)]
        if not found and marked:
            end = len(script.text.rstrip())
            found = [_question(place, script, (0, end), names, voice, closed=False)]
        to = frozenset(map(names.canonical, entry.to)) - {voice.name}
        how = "act" if marked else "words"
        yield from (one._replace(how=how, to=one.to | to) for one in found)


def _in_words(place: int, script: Script, names: Names, voice: Voice) -> Iterator[_Question]:
    """The sentences that end in a question mark, and open as questions or name somebody."""
    seen = -1
    for mark in islice(_MARKS.finditer(script.unquoted), _MARKS_READ):
        first, last = script.sentence(mark.start(), mark.end())
        if first < voice.start < last:  # a scribe's "ann: "
            first = last - len(script.text[voice.start : last].lstrip())
        said = script.unquoted[first:last]
        if first == seen or not said.rstrip(_CLOSERS).endswith("?"):
            continue
        seen = first
        form = _form(said)
        if form or any(name != voice.name for name in names.in_text(said)):
            yield _question(place, script, (first, last), names, voice, closed=form == "closed")


def _form(said: str) -> str:
    """How a sentence opens, or one of its clauses: `open`, `closed`, "" for neither."""
    if _WITHOUT_SPACES.search(said):
        return "closed"
    known = openers()
    for clause in _CLAUSE.split(said):
        words = [word.casefold() for word in _WORD.findall(clause[:200])]
        while words and words[0] in known.leads:
            words.pop(0)
        for kind, listed in (("open", known.open), ("closed", known.closed)):
            if words and words[0] in listed:
                return kind
    return ""


def _question(
    place: int, script: Script, span: Span, names: Names, voice: Voice, *, closed: bool
) -> _Question:
    said = script.text[slice(*span)]
    named = names.in_text(said)
    called = {stem for name in named for stem in content(name)}
    about = frozenset(content(said)) - called
    to = frozenset(named) - {voice.name}
    return _Question(place, span, said, "words", closed, script.handles(*span), about, to)


class _Replies:
    """What others said right after a question."""

    def __init__(
        self, messages: Sequence[Record], said: Mapping[int, Voice], names: Names
    ) -> None:
        self._messages, self._said, self._names = messages, said, names
        self._stems: dict[int, frozenset[str]] = {}

    def answer(self, asked: _Question) -> bool:
        """Whether somebody else took it up: shared a word of it, said a bare yes or no, or was
        the next to speak, and not to somebody else; of whom it names, whether they spoke."""
        asker, next_speaks = self._speaker(asked.place), asked.how == "words" and not asked.to
        end = min(len(self._messages), asked.place + 1 + AFTER)
        for place in range(asked.place + 1, end):
            text = self._messages[place].entry.content  # type: ignore[union-attr]  # messages alone
            who, stems = self._speaker(place), self._content(place)
            if who == asker and not self._led_by_another(place, asked.place):
                continue
            if not _states(text):
                continue
            if not asked.about or asked.about & stems or who in asked.to:
                return True
            if asked.closed and _is_bare(text):
                return True
            if next_speaks and self._says(place, text) and not self._elsewhere(place, asker):
                return True
        return False

    def _says(self, place: int, text: str) -> bool:
        """Whether it has more in it than a vote, a grunt or a bare yes."""
        return _is_full(text) or (bool(self._content(place)) and not _is_bare(text))

    def _led_by_another(self, place: int, asked: int) -> bool:
        """Whether it is led by a name, of anybody, that the question is not led by: who writes
        down what is said on a call types both, and the names need be no participant's."""
        lead = _lead(self._messages[place])
        own = (_lead(self._messages[asked]), self._speaker(asked).casefold())
        return bool(lead) and lead not in own

    def _elsewhere(self, place: int, asker: str) -> bool:
        """Whether a message says that it speaks to something else than the last question."""
        entry: Any = self._messages[place].entry
        if entry.re is not None or entry.act not in (None, "inform", "ask"):
            return True
        start = self._said[self._messages[place].n].start
        head = entry.content[start : start + _HEAD]
        named = {*map(self._names.canonical, entry.to), *self._names.in_text(head)}
        return bool(named) and asker not in named

    def _speaker(self, place: int) -> str:
        return self._said[self._messages[place].n].name

    def _content(self, place: int) -> frozenset[str]:
        found = self._stems.get(place)
        if found is None:
            entry: Any = self._messages[place].entry
            found = self._stems[place] = frozenset(content(entry.content[:_READ]))
        return found


def _lead(record: Record) -> str:
    """The "ann" of "Ann: let us close it"; "" for none, and for a mark such as "Topic:"."""
    entry: Any = record.entry
    found = _LED.match(entry.content)
    lead = found[1].casefold() if found else ""
    return "" if lead in openers().marks else lead


def _states(text: str) -> bool:
    """Whether it says anything but questions."""
    if "?" not in text and "？" not in text:
        return True
    return any(not {"?", "？"} & {*marks} for marks in _SENTENCE.findall(text[:_READ]))


def _is_full(text: str) -> bool:
    """Whether it has the words of a sentence; a vote or a grunt has not."""
    return len(_WORD.findall(text[:200])) >= _FULL or bool(_WITHOUT_SPACES.search(text[:200]))


def _is_bare(text: str) -> bool:
    words = _WORD.findall(text[:200].casefold())
    return 0 < len(words) <= _SHORT and words[0] in openers().answers


def _settled(memory: Memory, record: Record, asked: _Question) -> bool:
    """Whether all that it asks about is settled by now."""
    re = getattr(record.entry, "re", None)
    named = [memory.item(handle) for handle in asked.handles]
    if re is not None:
        named.append(memory.known(re) if isinstance(re, int) else memory.item(re))
    items = [item for item in named if item is not None]
    return bool(items) and all(
        item.status != "active" if isinstance(item, Proposal) else item.status != "claimed"
        for item in items
    )


def _row(record: Record, asked: _Question, said: Mapping[int, Voice]) -> Row:
    entry: Any = record.entry
    first, last = asked.span
    return {
        "participant": said[record.n].name,
        "text": clip(one_line(entry.content[first:last]), TEXT),
        "n": record.n,
        "at": entry.at,
        "cites": [[record.n, first, last]],
        "how": asked.how,
        "about": list(asked.handles),
        "to": list(entry.to),
    }
