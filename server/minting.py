"""Tokens and links from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.settings import Settings


@dataclass(frozen=True, slots=True)
class Wish:
    """For whom a token is wanted; `session` None: every session."""

    name: str
    session: str | None
    role: Literal["person", "agent", "observer", "operator"]
    may: Sequence[str]
    hours: float
    link: bool


def token(settings: Settings, wish: Wish, *, as_json: bool) -> None:
    """Print the token, or with `link` the page's address with a ticket. Raises `Misuse`."""
    raise NotImplementedError
