"""What was asked and, as far as words can tell, not answered. Pure.

Unresolved is a question that no message is marked as an answer to, that nobody else
took up in the messages right after, and whose item, if it is on one, is not settled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, Final, NamedTuple

from bus.entries import Record
from memory.clauses import Script, Span
from memory.items import Proposal
from memory.state import Memory
from memory.text import IDEOGRAPHIC, clip, one_line, plain
from server.minutes_names import Names
from server.minutes_words import content

MOST: Final = 30
AFTER: Final = 8  # messages in which an answer may come
TEXT: Final = 240
_READ: Final = 50_000
_SHORT: Final = 6  # words of a bare yes or no
_IN_ONE: Final = 3  # questions of one message
_MARKS: Final = re.compile(r"\?+")
_MARKS_READ: Final = 64  # of one message
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_CLAUSE: Final = re.compile(r"[,;:(]\s*|\s-\s+")
_WITHOUT_SPACES: Final = re.compile(f"[{IDEOGRAPHIC}]")
_CLOSERS: Final = "\"')]*! "

Row = dict[str, Any]


class _Question(NamedTuple):
    place: int  # of its message among the others
    span: Span
    text: str
    how: str  # act or words
    closed: bool  # yes or no would do
    handles: tuple[str, ...]
    about: frozenset[str]  # its stems


class Openers(NamedTuple):
    """The words that questions open with, and those that answer one by themselves."""

    open: frozenset[str]
    closed: frozenset[str]
    leads: frozenset[str]
    answers: frozenset[str]


@cache
def openers() -> Openers:
    """The shipped words of all languages."""
    tree = json.loads((resources.files("server") / "data/questions.json").read_text("utf-8"))
    return Openers(
        frozenset(" ".join(tree["open"].values()).split()),
        frozenset(" ".join(tree["closed"].values()).split()),
        frozenset(tree["leads"].split()),
        frozenset(tree["answers"].split()),
    )


def questions(memory: Memory, messages: Sequence[Record]) -> tuple[list[Row], int]:
    """The newest unresolved ones, oldest first, and how many older ones are left out."""
    names = Names(memory)
    answered = {getattr(record.entry, "re", None) for record in messages}
    replies = _Replies(messages, names)
    rows = [
        _row(messages[one.place], one, names)
        for one in _asked(messages, names)
        if messages[one.place].n not in answered
        and not _settled(memory, messages[one.place], one)
        and not replies.answer(one)
    ]
    return rows[-MOST:], max(0, len(rows) - MOST)


def _asked(messages: Sequence[Record], names: Names) -> Iterator[_Question]:
    for place, record in enumerate(messages):
        entry: Any = record.entry
        marked = entry.act == "ask"
        if not marked and "?" not in entry.content and "？" not in entry.content:
            continue
        script = Script(plain(entry.content[:_READ]))
        speaker = names.canonical(entry.participant)
        found = [*islice(_in_words(place, script, names, speaker), _IN_ONE)]
        if not found and marked:
            end = len(script.text.rstrip())
            found = [_question(place, script, (0, end), "act", names, closed=False)]
        yield from (one._replace(how="act" if marked else "words") for one in found)


def _in_words(place: int, script: Script, names: Names, speaker: str) -> Iterator[_Question]:
    """The sentences that end in a question mark, and open as questions or name somebody."""
    seen = -1
    for mark in islice(_MARKS.finditer(script.unquoted), _MARKS_READ):
        first, last = script.sentence(mark.start(), mark.end())
        said = script.unquoted[first:last]
        if first == seen or not said.rstrip(_CLOSERS).endswith("?"):
            continue
        seen = first
        form = _form(said)
        if form or any(name != speaker for name in names.in_text(said)):
            yield _question(place, script, (first, last), "words", names, closed=form == "closed")


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
    place: int, script: Script, span: Span, how: str, names: Names, *, closed: bool
) -> _Question:
    said = script.text[slice(*span)]
    called = {stem for name in names.in_text(said) for stem in content(name)}
    about = frozenset(content(said)) - called
    return _Question(place, span, said, how, closed, script.handles(*span), about)


class _Replies:
    """What others said right after a question."""

    def __init__(self, messages: Sequence[Record], names: Names) -> None:
        self._messages, self._names = messages, names
        self._stems: dict[int, frozenset[str]] = {}

    def answer(self, asked: _Question) -> bool:
        """Whether somebody else took it up: a word of it, or a bare yes or no."""
        asker = self._speaker(asked.place)
        end = min(len(self._messages), asked.place + 1 + AFTER)
        for place in range(asked.place + 1, end):
            text = self._messages[place].entry.content  # type: ignore[union-attr]  # messages alone
            if self._speaker(place) == asker or text.rstrip(_CLOSERS).endswith(("?", "？")):
                continue
            if not asked.about or asked.about & self._content(place):
                return True
            if asked.closed and _is_bare(text):
                return True
        return False

    def _speaker(self, place: int) -> str:
        entry: Any = self._messages[place].entry
        return self._names.canonical(entry.participant)

    def _content(self, place: int) -> frozenset[str]:
        found = self._stems.get(place)
        if found is None:
            entry: Any = self._messages[place].entry
            found = self._stems[place] = frozenset(content(entry.content[:_READ]))
        return found


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


def _row(record: Record, asked: _Question, names: Names) -> Row:
    entry: Any = record.entry
    first, last = asked.span
    return {
        "participant": names.canonical(entry.participant),
        "text": clip(one_line(entry.content[first:last]), TEXT),
        "n": record.n,
        "at": entry.at,
        "cites": [[record.n, first, last]],
        "how": asked.how,
        "about": list(asked.handles),
        "to": list(entry.to),
    }
