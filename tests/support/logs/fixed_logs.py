"""Logs that are the same at every run: sessions of every kind, each decided by its number.

Drawn with `Random.randrange` alone, whose numbers Python keeps from version to version. Entries
other than talk are made from bytes (`mixed.made`); hypothesis draws nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final, TypeVar

from parley.bus.entries import (
    ACTS,
    Entry,
    EntrySetAside,
    ItemCorrected,
    Message,
    PackRef,
    Record,
    SessionClosed,
    SessionForked,
    SessionOpened,
    SettingsChanged,
    Unknown,
)
from parley.listeners.sessions.shipped_packs import known_packs, shipped_packs
from parley.memory.fold.apply import apply
from parley.memory.fold.due import due_summaries, list_upgrades
from parley.memory.settings.presets import load_preset
from parley.memory.settings.setting_trees import overlay_trees
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory
from tests.support.logs.answers import answers
from tests.support.logs.logs import AROUND, BARE, ODD, answer, numbered
from tests.support.logs.mixed import CHANGES, CONTROL_MAKERS, DERIVED_MAKERS, made

_T = TypeVar("_T")

PACKS: Final = known_packs()
_REFS: Final = {pack.name: PackRef(pack.name, pack.hash) for pack in shipped_packs()}
# Every language as it was first read together, whatever newer packs there are.
PINNED_PACKS: Final = tuple(
    _REFS[name] for name in ("de@1", "en@1", "es@1", "fr@1", "he@1", "ja@1", "pt@1", "zh@1")
)
PACK_SETS: Final[tuple[tuple[PackRef, ...], ...]] = (
    PINNED_PACKS,
    PINNED_PACKS,
    (_REFS["en@1"],),
    (_REFS["en@1"],),
    (_REFS["en@1"], _REFS["de@1"], _REFS["fr@1"]),
    (_REFS["ja@1"], _REFS["zh@1"]),
    (_REFS["es@1"], _REFS["he@1"], _REFS["pt@1"]),
    (),
)
PRESETS: Final = ("deliberation", "experiment", "autobiographer", "assistant", "analyst")
TREES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {},
    {"chair": ["ana"], "ratify": {"quorum": 1}, "summary": {"interval": 4, "fanout": 2, "keep": 1}},
    {"lapse": {"after": 5}, "link": {"window": 3}, "summary": {"interval": 3, "how": "model"}},
    {"caps": {"decisions": 2, "proposals": 3, "summaries": 2, "key_points": 2, "positions": 2}},
    {"echo": {"similarity": 300}, "bots": ["bo"], "chair": ["cy", "dee"]},
    {"echo": {"how": "embedding"}, "extract": {"how": "model", "interval": 4, "overlap": 1}},
    {"note": {"policy": "rewrite"}, "limits": {"note": {"cap": 90, "warn": 60, "target": 40}}},
    {"note": {"policy": "append", "style": "structured", "agents": {"ana": {"policy": "off"}}}},
    {
        "exchange": {"users": ["ana"]},
        "limits": {"exchanges": 1, "answer": {"cap": 40, "target": 20}},
    },
    {"limits": {"short_term": {"cap": 60}, "history": {"cap": 90, "target": 40}, "cached": 2}},
    {"limits": {"session": {"cap": 80, "target": 50}, "archive": {"cap": 30, "items": 2}}},
    {"limits": {"session": {"cap": 30, "target": 20}, "insights": 1, "exchanges": 1}},
    {"limits": {"running": {"cap": 90, "target": 40}, "exchanges": 0, "steps": 2}},
    {"episodes": {"supersede": False, "prose": True, "deduplicate": False}},
    {"structure": {"scribes": ["cy", "dee"]}, "ratify": {"quorum": 3}},
    {"vote": {"confirm": "majority", "secret": True}, "ratify": {"quorum": 4}},
    {"vote": {"rule": "ranked", "quorum": 300}, "cache": {"ttl": 1, "max_age": 2}},
    {"floor": {"policy": "bid", "pair": 2}, "budget": {"tokens": 900, "calls": 6}},
    {"floor": {"policy": "round_robin"}, "stop": {"turns": 4}},
)  # fmt: skip
PEOPLE: Final = ("ana", "bo", "cy", "dee", "eli", "Ana B.", "user", "Zoë", "李")
THINGS: Final = (
    "the index", "nightly backups", "the old importer", "a second region", "rate limits",
    "the harbour lights", "our invoices", "the spare key", "the green door", "weekly reports",
)  # fmt: skip
ENDS: Final = (
    "before the next release", "by hand", "in the spring", "once the tests pass", "for good",
    "and say so in the notes", "with two people", "at half the cost",
)  # fmt: skip
PROPOSED: Final = (
    "I propose we rebuild {thing} {end}.",
    "[PROPOSAL] Drop {thing} {end}",
    "PROPOSAL: Close the issue on {thing} {end}",
    "What if we move {thing} {end}?",
    "How about we measure {thing} {end}?",
    "Let's split {thing} {end}.",
    "I suggest that we document {thing} {end}. It costs a day.",
    "We should rename {thing} {end}, because nobody finds it.",
    "Motion to replace {thing} {end}",
    "Ich schlage vor, dass wir {thing} im Frühjahr erneuern.",
    "Mein Vorschlag: {thing} wird am Montag abgeschaltet.",
    "Je propose de remplacer {thing} avant le printemps.",
    "On pourrait déplacer {thing} à la fin du mois.",
    "Propongo que cambiemos {thing} antes del verano.",
    "Proponho que a gente troque {thing} na semana que vem.",
    "私は{thing}を来月から新しくすることを提案します。",
    "我建议我们下个月更换{thing}。",
    "אני מציע להחליף את {thing} בחודש הבא.",
)
REACTED: Final = (
    "+1", "-1", "+1 to {handle}", "-1 to {handle}, it costs too much", "0", "+0.5", "I agree.",
    "I disagree with {handle}: who is going to pay for {thing}?", "I support {handle}",
    "I oppose {handle} because {thing} is old", "Sounds good to me.", "That won't work {end}.",
    "I agree in part, but {handle} forgets {thing}.", "I withdraw {handle}", "accept {handle}",
    "reject {handle}", "ratify {handle}", "I amend {handle}: only {thing}, {end}",
    "I changed my mind on {handle}: let us not.", "👍", "👎 too late for {thing}", "+1\n\n-1",
    "Einverstanden.", "Ich bin dagegen, das dauert zu lange.", "Ich unterstütze {handle}.",
    "Je suis d'accord.", "Je suis contre.", "Estoy de acuerdo.",
    "No estoy de acuerdo con {handle}.",
    "Concordo.", "賛成です。", "反対です。", "我同意。", "我反对。", "אני מסכים.", "אני נגד.",
)  # fmt: skip
DECIDED: Final = (
    "We have decided to keep {thing} {end}.", "[DECISION] We rebuild {thing} {end}",
    "RESOLVED: Close the issue on {thing} {end}", "We agreed to drop {thing} {end}.",
    "DECISION: {handle} is accepted", "So it is settled: {thing} goes {end}.",
    "Wir haben beschlossen, {thing} zu behalten.", "Nous avons décidé de garder {thing}.",
    "Hemos decidido cambiar {thing}.", "Decidimos trocar {thing}.",
    "{thing}を残すことに決定しました。",
    "我们决定保留{thing}。", "החלטנו לשמור על {thing}.",
)  # fmt: skip
TALKED: Final = (
    "Morning all.", "Let me look that up.", "The log shows nothing odd about {thing}.",
    "Who looks after {thing} now?", "Es gibt zwei Schlüssel für {thing}.",
    "Le rapport arrive demain.",
    "> rebuild {thing}\nI said so last week.", "See https://example.org/{handle} for the numbers.",
    "# Notes\n\n- {thing}: slow\n- [ ] ask bo\n\n```\n+1 in code is no vote\n```\n",
    "| what | cost |\n|---|---|\n| {thing} | 12 |\n\n**Proposal:** mend {thing} {end}",
    "1. Rebuild {thing} {end}\n2. Tell bo\n\nI prefer the first.",
    "I will order {thing} {end}.", "bo: please look at {thing}", "cy: I would rather wait",
    "Any objections to {handle}?", "Hearing none.", "{handle} and {thing} are the same idea.",
    "It takes a while. The old figures are on the second disk. Nobody has read them since May.",
)  # fmt: skip
TOPICS: Final = (None, None, None, None, "storage", "on call", "the harbour")
TIMES: Final = (None, None, None, "2026-01-05T09:00:00Z", "2025-12-31T23:59:59+02:00", "noon")
WORK: Final = ("episode.opened", "episode.closed", "step", "tool.called", "tool.returned")
VOTES: Final = (
    "vote.initiated", "vote.confirmed", "ballot.cast", "ballot.completed",
    "participant.joined",
)  # fmt: skip
STRANGE: Final[tuple[Entry | Unknown, ...]] = (
    Unknown("poll.opened", b'{"kind":"poll.opened"}'),
    Unknown("message", b'{"kind":"message","v":2}'),
    EntrySetAside(seq=3, reason="it killed a worker"),
    EntrySetAside(seq=5, reason="again", epoch=2),
    SessionForked(session="other", n=4),
)


class Draw:
    """Numbers and choices that a seed decides."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, end: int) -> int:
        return self._random.randrange(end)

    def of(self, options: Sequence[_T]) -> _T:
        return options[self.below(len(options))]

    def once_in(self, times: int) -> bool:
        return self.below(times) == 0

    def entry(self, makers: Sequence[Callable[..., Entry]]) -> Entry:
        """An entry of any kind that `makers` make."""
        return made(bytes(self.below(256) for _ in range(14)), makers)


