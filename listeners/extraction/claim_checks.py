"""What of a model's answer can stand: its claims against the messages it was shown. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from parley.bus.entries import Claim, Doubt, Label, Retraction
from parley.listeners.extraction.extraction_prompt import (
    DOUBTS,
    LABELS,
    Candidate,
    Extraction,
    Line,
)
from parley.listeners.extraction.quotes import locate
from parley.memory.extraction.model_claims.kept_claims import MOST, SURE

_REF: Final = re.compile(r"[PDM][1-9][0-9]{0,8}(?:\.[1-9][0-9]?)?\Z")
_NUMBER: Final = re.compile(r"[\[#n ]*([1-9][0-9]{0,8})\]?\Z", re.IGNORECASE)
_POOR: Final = 2  # one claim in so many that fails is worth another question
_UNSURE: Final = 500  # per mille, of a confidence that nobody can read


class Wrong(Exception):
    """A claim that cannot stand: the reason it is counted under, and what to tell the model."""

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(told)
        self.reason = reason


@dataclass(slots=True)
class Checked:
    """What can stand of an answer; `told` says what is wrong with the rest."""

    claims: list[Claim] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    retracted: list[Retraction] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    unread: str = ""  # why nothing can be read of it

    def drop(self, reason: str, told: str = "", count: int = 1) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + count
        if told:
            self.told.append(told)

    @property
    def is_poor(self) -> bool:
        """True where half of the claims, or more, cannot stand."""
        return bool(self.unread) or len(self.told) * _POOR >= len(self.claims) + len(self.told) > 0


def checked(answer: Extraction, lines: Sequence[Line], candidates: Sequence[Candidate]) -> Checked:
    """What of `answer` can stand. A quote is looked for in the whole of its message."""
    found, said = Checked(), {one.n: one for one in lines}
    refs = {one.ref: one.kind for one in candidates}
    for given in answer.claims[:MOST]:
        try:
            claim = _claim(given, said, refs)
        except Wrong as wrong:
            found.drop(wrong.reason, str(wrong))
        else:
            found.claims += [claim] * (claim not in found.claims)
    _words(answer, refs, found)
    beyond = sum(max(0, len(one) - MOST) for one in (answer.claims, answer.confirm, answer.retract))
    if beyond:
        found.drop("many", count=beyond)
    return found


def _words(answer: Extraction, refs: Mapping[str, str], found: Checked) -> None:
    """What it says of the items listed: of others nothing is kept."""
    for given in answer.confirm[:MOST]:
        if isinstance(given, str) and given in refs:
            found.confirmed += [given] * (given not in found.confirmed)
        else:
            found.drop("handle")
    for given in answer.retract[:MOST]:
        ref = given.get("ref") if isinstance(given, dict) else given
        if not isinstance(ref, str) or ref not in refs or ref in found.confirmed:
            found.drop("handle")
            continue
        reason = given.get("reason") if isinstance(given, dict) else None
        known = cast("Doubt", reason if reason in DOUBTS else "other")
        if all(one.ref != ref for one in found.retracted):
            found.retracted.append(Retraction(reason=known, ref=ref))


def _claim(given: Any, said: Mapping[int, Line], refs: Mapping[str, str]) -> Claim:
    """The claim that `given` makes. Raises `Wrong`."""
    if not isinstance(given, dict):
        raise Wrong("label", "a claim that is no object")
    n, quote, label = _whole(given.get("n")), given.get("quote"), given.get("label")
    if label not in LABELS:
        raise Wrong("label", f"label {str(label)[:40]!r} is none of {', '.join(LABELS)}")
    shown = said.get(n)
    if shown is None or not shown.own:
        raise Wrong("message", f"message {n} is none of those to read")
    if not isinstance(quote, str) or (place := locate(shown.text, quote)) is None:
        raise Wrong("quote", f"message {n} does not say {str(quote)[:80]!r}")
    target = None
    if label not in ("proposal", "decision"):
        target = _target(given.get("target"), n, said, refs)
    return Claim(
        confidence=_confidence(given.get("confidence")),
        end=place[1],
        label=cast("Label", label),
        n=n,
        quote=shown.text[place[0] : place[1]],
        start=place[0],
        target=target,
    )


def _target(given: Any, n: int, said: Mapping[int, Line], refs: Mapping[str, str]) -> int | str:
    """What a stance is on: an item that was listed, or an earlier message that was shown."""
    if isinstance(given, str) and _REF.match(given.strip()) and given.strip() in refs:
        return given.strip()
    number = _whole(given)
    if number in said and number < n:
        return number
    raise Wrong(
        "target", f"message {n} has a stance on {str(given)[:40]!r}, which is nothing shown"
    )


def _whole(given: Any) -> int:
    """A message's number as models write it (17, "17", "[17]", "n 17"); 0 of anything else."""
    if isinstance(given, bool):
        return 0
    if isinstance(given, float) and given.is_integer() and 0 < given < 1e9:
        return int(given)
    if isinstance(given, int):
        return given if 0 < given < 10**9 else 0
    found = _NUMBER.match(given.strip()) if isinstance(given, str) else None
    return int(found[1]) if found else 0


def _confidence(given: Any) -> int:
    """Per mille, never above what a model is believed: from a percentage, or a share of 1."""
    if isinstance(given, str):
        try:
            given = float(given.strip().rstrip("%"))
        except ValueError:
            return _UNSURE
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return _UNSURE
    share = given * 1000 if isinstance(given, float) and 0 < given <= 1 else given * 10
    return int(min(max(share, 0), SURE))
