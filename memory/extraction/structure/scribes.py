"""Whose words a message is: "ann: let us close it" is Ann's where somebody takes minutes.

In chat the same line speaks to Ann. So a typist has to be at work as a scribe:
named as one, or leading lines with the names of several people, most of what
they type, without talking to them. Nobody gains a say by it; `parley.memory.items.item_acts` sees
to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from typing import Final

from parley.memory.extraction.structure.scorecards import lexicon
from parley.memory.state.item_state import Origin
from parley.memory.state.line_state import TypedMessage
from parley.memory.state.memory import Memory
from parley.memory.voice import VOICE

_READ: Final = 250  # characters of a led line: who is spoken to is spoken to early
_TYPED: Final = 24  # messages in which a typist has to show it
_LEADS: Final = 3  # lines led by others' names
_NAMES: Final = 2  # different ones
_GOES_ON: Final = 12  # messages after which "… and then" goes on with nobody
_DECLARED: Final = 12  # the newest scribes named
_LONGEST: Final = 64  # characters of a name
_SCRIBED, _MINUTED = ", scribed", ", minuted"  # behind a rule
_SCRIBE: Final = re.compile(
    r"\s*scribe(?:[ -]?nick)?s?[ \t]*(?P<how>[:=+-])[ \t]*(?P<names>[^\n]{0,200})", re.IGNORECASE
)
_GONE_ON: Final = re.compile(r"\s*(?:\.\.|…)")
_OTHERWISE: Final = frozenset("sS.… \t\n")  # letters that "scribe+ bob", "… and so on" begin with
_SPOKEN_TO: Final = ("listener", "asks", "thanks")  # cues of words to somebody


def resolve_speaker(memory: Memory, typist: str, content: str) -> str:
    """Whose words `content` is, which `typist` typed; to be asked once for each message."""
    scribing = memory.structure.scribing
    if not may_name_speaker(content):
        scribing.typed.append(TypedMessage(typist=typist))
        del scribing.typed[:-_TYPED]
        return typist
    _appoint(memory, typist, content)
    named, start = _led(memory, content)
    if not named:
        who = _going_on(memory, typist, content)
        scribing.typed.append(TypedMessage(typist=typist, who=who, on=bool(who)))
    else:
        to = not _spoken_to().isdisjoint(lexicon().hits(content[start : start + _READ].strip()))
        scribing.typed.append(TypedMessage(typist=typist, who=named, to=to))
        who = named if _is_scribe(memory, typist) else ""
    del scribing.typed[:-_TYPED]
    return who or typist


def may_name_speaker(content: str) -> bool:
    """False, at a look, for nearly all that is its typist's own."""
    return content[:1] in _OTHERWISE or ":" in content[:_LONGEST]


def foresee_speakers(memory: Memory, typist: str, contents: Iterable[str]) -> list[str]:
    """Whose words each would be, were `typist` to type them now, one after the other."""
    scribing = memory.structure.scribing
    memory.structure.scribing = deepcopy(scribing)
    try:
        return [resolve_speaker(memory, typist, content) for content in contents]
    finally:
        memory.structure.scribing = scribing


def _is_scribe(memory: Memory, typist: str) -> bool:
    """True where `typist` is a scribe: by the settings, somebody's word, or what they type."""
    if _trusted(memory, typist) or typist in memory.structure.scribing.named:
        return True
    lines = [
        typed_message
        for typed_message in memory.structure.scribing.typed
        if typed_message.typist == typist
    ]
    led = [typed_message for typed_message in lines if typed_message.who not in ("", typist)]
    spoken_to = sum(typed_message.to for typed_message in led)
    return (
        len(led) >= _LEADS
        and len({typed_message.who for typed_message in led}) >= _NAMES
        and len(led) * 2 > len(lines)
        and spoken_to * 3 <= len(led)
    )


def keeps_record(memory: Memory, typist: str) -> bool:
    """True where the settings say that `typist` writes down what others say."""
    return _trusted(memory, typist) or typist in memory.chairs


def add_scribe_note(memory: Memory, typist: str, rule: str | None) -> str | None:
    """`rule`, with how it was written down behind it where somebody typed it for another."""
    if not typist:
        return rule
    return f"{rule or ''}{_MINUTED if keeps_record(memory, typist) else _SCRIBED}"


def strip_scribe_note(rule: str) -> str:
    """`rule` as it is where whoever spoke typed it: without what `add_scribe_note` adds."""
    return rule.removesuffix(_SCRIBED).removesuffix(_MINUTED)


def is_typed_by_scribe(origin: Origin) -> bool:
    """True for what somebody typed for another without being one who keeps the record."""
    return is_by_unofficial_scribe(origin.rule)


def is_by_unofficial_scribe(rule: str | None) -> bool:
    """True where `add_scribe_note` said behind `rule` that a scribe typed it who keeps no
    record.
    """
    return rule is not None and rule.endswith(_SCRIBED)


def _trusted(memory: Memory, typist: str) -> bool:
    return bool(memory.scribes) and typist.casefold() in memory.scribes


def _led(memory: Memory, content: str) -> tuple[str, int]:
    """The known name that leads `content`, and where the words begin; "" and 0 for none."""
    colon = content.find(":", 0, _LONGEST)
    if colon < 1 or not content[colon + 1 : colon + 2].isspace():
        return "", 0
    name = find_participant(memory, content[:colon].strip())
    return (name, colon + 1) if name else ("", 0)


def find_participant(memory: Memory, name: str) -> str:
    """The participant, or whoever has a seat, of that name whatever its case; "" for nobody."""
    exact = memory.named(name)
    if exact not in memory.participants and exact not in memory.floor.seats:
        exact = memory.names.get(name.casefold(), "")
    return "" if exact == VOICE or exact in memory.bots else exact


def _going_on(memory: Memory, typist: str, content: str) -> str:
    """Whose words the scribe goes on with; "" where `content` begins otherwise."""
    if _GONE_ON.match(content) is None:
        return ""
    for typed_message in reversed(memory.structure.scribing.typed[-_GOES_ON:]):
        if typed_message.typist == typist:
            return typed_message.who if typed_message.who and _is_scribe(memory, typist) else ""
    return ""


def _appoint(memory: Memory, typist: str, content: str) -> None:
    """Note whom a line such as "scribe: bob" names; "scribe- bob" lets them go."""
    if (match := _SCRIBE.match(content)) is None:
        return
    scribes = memory.structure.scribing.named
    for each in re.split(r"[,;]|\band\b", match["names"]):
        word = each.strip().rstrip(".")
        mine = word.casefold() in ("", "me", "i")
        name = typist if mine else find_participant(memory, word)
        if name in scribes:
            scribes.remove(name)
        if name and match["how"] != "-" and (name == typist or keeps_record(memory, typist)):
            scribes.append(name)
    del scribes[:-_DECLARED]


@cache
def _spoken_to() -> frozenset[int]:
    return frozenset(map(lexicon().number, _SPOKEN_TO))


def rename_scribe(memory: Memory, old: str, new: str) -> None:
    """Put `new` for `old`, as typist, as who was named, and among the scribes."""
    scribing = memory.structure.scribing
    for typed_message in scribing.typed:
        typed_message.typist = new if typed_message.typist == old else typed_message.typist
        typed_message.who = new if typed_message.who == old else typed_message.who
    scribing.named = list(dict.fromkeys(new if name == old else name for name in scribing.named))
