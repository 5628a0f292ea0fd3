"""What the turns around a line of speech say of it: its speaker went on, others took it up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory.structure.state import Turn
from memory.structure.utterance import step

REACH: Final = 6  # turns before and after a line that are looked at
_NEAR: Final = 5  # of those after it, how many are counted
_COUNTED: Final = ("cue", "settling", "asks", "back", "praise", "no", "yes")
_COUNTS: Final = {
    name: [f"after: {name} {step(count, (0, 1, 3))}" for count in range(_NEAR + 1)]
    for name in _COUNTED
}
_VOICES: Final = [f"after: voices {count}" for count in range(_NEAR + 1)]
_OWN: Final = [f"after: own {count}" for count in range(_NEAR + 1)]
MUTE: Final = ("back", "noise")  # kinds of turns that say nothing of their own
_LONG: Final = 8  # words


def names(turns: Sequence[Turn], place: int) -> Iterator[str]:
    """The features of turn `place`, told by up to `REACH` turns on either side."""
    line = turns[place]
    yield from _own_voice("own before", line, turns[max(0, place - REACH) : place][::-1])
    after = turns[place + 1 : place + 1 + REACH]
    yield from _own_voice("own after", line, after)
    yield from _counts(line, after[:_NEAR])


def _own_voice(name: str, line: Turn, side: Sequence[Turn]) -> Iterator[str]:
    """The same speaker's nearest turn that says something."""
    for other in side:
        if other.who == line.who and other.kind not in MUTE:
            yield f"{name}: {other.kind}"
            yield f"{name}: ends {other.end}"
            if other.cue:
                yield f"{name}: cue"
            if other.settle:
                yield f"{name}: settling"
            if other.words > _LONG:
                yield f"{name}: long"
            return
    yield f"{name}: none"


def _counts(line: Turn, after: Sequence[Turn]) -> Iterator[str]:
    """How many of the turns after the line do what, and how much of it they say again."""
    done = dict.fromkeys(_COUNTED, 0)
    voices, own = set(), 0
    for one in after:
        voices.add(one.who)
        own += one.who == line.who
        done["cue"] += one.cue
        done["settling"] += one.settle
        done["asks"] += one.asks
        if one.kind in done:
            done[one.kind] += 1
    for name, count in done.items():
        yield _COUNTS[name][count]
    yield _VOICES[len(voices)]
    yield _OWN[own]
    if line.content:
        said = set(line.content)
        again = {word for one in after for word in one.content if word in said}
        echoed = {word for one in after if one.who != line.who for word in one.content} & again
        yield f"after: again {step(len(again), (0, 1, 2))}"
        yield f"after: echoed {step(len(echoed), (0, 1, 2))}"
