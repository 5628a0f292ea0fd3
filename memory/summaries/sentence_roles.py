"""What part a sentence plays in the minutes of a talk, told by its wordings.

A ruling, a correction, a cause, a result, an objection, a request, a stance: each weighs so
much, and what only reports that work goes on counts against it. The wordings are data
(`roles.json`), English so far; talk in other languages is weighed by the words it shares.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any, Final

from parley.memory.extraction.patterns.regular_expressions import RarePattern

_MOST_ROLES: Final = 2  # of one sentence, the heaviest


class SentenceRoles:
    """The wordings of the roles. Immutable once built."""

    __slots__ = (
        "_contrast",
        "_not_proposing",
        "_proposing",
        "_roles",
        "answers",
        "bare",
        "filler",
        "orders_text",
        "people",
        "progress",
        "status",
        "thanks",
        "withdraws",
    )

    def __init__(self, data: dict[str, Any]) -> None:
        """Raises `BadPattern`, naming the role."""
        self._roles = [
            (name, role["weight"], RarePattern(role["pattern"], f"roles.{name}"))
            for name, role in data["roles"].items()
        ]
        self.progress = RarePattern(data["progress"], "progress")
        self.filler = RarePattern(data["filler"], "filler")
        self.orders_text = RarePattern(data["orders_text"], "orders_text")
        self.thanks = RarePattern(data["thanks"], "thanks")
        self.status = RarePattern(data["status"], "status")
        self.answers = RarePattern(data["answers"], "answers")
        self.withdraws = RarePattern(data["withdraws"], "withdraws")
        self.people = RarePattern(data["people"], "people")
        self.bare = RarePattern(data["bare"], "bare")
        self._proposing = RarePattern(data["proposing"], "proposing")
        self._not_proposing = RarePattern(data["not_proposing"], "not_proposing")
        self._contrast = RarePattern(data["contrast"], "contrast")

    def weigh(self, text: str) -> int:
        """The weights of the two heaviest roles that the words of `text` show."""
        weights = [weight for _, weight, pattern in self._roles if pattern.occurs(text)]
        return sum(sorted(weights, reverse=True)[:_MOST_ROLES])

    def has(self, text: str, *roles: str) -> bool:
        """True where `text` plays one of `roles`."""
        return any(pattern.occurs(text) for name, _, pattern in self._roles if name in roles)

    def proposes(self, text: str) -> bool:
        """True of words that put something forward themselves, whoever reads them."""
        return self._proposing.occurs(text) and not self._not_proposing.occurs(text)

    def contrasts(self, text: str) -> bool:
        """True of words that grant something and hold something else against it."""
        return self._contrast.occurs(text)


@cache
def shipped_roles() -> SentenceRoles:
    """The roles of `roles.json`, compiled at first use."""
    source = resources.files(__package__).joinpath("roles.json").read_text(encoding="utf-8")
    return SentenceRoles(json.loads(source))
