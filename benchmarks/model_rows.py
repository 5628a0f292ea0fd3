"""What a ledger shows of a transcript: the rows that are scored, and a page to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.extraction_scores import merge_statuses
from benchmarks.recorded import Row
from parley.memory.ledger.ledger_rows import LedgerItem, ShownStatus, Side
from parley.memory.ledger.ledger_view import Ledger

_STATUSES: Final[dict[ShownStatus, str]] = {
    "accepted": "accepted",
    "adopted": "accepted",
    "modified": "modified",
    "rejected": "rejected",
    "withdrawn": "rejected",
}


def shown_rows(ledger: Ledger, index_of: Callable[[int], int]) -> list[Row]:
    """The firm items of `ledger` as rows of the scorer; `index_of` is that of a message n."""
    return merge_statuses(_merge_sides(_rows(ledger, index_of)))


def _rows(ledger: Ledger, index_of: Callable[[int], int]) -> Iterator[Row]:
    for item in _firm(ledger.proposals()):
        index = index_of(_root(ledger, item).born)
        if item.relation != "repeats":
            yield {"index": index, "label": "proposal"}
            if not _lost_to_sibling(ledger, item):
                row = {"index": index, "label": "status", "proposal_index": index}
                yield {**row, "status": _status(item)}
        yield from _reactions(item, index, index_of)
    for item in _firm(ledger.decisions()):
        settled = [_root(ledger, each) for each in map(ledger.item, item.settles) if each]
        proposal = index_of(settled[0].born) if settled else None
        row = {"index": index_of(item.born), "label": "decision", "proposal_index": proposal}
        yield row
        if item.as_read and proposal is not None:
            yield from _reactions(item, proposal, index_of)


def _status(item: LedgerItem) -> str:
    """The scorer's word for the shown status: what was accepted with changes is modified."""
    if item.ending is not None and item.ending.word == "accepted_with_changes":
        return "modified"
    return _STATUSES.get(item.status, "active")


def _lost_to_sibling(ledger: Ledger, item: LedgerItem) -> bool:
    """True if another alternative of the same message was chosen: keys have them as one."""
    if item.ending is None or item.ending.word != "replaced":
        return False
    chosen = ledger.item(item.ending.detail)
    return chosen is not None and chosen.born == item.born


def _firm(items: Iterator[LedgerItem]) -> Iterator[LedgerItem]:
    return (item for item in items if item.shelf == "firm")


def _root(ledger: Ledger, item: LedgerItem) -> LedgerItem:
    """The proposal that `item` repeats, through chains of repeats; else `item`."""
    seen = {item.handle}
    while item.relation == "repeats" and item.related:
        earlier = ledger.item(item.related[0])
        if earlier is None or earlier.handle in seen:
            break
        seen.add(earlier.handle)
        item = earlier
    return item


def _reactions(item: LedgerItem, index: int, index_of: Callable[[int], int]) -> Iterator[Row]:
    """Its sides. Keys have a withdrawal, or the report of a refusal, as opposition as well."""
    said = [(side.n, side.stance) for side in (*item.earlier_sides, *item.sides.values())]
    if (ending := item.ending) is not None:
        refused = ending.word == "rejected" and ending.reporter
        if ending.word == "withdrawn" or refused:
            said.append((ending.n, "oppose"))
    for n, stance in said:
        row = {"index": index_of(n), "label": "reaction", "stance": stance}
        yield {**row, "proposal_index": index, "question": item.question}


def _merge_sides(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows with one side a message and proposing message, as keys have it, others once.

    Whoever picks one of its alternatives is for it. Otherwise several of them, on parts of it,
    come to what most say; to neutral if they are for and against.
    """
    seen: set[tuple[object, ...]] = set()
    sides: dict[tuple[int, int], Counter[str]] = {}
    picked: set[tuple[int, int]] = set()
    for row in rows:
        key = tuple(row.values())
        if row["label"] == "reaction":
            place = row["index"], row["proposal_index"]
            sides.setdefault(place, Counter())[row["stance"]] += 1
            if row["question"] and row["stance"] == "support":
                picked.add(place)
        elif row["label"] == "status" or key not in seen:
            seen.add(key)
            yield row
    for (index, proposal), counts in sides.items():
        first, *others = counts.most_common(2)
        stance = "neutral" if others and others[0][1] == first[1] else first[0]
        if (index, proposal) in picked:
            stance = "support"
        row = {"index": index, "label": "reaction", "stance": stance, "proposal_index": proposal}
        yield row


# -- to be read ------------------------------------------------------------------------


def ledger_page(title: str, ledger: Ledger) -> str:
    """The whole ledger as Markdown: firm items, rights, tasks, then what was denied or is open."""
    items = [*ledger.proposals(), *ledger.decisions()]
    items.sort(key=lambda item: (item.born, item.handle))
    parts = [f"# {title}", "", "## Firm", ""]
    parts += [_line(item) for item in items if item.shelf == "firm"]
    parts += ["", "## Rights", ""]
    parts += [
        f"- {grant.who} on {' '.join(grant.targets) or 'everything'}, says {grant.by} "
        f"(n {grant.origin.cites[0].n})"
        for grant in ledger.grants
    ]
    parts += ["", "## Tasks", ""]
    parts += [
        f"- {'[x]' if task.done else '[ ]'} {task.who}: {task.what} {task.when} "
        f"{' '.join(task.targets)} (n {task.origin.cites[0].n})"
        for task in ledger.tasks
    ]
    parts += ["", "## Candidates and denied", ""]
    parts += [f"{_line(item)} [{item.shelf}, {item.doubt}]" for item in items if _is_apart(item)]
    claims = ledger.memory.claims
    parts += ["", "## Refused", ""]
    parts += [f"- {reason}: {row}" for each in claims.refused.values() for reason, row in each.rows]
    parts += ["", f"{claims.calls} calls, {claims.input_tokens} + {claims.output_tokens} tokens"]
    return "\n".join(parts) + "\n"


def _is_apart(item: LedgerItem) -> bool:
    return item.shelf != "firm"


def _line(item: LedgerItem) -> str:
    ending = item.ending or (item.outcomes[-1] if item.outcomes else None)
    words = [f"- {item.handle} n {item.born} {item.participant}: {item.words}"]
    words.append(f"| {item.kind} {item.status}{' (as read)' if item.as_read else ''}")
    if ending is not None:
        words.append(f"by {ending.by} at n {ending.n} ({ending.right}) {ending.detail}".rstrip())
    if item.relation != "new":
        words.append(f"| {item.relation} {' '.join(item.related)} {item.question}".rstrip())
    if item.settles:
        words.append(f"| settles {' '.join(item.settles)}")
    sides = [_side(side) for side in (*item.earlier_sides, *item.sides.values())]
    if sides:
        words.append(f"| {'; '.join(sides)}")
    return " ".join(words)


def _side(side: Side) -> str:
    condition = f" if {side.condition}" if side.condition else ""
    return f"{side.participant} {side.stance} n {side.n}{condition}"