def fixed_session(number: int) -> FixedSession:
    """The session of that number, folded; in one of three, what falls due is answered."""
    draw = Draw(number)
    session = FixedSession(draw, answered=number % 3 == 0)
    session.publish(_opening(draw, number))
    for entry in _body(draw, _BODIES[number % len(_BODIES)]):
        session.publish(entry)
    if draw.once_in(4):
        session.publish(SessionClosed(reason=draw.of(("closed", "turns")), by=draw.of(PEOPLE)))
    return session


class FixedSession:
    """A log under way, its memory and every fact on the way.

    Answers come as soon as something is owed, or some entries later.
    """

    def __init__(self, draw: Draw, *, answered: bool) -> None:
        self._draw, self._answered = draw, answered
        self.memory = Memory(PACKS)
        self.records: list[Record] = []
        self.facts: list[Fact] = []
        self._asked: set[str] = set()

    def publish(self, entry: Entry | Unknown) -> None:
        self._add(entry)
        if self._answered and self._draw.once_in(3):
            self._answer()

    def _add(self, entry: Entry | Unknown) -> None:
        last = self.records[-1] if self.records else None
        (record,) = numbered([entry], last.seq if last else 0, last.n if last else 0)
        self.records.append(record)
        self.facts += apply(self.memory, record)

    def _answer(self) -> None:
        owed: dict[str, Entry] = {}
        for summary in due_summaries(self.memory, 2):
            owed[summary.result_id("extract")] = answer(summary)
        for upgrade in list_upgrades(self.memory, 2):
            owed[upgrade.result_id("model")] = answers(upgrade, refuses=True)
        for name in sorted(owed.keys() - self._asked):
            self._asked.add(name)
            self._add(owed[name])


