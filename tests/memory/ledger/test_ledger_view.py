"""The ledger with a model's reading laid over it: items, sides, endings, and what outranks them."""

from __future__ import annotations

import pytest

from parley.bus.entries import (
    Entry,
    ItemCorrected,
    ItemsExtracted,
    Message,
    ParticipantAliased,
)
from parley.memory.ledger.ledger_rows import LedgerItem
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.memory import Memory
from parley.memory.statistics.statistics import count_memory
from tests.support.logs.logs import opened
from tests.support.logs.readings import FIRST, READ, claim, claim_in, read, remembered, session_log

TALK = (
    ("lea", "Orders are slow. Ana, Bo: what do you suggest? I will decide on Friday."),
    ("ana", "We could keep the totals in a table of their own."),
    ("bo", "A table of totals goes stale. Count them on read, behind a limit."),
    ("ana", "Fair. Drop my table then, I am for counting on read, if the limit stays under 500."),
    ("cy", "Lea has the last word on this."),
    ("lea", "We count on read. The limit is 200, not 500."),
    ("bo", "Done in 4af1c: counting on read, limit 200."),
    ("cy", "Shall we write the numbers down somewhere?"),
)


def talk(*more: Entry, chair: tuple[str, ...] = ()) -> list[Entry]:
    lines = [Message(participant=who, content=text) for who, text in TALK]
    return [opened(extract={**READ, "interval": 8}, chair=list(chair)), *lines, *more]


def says(n: int, quote: str, label: str, *targets: str, **given: object) -> dict[str, object]:
    return claim_in(TALK[n - 1][1], n, quote, label, *targets, **given)


TABLE = says(2, "keep the totals in a table", "proposal", id="t", statement="Keep a totals table.")
COUNT = says(3, "Count them on read", "proposal", id="c", statement="Count on read.")
RIGHT = says(5, "Lea has the last word", "right", who="lea")
RULING = says(
    6, "We count on read", "ruling", "c", outcome="accepted_with_changes", right="named",
    detail="the limit is 200", statement="Count on read, limit 200.",
)  # fmt: skip


def reading(*claims: dict[str, object], **given: object) -> ItemsExtracted:
    return read(1, 8, *claims, **given)


def shown(memory: Memory, handle: str) -> LedgerItem:
    item = ledger_of(memory).item(handle)
    assert item is not None
    return item


# -- items ---------------------------------------------------------------------------


def test_a_claim_becomes_an_item_of_its_own() -> None:
    """With the words, the author, the message, and the entry that cites it."""
    memory = remembered(*session_log(4, FIRST))
    item, ruling = shown(memory, "M1"), shown(memory, "M4")
    assert (item.kind, item.participant, item.text, item.shelf) == (
        "proposal", "ana", "a second index on the north shard", "firm",
    )  # fmt: skip
    assert (item.origin.how, item.origin.rule) == ("model", "extract:1:4")
    assert [(cite.n, cite.start, cite.end) for cite in item.origin.cites] == [(1, 11, 44)]
    assert item.names("support") == ["bo", "dee"]  # who rules for it is for it
    assert (ruling.kind, ruling.participant, ruling.settles) == ("decision", "dee", ("M1",))


def test_a_claim_of_an_item_that_the_fold_found_confirms_it() -> None:
    """No second item comes of it; sides on the claim reach the item."""
    second = read(
        5, 8,
        claim(5, "rebuild the importer", "proposal", id="a", statement="Rebuild it first."),
        claim(8, "has my blessing", "side", "a", side="support"),
    )  # fmt: skip
    memory = remembered(*session_log(8, second))
    item = shown(memory, "P1")
    assert [other.handle for other in ledger_of(memory).proposals()] == ["P1"]
    assert item.confirmed is not None
    assert (item.statement, item.names("support")) == ("Rebuild it first.", ["dee"])


def test_two_items_of_a_message_have_handles_of_their_own() -> None:
    """In the order of its words."""
    two = read(
        1, 4,
        claim(4, "ended up", "proposal"),
        claim(4, "The second", "ruling", outcome="accepted"),
    )  # fmt: skip
    ledger = ledger_of(remembered(*session_log(4, two)))
    items = [*ledger.decisions(), *ledger.proposals()]
    assert [(item.handle, item.text) for item in items] == [
        ("M4", "The second"), ("M4.2", "ended up"),
    ]  # fmt: skip


