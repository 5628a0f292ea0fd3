"""Pattern packs: data that RE2 vouches for."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import PackRef
from parley.listeners.sessions.shipped_packs import newest_packs, shipped_packs
from parley.memory.errors import BadPattern
from parley.memory.extraction.patterns import regular_expressions, rule_gates
from parley.memory.extraction.patterns.pattern_packs import (
    Pack,
    measure_brought,
    parse_pack,
    parse_shipped_pack,
)
from parley.memory.extraction.patterns.regular_expressions import compile_kept
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.state.memory import Memory, pack_key
from tests.support.logs.costs import seconds, times_longer
from tests.support.processes.own_code import OWN_CODE
from tests.support.servers.patience import PATIENCE

PACKS = Path(__file__).parents[4] / "memory" / "packs"
ENGLISH = PACKS / "en@1.json"
HASHES = {
    "de@1": "36d1c664b5b0fb07da6aa5a63eb90883",
    "en@1": "89e5149ab57301f6ecee593ebeeaa87c",
    "es@1": "618c9ccfaefe65d52f21f55da472960e",
    "fr@1": "2a8a869af9f785d8e710d9e421035940",
    "he@1": "ea2f4e0f3788df01864930252376d833",
    "ja@1": "b1612f9158d57d8010654fa9e427bf99",
    "pt@1": "d594fbd3a657cad0f1417db62a151e24",
    "zh@1": "c51f1eaf1d5a500ba56e5fef3133bf4b",
}


def pack(*patterns: str, **options: Any) -> Pack:
    rules = [
        {"name": f"decide.r{number}", "act": "decide", "pattern": pattern, **options}
        for number, pattern in enumerate(patterns)
    ]
    return parse_pack({"name": "own@1", "rules": rules})


@pytest.mark.parametrize("name", HASHES)
def test_a_shipped_pack_is_the_one_that_sessions_name(name: str) -> None:
    """A changed word is a new pack, for sessions that were opened with it ask for its hash."""
    shipped = parse_shipped_pack((PACKS / f"{name}.json").read_bytes())
    assert shipped.name == name
    assert shipped.hash == parse_pack(shipped.to_json()).hash
    assert shipped.hash == HASHES[name]


def test_every_shipped_pack_has_a_hash_that_may_not_change() -> None:
    """One pack a language, all of the first version."""
    assert {path.stem for path in PACKS.glob("*.json")} == set(HASHES)


def test_a_pack_of_costly_patterns_is_refused_at_once() -> None:
    """The file is small; compiled as they were, these took a minute and half a gigabyte."""
    costly = [rf"(?:\pL{{1,99}}{letter}){{1,10}}" for letter in "abcdefghijklmnop"]
    with pytest.raises(BadPattern, match="too large"):
        pack(*costly, before=r"\pL{1,900}", after=r"\pN{1,900}")
    assert seconds(lambda: _refused(*costly)) < 1


def _refused(*patterns: str) -> None:
    with pytest.raises(BadPattern):
        pack(*patterns)


def test_patterns_are_refused_together_where_each_would_pass() -> None:
    """In one pack, and in several that one session brings."""
    each = [rf"\pL{{1,50}}{letter}" for letter in "abcdefghijklmnop"]
    with pytest.raises(BadPattern, match=r"500,000 instructions of RE2; make repetitions"):
        pack(*each)
    half = {"name": "own@1", "rules": [{"name": "decide.r", "act": "decide", "pattern": each[0]}]}
    refs = tuple(PackRef(f"own@{k}", parse_pack(half).hash, half) for k in range(16))
    with pytest.raises(BadPattern, match="500,000"):
        Memory({}).read_with(refs)


def test_compiled_patterns_take_so_much_memory_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many packs are tried, refused ones included."""
    monkeypatch.setattr(regular_expressions, "KEPT_INSTRUCTIONS", 1_000_000)
    for k in range(4):
        _refused(*[rf"\pL{{1,50}}{letter}{k}" for letter in "abcdefghi"])
    assert 0 < compile_kept.cache_info().currsize < 4 * 9


