"""The Brief of a session, with who does what by when. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parley.bus.entries import Record
from parley.memory.state.lookup import is_standing_talk
from parley.memory.state.memory import Memory
from parley.server.minutes.action_items import find_actions
from parley.server.minutes.decided_words import DecidedTerms
from parley.server.minutes.read_tasks import add_read_tasks
from parley.server.minutes.words.attribution import voices
from parley.server.minutes.words.mentions import NameIndex
from parley.server.rows.brief_rows import brief_row, brief_sentence, waiting_for

NEWEST: Final = 2000  # entries that are read for words and times: some eight meetings

Row = dict[str, Any]


def wanted_entries(memory: Memory) -> set[int]:
    """The entries that `build_brief` reads, by n."""
    return {*range(max(1, memory.n - NEWEST + 1), memory.n + 1)}


def build_brief(
    memory: Memory, records: Mapping[int, Record], session: str = "", reader: str = ""
) -> Row:
    """The whole of it as plain data; `reader` is whom it waits for by "you".

    `records` are those of `wanted_entries`; of what they lack memory's own short words are told,
    and nobody's word to do something is.
    """
    records = {n: records[n] for n in sorted(wanted_entries(memory) & records.keys())}
    row = brief_row(memory, records)
    waits = waiting_for(row["waiting"], memory.named(reader)) if reader else ""
    actions, older = _actions(memory, records)
    more = {**row["more"], **({"actions": older} if older else {})}
    sentence = brief_sentence(row["counts"], waits)
    return {"session": session, **row, "sentence": sentence, "actions": actions, "more": more}


def _actions(memory: Memory, records: Mapping[int, Record]) -> tuple[list[Row], int]:
    """Who said they, or somebody else, would do what; the newest first."""
    names = NameIndex(memory)
    talk = [
        record
        for n, record in records.items()
        if is_standing_talk(memory, record)
        and not names.is_bot(str(getattr(record.entry, "participant", "")))
        and not memory.is_redacted(n)
    ]
    speakers = voices(memory, talk)
    rows, older = find_actions(memory, talk, speakers, DecidedTerms(memory))
    speaks = {n: voice.name for n, voice in speakers.items()}
    return add_read_tasks(memory, rows, records, speaks)[::-1], older