def test_a_course_that_a_reading_tells_from_a_listed_item_is_one_of_its_own() -> None:
    """It judges the item, and claims the same words for another course."""
    claims = (
        claim(5, "rebuild the importer", "proposal", statement="Rebuild it."),
        claim(5, "before the next release", "proposal", statement="Do it before the release."),
    )
    judged = [{"ref": "P1", "verdict": "right"}]
    ledger = ledger_of(remembered(*session_log(8, read(5, 8, *claims, checks=judged))))
    stated = {item.handle: item.statement for item in ledger.proposals()}
    assert stated == {"P1": "", "M5": "Rebuild it.", "M5.2": "Do it before the release."}
    ledger = ledger_of(remembered(*session_log(8, read(5, 8, *claims))))
    stated = {item.handle: item.statement for item in ledger.proposals()}
    assert stated == {"P1": "Rebuild it.", "M5.2": "Do it before the release."}


def test_one_repeated_idea_is_one_item() -> None:
    """The later one names the first, and is not open beside it."""
    again = says(8, "write the numbers down", "proposal", "t", relation="repeats")
    ledger = ledger_of(remembered(*talk(reading(TABLE, again))))
    assert [item.handle for item in ledger.open_proposals()] == ["M2"]
    item = ledger.item("M2")
    assert item is not None
    assert [origin.cites[0].n for origin in item.again] == [8]


def test_alternatives_share_their_question() -> None:
    """Each stays open."""
    other = says(3, "Count them on read", "proposal", "t", relation="alternative", detail="How?")
    ledger = ledger_of(remembered(*talk(reading(TABLE, other))))
    items = ledger.open_proposals()
    assert [(item.handle, item.relation, item.question) for item in items] == [
        ("M3", "alternative", "How?"), ("M2", "new", ""),
    ]  # fmt: skip
    assert items[0].related == ("M2",)


def test_the_alternative_that_is_chosen_replaces_the_open_ones() -> None:
    """All of its group, but those that were ruled on."""
    other = says(3, "Count them on read", "proposal", "t", id="c", relation="alternative")
    third = says(4, "Drop my table", "proposal", "t", id="d", relation="alternative")
    fourth = says(5, "Lea has", "proposal", "t", id="l", relation="alternative")
    refused = says(6, "We count", "ruling", "l", outcome="put_off", right="chair")
    taken = says(6, "We count", "ruling", "c", outcome="accepted", right="chair")
    claims = (TABLE, other, third, fourth, refused, taken)
    memory = remembered(*talk(reading(*claims), chair=("lea",)))
    items = [shown(memory, handle) for handle in ("M2", "M3", "M4", "M5")]
    assert [item.status for item in items] == ["modified", "accepted", "modified", "put_off"]
    assert items[0].ending is not None
    assert (items[0].ending.word, items[0].ending.detail, items[0].ending.n) == (
        "replaced",
        "M3",
        6,
    )


# -- sides ---------------------------------------------------------------------------


def test_sides_are_counted_and_marked() -> None:
    """In the shown tally, with conditions; earlier ones are kept behind the latest."""
    claims = (
        TABLE, COUNT,
        says(3, "goes stale", "side", "t", side="oppose"),
        says(4, "Drop my table", "side", "t", side="withdraw"),
        says(4, "I am for counting", "side", "c", side="conditional", detail="limit under 500"),
        says(7, "Done in 4af1c", "side", "c", "t", side="support"),
    )  # fmt: skip
    memory = remembered(*talk(reading(*claims)))
    item = shown(memory, "M3")
    assert item.tally == (1, 0, 0)  # bo proposed M3, and a side of one's own is none
    side = item.sides["ana"]
    assert (side.stance, side.conditional, side.condition) == ("support", True, "limit under 500")
    assert (side.as_read, side.counted) == (True, False)
    table = shown(memory, "M2")
    assert table.sides["bo"].stance == "support"
    assert [side.stance for side in table.earlier_sides] == ["oppose"]
    assert table.status == "withdrawn"
    assert count_memory(memory)["flips"] == 1


