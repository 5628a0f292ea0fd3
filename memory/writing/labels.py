"""What participants said that labels are of ("option B: a signed cookie"), to be told elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from parley.memory.state.item_state import Cite
from parley.memory.state.line_state import Label
from parley.memory.state.memory import Memory

LABELS: Final = 32  # newest labels that are kept


def note_labels(memory: Memory, n: int, labels: Mapping[str, tuple[int, str]]) -> None:
    """Keep what entry `n` says of its labels: where the words begin, and the words."""
    known = memory.writing.labels
    for label, (start, text) in labels.items():
        known.pop(label, None)  # told anew, it is the newest
        known[label] = Label(n=n, start=start, text=text)
    while len(known) > LABELS:
        del known[next(iter(known))]


def cite_label(memory: Memory, label: str) -> tuple[Cite, ...]:
    """The words that say what `label` is of; nothing for ""."""
    known = memory.writing.labels.get(label)
    return () if known is None else (Cite(known.n, known.start, known.start + len(known.text)),)