def _opening(draw: Draw, number: int) -> SessionOpened:
    tree = overlay_trees(load_preset(PRESETS[number % len(PRESETS)]), draw.of(TREES))
    if draw.once_in(2):
        tree = overlay_trees(tree, draw.of(TREES))
    title = draw.of((None, None, "Where the disks go"))
    return SessionOpened(settings=tree, packs=draw.of(PACK_SETS), title=title)


def _body(draw: Draw, make_entry: Callable[[Draw], Entry | Unknown]) -> Iterator[Entry | Unknown]:
    for _ in range(draw.of((6, 12, 24, 24, 40, 60))):
        chance = draw.below(200)
        if chance == 0:
            yield draw.of(STRANGE)
        elif chance == 1:
            yield SettingsChanged(settings=draw.of(CHANGES), packs=draw.of(PACK_SETS))
        elif chance == 2:
            yield SettingsChanged(settings=draw.of(TREES))
        elif chance < 6:
            into, ref = draw.of((("P1", "P2"), ("P2", "P1"), ("P1", "P3"), ("D1", "D2")))
            yield ItemCorrected(ref=ref, by=draw.of(PEOPLE), op="merge", value=into)
        else:
            yield make_entry(draw)


def _deliberation(draw: Draw) -> Entry:
    """A message of a deliberation, often with an envelope."""
    kind = draw.below(10)
    lines = PROPOSED if kind < 3 else REACTED if kind < 6 else DECIDED if kind == 6 else TALKED
    return _message(draw, _worded(draw, lines), draw.of((None, None, None, None, None, *ACTS)))


