"""What other sessions decided, in a context on request: quoted, priced, not logged."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

from parley.memory.context.context import Request, assemble
from parley.memory.errors import ContextOverflow
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, talk


def other(words: str = "Paint the boat green", count: int = 1) -> Memory:
    """A session with `count` decisions that bind."""
    lines = []
    for k in range(1, count + 1):
        lines += [("ana", f"[PROPOSAL] {words} ({k})"), ("bo", f"I support P{k}."),
                  ("cy", f"I support P{k}.")]  # fmt: skip
    memory, _ = folded(talk(*lines))
    return memory


def here() -> Memory:
    memory, _ = folded(talk(("dee", "[PROPOSAL] Sell the boat"), ("eli", "Morning all.")))
    return memory


def test_decisions_of_another_session_are_told_with_its_name() -> None:
    """Nobody takes its D1 for their own."""
    context = assemble(here(), Request(shared=[("boats", other())]))
    row = "| boats D1 **Paint the boat green (1)** (ratified)"
    assert f"## Shared From boats\n{row}\n" in context.text
    assert context.cites == assemble(here(), Request()).cites


def test_the_prefix_does_not_depend_on_what_is_shared() -> None:
    """Providers' prompt caches still hit."""
    alone = assemble(here(), Request())
    both = assemble(here(), Request(shared=[("boats", other(count=5)), ("cars", other())]))
    assert both.prefix_hash == alone.prefix_hash


def test_what_has_no_room_is_counted() -> None:
    """It has a share of its own, and displaces nothing beyond it."""
    context = assemble(here(), Request(shared=[("boats", other(count=60))], budget=1000))
    shown = context.text.count("| boats D")
    assert 0 < shown < 60
    assert context.dropped["Shared From boats"] == 60 - shown
    assert f"{60 - shown} of Shared From boats" in context.text


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    st.integers(1, 3000),
    st.integers(0, 12),
)
def test_no_budget_is_exceeded_and_no_word_leaves_its_line(
    words: str, budget: int, count: int
) -> None:
    """Whatever was decided elsewhere."""
    shared = [("boats", other(f"Paint {words}", count)), ("cars", other(words))]
    try:
        context = assemble(here(), Request(shared=shared, budget=budget))
    except ContextOverflow:
        reject()
    assert context.size <= budget
    for block in context.blocks:
        if block.name.startswith("Shared From"):
            head, *lines = block.text.split("\n")
            assert head in ("## Shared From boats", "## Shared From cars")
            assert all(line.startswith(("| boats D", "| cars D")) for line in lines)
