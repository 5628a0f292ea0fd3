"""What was found in agents' talk against its keys: over all, by repository, and apart for some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from benchmarks.agents_talk import Pair, Talk, unread
from benchmarks.extraction_scores import figures, is_optional
from benchmarks.single_proposals import match_texts

ALL: Final = "all"
_VOTE: Final = "vote/"  # how the rules of vote marks begin

Figures = dict[str, Any]


def agents_figures(talks: Sequence[Talk]) -> dict[str, Figures]:
    """All, the repositories that are kept unread, the others, then each repository by name."""
    by_name: dict[str, list[Talk]] = {}
    for talk in talks:
        by_name.setdefault(talk.repository, []).append(talk)
    apart = unread(by_name)
    kept = [talk for talk in talks if talk.repository in apart]
    others = [talk for talk in talks if talk.repository not in apart]
    groups = {ALL: list(talks), f"{len(apart)} kept unread": kept}
    if others:
        groups[f"the other {len(by_name) - len(apart)}"] = others
    groups |= {name: by_name[name] for name in sorted(by_name, key=str.lower)}
    return {name: _group(group) for name, group in groups.items()}


def _group(talks: Sequence[Talk]) -> Figures:
    row = figures([talk.read for talk in talks])
    row["single_proposals"] = single_proposals(talks)
    row["invented_votes"] = invented_votes(talks)
    row["repeats"] = repeats(talks)
    return row


def single_proposals(talks: Iterable[Talk]) -> Figures:
    """Texts of the key that became proposals of their own, and proposals that are such texts."""
    counts: Counter[str] = Counter()
    for talk in talks:
        for row in talk.gold:
            if row["label"] == "proposal" and len(row["texts"]) > 1 and not is_optional(row):
                predicted = talk.texts.get(row["index"], [])
                counts["messages"] += 1
                counts["texts"] += len(row["texts"])
                counts["items"] += len(predicted)
                counts["right"] += match_texts(row["texts"], predicted)
    return {
        **{name: counts[name] for name in ("messages", "texts", "items", "right")},
        "R": _share(counts["right"], counts["texts"]),
        "P": _share(counts["right"], counts["items"]),
    }


def invented_votes(talks: Iterable[Talk]) -> Figures:
    """Reactions by a vote mark where the key has no reaction of that stance at the message."""
    votes = invented = messages = 0
    for talk in talks:
        messages += talk.read.messages
        stances = {(r["index"], r["stance"]) for r in talk.gold if r["label"] == "reaction"}
        for row in talk.read.rows:
            if row["label"] == "reaction" and (row["rule"] or "").startswith(_VOTE):
                votes += 1
                invented += (row["index"], row["stance"]) not in stances
    return {"votes": votes, "invented": invented, "per_200": _per(200 * invented, messages)}


def repeats(talks: Iterable[Talk]) -> Figures:
    """Links between messages that repeat each other, each way through chains of links.

    A pair of the key is found where the later message leads back to the earlier one through
    the fold's links; a link is right where it does so through the key's pairs.
    """
    counts: Counter[str] = Counter()
    for talk in talks:
        linked, true = closure(talk.repeats), closure(talk.gold_repeats)
        counts["gold"] += len(talk.gold_repeats)
        counts["links"] += len(talk.repeats)
        counts["hit"] += len(talk.gold_repeats & linked)
        counts["right"] += len(talk.repeats & true)
    return {
        **{name: counts[name] for name in ("gold", "links", "hit", "right")},
        "P": _share(counts["right"], counts["links"]),
        "R": _share(counts["hit"], counts["gold"]),
    }


def closure(pairs: Iterable[Pair]) -> set[Pair]:
    """Every pair that the pairs lead to, one behind the other."""
    reached = set(pairs)
    while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= more
    return reached


def _share(count: int, whole: int) -> float | None:
    return round(count / whole, 3) if whole else None


def _per(count: int, messages: int) -> float:
    return round(count / max(1, messages), 2)
