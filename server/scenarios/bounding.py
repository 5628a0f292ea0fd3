"""The most that a scenario can come to, before it starts. Pure.

Every number is an upper bound as long as no person stirs the talk: each listener
thinks at every turn and once more for what a turn may stir (a vote's end, a word
that it circles), each draft is begun anew as often as it may be, each turn brings a
vote. A call counts as what is reserved for it. Where people talk too, the budget holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from listeners.agents.hosting import Part
from listeners.models.prices import FRAME, Prices, cost, priced
from memory.floor.stopping import Bounds, bounds, parse
from memory.settings import Settings
from memory.sizes import tokens
from server.errors import Misuse

HOUSE: Final = 500  # tokens of the house's rules, of the question and of the answer's shape
SUMMARY: Final = 4_000  # tokens of what one summary is made from, and of its words
STIRS: Final = 2  # times that a turn can make a listener think: it was taken, it stirred
FIRST: Final = 4  # times besides: the opening, a pause's end, a nudge, the hops
TRIES: Final = 2  # of a ballot, of a reading: one that cannot be read is asked again
LINE: Final = 80  # tokens of a message in a reading, however short it is clipped


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of call: at most how many, and what they come to. `micros` None: price unknown."""

    purpose: str
    calls: int
    tokens: int
    micros: int | None


