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

Region = dict[str, int]  # opens, stays, inside: as `SpeechCard` has them

FILE: Final = Path(__file__).parents[1] / "memory" / "structure" / "spoken.json"
LABELS: Final = ("proposal", "decision")
PLACES: Final = "region"  # the label of the lines where decisions are made
CARDS: Final = (*LABELS, PLACES)
SHAPE: Final = ("is: ", "ends: ", "long: ", "content: ", "has: ")
# What each label is told by beside its words: what helped the series left out.
AROUND: Final = {
    "proposal": (*SHAPE, "own before: ", "own after: "),
    "decision": (*SHAPE, "after: ", "lately: ", "fresh: ", "chair"),
    PLACES: (*SHAPE, "after: ", "lately: ", "fresh: ", "chair"),
}
KEPT: Final = 400  # features of a label
# F1 is best about where a line's chance is half of it (.48, .2): no cut-off is fitted.
MARKS: Final = {"proposal": -115, "decision": -215}
OPENED: Final = 180  # per mille of all lines that are likely enough to open a region
STAYED: Final = 280  # and to go on with one


@dataclass
class Meeting:
    """The lines of one meeting as features, and what people marked in it."""

    name: str
    rows: list[list[str]]  # [] of a turn that only assents: those are not judged
    gold: dict[str, set[int]]
    regions: list[set[int]]  # `gold` holds the lines of all of them as well
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
    gold[PLACES] = set().union(*stretches)
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
        for label in CARDS:
            card = fitted(others, label)
            for meeting in meetings:
                if meeting.series == series:
                    meeting.found[label] = _found(meeting.rows, card, label)


def _found(rows: Sequence[Sequence[str]], card: Fitted, label: str) -> list[int]:
    """The scores of lines as the fold has them: of a place without bias, as sums are compared."""
    bias, mute = (card.bias, 0) if label == PLACES else (0, NEVER)
    return [
        score - bias if row else mute for row, score in zip(rows, scores(rows, card), strict=True)
    ]


def sums(meeting: Meeting) -> dict[int, int]:
    """What the stretch of each line adds up to, where it is told."""
    chances = [chance(score) for score in meeting.found["decision"]]
    judged = list(zip(range(len(chances)), chances, meeting.found[PLACES], strict=True))
    return {
        place: regions.total(judged[place - regions.HERE : place + regions.AHEAD + 1])
        for place in range(regions.HERE, len(judged) - regions.AHEAD)
    }


def hinted(meeting: Meeting) -> list[int]:
    """The scores of lines as decisions, with what the lines before them say for it."""
    nears = meeting.found[PLACES]
    return [
        score + regions.leading(nears[max(0, place + 1 - regions.BEFORE) : place + 1])
        if score > NEVER
        else NEVER
        for place, score in enumerate(meeting.found["decision"])
    ]


def stretched(meetings: Sequence[Meeting]) -> Region:
    """From which sums on regions open and go on, and how many of their lines lie inside."""
    totals = sorted((total for one in meetings for total in sums(one).values()), reverse=True)
    opens, stays = (totals[len(totals) * share // 1000] for share in (OPENED, STAYED))
    region = {"opens": opens, "stays": stays}
    taken = [place in one.gold[PLACES] for one in meetings for place in near(one, region)]
    return {**region, "inside": sum(taken) * 1000 // len(taken)}


def near(meeting: Meeting, region: Region) -> set[int]:
    """The lines that regions take in."""
    found, last = set[int](), -1
    for place, total in sums(meeting).items():
        if total >= region["stays" if last in found else "opens"]:
            found.add(place)
        last = place
    return found


# -- telling -----------------------------------------------------------------------


def told(meetings: Sequence[Meeting], region: Region) -> str:
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
        told = hinted(one) if label == "decision" else one.found[label]
        found = {place for place, score in enumerate(told) if score >= MARKS[label]}
        right += len(found & one.gold[label])
        marked += len(found)
        wanted += len(one.gold[label])
    shares = (right / max(1, marked), right / max(1, wanted), 2 * right / max(1, marked + wanted))
    return "  ".join(f"{share:.3f}" for share in shares)


def _near(some: Sequence[Meeting], region: Region) -> str:
    hit = of = lines = inside = base = length = 0
    for one in some:
        found, within = near(one, region), one.gold[PLACES]
        hit, of = hit + sum(bool(found & each) for each in one.regions), of + len(one.regions)
        lines, inside = lines + len(found), inside + len(found & within)
        base, length = base + len(within), length + len(one.rows)
    return f"{hit:>3} of {of:<3}  {inside / max(1, lines):.3f}  {base / length:.3f}"


def written(meetings: Sequence[Meeting], region: Region) -> str:
    """The file that all meetings give."""
    tree: dict[str, Any] = {PLACES: {**region, "weights": fitted(meetings, PLACES).weights}}
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
