"""Names that people type: the nearest one that there is."""

from __future__ import annotations

from collections.abc import Sequence


def nearest(name: str, choices: Sequence[str]) -> str:
    """The choice that `name` was most likely meant to be."""
    from rapidfuzz import process  # slow to load, and few calls have a misspelling

    best = process.extractOne(name, choices)
    return best[0] if best else choices[0]
