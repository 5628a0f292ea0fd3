"""The words that a sentence of the minutes is about. Pure."""

from __future__ import annotations

from memory.similar import stems


def content(text: str) -> list[str]:
    """The content words of `text` without common endings; none where all are stop words."""
    return stems(f"minutes {text}")[1:]  # of stop words alone `stems` gives them all
