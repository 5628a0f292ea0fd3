"""How notebooks tell an event: templates over the fields that are known, nothing inferred.

Each event is one line, whatever was written in it. `narrative` reads as prose;
`structured` is `Key: Value | Key: Value`, with bars in either escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal

from parley.memory.state.notebook_state import HistoryLine
from parley.memory.text.fences import escape_invisible

Style = Literal["narrative", "structured"]
Named = Callable[[str], str]

_VERBS: Final = {
    "propose": "proposed",
    "amend": "amended",
    "withdraw": "withdrew",
    "support": "supported",
    "oppose": "opposed",
    "abstain": "abstained",
    "accept": "accepted",
    "reject": "rejected",
    "decide": "decided",
    "ratify": "ratified",
    "dispute": "disputed",
    "ask": "asked",
}
_CONTENT: Final = {
    "statement": "Statement",
    "reasoning": "Reasoning",
    "vote": "Vote",
    "consensus": "Consensus",
    "results": "Results",
    "phase": "Phase",
}


def render_event(line: HistoryLine, style: Style, named: Named) -> str:
    """`line` in that style, on one line; `named` gives the canonical name of a participant."""
    if style == "structured":
        return " | ".join(
            f"{_escaped(key)}: {_escaped(value)}" for key, value in _pairs(line, named)
        )
    where = f"[n {line.n}]" if line.round is None else f"[n {line.n}, E{line.round}]"
    return f"{where} {_sentence(line, named)}"


def _sentence(line: HistoryLine, named: Named) -> str:
    who, text = _plain(named(line.who)), _plain(line.text)
    known = "".join(f"; {_plain(key)}: {_plain(value)}" for key, value in line.facts)
    about = _about(line, named)
    match line.kind:
        case "statement":
            return f"{who} {_VERBS.get(line.act or '', 'said')}{about}: {text}{known}"
        case "reasoning":
            return f"{who} thought{about}: {text}{known}"
        case "results":
            return f"results from {who}{about}: {text}{known}"
        case _:
            return f"{who}, {line.act or line.kind}{about}" + (f": {text}" if text else "") + known


def _about(line: HistoryLine, named: Named) -> str:
    given = (
        f"on {_plain(line.topic)}" if line.topic else "",
        f"re {_plain(line.re)}" if line.re else "",
        f"to {', '.join(_plain(named(name)) for name in line.to)}" if line.to else "",
    )
    words = ", ".join(filter(None, given))
    return f" ({words})" if words else ""


def _pairs(line: HistoryLine, named: Named) -> Iterator[tuple[str, str]]:
    yield "N", str(line.n)
    if line.round is not None:
        yield "Round", f"E{line.round}"
    if line.at:
        yield "At", line.at
    yield "Speaker", named(line.who)
    for key, value in (("Act", line.act), ("Topic", line.topic), ("Re", line.re)):
        if value:
            yield key, value
    if line.to:
        yield "To", ", ".join(named(name) for name in line.to)
    if line.text:
        yield _CONTENT[line.kind], line.text
    for key, value in line.facts:
        yield key[:1].upper() + key[1:], value


def _plain(text: str) -> str:
    """On one line, with nothing in it that a reader would not see."""
    return escape_invisible(" ".join(text.split()))


def _escaped(value: str) -> str:
    return _plain(value).replace("|", "\\|")