def test_a_reader_that_nobody_has_is_gone_at_once() -> None:
    """The collector would not know of the megabytes that its automata take."""
    reader = SpeechActReader([pack("we are done")])
    reader.read("we are done")
    gone = weakref.ref(reader)
    gc.disable()
    try:
        del reader
        assert gone() is None
    finally:
        gc.enable()


def test_a_pack_survives_being_logged() -> None:
    """A pack written in full into the log reads back as itself."""
    made = pack("we are done", before="not $", skip=["negation"], confidence=300)
    assert parse_pack(json.dumps(made.to_json())) == made


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=agreed)", "look-around"),
        (r"(agreed) \1", "RE2 refuses"),
        ("(agreed", "RE2 refuses"),
        ("a{1001}", "RE2 refuses"),
        ("x*", "empty text"),
        ("", "at least 1 character"),
        ("a" * 5000, "at most 4000"),
    ],
)
def test_a_pattern_that_cannot_serve_is_refused_by_name(pattern: str, reason: str) -> None:
    """The refusal names the rule and says why."""
    with pytest.raises(BadPattern, match=reason) as refusal:
        pack("fine", pattern)
    assert refusal.value.rule == "decide.r1"


@pytest.mark.parametrize(
    "data",
    [
        b"not json",
        b"[]",
        b'{"name": "own@1", "rules": []}',
        b'{"name": "own@1", "rules": [{"name": "a", "act": "shout", "pattern": "b"}]}',
        b'{"name": "own@1", "rules": [{"name": "a", "act": "ask", "pattern": "b", "extra": 1}]}',
        b'{"name": "own@1", "rules": [{"name": "a", "act": "ask", "pattern": "b", "before": "("}]}',
        b'{"name": "own@1", "rules": [{"name": "a", "act": "ask", "pattern": "b"}], "more": 1}',
        b'{"name": "Own 1", "rules": [{"name": "a", "act": "ask", "pattern": "b"}]}',
        b'{"name": "o", "rules": [{"name": "a", "act": "ask", "pattern": "b"}],'
        b' "guards": {"negation": "("}}',
    ],
)
def test_what_is_not_a_pack_is_refused(data: bytes) -> None:
    """Other JSON, unknown acts and unknown keys are one kind of refusal."""
    with pytest.raises(BadPattern):
        parse_pack(data)


def test_two_rules_of_one_name_are_refused() -> None:
    """A rule's name is its evidence, so it must be its own."""
    rule = {"name": "a", "act": "ask", "pattern": "b"}
    with pytest.raises(BadPattern, match="twice"):
        parse_pack({"name": "own@1", "rules": [rule, rule]})


def test_every_shipped_pack_is_one_that_could_be_brought() -> None:
    """They are read unchecked in each process, so they are checked here."""
    for shipped in shipped_packs():
        assert parse_pack(shipped.to_json()) == shipped


def test_patterns_are_compiled_for_the_talk_that_needs_them() -> None:
    """Of hundreds of rules, a message costs those alone that it may be read by."""
    compile_kept.cache_clear()
    reader = SpeechActReader(shipped_packs())
    made = compile_kept.cache_info().misses
    (act,) = reader.read("I propose a light at the pier.")
    rules = sum(len(shipped.rules) for shipped in shipped_packs())
    assert act.act == "propose"
    assert 0 < compile_kept.cache_info().misses - made < 10 < rules


def test_an_operators_pattern_reads_beside_the_shipped_ones() -> None:
    """Own wording fires, under the guards of every pack in force."""
    reader = SpeechActReader([parse_pack(ENGLISH.read_bytes()), pack(r"motion is green-lit")])
    detections = reader.read("The motion is green-lit. I agree.")
    assert [each.rule for each in detections] == ["own@1/decide.r0", "en@1/support.i-agree"]
    assert reader.read("I never said the motion is green-lit.") == ()


def test_five_hundred_patterns_compile() -> None:
    """A large pack is one automaton, not a refusal or silence."""
    reader = SpeechActReader(
        [pack(*(rf"\bverdict{n}\s+(?:\w+\s+){{0,5}}stands\b" for n in range(500)))]
    )
    assert len(reader.read("verdict7 of the day stands")) == 1


HOSTILE = [
    "(a+)+$",
    r"\s+agreed",
    "(x|x|x)*y",
    "a.*b.*c.*d",
    "(?:a?){50}a{50}",
    r"z.*q|a",
    "[^a]*b|a",
]


