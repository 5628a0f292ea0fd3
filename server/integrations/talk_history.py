"""The talk as the history of one agent: for frameworks that keep messages, not a ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from parley.memory.errors import DomainError
from parley.server.integrations.talk_hosts import Line
from parley.server.integrations.team_talk import TeamTalk

USER: Final = "user"  # in whose name the input of a run is in the log


class HistoryKept(DomainError):
    """A history was to lose what is in the log; says what is possible instead."""


def refuse_to_clear() -> HistoryKept:
    """The error to raise for `clear`: others read the log too, and nothing is taken out of it."""
    return HistoryKept(
        "the log of a talk is only added to; for an empty history open another session: Team(…)"
    )


@dataclass(frozen=True, slots=True)
class TalkHistory:
    """The messages of a talk as agent `name` has them, whose runs begin with words of `user`."""

    talk: TeamTalk
    name: str
    user: str = USER

    def is_own(self, line: Line) -> bool:
        """True for what the agent itself said."""
        return line.who == self.name

    def words(self, line: Line) -> str:
        """What its model reads: the words, after the name of another agent who said them."""
        is_named = line.who not in (self.name, self.user)
        return f"{line.who}: {line.text}" if is_named else line.text

    async def take_back(self) -> Line | None:
        """Take back the newest message, and give it; None if there is none.

        The log keeps its words, and no reader is shown them any more. Raises `HistoryKept` if
        another agent said it, and the refusals of an edit if something rests on it.
        """
        newest = await self.talk.talk(self.name, 1)
        if not newest:
            return None
        (line,) = newest
        if line.who not in (self.name, self.user):
            raise HistoryKept(f"message {line.n} is {line.who}'s: nobody else takes it back")
        await self.talk.take_back(line.who, line.n)
        return line
