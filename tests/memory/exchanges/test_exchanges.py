"""Exchanges: what asks, what answers, what is kept of it and what is summed up."""

from __future__ import annotations

import pytest

from parley.bus.entries import (
    EpisodeClosed,
    EpisodeOpened,
    Message,
    ParticipantAliased,
    SettingsChanged,
)
from parley.memory.exchanges.exchanges import clip_running_lines, list_kept_exchanges, open_exchange
from parley.memory.exchanges.short_forms import list_owed_short_forms, running_text
from parley.memory.state.episode_state import Exchange
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size
from tests.support.logs.dialogues import (
    HELPER,
    USER,
    ask,
    assistant,
    condensed,
    done,
    exchange,
    records,
    remembered,
    reply,
)
from tests.support.logs.logs import folded


def talks(memory: Memory) -> list[Exchange]:
    return [episode.talk for episode in list_kept_exchanges(memory) if episode.talk is not None]


def test_an_exchange_is_a_question_and_its_answer() -> None:
    """The first message asks, the newest of somebody else answers."""
    memory = remembered(ask("How warm is it?"), reply("Let me look."), reply("21."), done())
    (talk,) = talks(memory)
    assert (talk.asker, talk.question, talk.question_n) == (USER, "How warm is it?", 1)
    assert (talk.answerer, talk.answer, talk.answer_n) == (HELPER, "21.", 3)
    assert talk.messages == 3
    assert memory.exchanges.turn == 1
    assert open_exchange(memory) is None


def test_a_user_s_message_begins_the_next_exchange() -> None:
    """The one before is completed if it was answered, else abandoned; each counts a turn."""
    memory = remembered(ask("One?"), reply("1."), ask("Two?"), ask("Three?"))
    first, second = list_kept_exchanges(memory)
    assert (first.status, second.status) == ("completed", "abandoned")
    assert memory.exchanges.turn == 2
    episode = open_exchange(memory)
    assert episode is not None
    assert episode.title == "Three?"


def test_an_exchange_may_be_opened_by_hand() -> None:
    """Without users nothing is implied; the first message in it asks, whoever says it."""
    memory = remembered(
        assistant(exchange={"users": []}),
        ask("Nobody hears this?"),
        EpisodeOpened(participant="desk", episode="exchange", title="Warmth"),
        ask("How warm is it?", "ana"),
        reply("21."),
        EpisodeClosed(participant="desk", status="completed"),
    )
    (talk,) = talks(memory)
    assert (talk.asker, talk.question, talk.answer) == ("ana", "How warm is it?", "21.")


def test_a_user_asks_in_an_exchange_that_was_opened_for_it() -> None:
    """The first message of an open exchange opens no other."""
    memory = remembered(
        EpisodeOpened(participant=USER, episode="exchange", title="Warmth"), ask("How warm is it?")
    )
    assert memory.episodes.last == 1
    assert memory.exchanges.turn == 0


def test_reasoning_neither_asks_nor_answers() -> None:
    """What a participant thinks to itself is no part of the talk."""
    thought = Message(participant=HELPER, content="It must be warm.", form="reasoning")
    own = Message(participant=USER, content="I wonder.", form="reasoning")
    memory = remembered(ask("How warm is it?"), thought, own)
    episode = open_exchange(memory)
    assert episode is not None
    assert episode.talk is not None
    assert (episode.talk.answer_n, episode.talk.messages) == (0, 1)


@pytest.mark.parametrize(("letter", "size"), [("e", 750), ("é", 1500)])
def test_an_answer_over_750_bytes_is_held_in_500(letter: str, size: int) -> None:
    """Bytes of UTF-8: 750 é are 1500, and their whole size stays known."""
    memory = remembered(ask("Spell it."), reply(letter * 750), done())
    (talk,) = talks(memory)
    assert talk.answer_bytes == size
    assert byte_size(talk.answer) == (750 if letter == "e" else 499)


