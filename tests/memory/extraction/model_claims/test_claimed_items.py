"""A model's reading of the talk: when it is owed, what of it stands, what outranks it."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import (
    Entry,
    EntryRedacted,
    ItemCorrected,
    ItemsExtracted,
    Message,
    ParticipantAliased,
    SessionClosed,
    SettingsChanged,
)
from parley.memory.context.context import Request, assemble
from parley.memory.extraction.model_claims.claim_counts import count_claims
from parley.memory.extraction.model_claims.item_overlay import listed_status, overlay_claims
from parley.memory.extraction.model_claims.kept_claims import SURE
from parley.memory.extraction.model_claims.reading_ranges import list_owed_readings
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.due import list_upgrades
from parley.memory.state.memory import Memory
from tests.support.logs.logs import PACKS, folded, numbered, opened

READ = {"how": "model", "interval": 4, "overlap": 2}
SAID = (
    ("ana", "Who knows: a second index on the north shard?"),
    ("bo", "Could be. Fine by me."),
    ("cy", "The log shows nothing odd."),
    ("dee", "The second index, that is where we ended up."),
    ("eli", "I propose we rebuild the importer before the next release"),
    ("bo", "No."),
    ("cy", "Morning all."),
    ("dee", "That one has my blessing."),
)


def session_log(count: int = 8, *more: Entry, **settings: Any) -> list[Entry]:
    """The session of the first `count` lines, then `more`."""
    lines = [Message(participant=who, content=text) for who, text in SAID[:count]]
    return [opened(extract={**READ, **settings.pop("extract", {})}, **settings), *lines, *more]


def claim(n: int, quote: str, label: str, target: object = None, **given: object) -> dict[str, Any]:
    """A claim of those words of line `n`."""
    start = SAID[n - 1][1].index(quote)
    made = {"n": n, "quote": quote, "label": label, "target": target, "confidence": 650}
    return {**made, "start": start, "end": start + len(quote), **given}


def read(first: int, last: int, *claims: dict[str, Any], **given: Any) -> ItemsExtracted:
    fields = {"lead": max(1, first - 2), "first": first, "last": last, "claims": claims}
    return ItemsExtracted.model_validate({**fields, **given})


FIRST = read(
    1, 4,
    claim(1, "a second index on the north shard", "proposal"),
    claim(2, "Fine by me", "support", 1),
    claim(4, "that is where we ended up", "decision"),
)  # fmt: skip


def remembered(*entries: Entry) -> Memory:
    return folded(numbered(entries))[0]


# -- what is owed ------------------------------------------------------------------


def test_a_stretch_is_owed_with_every_interval_and_shown_with_some_before() -> None:
    """An upgrade, which only a model can run; the first has nothing before it."""
    memory = remembered(*session_log())
    assert [(effect.id, effect.lead) for effect in list_owed_readings(memory)] == [
        ("extract:1:4", 1),
        ("extract:5:8", 3),
    ]
    assert [list_upgrade.result_id("model") for list_upgrade in list_upgrades(memory)] == [
        "extract:1:4:model", "extract:5:8:model",
    ]  # fmt: skip


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


# -- what stands -------------------------------------------------------------------


def test_a_claim_becomes_an_item_of_its_own() -> None:
    """With the words, who said them, the message and the entry that cites it."""
    overlay = overlay_claims(remembered(*session_log(4, FIRST)))
    claimed_item, other = overlay.items["M1"], overlay.items["M4"]
    assert (claimed_item.kind, claimed_item.participant, claimed_item.text) == (
        "proposal", "ana", "a second index on the north shard",
    )  # fmt: skip
    assert (claimed_item.origin.how, claimed_item.origin.rule) == ("model", "extract:1:4")
    assert [(cite.n, cite.start, cite.end) for cite in claimed_item.origin.cites] == [(1, 11, 44)]
    assert {name: voice.stance for name, voice in claimed_item.voices.items()} == {"bo": "support"}
    assert (other.kind, other.participant) == ("decision", "dee")


def test_the_fold_itself_is_untouched() -> None:
    """What people say next is understood as if no model had answered."""
    without, with_it = remembered(*session_log(8)), remembered(*session_log(8, FIRST))
    assert with_it.proposals == without.proposals
    assert with_it.decisions == without.decisions
    assert with_it.participants == without.participants


def test_a_claim_of_what_is_an_item_already_confirms_it() -> None:
    """No second item comes of it; a stance on it reaches the one that stands."""
    second = read(
        5, 8,
        claim(5, "rebuild the importer", "proposal"),
        claim(8, "has my blessing", "support", 5),
    )  # fmt: skip
    overlay = overlay_claims(remembered(*session_log(8, second)))
    assert overlay.items == {}
    assert list(overlay.confirmed) == ["P1"]
    assert overlay.voices["P1"]["dee"].stance == "support"


def test_confidence_is_held_below_what_people_mark_themselves() -> None:
    """Whatever the entry says."""
    sure = read(1, 4, claim(1, "second index", "proposal", confidence=10**6))
    assert overlay_claims(remembered(*session_log(4, sure))).items["M1"].origin.confidence == SURE


def test_two_items_of_a_message_have_handles_of_their_own() -> None:
    """In the order of its words."""
    two = read(1, 4, claim(4, "ended up", "proposal"), claim(4, "The second", "decision"))
    overlay = overlay_claims(remembered(*session_log(4, two)))
    assert [(ref, claimed_item.text) for ref, claimed_item in overlay.items.items()] == [
        ("M4", "The second"), ("M4.2", "ended up"),
    ]  # fmt: skip


def test_claims_of_an_entry_name_each_other() -> None:
    """By ids of their own: of two items of a message the one that is meant."""
    both = read(
        1, 4,
        claim(1, "Who knows", "decision", id="b"),
        claim(1, "second index", "proposal", id="a"),
        claim(2, "Fine by me", "support", "a"),
        claim(4, "where we ended up", "decision", "a"),
    )  # fmt: skip
    overlay = overlay_claims(remembered(*session_log(4, both)))
    assert [(ref, item.kind, item.settles) for ref, item in overlay.items.items()] == [
        ("M1", "decision", None), ("M1.2", "proposal", None), ("M4", "decision", "M1.2"),
    ]  # fmt: skip
    assert list(overlay.items["M1.2"].voices) == ["bo"]
    assert overlay.items["M1"].voices == {}


@pytest.mark.parametrize("target", ["P1", 5, "a"])
def test_a_decision_settles_an_item_of_the_fold(target: object) -> None:
    """By its handle, its message, or the id of a claim that confirms it."""
    second = read(
        5, 8,
        claim(5, "rebuild the importer", "proposal", id="a"),
        claim(8, "has my blessing", "decision", target),
    )  # fmt: skip
    overlay = overlay_claims(remembered(*session_log(8, second)))
    assert overlay.items["M8"].settles == "P1"


def test_what_the_fold_left_open_a_claim_links() -> None:
    """A decision that the fold knows is confirmed, and what it settles laid over it."""
    lines = [Message(participant=who, content=text) for who, text in SAID[:3]]
    ended = Message(participant="dee", content="[DECISION] the north shard gets it")
    made = {
        "n": 4, "quote": "the north shard", "label": "decision", "start": 11, "end": 26,
        "target": "a", "confidence": 600,
    }  # fmt: skip
    answer = read(1, 4, claim(1, "second index", "proposal", id="a"), made)
    memory = remembered(opened(extract=READ), *lines, ended, answer)
    overlay = overlay_claims(memory)
    assert memory.decisions[1].resolves is None
    assert (list(overlay.confirmed), overlay.settled) == (["D1"], {"D1": "M1"})


@pytest.mark.parametrize(
    ("label", "target", "ids"),
    [
        ("decision", "z", ("a", "b")),  # nothing of the entry
        ("decision", "a", ("a", "a")),  # two things of it
        ("decision", "b", ("a", "b")),  # a decision
        ("decision", "c", ("a", "b")),  # itself
        ("decision", "D9", ("a", "b")),
        ("support", "z", ("a", "b")),
        ("support", "a", ("a", "a")),
    ],
)
def test_a_name_of_nothing_is_dropped(label: str, target: str, ids: tuple[str, str]) -> None:
    """A decision stands without it; a stance is on something."""
    own = {"id": "c"} if label == "decision" else {}
    answer = read(
        1, 4,
        claim(1, "second index", "proposal", id=ids[0]),
        claim(2, "Could be", "decision", id=ids[1]),
        claim(4, "where we ended up", label, target, **own),
    )  # fmt: skip
    memory = remembered(*session_log(4, answer))
    items = overlay_claims(memory).items
    assert all(item.settles is None and not item.voices for item in items.values())
    assert list(items) == ["M1", "M2", "M4"][: 3 if label == "decision" else 2]


STATED = "Add a second index to the north shard."


def test_a_statement_stands_beside_the_quote() -> None:
    """On a line, in 200 characters; the text of the item stays what was said."""
    reading = read(
        1, 4,
        claim(1, "second index", "proposal", statement=f" Add a second\nindex {'very ' * 60}"),
        claim(2, "Fine by me", "support", 1, statement="He agrees."),
    )  # fmt: skip
    memory = remembered(*session_log(4, reading))
    item = overlay_claims(memory).items["M1"]
    assert item.text == "second index"
    assert item.statement.startswith("Add a second index very")
    assert len(item.statement) <= 200
    assert b"He agrees" not in dump(memory)


def test_a_statement_on_what_stands_already_goes_with_it() -> None:
    """The item of the fold keeps its own text."""
    second = read(5, 8, claim(5, "rebuild the importer", "proposal", statement="Rebuild it."))
    memory = remembered(*session_log(8, second))
    assert overlay_claims(memory).statements == {"P1": "Rebuild it."}
    assert "rebuild the importer" in memory.proposals[1].text


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("n", [1, 2])
def test_a_redaction_takes_statements_that_may_retell_it(n: int, late: bool) -> None:
    """Those of all claims of whoever was shown the message; what they quote stays."""
    reading = read(
        1, 4,
        claim(1, "second index", "proposal", statement=STATED),
        claim(4, "where we ended up", "decision", statement="They add an index."),
    )  # fmt: skip
    gone = EntryRedacted(redacted=n, reason="private")
    order: list[Entry] = [gone, reading] if late else [reading, gone]
    memory = remembered(*session_log(4, *order))
    assert b"index." not in dump(memory)
    assert b"north shard." not in dump(memory)
    assert overlay_claims(memory).items["M4"].text == "where we ended up"


@pytest.mark.parametrize(
    "forged",
    [
        {**claim(1, "second index", "proposal"), "n": 9},
        {**claim(1, "second index", "proposal"), "n": 5},
        claim(1, "second index", "proposal", start=-1),
        claim(1, "second index", "proposal", end=10**6),
        claim(1, "second index", "proposal", end=2),
        claim(2, "Fine by me", "support", 3),
        claim(2, "Fine by me", "support", "P99999"),
        claim(2, "Fine by me", "support", "M2"),
        claim(2, "Fine by me", "support"),
        claim(2, "Fine by me", "support", "## forged"),
    ],
)
def test_what_cites_nothing_of_its_stretch_is_not_kept(forged: dict[str, Any]) -> None:
    """Beyond the log, of another stretch, outside the words, on nothing that was proposed."""
    overlay = overlay_claims(remembered(*session_log(8, read(1, 4, forged))))
    assert (overlay.items, overlay.voices, overlay.confirmed) == ({}, {}, {})


def test_only_a_stretch_that_is_owed_is_answered_and_only_once() -> None:
    """Another range, a shorter view of it, a second answer: nothing comes of them."""
    other = FIRST.model_copy(update={"last": 3})
    narrow = FIRST.model_copy(update={"lead": 2})
    again = read(1, 4, claim(3, "nothing odd", "decision"))
    memory = remembered(*session_log(8, other, narrow, FIRST, again))
    assert list(overlay_claims(memory).items) == ["M1", "M4"]
    assert memory.claims.read == 1


def test_answers_may_land_in_any_order() -> None:
    """Each message is claimed of by one stretch."""
    second = read(
        5, 8, claim(6, "No", "oppose", "M4"), claim(8, "my blessing", "support", 4),
        retracted=[{"ref": "M4", "reason": "irony"}],
    )  # fmt: skip
    memory, other = (
        remembered(*session_log(8, FIRST, second)),
        remembered(*session_log(8, second, FIRST)),
    )
    assert dump(memory) == dump(other)
    overlay = overlay_claims(memory)
    assert overlay.items["M4"].voices.keys() == {"bo", "dee"}
    assert (overlay.items["M4"].status, overlay.items["M4"].reason) == ("retracted", "irony")


# -- what outranks it ----------------------------------------------------------------


def second(*retracted: str, **given: Any) -> ItemsExtracted:
    return read(5, 8, retracted=[{"ref": ref, "reason": "question"} for ref in retracted], **given)


def test_what_wording_alone_showed_can_be_taken_back() -> None:
    """It is listed as retracted, with the reason and the entry that says so; nothing is deleted."""
    memory = remembered(*session_log(8, second("P1")))
    overlay, proposal = overlay_claims(memory), memory.proposals[1]
    assert listed_status(overlay, proposal) == "retracted"
    assert (overlay.reasons["P1"], overlay.retracted["P1"].rule) == ("question", "extract:5:8")
    assert overlay.retracted["P1"].cites[0].n == 5
    assert proposal.status == "active"
    assert "P1" not in assemble(memory, Request("ana")).text


@pytest.mark.parametrize(
    "explicit",
    [
        Message(participant="ana", content="Yes.", act="support", re="P1"),
        Message(participant="ana", content="+1 to P1"),
        Message(participant="ana", content="Yes.", act="accept", re="P1"),
        Message(participant="ana", content="[DECISION] rebuild it, as P1 says"),
        ItemCorrected(ref="P1", by="ana", op="topic", value="the importer"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_what_somebody_took_up_cannot(explicit: Entry, late: bool) -> None:
    """Whether before the model answered or after."""
    doubt = second("P1")
    order: list[Entry] = [explicit, doubt] if late else [doubt, explicit]
    memory = remembered(*session_log(8, *order))
    assert listed_status(overlay_claims(memory), memory.proposals[1]) == memory.proposals[1].status


def test_what_a_speaker_marked_cannot() -> None:
    """An act of the envelope, or a tag, is not a model's to take back."""
    log = session_log(4)
    log += [Message(participant="eli", content="Rebuild it", act="propose")]
    log += [Message(participant=who, content=text) for who, text in SAID[5:]]
    memory = remembered(*log, second("P1"))
    assert overlay_claims(memory).retracted == {}


