"""What a range did to the ledger, a line for each item: what happened, by whom, in what words.

`P3 proposed by ann; opposed by bob; accepted; D1 ratified: <its words>`, below it the words
of whoever was against it. A line says what became of an item only if the range shows it: in words
that name the item or share content words with it, or in a message too short to be about another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from parley.memory.state.summary_state import LedgerChange
from parley.memory.summaries.ledger_changes import WEIGHTS
from parley.memory.summaries.talk_units import NO_WORDS, Passage, RangeTalk, content_words
from parley.memory.text.plain_text import one_line

_BIRTHS: Final = ("proposed", "claimed")
_SIDES: Final = ("supported", "opposed", "turned to support", "turned to oppose")
_AGAINST: Final = ("opposed", "turned to oppose", "disputed")
_SHORT: Final = 200  # characters of a message that speaks of what was last spoken of
_SHARED: Final = 2  # content words by which words show what they are on
_LINE: Final = re.compile(r"([A-Z]\d+) ([a-z][^:]*?)(?:: (.*))?")


@dataclass(slots=True)
class LedgerItem:
    """What happened to one item, in phrases; its words, and the reasons against it."""

    ref: str
    phrases: list[str]
    words: Passage
    reasons: list[Passage] = field(default_factory=list)
    weight: int = 0  # of the weightiest thing that happened to it

    @property
    def is_bare(self) -> bool:
        """True where nothing happened to it but that somebody proposed it."""
        return len(self.phrases) == 1 and self.phrases[0].startswith("proposed")

    @property
    def head(self) -> str:
        return f"{self.ref} {'; '.join(self.phrases)}"

    def add(self, phrases: Iterable[str]) -> None:
        self.phrases += [phrase for phrase in phrases if phrase not in self.phrases]

    def lines(self) -> str:
        words = self.words.render()
        reasons = (f"  {speaker(each.who)}: {each.render()}" for each in self.reasons)
        return "\n".join([f"{self.head}: {words}" if words else self.head, *reasons])


def speaker(name: str) -> str:
    """A name as lines have it: on one line, without what parts it from the words."""
    name = one_line(name).replace(": ", ":").replace("; ", ";")
    return f'"{name}"' if _LINE.match(name) else name


def group_changes(changes: Sequence[LedgerChange], talk: RangeTalk) -> list[LedgerItem]:
    """The items that `changes` are of, as far as `talk` shows what they say, in log order."""
    own: dict[str, list[LedgerChange]] = {}
    aside: dict[str, bool] = {}
    for change in changes:
        if change.kind in ("set aside", "taken up", "retracted"):
            aside[change.ref] = change.kind != "taken up"
        if change.kind not in ("set aside", "taken up"):
            own.setdefault(change.ref, []).append(change)
    items: dict[str, LedgerItem] = {}
    for ref, happened in own.items():
        born = next((change for change in happened if change.kind in _BIRTHS), None)
        words = NO_WORDS if born is None else talk.words_at(born.n, born.start, born.end)
        shown = [change for change in happened if _is_shown(change, born, words.content, talk)]
        if not shown or aside.get(ref):
            continue
        weight = max(WEIGHTS[change.kind] for change in shown)
        item = LedgerItem(ref, list(_phrases(shown)), words, _reasons(shown, talk), weight)
        if not (item.is_bare and words.reports):  # what only reports is talk
            items[ref] = item
    for change in changes:  # what accepting a proposal decided is shown with the proposal
        decision, proposal = items.get(change.ref), items.get(change.other)
        if change.kind == "ratified" and decision is not None and proposal is not None:
            content, other = decision.words.content, proposal.words.content
            if 2 * len(content & other) >= len(content):
                on = f", on {proposal.ref}"
                proposal.add(
                    f"{change.ref} {phrase.removesuffix(on)}" for phrase in decision.phrases
                )
                proposal.weight = max(proposal.weight, decision.weight)
                proposal.reasons += decision.reasons
                del items[change.ref]
    return list(items.values())


def _is_shown(
    change: LedgerChange, born: LedgerChange | None, content: frozenset[str], talk: RangeTalk
) -> bool:
    """False of what the range's words do not bear out, and of what authors think of their own."""
    if change.kind in _BIRTHS:
        return True
    if change.kind in _SIDES and born is not None and born.who == change.who:
        return False
    line = talk.lines.get(change.n)
    if line is None or len(line.content) < _SHORT:
        return True
    at = talk.words_at(change.n, change.start, change.end)
    said = at.content if change.end else content_words(line.content)
    if change.ref.lower() in said:
        return True
    if not content:  # that cannot be known
        return change.kind not in _SIDES
    return len(said & content) >= _SHARED + (not change.end)


def _reasons(shown: Sequence[LedgerChange], talk: RangeTalk) -> list[Passage]:
    """The first words of each who was against it."""
    given: dict[str, Passage] = {}
    for change in shown:
        if change.kind in _AGAINST and change.end > change.start and change.who not in given:
            words = talk.words_at(change.n, change.start, change.end)
            if words.size:
                given[change.who] = words._replace(who=change.who)
    return list(given.values())


def _phrases(shown: Sequence[LedgerChange]) -> Iterator[str]:
    """What happened, by whom, in the ledger's own words for it."""
    events: dict[tuple[str, str], list[str]] = {}
    for change in shown:
        names = events.setdefault((change.kind, change.other), [])
        if change.who and (name := speaker(change.who)) not in names:
            names.append(name)
    for (kind, other), names in events.items():
        who = ", ".join(names)
        match kind:
            case "turned to support" | "turned to oppose":
                yield f"{who} {kind}" if who else kind
            case "amends" | "repeats":
                yield f"{kind} {other}"
            case "replaced" | "superseded" if other:
                yield f"{kind} by {other}"
            case "ratified" | "claimed" if other:
                yield f"{kind} by {who}, on {other}" if who else f"{kind}, on {other}"
            case _:
                yield f"{kind} by {who}" if who else kind


def read_lines(text: str, first: int) -> tuple[list[LedgerItem], list[Passage]]:
    """The items in an extract of a range that begins at n `first`; who says what in the rest."""
    items: list[LedgerItem] = []
    said: list[Passage] = []
    who, behind = "", said
    for at, line in enumerate(text.splitlines()):
        place = first, at
        if match := _LINE.fullmatch(line):
            words = Passage.of_line("", place, match[3] or "")
            items.append(LedgerItem(match[1], match[2].split("; "), words))
            behind = items[-1].reasons
        elif line.startswith("  ") and behind is said:
            said.append(Passage.of_line(who, place, line[2:]))
        else:
            behind = behind if line.startswith("  ") else said
            name, colon, words_said = line.strip().partition(": ")
            who, line = (name, words_said) if colon else ("", line)
            behind.append(Passage.of_line(who, place, line))
    return items, said
