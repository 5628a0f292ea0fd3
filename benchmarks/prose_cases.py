"""What prose is learned from: the units of recorded talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from benchmarks.extraction_scores import is_optional
from benchmarks.recorded import Recorded, Row
from parley.memory.extraction.prose.prose_scores import ProseMessage, Setting
from parley.memory.extraction.prose.prose_tables import ProseTables
from parley.memory.extraction.writing.units import Unit, hide_code, split_units
from parley.memory.extraction.writing.wording import words_of
from parley.memory.text.plain_text import to_plain

_SHARE: Final = 0.34  # of a text's stems, that a unit has to say it
_LETTERS: Final = 5  # of a stem
_FUNCTION_WORDS: Final = frozenset(
    """
    the a an to of and or in on for with is are be it this that as by from at we i you they not no
    """.split()  # noqa: SIM905  # a list of thirty quoted words reads worse
)
Label = int  # 0: no, 1: yes, 2: it may or may not be said


class ProseCase(NamedTuple):
    """A message: the signs of its units, and what is sought in it."""

    repository: str
    licensed: bool
    message: ProseMessage
    signs: list[frozenset[str]]
    proposes: Label
    proposing: frozenset[int]  # units that say what is proposed
    decides: Label
    deciding: frozenset[int]


def prose_cases(talk: Recorded, tables: ProseTables) -> list[ProseCase]:
    """Each message of a transcript."""
    meta, *rows = talk.rows()
    gold = talk.gold()
    keys = {
        label: {row["index"]: row for row in gold if row["label"] == label}
        for label in ("proposal", "decision")
    }
    licence = str(meta.get("licence", ""))
    names = {name for row in rows for name in re.findall(r"[a-z]{3,}", row["agent_id"].lower())}
    repository = str(meta.get("repository", talk.name))
    cases, earlier = [], 0
    for row in rows:
        text = to_plain(row["content"])
        hidden = hide_code(text)
        low = hidden.lower() if len(hidden.lower()) == len(text) else hidden
        units = split_units(hidden)
        who = row["agent_id"]
        setting = Setting(
            rules=not tables.rulers.isdisjoint(re.findall(r"[a-z]+", who.lower())),
            earlier=earlier,
        )
        words = [words_of(low[unit.start : unit.end]) for unit in units]
        message = ProseMessage(units, words, tables, setting)
        proposal = keys["proposal"].get(row["index"])
        decision = keys["decision"].get(row["index"])
        cases.append(
            ProseCase(
                repository,
                bool(licence) and not licence.startswith(("none", "not")),
                message,
                [_nameless(message.name_signs(each), names) for each in range(len(units))],
                _label(proposal),
                sought_units(
                    text, units, proposal["texts"] if proposal and "texts" in proposal else ()
                ),
                _label(decision),
                sought_units(
                    text, units, [decision["text"]] if decision and "text" in decision else ()
                ),
            )
        )
        earlier += proposal is not None
    return cases


def repository_of(talk: Recorded) -> str:
    """Where a transcript is from; its name where that is not said."""
    return str(talk.rows()[0].get("repository", talk.name))


def _label(key: Row | None) -> Label:
    return 0 if key is None else 2 if is_optional(key) else 1


def _nameless(signs: Iterable[str], names: set[str]) -> frozenset[str]:
    return frozenset(sign for sign in signs if not (sign.startswith("word ") and sign[5:] in names))


def sought_units(text: str, units: Sequence[Unit], texts: Iterable[str]) -> frozenset[int]:
    """The units that say `texts`: of each the one with the largest share of its stems."""
    said = [_stems(text[unit.start : unit.end]) for unit in units]
    chosen = set()
    for wanted in filter(None, map(_stems, texts)):
        shares = [(len(wanted & unit) / len(wanted), -len(unit)) for unit in said]
        best = max(range(len(said)), key=shares.__getitem__, default=-1)
        if best >= 0 and shares[best][0] >= _SHARE:
            chosen.add(best)
    return frozenset(chosen)


def _stems(text: str) -> set[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {word[:_LETTERS] for word in words if word not in _FUNCTION_WORDS and len(word) > 1}
