"""What the turns around a line of speech say of it: its speaker went on, others took it up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory.structure.state import Turn
from memory.structure.utterance import step

REACH: Final = 6  # turns before and after a line that are looked at
_NEAR: Final = 5  # of those after it, how many are counted
_KINDS: Final = ("back", "praise", "no", "yes")
_MUTE: Final = ("back", "noise")
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
        if other.who == line.who and other.kind not in _MUTE:
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
    yield f"after: cue {step(sum(one.cue for one in after), (0, 1, 3))}"
    yield f"after: settling {step(sum(one.settle for one in after), (0, 1, 3))}"
    yield f"after: asks {step(sum(one.asks for one in after), (0, 1, 3))}"
    kinds = [one.kind for one in after]
    for kind in _KINDS:
        yield f"after: {kind} {step(kinds.count(kind), (0, 1, 3))}"
    yield f"after: voices {len({one.who for one in after})}"
    yield f"after: own {sum(one.who == line.who for one in after)}"
    if line.content:
        said = set(line.content)
        yield f"after: again {step(_said_again(said, after), (0, 1, 2))}"
        others = [one for one in after if one.who != line.who]
        yield f"after: echoed {step(_said_again(said, others), (0, 1, 2))}"


def _said_again(said: set[str], turns: Sequence[Turn]) -> int:
    return len(said & {word for one in turns for word in one.content})
