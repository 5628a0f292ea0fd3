"""Models' shorter forms: when they are owed, when they stand, when they go."""

from __future__ import annotations

from parley.bus.entries import Entry, EpisodeClosed, EpisodeOpened, SettingsChanged, TextCondensed
from parley.memory.exchanges.exchanges import list_kept_exchanges
from parley.memory.exchanges.short_forms import (
    answer_text,
    episode_text,
    list_owed_short_forms,
    result_text,
    running_text,
)
from parley.memory.exchanges.tool_cache import list_live_results
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.due import list_upgrades
from parley.memory.state.effects import ShortFormEffect
from parley.memory.state.memory import Memory
from tests.support.logs.dialogues import (
    ask,
    assistant,
    condensed,
    done,
    exchange,
    remembered,
    reply,
    returned,
)
from tests.support.logs.logs import PACKS

LONG = "It is so. " * 200
MODEL = assistant(summary={"how": "model"})
LOG: list[Entry] = [MODEL, ask("Is it?"), returned(content=LONG), reply(LONG), done()]


def ids(memory: Memory) -> list[str]:
    return [effect.id for effect in list_owed_short_forms(memory)]


def test_what_was_clipped_is_owed_a_shorter_form() -> None:
    """An answer once its exchange is closed, a result as soon as it is kept."""
    assert ids(remembered(LOG[:-1])) == ["condense:result:2"]
    memory = remembered(LOG)
    assert ids(memory) == ["condense:answer:3", "condense:result:2"]
    assert [effect.id for effect in list_upgrades(memory, 1)] == ["condense:answer:3"]


def test_a_session_that_wants_no_model_s_owes_none() -> None:
    """What counts is what was in force when the text was clipped."""
    assert ids(remembered(assistant(), *LOG[1:])) == []
    later = SettingsChanged(settings={"summary": {"how": "extract"}})
    assert ids(remembered([*LOG, later])) == ["condense:answer:3", "condense:result:2"]


def test_a_shorter_form_is_read_in_place_of_the_clipped_text() -> None:
    """The first that lands stands; it is held to the target whatever a model said."""
    answer, result = list_owed_short_forms(remembered(LOG))
    log = [*LOG, condensed(answer, "Yes, it is."), condensed(result, LONG)]
    memory = remembered([*log, condensed(answer, "No.")])
    assert answer_text(memory, list_kept_exchanges(memory)[0]) == "Yes, it is."
    assert 0 < len(result_text(memory, list_live_results(memory)[0])) <= 500
    assert ids(memory) == []


def test_nothing_said_leaves_the_clipped_text() -> None:
    """The form of a text that was redacted is empty, and answers what was owed."""
    answer, *_ = list_owed_short_forms(remembered(LOG))
    memory = remembered([*LOG, condensed(answer, "")])
    assert answer_text(memory, list_kept_exchanges(memory)[0]).startswith("It is so.")
    assert "condense:answer:3" not in ids(memory)


def test_a_shorter_form_goes_with_what_it_is_of() -> None:
    """When the exchange leaves the window, the result ends or is replaced."""
    answer, result = list_owed_short_forms(remembered(LOG))
    log = [*LOG, condensed(answer), condensed(result)]
    assert set(remembered(log).condensed) == {"answer 3", "result 2"}
    replaced = remembered([*log, returned(content="short", call_id="c2")])
    assert set(replaced.condensed) == {"answer 3"}
    memory = remembered(log, *(exchange(number) for number in range(11)))
    assert memory.condensed == {}


def test_a_form_of_what_memory_does_not_hold_is_let_be() -> None:
    """Too late, or of nothing at all."""
    strange = [
        condensed(ShortFormEffect(part, of)) for part in ("answer", "running") for of in (1, 99)
    ]
    assert remembered([*LOG, *strange]).condensed == {}
    late = condensed(ShortFormEffect("answer", 3))
    assert remembered(LOG, *(exchange(k) for k in range(11)), late).condensed == {}


