"""What limits save, beside what the documents claim: tokens, objects, time, calls.

python -m benchmarks.reduction [--runs 5] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.estimate import errors
from benchmarks.fold import spread, timed
from benchmarks.goals import dumped, example, goals
from benchmarks.material import CORPORA, ENGLISH, PACKS, meetings, numbered, talk, transcript
from parley.bus.contract.drafts import Draft
from parley.bus.entries import Entry, Message, PackRef, Record, SessionOpened
from parley.bus.log.local_log import LocalLog
from parley.listeners.models.answer_memo import AnswerCache
from parley.listeners.models.call_meter import MeteredModel
from parley.listeners.models.model_port import Completion, Prompt
from parley.listeners.offline.local_effects import read_local_range, settle_log
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.listeners.summaries.extracts import message_lines
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.replay import fold_records
from parley.memory.goals import eviction, tallies
from parley.memory.settings.presets import load_preset
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.state.episode_state import Episode
from parley.memory.state.memory import Memory
from parley.memory.summaries.ledger_changes import WEIGHTS
from parley.memory.summaries.range_summaries import uncovered_summaries
from parley.memory.text.text_sizes import count_tokens

ROOMY = {
    "session": {"cap": 10**9, "warn": 10**9, "target": 10**9},
    "archive": {"cap": 10**9, "items": 10**6},
    "insights": 10**6,
}

_NAMED = re.compile(r"(?:^|; )([A-Z]\d+) [a-z]", re.MULTILINE)
PLAIN = ("experiment", "deliberation")


def opened(name: str, **settings: Any) -> SessionOpened:
    """The first entry of a session of that preset."""
    return SessionOpened(
        settings=overlay_trees(load_preset(name), settings),
        packs=(PackRef(ENGLISH.name, ENGLISH.hash),),
    )


def permille_saved(before: int, after: int) -> float:
    """The share of `before` that is gone, in per cent."""
    return round(100 - 100 * after / before, 1)


def operations(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind in ("tool.returned", "step")]


def archived(memory: Memory) -> list[Episode]:
    return [memory.episodes.by_ref[ref] for ref in memory.episodes.archived]


def per_goal(worked: Sequence[list[Entry]]) -> dict[str, Any]:
    """What closing saves of each goal: against lines of detail, and the documents' records."""
    log = [opened("analyst", limits=ROOMY), *(entry for goal in worked for entry in goal)]
    rows = archived(fold_records(Memory(PACKS), numbered(log)))
    ours, theirs, objects = [], [], []
    for row, entries in zip(rows, worked, strict=True):
        assert row.work is not None
        done = operations(entries)
        ours.append(permille_saved(row.work.tally.was, row.size))
        before = sum(count_tokens(dumped(entry)) for entry in done)
        after = count_tokens(str({"goal_text": row.title, "status": row.status,
                            "result": row.result,
                            "summary": tallies.tally_row(row.work.tally),
                            "context": row.work.context}))  # fmt: skip
        theirs.append(permille_saved(before, after))
        objects.append(permille_saved(len(done), 1))
    return {
        "tokens, lines": spread(ours),
        "tokens, records": spread(theirs),
        "objects": spread(objects),
    }


def overall(worked: Sequence[list[Entry]]) -> dict[str, Any]:
    """A session of all the goals: everything in detail, every row and insight, what is held."""
    log = [entry for goal in worked for entry in goal]
    roomy = fold_records(Memory(PACKS), numbered([opened("analyst", limits=ROOMY), *log]))
    capped = fold_records(Memory(PACKS), numbered([opened("analyst"), *log]))
    was = sum(row.work.tally.was for row in archived(roomy) if row.work is not None)
    return {
        "every row and insight kept": permille_saved(was, eviction.session_size(roomy)),
        "as held under the limits": permille_saved(was, eviction.session_size(capped)),
        "tokens": {"detail": was, "rows and insights": eviction.session_size(roomy),
                   "held": eviction.session_size(capped)},
    }  # fmt: skip


