"""Fit the scorecards of spoken talk to recorded meetings, and tell how well they carry over.

python -m benchmarks.fit_spoken [CORPORA] [--check]

Writes memory/structure/spoken.json; with --check it only says whether the file is what the
corpora give (exit code 1 where it is not). Prints the figures of each series of meetings
under scorecards that saw none of that series. Whole numbers throughout, and no dependency:
two runs write the same bytes on any machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.coordinates import Fitted, candidates, fit, scores
from benchmarks.material import CORPORA
from memory.structure import regions, surroundings, utterance
from memory.structure.speech_card import NEVER, chance
from memory.structure.spoken import describe
from memory.structure.state import Spoken, Turn
from memory.structure.wording import READ
from memory.text import plain

FILE: Final = Path(__file__).parents[1] / "memory" / "structure" / "spoken.json"
LABELS: Final = ("proposal", "decision")
SHAPE: Final = ("is: ", "ends: ", "long: ", "content: ", "has: ")
# What each label is told by beside its words: what helped the series left out.
AROUND: Final = {
    "proposal": (*SHAPE, "own before: ", "own after: "),
    "decision": (*SHAPE, "after: ", "lately: ", "fresh: ", "chair"),
}
KEPT: Final = 400  # features of a label
# The best F1 is had where a line's chance is half of it (.48, .16): no cut-off is fitted.
MARKS: Final = {"proposal": -115, "decision": -244}
STRETCHED: Final = 150  # per mille of all lines that regions take in


@dataclass
class Meeting:
    """The lines of one meeting as features, and what people marked in it."""

    name: str
    rows: list[list[str]]  # [] of a turn that only assents: those are not judged
    gold: dict[str, set[int]]
    regions: list[set[int]]
    found: dict[str, list[int]] = field(default_factory=dict)  # scores, by label

    @property
    def series(self) -> str:
        """Meetings of one series have the same people."""
        return self.name[:-1]


def read(corpora: Path) -> list[Meeting]:
    """Every spoken meeting with gold below `corpora`/dev/ami."""
    files = sorted((corpora / "dev" / "ami").glob("*.gold.jsonl"))
    return [_meeting(file) for file in files]


def _meeting(file: Path) -> Meeting:
    session = file.with_name(file.name.replace(".gold", ""))
    said = [row for row in _rows(session) if "content" in row]
    marks = _rows(file)
    gold = {name: {row["index"] for row in marks if row["label"] == name} for name in LABELS}
    stretches = [set(row["messages"]) for row in marks if row["label"] == "decision_region"]
    return Meeting(session.stem, rows_of(said), gold, stretches)


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def rows_of(said: Iterable[dict[str, Any]]) -> list[list[str]]:
    """The features of every line, as the fold sees them."""
    held, turns, words = Spoken(), [], []
    for n, row in enumerate(said, 1):
        read = utterance.read(plain(row["content"][:READ]))
        line = Turn(n=n, who=row["agent_id"])
        describe(held, line, read)
        turns.append(line)
        words.append(read.names)
    around = [surroundings.names(turns, place) for place in range(len(turns))]
    return [
        [] if line.kind in surroundings.MUTE else sorted({*own, *line.tags, *names})
        for own, line, names in zip(words, turns, around, strict=True)
    ]


# -- fitting -----------------------------------------------------------------------


def fitted(meetings: Sequence[Meeting], label: str) -> Fitted:
    """The scorecard of `label` that `meetings` give."""
    judged = [(one, place) for one in meetings for place, row in enumerate(one.rows) if row]
    rows = [one.rows[place] for one, place in judged]
    groups = [one.series for one, _ in judged]
    gold = [place in one.gold[label] for one, place in judged]
    allowed = AROUND[label]
    names = [
        name for name in candidates(rows, groups) if ": " not in name or name.startswith(allowed)
    ]
    return fit(rows, gold, names, KEPT)


def cross_fitted(meetings: Sequence[Meeting]) -> None:
    """Give every meeting scores under scorecards that saw none of its series."""
    for series in sorted({meeting.series for meeting in meetings}):
        others = [meeting for meeting in meetings if meeting.series != series]
        for label in LABELS:
            card = fitted(others, label)
            for meeting in meetings:
                if meeting.series == series:
                    found = scores(meeting.rows, card)
                    meeting.found[label] = [
                        score if row else NEVER
                        for row, score in zip(meeting.rows, found, strict=True)
                    ]


def sums(meeting: Meeting) -> list[int]:
    """What each line's stretch of chances adds up to, where it is told."""
    chances = [chance(score) for score in meeting.found["decision"]]
    ends = [min(len(chances), place + regions.AHEAD + 1) for place in range(len(chances))]
    return [sum(chances[max(0, end - regions.STRETCH) : end]) for end in ends]


