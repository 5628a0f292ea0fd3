"""What was asked and, as far as words can tell, not answered. Pure.

Unresolved is a question that no message is marked as an answer to, that nobody else
took up in the messages right after, least of all whoever it names, that no later
decision speaks to, and whose item, if it is on one, is not settled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.extraction.patterns.clauses import PreparedText, Span
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import clip, one_line, to_plain
from parley.server.minutes.decided_words import DecidedTerms
from parley.server.minutes.replies import Question, Replies, openers
from parley.server.minutes.words.attribution import Voice
from parley.server.minutes.words.mentions import NameIndex
from parley.server.minutes.words.sentence_words import READ, WITHOUT_SPACES, WORD, topic_words
from parley.server.rows.entry_times import time_row

MOST: Final = 30
TEXT: Final = 240
_IN_ONE: Final = 3  # questions of one message
_MARKS: Final = re.compile(r"\?+")
_MARKS_READ: Final = 64  # of one message
_INVITES: Final = re.compile(  # silence answers it
    r"\s*(?:[^\W\d_][\w.'-]*[:,]\s*)?(?:and |so |ok(?:ay)?,? )?any(?:one|body|thing)?\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;:(]\s*|\s-\s+")
_CLOSERS: Final = "\"')]*! "

Row = dict[str, Any]


def find_open_questions(
    memory: Memory, messages: Sequence[Record], voices: Mapping[int, Voice], decided: DecidedTerms
) -> tuple[list[Row], int]:
    """The newest unresolved ones, oldest first, and how many older ones are left out.

    `voices` tells whose words each of the `messages` is.
    """
    names = NameIndex(memory)
    answered = {getattr(record.entry, "re", None) for record in messages}
    replies = Replies(messages, voices, names)
    rows = [
        _row(messages[question.place], question, voices)
        for question in _asked(messages, names, voices)
        if messages[question.place].n not in answered
        and not _settled(memory, messages[question.place], question)
        and not replies.answer(question)
        and not decided.speaks_to(question.about, messages[question.place].n)
    ]
    return rows[-MOST:], max(0, len(rows) - MOST)


def _asked(
    messages: Sequence[Record], names: NameIndex, voices: Mapping[int, Voice]
) -> Iterator[Question]:
    for place, record in enumerate(messages):
        entry: Any = record.entry
        marked = entry.act == "ask"
        if not marked and "?" not in entry.content and "？" not in entry.content:
            continue
        script = PreparedText(to_plain(entry.content[:READ]))
        voice = voices[record.n]
        questions = [*islice(_in_words(place, script, names, voice), _IN_ONE)]
        if not questions and marked:
            end = len(script.text.rstrip())
            questions = [_question(place, script, (0, end), names, voice, closed=False)]
        to = frozenset(map(names.canonical, entry.to)) - {voice.name}
        how = "act" if marked else "words"
        yield from (question._replace(how=how, to=question.to | to) for question in questions)


def _in_words(
    place: int, script: PreparedText, names: NameIndex, voice: Voice
) -> Iterator[Question]:
    """The sentences that end in a question mark, and open as questions or name somebody."""
    seen = -1
    for mark in islice(_MARKS.finditer(script.unquoted), _MARKS_READ):
        first, last = script.sentence(mark.start(), mark.end())
        if first < voice.start < last:  # a scribe's "ann: "
            first = last - len(script.text[voice.start : last].lstrip())
        text = script.unquoted[first:last]
        if first == seen or not text.rstrip(_CLOSERS).endswith("?"):
            continue
        seen = first
        if _INVITES.match(text):
            continue
        form = _form(text)
        if form or any(name != voice.name for name in names.in_text(text)):
            yield _question(place, script, (first, last), names, voice, closed=form == "closed")


def _form(text: str) -> str:
    """How a sentence opens, or one of its clauses: `open`, `closed`, "" for neither."""
    if WITHOUT_SPACES.search(text):
        return "closed"
    known = openers()
    for clause in _CLAUSE.split(text):
        words = [word.casefold() for word in WORD.findall(clause[:200])]
        while words and words[0] in known.leads:
            words.pop(0)
        for kind, listed in (("open", known.open), ("closed", known.closed)):
            if words and words[0] in listed:
                return kind
    return ""


def _question(
    place: int, script: PreparedText, span: Span, names: NameIndex, voice: Voice, *, closed: bool
) -> Question:
    text = script.text[slice(*span)]
    named = names.in_text(text)
    called = {stem for name in named for stem in topic_words(name)}
    about = frozenset(topic_words(text)) - called
    to = frozenset(named) - {voice.name}
    return Question(place, span, text, "words", closed, script.handles(*span), about, to)


def _settled(memory: Memory, record: Record, asked: Question) -> bool:
    """Whether all that it asks about is settled by now."""
    re = getattr(record.entry, "re", None)
    ledger = ledger_of(memory)
    named = [ledger.item(handle) for handle in asked.handles]
    if isinstance(re, int):
        known = memory.known(re)
        named.append(None if known is None else ledger.item(known.handle))
    elif re is not None:
        named.append(ledger.item(re))
    items = [item for item in named if item is not None and item.shelf != "denied"]
    return bool(items) and all(item.status not in ("active", "claimed") for item in items)


def _row(record: Record, asked: Question, voices: Mapping[int, Voice]) -> Row:
    entry: Any = record.entry
    first, last = asked.span
    return {
        "participant": voices[record.n].name,
        "text": clip(one_line(entry.content[first:last]), TEXT),
        "n": record.n,
        **time_row(entry.at, record),
        "cites": [[record.n, first, last]],
        "how": asked.how,
        "about": list(asked.handles),
        "to": list(entry.to),
    }