def conversation(name: str, messages: Sequence[Sequence[Entry]]) -> dict[str, Any]:
    """What summaries save of talk: each of level 0, and those that stand of what was said."""
    each, whole = [], []
    for message in messages:
        log, memory = LocalLog(), Memory(PACKS)
        log.open(opened(name, summary={"keep": 100}, caps={"summaries": 1000}))
        log.publish([Draft(f"m{k}", entry) for k, entry in enumerate(message)])
        settle_log(log, memory)
        standing = [summary for summary in memory.summaries.values() if summary.level == 0]
        each += [permille_saved(summary.was, summary.size) for summary in standing if summary.was]
        top = uncovered_summaries(memory)
        covered = sum(summary.was for summary in standing)
        if covered:
            whole.append(permille_saved(covered, sum(summary.size for summary in top)))
    return {
        "each summary": {**spread(each), "of": len(each)} if each else "none was due",
        "sessions as a whole": {**spread(whole), "of": len(whole)} if whole else "none was due",
    }


def ledger_named(messages: Sequence[Sequence[Entry]]) -> dict[str, Any]:
    """What extracts of ten messages come to, and how much of the ledger they name, in per cent.

    Counted are proposals, decisions, objections, changes of sides and what became of items, but
    for items that the range set aside as tentative; named is what a line begins with the handle
    of, or tells of as decided with another item.
    """
    size = was = named = changed = 0
    for talk_entries in messages:
        log, memory = LocalLog(), Memory(known_packs())
        settings = {"summary": {"interval": 10, "keep": 100}}
        log.open(SessionOpened(packs=newest_packs(), settings=settings))
        log.publish([Draft(f"m{k}", entry) for k, entry in enumerate(talk_entries)])
        settle_log(log, memory)
        for key, summary in memory.summaries.items():
            if key[0]:
                continue
            changes = memory.ranges[key].changes
            aside = {change.ref for change in changes if change.kind == "set aside"}
            refs = [
                change.ref
                for change in changes
                if WEIGHTS[change.kind] > WEIGHTS["supported"] and change.ref not in aside
            ]
            heads = set(_NAMED.findall(summary.text))
            changed += len(refs)
            named += sum(ref in heads for ref in refs)
            size += len(summary.text)
            records = read_local_range(log, summary.first, summary.last)
            was += sum(len(content) for _, content in message_lines(records))
    if not was:
        return {"none": "no range closed"}
    return {
        "characters of the talk's": round(100 * size / was, 1),
        "changes named": round(100 * named / changed, 1) if changed else None,
        "changes": changed,
    }


def rule_based_us(runs: int) -> dict[str, Any]:
    """Microseconds of closing a goal of fifty runs, and of counting each of them."""
    entries = numbered([opened("analyst"), *example()])
    before = dump(fold_records(Memory(PACKS), entries[:-1]))
    empty = dump(fold_records(Memory(PACKS), entries[:2]))
    return {
        "closing": _onto_us(before, entries[-1:], runs),
        "counting one run": _onto_us(empty, entries[2:-1], runs),
    }


def _onto_us(state: bytes, records: list[Record], runs: int) -> dict[str, float]:
    """Microseconds an entry of folding `records` onto `state`, over fifty copies of it."""
    figures = []
    for _ in range(runs):
        copies = [load(state, PACKS, records[0].seq - 1) for _ in range(50)]
        took = timed(functools.partial(_fold_onto, copies, records))
        figures.append(took * 1e6 / len(copies) / len(records))
    return spread(figures)


def _fold_onto(copies: list[Memory], records: list[Record]) -> None:
    for memory in copies:
        fold_records(memory, records)


def simple_update_us(runs: int) -> dict[str, Any]:
    """Microseconds of folding a statement: where everybody keeps a notebook, and nobody does."""
    messages = talk(3000, chars=280, acts=0.0)
    return {name: _fold_us(numbered([opened(name), *messages]), runs) for name in PLAIN}