def test_a_side_that_its_participant_marked_outranks_a_reading() -> None:
    """Before the model's answer or after it."""
    act = Message(participant="dee", content="Against it.", act="oppose", re="P1")
    memory = remembered(
        *session_log(8, act, read(5, 8, claim(8, "has my blessing", "side", "P1", side="support")))
    )
    assert shown(memory, "P1").sides["dee"].stance == "oppose"
    assert shown(memory, "P1").sides["dee"].counted


def test_read_sides_never_reach_a_quorum() -> None:
    """Two supporters that a model reads settle nothing in the fold."""
    both = read(
        5, 8,
        claim(6, "No", "side", "P1", side="support"),
        claim(8, "has my blessing", "side", "P1", side="support"),
    )  # fmt: skip
    memory = remembered(*session_log(8, both))
    item = shown(memory, "P1")
    assert (item.tally, item.status) == ((2, 0, 0), "active")
    assert memory.proposals[1].status == "active"


def test_work_and_rulings_say_their_authors_side() -> None:
    """Not work that is done or given to somebody else, nor a ruling that is reported."""
    taken = says(7, "Done in 4af1c", "task", "t")
    done = says(4, "Drop my table", "task", "t", done=True)
    given = says(8, "Shall we", "task", "t", who="bo")
    ruled = says(6, "We count", "ruling", "t", outcome="rejected", right="named")
    report = says(5, "Lea has", "ruling", "t", outcome="rejected", right="reported", who="Owner")
    sides = shown(remembered(*talk(reading(TABLE, taken, done, given, ruled, report))), "M2").sides
    assert {name: side.stance for name, side in sides.items()} == {"bo": "support", "lea": "oppose"}


def test_work_on_what_was_accepted_before_is_no_side() -> None:
    """Whoever does as it was ruled takes no part in the choice."""
    ruled = says(6, "We count", "ruling", "t", outcome="accepted", right="named")
    done = says(7, "Done in 4af1c", "task", "t")
    assert list(shown(remembered(*talk(reading(TABLE, ruled, done))), "M2").sides) == ["lea"]


def test_a_side_that_is_implied_gives_way_to_one_that_was_said() -> None:
    """Whoever was against it and does it all the same changed no mind."""
    against = says(3, "goes stale", "side", "t", side="oppose")
    done = says(7, "Done in 4af1c", "task", "t")
    item = shown(remembered(*talk(reading(TABLE, against, done))), "M2")
    assert (item.sides["bo"].stance, item.earlier_sides) == ("oppose", [])


def test_a_counter_proposal_is_against_what_it_replaces() -> None:
    """A newer version by the same participant is no side."""
    counter = says(3, "Count them on read", "proposal", "t", relation="replaces")
    newer = says(4, "I am for counting", "proposal", "t", relation="replaces")
    sides = shown(remembered(*talk(reading(TABLE, counter, newer))), "M2").sides
    assert {name: side.stance for name, side in sides.items()} == {"bo": "oppose"}


def test_who_answers_a_counter_proposal_with_another_has_given_up_the_first() -> None:
    """It is rejected; what somebody else was for is replaced."""
    counter = says(3, "Count them on read", "proposal", "t", relation="replaces")
    newer = says(4, "I am for counting", "proposal", "t", relation="replaces")
    item = shown(remembered(*talk(reading(TABLE, counter, newer))), "M2")
    assert (item.status, item.as_read) == ("rejected", True)
    backed = says(3, "Count them on read", "side", "t", side="support")
    item = shown(remembered(*talk(reading(TABLE, backed, newer))), "M2")
    assert item.status == "modified"


def test_a_denied_side_is_not_shown() -> None:
    """Another model's, too: a later reading says that it was none."""
    first = read(1, 4, *FIRST_CLAIMS)
    later = read(5, 8, checks=[{"ref": "M1", "who": "bo", "verdict": "wrong", "reason": "irony"}])
    assert shown(remembered(*session_log(8, first)), "M1").names("support") == ["bo"]
    assert shown(remembered(*session_log(8, first, later)), "M1").names("support") == []