def test_ten_exchanges_are_kept_and_the_older_told_in_the_running_summary() -> None:
    """The eleventh pops the first, formatted with who said what; its episode is let go."""
    memory = remembered(*(exchange(number) for number in range(1, 13)))
    store = memory.exchanges
    assert store.turn == 12
    assert [episode.ref for episode in list_kept_exchanges(memory)] == list(range(3, 13))
    assert set(memory.episodes.by_ref) == set(range(3, 13))
    assert store.running.split("\n")[:2] == [
        "Q (user): What is question 1? Please.",
        "A (helper): It is answer 1. So much for it.",
    ]
    assert store.through == 6
    assert (store.compressions, store.cause) == (0, 0)


def test_a_running_summary_over_4000_bytes_is_compressed_to_3000() -> None:
    """At once, in the fold: first sentences of the older ones, the newest kept best."""
    long = "It is so. " + "And this is said of it too. " * 18
    memory = remembered(*(exchange(number, f"{number}: {long}") for number in range(1, 19)))
    store = memory.exchanges
    assert store.compressions == 1
    assert byte_size(store.running) <= 4000
    assert store.kept <= 3000
    head, last = store.running[: store.kept].split("\n"), store.cause
    assert head[0] == "Q (user): What is question 1?"
    assert head[1] == "A (helper): 1: It is so."
    assert head[-1].endswith("said of it too.")
    assert (store.first, last) == (1, 3 * len(head) // 2)


def test_where_not_even_first_sentences_fit_the_oldest_go() -> None:
    """The newest is the last to be cut."""
    lines = [f"A (helper): {number} is it." for number in range(9)]
    assert clip_running_lines(lines, 42) == "A (helper): 7 is it.\nA (helper): 8 is it."
    assert clip_running_lines(lines, 8) == "A (he…"
    assert clip_running_lines(lines, 0) == ""
    assert clip_running_lines([], 9) == ""


def test_limits_hold_for_what_is_held_when_they_change() -> None:
    """A window, answers and a summary that were within the limits are brought within the new."""
    tight = {"answer": {"cap": 20, "target": 15}, "exchanges": 2, "running": {"cap": 80}}
    memory = remembered(
        *(exchange(number) for number in range(1, 7)), SettingsChanged(settings={"limits": tight})
    )
    assert len(list_kept_exchanges(memory)) == 2
    assert all(byte_size(talk.answer) <= 15 for talk in talks(memory))
    assert 0 < byte_size(memory.exchanges.running) <= 80


def test_a_close_is_told_as_a_fact() -> None:
    """With its turn, where question and answer stand, and how long the answer was."""
    _, facts = folded(records(ask("Really?"), reply("Yes."), done()))
    (fact,) = [fact for fact in facts if fact.kind == "exchange.closed"]
    assert (fact.ref, fact.n) == ("E1", 3)
    assert fact.data == {"turn": 1, "question_n": 1, "answer_n": 2, "bytes": 4}


def test_another_name_of_a_speaker_is_the_same_speaker() -> None:
    """What an alias says after its own question is no answer."""
    memory = remembered(
        assistant(exchange={"users": []}),
        EpisodeOpened(participant="desk", episode="exchange", title="Is it?"),
        ask("Is it?"),
        reply("It is.", "hal"),
        ParticipantAliased(alias="hal", participant=HELPER),
        ParticipantAliased(alias="me", participant=USER),
        reply("Thanks.", "me"),
        done(),
    )
    assert [(talk.asker, talk.answerer) for talk in talks(memory)] == [(USER, HELPER)]


def test_a_model_s_summary_stands_for_the_compressed_part_alone() -> None:
    """Exchanges that left the window since follow it, and the whole is within the limit."""
    limits = {"running": {"cap": 120, "target": 60}, "exchanges": 1}
    settings = assistant(summary={"how": "model"}, limits=limits)
    log = [settings, *(entry for number in range(1, 5) for entry in exchange(number))]
    memory = remembered(log)
    (effect,) = [
        short_form_effect
        for short_form_effect in list_owed_short_forms(memory)
        if short_form_effect.part == "running"
    ]
    assert effect.of == memory.exchanges.cause
    memory = remembered([*log, condensed(effect, "Three questions were answered.")])
    assert running_text(memory).startswith("Three questions were answered.")
    memory = remembered([*log, condensed(effect, "Three were answered."), ask("Next?"), done()])
    assert byte_size(running_text(memory)) <= 120
