"""The form of one spoken line: what its own words say for or against it.

Speech is read through a skeleton. Fillers, repeats and cut restarts go, contractions are
written out, and every word that is not plain English of talk becomes `*`, so that what
is learnt in meetings on one subject holds in those on another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, Final, NamedTuple

_WORD: Final = re.compile(r"[a-z0-9_]+(?:[-'][a-z]+)*")
_LENGTHS: Final = (0, 2, 4, 7, 11, 16, 24)
_OPENERS: Final = frozenset({"so", "and", "but", "then", "or", "just", "okay"})
_AGAINST: Final = frozenset({"no", "nope", "nah", "but"})


class Utterance(NamedTuple):
    """A line as the scorer hears it."""

    names: frozenset[str]  # of its features
    kind: str  # back, praise, yes, no, ask, short, say; noise without a word
    words: int
    end: str  # its last mark: "?", ".", ",", or cut
    cue: bool  # words such as "we could", "maybe", "how about"
    settle: bool  # words such as "we decided", "go with"
    asks: bool
    content: tuple[str, ...]  # words that carry a subject, each once


class Phrases(NamedTuple):
    """What is looked for in a line, and the words without one of which it cannot be there."""

    pattern: re.Pattern[str]
    needs: frozenset[str]


class Words(NamedTuple):
    """The words of talk, by what they do; `spoken_words.json`."""

    fillers: frozenset[str]
    yes: frozenset[str]
    praise: frozenset[str]
    no: frozenset[str]
    verbs: frozenset[str]
    plain: dict[str, str]  # what stands for a word in the skeleton
    pronouns: dict[str, str]
    written_out: dict[str, tuple[str, ...]]
    cues: Phrases
    settling: Phrases


@cache
def words() -> Words:
    """The shipped words."""
    tree = json.loads(
        (resources.files("memory.structure") / "spoken_words.json").read_text("utf-8")
    )
    listed = {name: frozenset(tree[name].split()) for name in Words._fields[:5]}
    plain = {word: word for word in tree["plain"].split()}
    plain |= dict.fromkeys(tree["numbers"].split(), "#")
    out = {word: tuple(said.split()) for word, said in tree["written out"].items()}
    cues, settling = _phrases_of(tree["cues"]), _phrases_of(tree["settling"])
    return Words(
        **listed, plain=plain, pronouns=_inverted(tree["pronouns"]),
        written_out=out, cues=cues, settling=settling,
    )  # fmt: skip


def _inverted(classes: dict[str, str]) -> dict[str, str]:
    return {word: name for name, listed in classes.items() for word in listed.split()}


def _phrases_of(tree: dict[str, Any]) -> Phrases:
    return Phrases(re.compile("|".join(tree["any of"])), frozenset(tree["needs"].split()))


@lru_cache(maxsize=1024)  # every third turn is one that was said before: "yeah", "mm-hmm"
def read(text: str) -> Utterance:
    """What `text`, a line in plain characters, is like."""
    known = words()
    raw = _WORD.findall(text.lower())
    said = _cleaned(raw, known)
    joined = " ".join(said)
    cue, settle = _holds(known.cues, said, joined), _holds(known.settling, said, joined)
    shown = text.rstrip()
    last = shown[-1:]
    asks, end = last == "?", last if last and last in "?.," else "cut"
    content = tuple(
        dict.fromkeys(word for word in said if len(word) > 2 and word not in known.plain)
    )
    kind = _kind(raw, len(said), asks, known)
    names = {f"is: {kind}", f"ends: {end}", f"long: {step(len(said), _LENGTHS)}"}
    names.add(f"content: {step(len(content), (0, 1, 2, 4))}")
    names.update(_held(cue, settle))
    names.update(_hesitations(raw, len(said), known))
    names.update(_phrases(_skeleton(said, known), known))
    names.update(_verbs(said, known))
    return Utterance(frozenset(names), kind, len(said), end, cue, settle, asks, content)


def _held(cue: bool, settle: bool) -> Iterator[str]:
    if cue:
        yield "has: cue"
    if settle:
        yield "has: settling"


def _holds(phrases: Phrases, said: Sequence[str], joined: str) -> bool:
    return not phrases.needs.isdisjoint(said) and phrases.pattern.search(joined) is not None


def _cleaned(raw: Sequence[str], known: Words) -> list[str]:
    """The words of a line without fillers, repeats and cut restarts, contractions written out."""
    out: list[str] = []
    for word in raw:
        if word not in known.fillers:
            for one in known.written_out.get(word) or (word,):
                if not out or out[-1] != one:
                    out.append(one)
    return [
        word
        for place, word in enumerate(out)
        if len(word) > 3 or word in known.plain or not _is_cut(word, out, place)
    ]


def _is_cut(word: str, out: Sequence[str], place: int) -> bool:
    """True of a few letters that the next word begins with, or of a lone one."""
    return len(word) == 1 or (place + 1 < len(out) and out[place + 1].startswith(word))


def _kind(raw: Sequence[str], length: int, asks: bool, known: Words) -> str:
    if not raw:
        return "noise"
    first = raw[0]
    if len(raw) <= 3 and all(word in known.yes or word in known.fillers for word in raw):
        return "back"
    if len(raw) <= 7 and not known.praise.isdisjoint(raw) and known.no.isdisjoint(raw):
        return "praise"
    if first in known.yes and first not in known.fillers:
        return "yes"
    if first in _AGAINST:
        return "no"
    if asks:
        return "ask"
    return "short" if length <= 3 else "say"


def _skeleton(said: Sequence[str], known: Words) -> list[str]:
    plain = known.plain
    out = ["^"]
    for word in said:
        shown = plain.get(word) or ("#" if word.isdigit() else "*")
        if shown not in "*#" or shown != out[-1]:
            out.append(shown)
    out.append("$")
    return out


def _hesitations(raw: Sequence[str], length: int, known: Words) -> Iterator[str]:
    fillers = sum(word in known.fillers for word in raw)
    if fillers:
        yield "has: filler"
        if fillers > 1:
            yield "has: fillers"
        if raw[0] in known.fillers:
            yield "has: filler first"
    if len(raw) - fillers > length:
        yield "has: restart"


def _phrases(skeleton: Sequence[str], known: Words) -> Iterator[str]:
    """Each word, two in a row, and both with pronouns and modals by their class."""
    yield from skeleton
    yield from [f"{one} {other}" for one, other in pairwise(skeleton)]
    named = [known.pronouns.get(word) for word in skeleton]
    for place, name in enumerate(named):
        if name is not None:
            yield from _classed(skeleton, named, place)


def _classed(skeleton: Sequence[str], named: Sequence[str | None], place: int) -> Iterator[str]:
    """The phrases of a class: with the word before it, if that has none, and with those after."""
    name = named[place]
    before = named[place - 1] or skeleton[place - 1]
    after, then = named[place + 1] or skeleton[place + 1], ""
    if named[place - 1] is None:
        yield f"{before} {name}"
    yield f"{name} {after}"
    if place + 2 < len(skeleton):
        then = named[place + 2] or skeleton[place + 2]
        if name == "MOD" or named[place + 1] is not None:
            yield f"{name} {after} {then}"
    if name == "MOD" and named[place - 1] is None:
        yield f"{before} {name} {after}"


def _verbs(said: Sequence[str], known: Words) -> Iterator[str]:
    """A bare verb that opens the line, follows its first word, or stands in it."""
    if not known.verbs.isdisjoint(said):
        yield "has: verb"
        if said[0] in known.verbs:
            yield "has: verb first"
        elif len(said) > 1 and said[0] in _OPENERS and said[1] in known.verbs:
            yield "has: verb second"


def step(count: int, steps: tuple[int, ...]) -> str:
    """The first of `steps` that `count` does not pass."""
    for limit in steps:
        if count <= limit:
            return f"<={limit}"
    return f">{steps[-1]}"
