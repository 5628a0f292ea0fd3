"""The claims of a model's answer, checked against the messages it was shown. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from parley.bus.entries import Claim, Doubt, Label, Retraction
from parley.listeners.extraction.extraction_prompt import (
    DOUBTS,
    LABELS,
    Candidate,
    Extraction,
    ShownMessage,
)
from parley.listeners.extraction.quotes import locate_quote
from parley.memory.extraction.model_claims.kept_claims import (
    LOCAL_ID,
    MOST,
    SURE,
    clip_statement,
    may_name,
)

_NUMBER: Final = re.compile(r"[\[#n ]*([1-9][0-9]{0,8})\]?\Z", re.IGNORECASE)
_POOR: Final = 2  # one claim in so many that fails is worth another question
_UNSURE: Final = 500  # per mille, of a confidence that nobody can read


class ClaimFault(Exception):
    """A claim that cannot stand: the reason it is counted under, and what to tell the model."""

    def __init__(self, reason: str, complaint: str) -> None:
        super().__init__(complaint)
        self.reason = reason


@dataclass(slots=True)
class CheckedClaims:
    """What can stand of an answer; `complaints` say what is wrong with the rest."""

    claims: list[Claim] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    retracted: list[Retraction] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)
    unread: str = ""  # why nothing can be read of it

    def drop(self, reason: str, complaint: str = "", count: int = 1) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + count
        if complaint:
            self.complaints.append(complaint)

    @property
    def is_poor(self) -> bool:
        """True where half of the claims, or more, cannot stand."""
        return (
            bool(self.unread)
            or len(self.complaints) * _POOR >= len(self.claims) + len(self.complaints) > 0
        )


def check_claims(
    answer: Extraction, lines: Sequence[ShownMessage], candidates: Sequence[Candidate]
) -> CheckedClaims:
    """What of `answer` can stand. A quote is looked for in the whole of its message."""
    checked, shown = CheckedClaims(), {message.n: message for message in lines}
    refs = {candidate.ref: candidate.kind for candidate in candidates}
    quoted: list[tuple[Claim, Any]] = []  # with what each says that it is about
    for claim_data in answer.claims[:MOST]:
        try:
            quoted.append((_check_claim(claim_data, shown), claim_data.get("target")))
        except ClaimFault as fault:
            checked.drop(fault.reason, str(fault))
    named = _Named(shown, refs, _by_id(claim for claim, _ in quoted))
    for claim, about in quoted:
        try:
            linked = _link(claim, about, named, checked)
        except ClaimFault as fault:
            checked.drop(fault.reason, str(fault))
        else:
            checked.claims += [linked] * (linked not in checked.claims)
    _check_candidates(answer, refs, checked)
    beyond = sum(
        max(0, len(items) - MOST) for items in (answer.claims, answer.confirm, answer.retract)
    )
    if beyond:
        checked.drop("many", count=beyond)
    return checked


def _check_candidates(answer: Extraction, refs: Mapping[str, str], checked: CheckedClaims) -> None:
    """Check the confirmations and retractions: those of items that were not listed are dropped."""
    for item in answer.confirm[:MOST]:
        if isinstance(item, str) and item in refs:
            checked.confirmed += [item] * (item not in checked.confirmed)
        else:
            checked.drop("handle")
    for item in answer.retract[:MOST]:
        ref = item.get("ref") if isinstance(item, dict) else item
        if not isinstance(ref, str) or ref not in refs or ref in checked.confirmed:
            checked.drop("handle")
            continue
        reason = item.get("reason") if isinstance(item, dict) else None
        doubt = cast("Doubt", reason if reason in DOUBTS else "other")
        if all(retraction.ref != ref for retraction in checked.retracted):
            checked.retracted.append(Retraction(reason=doubt, ref=ref))


def _check_claim(data: Any, shown: Mapping[int, ShownMessage]) -> Claim:
    """The claim that `data` makes, but for its target. Raises `ClaimFault`."""
    if not isinstance(data, dict):
        raise ClaimFault("label", "a claim that is no object")
    n, quote, label = _message_number(data.get("n")), data.get("quote"), data.get("label")
    if label not in LABELS:
        raise ClaimFault("label", f"label {str(label)[:40]!r} is none of {', '.join(LABELS)}")
    message = shown.get(n)
    if message is None or not message.own:
        raise ClaimFault("message", f"message {n} is none of those to read")
    if not isinstance(quote, str) or (place := locate_quote(message.text, quote)) is None:
        raise ClaimFault("quote", f"message {n} does not say {str(quote)[:80]!r}")
    words = message.text[place[0] : place[1]]
    is_item = label in ("proposal", "decision")
    return Claim(
        confidence=_confidence(data.get("confidence")),
        end=place[1],
        id=_local_id(data.get("id")) if is_item else None,
        label=cast("Label", label),
        n=n,
        quote=words,
        start=place[0],
        statement=_statement(data.get("statement"), words) if is_item else None,
    )


# -- what a claim is about ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Named:
    """The handles and ids that a claim may be about."""

    shown: Mapping[int, ShownMessage]
    refs: Mapping[str, str]  # kinds by handle
    by_id: Mapping[str, Claim]

    def target(self, value: Any, claim: Claim) -> int | str | None:
        """A handle that was listed, the id of another claim, an earlier message; None of others.

        A decision settles proposals alone.
        """
        text = value.strip() if isinstance(value, str) else ""
        if text in self.refs:
            wrong = claim.label == "decision" and self.refs[text] != "proposal"
            return None if wrong else text
        other = self.by_id.get(text.lower())
        if other is not None:
            may = may_name(claim.label, claim.n, other.label, other.n)
            return other.id if may else None
        number = _message_number(value)
        return number if number in self.shown and number < claim.n else None


def _by_id(claims: Iterable[Claim]) -> dict[str, Claim]:
    """The claims that have an id of their own: what two share names neither."""
    named = [(claim.id, claim) for claim in claims if claim.id]
    counts = Counter(name for name, _ in named)
    return {name: claim for name, claim in named if counts[name] == 1}


def _link(claim: Claim, about: Any, named: _Named, checked: CheckedClaims) -> Claim:
    """The claim with its target. Raises `ClaimFault` for a stance on nothing.

    A decision stands without what it settles; that it named something else is counted.
    """
    if claim.label == "proposal":
        return claim
    target = named.target(about, claim)
    if target is None and claim.label != "decision":
        raise ClaimFault(
            "target",
            f"message {claim.n} has a stance on {str(about)[:40]!r}, which is nothing shown",
        )
    if target is None and about:
        checked.drop("link")
    return replace(claim, target=target)


def _local_id(value: Any) -> str | None:
    """The name that a claim gives itself, as others may write it; None of what may be none."""
    text = value.strip().lower() if isinstance(value, str) else ""
    return text if LOCAL_ID.match(text) else None


def _statement(value: Any, quote: str) -> str | None:
    """What a model says in its own words; None where it says nothing, or the quote again."""
    text = clip_statement(value) if isinstance(value, str) else ""
    return text if text and text != clip_statement(quote) else None


def _message_number(value: Any) -> int:
    """A message's number as models write it (17, "17", "[17]", "n 17"); 0 of anything else."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, float) and value.is_integer() and 0 < value < 1e9:
        return int(value)
    if isinstance(value, int):
        return value if 0 < value < 10**9 else 0
    match = _NUMBER.match(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else 0


def _confidence(value: Any) -> int:
    """Per mille, never above what a model is believed: from a percentage, or a share of 1."""
    if isinstance(value, str):
        try:
            value = float(value.strip().rstrip("%"))
        except ValueError:
            return _UNSURE
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return _UNSURE
    share = value * 1000 if isinstance(value, float) and 0 < value <= 1 else value * 10
    return int(min(max(share, 0), SURE))
