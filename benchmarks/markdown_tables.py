"""Markdown's pipe tables, line by line."""

from __future__ import annotations

from collections.abc import Iterator


def table(*heads: str) -> Iterator[str]:
    """An empty line and the head of a table whose first column has no heading."""
    yield "\n" + row_of("", *heads)
    yield row_of(*["---"] * (len(heads) + 1))


def row_of(*cells: object) -> str:
    """One row."""
    return "| " + " | ".join(map(str, cells)) + " |"


def rate(share: float | None) -> str:
    """A share with three decimals, a dash where there is nothing to share."""
    return "–" if share is None else f"{share:.3f}"
