"""An action as a task: "send the address", of "Fine, I will send the address". Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, Final

from parley.memory.text.plain_text import one_line, to_plain

_MARK: Final = re.compile(
    r"^\W*(?:(?:actions?(?: item)?|to-?do|ai)\s*(?:#?\d+)?\W*:\W*)?", re.IGNORECASE
)
_NAME: Final = r"[A-Za-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}"
_OWNER: Final = re.compile(rf"@?(?P<who>{_NAME}(?:(?:,| and|, and) {_NAME}){{0,3}}) to (?=[a-z])")
_BEHIND: Final = re.compile(r"\s*\((?P<who>[^()]{2,60})\)[.\s]*$")
_DRESS: Final = re.compile(r"^[\s*_`>#-]+|[\s*_`]+$|\*\*|`")
_TAIL: Final = re.compile(r"(?:[\s.:;,!]|,? then)+$")
_JOIN: Final = re.compile(
    r"[\s,;:–-]*(?:\b(?:and|but|so|then|yes|fine|ok|okay|sure)\b[\s,]*)*$", re.IGNORECASE
)
_PAST: Final = re.compile(
    r"(?:[a-z]{2,}ed|sent|made|done|built|wrote|written|ran|took|got|put|found|set up|began)\b",
    re.IGNORECASE,
)
_AT_HAND: Final = re.compile(
    r"^(?:also )?(?:add|cover|do|make|type|paste|drop|take|put|say)"
    r" (?:it|this|that|them|those)(?: (?:now|here|up|in|too|then|correction|change|edit))*$"
    r"|\bin(?:to)? (?:the )?(?:chat|irc|channel|queue)\b|\bthis opportunity\b|^pause\b"
    r"|^see if \w+ wants?\b|\bmy (?:own )?(?:announcement|screen|slides)\b",
    re.IGNORECASE,
)
_BEGIN: Final = 14  # words of a decision that tell whether it only holds
_HOLDS: Final = re.compile(
    r"\b(?:keeps?|kept|continues?|retains?|stays?|remains?|closed?|do not|don't|not to|no longer"
    r"|hold off|postponed?|deferred?|approved?|accepted?|nothing)\b",
    re.IGNORECASE,
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")


@cache
def shipped_words() -> Any:
    """The lists of words and the rules that the package ships."""
    return json.loads((resources.files("parley.server") / "data/actions.json").read_text("utf-8"))


@cache
def alternatives(name: str) -> str:
    """A shipped list of words, as the alternatives of a pattern."""
    return "|".join(re.split(r" +", shipped_words()[name]))


@cache
def _promise() -> re.Pattern[str]:
    """What comes before the deed: "I'll also", "Bo, please", "will go ahead and"."""
    return re.compile(
        r"(?:I(?:'ll|\s+will|'m\s+going\s+to|\s+am\s+going\s+to|\s+can)"
        r"|to|will|is\s+going\s+to|is\s+to|please)"
        rf"\s+(?:(?:{alternatives('adverbs')})\s+)*",
        re.IGNORECASE,
    )


def task_words(sentence: str, at: int, rule: str, is_owner: Callable[[str], bool]) -> str:
    """What is to be done, in the words of `sentence`, which promises it from character `at` on.

    Without the mark ("ACTION:"), whoever `is_owner` ("Ana to"), and what was said before it.
    """
    if rule in ("marked", "listed"):
        task = without_mark(sentence)
        owner = _OWNER.match(task)
        if owner and is_owner(owner["who"]):
            task = task[owner.end() :]
        behind = _BEHIND.search(task)
        task = task[: behind.start()] if behind and is_owner(behind["who"]) else task
    else:
        lead = _promise().match(to_plain(sentence), at)
        task = sentence[lead.end() :] if lead else sentence
    return _TAIL.sub("", _DRESS.sub("", one_line(task))) or one_line(sentence)


def lead_words(sentence: str, task: str) -> str:
    """What was said in the sentence before the task was promised: "I cannot speak for the yard"."""
    before, found, _ = sentence.partition(task)
    promise = [*_promise().finditer(to_plain(before))] if found else []
    lead = _DRESS.sub("", before[: promise[-1].start()]) if promise else ""
    return _JOIN.sub("", lead).strip()


def without_mark(sentence: str) -> str:
    """A marked action without "ACTION:" or the box to tick before it."""
    return _MARK.sub("", sentence)


def is_told_as_done(task: str) -> bool:
    """Whether a mark stands before what was done, not before what is to do: "Sent the note"."""
    return bool(_PAST.match(task))


def is_of_the_talk(task: str) -> bool:
    """Whether it is done within the talk, or nobody who was not there could tell what it is."""
    return bool(_AT_HAND.search(to_plain(task)))


def begins_with_deed(task: str) -> bool:
    """Whether an unowned point is a thing to do, not one to be true: "- [ ] All lamps work"."""
    listed = "|".join(map(alternatives, ("doing", "asking", "deeds")))
    return re.match(rf"(?:{listed})\b", task, re.IGNORECASE) is not None


def ends_at_once(task: str) -> bool:
    """Whether it is done by a word in the talk itself: "resolve this"."""
    first = _LETTERS.match(task)
    return first is not None and first[0].casefold() in shipped_words()["ending"].split()


def only_holds(decided: str) -> bool:
    """Whether nobody has to do anything for it: things stay, end, or are not done."""
    return bool(_HOLDS.search(" ".join(to_plain(decided).split()[:_BEGIN])))