FIRST_CLAIMS = (
    claim(1, "a second index on the north shard", "proposal", id="a"),
    claim(2, "Fine by me", "side", "a", side="support"),
)


def test_other_names_of_a_speaker_are_followed() -> None:
    """Items and sides belong to whoever has the name now."""
    alias = ParticipantAliased(alias="bo", participant="Bo B.")
    names = shown(remembered(*session_log(4, FIRST, alias)), "M1").names("support")
    assert names == ["Bo B.", "dee"]


# -- endings -------------------------------------------------------------------------


def test_a_ruling_by_the_chair_sets_the_shown_status() -> None:
    """As read: the fold has ratified nothing."""
    memory = remembered(*talk(reading(COUNT, RULING), chair=("lea",)))
    item = shown(memory, "M3")
    assert (item.status, item.as_read) == ("accepted", True)
    assert item.ending is not None
    assert (item.ending.word, item.ending.by, item.ending.detail, item.ending.decision) == (
        "accepted_with_changes", "lea", "the limit is 200", "M6",
    )  # fmt: skip
    decision = shown(memory, "M6")
    assert (decision.status, decision.as_read, decision.words) == (
        "accepted", True, "Count on read, limit 200.",
    )  # fmt: skip
    assert ledger_of(memory).decided() == [decision]
    assert memory.decisions == {}


@pytest.mark.parametrize(
    ("grant", "status"),
    [
        (RIGHT, "rejected"),  # by somebody else
        (says(8, "Shall we write", "right", who="@lea"), "rejected"),  # who bows to it later
        (says(1, "I will decide", "right", who="Lea"), "active"),  # by herself
        (says(5, "Lea has the last word", "right", "c", who="lea"), "active"),  # on another item
        (None, "active"),
    ],
)
def test_a_right_to_rule_is_granted_by_another(
    grant: dict[str, object] | None, status: str
) -> None:
    """Without one, the ruling of one against one is listed as a claim, and settles nothing."""
    support = says(5, "Lea has", "side", "t", side="support")
    no = says(6, "not 500", "ruling", "t", outcome="rejected", right="named")
    claims = [TABLE, COUNT, support, no, *([grant] if grant else [])]
    memory = remembered(*talk(reading(*claims)))
    assert shown(memory, "M2").status == status
    assert shown(memory, "M6").status == ("rejected" if status == "rejected" else "claimed")
    assert shown(memory, "M2").sides["lea"].stance == "oppose"


def test_one_voice_is_no_vote() -> None:
    """Whoever states a count is not the only one who voted."""
    for outcome in ("rejected", "accepted"):
        count = says(6, "not 500", "ruling", "t", outcome=outcome, right="vote")
        against = says(3, "goes stale", "side", "t", side="oppose")
        claims = (TABLE, count) if outcome == "rejected" else (TABLE, against, count)
        assert shown(remembered(*talk(reading(*claims))), "M2").status == "active"


def test_a_proposal_that_nobody_holds_on_to_is_rejected() -> None:
    """Its proposer gave it up, or two others are against it and nobody else is for it."""
    no = says(6, "not 500", "ruling", "t", outcome="rejected", right="named")
    other = says(3, "goes stale", "side", "t", side="oppose")
    own = says(4, "Drop my table", "side", "t", side="oppose")
    support = says(5, "Lea has", "side", "t", side="support")
    for claims, status in (
        ((no,), "active"),
        ((no, other), "rejected"),
        ((no, own), "rejected"),
        ((no, other, support), "active"),
    ):
        assert shown(remembered(*talk(reading(TABLE, *claims))), "M2").status == status


def test_agreement_settles_if_nobody_is_against_it() -> None:
    """Somebody besides the proposer is for it, and one of them states it."""
    agreed = says(7, "counting on read", "ruling", "c", outcome="accepted", right="unopposed")
    support = says(4, "I am for counting", "side", "c", side="support")
    against = says(5, "Lea has", "side", "c", side="oppose")
    assert shown(remembered(*talk(reading(COUNT, support, agreed))), "M3").status == "accepted"
    assert shown(remembered(*talk(reading(COUNT, agreed))), "M3").status == "active"
    opposed = remembered(*talk(reading(COUNT, support, against, agreed)))
    assert shown(opposed, "M3").status == "active"


