"""Answers to everything that memory may owe: always the same one to the same effect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from parley.bus.entries import (
    Entry,
    ItemsExtracted,
    NoteRefused,
    NoteRevised,
    Outcome,
    ReadSide,
    Relation,
    Right,
    SimilarityFound,
    TextCondensed,
)
from parley.memory.fold.apply import apply
from parley.memory.fold.due import Upgrade, due_summaries, list_upgrades
from parley.memory.state.effects import (
    ComparisonEffect,
    ReadingEffect,
    ReflectionEffect,
    ShortFormEffect,
)
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, answer, numbered

OUTCOMES = get_args(Outcome)
RELATIONS = get_args(Relation)
RIGHTS = get_args(Right)
SIDES = get_args(ReadSide)
_MOST = 500  # answers to one log; a fold that never has enough would ask for ever


def answers(effect: Upgrade, *, refuses: bool = False) -> Entry:
    """What a model says: some texts are far too long, and some reflections refused if it may."""
    if isinstance(effect, ReflectionEffect):
        if refuses and effect.cause % 3 == 0:
            return NoteRefused(
                participant=effect.participant, cause=effect.cause, attempts=5, limit=9
            )
        text = f"What I make of everything up to {effect.cause}. " * (1 + effect.cause % 7)
        return NoteRevised(participant=effect.participant, cause=effect.cause, text=text)
    if isinstance(effect, ShortFormEffect):
        text = f"The {effect.part} of {effect.of} in short. " * (1 + effect.of % 9)
        return TextCondensed.model_validate({"part": effect.part, "of": effect.of, "text": text})
    if isinstance(effect, ComparisonEffect):
        return compared(effect)
    if isinstance(effect, ReadingEffect):
        return readings(effect)
    return answer(effect, "model")


def compared(effect: ComparisonEffect) -> SimilarityFound:
    """Every other proposal is found to repeat the one before it."""
    earlier = f"P{effect.ref - 1}" if effect.ref % 2 == 0 else None
    return SimilarityFound(
        ref=f"P{effect.ref}", of=effect.of, earlier=earlier, similarity=900, model="fake"
    )


def readings(effect: ReadingEffect) -> ItemsExtracted:
    """A reading that claims something of each message, some of which cannot stand."""
    label = ("proposal", "side", "ruling", "side", "task", "right")
    shown = range(effect.lead, effect.last + 2)
    targets = {n: ("P1", f"M{n - 1}", "D1", f"i{n - 2}", "i", "M1")[n % 6] for n in shown}
    claims = [
        {
            "detail": "if it is cheap", "done": n % 4 == 0, "end": 1 + n % 3, "id": f"i{n}",
            "label": label[n % 6], "n": n, "outcome": OUTCOMES[n % len(OUTCOMES)],
            "quote": "x" * (1 + n % 3), "relation": RELATIONS[n % len(RELATIONS)],
            "right": RIGHTS[n % len(RIGHTS)], "side": SIDES[n % len(SIDES)], "start": 0,
            "statement": f"What message {n} comes to. " * (n % 9),
            "targets": [targets[n], f"i{n - 1}"], "who": "ana",
        }
        for n in shown
    ]  # fmt: skip
    handles = ("P1", "P2", "D1", f"M{effect.lead}")
    wrong = effect.first % 4
    checks: list[dict[str, object]] = [{"ref": ref, "verdict": "right"} for ref in handles[wrong:]]
    checks += [{"ref": ref, "verdict": "wrong", "reason": "question"} for ref in handles[:wrong]]
    checks.append({"ref": "P1", "who": "ana", "verdict": "wrong"})
    return ItemsExtracted.model_validate({
        "lead": effect.lead, "first": effect.first, "last": effect.last, "claims": claims,
        "checks": checks, "refused": [{"reason": "quote", "row": f"row {effect.first}"}],
        "dropped": {"quote": 1}, "input_tokens": effect.last,
    })  # fmt: skip


class Talk:
    """A session under way: what is published is folded, and what falls due can be answered.

    Answers are taken in hand and published later, as runners do: what was owed
    when it was taken may be moot by then.
    """

    def __init__(self, *, refuses: bool = False) -> None:
        self._refuses = refuses
        self.memory = Memory(PACKS)
        self.published: list[Entry] = []
        self._n = 0
        self._in_hand: dict[str, Entry] = {}
        self._taken: set[str] = set()

    def publish(self, entry: Entry) -> list[Fact]:
        """Fold `entry`; the facts that it brought about."""
        (record,) = numbered([entry], len(self.published), self._n)
        self._n = record.n
        self.published.append(entry)
        return apply(self.memory, record)

    def take(self, which: int = 0) -> bool:
        """Take one of the effects that are owed; False when all are taken."""
        owed: dict[str, Entry] = {}
        for summary in due_summaries(self.memory):
            owed[summary.result_id("extract")] = answer(summary)
        for upgrade in list_upgrades(self.memory):
            owed[upgrade.result_id("model")] = answers(upgrade, refuses=self._refuses)
        fresh = sorted(owed.keys() - self._taken)
        if not fresh:
            return False
        chosen = fresh[which % len(fresh)]
        self._taken.add(chosen)
        self._in_hand[chosen] = owed[chosen]
        return True

    def finish(self, which: int = 0) -> bool:
        """Publish one of the answers in hand; False when there is none."""
        if not self._in_hand:
            return False
        chosen = sorted(self._in_hand)[which % len(self._in_hand)]
        self.publish(self._in_hand.pop(chosen))
        return True

    def settle(self) -> None:
        """Answer all that is owed."""
        for _ in range(_MOST):
            if not (self.take() | self.finish()):
                return
        raise AssertionError("what is owed never ends")


def settled(
    entries: Sequence[Entry], pace: Sequence[int] | None = None, *, refuses: bool = False
) -> Talk:
    """`entries` with the answers to what they make due among them.

    After each entry as many answers are taken, and published, as its number of
    `pace` says; without a pace all that is owed is answered at once.
    """
    talk = Talk(refuses=refuses)
    for index, entry in enumerate(entries):
        talk.publish(entry)
        if pace is None:
            talk.settle()
        elif index < len(pace):
            for _ in range(pace[index] % 3):
                talk.take(pace[index] // 9)
            for _ in range(pace[index] // 3 % 3):
                talk.finish(pace[index] // 9)
    talk.settle()
    return talk
