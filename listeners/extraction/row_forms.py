"""The forms in which models write the fields of a row, brought to ours. Pure.

Lenient about words and shapes ("approve", "#17", a list or a text), never about content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from parley.listeners.extraction.extraction_prompt import (
    DOUBTS,
    OUTCOMES,
    RELATIONS,
    RIGHTS,
    ROWS,
    SIDES,
    VERDICTS,
)

_KEYS: Final = {
    "is": ("is", "label", "type", "kind", "row"),
    "n": ("n", "message", "msg", "number", "message_number"),
    "quote": ("quote", "q", "words", "text"),
    "says": ("says", "statement", "summary", "what", "s"),
    "of": ("of", "targets", "target", "on", "ref", "refs", "handle", "item", "items"),
    "how": ("how", "relation", "rel"),
    "about": ("about", "question"),
    "side": ("side", "stance", "vote"),
    "if": ("if", "condition"),
    "out": ("out", "outcome", "status"),
    "right": ("right", "by_right", "basis"),
    "who": ("who", "name", "participant"),
    "with": ("with", "detail", "changes", "until"),
    "when": ("when", "due", "deadline"),
    "verdict": ("verdict", "ok", "judgement", "judgment"),
    "why": ("why", "reason"),
    "id": ("id",),
    "done": ("done",),
}
_FIELDS: Final = {alias: field for field, aliases in _KEYS.items() for alias in aliases}
_ROWS: Final = {
    "proposal": "proposals propose suggestion suggestions p amendment counter_proposal",
    "side": "sides stance stances reaction reactions position positions s",
    "ruling": "rulings decision decisions decide verdict resolution r d",
    "task": "tasks action actions action_item action_items todo t",
    "right": "rights grant grants authority mandate",
    "check": "checks confirm confirmed retract retracted judgement judgment c",
}
_SIDES: Final = {
    "support": "supports for approve approves approved agree agrees yes +1 accept accepts favour "
    "favor in_favour in_favor pro endorse endorses 1",
    "oppose": "opposes against reject rejects rejected disagree disagrees no -1 object objects con "
    "veto opposition",
    "neutral": "abstain abstains mixed undecided 0 ~ none",
    "conditional": "condition conditional_support support_if only_if",
    "withdraw": "withdraws withdrawn withdrawal retract retracts concede concedes conceded",
}
_OUTCOMES: Final = {
    "accepted": "accept accepts approved approve adopted agreed yes decided confirmed ratified",
    "accepted_with_changes": "modified accepted_modified accepted_with_modifications amended "
    "approved_with_changes accepted_with_conditions",
    "rejected": "reject rejects denied declined refused no",
    "put_off": "deferred defer postponed postpone tabled later on_hold",
    "withdrawn": "withdraw",
    "replaced": "superseded replace",
}
_RIGHTS: Final = {
    "chair": "moderator chairman chairwoman chairperson",
    "named": "owner lead founder human principal authority judge arbiter listed",
    "delegated": "asked chooser delegate",
    "unopposed": "consensus agreement group no_objection no_objections agreed unanimous",
    "vote": "majority counted poll",
    "reported": "report",
}
_RELATIONS: Final = {
    "new": "",
    "amends": "amend amendment modifies extends refines",
    "alternative": "alternatives alternative_to option",
    "repeats": "repeat same duplicate duplicates again",
    "replaces": "replace supersedes counter counter_proposal newer",
}
_VERDICTS: Final = {
    "right": "true yes ok correct confirm confirmed",
    "wrong": "false no incorrect retract retracted deny denied",
    "reworded": "reword rephrase rephrased edit edited",
}


_DOUBTS: Final = {
    "irony": "sarcasm sarcastic ironic joke",
    "withdrawal": "withdrawn withdraws",
    "nit": "nitpick correction",
    "reason": "argument explanation fact",
    "agreement": "support supports stance side",
    "decision": "ruling verdict",
    "report": "status reported",
    "quoted": "quote quotation cited",
    "part": "step part_of detail",
    "repeat": "duplicate repeats same",
}


def _table(words: tuple[str, ...], others: Mapping[str, str]) -> dict[str, str]:
    table = {word: word for word in words}
    for word, more in others.items():
        table.update((other, word) for other in more.split())
    return table


_TABLES: Final = {
    "is": _table(ROWS, _ROWS),
    "side": _table(SIDES, _SIDES),
    "out": _table(OUTCOMES, _OUTCOMES),
    "right": _table(RIGHTS, _RIGHTS),
    "how": _table(RELATIONS, _RELATIONS),
    "verdict": _table(VERDICTS, _VERDICTS),
    "why": _table(DOUBTS, _DOUBTS),
}
_NUMBER: Final = re.compile(
    r"(?:\[|#|n|no\.?|msg|message|m)?\s*#?([1-9][0-9]{0,8})\]?\Z", re.IGNORECASE
)
_SPLIT: Final = re.compile(r"[\s,;/&+]+")
_EDGES: Final = "#[](){}\"'`@.: "
_FEWEST: Final = 12  # targets looked at, times ten


def own_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `row` under our names; of two forms of one field the first counts."""
    fields: dict[str, Any] = {}
    for key, value in row.items():
        name = _FIELDS.get(str(key).strip().casefold().replace("-", "_"))
        if name is not None and value not in (None, "", []):
            fields.setdefault(name, value)
    return fields


