"""The sides that participants have, as rows: those of the ledger, and on topics. Pure."""

from __future__ import annotations

from parley.memory.ledger.ledger_rows import LedgerItem, Side
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.item_state import Cite, Decision, Participant, Position, Proposal
from parley.memory.state.memory import Memory
from parley.server.rows.cite_rows import Row, cite_places, cites_of, pick
from parley.server.rows.item_shapes import PositionRow, Stand
from parley.server.verdicts.tallies import shown_sides


class Positions:
    """The shown positions of a memory: none on what is no firm item."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._ledger = memory, ledger_of(memory)
        self._read: dict[str, list[tuple[LedgerItem, Side]]] = {}
        known: list[Proposal | Decision] = [*memory.proposals.values(), *memory.decisions.values()]
        struck = [item.origin for item in known if item.struck]
        self._apart = {*cites_of(*struck)}  # places of what is no firm item
        for item in (*self._ledger.proposals(), *self._ledger.decisions()):
            if item.shelf != "firm":
                self._apart.update(item.origin.cites)
                continue
            for side in item.sides.values():
                if side.as_read:
                    self._read.setdefault(side.participant, []).append((item, side))

    def of(self, name: str) -> list[Stand]:
        """Those of one participant, the oldest first."""
        person = self._memory.participants.get(name)
        kept = person.positions.values() if person is not None else ()
        rows = [_row(position) for position in kept if self._stands(name, position)]
        rows += [_read_row(item, side) for item, side in self._read.get(name, ())]
        return sorted(rows, key=lambda row: row["n"])

    def contributions(self, participant: Participant) -> list[Cite]:
        """What somebody said that mattered, without candidates and what was denied."""
        return [cite for cite in participant.contributions if cite not in self._apart]

    def _stands(self, name: str, position: Position) -> bool:
        """True unless the ledger has another side of `name` on that item, or no firm one."""
        handle = position.on
        if handle[:1] not in "PD" or not handle[1:].isdecimal():
            return True  # on a topic
        item = self._ledger.item(handle)
        if item is None or item.shelf != "firm":
            return item is None and self._memory.item(handle) is None
        side = shown_sides(self._memory, item).get(name)
        if side is None and name == item.participant and item.status == "accepted":
            return True  # who proposed it is on record for what was accepted
        if side is None:
            return item.item is not None and item.item.shrunk
        return not side.as_read


def _row(position: Position) -> Stand:
    return {
        "on": position.on,
        "stance": position.stance,
        "as_read": False,
        "n": position.cite.n,
        "text": position.text,
        "was": position.was,
        "was_n": position.was_cite.n if position.was_cite else None,
        "moved_by": position.moved_by or None,
        "moved_n": position.moved_n or None,
    }


def _read_row(item: LedgerItem, side: Side) -> Stand:
    before = [each for each in item.earlier_sides if each.participant == side.participant]
    was = before[-1] if before and before[-1].stance != side.stance else None
    return {
        "on": item.handle,
        "stance": side.stance,
        "as_read": True,
        "n": side.n,
        "text": side.text,
        "was": None if was is None else was.stance,
        "was_n": None if was is None else was.n,
        "moved_by": None,
        "moved_n": None,
    }


def position_rows(memory: Memory) -> list[PositionRow]:
    """Every shown position, by participant."""
    positions = Positions(memory)
    return [
        {"participant": name, **row} for name in memory.participants for row in positions.of(name)
    ]


def tool_position_rows(memory: Memory) -> list[Row]:
    """The same for tools, newest first, with the places where each was said."""
    rows = sorted(position_rows(memory), key=lambda row: (-row["n"], row["participant"]))
    return [{**pick(row, *_TOLD), "cites": _places(memory, row)} for row in rows]


_TOLD = ("participant", "on", "stance", "as_read", "text", "was", "n")


def _places(memory: Memory, row: PositionRow) -> list[Row]:
    if row["as_read"]:
        item = ledger_of(memory).item(row["on"])
        side = None if item is None else item.sides.get(row["participant"])
        return [] if side is None else cite_places(side.origin.cites)
    position = memory.participants[row["participant"]].positions[row["on"]]
    return cite_places(filter(None, (position.cite, position.was_cite)))
