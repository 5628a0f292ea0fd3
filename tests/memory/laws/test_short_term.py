"""Talk by its tokens: `limits.short_term` closes a stretch before its messages do."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import SettingsChanged
from parley.memory.fold.apply import apply
from parley.memory.settings.presets import load_preset
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.state.memory import Memory
from parley.memory.summaries.range_summaries import list_due_summaries
from parley.memory.text.text_sizes import count_tokens
from tests.support.logs.logs import PACKS, folded, talk

LINE = "We should look at the plan of the north wing again. "


def capped(cap: int, warn: int = 0, interval: int = 1000) -> dict[str, Any]:
    return {
        "summary": {"interval": interval},
        "limits": {"short_term": {"cap": cap, "warn": warn}},
    }


def test_a_stretch_closes_with_the_message_that_passes_the_cap() -> None:
    """Its summary is due at once, and the next stretch begins after it."""
    size = count_tokens(LINE * 4)
    memory, _ = folded(talk(*[("ana", LINE * 4)] * 7, **capped(3 * size)))
    assert [(effect.first, effect.last) for effect in list_due_summaries(memory)] == [(1, 4)]
    assert (memory.open_first, memory.open_count, memory.open_tokens) == (5, 3, 3 * size)


def test_whichever_comes_first_closes_it() -> None:
    """Ten messages, or four thousand tokens: a new stretch starts both counts again."""
    memory, _ = folded(talk(*[("ana", LINE)] * 25, **capped(4000, interval=10)))
    assert [(effect.first, effect.last) for effect in list_due_summaries(memory)] == [
        (1, 10),
        (11, 20),
    ]
    assert memory.open_tokens == 5 * count_tokens(LINE)


def test_a_stretch_that_nears_its_cap_is_told_once() -> None:
    """At the warning line, not with every message over it."""
    size = count_tokens(LINE)
    _, facts = folded(talk(*[("ana", LINE)] * 19, **capped(8 * size, warn=6 * size)))
    warned = [fact for fact in facts if fact.kind == "limit.warned"]
    assert [fact.n for fact in warned] == [6, 15]
    assert warned[0].data == {"limit": "limits.short_term", "size": 6 * size, "cap": 8 * size}


@given(
    st.lists(st.tuples(st.sampled_from(("ana", "bo")), st.text(min_size=1, max_size=60))),
    st.sampled_from((1, 2, 10, 40)),
    st.sampled_from((0, 1, 10)),
)
def test_open_talk_never_exceeds_its_cap(
    spoken: list[tuple[str, str]], cap: int, warn: int
) -> None:
    """After every message, however small the cap: what is over it is in a closed stretch."""
    lines = [(who, text) for who, text in spoken if text.strip()]
    memory = Memory(PACKS)
    for record in talk(*lines, **capped(cap, warn)):
        apply(memory, record)
        assert memory.open_tokens <= cap


def test_a_lower_cap_holds_at_once() -> None:
    """Changing it closes the stretch that it has no room for, by the settings of its time."""
    size = count_tokens(LINE)
    lower = SettingsChanged(settings={"limits": {"short_term": {"cap": 2 * size}}})
    memory, _ = folded(talk(*[("ana", LINE)] * 5, lower, ("bo", LINE), **capped(9 * size)))
    assert [(effect.first, effect.last) for effect in list_due_summaries(memory)] == [(1, 5)]
    assert (memory.open_first, memory.open_tokens) == (6, size)


def test_an_analysts_newest_messages_begin_where_its_summaries_end() -> None:
    """What is not summarised yet is within what a context shows."""
    settings = merge_settings(Settings(), load_preset("analyst"))
    assert settings.summary.interval <= settings.context.recent_full
    assert settings.limits.short_term.cap == 4000