def kind_of(fields: dict[str, Any]) -> str | None:
    """The kind of a row; None if it names none. A side written as the kind becomes its `side`."""
    word = _word(fields.get("is"))
    kind = _TABLES["is"].get(word)
    if kind is None and word in _TABLES["side"]:
        fields.setdefault("side", word)
        return "side"
    if kind == "check" and "verdict" not in fields:
        fields["verdict"] = "wrong" if word.startswith("retract") else "right"
    return kind


def choice(field: str, value: Any) -> str | None:
    """The word of ours that `value` means in that field; None if there is none."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return _TABLES[field].get(_word(value))


def _word(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(int(value)) if value in (-1, 0, 1) else ""
    if not isinstance(value, str):
        return ""
    return value.strip(" .!\"'").casefold().replace(" ", "_").replace("-", "_").replace("_1", "-1")


def number_of(value: Any) -> int:
    """The number of a message as models write it (17, "17", "[17]", "#17"); 0 of anything else."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, float) and value.is_integer() and 0 < value < 1e9:
        return int(value)
    if isinstance(value, int):
        return value if 0 < value < 10**9 else 0
    match = _NUMBER.match(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else 0


def text_of(value: Any) -> str:
    """`value` if it is a text, else an empty one."""
    return value.strip() if isinstance(value, str) else ""


def is_true(value: Any) -> bool:
    """True for true, "yes", "done" and the like."""
    if isinstance(value, str):
        return value.strip().casefold() in ("true", "yes", "done", "1")
    return value is True or value == 1


def names_in(value: Any) -> list[str]:
    """The handles, ids and numbers that a field names: a list, a text with several, a number."""
    values = value if isinstance(value, list) else [value]
    names: list[str] = []
    for each in values[: _FEWEST * 10]:
        if isinstance(each, dict):
            each = next((each[key] for key in ("id", "handle", "ref", "of") if key in each), "")
        if isinstance(each, bool):
            continue
        if isinstance(each, int | float):
            each = str(int(each)) if float(each).is_integer() and abs(each) < 1e9 else ""
        if isinstance(each, str):
            parts = [part.strip(_EDGES) for part in _SPLIT.split(each.strip())]
            names += [part for part in parts if part and part.casefold() not in _FILLERS]
    return list(dict.fromkeys(names))


_FILLERS: Final = frozenset({"and", "message", "msg", "item", "proposal", "n", "none", "-"})
