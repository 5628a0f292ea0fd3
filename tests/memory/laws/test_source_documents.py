"""What the source documents name word by word: their patterns, and what went wrong with them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import parley.memory as package
from parley.memory.context.context import Request, assemble
from tests.support.logs.logs import folded, talk

NAMED = [
    # decisions
    ("We agreed to dredge the north basin.", "decision.claimed"),
    ("We've agreed to dredge the north basin.", "decision.claimed"),
    ("We decided to dredge the north basin.", "decision.claimed"),
    ("We concluded that the north basin is dredged first.", "decision.claimed"),
    ("Consensus is that the north basin is dredged first.", "decision.claimed"),
    ("Consensus reached: the north basin is dredged first.", "decision.claimed"),
    ("Let's go with the north basin.", "decision.claimed"),
    ("Final decision: the north basin is dredged first.", "decision.claimed"),
    ("The final answer is the north basin.", "decision.claimed"),
    ("[CONSENSUS] The north basin is dredged first.", "decision.claimed"),
    ("[DECISION] The north basin is dredged first.", "decision.claimed"),
    # proposals
    ("I propose we dredge the north basin.", "proposal.made"),
    ("What if we dredge the north basin?", "proposal.made"),
    ("Let's consider dredging the north basin.", "proposal.made"),
    ("My suggestion is to dredge the north basin.", "proposal.made"),
    ("[PROPOSAL] Dredge the north basin.", "proposal.made"),
]
STANCES = [
    ("I agree.", "support"),
    ("Great idea!", "support"),
    ("Let's do it.", "support"),
    ("I disagree.", "oppose"),
    ("That won't work.", "oppose"),
    ("There is a problem with that.", "oppose"),
]
LONG = "I propose that we move the whole harbour archive over to the second disk"


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
@pytest.mark.parametrize(("text", "kind"), NAMED)
def test_every_pattern_that_they_name_fires(text: str, kind: str, case: type[str]) -> None:
    """Whatever its case, with the kind that the document gives it, and the speaker on it."""
    memory, facts = folded(talk(("ana", case(text))))
    (fact,) = [fact for fact in facts if fact.kind == kind]
    item = memory.item(fact.ref or "")
    assert item is not None
    assert item.participant == "ana"
    if kind == "decision.claimed":
        assert list(memory.decisions[1].supporters) == ["ana"]
    else:
        assert (memory.proposals[1].status, memory.proposals[1].reactions) == ("active", {})


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
@pytest.mark.parametrize(("text", "stance"), STANCES)
def test_every_stance_that_they_name_is_taken(text: str, stance: str, case: type[str]) -> None:
    """Towards the one proposal that there is."""
    memory, _ = folded(talk(("ana", f"{LONG} before Friday."), ("bo", case(text))))
    assert memory.proposals[1].reactions["bo"].stance == stance


def test_two_proposals_that_begin_alike_are_told_apart() -> None:
    """Fifty equal characters at their start do not make a reaction count for both."""
    memory, _ = folded(
        talk(
            ("ana", f"{LONG} before Friday."),
            ("bo", f"{LONG} after Easter, in June."),
            ("cy", '"the second disk after Easter, in June" - great idea'),
        )
    )
    assert memory.proposals[1].reactions == {}
    assert memory.proposals[2].reactions["cy"].stance == "support"


def test_reactions_are_shown_by_stance_and_name() -> None:
    """Not as a bare number, behind which three oppositions could hide."""
    records = talk(
        ("ana", f"{LONG} before Friday."),
        ("bo", "+1 to P1"),
        ("cy", "-1 to P1"),
        ("dee", "I oppose P1."),
        ("eli", "I abstain on P1."),
    )
    memory, _ = folded(records)
    text = assemble(memory, Request("ana", recent=records)).text
    assert "(for: bo; against: cy, dee" in text


def test_memory_knows_no_clock_no_chance_and_no_surroundings() -> None:
    """Ids and times come from the entries, so every replay makes the same ones."""
    forbidden = {
        "asyncio", "datetime", "io", "logging", "os", "pathlib", "random", "secrets", "socket",
        "subprocess", "threading", "time", "uuid",
    }  # fmt: skip
    assert forbidden <= sys.stdlib_module_names
    for module in Path(str(package.__file__)).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_bytes())):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            )  # fmt: skip
            assert forbidden.isdisjoint(name.partition(".")[0] for name in names), module.name
