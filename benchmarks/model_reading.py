"""How well a model reads agents' talk: what the ledger shows, against the keys.

python -m benchmarks.model_reading --endpoint URL [--model NAME] [--only NAMES] [--out FOLDER]
                                   [--interval N] [--overlap N] [--at-once N] [--json]

Each transcript is read as `parley analyze --extract-how model` reads it, and the firm items of its
ledger are judged by the corpora's own scorer. Endpoints are any that speak OpenAI's protocol; the
key is $PARLEY_MODEL_KEY. With --out every answer is kept there, so that a run that ends early goes
on with what it lacks, beside ledgers (NAME.ledger.md) and rows (NAME.pred.jsonl).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import anyio

from benchmarks.material import CORPORA
from benchmarks.model_rows import ledger_page, shown_rows
from benchmarks.recorded import EXPLICIT, Recorded, Row, recorded, scorer
from parley.bus.log.local_log import LocalLog
from parley.listeners.models.model_port import Completion, Model, Prompt
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.offline.local_effects import settle_log
from parley.listeners.offline.local_extraction import extract_whole_log
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens
from parley.server.records.session_opening import opening_of_transcript, transcript_drafts
from parley.server.runtime.packs import read_packs
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

FOLDERS: Final = ("dev", "more", "written")  # of agents' talk
_STANCES: Final = ("support", "oppose", "neutral")


class KeptAnswers:
    """`model`, whose answers are kept in `folder` by their questions; it is asked each one once."""

    def __init__(self, model: Model, folder: Path) -> None:
        self._model, self._folder = model, folder
        folder.mkdir(parents=True, exist_ok=True)

    async def complete(self, prompt: Prompt) -> Completion:
        question = json.dumps([prompt.system, prompt.user, prompt.max_tokens])
        name = blake2b(question.encode("utf-8", "replace"), digest_size=12).hexdigest()
        file = self._folder / f"{name}.json"
        if file.is_file():
            return Completion(**json.loads(file.read_text("utf-8")))
        answer = await self._model.complete(prompt)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(asdict(answer)), "utf-8")
        part.rename(file)
        return answer


@dataclass(slots=True)
class TalkRead:
    """One transcript as it was read: its rows, and what that took, in tokens by our counter."""

    talk: Recorded
    rows: list[Row]
    messages: int
    own_tokens: int  # of the messages themselves
    tokens: int  # of questions, with the shape of the answer, and of answers
    calls: int
    refused: dict[str, int] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


class _Meter:
    """Counts what passes, as the product's own counter has it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.tokens = self.calls = 0

    async def complete(self, prompt: Prompt) -> Completion:
        answer = await self._model.complete(prompt)
        self.calls += 1
        self.tokens += count_tokens(prompt.system) + count_tokens(prompt.user)
        self.tokens += count_tokens(answer.text)
        if prompt.shape is not None:  # endpoints show it to the model
            self.tokens += count_tokens(json.dumps(prompt.shape.schema, separators=(",", ":")))
        return answer


def talks(corpora: Path, only: Sequence[str] = ()) -> list[Recorded]:
    """The labelled transcripts of agents' talk at `corpora`, those named `only` if any are."""
    found = [
        each
        for name in FOLDERS
        if (corpora / "agents" / name).is_dir()
        for each in recorded(corpora / "agents" / name)
        if each.variant == EXPLICIT
    ]
    return [each for each in found if not only or each.name in only]


async def read_talk(
    talk: Recorded, model: Model, interval: int, overlap: int, out: Path | None = None
) -> TalkRead:
    """Have `model` read one transcript; its ledger and its rows are written to `out`."""
    transcript = parse_transcript(talk.transcript())
    extract = {"how": "model", "interval": interval, "overlap": overlap}
    settings = resolve_defaults({f"extract.{key}": value for key, value in extract.items()}, {})
    packs = read_packs(settings.packs)
    log = LocalLog(now_ms=lambda: 0)
    log.open(opening_of_transcript(transcript, settings, packs))
    log.publish(transcript_drafts(transcript))
    memory, meter = Memory(packs.known), _Meter(model)
    settle_log(log, memory)
    done = await extract_whole_log(log, memory, meter)
    ledger = ledger_of(memory)
    read = TalkRead(
        talk=talk,
        rows=shown_rows(ledger, lambda n: transcript.entries[n - 1].index),
        messages=len(transcript.entries),
        own_tokens=sum(count_tokens(str(row["content"])) for row in talk.rows()[1:]),
        tokens=meter.tokens,
        calls=meter.calls,
        refused=dict(memory.claims.dropped),
        unread=[f"{effect.first}-{effect.last}: {why}" for effect, why in done.unread],
    )
    if out is not None:
        (out / f"{talk.name}.ledger.md").write_text(ledger_page(talk.name, ledger), "utf-8")
        lines = "".join(json.dumps(row) + "\n" for row in read.rows)
        (out / f"{talk.name}.pred.jsonl").write_text(lines, "utf-8")
    return read


