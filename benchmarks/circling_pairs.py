"""How well likeness separates repeated ideas from others in agents' talk, on judged pairs.

python -m benchmarks.circling_pairs [PAIRS] [--corpora FOLDER] [--recall 250] [--wrong 500] [--json]

PAIRS, or `PARLEY_PAIRS`, names a file outside the project, with a JSON object for each pair:
{"talk": name, "folder": "more", "a": index, "a_span": [start, end], "b": index,
"b_span": [start, end], "same": true}. A span is where a statement stands in the content of
message `a` or `b` of FOLDER/agents/`folder`/`talk`.jsonl, in characters.

A threshold is chosen without the part of the repositories that it is reported on: the highest
that finds `--recall` per mille of the repeats of all other parts. About half of such pairs are
the same, and of a proposal and all that came before it in a talk far fewer are: precision here
is more than that of the links of a session.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from benchmarks.circling import CURVE, SHIPPED, as_line, figures
from benchmarks.material import CORPORA
from benchmarks.recorded import FOLDS
from parley.memory.text.similarity import fingerprint, measure_resemblance

ASKED: Final = 250  # per mille of the repeats: below it, a list of repeats is hardly worth reading
_NONE: Final = 1001  # a threshold that no pair reaches

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scored:
    """A judged pair and how alike it is, per mille. `place` says where it stands, not its words."""

    repository: str
    place: str
    same: bool
    score: int

    @property
    def part(self) -> int:
        """Which part its repository belongs to, by the hash of its name."""
        return crc32(self.repository.encode()) % FOLDS


def read_pairs(file: Path, corpora: Path) -> list[Scored]:
    """The pairs of `file`, scored by the likeness that is shipped.

    Exits with the line that is wrong, if a talk, a message or a span is not there.
    """
    scored = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            scored.append(_read_pair(json.loads(line), corpora))
        except (KeyError, OSError, TypeError, ValueError) as error:
            sys.exit(f"{file}:{number}: {type(error).__name__}: {error}")
    return scored


def _read_pair(row: Row, corpora: Path) -> Scored:
    repository, messages = _read_talk(corpora / "agents" / row["folder"] / f"{row['talk']}.jsonl")
    if not isinstance(row["same"], bool):
        raise TypeError("same is true or false")
    first, second = (fingerprint(_statement(messages, row, end)) for end in ("a", "b"))
    place = f"{row['talk']} {row['a']}:{row['a_span'][0]} {row['b']}:{row['b_span'][0]}"
    return Scored(repository, place, row["same"], measure_resemblance(first, second))


@cache
def _read_talk(file: Path) -> tuple[str, dict[int, str]]:
    """The repository of a talk, its name if that is not said, and its messages by index."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    repository = next((row["repository"] for row in rows if row.get("repository")), file.stem)
    return repository, {row["index"]: row["content"] for row in rows if "content" in row}


def _statement(messages: dict[int, str], row: Row, end: str) -> str:
    content = messages[row[end]]
    start, stop = row[f"{end}_span"]
    if not 0 <= start < stop <= len(content):
        raise ValueError(f"{end}_span is not in message {row[end]} of {len(content)} characters")
    return content[start:stop]


def report(pairs: Sequence[Scored], recall: int) -> Row:
    """The curve, the figures at the shipped threshold, and those of parts left out."""
    thresholds = {part: _threshold_without(pairs, part, recall) for part in _parts(pairs)}
    parts = {
        part: {
            "threshold": at_least,
            "repositories": len({pair.repository for pair in pairs if pair.part == part}),
            **figures(_labelled(pairs, part), at_least),
        }
        for part, at_least in thresholds.items()
    }
    left_out = [(int(pair.score >= thresholds[pair.part]), pair.same) for pair in pairs]
    return {
        "repositories": len({pair.repository for pair in pairs}),
        "shipped": figures(_labelled(pairs), SHIPPED),
        "curve": {step: figures(_labelled(pairs), step) for step in CURVE},
        "parts": parts,
        "left out": figures(left_out, 1),
    }


def _labelled(pairs: Sequence[Scored], part: int | None = None) -> list[tuple[int, bool]]:
    return [(pair.score, pair.same) for pair in pairs if part in (None, pair.part)]


def _parts(pairs: Sequence[Scored]) -> list[int]:
    return sorted({pair.part for pair in pairs})


def _threshold_without(pairs: Sequence[Scored], part: int, recall: int) -> int:
    """The highest score that finds `recall` per mille of the repeats of all other parts."""
    scores = sorted((p.score for p in pairs if p.part != part and p.same), reverse=True)
    needed = -(-recall * len(scores) // 1000)
    return scores[max(needed, 1) - 1] if scores else _NONE


def wrongly_alike(pairs: Sequence[Scored], at_least: int) -> list[Scored]:
    """The pairs of two ideas that score `at_least`, the most alike first."""
    wrong = [pair for pair in pairs if not pair.same and pair.score >= at_least]
    return sorted(wrong, key=lambda pair: (-pair.score, pair.place))


def _lines(row: Row) -> Iterator[str]:
    yield f"{row['repositories']} repositories; precision, recall, F1 per mille"
    yield f"  shipped, {SHIPPED}:  {as_line(row['shipped'])}"
    for step, found in row["curve"].items():
        yield f"  {step:>4} {as_line(found)}"
    yield "parts of the repositories, each at a threshold chosen without it"
    for part, found in row["parts"].items():
        yield f"  {part}, at {found['threshold']:>4}: {as_line(found)}"
    yield f"  together:    {as_line(row['left out'])}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="?", type=Path, default=os.environ.get("PARLEY_PAIRS"))
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--recall", type=int, default=ASKED, help="per mille, 1 to 1000")
    parser.add_argument("--wrong", type=int, help="also list two ideas that are this much alike")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if not 1 <= given.recall <= 1000:
        parser.error("--recall is from 1 to 1000")
    if given.pairs is None or not Path(given.pairs).is_file():
        print("skipped: no file of pairs; name one, or set PARLEY_PAIRS")
        return
    pairs = read_pairs(Path(given.pairs), given.corpora)
    row = report(pairs, given.recall)
    print(json.dumps(row) if given.json else "\n".join(_lines(row)))
    if given.wrong is not None and not given.json:
        for pair in wrongly_alike(pairs, given.wrong):
            print(f"  {pair.score:>4} {pair.place}")


if __name__ == "__main__":
    main()