def test_work_that_is_reported_as_done_carries_a_proposal_out() -> None:
    """It is no ruling: no decision comes of it."""
    done = says(7, "Done in 4af1c", "task", "c", statement="Count on read.", done=True)
    memory = remembered(*talk(reading(COUNT, done)))
    item = shown(memory, "M3")
    assert (item.status, item.as_read) == ("adopted", True)
    assert item.ending is not None
    assert item.ending.word == "carried_out"
    assert [*ledger_of(memory).decisions()] == []
    (task,) = ledger_of(memory).tasks
    assert (task.who, task.what, task.done, task.targets) == ("bo", "Count on read.", True, ("M3",))


def test_a_newer_version_replaces_the_one_that_it_amends_once_it_is_accepted() -> None:
    """Or at once, if its own proposer replaces it."""
    newer = says(3, "Count them on read", "proposal", "t", id="c", relation="amends")
    ruled = remembered(*talk(reading(TABLE, newer, RULING), chair=("lea",)))
    assert (shown(ruled, "M2").status, shown(ruled, "M3").status) == ("modified", "accepted")
    assert shown(remembered(*talk(reading(TABLE, newer))), "M2").status == "active"
    own = says(4, "I am for counting", "proposal", "t", relation="replaces")
    assert shown(remembered(*talk(reading(TABLE, own))), "M2").status == "modified"


def test_a_newer_version_of_what_was_withdrawn_replaces_nothing() -> None:
    """It stays withdrawn, by whom it was."""
    dropped = says(4, "Drop my table", "side", "t", side="withdraw")
    newer = says(8, "write the numbers down", "proposal", "t", relation="replaces")
    item = shown(remembered(*talk(reading(TABLE, dropped, newer))), "M2")
    assert item.status == "withdrawn"


def test_a_reported_ruling_names_its_ruler_and_its_reporter() -> None:
    """Somebody outside the session approved it, says another than its proposer."""
    report = says(
        5, "Lea has the last word", "ruling", "c", outcome="accepted", right="reported", who="Owner"
    )
    item = shown(remembered(*talk(reading(COUNT, report))), "M3")
    assert item.status == "accepted"
    assert item.ending is not None
    assert (item.ending.by, item.ending.reporter) == ("Owner", "cy")
    own = says(7, "Done in", "ruling", "c", outcome="accepted", right="reported", who="Owner")
    assert shown(remembered(*talk(reading(COUNT, own))), "M3").status == "active"
    refused = says(7, "Done in", "ruling", "c", outcome="rejected", right="reported", who="Owner")
    assert shown(remembered(*talk(reading(COUNT, refused))), "M3").status == "rejected"
    against = says(5, "Lea has the last", "side", "t", side="oppose")
    words = says(7, "Done in", "ruling", "t", outcome="accepted", right="reported", who="cy")
    assert shown(remembered(*talk(reading(TABLE, words))), "M2").status == "accepted"
    assert shown(remembered(*talk(reading(TABLE, against, words))), "M2").status == "active"


def test_the_latest_ruling_counts() -> None:
    """Put off first, then accepted."""
    later = says(8, "Shall we", "ruling", "c", outcome="put_off", detail="Monday", right="named")
    who_rules = says(5, "Lea has the last word", "right", who="cy")
    claims = (COUNT, RULING, later, RIGHT, {**who_rules, "start": 4, "quote": "has the last word"})
    item = shown(remembered(*talk(reading(*claims))), "M3")
    assert item.status == "accepted"  # cy grants cy nothing
    item = shown(remembered(*talk(reading(COUNT, RULING, later), chair=("lea", "cy"))), "M3")
    assert (item.status, item.ending and item.ending.detail) == ("put_off", "Monday")


# -- verdicts ------------------------------------------------------------------------


def wrong(*refs: str) -> ItemsExtracted:
    checks = [{"ref": ref, "verdict": "wrong", "reason": "question"} for ref in refs]
    return read(5, 8, checks=checks)