def test_what_it_also_confirms_or_never_saw_is_not_taken_back() -> None:
    """Nor what came after its stretch."""
    later = Message(participant="ana", content="I propose we drop the old disks for good")
    memory = remembered(*session_log(8, later, second("P1", "P2", confirmed=["P1"])))
    overlay = overlay_claims(memory)
    assert overlay.retracted == {}
    assert list(overlay.confirmed) == ["P1"]


def test_a_stance_gives_way_to_what_its_participant_said_outright() -> None:
    """Before or after: words for it outrank a reading of them."""
    log = session_log(8, Message(participant="dee", content="Against it.", act="oppose", re="P1"))
    memory = remembered(*log, read(5, 8, claim(8, "has my blessing", "support", "P1")))
    assert overlay_claims(memory).voices == {}


def test_a_stance_counts_toward_nothing() -> None:
    """Two that a model reads make no quorum."""
    both = read(5, 8, claim(6, "No", "support", "P1"), claim(8, "has my blessing", "support", "P1"))
    memory = remembered(*session_log(8, both))
    assert len(overlay_claims(memory).voices["P1"]) == 2
    assert memory.proposals[1].status == "active"


@pytest.mark.parametrize("late", [False, True])
def test_a_person_retracts_what_a_model_claims(late: bool) -> None:
    """For good, whether it landed already or not."""
    struck = ItemCorrected(ref="M1", by="ana", op="retract")
    order: list[Entry] = [struck, FIRST] if late else [FIRST, struck]
    memory = remembered(*session_log(4, *order))
    assert overlay_claims(memory).items["M1"].status == "retracted"
    assert overlay_claims(memory).items["M4"].status == "claimed"