def _fold_us(records: list[Record], runs: int) -> dict[str, float]:
    fold_records(Memory(PACKS), records)
    took = [timed(lambda: fold_records(Memory(PACKS), records)) * 1e6 for _ in range(runs)]
    return spread([each / (len(records) - 1) for each in took])


class _Echo:
    """A model that answers at once."""

    async def complete(self, prompt: Prompt) -> Completion:
        await asyncio.sleep(0)
        return Completion(prompt.user[:100], "echo")


async def memo_hits(contents: int = 100, times: int = 10) -> dict[str, Any]:
    """A hundred stretches, each summarised by ten copies of a session, in any order at once."""
    draw = random.Random(7)
    asked = [number for number in range(contents) for _ in range(times)]
    draw.shuffle(asked)
    model = MeteredModel(_Echo())
    memo = AnswerCache(model)
    for start in range(0, len(asked), 8):
        prompts = (Prompt("Summarize.", f"part {k}", 300) for k in asked[start : start + 8])
        await asyncio.gather(*map(memo.complete, prompts))
    repeats = len(asked) - contents
    return {
        "of all": round(100 * memo.hits / len(asked), 1),
        "of repeats": round(100 * memo.hits / repeats, 1),
        "calls": model.meter.calls,
    }


def _message(entry: Any) -> Entry:
    return Message(participant=entry.participant, content=entry.content)


def _messages() -> dict[str, list[list[Entry]]]:
    """Talk to summarise: recorded chat where it is here, and plain talk of our own."""
    recorded = [[_message(record.entry) for record in meeting[1:]] for meeting in meetings()[:12]]
    return {
        **({"recorded chat": recorded} if recorded else {}),
        "plain talk": [talk(400, seed=seed) for seed in range(3)],
    }


def _agents() -> list[list[Entry]]:
    """The recorded talk of agents, where it is here."""
    files = sorted((CORPORA / "agents" / "dev").glob("*.jsonl"))
    talks = [transcript(file)[1:] for file in files if file.name.count(".") == 1]
    return [[entry for entry in entries if _has_words(entry)] for entries in talks]


def _has_words(entry: Entry) -> bool:
    return isinstance(entry, Message) and bool(entry.content.strip())


def figures(runs: int) -> dict[str, tuple[str, Any]]:
    """Every figure with what the documents claim of it."""
    worked = goals(100)
    measured: dict[str, tuple[str, Any]] = {
        "the example's goal, saved, %": ("94", per_goal([example()])),
        "each of 100 goals, saved, %": ("50-70", per_goal(worked)),
        "100 goals as a whole, saved, %": ("40-60", overall(worked)),
    }
    for kind, messages in _messages().items():
        for name in ("analyst", "deliberation"):
            what = f"summaries of {kind}, {name}, saved, %"
            measured[what] = ("60-80", conversation(name, messages))
    if agents := _agents():
        measured["ledger in extracts of agents' talk, %"] = ("-", ledger_named(agents))
    return {
        **measured,
        "rule-based summary, us": ("< 10,000", rule_based_us(runs)),
        "simple update, us": ("1,000,000", simple_update_us(runs)),
        "token estimate off by, %": ("20", errors()),
        "memo hits, %": (">= 80", asyncio.run(memo_hits())),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measurements = figures(options.runs)
    if options.json:
        print(json.dumps({name: {"claimed": claimed, "measured": is_}
                          for name, (claimed, is_) in measurements.items()}))  # fmt: skip
        return
    for name, (claimed, measured) in measurements.items():
        print(f"{name}   claimed {claimed}")
        rows = measured if isinstance(measured, dict) else {"": measured}
        for part, figure in rows.items():
            print(f"    {part:28} {figure}")


if __name__ == "__main__":
    main()
