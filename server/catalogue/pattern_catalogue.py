"""Pattern packs for those who write them: listed, shown, checked, tried over a transcript."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from parley.bus.entries import Message
from parley.bus.entries.fields import nearest
from parley.listeners.sessions.shipped_packs import newest_packs, shipped_packs
from parley.memory.extraction.patterns.pack_faults import Fault, find_doubts, find_faults
from parley.memory.extraction.patterns.pattern_packs import Pack, parse_pack
from parley.memory.extraction.patterns.regular_expressions import MAX_PLACES, compile_pattern
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.text.plain_text import clip, one_line
from parley.server.basics.errors import Misuse
from parley.server.transcripts import read_transcript

Row = dict[str, Any]

_AROUND: Final = 30  # characters of context each side of a span
_MEASURED: Final = 40_000  # characters of a hostile text; its half is measured too
_UNITS: Final = ("a", "a ", "ab\n", "あ", "?,")  # of hostile texts, beside the pack's own words
_MOST_WORDS: Final = 7
_WORD: Final = re.compile(r"[^\W\d_]{2,12}")


def list_packs() -> list[Row]:
    """The shipped packs; `opens` those that a new session has."""
    opening = {ref.name for ref in newest_packs()}
    return [
        {
            "pack": pack.name,
            "language": pack.language,
            "rules": len(pack.rules),
            "guards": len(pack.to_json().get("guards", {})),
            "hash": pack.hash,
            "opens": pack.name in opening,
        }
        for pack in shipped_packs()
    ]


def describe_pack(name: str) -> Row:
    """A pack whole: a shipped one by name, or a file. Raises `Misuse`, `BadPattern`."""
    pack = parse_pack(_bytes(name))
    return {**pack.to_json(), "hash": pack.hash}


def check_pack(name: str, over: Path | None = None) -> Row:
    """The faults, doubts and costs of a pack; `over` adds what it would read in a transcript."""
    data = _bytes(name)
    wrong = find_faults(data)
    row: Row = {"pack": name, "refused": _rows(wrong), "doubts": [], "examples": [], "sound": False}
    if wrong:
        return row
    pack = parse_pack(data)
    readers = SpeechActReader([*_opened(pack), pack])
    examples = list(_examples(pack, readers))
    doubtful = [*find_doubts(pack, plain_talk()), *_misread(pack)]
    row |= {
        "pack": pack.name,
        "hash": pack.hash,
        "rules": len(pack.rules),
        "guards": len(pack.to_json().get("guards", {})),
        "doubts": _rows(doubtful),
        "examples": [each for each in examples if each["fault"]],
        "tried": len(examples),
        "linear": _measured(pack),
        "sound": not any(each["fault"] for each in examples),
    }
    if over is not None:
        row["over"] = list(_read_over(pack, readers, over))
    return row


def _bytes(name: str) -> bytes:
    path = Path(name)
    if path.is_file():
        try:
            return path.read_bytes()
        except OSError as error:
            raise Misuse(f"cannot read pattern pack {name!r}: {error.strerror}") from None
    names = [pack.name for pack in shipped_packs()]
    if name in names:
        return (resources.files("parley.memory") / "packs" / f"{name}.json").read_bytes()
    raise Misuse(
        f"no file and no shipped pattern pack is called {name!r}; "
        f"is {nearest(name, names, 0)!r} meant?"
    )


def _opened(pack: Pack) -> list[Pack]:
    """What a new session would read with beside `pack`."""
    names = {ref.name for ref in newest_packs()}
    return [each for each in shipped_packs() if each.name in names and each.name != pack.name]


def _rows(faults: Sequence[Fault]) -> list[Row]:
    return [{"rule": each.rule, "reason": each.reason} for each in faults]


@functools.cache
def plain_talk() -> tuple[str, ...]:
    """Sentences that claim nothing, in every language of a shipped pack."""
    text = (resources.files("parley.server") / "data" / "plain_talk.txt").read_text(
        encoding="utf-8"
    )
    return tuple(text.splitlines())


def _misread(pack: Pack) -> Iterator[Fault]:
    """Rules that read an act where there is none, with the pack's own guards in force."""
    reader = SpeechActReader([pack])
    for text in plain_talk():
        for detection in reader.read(text):
            if detection.how == "pattern":
                rule = detection.rule.partition("/")[2]
                yield Fault(rule, f"it reads {detection.act!r} in {text!r}, which claims nothing")