def stretched(meetings: Sequence[Meeting]) -> dict[str, int]:
    """From which sum on regions take in their share of lines, and how many lie inside."""
    told = [(total, place, one) for one in meetings for place, total in enumerate(sums(one))]
    totals = sorted((total for total, _, _ in told), reverse=True)
    mark = totals[len(totals) * STRETCHED // 1000]
    inside = [any(place in r for r in one.regions) for total, place, one in told if total >= mark]
    return {"mark": mark, "inside": sum(inside) * 1000 // len(inside)}


# -- telling -----------------------------------------------------------------------


def told(meetings: Sequence[Meeting], region: dict[str, int]) -> str:
    """The table of figures by series, each under scorecards that saw none of it."""
    lines = [
        "series    lines  proposals P   R   F1   decisions P   R   F1   regions hit  inside  base"
    ]
    series = sorted({meeting.series for meeting in meetings})
    for name in (*series, "all"):
        some = [meeting for meeting in meetings if name in ("all", meeting.series)]
        figures = [_figures(some, label) for label in LABELS]
        length = sum(len(one.rows) for one in some)
        lines.append(
            f"{name:<9} {length:>5}  {figures[0]:>19}  {figures[1]:>19}  {_near(some, region)}"
        )
    return "\n".join(lines)


def _figures(some: Sequence[Meeting], label: str) -> str:
    right = marked = wanted = 0
    for one in some:
        found = {place for place, score in enumerate(one.found[label]) if score >= MARKS[label]}
        right += len(found & one.gold[label])
        marked += len(found)
        wanted += len(one.gold[label])
    shares = (right / max(1, marked), right / max(1, wanted), 2 * right / max(1, marked + wanted))
    return "  ".join(f"{share:.3f}" for share in shares)


def _near(some: Sequence[Meeting], region: dict[str, int]) -> str:
    hit = of = lines = inside = base = length = 0
    for one in some:
        near = {place for place, total in enumerate(sums(one)) if total >= region["mark"]}
        within = set().union(*one.regions)
        hit, of = hit + sum(bool(near & each) for each in one.regions), of + len(one.regions)
        lines, inside = lines + len(near), inside + len(near & within)
        base, length = base + len(within), length + len(one.rows)
    return f"{hit:>3} of {of:<3}  {inside / max(1, lines):.3f}  {base / length:.3f}"


def written(meetings: Sequence[Meeting], region: dict[str, int]) -> str:
    """The file that all meetings give."""
    tree: dict[str, Any] = {"region": region}
    for label in LABELS:
        card = fitted(meetings, label)
        tree[label] = {"bias": card.bias, "mark": MARKS[label], "weights": card.weights}
    return json.dumps(tree, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> int:
    """Fit, tell, and write or compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_spoken")
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    given = parser.parse_args()
    meetings = read(given.corpora)
    if not meetings:
        parser.exit(2, f"no spoken meetings below {given.corpora}: name the corpora's folder\n")
    cross_fitted(meetings)
    region = stretched(meetings)
    print(told(meetings, region))
    text = written(meetings, region)
    same = FILE.exists() and FILE.read_text(encoding="utf-8") == text
    print(f"{FILE.name}: {'as it was' if same else 'differs' if given.check else 'written'}")
    if not same and not given.check:
        FILE.write_text(text, encoding="utf-8")
    return int(given.check and not same)


if __name__ == "__main__":
    raise SystemExit(main())
