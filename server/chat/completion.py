"""How a line that is being typed may go on: commands, handles, names, options. Pure."""

from __future__ import annotations

from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.server.chat_commands.command_parser import names


def complete(line: str, memory: Memory) -> tuple[str, list[str]]:
    """The last word of `line`, and what it may become; nothing for plain talk."""
    before, _, word = line.rpartition(" ")
    if not before:
        return word, _beginning(word, names()) if word.startswith("/") else []
    known = [*_handles(memory), *_names(memory)]
    if before.startswith("/vote"):
        known = [*_options(before, memory), "call", *known]
    if word.startswith("@"):
        known = [f"@{name}" for name in _names(memory)]
    elif not line.startswith("/"):
        known = _handles(memory) if word[:1] in ("P", "D", "V") else []
    return word, _beginning(word, known)


def _beginning(word: str, known: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(known) if name.casefold().startswith(word.casefold())]


def _handles(memory: Memory) -> list[str]:
    ledger = ledger_of(memory)
    shown = [item for item in ledger.decisions() if item.shelf == "firm" and item.item]
    decisions = [item.handle for item in shown]
    votes = [f"V{ref}" for ref, vote in memory.votes.by_ref.items() if vote.status == "open"]
    return [*votes, *(f"P{ref}" for ref in sorted(memory.live)), *decisions[-20:]]


def _names(memory: Memory) -> list[str]:
    return sorted({*memory.floor.seats, *memory.participants})


def _options(before: str, memory: Memory) -> list[str]:
    """What may be chosen in the vote that was named, or in the open ones."""
    running = [vote for vote in memory.votes.by_ref.values() if vote.status == "open"]
    chosen = [vote for vote in running if f" V{vote.ref}" in before.upper()] or running
    return [option for vote in chosen for option in (*vote.options, "abstain")]