def _examples(pack: Pack, reader: SpeechActReader) -> Iterator[Row]:
    for rule in pack.rules:
        full = f"{pack.name}/{rule.name}"
        for wanted, texts in ((True, rule.examples.matches), (False, rule.examples.misses)):
            for text in texts:
                read = any(detection.rule == full for detection in reader.read(text))
                fault = "" if read is wanted else _fault(reader, full, text, wanted)
                yield {"rule": rule.name, "text": text, "wanted": wanted, "fault": fault}


def _fault(reader: SpeechActReader, full: str, text: str, wanted: bool) -> str:
    if not wanted:
        return "matches, and must not"
    dropped = [each.dropped for each in reader.sighted(text) if each.rule == full and each.dropped]
    return f"dropped: {dropped[0]}" if dropped else "its words are not there"


# -- the guarantee, measured -------------------------------------------------------


def _measured(pack: Pack) -> Row:
    """How large its largest automaton is, and its worst time on texts made to be slow."""
    sizes = {
        rule.name: int(compile_pattern(rule.pattern, rule.name).programsize) for rule in pack.rules
    }
    largest = max(sizes, key=lambda name: (sizes[name], name))
    reader = SpeechActReader([pack])
    timed = [(unit, *_times(reader, unit)) for unit in _hostile(pack)]
    unit, half, whole = max(timed, key=lambda each: each[2])
    return {
        "engine": "RE2",
        "instructions": sizes[largest],
        "largest": largest,
        "places": MAX_PLACES,
        "texts": len(timed),
        "characters": _MEASURED,
        "unit": unit,
        "milliseconds": round(whole * 1000, 2),
        "twice": round(whole / max(half, 1e-6), 1),
    }


def _hostile(pack: Pack) -> list[str]:
    """What is repeated to be slow to read: the pack's own words, spread over its rules."""
    words = [word for rule in pack.rules for word in _WORD.findall(rule.pattern)[:2]]
    own = list(dict.fromkeys(words))
    step = max(1, len(own) // _MOST_WORDS)
    return [*_UNITS, *(f"{word} " for word in own[::step][:_MOST_WORDS])]


def _times(reader: SpeechActReader, unit: str) -> tuple[float, float]:
    text = unit * (_MEASURED // len(unit))
    return _seconds(reader, text[: len(text) // 2]), _seconds(reader, text)


def _seconds(reader: SpeechActReader, text: str) -> float:
    start = time.process_time()
    reader.read(text)
    return time.process_time() - start


# -- a dry run -----------------------------------------------------------------------


def _read_over(pack: Pack, reader: SpeechActReader, path: Path) -> Iterator[Row]:
    """Where the pack's words stand in the messages of a transcript, in their order."""
    for entry in read_transcript(path).entries:
        if not isinstance(entry.entry, Message):
            continue
        content = entry.entry.content
        for each in reader.sighted(content, entry.entry.act):
            owner, _, rule = each.rule.partition("/")
            if owner == pack.name:
                yield {
                    "message": entry.index,
                    "participant": entry.entry.participant,
                    "rule": rule,
                    "act": each.act,
                    "start": each.start,
                    "end": each.end,
                    "before": _tail(content[: each.start]),
                    "span": content[each.start : each.end],
                    "after": clip(one_line(content[each.end : each.end + 200]), _AROUND),
                    "dropped": each.dropped,
                }


def _tail(text: str) -> str:
    line = " ".join(text[-200:].split())
    return line if len(line) <= _AROUND else "…" + line[1 - _AROUND :]
