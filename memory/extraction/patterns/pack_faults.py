"""A pack under scrutiny: everything that is wrong with it, and what is hardly meant.

`parse_pack` stops at the first refusal; whoever writes a pack wants them all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from pydantic import ValidationError

from parley.memory.errors import BadPattern
from parley.memory.extraction.patterns.bare_text import strip_marks
from parley.memory.extraction.patterns.pattern_packs import (
    NESTED,
    PACK,
    Pack,
    Rule,
    check_size,
    list_shape_errors,
)
from parley.memory.extraction.patterns.regular_expressions import compile_pattern
from parley.memory.text.plain_text import to_plain
from parley.memory.text.sentences import IDEOGRAPHIC

# A word edge beside a letter beyond Latin-1, or a class of word characters.
_ASCII_EDGE: Final = re.compile(
    r"[^\x00-\xff][)?*+]*\\[bB]|(?:^|[(|:])\\[bB](?:\(\?:)*[^\x00-\xff]|\\[wW]"
)
_LETTERS: Final = "aeinost" + "ויהל" + "のはい" + "的是我"  # among the commonest of their scripts
_IDEOGRAPH: Final = re.compile(f"[{IDEOGRAPHIC}]")
_UNSPACED: Final = re.compile(r"\\p\{(?:Han|Hiragana|Katakana)\}")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a rule, a guard or the whole `pack`, and what to do."""

    rule: str
    reason: str


def find_faults(data: bytes | str) -> tuple[Fault, ...]:
    """Everything for which `parse_pack` would refuse `data`, by rule; () for a sound pack."""
    try:
        tree = json.loads(data)
    except ValueError as error:
        return (Fault("pack", f"not JSON: {error}"),)
    except RecursionError:
        return (Fault("pack", NESTED),)
    faults: list[Fault] = []
    try:
        PACK.validate_python(tree)
    except ValidationError as error:
        faults += [Fault(each.rule, each.reason) for each in list_shape_errors(tree, error)]
    if isinstance(tree, dict):
        faults += _wording(tree)
    return tuple(dict.fromkeys(faults))


def _wording(tree: dict[str, Any]) -> Iterator[Fault]:
    """The patterns that cannot serve, of whatever part of the pack has its shape.

    No more of them are compiled than a pack may have.
    """
    try:
        yield from _unserving(tree, _Size())
    except BadPattern as spent:
        yield Fault(spent.rule, spent.reason)


class _Size:
    """What the patterns compiled so far come to."""

    def __init__(self) -> None:
        self._instructions = 0

    def add(self, instructions: int) -> None:
        """Raises `BadPattern` where they are too many."""
        self._instructions += instructions
        check_size(self._instructions)


def _unserving(tree: dict[str, Any], size: _Size) -> Iterator[Fault]:
    rules = tree.get("rules")
    seen: set[str] = set()
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        if not isinstance(rule, dict):
            continue
        name = str(rule.get("name") or f"rules[{number}]")
        if name in seen:
            yield Fault(name, "the name is there twice; give each rule its own")
        seen.add(name)
        yield from _refused(rule, ("pattern",), name, size, empty=False)
        yield from _refused(rule, ("before", "after", "within"), name, size, empty=True)
    guards = tree.get("guards")
    if isinstance(guards, dict):
        for key in guards:
            yield from _refused(guards, (key,), key, size, empty=key == "empty")


def _refused(
    tree: dict[str, Any], keys: Sequence[str], rule: str, size: _Size, *, empty: bool
) -> Iterator[Fault]:
    for key in keys:
        pattern = tree.get(key)
        if not isinstance(pattern, str) or not pattern:
            continue
        where = "" if key in ("pattern", rule) else f"{key}: "
        try:
            compiled = compile_pattern(pattern, rule)
        except BadPattern as refused:
            yield Fault(rule, where + refused.reason)
            continue
        size.add(compiled.programsize)
        if not empty and compiled.search("") is not None:
            yield Fault(rule, f"{where}it matches the empty text; make some part required")


def find_doubts(pack: Pack, plain_talk: Sequence[str] = ()) -> tuple[Fault, ...]:
    """What is hardly meant: rules that fire on anything, or never.

    `plain_talk` are sentences that claim nothing, in languages that packs are for.
    """
    faults: list[Fault] = []
    earlier: dict[str, str] = {}
    for rule in pack.rules:
        reasons = [*_never(rule), *_always(rule, plain_talk)]
        other = earlier.setdefault(rule.pattern, rule.name)
        if other != rule.name:
            reasons.append(f"it has the pattern of {other!r}: only the surer of both is read")
        faults += [Fault(rule.name, reason) for reason in reasons]
    for name, pattern in asdict(pack.guards).items():
        faults += [Fault(name, reason) for reason in _unread(pattern)]
    return tuple(faults)


def _never(rule: Rule) -> Iterator[str]:
    for pattern in (rule.pattern, rule.before, rule.after, rule.within):
        yield from _unread(pattern)
    for key, pattern in (("before", rule.before), ("after", rule.after), ("within", rule.within)):
        if pattern and all(compile_pattern(pattern, key).search(text) for text in ("", "x", "x y")):
            yield f"{key!r} matches whatever stands there: the rule never fires"
    unspaced = _IDEOGRAPH.search(rule.pattern) or _UNSPACED.search(rule.pattern)
    if rule.whole_words and unspaced:
        yield (
            "no spaces part the words of its script, and a match inside one is dropped: "
            'set "whole_words" to false'
        )


def _unread(pattern: str) -> Iterator[str]:
    """What a pattern has that no text has when it is searched, or that RE2 takes otherwise."""
    folded = to_plain(pattern)
    if folded != pattern:
        odd = next(old for old, new in zip(pattern, folded, strict=True) if old != new)
        yield f"{odd!r} never occurs, the text is made plain first: write {to_plain(odd)!r}"
    if strip_marks(pattern) is not None:
        yield "points, loose accents and direction marks are left out of the text: leave them out"
    if _ASCII_EDGE.search(pattern) and any(char.isalpha() for char in pattern if ord(char) > 0xFF):
        yield r"\b and \w know ASCII letters only: write (?:^|[^\pL]), \pL"


def _always(rule: Rule, plain_talk: Sequence[str]) -> Iterator[str]:
    pattern = compile_pattern(rule.pattern, rule.name)
    letter = next((each for each in _LETTERS if pattern.search(each)), None)
    if letter is not None:
        yield f"it matches the single letter {letter!r}"
        return
    hits = [text for text in plain_talk if pattern.search(to_plain(text))]
    if len(hits) * 4 >= len(plain_talk) > 0:
        yield f"it matches {len(hits)} of {len(plain_talk)} sentences of plain talk"
