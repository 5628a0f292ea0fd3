"""The most that a scenario can come to, before it starts. Pure.

Every number is an upper bound as long as no person stirs the talk: each listener
thinks at every turn and once more for what a turn may stir (a vote's end, a word
that it circles), each agent is asked for a word once and stays silent, each draft is
begun anew as often as it may be, each turn brings a vote. A call counts as what is
reserved for it. Where people talk too, the budget holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from parley.listeners.agents.host import HostedPart
from parley.listeners.spending.prices import Prices, price_of
from parley.memory.extraction.model_claims.reading_sizes import (
    AGAIN,
    CALLS,
    FRAME,
    talk_tokens,
)
from parley.memory.settings.session_settings import Settings
from parley.memory.settings.stop_rules import StopBounds, parse_stop_rules, stop_bounds
from parley.memory.text.text_sizes import count_tokens
from parley.server.basics.errors import Misuse
from parley.server.scenarios.call_bounds import Call, Kind, kind_of, total
from parley.server.scenarios.cast import Cast
from parley.server.scenarios.reflection_bounds import reflections

HOUSE: Final = 500  # tokens of the house's rules, of the question and of the answer's shape
_SUMMARY: Final = 4_000  # tokens of what one summary is made from, and of its words
_STIRS: Final = 2  # times that a turn can make a listener think: it was taken, it stirred
_ASKED: Final = 2  # times that a panel or moderator is, if its first answer names nobody clearly
FIRST: Final = 4  # times besides: the opening, a pause's end, a nudge, the hops
TRIES: Final = 2  # of a ballot: one that cannot be read is asked again
LINE: Final = 80  # tokens of a message in a reading, however short it is clipped


@dataclass(frozen=True, slots=True)
class CostBound:
    """The most that a session can come to; None: no bound, or not known."""

    turns: int | None
    calls: int | None
    tokens: int | None
    micros: int | None
    seconds: int | None
    by: str  # what bounds it first: the stop rule's or the budget's key
    kinds: tuple[Kind, ...] = ()


def bound_cost(cast: Cast, settings: Settings, prices: Prices) -> CostBound:
    """The most that `cast` can come to. Raises `Misuse` where nothing bounds it."""
    scenario = cast.scenario
    opener = "" if scenario.opening is None else scenario.opening.by
    bound = worst_case(cast.parts, settings, prices, people=bool(scenario.people), opener=opener)
    refuse_unbounded(bound, cast.source)
    refuse_unpriced(cast.parts, settings, prices, cast.source)
    return bound


def worst_case(
    parts: Sequence[HostedPart],
    settings: Settings,
    prices: Prices,
    *,
    people: bool,
    opener: str = "",
) -> CostBound:
    """The most that `parts` can come to under `settings`.

    `people`: somebody may join, so that no limit of hops among agents ends it. `opener`
    says what is said first.
    """
    ends = stop_bounds(parse_stop_rules(settings.stop))
    turns = _turns(parts, settings, ends, people)
    kinds = () if turns is None else tuple(_kinds(parts, settings, prices, turns, opener))
    spent = sum(kind.tokens for kind in kinds) if kinds else None
    paid = total(kind.micros for kind in kinds) if kinds else None
    budget = settings.budget
    return CostBound(
        turns=turns,
        calls=_least(sum(kind.calls for kind in kinds) if kinds else None, budget.calls),
        tokens=_least(spent, budget.tokens),
        micros=_least(paid, budget.micros),
        seconds=ends.seconds,
        by=_first(settings, ends, turns),
        kinds=kinds,
    )


def refuse_unbounded(bound: CostBound, source: str) -> None:
    """Raises `Misuse` where nothing but time, or nothing at all, would end it."""
    if bound.turns is None and bound.tokens is None and bound.micros is None:
        raise Misuse(
            f"{source}: nothing bounds what this costs; add a stop rule such as "
            "'stop: {any: [{turns: 60}, {quiescent: true}]}', or 'budget: {tokens: 500000}'"
        )


def refuse_unpriced(
    parts: Sequence[HostedPart], settings: Settings, prices: Prices, source: str
) -> None:
    """Raises `Misuse` where a budget in money meets a model whose calls it cannot count.

    Such a model would never be asked, and its participant stay silent.
    """
    for part in parts:
        persona = part.persona
        if settings.budget.micros is None and persona.budget.micros is None:
            continue
        for model in (persona.model, persona.eval_model):
            if price_of(prices, model) is None:
                raise Misuse(
                    f"{source}: {part.name} needs the price of {model!r}, since a budget is in "
                    f"money; say it in 'prices' or --model-prices (0 where it is free), or "
                    "bound tokens instead"
                )


def _turns(
    parts: Sequence[HostedPart], settings: Settings, ends: StopBounds, people: bool
) -> int | None:
    """The turns that agents can take at most."""
    own = total(part.persona.budget.turns for part in parts)
    floor = settings.floor
    script = len(floor.order) if floor.policy == "scripted" and floor.order else None
    hops = None if people or floor.policy == "open" else floor.hops_hard * len(parts) or None
    return _least(ends.turns, ends.messages, own, script, hops)


def _kinds(
    parts: Sequence[HostedPart], settings: Settings, prices: Prices, turns: int, opener: str
) -> Iterator[Kind]:
    speak, floor = settings.speak, settings.floor
    heads = len(parts)
    if floor.policy == "panel" or floor.evaluation == "panel":
        panel = Call("small", speak.eval_tokens + HOUSE + 50 * heads, speak.eval_out * heads)
        yield kind_of("evaluate", [(panel, _ASKED * (_STIRS * turns + FIRST))], prices)
    elif floor.evaluation == "self" and floor.policy in ("open", "bid", "moderated"):
        yield kind_of(
            "evaluate",
            [(_evaluation(part, settings), _STIRS * turns + FIRST) for part in parts],
            prices,
        )
    drafts = [_draft(part, settings) for part in parts]
    dearest = max(drafts, key=lambda call: _dearness(call.micros(prices), call.tokens))
    yield kind_of("draft", [(dearest, (turns + heads) * (1 + floor.restarts))], prices)
    ballots = [(_question(part, settings), turns * TRIES) for part in parts]
    yield kind_of("ballot", ballots, prices)
    if floor.policy == "moderated":
        yield kind_of(
            "grant",
            [
                (_question(part, settings), _ASKED * (_STIRS * turns + FIRST))
                for part in _granting(parts)
            ],
            prices,
        )
    if settings.summary.how != "extract":
        yield kind_of(
            "summary",
            [(Call("small", _SUMMARY, _SUMMARY // 4), _summaries(turns, settings))],
            prices,
        )
    if notes := reflections([part.name for part in parts], opener, settings, turns):
        yield kind_of("note", notes, prices)
    if settings.extract.how == "model":
        yield kind_of("extract", [(_reading(settings), _readings(turns, settings))], prices)


def _reading(settings: Settings) -> Call:
    """A stretch, the ledger, what is shown with it, and what is said about earlier answers."""
    read = settings.extract
    size = max(read.tokens, (read.interval + read.overlap) * LINE) + 2 * HOUSE + AGAIN
    return Call("small", size, read.out)


def _readings(turns: int, settings: Settings) -> int:
    """Calls for readings: of full stretches, and of those that the next message found no room in.

    Two of these that follow each other have more than room for one together. If the talk may fall
    quiet while somebody is about to speak, each turn may be a stretch.
    """
    read = settings.extract
    if 0 < read.quiet * 1000 <= settings.floor.lease_ms + settings.floor.evaluation_ms:
        return CALLS * (turns + 1)
    talk, room = settings.speak.out + FRAME, talk_tokens(read.tokens)
    cut = 0 if talk * read.interval <= room else 2 * turns * talk // room + 1
    return CALLS * min(turns // read.interval + cut + 1, turns + 1)


def _dearness(micros: int | None, tokens: int) -> tuple[bool, int, int]:
    """What is unknown may be the most."""
    return micros is None, micros or 0, tokens


def _summaries(turns: int, settings: Settings) -> int:
    """Calls for summaries of all levels: each has `fanout` times fewer than the one below."""
    level = turns // settings.summary.interval
    count = level
    while level >= settings.summary.fanout:
        level //= settings.summary.fanout
        count += level
    return count


def _evaluation(part: HostedPart, settings: Settings) -> Call:
    size = settings.speak.eval_tokens + count_tokens(part.persona.description) + HOUSE
    return Call(part.persona.eval_model, size, settings.speak.eval_out)


def _question(part: HostedPart, settings: Settings) -> Call:
    size = settings.speak.eval_tokens + _system(part, settings)
    return Call(part.persona.eval_model, size, settings.speak.eval_out)


def _draft(part: HostedPart, settings: Settings) -> Call:
    return Call(
        part.persona.model, settings.speak.tokens + _system(part, settings), settings.speak.out
    )


def _system(part: HostedPart, settings: Settings) -> int:
    return count_tokens(part.persona.body) + count_tokens(settings.goal) + HOUSE


def _granting(parts: Sequence[HostedPart]) -> list[HostedPart]:
    return [part for part in parts if {"grant", "moderate"} & set(part.persona.may or ())]


def _first(settings: Settings, ends: StopBounds, turns: int | None) -> str:
    """The key that says most about when it ends."""
    if turns is not None:
        return "stop" if turns in (ends.turns, ends.messages) else "turns"
    if settings.budget.tokens is not None or settings.budget.micros is not None:
        return "budget"
    return ""


def _least(*numbers: int | None) -> int | None:
    return min((number for number in numbers if number is not None), default=None)