def _bare(draw: Draw) -> Entry:
    """Lines that nothing marks, and the votes and the talk around them."""
    kind = draw.below(8)
    if kind < 2:
        lead = draw.of(("", "", "ana: ", "bo: ", "RESOLVED: ", "scribe+ "))
        return _message(draw, lead + draw.of(BARE).format(draw.of(THINGS)), None)
    if kind < 6:
        return _message(draw, draw.of(AROUND), None)
    return _message(draw, _worded(draw, (*TALKED, *ODD)), None)


def _any(draw: Draw) -> Entry:
    """An entry of any kind, now and then a derived one that nobody asked for."""
    if draw.once_in(4):
        return _deliberation(draw)
    return draw.entry(DERIVED_MAKERS if draw.once_in(6) else CONTROL_MAKERS)


def _worked(draw: Draw) -> Entry:
    """Work towards goals by somebody, and a little talk of it."""
    if draw.once_in(5):
        return _deliberation(draw)
    return _of(draw, WORK)


def _voting(draw: Draw) -> Entry:
    """Proposals, and votes by ballots on them."""
    return _deliberation(draw) if draw.once_in(2) else _of(draw, VOTES)


def _of(draw: Draw, kinds: tuple[str, ...]) -> Entry:
    while (entry := draw.entry(CONTROL_MAKERS)).kind not in kinds:
        pass
    return entry


def _both(draw: Draw) -> Entry:
    return _any(draw) if draw.once_in(4) else _deliberation(draw)


_BODIES: Final = (_deliberation, _any, _bare, _both, _voting, _worked, _any)


def _worded(draw: Draw, lines: Sequence[str]) -> str:
    handle = draw.of(("P1", "P1", "P2", "P3", "D1", "D2"))
    words = {"{thing}": draw.of(THINGS), "{end}": draw.of(ENDS), "{handle}": handle}
    line = draw.of(lines)
    for mark, word in words.items():
        line = line.replace(mark, word)
    if draw.once_in(9):
        line += f"\n{draw.of(TALKED[:2])}"
    return line


def _message(draw: Draw, content: str, act: str | None) -> Entry:
    re: int | str | None = None
    if draw.once_in(4):
        re = 1 + draw.below(20) if draw.once_in(2) else draw.of(("P1", "P2", "D1", "E1", "P0"))
    return Message.model_validate({
        "participant": draw.of(PEOPLE), "content": content, "act": act, "re": re,
        "topic": draw.of(TOPICS), "at": draw.of(TIMES),
        "form": "reasoning" if draw.once_in(20) else "statement",
    })  # fmt: skip
