"""How far the estimate of tokens is off current vocabularies, by kind of text.

python -m benchmarks.estimate [--json]

By stretch of 200 tokens or more, which is what a limit or a budget weighs.
Nothing here was fitted on, but for the files of this project: their stretches
of even places were.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.goals import dumped, goals
from benchmarks.material import ROOT, meetings
from benchmarks.samples import samples
from benchmarks.vocabularies import vocabularies
from parley.bus.entries import Record
from parley.memory.text.text_sizes import COUNTER, count_tokens

ABSENT: Final = "not measured: pip install mistral-common, or litellm and tiktoken"
_STRETCH: Final = 1500  # characters; 200 tokens of the most wordy kind
_LEAST: Final = 200  # tokens
_CLAIMED: Final = 20  # per cent

Kinds = dict[str, list[str]]


def kinds() -> Kinds:
    """Stretches to check on, by kind: our own, this project's files, recorded talk."""
    return {
        **{f"{kind}, own": passages for kind, passages in samples(1).items()},
        "documentation": _files("docs", "*.md"),
        "code": _files("memory", "*.py"),
        "records of goals": list(cut(dumped(entry) for goal in goals(20) for entry in goal[1:-1]
                                     if entry.kind in ("tool.returned", "step"))),
        **{f"recorded, {name}": _recorded(name) for name in ("irc", "wg", "ami")},
    }  # fmt: skip


def cut(lines: Iterable[str]) -> Iterator[str]:
    """The lines as stretches of 1,500 characters or a little more; a short rest is left out."""
    stretch: list[str] = []
    for line in lines:
        stretch.append(line)
        if sum(map(len, stretch)) + len(stretch) > _STRETCH:
            yield "\n".join(stretch)
            stretch = []


def off(texts: Sequence[str], count: Callable[[str], int]) -> dict[str, Any] | None:
    """By how many per cent in all, at worst either way, and how many within the claim."""
    pairs = [(count_tokens(text), count(text)) for text in texts]
    pairs = [(guess, real) for guess, real in pairs if real >= _LEAST]
    if not pairs:
        return None
    each = [100 * guess / real - 100 for guess, real in pairs]
    total = 100 * sum(guess for guess, _ in pairs) / sum(real for _, real in pairs) - 100
    within = sum(abs(error) <= _CLAIMED for error in each)
    return {"total": round(total, 1), "lowest": round(min(each), 1), "highest": round(max(each), 1),
            "within 20": f"{within} of {len(each)}"}  # fmt: skip


def errors() -> dict[str, Any] | str:
    """`off` by kind and vocabulary, or why there is none."""
    counters = vocabularies()
    if not counters:
        return ABSENT
    figures = {
        f"{kind}, {name}": off(texts, count)
        for kind, texts in kinds().items()
        for name, count in counters.items()
    }
    return {what: figure for what, figure in figures.items() if figure}


def _files(folder: str, pattern: str) -> list[str]:
    paths: list[Path] = sorted((ROOT / folder).glob(pattern))
    made = [
        stretch for path in paths for stretch in cut(path.read_text(encoding="utf-8").splitlines())
    ]
    return made[1::2]


def _recorded(corpus: str) -> list[str]:
    return [
        stretch for meeting in meetings(corpus)[:6] for stretch in cut(map(_content, meeting[1:]))
    ]


def _content(record: Record) -> str:
    return str(getattr(record.entry, "content", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    row = errors()
    if options.json or isinstance(row, str):
        print(json.dumps(row))
        return
    print(f"{COUNTER}, off by per cent")
    for what, figure in row.items():
        print(f"    {what:32} {figure}")


if __name__ == "__main__":
    main()