def test_an_item_that_wording_alone_showed_can_be_denied() -> None:
    """It leaves the open ones, with the reason and the entry that says so; nothing is deleted."""
    memory = remembered(*session_log(8, wrong("P1")))
    item = shown(memory, "P1")
    assert (item.shelf, item.doubt) == ("denied", "question")
    assert item.denied is not None
    assert item.denied.rule == "extract:5:8"
    assert ledger_of(memory).open_proposals() == []
    assert ledger_of(memory).candidates() == []
    assert memory.proposals[1].status == "active"


@pytest.mark.parametrize(
    "explicit",
    [
        Message(participant="ana", content="Yes.", act="support", re="P1"),
        Message(participant="ana", content="+1 to P1"),
        Message(participant="ana", content="Yes.", act="accept", re="P1"),
        ItemCorrected(ref="P1", by="ana", op="topic", value="the importer"),
        ItemCorrected(ref="P1", by="ana", op="confirm"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_an_item_that_somebody_took_up_cannot(explicit: Entry, late: bool) -> None:
    """Whether before the model answered or after."""
    order: list[Entry] = [explicit, wrong("P1")] if late else [wrong("P1"), explicit]
    assert shown(remembered(*session_log(8, *order)), "P1").shelf == "firm"


def test_an_item_that_its_speaker_marked_cannot() -> None:
    """Nor is it reworded: a model comments on acts and tags."""
    log = session_log(4)
    log.append(Message(participant="eli", content="Rebuild it", act="propose"))
    log += session_log()[6:]
    checks = [{"ref": "P1", "verdict": "reworded", "statement": "Rebuild nothing."}]
    item = shown(remembered(*log, read(5, 8, checks=checks)), "P1")
    assert (item.shelf, item.statement) == ("firm", "")
    assert shown(remembered(*log, wrong("P1")), "P1").shelf == "firm"


def test_an_item_of_after_the_stretch_is_not_judged() -> None:
    """Its model never saw it."""
    later = Message(participant="ana", content="I propose we drop the old disks for good")
    memory = remembered(*session_log(8, later, wrong("P2")))
    assert shown(memory, "P2").shelf != "denied"


def test_the_latest_reading_judges() -> None:
    """A later claim of the words confirms what an earlier reading denied, in any order."""
    early = read(1, 4, *FIRST_CLAIMS)
    later = read(5, 8, checks=[{"ref": "M1", "verdict": "wrong", "reason": "question"}])
    for order in ((early, later), (later, early)):
        assert shown(remembered(*session_log(8, *order)), "M1").shelf == "denied"


def test_a_decision_that_rules_read_can_be_denied() -> None:
    """ "We decided" in a story is no decision of the session."""
    log = session_log(7)
    log.append(Message(participant="dee", content="Back then we decided to rebuild it ourselves."))
    memory = remembered(*log, wrong("D1"))
    assert shown(memory, "D1").shelf == "denied"


def test_what_participants_settled_a_reading_does_not_settle_anew() -> None:
    """A quorum of acts accepted it; what a model reads of the chair later is a comment."""
    acts = [
        Message(participant="ana", content="Rebuild the importer first", act="propose"),
        Message(participant="bo", content="Yes.", act="support", re="P1"),
        Message(participant="cy", content="Yes.", act="support", re="P1"),
        Message(participant="lea", content="Then not this year."),
    ]
    log: list[Entry] = [opened(extract={**READ, "interval": 4}, chair=["lea"]), *acts]
    ruling = claim_in(
        "Then not this year.", 4, "not this year", "ruling", "P1", outcome="rejected", right="chair"
    )
    memory = remembered(*log, read(1, 4, ruling))
    assert (shown(memory, "P1").status, shown(memory, "P1").as_read) == ("accepted", False)
    open_log = [log[0], acts[0], acts[1], Message(participant="dee", content="Hm."), acts[3]]
    open_one = remembered(*open_log, read(1, 4, ruling))
    assert (shown(open_one, "P1").status, shown(open_one, "P1").as_read) == ("rejected", True)
