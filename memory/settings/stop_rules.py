"""Stop rules as a tree: read, checked, and what they bound. Pure.

`{"any": [{"turns": 60}, {"all": [{"decisions": 1}, {"quiescent": true}]}]}`; an
empty tree, or `any` of nothing, never stops anything.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Final

from parley.memory.errors import SettingsRefused

COUNTED: Final = (
    "messages", "turns", "tokens", "micros", "seconds", "decisions", "votes", "stalled", "errors",
)  # fmt: skip
SAID: Final = ("hops", "quiescent")  # rules that are true, or not there
_NESTED: Final = ("any", "all")
_DEEPEST: Final = 8
_MOST: Final = 2**53  # a larger number bounds nothing that a session could hold


@dataclass(frozen=True, slots=True)
class StopRule:
    """One rule with its number, or several under `any` or `all`."""

    rule: str
    value: int = 0
    of: tuple[StopRule, ...] = ()

    @property
    def text(self) -> str:
        """As `session.closed` names it: turns:60, hops, decisions:1+quiescent."""
        if self.rule in _NESTED:
            return ("+" if self.rule == "all" else "|").join(
                stop_rule.text for stop_rule in self.of
            )
        return self.rule if self.rule in SAID else f"{self.rule}:{self.value}"


@dataclass(frozen=True, slots=True)
class StopBounds:
    """The largest values under which the session must have ended; None: unbounded."""

    turns: int | None = None
    messages: int | None = None
    tokens: int | None = None
    micros: int | None = None
    seconds: int | None = None


def parse_stop_rules(tree: Any) -> StopRule:
    """The rules in `tree`. Raises `SettingsRefused`, naming what is wrong in it."""
    return _parsed(tree, 0)


def _parsed(tree: Any, depth: int) -> StopRule:
    if not isinstance(tree, dict):
        raise SettingsRefused("stop", f"{_quoted(tree)} is no rule; write {{'turns': 60}}")
    if not tree and not depth:
        return StopRule("any")
    if len(tree) != 1:
        raise SettingsRefused(
            "stop", f"{_quoted(tree)} is not one rule; put several in a list under 'any' or 'all'"
        )
    if depth > _DEEPEST:
        raise SettingsRefused("stop", f"nested more than {_DEEPEST} deep")
    ((rule, value),) = tree.items()
    if rule in _NESTED:
        return _several(rule, value, depth)
    if rule in SAID:
        if value is not True:
            raise SettingsRefused("stop", f"{rule} is true, or left out, not {_quoted(value)}")
        return StopRule(rule)
    if rule not in COUNTED:
        raise SettingsRefused("stop", f"no rule {_quoted(rule)}; the nearest is {_nearest(rule)!r}")
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        raise SettingsRefused("stop", f"{rule} takes a whole number from 1, not {_quoted(value)}")
    return StopRule(rule, value)


def _several(rule: str, value: Any, depth: int) -> StopRule:
    if not isinstance(value, list | tuple):
        raise SettingsRefused("stop", f"{rule} takes a list of rules, not {_quoted(value)}")
    if rule == "all" and not value:
        raise SettingsRefused("stop", "all of no rule would always hold; name one")
    return StopRule(rule, of=tuple(_parsed(rule_value, depth + 1) for rule_value in value))


def _quoted(value: Any) -> str:
    return repr(value)[:80]


def _nearest(rule: object) -> str:
    return get_close_matches(str(rule), (*COUNTED, *SAID, *_NESTED), n=1, cutoff=0)[0]


def stop_bounds(stop: StopRule) -> StopBounds:
    """What must have ended a session under `stop`, by each measure alone."""
    return StopBounds(**{field.name: _bound(stop, field.name) for field in fields(StopBounds)})


def _bound(stop: StopRule, measure: str) -> int | None:
    if stop.rule in _NESTED:
        below = [_bound(stop_rule, measure) for stop_rule in stop.of]
        known = [bound for bound in below if bound is not None]
        if stop.rule == "any":
            return min(known, default=None)
        return max(known) if len(known) == len(below) else None
    if stop.rule == measure or (stop.rule == "messages" and measure == "turns"):
        return stop.value  # each turn is a message
    return None