MOST = 16  # times the time for eight times the text; 8 where linear, 64 where quadratic


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("unit", ["a", " ", "ab ", "x", "a\n"])
def test_law_13_operator_patterns_take_linear_time(pattern: str, unit: str) -> None:
    """Eight times the text takes eight times as long and not 64 times, whatever the pattern."""
    assert _growth(SpeechActReader([pack(pattern)]), unit) <= MOST


def _growth(reader: SpeechActReader, unit: str, act: str | None = None) -> float:
    """Times as long that 480,000 characters take as 60,000 do.

    Both are beyond the point, at some 50,000 characters, where RE2 goes over to
    another linear engine and the time makes one step.
    """
    long = unit * (480_000 // len(unit))
    short = long[: len(long) // 8]

    def reading(text: str) -> float:
        return max(seconds(lambda: reader.read(text, act)), LEAST)

    return times_longer(lambda: reading(short), lambda: reading(long), MOST)


LEAST = 0.0005  # seconds: below that, what a call costs at all is what is measured


@pytest.mark.parametrize(
    "unit",
    ["I propose a. ", "[PROPOSAL] ", "+1\n", "\"'`", "> x\n", "P1 ", "we agreed ", "but ", "``` ",
     "I agree, ", "a:", "http://", "PROPOSAL: x\n", "+1 P1 ", "I support P1, "],
)  # fmt: skip
def test_law_13_hostile_messages_take_linear_time(unit: str) -> None:
    """Repeating what the shipped patterns look for does not slow them down."""
    reader = SpeechActReader([parse_pack(ENGLISH.read_bytes())])
    assert _growth(reader, unit) <= MOST
    assert _growth(reader, unit, "propose") <= MOST


@pytest.mark.parametrize("unit", ["wir haben x y z beschlossen ", "je suis très ", "sou muito "])
def test_law_13_every_language_takes_linear_time(unit: str) -> None:
    """Gaps between the halves of a verb, accents and adverbs in a row stay linear."""
    assert _growth(SpeechActReader(shipped_packs()), unit) <= MOST


@given(st.text(max_size=200), st.sampled_from([None, "propose", "support", "ask"]))
def test_anything_can_be_read(text: str, act: str | None) -> None:
    """Every span lies in the text, whatever the text is."""
    for detection in READER.read(text, act):
        assert 0 <= detection.start < detection.end <= len(text) or not text
        assert 0 <= detection.text_start <= detection.text_end <= len(text)


READER = SpeechActReader([parse_pack(ENGLISH.read_bytes())])


def test_the_guards_of_a_language_are_its_own() -> None:
    """`no` denies in Spanish; in Portuguese it is "in the", and must not deny."""
    spanish = parse_pack(
        {
            "name": "own-es@1",
            "language": "es",
            "rules": [{"name": "va", "act": "decide", "pattern": "queda aprobado"}],
            "guards": {"negation": r"\bno\b"},
        }
    )
    portuguese = parse_pack(
        {
            "name": "own-pt@1",
            "language": "pt",
            "rules": [{"name": "vai", "act": "decide", "pattern": "fica aprovado"}],
        }
    )
    reader = SpeechActReader([spanish, portuguese])
    assert reader.read("no queda aprobado") == ()
    assert [each.act for each in reader.read("no domingo fica aprovado")] == ["decide"]


def test_a_packs_language_is_part_of_it_unless_it_is_english() -> None:
    """Packs from before there were languages keep their hash."""
    tree = {"name": "own@1", "rules": [{"name": "a", "act": "ask", "pattern": "b"}]}
    english, german = parse_pack(tree), parse_pack(tree | {"language": "de"})
    assert "language" not in english.to_json()
    assert parse_pack(german.to_json()) == german
    assert english.hash != german.hash == parse_pack(german.to_json()).hash
    with pytest.raises(BadPattern, match="language"):
        parse_pack(tree | {"language": "Deutsch!"})


MEASURED = """
from parley.memory.extraction.patterns.regular_expressions import measure_pattern

def mebibytes():
    with open("/proc/self/status") as status:
        return int(status.read().partition("VmRSS:")[2].split()[0]) / 1024

measure_pattern("a")
before = mebibytes()
for number in range(128):
    assert measure_pattern(rf"\\pL{{1,20}}{number}") > 20_000
print(mebibytes() - before)
"""


def test_what_was_measured_is_kept_nowhere() -> None:
    """Not by RE2's own cache either: a hundred such patterns would be some 27 MiB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True,
        timeout=PATIENCE, env={**os.environ, "PYTHONPATH": OWN_CODE},
    )  # fmt: skip
    assert float(done.stdout) < 10


def test_a_pattern_is_compiled_once_however_many_rules_have_it() -> None:
    """For the check of a pack as for reading with it."""
    compile_kept.cache_clear()
    made = compile_kept.cache_info().misses
    (act,) = SpeechActReader([pack("we are done", "we (?:are|were) done")]).read("we are done")
    assert act.act == "decide"
    assert compile_kept.cache_info().misses - made == 2


def test_a_session_file_brings_no_large_pattern() -> None:
    """Nor many that are large together: others would wait for it while it is compiled."""

    def measured(*patterns: str) -> int:
        rules = [
            {"name": f"r{number}", "act": "decide", "pattern": pattern}
            for number, pattern in enumerate(patterns)
        ]
        return max(measure_brought({"name": "own@1", "rules": rules}))

    with pytest.raises(BadPattern, match="its pattern comes to more than 5,000 instructions"):
        measured(r"\pL{1,5}a")
    each = [rf"\pL{{1,2}}{number}" for number in range(9)]
    assert 15_000 < measured(*each[:8]) < 20_000
    with pytest.raises(BadPattern, match="its patterns come to more than 20,000 instructions"):
        measured(*each)


TALK = (
    "We are done.",
    "we shall lower the price of P3",
    "Estamos de acuerdo con la luz del muelle y no queremos mas.",
    "la luz",
    "Ünder the pier we are done.",
    "we agree on P1, P2",
    "Nothing at all is said here, in some more words than few.",
)


@pytest.mark.parametrize("hints", ["", "la de que y no"])
def test_patterns_tell_the_same_in_however_many_automata(
    monkeypatch: pytest.MonkeyPatch, hints: str
) -> None:
    """Those that a session brings are split into automata that take a few ms each."""
    rules = [
        {"name": f"r{number}", "act": "decide", "pattern": pattern, "handle": "P" in pattern}
        for number, pattern in enumerate(
            ["we are done", "la luz", "we agree on P[0-9]", "lower .* P[0-9]", "de acuerdo", "pier"]
        )
    ]
    own = parse_pack({"name": "own@1", "rules": rules, "hints": hints})
    packs = [parse_pack(ENGLISH.read_bytes()), own]
    whole = SpeechActReader(packs)
    monkeypatch.setattr(rule_gates, "_AT_ONCE", 1)
    split = SpeechActReader(packs, {"own@1"})
    assert len(list(split.compile())) >= 5
    for text in TALK:
        assert split.read(text) == whole.read(text)
        assert split.sighted(text) == whole.sighted(text)
    assert any(whole.read(text) for text in TALK)


def _bringing(number: int) -> tuple[PackRef, ...]:
    rule = {"name": "r", "act": "decide", "pattern": f"we are done {number}"}
    return (PackRef("own@1", "0" * 32, {"name": "own@1", "rules": [rule]}),)


def test_sessions_that_bring_packs_take_no_reader_from_others() -> None:
    """However many come, who reads with packs that are known here shares what is compiled."""
    known = {pack_key(shipped.name, shipped.hash): shipped for shipped in shipped_packs()}
    memory, refs = Memory(known), newest_packs()
    reader = weakref.ref(memory.reader_of(refs))
    for number in range(40):
        memory.reader_of(_bringing(number))
    assert reader() is not None
    assert memory.reader_of(refs) is reader()


def test_a_reader_is_shared_for_as_long_as_somebody_has_it() -> None:
    """Though it is of none of the newest packs any more."""
    first = Memory({}).reader_of(_bringing(100))
    for number in range(40):
        Memory({}).reader_of(_bringing(number))
    assert Memory({}).reader_of(_bringing(100)) is first
