"""Work for tests: goals with their tools, tasks and steps, by hand and at random."""

from __future__ import annotations

from hypothesis import strategies as st

from parley.bus.entries import (
    Entry,
    EpisodeClosed,
    EpisodeOpened,
    MemoryCompacted,
    ParticipantAliased,
    SettingsChanged,
    Step,
    ToolReturned,
)

TOOLS = ("load_model", "query", "measure", "lookup")
ERRORS = ("TimeoutError", "ValidationError")


def goal(title: str, who: str = "ana", **fields: object) -> EpisodeOpened:
    return EpisodeOpened.model_validate(
        {"participant": who, "episode": "goal", "title": title, **fields}
    )


def task(title: str, who: str = "ana", **fields: object) -> EpisodeOpened:
    return EpisodeOpened.model_validate(
        {"participant": who, "episode": "task", "title": title, **fields}
    )


def close(re: int | str | None = None, who: str = "ana", **fields: object) -> EpisodeClosed:
    return EpisodeClosed.model_validate({"participant": who, "re": re, **fields})


def run(number: int, who: str = "ana", **fields: object) -> ToolReturned:
    """A tool run: one in ten fails."""
    ok = number % 10 != 9
    return ToolReturned.model_validate(
        {
            "participant": who,
            "tool": TOOLS[number % len(TOOLS)],
            "call_id": f"c{number}",
            "arguments": {"floor": number % 7, "kind": "door", "tolerance": 0.5},
            "content": f"found {number} elements on this floor" if ok else "no answer in time",
            "ok": ok,
            "error": None if ok else ERRORS[number % len(ERRORS)],
            "at": f"2026-01-05T09:{number // 60 % 60:02}:{number % 60:02}Z",
            **fields,
        }
    )


def step(content: str = "Look at the next floor.", who: str = "ana", **fields: object) -> Step:
    return Step.model_validate(
        {"participant": who, "form": "reasoning", "content": content, **fields}
    )


_PEOPLE = st.sampled_from(("ana", "bo", "cy"))
_REFS = st.one_of(
    st.none(), st.integers(1, 40), st.sampled_from([f"E{ref}" for ref in (1, 2, 3, 5, 9)])
)
_WORDS = st.sampled_from(
    ("Count doors on floor 2", "Check the fire exits", "x" * 400, "measure corridors", "1 2 3", "…")
)


def works(max_size: int = 60) -> st.SearchStrategy[list[Entry]]:
    """Random work: everything that episodes, tools, steps and settings can do to memory."""
    opened = st.builds(
        EpisodeOpened,
        participant=_PEOPLE,
        episode=st.sampled_from(("phase", "stage", "round", "exchange", "goal", "task", "task")),
        title=_WORDS,
        parent=_REFS,
        after=st.lists(_REFS.filter(lambda ref: ref is not None), max_size=3).map(tuple),
    )
    closed = st.builds(
        EpisodeClosed,
        participant=_PEOPLE,
        re=st.one_of(_REFS, st.sampled_from(("P1", "E0", "E", ""))),
        episode=st.sampled_from((None, "goal", "task", "phase")),
        status=st.sampled_from(("completed", "failed", "superseded", "abandoned")),
        result=_WORDS,
    )
    done = st.builds(run, st.integers(0, 30), _PEOPLE)
    stepped = st.builds(
        Step,
        participant=_PEOPLE,
        form=st.sampled_from(("reasoning", "tool_execution", "validation", "replanning")),
        content=_WORDS,
        ok=st.booleans(),
        discovered=st.dictionaries(
            st.sampled_from(("floors", "exits", "k" * 200)), _WORDS, max_size=3
        ),
        episode=_REFS,
    )
    house = st.sampled_from(
        (
            MemoryCompacted(),
            ParticipantAliased(alias="bo", participant="ana"),
            SettingsChanged(settings={"limits": {"session": {"cap": 60, "target": 20}}}),
            SettingsChanged(
                settings={"limits": {"steps": 1, "insights": 2, "archive": {"items": 1}}}
            ),
        )
    )
    entry = st.one_of(opened, opened, done, done, stepped, closed, house)
    return st.lists(entry, max_size=max_size)


def tiny() -> st.SearchStrategy[dict[str, object]]:
    """Limits that are absurdly small, and some that are not."""
    few = st.sampled_from((0, 1, 2, 20))
    return st.fixed_dictionaries(
        {
            "session": st.fixed_dictionaries(
                {
                    "cap": st.sampled_from((1, 2, 40, 300, 12_000)),
                    "warn": st.sampled_from((0, 1, 30, 10_000)),
                    "target": st.sampled_from((0, 1, 30, 9_000)),
                }
            ),
            "archive": st.fixed_dictionaries(
                {"cap": st.sampled_from((0, 1, 50, 6000)), "items": few}
            ),
            "tool_history": few,
            "failed_tasks": few,
            "steps": few,
            "insights": few,
            "context_text": st.sampled_from((0, 1, 10, 2000)),
            "archived_text": st.sampled_from((0, 1, 10, 500)),
            "open_episodes": st.sampled_from((1, 2, 100)),
        }
    )