@pytest.mark.parametrize("late", [False, True])
def test_a_redacted_message_takes_its_claims_with_it(late: bool) -> None:
    """Not a word of it stays in memory."""
    gone = EntryRedacted(redacted=1, reason="private")
    order: list[Entry] = [gone, FIRST] if late else [FIRST, gone]
    memory = remembered(*session_log(4, *order))
    assert "M1" not in overlay_claims(memory).items
    assert b"north shard" not in dump(memory)


def test_other_names_of_a_speaker_are_followed() -> None:
    """Items and stances are of whoever the name belongs to now."""
    overlay = overlay_claims(
        remembered(*session_log(4, FIRST, ParticipantAliased(alias="bo", participant="Bo B.")))
    )
    assert list(overlay.items["M1"].voices) == ["Bo B."]


def test_what_it_cost_and_dropped_is_counted() -> None:
    """Per session: calls, tokens, and what could not be shown, by reasons that we know."""
    dropped = {"quote": 2, "## forged": 9, "label": -1}
    cost = {"calls": 2, "input_tokens": 900, "output_tokens": 80}
    row = count_claims(
        remembered(*session_log(8, FIRST.model_copy(update={"dropped": dropped, **cost})))
    )
    assert (row["read"], row["waiting"], row["claims"], row["items"]) == (1, 1, 3, 2)
    assert row["dropped"] == {"quote": 2}
    assert [row[name] for name in cost] == [2, 900, 80]


def test_a_context_tells_what_a_model_read() -> None:
    """Behind the breakpoint, fenced like everything else."""
    before, after = remembered(*session_log(4)), remembered(*session_log(4, FIRST))
    context = assemble(after, Request("ana"))
    assert context.prefix_hash == assemble(before, Request("ana")).prefix_hash
    assert '- M1 ana proposes: "a second index on the north shard" (bo support)' in context.text


def test_a_context_marks_the_words_of_the_model() -> None:
    """Beside what was said, and what a decision settles."""
    reading = read(
        1, 4,
        claim(1, "second index", "proposal", id="a", statement=STATED),
        claim(4, "where we ended up", "decision", "a"),
    )  # fmt: skip
    text = assemble(remembered(*session_log(4, reading)), Request("ana")).text
    assert f'- M1 ana proposes: "second index" (a model\'s words: "{STATED}")' in text
    assert '- M4 dee says: "where we ended up"; settles M1' in text
