"""Spoken talk: turns are read one by one, and each is judged once those after it are known.

    register ──► utterance ──► surroundings ──► speech card ──► a proposal, hints of decisions
    spoken?      its words     who went on      integers

Where a session is spoken, this takes the place of the window for typed talk: nobody casts a
vote in words, and nothing is restated for the minutes. A line that looks like a suggestion
becomes a proposal. What may be a decision is only told, as a fact: nine in ten are none.
How near talk sounds to where decisions are made is a third score, which only sums are read of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory import proposals
from memory.items import Cite, Origin
from memory.moment import Moment
from memory.state import Memory
from memory.structure import regions, surroundings, utterance
from memory.structure.register import lean
from memory.structure.speech_card import NEVER, chance, speech_card
from memory.structure.state import REACH, Spoken, Structure, Turn
from memory.structure.utterance import Utterance, step
from memory.structure.wording import READ
from memory.text import plain

_PROPOSAL, _DECISION = 0, 1
_LATELY: Final = 30  # turns within which a word counts as said lately
_OPENING: Final = 20  # turns in which whoever says most is taken to be in the chair
_MINDED: Final = 120  # content words remembered before those not said lately are dropped


def hear(moment: Moment) -> bool:
    """Take the message of `moment` in, where talk is spoken; False where it is not."""
    memory = moment.memory
    held = memory.structure.spoken
    manner = memory.settings.structure.manner
    if manner == "typed" or (manner == "auto" and held.settled == "typed"):
        return False
    text = moment.content[:READ]
    line = Turn(n=moment.n, who=moment.participant, text=text, at=moment.at, topic=moment.topic)
    held.waiting.append(line)
    if manner == "auto" and not held.settled and not _settles(held, text):
        return False
    _let_go(memory)
    waiting, held.waiting = held.waiting, []
    for line in waiting:
        _take(moment, line)
    return True


def _settles(held: Spoken, text: str) -> bool:
    """True where this line tells that talk is spoken; till then the newest lines are kept."""
    lean(held, plain(text))
    if held.settled == "typed":
        held.waiting = []
    del held.waiting[:-REACH]
    return held.settled == "spoken"


def _let_go(memory: Memory) -> None:
    """Empty the window for typed talk; what it found stays."""
    held = memory.structure
    if held.lines or held.led or held.aside or held.runs or held.casts or held.talk:
        memory.structure = Structure(
            spoken=held.spoken, scribing=held.scribing, proposals=held.proposals,
            decisions=held.decisions, marked=held.marked, found=held.found, stray=held.stray,
        )  # fmt: skip


def _take(moment: Moment, line: Turn) -> None:
    held = moment.memory.structure.spoken
    said = utterance.read(plain(line.text))
    describe(held, line, said)
    if line.kind not in surroundings.MUTE:
        line.said = speech_card().add([*said.names, *line.tags])
    held.turns.append(line)
    del held.turns[: -2 * surroundings.REACH - 1]
    place = len(held.turns) - 1 - surroundings.REACH
    if place >= 0:
        _judge(moment, held.turns, place)


def describe(held: Spoken, line: Turn, said: Utterance) -> None:
    """Note what `line` is like, and how the session stands when it is said."""
    line.kind, line.words, line.end = said.kind, said.words, said.end
    line.cue, line.settle, line.asks = said.cue, said.settle, said.asks
    line.content = [*said.content]
    if held.heard < _OPENING:
        held.talked[line.who] = held.talked.get(line.who, 0) + line.words
    if line.kind not in surroundings.MUTE:
        line.tags = [*_standing(held, line)]
    held.heard += 1


def _standing(held: Spoken, line: Turn) -> Iterator[str]:
    now, lately = held.heard, held.lately
    known = [now - lately[word] for word in line.content if word in lately]
    recent = sum(apart <= _LATELY for apart in known)
    yield f"lately: {step(recent, (0, 1, 2))}"
    yield f"fresh: {step(len(line.content) - recent, (0, 1, 2))}"
    lately.update(dict.fromkeys(line.content, now))
    if len(lately) > _MINDED:
        held.lately = {word: at for word, at in lately.items() if now - at < _LATELY}
    if line.who == max(held.talked, key=lambda who: (held.talked[who], who), default=""):
        yield "chair"
        yield f"chair: {line.kind}"
        yield f"chair: {'cue' if line.cue else 'settling' if line.settle else 'plain'}"


# -- judging -----------------------------------------------------------------------


def _judge(moment: Moment, turns: list[Turn], place: int) -> None:
    """Mark turn `place` for what it looks like, now that the turns after it are known."""
    card, line = speech_card(), turns[place]
    if line.kind in surroundings.MUTE:
        _note(moment, line, NEVER, 0)
        return
    around = [*surroundings.names(turns, place)]
    added = card.add(around)
    proposal, decision, near = (
        bias + one + other for bias, one, other in zip(card.bias, line.said, added, strict=True)
    )
    if proposal >= card.marks[_PROPOSAL]:
        _propose(moment, line, _origin(moment, line, around, proposal, _PROPOSAL))
    if moment.memory.settings.structure.decisions == "lines":
        before = moment.memory.structure.spoken.judged[1 - regions.BEFORE :]
        led = decision + regions.leading([one for _, _, one in before] + [near])
        if led >= card.marks[_DECISION]:
            # Told at its own chance: of lines so found that share is right, of `led` too few.
            _hint(moment, line, _origin(moment, line, around, decision, _DECISION))
    _note(moment, line, decision, near)


def _note(moment: Moment, line: Turn, score: int, near: int) -> None:
    """Let regions know; of `line` itself the turns to come need no more than what it is like."""
    if moment.memory.settings.structure.decisions != "off":
        regions.hear(moment, line.n, chance(score), near)
    line.text, line.tags, line.said, line.at, line.topic = "", [], (0, 0, 0), None, None


def _origin(moment: Moment, line: Turn, around: list[str], score: int, label: int) -> Origin:
    """Cites the line, and the entry that let it be judged; the rule names what decided."""
    names = [*utterance.read(plain(line.text)).names, *line.tags, *around]
    cites = (Cite(line.n, 0, len(line.text.rstrip())), Cite(moment.n, 0, len(moment.content)))
    rule = speech_card().reasons(names, label)
    return Origin(cites, "structure", rule, chance(score))


def _propose(moment: Moment, line: Turn, origin: Origin) -> None:
    """Enter a proposal, unless its own words or marks made it one."""
    handles = moment.memory.at_refs.get(line.n, ())
    if not any(handle.startswith("P") for handle in handles):
        then = moment.earlier(line.n, line.who, line.text, 0, line.at, line.topic)
        proposals.propose(then, line.text.strip(), origin)


def _hint(moment: Moment, line: Turn, origin: Origin) -> None:
    handles = moment.memory.at_refs.get(line.n, ())
    if not any(handle.startswith("D") for handle in handles):
        then = moment.earlier(line.n, line.who, line.text, 0, line.at, line.topic)
        where = origin.cites[0]
        then.found(
            "decision.hinted", None, participant=line.who, start=where.start, end=where.end,
            how=origin.how, rule=origin.rule, confidence=origin.confidence,
        )  # fmt: skip
