"""How often each family of rules is right: the figures of the table in `shelves`.

python -m benchmarks.shelves [--fine] [--json]

Prints precision and counts for proposals, decisions and sides, by family and by kind of talk.
An item is right if the key has one of that kind at the exact message; a side if the key has that
stance on that message's proposal there. What the key leaves open (an optional answer, a repeat)
is neither right nor wrong; a side on a proposal that the key does not know is counted apart.
Channels are read by scorecards that were fitted without them; their keys know marked lines and
votes alone, so of what patterns read in their prose nothing can be right.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from benchmarks.extraction_scores import is_optional
from benchmarks.held_out import Cards, cards_by_part, judging
from benchmarks.markdown_tables import row_of, table
from benchmarks.material import CORPORA
from benchmarks.recorded import EXPLICIT, Recorded, Row, corpora_of, recorded
from parley.memory.extraction.structure.shelves import FIRM, PRECISION, Kind, family_of, is_marked
from parley.memory.state.item_state import Cite, Fact, Origin
from parley.server.records.transcript_analysis import Analysis, analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

Verdict = Literal["right", "wrong", "open", "apart"]
Counts = Mapping[tuple[str, Kind, str], Counter[Verdict]]  # by talk, kind and family
_MADE: Final[dict[str, Kind]] = {
    "proposal.made": "proposal",
    "decision.claimed": "decision",
    "decision.restated": "decision",
    "reaction.changed": "side",
    "side.read": "side",
}


_HEADS: Final = (
    "kind", "family", "talk", "precision", "right", "wrong", "open", "apart", "shelf",
)  # fmt: skip


class Found(NamedTuple):
    """What rules found in a message: of which kind, by which family, and whether it is right."""

    kind: Kind
    family: str
    verdict: Verdict


def read_found(cards: Cards, name: Callable[[Origin], str], meeting: Recorded) -> list[Found]:
    """Everything that was found in `meeting`: items once a message and family, sides once a
    message and proposal, the last of several.
    """
    with judging(meeting, cards):
        analysis = analyze(parse_transcript(meeting.transcript()), resolve_defaults({}, {}))
    gold = meeting.gold()
    found: dict[tuple[object, ...], Found] = {}
    for fact in analysis.facts:
        if fact.kind == "reaction.moved":
            found.pop(("side", _index(analysis, _born(fact)), fact.ref), None)
        kind = _MADE.get(fact.kind)
        if kind is None or fact.data.get("how") in ("rule", "vote"):
            continue
        origin = _origin(fact)
        family = "marked" if is_marked(origin) else name(origin)
        at = _index(analysis, _born(fact))
        if kind == "side":
            on, stance = _index(analysis, int(str(fact.data["proposal_n"]))), fact.data["stance"]
            found[kind, at, fact.ref] = Found(kind, family, _judge_side(gold, at, on, stance))
        else:
            found[kind, family, at] = Found(kind, family, _judge_item(gold, kind, at))
    return list(found.values())


def _origin(fact: Fact) -> Origin:
    data: dict[str, Any] = fact.data
    cites = (Cite(fact.n),)
    link = data.get("link", "")
    return Origin(cites, data["how"], data["rule"], data["confidence"], link)


def _born(fact: Fact) -> int:
    born = fact.data.get("born")
    return born if isinstance(born, int) else fact.n


def _index(analysis: Analysis, n: int) -> int:
    index: int = analysis.transcript.entries[n - 1].index
    return index


def _judge_item(gold: Sequence[Row], label: str, at: int) -> Verdict:
    answers = [row for row in gold if row["label"] == label and row["index"] == at]
    if not answers:
        return "wrong"
    return "open" if all(map(is_optional, answers)) else "right"


def _judge_side(gold: Sequence[Row], at: int, on: int, stance: object) -> Verdict:
    proposals = [row for row in gold if row["label"] == "proposal" and row["index"] == on]
    if not proposals:
        return "apart"
    answers = [
        row
        for row in gold
        if row["label"] == "reaction" and row["index"] == at and row.get("proposal_index") == on
    ]
    same = [row for row in answers if row["stance"] == stance]
    if any(not is_optional(row) for row in same):
        return "right"
    return "open" if same or any("repeat_of" in row for row in proposals) else "wrong"


def measure(folder: Path, pool: Executor, name: Callable[[Origin], str]) -> Counts:
    """The verdicts on what was found in agents' talk and in channels, under `folder`."""
    counts: dict[tuple[str, Kind, str], Counter[Verdict]] = {}
    for talk, meetings, cards in _talks(folder, pool):
        for some in pool.map(partial(read_found, cards, name), meetings):
            for kind, family, verdict in some:
                counts.setdefault((talk, kind, family), Counter())[verdict] += 1
    return counts


def _talks(folder: Path, pool: Executor) -> Iterator[tuple[str, list[Recorded], Cards]]:
    """The recorded talk by kind, and the cards to read it by."""
    for name in ("more", "dev"):
        corpus = folder / "agents" / name
        if corpus.is_dir():
            yield f"agents/{name}", [m for m in recorded(corpus) if m.variant == EXPLICIT], {}
    spoken = folder / "dev" / "ami"
    if spoken.is_dir():
        yield "meetings", [m for m in recorded(spoken) if m.variant == EXPLICIT], {}
    channels = corpora_of(folder)
    if channels:
        cards = cards_by_part(channels, pool, lambda text: None)
        meetings = [meeting for corpus in channels for meeting in recorded(corpus)]
        for variant in ("stripped", EXPLICIT):
            yield f"channels, {variant}", [m for m in meetings if m.variant == variant], cards


def fine_family(origin: Origin) -> str:
    """The family with the rule and a band of confidence, for a look at what tells them apart."""
    rule = (origin.rule or "").split(":")[0].split(";")[0]
    band = origin.confidence // 100 * 100
    return f"{family_of(origin)} | {rule} | {band}"


def _rows(counts: Counts) -> list[list[str]]:
    rows = []
    for (talk, kind, family), verdicts in sorted(counts.items()):
        judged = verdicts["right"] + verdicts["wrong"]
        precision = f"{verdicts['right'] / judged:.3f}" if judged else "-"
        listed = PRECISION.get((kind, family))
        shelf = "" if listed is None else ("firm" if listed >= FIRM else "candidate")
        numbers = [str(verdicts[each]) for each in ("right", "wrong", "open", "apart")]
        rows.append([kind, family, talk, precision, *numbers, shelf])
    return sorted(rows)


def main() -> None:
    """Read, judge, print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.shelves", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--fine", action="store_true", help="by rule and band of confidence")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if not (CORPORA / "agents").is_dir():
        sys.exit(f"no corpora at {CORPORA}: set PARLEY_CORPORA to their folder")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        counts = measure(CORPORA, pool, fine_family if asked.fine else family_of)
    rows = _rows(counts)
    if asked.json:
        print(json.dumps([dict(zip(_HEADS, row, strict=True)) for row in rows]))
        return
    print(*table(*_HEADS[1:]), sep="\n")
    print(*(row_of(*row) for row in rows), sep="\n")


if __name__ == "__main__":
    main()
