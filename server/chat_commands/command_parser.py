"""What a line typed into a session means: something said, an act, a moderator's word. Pure.

A line that begins with a slash is a command, any other is a message as it
stands. A command becomes the entries it publishes, or names what it would see;
a wrong one is `Misuse`, in one line that says what to type instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from parley.memory.state.memory import Memory
from parley.server.basics.errors import Misuse
from parley.server.basics.spelling import nearest
from parley.server.chat_commands import ballot_commands, speech_acts
from parley.server.chat_commands.moderator_commands import read_moderation
from parley.server.chat_commands.typed_line import Close, Command, Quit, Show, TypedLine, View


def parse(line: str, me: str, memory: Memory) -> Command | None:
    """What `me` means by `line`, given the session as it stands; None for an empty line.

    `//` begins a message that starts with a slash. Raises `Misuse`.
    """
    text = line.strip()
    if not text:
        return None
    if not text.startswith("/") or text.startswith("//"):
        return speech_acts.draft_message(me, text[1:] if text.startswith("//") else text)
    name, _, rest = text[1:].partition(" ")
    command = _COMMANDS.get(name.lower())
    if command is None:
        meant = nearest(name.lower(), list(_COMMANDS))
        raise Misuse(f"no command /{name}; the nearest is {_COMMANDS[meant].usage()}")
    return command.read(TypedLine(name.lower(), rest.strip(), me, memory))


def help_lines() -> list[str]:
    """Each command with what it takes and does."""
    width = max(len(command.usage()) for command in _COMMANDS.values())
    lines = [f"{command.usage():<{width}}  {command.does}" for command in _COMMANDS.values()]
    return [*lines, "anything else is said as it stands"]


def names() -> list[str]:
    """The commands, with their slash."""
    return [f"/{name}" for name in _COMMANDS]


def _close(line: TypedLine) -> Close:
    return Close(line.words("REASON"))


def _quit(line: TypedLine) -> Quit:
    return Quit()


def _show(line: TypedLine) -> Show:
    return Show(_VIEWS[line.name])


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    takes: str
    does: str
    read: Callable[[TypedLine], Command]

    def usage(self) -> str:
        return f"/{self.name} {self.takes}".rstrip()


_VIEWS: Final[dict[str, View]] = {
    "memory": "memory", "context": "context", "who": "who", "floor": "floor", "help": "help",
}  # fmt: skip

_COMMANDS: Final[dict[str, _Command]] = {
    command.name: command
    for command in (
        _Command("propose", "TEXT", "make a proposal", speech_acts.say),
        _Command("amend", "P3 TEXT", "put another wording in its place", speech_acts.amend),
        _Command("withdraw", "P3", "take back your own", speech_acts.about_a_proposal),
        _Command("support", "P3 [WHY]", "stand for it", speech_acts.about_a_proposal),
        _Command("oppose", "P3 [WHY]", "stand against it", speech_acts.about_a_proposal),
        _Command("abstain", "P3 [WHY]", "take no side", speech_acts.about_a_proposal),
        _Command(
            "accept",
            "P3 [WHY]",
            "accept it as the chair, else support it",
            speech_acts.about_a_proposal,
        ),
        _Command(
            "reject",
            "P3 [WHY]",
            "reject it as the chair, else oppose it",
            speech_acts.about_a_proposal,
        ),
        _Command("decide", "[P3] TEXT", "say what is decided", speech_acts.decide),
        _Command("ratify", "D1 [WHY]", "confirm a decision", speech_acts.about_a_decision),
        _Command("dispute", "D1 [WHY]", "deny that it was made", speech_acts.about_a_decision),
        _Command("ask", "TEXT", "ask everybody", speech_acts.say),
        _Command("inform", "TEXT", "tell everybody", speech_acts.say),
        _Command("to", "NAME TEXT", "say it to one of them", speech_acts.address),
        _Command(
            "vote",
            "[V1] CHOICE… | call P3 | call TEXT | extend 1h",
            "vote, call a vote, or give it more time",
            ballot_commands.vote,
        ),
        _Command("memory", "", "proposals and decisions as they stand", _show),
        _Command("context", "", "what an agent in your place would be shown", _show),
        _Command("who", "", "who is here, and who listens", _show),
        _Command("floor", "", "who has the floor, and who asks for it", _show),
        _Command("grant", "NAME", "give an agent the floor", read_moderation),
        _Command("interrupt", "", "take the floor from whoever has it", read_moderation),
        _Command("mute", "NAME", "give that agent no floor", read_moderation),
        _Command("unmute", "NAME", "… and again", read_moderation),
        _Command("pause", "", "give no agent the floor", read_moderation),
        _Command("resume", "", "… and again", read_moderation),
        _Command("phase", "TITLE", "begin a phase; it ends the one before", read_moderation),
        _Command("close", "REASON", "end the session", _close),
        _Command("help", "", "this list", _show),
        _Command("quit", "", "leave; the session goes on", _quit),
    )
}
