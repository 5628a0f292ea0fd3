"""Which stretches of a talk a model is owed to read, and which of its claims are kept."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import (
    Entry,
    EntryRedacted,
    ItemCorrected,
    Message,
    SessionClosed,
    SettingsChanged,
    TalkPaused,
)
from parley.memory.extraction.model_claims.kept_claims import was_read
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.due import list_upgrades
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.ledger.reading_counts import count_readings
from tests.support.logs.logs import PACKS
from tests.support.logs.readings import FIRST, claim, read, remembered, session_log

# -- stretches ------------------------------------------------------------------


def test_a_stretch_is_owed_with_every_interval_and_shown_with_some_before() -> None:
    """An upgrade, which only a model can run, one after the other; nothing is before the first."""
    memory = remembered(*session_log())
    assert [(effect.id, effect.lead) for effect in list_owed_readings(memory)] == [
        ("extract:1:4", 1),
        ("extract:5:8", 3),
    ]
    assert [upgrade.result_id("model") for upgrade in list_upgrades(memory)] == [
        "extract:1:4:model"
    ]


def test_nothing_is_owed_where_nobody_is_to_read() -> None:
    """That is the default, and costs no message anything."""
    memory = remembered(*session_log(extract={"how": "none"}))
    assert list_owed_readings(memory) == []
    assert memory.layered is False
    assert memory.claims.heard == {}


@pytest.mark.parametrize(
    "end", [SessionClosed(), SettingsChanged(settings={"extract": {"how": "none"}})]
)
def test_the_last_stretch_closes_with_the_session_or_the_setting(end: Entry) -> None:
    """However few messages it has."""
    assert [effect.id for effect in list_owed_readings(remembered(*session_log(6, end)))] == [
        "extract:1:4",
        "extract:5:6",
    ]


def test_a_stretch_ends_before_the_message_that_finds_no_room() -> None:
    """Three fifths of a question are for the messages to read; one that is longer stands alone."""
    long = Message(participant="ana", content="The disks are slow today. " * 130)
    entries = [*session_log(2, extract={"tokens": 1000}), long, *session_log(3)[1:]]
    memory = remembered(*entries, SessionClosed())
    assert [effect.id for effect in list_owed_readings(memory)] == [
        "extract:1:2", "extract:3:3", "extract:4:6",
    ]  # fmt: skip
    again = load(dump(remembered(*entries[:3])), PACKS, 3)
    assert again.claims.tokens == remembered(*entries[:3]).claims.tokens > 0


def test_messages_of_bots_are_not_read() -> None:
    """They neither fill a stretch nor may be claimed of."""
    memory = remembered(*session_log(5, bots=["ana"]))
    assert [effect.id for effect in list_owed_readings(memory)] == ["extract:2:5"]


def test_a_redaction_makes_it_another_effect() -> None:
    """Also one of a message that was only shown with it."""
    gone = EntryRedacted(redacted=3, reason="private")
    assert [effect.id for effect in list_owed_readings(remembered(*session_log(8, gone)))] == [
        "extract:1:4:again1", "extract:5:8:again1",
    ]  # fmt: skip


def test_what_waits_survives_a_snapshot() -> None:
    """The open stretch and those that are owed."""
    memory = remembered(*session_log(7))
    again = load(dump(memory), PACKS, memory.seq)
    assert (list_owed_readings(again), dump(again)) == (list_owed_readings(memory), dump(memory))


def test_a_pause_closes_the_open_stretch_at_its_entry() -> None:
    """The end of a quiet talk is read before the session closes; later messages begin anew."""
    memory = remembered(*session_log(6, TalkPaused(paused=6)))
    assert [effect.id for effect in list_owed_readings(memory)] == ["extract:1:4", "extract:5:6"]
    later = [Message(participant="ana", content=f"More of it, {k}.") for k in range(4)]
    memory = remembered(*session_log(6, TalkPaused(paused=6), *later))
    assert list_owed_readings(memory)[-1].id == "extract:7:10"


@pytest.mark.parametrize("paused", [1, 4, 5, 7, 99])
def test_a_pause_that_is_overtaken_changes_nothing(paused: int) -> None:
    """It names an entry that is not the newest message: the talk went on."""
    log = [*session_log(5), TalkPaused(paused=paused), *session_log(6)[6:]]
    before = [effect.id for effect in list_owed_readings(remembered(*session_log(5)))]
    after = [effect.id for effect in list_owed_readings(remembered(*log))]
    assert after == (before if paused < 5 else [*before, "extract:5:5"])


def test_a_message_was_read_once_its_stretch_was_answered() -> None:
    """Not while the answer is owed, nor if the stretch is still open."""
    memory = remembered(*session_log(6, FIRST))
    assert [was_read(memory, n) for n in range(1, 7)] == [True] * 4 + [False] * 2
    assert not was_read(remembered(*session_log(6)), 1)


# -- claims --------------------------------------------------------------------------


def test_the_fold_itself_is_untouched() -> None:
    """Later messages are understood as if no model had answered."""
    without, with_it = remembered(*session_log(8)), remembered(*session_log(8, FIRST))
    assert with_it.proposals == without.proposals
    assert with_it.decisions == without.decisions
    assert with_it.participants == without.participants


@pytest.mark.parametrize(
    "forged",
    [
        {**claim(1, "second index", "proposal"), "n": 9},
        {**claim(1, "second index", "proposal"), "n": 5},
        claim(1, "second index", "proposal", start=-1),
        claim(1, "second index", "proposal", end=10**6),
        claim(1, "second index", "proposal", end=2),
        claim(2, "Fine by me", "side", "P1"),  # without a side
        claim(2, "Fine by me", "side", side="support"),
        claim(2, "Fine by me", "side", "## forged", side="support"),
        claim(2, "Fine by me", "ruling"),
        claim(2, "Fine by me", "right"),
    ],
)
def test_a_claim_that_cites_nothing_of_its_stretch_is_not_kept(forged: dict[str, Any]) -> None:
    """Beyond the log, of another stretch, outside the words, or without what its label needs."""
    assert remembered(*session_log(8, read(1, 4, forged))).claims.kept == []


def test_an_owed_stretch_is_answered_once() -> None:
    """Another range, a shorter view of it and a second answer have no effect."""
    other = FIRST.model_copy(update={"last": 3})
    narrow = FIRST.model_copy(update={"lead": 2})
    again = read(1, 4, claim(3, "nothing odd", "ruling", outcome="accepted"))
    memory = remembered(*session_log(8, other, narrow, FIRST, again))
    assert memory.claims.read == 1
    assert [kept.n for kept in memory.claims.kept] == [1, 2, 4]


def test_ids_of_one_entry_become_handles() -> None:
    """An id that two claims have, or none, names nothing."""
    both = read(
        1, 4,
        claim(1, "Who knows", "ruling", id="b", outcome="accepted"),
        claim(1, "second index", "proposal", id="a"),
        claim(2, "Fine by me", "side", "a", "z", side="support"),
        claim(4, "where we ended up", "ruling", "a", "b", outcome="accepted", id="b"),
    )  # fmt: skip
    kept = remembered(*session_log(4, both)).claims.kept
    assert [(one.n, one.k, one.targets) for one in kept] == [
        (1, 1, ()), (1, 2, ()), (2, 0, ("M1.2",)), (4, 1, ("M1.2",)),
    ]  # fmt: skip


def test_statements_are_kept_on_a_line_and_short() -> None:
    """At most 240 characters; the words of the message stay as they are."""
    long = f" Add a second\nindex {'very ' * 90}"
    memory = remembered(
        *session_log(4, read(1, 4, claim(1, "second index", "proposal", statement=long)))
    )
    (kept,) = memory.claims.kept
    assert kept.text == "second index"
    assert kept.statement.startswith("Add a second index very")
    assert len(kept.statement) <= 240


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("n", [1, 2])
def test_a_redaction_takes_statements_that_may_retell_it(n: int, late: bool) -> None:
    """Those of every claim whose reader was shown the message; quotes of others stay."""
    reading = read(
        1, 4,
        claim(1, "second index", "proposal", statement="Add a second index to the north shard."),
        claim(4, "ended up", "ruling", outcome="accepted", statement="They add an index.",
              detail="an index."),
    )  # fmt: skip
    gone = EntryRedacted(redacted=n, reason="private")
    order: list[Entry] = [gone, reading] if late else [reading, gone]
    memory = remembered(*session_log(4, *order))
    assert b"index." not in dump(memory)
    assert b"north shard." not in dump(memory)
    assert memory.claims.kept[-1].text == "ended up"


@pytest.mark.parametrize("late", [False, True])
def test_a_redacted_message_takes_its_claims_with_it(late: bool) -> None:
    """Not a word of it stays in memory."""
    gone = EntryRedacted(redacted=1, reason="private")
    order: list[Entry] = [gone, FIRST] if late else [FIRST, gone]
    memory = remembered(*session_log(4, *order))
    assert ledger_of(memory).item("M1") is None
    assert b"north shard" not in dump(memory)


def test_answers_may_land_in_any_order() -> None:
    """Each message is claimed of by one stretch, and a later stretch judges last."""
    second = read(
        5, 8, claim(6, "No", "side", "M4", side="oppose"),
        checks=[{"ref": "M4", "verdict": "wrong", "reason": "irony"}],
    )  # fmt: skip
    memory = remembered(*session_log(8, FIRST, second))
    assert dump(memory) == dump(remembered(*session_log(8, second, FIRST)))
    item = ledger_of(memory).item("M4")
    assert item is not None
    assert (item.shelf, item.doubt) == ("denied", "irony")


def test_costs_and_refusals_are_counted_and_named() -> None:
    """Per session: calls, tokens, and the rows that were refused, by known reasons."""
    update = {
        "dropped": {"quote": 2, "## forged": 9, "label": -1},
        "refused": read(1, 4, refused=[{"reason": "quote", "row": "a row\nof two lines"}]).refused,
        "calls": 2, "input_tokens": 900, "output_tokens": 80,
    }  # fmt: skip
    row = count_readings(remembered(*session_log(8, FIRST.model_copy(update=update))))
    assert (row["read"], row["waiting"], row["claims"], row["items"]) == (1, 1, 3, 2)
    assert row["dropped"] == {"quote": 2}
    assert row["refused"] == [{"reason": "quote", "row": "a row of two lines"}]
    assert (row["calls"], row["input_tokens"], row["output_tokens"]) == (2, 900, 80)


@pytest.mark.parametrize("late", [False, True])
def test_a_person_retracts_a_claim_for_good(late: bool) -> None:
    """Whether it landed already or not."""
    struck = ItemCorrected(ref="M1", by="ana", op="retract")
    order: list[Entry] = [struck, FIRST] if late else [FIRST, struck]
    ledger = ledger_of(remembered(*session_log(4, *order)))
    shelves = [item.shelf for item in map(ledger.item, ("M1", "M4")) if item is not None]
    assert shelves == ["denied", "firm"]
