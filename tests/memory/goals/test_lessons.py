"""Lessons: what is taught, what is kept, and that the order of coming does not matter."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry, LessonImported, SettingsChanged
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.goals import insights
from parley.memory.goals.lessons import list_lessons, list_teachable_lessons
from parley.memory.items.importance import is_pinned, item_weight
from parley.memory.state.insight_state import Insight, InsightKind
from parley.memory.state.item_state import Cite
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened, talk


def lesson(session: str = "a", ref: str = "D1", **fields: object) -> LessonImported:
    given = {"n": 3, "text": "Paint it green.", "weight": 5, **fields}
    return LessonImported.model_validate({"session": session, "ref": ref, **given})


def learnt(entries: Sequence[Entry], **settings: object) -> Memory:
    memory, _ = folded(numbered([opened(**settings), *entries]))
    return memory


def ratified() -> list[tuple[str, str]]:
    """Two decisions that bind, one of them with more voices, and a claim."""
    return [
        ("ana", "[PROPOSAL] Paint the boat green"),
        ("bo", "[PROPOSAL] Drop the old importer for good"),
        ("cy", "I support P1."),
        ("bo", "I support P1."),
        ("dee", "I support P1."),
        ("cy", "I support P2."),
        ("dee", "I support P2."),
        ("eli", "I oppose P1."),
        ("ana", "We have decided to move the nightly backups to the other team."),
    ]


def test_a_lesson_is_kept_with_where_it_was_learnt() -> None:
    """Session, handle and number; the same one again changes nothing."""
    memory, facts = folded(numbered([opened(), lesson(by="ana"), lesson(by="bo")]))
    (kept,) = list_lessons(memory)
    assert (kept.session, kept.ref, kept.n, kept.text) == ("a", "D1", 3, "Paint it green.")
    imported = [fact for fact in facts if fact.kind == "lesson.imported"]
    assert [fact.ref for fact in imported] == [None]
    assert imported[0].data == {"session": "a", "ref": "D1", "text": "Paint it green."}


def test_the_weightiest_stand_first() -> None:
    """Whatever came first."""
    memory = learnt([lesson(ref=f"D{k}", weight=k % 7) for k in range(1, 11)])
    weights = [lesson.weight for lesson in list_lessons(memory)]
    assert weights == sorted(weights, reverse=True)


def test_beyond_the_limit_the_lightest_go() -> None:
    """Also where there is room for none, and where the limit is lowered."""
    many = [lesson(ref=f"D{k}", weight=k) for k in range(1, 11)]
    assert [lesson.weight for lesson in list_lessons(learnt(many, limits={"lessons": 3}))] == [
        10,
        9,
        8,
    ]
    assert list_lessons(learnt(many, limits={"lessons": 0})) == []
    lowered = SettingsChanged(settings={"limits": {"lessons": 2}})
    assert [lesson.weight for lesson in list_lessons(learnt([*many, lowered]))] == [10, 9]


def lessons() -> st.SearchStrategy[LessonImported]:
    return st.builds(
        LessonImported,
        session=st.sampled_from(("a", "b", "c d")),
        ref=st.sampled_from(("D1", "D2", "I1")),
        n=st.integers(0, 3),
        text=st.sampled_from(("Green.", "Red.", "x" * 2000, "\u202eodd")),
        standing=st.sampled_from(("", "ratified +2 -0 ~0")),
        weight=st.integers(-(2**63), 2**63 - 1) | st.integers(0, 3),
    )


@given(st.lists(lessons(), max_size=12), st.randoms(use_true_random=False), st.integers(0, 4))
def test_which_lessons_stand_does_not_depend_on_the_order_of_coming(
    some: list[LessonImported], draw: st.DataObject, limit: int
) -> None:
    """Derived entries commute: two importers at once come to the same memory."""
    other = list(some)
    draw.shuffle(other)  # type: ignore[attr-defined]  # a random.Random
    memory = learnt(some, limits={"lessons": limit})
    two = learnt(other, limits={"lessons": limit})
    assert dump(memory) == dump(two)
    assert len(list_lessons(memory)) <= limit
    assert list_lessons(load(dump(memory), PACKS)) == list_lessons(memory)


@given(st.lists(lessons(), max_size=6), st.integers(0, 6), st.integers(0, 3))
def test_which_lessons_stand_does_not_depend_on_settings_in_between(
    some: list[LessonImported], place: int, limit: int
) -> None:
    """A limit that was low for a while has let go of nothing."""
    low = SettingsChanged(settings={"limits": {"lessons": limit}})
    high = SettingsChanged(settings={"limits": {"lessons": 9}})
    first = learnt([low, high, *some])
    later = learnt([*some[:place], low, high, *some[place:]])
    assert dump(first) == dump(later)


def test_what_binds_is_taught_the_weightiest_first() -> None:
    """With how it stood; claims, and what a person struck, are not."""
    memory, _ = folded(talk(*ratified()))
    lessons = list_teachable_lessons(memory)
    assert [lesson.ref for lesson in lessons] == ["D2"]
    accepted = {d.handle: d.status for d in memory.decisions.values()}
    assert accepted == {"D1": "disputed", "D2": "ratified", "D3": "claimed"}
    assert lessons[0].standing == "ratified +3 -0 ~0"
    assert lessons[0].text == "Drop the old importer for good"
    assert (lessons[0].session, lessons[0].n) == ("", memory.decisions[2].born)


def test_insights_are_taught_too() -> None:
    """Behind decisions, those that were seen more often first."""
    memory, _ = folded(talk(*ratified()))
    for ref, count in ((1, 1), (2, 4)):
        memory.insights.by_ref[ref] = Insight(
            ref=ref, kind="error", text=f"No. {ref}", cites=[Cite(ref)], count=count, size=3
        )
    assert [lesson.ref for lesson in list_teachable_lessons(memory)] == ["D2", "I2", "I1"]
    assert [lesson.ref for lesson in list_teachable_lessons(memory, 2)] == ["D2", "I2"]
    assert list_teachable_lessons(memory)[1].standing == "error, seen 4 times"


def test_insights_are_taught_in_the_order_in_which_they_are_kept() -> None:
    """A fact outweighs a usual success there, too: an insight has one weight."""
    memory, _ = folded(talk(*ratified()))
    kinds: tuple[InsightKind, ...] = ("success", "replanned", "error", "discovered")
    for ref, kind in enumerate(kinds, 1):
        memory.insights.by_ref[ref] = Insight(
            ref=ref, kind=kind, text=f"No. {ref}", cites=[Cite(4)], size=3
        )
    taught = [lesson.ref for lesson in list_teachable_lessons(memory) if lesson.ref.startswith("I")]
    assert (
        taught
        == [insight.handle for insight in insights.list_insights(memory)]
        == ["I4", "I3", "I2", "I1"]
    )


def test_what_lost_its_words_is_not_taught() -> None:
    """Nobody learns a blank."""
    memory, _ = folded(talk(*ratified()))
    memory.redacted.append(memory.decisions[2].born)
    assert list_teachable_lessons(memory) == []


def test_weight_follows_status_voices_and_age() -> None:
    """What binds or is open is pinned; each window of silence costs one."""
    memory, _ = folded(talk(*ratified()))
    first, second = memory.decisions[1], memory.decisions[2]
    assert is_pinned(second)
    assert not is_pinned(first)
    assert item_weight(memory, second) > item_weight(memory, first)
    before = item_weight(memory, second)
    memory.n += 3 * memory.window
    assert before - item_weight(memory, second) == 3
