"""Episodes: what holds what, what ends with what, what waits for what."""

from __future__ import annotations

from parley.bus.entries import (
    Entry,
    EpisodeClosed,
    EpisodeKind,
    EpisodeOpened,
    ParticipantJoined,
)
from parley.memory.state.lookup import find_episode
from parley.memory.state.memory import Memory
from tests.support.logs.logs import folded, talk
from tests.support.logs.works import close, goal, run, task


def begin(kind: EpisodeKind, title: str = "It", who: str = "ana", **more: object) -> EpisodeOpened:
    return EpisodeOpened.model_validate(
        {"participant": who, "episode": kind, "title": title, **more}
    )


def handles(memory: Memory) -> list[str]:
    """Of the open tasks that wait for nothing, oldest first."""
    episodes = [memory.episodes.by_ref[ref] for ref in memory.episodes.open]
    return [each.handle for each in episodes if each.kind == "task" and not each.after]


def test_a_task_is_ready_when_what_it_waits_for_is_completed() -> None:
    """Until then it is blocked; a failed one blocks it for good."""
    log: list[Entry] = [
        goal("Compliance"),
        task("Load the model"),
        task("Count doors", after=("E2",)),
        task("Report", after=("E2", "E3")),
    ]
    memory, _ = folded(talk(*log))
    assert handles(memory) == ["E2"]
    memory, _ = folded(talk(*log, close("E2")))
    assert handles(memory) == ["E3"]
    memory, _ = folded(talk(*log, close("E2"), close("E3")))
    assert handles(memory) == ["E4"]
    memory, _ = folded(talk(*log, close("E2", status="failed")))
    assert handles(memory) == []


def test_no_dependency_can_make_a_circle() -> None:
    """A task waits for earlier ones only: itself and what is yet to come are passed over."""
    memory, _ = folded(
        talk(goal("Doors"), task("One", after=("E2", "E3", 2, 3)), task("Two", after=("E2",)))
    )
    assert memory.episodes.by_ref[2].after == ()
    assert memory.episodes.by_ref[3].after == (2,)


def test_work_on_a_blocked_task_counts_all_the_same() -> None:
    """Dependencies advise; the log has what was done."""
    ahead = (goal("Doors"), task("One"), task("Two", after=("E2",)))
    memory, _ = folded(talk(*ahead, run(1, episode="E3")))
    work = memory.episodes.by_ref[3].work
    assert work is not None
    assert work.tally.runs == 1


def test_a_goal_takes_the_place_of_its_owners_only() -> None:
    """Everybody has one goal at a time, unless the session says otherwise."""
    log = [goal("Doors", "ana"), goal("Windows", "bo"), goal("Stairs", "ana")]
    memory, _ = folded(talk(*log))
    assert [memory.episodes.by_ref[ref].status for ref in (1, 2, 3)] == [
        "superseded",
        "open",
        "open",
    ]
    memory, _ = folded(talk(*log, episodes={"supersede": False}))
    assert memory.episodes.open == [1, 2, 3]


def test_an_agent_closes_no_goal_of_a_person() -> None:
    """Unless it moderates; it closes another agent's, and a person closes anybody's."""
    seats = [
        ParticipantJoined(participant="bo", role="agent"),
        ParticipantJoined(participant="mo", role="agent", may=("moderate",)),
        ParticipantJoined(participant="cy", role="agent"),
    ]
    for owner, closer, status in (
        ("ana", "bo", "open"), ("ana", "mo", "completed"), ("cy", "bo", "completed"),
        ("cy", "ana", "completed"), ("bo", "bo", "completed"),
    ):  # fmt: skip
        ended = EpisodeClosed(participant=closer, re="E1")
        memory, facts = folded(talk(*seats, begin("goal", who=owner), ended))
        assert memory.episodes.by_ref[1].status == status
        assert (facts[-1].kind == "episode.ignored") is (status == "open")


def test_what_stands_deep_ends_with_what_holds_it() -> None:
    """The innermost first, and no nesting is too deep."""
    log: list[Entry] = [goal("All"), *(task(f"Level {k}", parent=f"E{k}") for k in range(1, 1200))]
    memory, facts = folded(talk(*log, close("E1"), limits={"open_episodes": 2000}))
    assert memory.episodes.open == []
    ended = [fact.ref for fact in facts if fact.kind == "episode.closed"]
    assert ended == [f"E{ref}" for ref in range(1200, 0, -1)]


def test_an_exchange_does_not_hold_what_ended_with_the_one_before() -> None:
    """Its parent is open, or there is none."""
    memory, _ = folded(
        talk(begin("exchange"), goal("Doors", parent="E1"), begin("exchange", parent="E2"))
    )
    episodes = [memory.episodes.by_ref[ref] for ref in memory.episodes.open]
    assert [(episode.kind, episode.parent) for episode in episodes] == [("exchange", None)]


def test_only_a_handle_of_an_episode_names_one() -> None:
    """E2 does, P2 does not, nor what looks like neither."""
    memory, _ = folded(talk(goal("Doors"), task("One")))
    two = memory.episodes.by_ref[2]
    assert find_episode(memory, "E2") is two
    assert find_episode(memory, 2) is two
    assert [find_episode(memory, ref) for ref in ("P2", "2", "E", "", "E²", "E" + "9" * 5000)] == [
        None
    ] * 6
