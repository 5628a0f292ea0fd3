"""Packs under scrutiny: all that is wrong, and what is hardly meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parley.memory.errors import BadPattern
from parley.memory.extraction.patterns.pack_faults import find_doubts, find_faults
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.extraction.patterns.regular_expressions import compile_kept


def rule(**given: Any) -> dict[str, Any]:
    return {"name": "a", "act": "support", "pattern": "aye captain", **given}


def test_every_problem_is_told_at_once() -> None:
    """Shape, patterns, names and guards: each with its rule, and what to do."""
    tree = {
        "name": "Own 1",
        "rules": [
            rule(pattern="(?=x)"),
            rule(act="shout", pattern="x*"),
            rule(name="b", before="("),
            rule(name="c", colour="red"),
        ],
        "guards": {"negation": "(", "modal": "y*"},
    }
    faults = [(each.rule, each.reason) for each in find_faults(json.dumps(tree))]
    assert [name for name, _ in faults] == [
        "pack", "a", "c", "a", "a", "a", "b", "negation", "modal",
    ]  # fmt: skip
    reasons = "\n".join(reason for _, reason in faults)
    for part in ("look-around", "twice", "empty text", "before: RE2", "colour", "act:"):
        assert part in reasons


def test_no_more_is_compiled_than_a_pack_may_have() -> None:
    """What comes after that is not looked at; what was wrong before it is told."""
    tree = {
        "name": "own@1",
        "rules": [
            rule(name="broken", pattern="("),
            *(rule(name=f"r{n}", pattern=rf"\pL{{1,50}}budget{n}") for n in range(60)),
        ],
    }
    compiled = compile_kept.cache_info().misses
    faults = find_faults(json.dumps(tree))
    assert [each.rule for each in faults] == ["broken", "pack"]
    assert "500,000 instructions of RE2" in faults[-1].reason
    assert compile_kept.cache_info().misses - compiled < 20


@pytest.mark.parametrize(
    "data",
    [
        b"{", b"[]", b"3", b'{"name": "own", "rules": "none"}',
        pytest.param(b'{"a":' * 50_000, id="nested objects"),
        pytest.param(b"[" * 50_000, id="nested lists"),
    ],
)  # fmt: skip
def test_what_is_no_pack_at_all_is_one_problem(data: bytes) -> None:
    """Anything else than a pack is told, never a traceback."""
    assert len(find_faults(data)) >= 1
    with pytest.raises(BadPattern):
        parse_pack(data)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"pattern": "e"}, "single letter"),
        ({"pattern": r"\pL{4}"}, "of 2 sentences of plain talk"),
        ({"pattern": "“hear ye”"}, "made plain"),
        ({"pattern": "שָׁלוֹם חברים"}, "leave them out"),
        ({"pattern": r"\bאני מסכים\b"}, "ASCII letters"),
        ({"pattern": "賛成です"}, "whole_words"),
        ({"after": r"^\s*"}, "never fires"),
    ],
)
def test_a_rule_that_is_hardly_meant_is_doubted(given: dict[str, Any], says: str) -> None:
    """Rules that fire on anything, or never, are told with the remedy."""
    pack = parse_pack({"name": "own@1", "rules": [rule(**given)]})
    faults = find_doubts(pack, ("the room has a projector", "trains run late"))
    assert [each.rule for each in faults] == ["a"]
    assert says in faults[0].reason


def test_a_sensible_rule_is_not_doubted() -> None:
    """No warning without a reason, in any script."""
    rules = [
        rule(),
        rule(name="b", pattern="賛成です", whole_words=False),
        rule(name="c", pattern=r"(?:^|[^\pL])מסכים", before=r"לא\s+$"),
    ]
    assert find_doubts(parse_pack({"name": "own@1", "rules": rules}), ("trains run late",)) == ()


def test_a_doubled_pattern_is_told() -> None:
    """Of two rules with one pattern only one is ever read."""
    pack = parse_pack({"name": "own@1", "rules": [rule(), rule(name="b", act="oppose")]})
    assert [each.rule for each in find_doubts(pack)] == ["b"]


def test_examples_are_no_part_of_the_pack() -> None:
    """They change neither the hash nor what is written into a log."""
    plain = parse_pack({"name": "own@1", "rules": [rule()]})
    shown = parse_pack(
        {"name": "own@1", "rules": [rule(examples={"matches": ["Aye captain"], "not": ["Nay"]})]}
    )
    assert shown.hash == plain.hash
    assert shown.to_json() == plain.to_json()
    assert shown == plain
    assert shown.rules[0].examples.misses == ("Nay",)
