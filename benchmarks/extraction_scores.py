"""What a corpus's predictions come to: the scorer's counts, and by what each item was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from benchmarks.recorded import Recorded, Row, scorer

LABELS: Final = ("proposal", "decision")
STANCES: Final = ("support", "oppose", "neutral")
_TOLERANCE: Final = 0  # the exact message


class Read(NamedTuple):
    """A meeting, and the rows that were told of it."""

    meeting: Recorded
    messages: int
    rows: list[Row]


def figures(read: Sequence[Read]) -> dict[str, Any]:
    """Every figure of the meetings of one corpus in one variant."""
    score = scorer(read[0].meeting.key)
    counts: Counter[Any] = Counter()
    parts: dict[str, Counter[Any]] = {each.meeting.part: Counter() for each in read}
    for each in read:
        gold = each.meeting.gold()
        for into in (counts, parts[each.meeting.part]):
            score.score_one(each.rows, gold, _TOLERANCE, into, each.messages)
    report: dict[str, Any] = score.report(counts, _TOLERANCE, len(read))
    report["messages"] = sum(each.messages for each in read)
    for label in LABELS:
        report[label]["by_part"] = _by_part(score, parts.values(), label)
        report[label]["by_how"] = _by_how(read, label)
    if "reaction" in report:
        report["reaction"]["off_gold_per_100"] = _per(100 * counts["re", "off_gold"], report)
        report["reaction"]["gold_by_stance"] = {
            stance: counts["re", f"gold_{stance}"] for stance in STANCES
        }
    if "status" in report:
        report["status"]["accepted"] = _accepted(counts)
    return report


def _per(count: int, report: dict[str, Any]) -> float:
    messages: int = report["messages"]
    return round(count / max(1, messages), 2)


def _by_part(score: Any, parts: Iterable[Counter[Any]], label: str) -> list[float]:
    """F1 of each part of the meetings in which there is anything to find, ascending."""
    counted = [tuple(part[label, each] for each in ("tp", "fp", "fn")) for part in parts]
    return sorted(round(score.prf(*counts)[2], 3) for counts in counted if sum(counts))


def _by_how(read: Iterable[Read], label: str) -> dict[str, dict[str, Any]]:
    """By `how`: items told, those that are right, those that are wrong; optional ones are neither.

    At the exact message, so a row is right by its index alone. Of several on one
    message the first counts, as in the scorer.
    """
    counter: Counter[tuple[str, str]] = Counter()
    for each in read:
        answers = {row["index"]: row for row in each.meeting.gold() if row["label"] == label}
        first: dict[int, Row] = {}
        for row in each.rows:
            if row["label"] == label:
                first.setdefault(row["index"], row)
        for index, row in first.items():
            counter[row["how"], _verdict(answers.get(index))] += 1
    hits = sum(count for (_, verdict), count in counter.items() if verdict == "right")
    return {
        how: {
            "right": counter[how, "right"], "wrong": counter[how, "wrong"],
            "optional": counter[how, "optional"],
            "precision": _share(
                counter[how, "right"], counter[how, "right"] + counter[how, "wrong"]
            ),
            "share_of_hits": _share(counter[how, "right"], hits),
        }
        for how in sorted({how for how, _ in counter})
    }  # fmt: skip


def _verdict(answer: Row | None) -> str:
    if answer is None:
        return "wrong"
    return "optional" if is_optional(answer) else "right"


def merge_statuses(rows: Iterable[Row]) -> list[Row]:
    """The rows with one status a message: a key has one, whatever a message's proposals came to.

    It is the one that most of those proposals have that are no longer active, the earliest of
    equals; active where nothing was settled.
    """
    others: list[Row] = []
    statuses: dict[int, Counter[str]] = {}
    for row in rows:
        if row["label"] == "status":
            statuses.setdefault(row["index"], Counter())[row["status"]] += 1
        else:
            others.append(row)
    for index, counts in statuses.items():
        settled = [status for status, _ in counts.most_common() if status != "active"]
        status = settled[0] if settled else "active"
        row = {"index": index, "label": "status", "proposal_index": index, "status": status}
        others.append(row)
    return others


def is_optional(answer: Row) -> bool:
    """True of an answer that may be given or not."""
    return bool(answer.get("optional")) or "repeat_of" in answer


def _share(count: int, whole: int) -> float | None:
    return round(count / whole, 3) if whole else None


def _accepted(counts: Counter[Any]) -> dict[str, Any]:
    """How many of the proposals that were accepted are told to be; other statuses are noisy."""
    of = {key[2]: count for key, count in counts.items() if key[:2] == ("conf", "accepted")}
    return {"n": sum(of.values()), "accuracy": _share(of.get("accepted", 0), sum(of.values()))}
