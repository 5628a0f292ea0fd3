"""How well proposals, decisions and reactions are found in recorded meetings.

python -m benchmarks.extraction [CORPUS ...] [--cross-validate] [--errors N] [--json]

Each meeting is read by the product's own door, the rows of `parley analyze --format items`
are written down, and the corpora's own scorer judges them. The shipped scorecards
were fitted on these meetings; with `--cross-validate` each is judged by cards that were not.
How agents' talk is read is measured by `benchmarks.prose` and `benchmarks.model_reading`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import orjson

from benchmarks import context_arms, model_reading, prose
from benchmarks.extraction_cost import costs
from benchmarks.extraction_errors import print_errors
from benchmarks.extraction_page import markdown, stamp, write
from benchmarks.extraction_scores import Read, figures
from benchmarks.held_out import Cards, cards_by_part, judging
from benchmarks.material import CORPORA
from benchmarks.recorded import Recorded, corpora_of, recorded
from parley.server.records.transcript_analysis import analyze
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript


def predict(out: Path, cards: Cards, meeting: Recorded) -> Read:
    """The rows of a meeting, as whoever reads the file gets them.

    It is judged by the one of `cards` for its part, by the shipped ones where there are none.
    The rows are left in `out`/CORPUS.VARIANT/NAME.pred.jsonl, for the scorer to be run by hand.
    """
    transcript = parse_transcript(meeting.transcript())
    with judging(meeting, cards):
        rows = analyze(transcript, resolve_defaults({}, {})).items()
    folder = out / f"{meeting.corpus}.{meeting.variant}"
    folder.mkdir(parents=True, exist_ok=True)
    text = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    (folder / f"{meeting.name}.pred.jsonl").write_bytes(text)
    predicted = [orjson.loads(line) for line in text.splitlines()]
    return Read(meeting, len(meeting.rows()) - 1, predicted)


def report(
    corpora: Sequence[Path], pool: Executor, out: Path, cards: Cards
) -> tuple[dict[str, Any], list[Read]]:
    """The figures by corpus and variant, and the rows behind them."""
    row: dict[str, Any] = {}
    every: list[Read] = []
    for corpus in corpora:
        predicted = pool.map(partial(predict, out, cards), recorded(corpus))
        read = list(_counted(predicted, corpus.name))
        read.sort(key=lambda each: each.meeting.variant, reverse=True)
        for variant, some in groupby(read, lambda each: each.meeting.variant):
            row[f"{corpus.name}, {variant}"] = figures(list(some))
        every += read
    return row, every


def _counted(read: Iterator[Read], name: str) -> Iterator[Read]:
    for count, each in enumerate(read, 1):
        if count % 20 == 0:
            _say(f"{name}: {count} read")
        yield each


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks.extraction", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "corpora",
        nargs="*",
        type=Path,
        metavar="CORPUS",
        help="folders of meetings; else dev/irc and wg of $PARLEY_CORPORA",
    )
    parser.add_argument(
        "--cross-validate",
        action="store_true",
        help="judge each meeting by cards that the others taught (minutes)",
    )
    parser.add_argument(
        "--deliberation",
        action="store_true",
        help="talk by a model, from Parley's context and from others (benchmarks.context_arms)",
    )
    parser.add_argument(
        "--model",
        action="store_true",
        help="agents' talk, read by a model behind an endpoint (benchmarks.model_reading)",
    )
    parser.add_argument(
        "--prose",
        action="store_true",
        help="agents' talk, read by tables that were fitted without it (benchmarks.prose)",
    )
    parser.add_argument(
        "--errors",
        type=int,
        default=0,
        metavar="N",
        help="print N wrong and N missed items of each corpus, with their lines",
    )
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep the predictions there")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the figures into PAGE")
    parser.add_argument("--runs", type=int, default=5, help="of the timing; 0 for none")
    parser.add_argument("--json", action="store_true")
    return parser  # fmt: skip


_NAMED: Final = "--model"  # may have a name behind it
_APART: Final = {
    "--deliberation": context_arms.main,
    _NAMED: model_reading.main,
    "--prose": prose.main,
}


def main() -> None:
    """Read, score, print."""
    for flag, run in _APART.items():
        if flag in sys.argv[1:]:
            run([each for each in sys.argv[1:] if each != flag or flag == _NAMED])
            return
    parser = options()
    asked = parser.parse_args()
    if asked.write and not asked.cross_validate:
        parser.error("--write goes with --cross-validate: pages show no other figures")
    corpora = asked.corpora or corpora_of(CORPORA)
    if not corpora:
        print(f"no corpora at {CORPORA}: nothing measured; set PARLEY_CORPORA to their folder")
        return
    if missing := [str(corpus) for corpus in corpora if not recorded(corpus)]:
        sys.exit(f"no meetings with answers (NAME.gold.jsonl) in {', '.join(missing)}")
    with (
        tempfile.TemporaryDirectory() as scratch,
        ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool,
    ):
        row, read = _measured(asked, corpora, pool, Path(asked.out or scratch))
    if asked.write:
        write(asked.write, row)
    if asked.errors:
        print_errors(read, asked.errors)
    else:
        print(json.dumps(row) if asked.json else markdown(row))


def _measured(
    asked: argparse.Namespace, corpora: Sequence[Path], pool: Executor, out: Path
) -> tuple[dict[str, Any], list[Read]]:
    row = stamp(asked.cross_validate)
    if asked.runs and not asked.cross_validate and not asked.errors:
        _say("timing the fold")
        row["cost"] = costs(corpora, asked.runs)
    cards = cards_by_part(corpora, pool, _say) if asked.cross_validate else {}
    row["corpora"], read = report(corpora, pool, out, cards)
    return row, read


if __name__ == "__main__":
    main()