@dataclass(frozen=True, slots=True)
class Worst:
    """The most that a session can come to; None: no bound, or not known."""

    turns: int | None
    calls: int | None
    tokens: int | None
    micros: int | None
    seconds: int | None
    by: str  # what bounds it first: the stop rule's or the budget's key
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as it is reserved for: `size` tokens of question, `out` of answer."""

    model: str
    size: int
    out: int

    @property
    def tokens(self) -> int:
        return -(-self.size * 3 // 2) + FRAME + self.out

    def micros(self, prices: Prices) -> int | None:
        if priced(prices, self.model) is None:
            return None
        return cost(prices, self.model, self.tokens - self.out, self.out)


def worst(parts: Sequence[Part], settings: Settings, prices: Prices, *, people: bool) -> Worst:
    """The most that `parts` can come to under `settings`.

    `people`: somebody may join, so that no limit of hops among agents ends it.
    """
    ends = bounds(parse(settings.stop))
    turns = _turns(parts, settings, ends, people)
    kinds = () if turns is None else tuple(_kinds(parts, settings, prices, turns))
    spent = sum(kind.tokens for kind in kinds) if kinds else None
    paid = _sum(kind.micros for kind in kinds) if kinds else None
    budget = settings.budget
    return Worst(
        turns=turns,
        calls=_least(sum(kind.calls for kind in kinds) if kinds else None, budget.calls),
        tokens=_least(spent, budget.tokens),
        micros=_least(paid, budget.micros),
        seconds=ends.seconds,
        by=_first(settings, ends, turns),
        kinds=kinds,
    )


def refuse_unbounded(found: Worst, source: str) -> None:
    """Raises `Misuse` where nothing but time, or nothing at all, would end it."""
    if found.turns is None and found.tokens is None and found.micros is None:
        raise Misuse(
            f"{source}: nothing bounds what this costs; add a stop rule such as "
            "'stop: {any: [{turns: 60}, {quiescent: true}]}', or 'budget: {tokens: 500000}'"
        )


def refuse_unpriced(parts: Sequence[Part], settings: Settings, prices: Prices, source: str) -> None:
    """Raises `Misuse` where a budget in money meets a model whose calls it cannot count.

    Such a model would never be asked, and its participant stay silent.
    """
    for part in parts:
        persona = part.persona
        if settings.budget.micros is None and persona.budget.micros is None:
            continue
        for model in (persona.model, persona.eval_model):
            if priced(prices, model) is None:
                raise Misuse(
                    f"{source}: {part.name} needs the price of {model!r}, since a budget is in "
                    f"money; say it in 'prices' or --model-prices (0 where it is free), or "
                    "bound tokens instead"
                )


def _turns(parts: Sequence[Part], settings: Settings, ends: Bounds, people: bool) -> int | None:
    """The turns that agents can take at most."""
    own = _sum(part.persona.budget.turns for part in parts)
    floor = settings.floor
    script = len(floor.order) if floor.policy == "scripted" and floor.order else None
    hops = None if people or floor.policy == "open" else floor.hops_hard * len(parts) or None
    return _least(ends.turns, ends.messages, own, script, hops)


def _kinds(parts: Sequence[Part], settings: Settings, prices: Prices, turns: int) -> Iterator[Kind]:
    speak, floor = settings.speak, settings.floor
    heads = len(parts)
    if floor.policy == "panel" or floor.evaluation == "panel":
        panel = _Call("small", speak.eval_tokens + HOUSE + 50 * heads, speak.eval_out * heads)
        yield _kind("evaluate", [(panel, STIRS * turns + FIRST)], prices)
    elif floor.evaluation == "self" and floor.policy in ("open", "bid", "moderated"):
        yield _kind(
            "evaluate",
            [(_evaluation(one, settings), STIRS * turns + FIRST) for one in parts],
            prices,
        )
    drafts = [_draft(one, settings) for one in parts]
    dearest = max(drafts, key=lambda call: _dearness(call.micros(prices), call.tokens))
    yield _kind("draft", [(dearest, turns * (1 + floor.restarts))], prices)
    ballots = [(_question(one, settings), turns * TRIES) for one in parts]
    yield _kind("ballot", ballots, prices)
    if floor.policy == "moderated":
        yield _kind(
            "grant",
            [(_question(one, settings), STIRS * turns + FIRST) for one in _granting(parts)],
            prices,
        )
    if settings.summary.how == "model":
        yield _kind(
            "summary",
            [(_Call("small", SUMMARY, SUMMARY // 4), _summaries(turns, settings))],
            prices,
        )
    if settings.extract.how == "model":
        yield _kind("extract", [(_reading(settings), _readings(turns, settings))], prices)


def _reading(settings: Settings) -> _Call:
    """A stretch, what is shown with it, and what is told of a first answer."""
    read = settings.extract
    size = max(read.tokens, (read.interval + read.overlap) * LINE) + 2 * HOUSE
    return _Call("small", size, read.out)


def _readings(turns: int, settings: Settings) -> int:
    return TRIES * (turns // settings.extract.interval + 1)


def _dearness(micros: int | None, tokens: int) -> tuple[bool, int, int]:
    """What is unknown may be the most."""
    return micros is None, micros or 0, tokens


def _summaries(turns: int, settings: Settings) -> int:
    """Of all levels together: each has `fanout` times fewer than the one below."""
    level = turns // settings.summary.interval
    total = level
    while level >= settings.summary.fanout:
        level //= settings.summary.fanout
        total += level
    return total


def _kind(purpose: str, calls: Sequence[tuple[_Call, int]], prices: Prices) -> Kind:
    micros = [(call.micros(prices), count) for call, count in calls]
    paid = _sum(None if one is None else one * count for one, count in micros)
    return Kind(
        purpose=purpose,
        calls=sum(count for _, count in calls),
        tokens=sum(call.tokens * count for call, count in calls),
        micros=paid,
    )


def _evaluation(part: Part, settings: Settings) -> _Call:
    size = settings.speak.eval_tokens + tokens(part.persona.description) + HOUSE
    return _Call(part.persona.eval_model, size, settings.speak.eval_out)


def _question(part: Part, settings: Settings) -> _Call:
    size = settings.speak.eval_tokens + _system(part, settings)
    return _Call(part.persona.eval_model, size, settings.speak.eval_out)


def _draft(part: Part, settings: Settings) -> _Call:
    return _Call(
        part.persona.model, settings.speak.tokens + _system(part, settings), settings.speak.out
    )


def _system(part: Part, settings: Settings) -> int:
    return tokens(part.persona.body) + tokens(settings.goal) + HOUSE


def _granting(parts: Sequence[Part]) -> list[Part]:
    return [one for one in parts if {"grant", "moderate"} & set(one.persona.may or ())]


def _first(settings: Settings, ends: Bounds, turns: int | None) -> str:
    """The key that says most about when it ends."""
    if turns is not None:
        return "stop" if turns in (ends.turns, ends.messages) else "turns"
    if settings.budget.tokens is not None or settings.budget.micros is not None:
        return "budget"
    return ""


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    found = list(numbers)
    known = [one for one in found if one is not None]
    return sum(known) if len(known) == len(found) else None


def _least(*numbers: int | None) -> int | None:
    return min((one for one in numbers if one is not None), default=None)