async def read_talks(
    wanted: Sequence[Recorded],
    model: Model,
    asked: argparse.Namespace,
) -> list[TalkRead]:
    """All of them, `asked.at_once` at a time."""
    found: dict[int, TalkRead] = {}
    room = anyio.Semaphore(asked.at_once)

    async def one(place: int, talk: Recorded) -> None:
        async with room:
            found[place] = await read_talk(talk, model, asked.interval, asked.overlap, asked.out)
            read = found[place]
            print(f"{talk.name}: {read.calls} calls {read.refused or ''}", file=sys.stderr)
            for why in read.unread:
                print(f"{talk.name}: not read: {why}", file=sys.stderr)

    async with anyio.create_task_group() as group:
        for place, talk in enumerate(wanted):
            group.start_soon(one, place, talk)
    return [found[place] for place in sorted(found)]


def figures(reads: Sequence[TalkRead]) -> dict[str, Any]:
    """Precision and recall by label, statuses, opposition, and tokens a message."""
    score, counts = scorer(reads[0].talk.key), Counter[Any]()
    for each in reads:
        score.score_one(each.rows, each.talk.gold(), 0, counts, each.messages)
    messages = sum(each.messages for each in reads)
    row: dict[str, Any] = {"talks": len(reads), "messages": messages}
    for label in ("proposal", "decision"):
        hit, false, missed = (counts[label, part] for part in ("tp", "fp", "fn"))
        row[label] = {
            "P": _share(hit, hit + false), "R": _share(hit, hit + missed), "n": hit + missed,
        }  # fmt: skip
    right, told, gold = (counts["re", part] for part in ("pred_ok", "pred", "gold"))
    row["side"] = {"P": _share(right, told), "R": _share(counts["re", "both"], gold), "n": gold}
    for stance in _STANCES:
        n = counts["re", f"gold_{stance}"]
        row["side"][stance] = {"R": _share(counts["re", f"both_{stance}"], n), "n": n}
    row["off_gold"] = counts["re", "off_gold"]
    row["link"] = _share(counts["link", "ok"], counts["link", "n"])
    row["status"] = {"acc": _share(counts["st", "ok"], counts["st", "n"]), "n": counts["st", "n"]}
    row["statuses"] = {
        f"{key[1]}->{key[2]}": count for key, count in sorted(counts.items()) if key[0] == "conf"
    }
    row["calls"] = sum(each.calls for each in reads)
    row["tokens_per_message"] = round(sum(each.tokens for each in reads) / max(1, messages))
    row["own_tokens_per_message"] = round(sum(each.own_tokens for each in reads) / max(1, messages))
    refused = Counter[str]()
    for each in reads:
        refused.update(each.refused)
    row["refused"] = dict(refused)
    return row


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def table(rows: dict[str, dict[str, Any]]) -> str:
    """The figures as a Markdown table, a transcript a line."""
    lines = [
        "| talk | messages | proposals P/R | decisions P/R | sides P/R | opposition R | status "
        "| tokens a message (own) | refused |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        side, oppose, status = row["side"], row["side"]["oppose"], row["status"]
        cells = [
            name,
            str(row["messages"]),
            *(f"{_two(row[k]['P'])} / {_two(row[k]['R'])} ({row[k]['n']})"
              for k in ("proposal", "decision")),
            f"{_two(side['P'])} / {_two(side['R'])} ({side['n']})",
            f"{_two(oppose['R'])} ({oppose['n']})",
            f"{_two(status['acc'])} ({status['n']})",
            f"{row['tokens_per_message']} ({row['own_tokens_per_message']})",
            str(sum(row["refused"].values())),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _two(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}"


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks.model_reading", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--model", nargs="?", default="", const="", help="as the endpoint calls it")
    parser.add_argument("--endpoint", default="", help="address, up to /v1; else $PARLEY_MODEL_URL")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="these transcripts")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="keep answers, ledgers and rows")
    parser.add_argument("--interval", type=int, default=24, help="messages read at once")
    parser.add_argument("--overlap", type=int, default=4, help="messages shown before them")
    parser.add_argument("--at-once", type=int, default=4, help="transcripts read at a time")
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds of a call")
    parser.add_argument("--json", action="store_true")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, score, print."""
    asked = options().parse_args(arguments)
    wanted = talks(CORPORA, asked.only)
    if not wanted:
        print(f"no agents' talk at {CORPORA}: nothing measured; set PARLEY_CORPORA to its folder")
        return
    url = asked.endpoint or os.environ.get("PARLEY_MODEL_URL", "")
    if not url:
        sys.exit("no endpoint: name one with --endpoint URL, or set PARLEY_MODEL_URL")
    if asked.out:
        asked.out.mkdir(parents=True, exist_ok=True)
    name = asked.model or os.environ.get("PARLEY_MODEL", "model")
    reads = anyio.run(_read_all, wanted, asked, url, name)
    rows = {each.talk.name: figures([each]) for each in reads}
    rows["all"] = figures(reads)
    if asked.out:
        (asked.out / "figures.json").write_text(json.dumps(rows, indent=1), "utf-8")
    print(json.dumps(rows) if asked.json else table(rows))


async def _read_all(
    wanted: Sequence[Recorded], asked: argparse.Namespace, url: str, name: str
) -> list[TalkRead]:
    key = os.environ.get("PARLEY_MODEL_KEY", "")
    endpoint = OpenAIModel(name, key=key, url=url, timeout_seconds=asked.timeout)
    model: Model = endpoint if asked.out is None else KeptAnswers(endpoint, asked.out / "answers")
    try:
        return await read_talks(wanted, model, asked)
    finally:
        await endpoint.aclose()


if __name__ == "__main__":
    main()