def test_the_running_summary_keeps_the_form_of_the_one_before() -> None:
    """The next is made of it; only one stands, and it is read only while it is the newest."""
    limits = {"running": {"cap": 60, "target": 30}, "exchanges": 0}
    log: list[Entry] = [assistant(summary={"how": "model"}, limits=limits)]
    log += exchange(1)
    log += [condensed(ShortFormEffect("running", 3), "Told.")]
    memory = remembered(log)
    assert running_text(memory) == "Told."
    memory = remembered(log, exchange(2))
    assert ids(memory) == ["condense:running:6"]
    assert set(memory.condensed) == {"running 3"}
    assert running_text(memory) == memory.exchanges.running
    memory = remembered(log, exchange(2), condensed(ShortFormEffect("running", 6), "Told again."))
    assert set(memory.condensed) == {"running 6"}


def test_a_running_summary_that_wants_no_form_leaves_none_of_the_one_before() -> None:
    """Nothing would ever replace it; whether it landed before or after makes no difference."""
    limits = {"running": {"cap": 60, "target": 30}, "exchanges": 0}
    begun = [assistant(summary={"how": "model"}, limits=limits), *exchange(1)]
    short_form = condensed(ShortFormEffect("running", 3), "Told.")
    for change in ({"summary": {"how": "extract"}}, {"limits": {"running": {"target": 0}}}):
        rest: list[Entry] = [SettingsChanged(settings=change), *exchange(2)]
        memory = remembered([*begun, short_form, *rest])
        assert memory.condensed == {}
        assert dump(memory) == dump(remembered([*begun, *rest, short_form]))


def test_a_closed_episode_is_put_in_words_where_prose_is_wanted() -> None:
    """Named by the entry that opened it, since one entry may close several."""
    log: list[Entry] = [
        assistant(summary={"how": "model"}, episodes={"prose": True}),
        EpisodeOpened(participant="ana", episode="phase", title="Phase one"),
        EpisodeClosed(participant="ana", result="Done."),
    ]
    memory = remembered(log)
    assert ids(memory) == ["condense:episode:1"]
    memory = remembered([*log, condensed(ShortFormEffect("episode", 1), "They agreed.")])
    assert episode_text(memory, memory.episodes.by_ref[1]) == "They agreed."


def test_a_restored_memory_owes_the_same_forms_in_the_same_order() -> None:
    """Episodes are numbers, not text: the tenth does not come before the second."""
    log: list[Entry] = [
        assistant(
            summary={"how": "model"}, episodes={"prose": True}, limits={"archive": {"items": 20}}
        )
    ]
    for number in range(12):
        log += [
            EpisodeOpened(participant="ana", episode="goal", title=f"Goal {number}"),
            EpisodeClosed(participant="ana"),
        ]
    memory = remembered(log)
    restored = load(dump(memory), PACKS, memory.seq)
    assert ids(memory) == ids(restored) == [f"condense:episode:{n}" for n in range(1, 24, 2)]


def test_the_words_of_an_episode_go_with_it() -> None:
    """When it leaves the archive."""
    log: list[Entry] = [
        assistant(
            summary={"how": "model"}, episodes={"prose": True}, limits={"archive": {"items": 1}}
        )
    ]
    for number in (1, 3):
        log += [
            EpisodeOpened(participant="ana", episode="phase", title=f"Phase {number}"),
            EpisodeClosed(participant="ana", result="Done."),
            condensed(ShortFormEffect("episode", number)),
        ]
    assert set(remembered(log[:4]).condensed) == {"episode 1"}
    assert set(remembered(log).condensed) == {"episode 3"}


def test_an_odd_number_raises_nothing() -> None:
    """The fold is total."""
    odd = TextCondensed.model_construct(part="running", of=-5, text="x")
    assert remembered([*LOG, odd]).condensed == {}
