"""What a line typed into a session means: something said, an act, a moderator's word. Pure.

A line that begins with a slash is a command, any other is a message as it
stands. A command becomes the entries it publishes, or names what it would see;
a wrong one is `Misuse`, in one line that says what to type instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bus.entries import (
    BallotCast,
    Entry,
    EpisodeOpened,
    FloorGranted,
    FloorMuted,
    FloorPaused,
    FloorReleased,
    FloorResumed,
    Message,
    VoteInitiated,
)
from memory.floor_state import Vote
from memory.items import Decision, Proposal
from memory.state import Memory
from server.errors import Misuse
from server.names import nearest
from server.talking import DIGITS, handle, made

View = Literal["memory", "context", "who", "floor", "votes", "help"]


@dataclass(frozen=True, slots=True)
class Publish:
    """Entries for the log, in one batch; `needs` is the capability that they take, or ""."""

    entries: tuple[Entry, ...]
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Show:
    view: View


@dataclass(frozen=True, slots=True)
class Close:
    reason: str
    needs: str = "close"


@dataclass(frozen=True, slots=True)
class Quit:
    pass


Command = Publish | Show | Close | Quit


@dataclass(frozen=True, slots=True)
class _Line:
    """A command with what was typed after its name, who typed it, and what is known by then."""

    name: str
    rest: str
    me: str
    memory: Memory

    def words(self, usage: str) -> str:
        """All that was typed. Raises `Misuse` where it is nothing."""
        if not self.rest:
            raise Misuse(f"say more: /{self.name} {usage}")
        return self.rest

    def first(self, usage: str) -> tuple[str, str]:
        """The first word and what follows it."""
        word, _, rest = self.words(usage).partition(" ")
        return word, rest.strip()


def parse(line: str, me: str, memory: Memory) -> Command | None:
    """What `me` means by `line`, given the session as it stands; None for an empty line.

    `//` begins a message that starts with a slash. Raises `Misuse`.
    """
    text = line.strip()
    if not text:
        return None
    if not text.startswith("/") or text.startswith("//"):
        return _said(me, text[1:] if text.startswith("//") else text)
    name, _, rest = text[1:].partition(" ")
    command = _COMMANDS.get(name.lower())
    if command is None:
        meant = nearest(name.lower(), list(_COMMANDS))
        raise Misuse(f"no command /{name}; the nearest is /{meant} ({_COMMANDS[meant].usage()})")
    return command.read(_Line(name.lower(), rest.strip(), me, memory))


def help_lines() -> list[str]:
    """Each command with what it takes and does."""
    width = max(len(command.usage()) for command in _COMMANDS.values())
    told = [f"{command.usage():<{width}}  {command.does}" for command in _COMMANDS.values()]
    return [*told, "anything else is said as it stands"]


def names() -> list[str]:
    """The commands, with their slash."""
    return [f"/{name}" for name in _COMMANDS]


# -- talk ------------------------------------------------------------------------


def _said(me: str, text: str, **fields: object) -> Publish:
    return Publish((made(Message, participant=me, content=text, **fields),))


def _words(line: _Line) -> Publish:
    return _said(line.me, line.words("TEXT"), act=line.name)


def _about_a_proposal(line: _Line) -> Publish:
    ref, why = line.first("P3 [WHY]")
    return _reaction(line, _item(line.memory, ref, "P"), why)


def _about_a_decision(line: _Line) -> Publish:
    ref, why = line.first("D1 [WHY]")
    return _reaction(line, _item(line.memory, ref, "D"), why)


def _reaction(line: _Line, ref: str, why: str) -> Publish:
    on = " on" if line.name == "abstain" else ""
    return _said(line.me, why or f"I {line.name}{on} {ref}.", act=line.name, re=ref)


def _amend(line: _Line) -> Publish:
    ref, text = line.first("P3 TEXT")
    target = _item(line.memory, ref, "P")
    if not text:
        raise Misuse(f"say what {target} should be instead: /amend {target} TEXT")
    return _said(line.me, text, act="amend", re=target)


def _decide(line: _Line) -> Publish:
    word, rest = line.first("[P3] TEXT")
    if not _looks_like(word, "P"):
        return _words(line)
    ref = _item(line.memory, word, "P")
    return _said(line.me, rest or f"We go with {ref}.", act="decide", re=ref)


def _address(line: _Line) -> Publish:
    name, text = line.first("NAME TEXT")
    if not text:
        raise Misuse(f"say something to {name}: /to {name} TEXT")
    return _said(line.me, text, to=(_participant(line.memory, name),))


# -- votes -----------------------------------------------------------------------


def _vote(line: _Line) -> Command:
    if not line.rest:
        return Show("votes")
    word, rest = line.first("")
    if word == "call":
        return _call(line, rest)
    vote = _vote_of(line.memory, word)
    choices = (rest if _looks_like(word, "V") else line.rest).split()
    return Publish((_ballot(line.me, vote, choices),))


def _call(line: _Line, rest: str) -> Publish:
    word, _, question = rest.partition(" ")
    if not word:
        raise Misuse("say on what: /vote call P3, or /vote call QUESTION")
    if not _looks_like(word, "P"):
        return Publish((made(VoteInitiated, participant=line.me, content=rest),), "vote")
    ref = _item(line.memory, word, "P")
    asked = question.strip() or f"Do we go with {ref}?"
    return Publish((made(VoteInitiated, participant=line.me, content=asked, re=ref),), "vote")


def _vote_of(memory: Memory, word: str) -> Vote:
    """The vote that `word` names, or the one that is open where it names none."""
    held = memory.votes.held
    if _looks_like(word, "V"):
        vote = held.get(int(word[1:]))
        if vote is None:
            raise Misuse(f"no vote {word.upper()}; {_listed('votes', [f'V{ref}' for ref in held])}")
        if vote.status != "open":
            raise Misuse(f"{word.upper()} is not open, it is {vote.status}")
        return vote
    running = [vote for vote in held.values() if vote.status == "open"]
    if len(running) != 1:
        raise Misuse("say in which vote: /vote V1 CHOICE" if running else "no vote is open")
    return running[0]


def _ballot(me: str, vote: Vote, choices: Sequence[str]) -> BallotCast:
    known = {option.casefold(): option for option in (*vote.options, "abstain")}
    told = f"V{vote.ref} takes {', '.join(known.values())}"
    if not choices:
        raise Misuse(f"choose: {told}")
    if len(choices) > 1 and vote.rule != "ranked":
        raise Misuse(f"choose one: {told}")
    for choice in choices:
        if choice.casefold() not in known:
            raise Misuse(f"{choice!r} is no option; {told}")
    chosen = tuple(known[choice.casefold()] for choice in choices)
    return made(BallotCast, participant=me, re=vote.n, choice=chosen)


# -- moderation ------------------------------------------------------------------


def _grant(line: _Line) -> Publish:
    floor = line.memory.floor
    name = _seated(line.memory, line.words("NAME"))
    if floor.seats[name].role != "agent":
        raise Misuse(f"{name} needs no floor: people speak without it")
    if name == floor.holder:
        raise Misuse(f"{name} has the floor already")
    taken, granted = _released(line), floor.epoch + (2 if floor.holder else 1)
    lease = line.memory.settings.floor.lease_ms
    entry = FloorGranted(participant=name, epoch=granted, lease_ms=lease, by=line.me)
    return Publish((*taken, entry), "grant")


def _interrupt(line: _Line) -> Publish:
    taken = _released(line)
    if not taken:
        raise Misuse("nobody has the floor")
    return Publish(taken, "interrupt")


def _released(line: _Line) -> tuple[FloorReleased, ...]:
    """The floor taken from whoever holds it; nothing where nobody does."""
    floor = line.memory.floor
    if not floor.holder:
        return ()
    return (
        FloorReleased(
            participant=floor.holder, epoch=floor.epoch + 1, reason="revoked", by=line.me
        ),
    )


def _mute(line: _Line) -> Publish:
    name = _seated(line.memory, line.words("NAME"))
    muted = line.name == "mute"
    return Publish((FloorMuted(participant=name, muted=muted, by=line.me),), "mute")


def _pause(line: _Line) -> Publish:
    return Publish((FloorPaused(by=line.me),), "pause")


def _resume(line: _Line) -> Publish:
    return Publish((FloorResumed(by=line.me),), "pause")


def _phase(line: _Line) -> Publish:
    title = line.words("TITLE")
    opened = made(EpisodeOpened, participant=line.me, episode="phase", title=title)
    return Publish((opened,), "phase")


def _close(line: _Line) -> Close:
    return Close(line.words("REASON"))


def _quit(line: _Line) -> Quit:
    return Quit()


def _show(line: _Line) -> Show:
    return Show(_VIEWS[line.name])


# -- names and handles -----------------------------------------------------------


def _looks_like(word: str, letter: str) -> bool:
    rest = word[1:]
    return word[:1].upper() == letter and rest.isdecimal() and len(rest) <= DIGITS


def _item(memory: Memory, word: str, letter: str) -> str:
    """The handle that `word` is, of an item there is."""
    ref = handle(word)
    item: Proposal | Decision | None = memory.item(ref) if _looks_like(ref, letter) else None
    if item is None:
        what, held = (
            ("proposals", [f"P{p}" for p in memory.live])
            if letter == "P"
            else ("decisions", [f"D{d}" for d, one in memory.decisions.items() if one.stands])
        )
        raise Misuse(f"{word!r} is none of the {what}; {_listed(what, held)}")
    return ref


def _listed(what: str, held: Sequence[str]) -> str:
    return f"there are {', '.join(held[-10:])}" if held else f"there are no {what} yet"


def _seated(memory: Memory, name: str) -> str:
    return _one_of(name, memory.floor.seats, memory, "has a seat")


def _participant(memory: Memory, name: str) -> str:
    return _one_of(name, [*memory.floor.seats, *memory.participants], memory, "is here")


def _one_of(name: str, known: Iterable[str], memory: Memory, what: str) -> str:
    """The canonical name that `name`, in any case, is of those `known`."""
    by_fold = {one.casefold(): one for one in known}
    found = by_fold.get(memory.named(name.removeprefix("@")).casefold())
    if found is None:
        near = f"; did you mean {nearest(name, list(by_fold.values()))}?" if by_fold else ""
        raise Misuse(f"nobody called {name!r} {what}{near}")
    return found


# -- the commands ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    takes: str
    does: str
    read: Callable[[_Line], Command]

    def usage(self) -> str:
        return f"/{self.name} {self.takes}".rstrip()


_VIEWS: Final[dict[str, View]] = {
    "memory": "memory", "context": "context", "who": "who", "floor": "floor", "help": "help",
}  # fmt: skip

_COMMANDS: Final[dict[str, _Command]] = {
    command.name: command
    for command in (
        _Command("propose", "TEXT", "make a proposal", _words),
        _Command("amend", "P3 TEXT", "put another wording in its place", _amend),
        _Command("withdraw", "P3", "take back your own", _about_a_proposal),
        _Command("support", "P3 [WHY]", "stand for it", _about_a_proposal),
        _Command("oppose", "P3 [WHY]", "stand against it", _about_a_proposal),
        _Command("abstain", "P3 [WHY]", "take no side", _about_a_proposal),
        _Command("accept", "P3 [WHY]", "accept it, as the chair", _about_a_proposal),
        _Command("reject", "P3 [WHY]", "reject it, as the chair", _about_a_proposal),
        _Command("decide", "[P3] TEXT", "say what is decided", _decide),
        _Command("ratify", "D1 [WHY]", "confirm a decision", _about_a_decision),
        _Command("dispute", "D1 [WHY]", "deny that it was made", _about_a_decision),
        _Command("ask", "TEXT", "ask everybody", _words),
        _Command("inform", "TEXT", "tell everybody", _words),
        _Command("to", "NAME TEXT", "say it to one of them", _address),
        _Command("vote", "[V1] CHOICE… | call P3 | call TEXT", "vote, or call a vote", _vote),
        _Command("memory", "", "proposals and decisions as they stand", _show),
        _Command("context", "", "what you would be shown if you were an agent", _show),
        _Command("who", "", "who is here, and who listens", _show),
        _Command("floor", "", "who has the floor, and who asks for it", _show),
        _Command("grant", "NAME", "give an agent the floor", _grant),
        _Command("interrupt", "", "take the floor from whoever has it", _interrupt),
        _Command("mute", "NAME", "give that agent no floor", _mute),
        _Command("unmute", "NAME", "… and again", _mute),
        _Command("pause", "", "give no agent the floor", _pause),
        _Command("resume", "", "… and again", _resume),
        _Command("phase", "TITLE", "begin a phase; it ends the one before", _phase),
        _Command("close", "REASON", "end the session", _close),
        _Command("help", "", "this list", _show),
        _Command("quit", "", "leave; the session goes on", _quit),
    )
}
