"""Texts that stand alone: a reader who has nothing but them knows what is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.writing.back_references import (
    drop_openers,
    end_whole,
    points_elsewhere,
    read_labels,
)
from parley.memory.extraction.writing.cards import shipped_cards
from parley.memory.extraction.writing.item_texts import is_told, item_span, item_text
from parley.memory.extraction.writing.ruling_texts import ruling_text
from parley.memory.extraction.writing.unit_texts import join, tidy, with_parts
from parley.memory.extraction.writing.written_message import WrittenMessage
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import to_plain
from tests.support.logs.logs import folded, talk

WORDINGS = shipped_cards().texts
NAMES = frozenset({"ana", "bo", "cy"})


def proposed(text: str) -> list[str]:
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    units = [weighed.unit for weighed in message.proposals()]
    return [item_text(message, unit, item_span(message, unit, units)).text for unit in units]


def ruled(text: str) -> str:
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    said = next(each for each in message.placed() if each.act == "decide")
    return ruling_text(message, said.unit).text


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("However, we should move the maps.", "We should move the maps."),
        ("And so, finally, sell the press.", "Sell the press."),
        ("So that nobody waits, open at nine.", "So that nobody waits, open at nine."),
        ("C) Sell the second press", "Sell the second press"),
        ("(b) Sell the second press", "Sell the second press"),
        ("[ ] Check the roof", "Check the roof"),
        ("TYPE: REQUEST MESSAGE: Please move the maps", "Please move the maps"),
        ("And/or the cellar", "And/or the cellar"),
        ("Answer: yes, sell the press.", "Yes, sell the press."),
    ],
)
def test_words_that_lead_on_and_marks_of_lists_are_left_out(text: str, alone: str) -> None:
    assert drop_openers(text, WORDINGS) == alone


@pytest.mark.parametrize(
    "text",
    [
        "Let us close the budget with these components.",
        "We should use the old press to do it.",
        "This should be moved to the cellar.",
        "Treat it as a loan: return it in May.",
        "If this holds, we can open in March.",
        "Such a room has to be dry.",
        "Please answer the points above.",
        "We need to hurry and help them.",
        "Take anything earlier as a gift.",
        "When the hall is painted and dry again: do use it as a store.",
        "If they are old we must keep the hall dry.",
    ],
)
def test_what_stands_for_something_said_elsewhere_is_seen(text: str) -> None:
    assert points_elsewhere(text, WORDINGS)


@pytest.mark.parametrize(
    "text",
    [
        "Please take one of these: the cellar, the attic.",
        "It is important to keep the maps dry.",
        "The maps are old, and these maps should be moved.",
        "Ask those who have seen the cellar.",
        "Ensure that the maps are dry.",
        "Both Ana and Bo should look at the roof.",
        "We meet this week.",
        "Count the maps of the harbour and keep them dry.",
        "Take nothing less than the price of the press.",
    ],
)
def test_what_says_itself_what_it_means_needs_nothing(text: str) -> None:
    assert not points_elsewhere(text, WORDINGS)


def test_what_points_back_within_a_sentence_stands_behind_the_sentence_before() -> None:
    text = (
        "The inventory names forty maps of the harbour and nine of the hills.\n\n"
        "I suggest that we move these items to the cellar before the roof is opened in May."
    )
    assert proposed(text) == [
        "The inventory names forty maps of the harbour and nine of the hills. "
        "I suggest that we move these items to the cellar before the roof is opened in May."
    ]


def test_behind_a_list_it_stands_behind_what_leads_the_list_in() -> None:
    text = (
        "I have put three folders on the table by the door:\n\n"
        "- the harbour\n- the hills\n- the mill\n\n"
        "I suggest that you take these as the first part of the catalogue and number them."
    )
    assert proposed(text)[0].startswith(
        "I have put three folders on the table by the door: the harbour; the hills; the mill. "
    )


def test_where_nothing_stands_before_it_is_told_under_the_title() -> None:
    text = (
        "Moving the harbour maps to the cellar\n\n"
        "This should be done by two people, and I suggest that it is done before May."
    )
    assert proposed(text)[0].startswith("Moving the harbour maps to the cellar")


def test_a_label_is_told_with_what_it_is_of() -> None:
    text = (
        "Option B (a signed cookie) needs no server.\n\n"
        "I suggest that we go with option B and drop the second lookup before the release."
    )
    assert proposed(text)[-1].startswith(
        "I suggest that we go with option B (a signed cookie) and drop the second lookup"
    )


def test_a_label_of_an_earlier_message_is_told_and_cited() -> None:
    ways = (
        "The tokens were kept in two ways, and both of them were looked at in the last year.\n\n"
        "Phase 1 (tokens in Redis) was in the spring, and phase 2 (a signed cookie of the browser) "
        "was in the autumn of the same year. Each of them was small, as the report of last year "
        "shows, in which the figures of both projects are set side by side for every month."
    )
    answer = (
        "I suggest that we go on with phase 2, for the reasons that were given before.\n\n"
        "The server then keeps nothing, and whoever restarts it loses nothing either, as we saw "
        "in the spring, when the whole of the cluster had to be started anew twice in a week.\n\n"
        "The figures of that week are in the wiki, where everybody can look at them at any time."
    )
    memory, _ = folded(talk(("ana", ways), ("bo", answer)))
    made = _by(memory, "bo")
    assert made.text.startswith(
        "I suggest that we go on with phase 2 (a signed cookie of the browser)"
    )
    assert [cite.n for cite in made.origin.cites] == [made.born, made.born - 1]
    label = made.origin.cites[1]
    assert to_plain(ways)[label.start : label.end] == "a signed cookie of the browser"


def _by(memory: Memory, who: str) -> Proposal:
    return next(each for each in memory.proposals.values() if each.participant == who)


@pytest.mark.parametrize(
    ("text", "limit", "ended"),
    [
        ("Add a ratchet to the gate (it runs on push) and a hook, so that nothing", 60,
         "Add a ratchet to the gate (it runs on push) and a hook"),
        ("Move the maps. Sell the press to whoever asks", 30, "Move the maps."),
        ("Put the sign in the hall to", 100, "Put the sign in the hall"),
        ('We need a build. Example: { "env": { "name"', 100, "We need a build."),
    ],
)  # fmt: skip
def test_a_text_ends_where_a_clause_ends(text: str, limit: int, ended: str) -> None:
    assert end_whole(text, limit, WORDINGS) == ended


def test_a_row_is_told_by_its_first_cell_and_no_header_is_proposed() -> None:
    text = (
        "We should take one of these rooms, and I recommend the first:\n\n"
        "| Room | Please use it for |\n|---|---|\n| Cellar | Please move all the maps here |\n"
    )
    assert not any("Room" in each and "use it for" in each for each in proposed(text)[1:])
    assert tidy("| Cellar | dry |") == "Cellar | dry"


def test_code_of_many_lines_is_no_part_of_a_text() -> None:
    code = "\n".join(f"step_{number}()" for number in range(8))
    text = (
        "I will write a script that counts the maps of each room.\n\n"
        f"Please execute the following code:\n\n```python\n{code}\n```\n"
    )
    assert proposed(text) == [
        "I will write a script that counts the maps of each room. Please execute the following code"
    ]


def test_fields_that_stand_line_by_line_are_parted() -> None:
    assert (
        tidy("Ready for: the press\nNotes: it is heavy")
        == "Ready for: the press; Notes: it is heavy"
    )
    assert tidy("the maps ✅ are *moved* ⚠️") == "the maps are moved"


def test_a_verdict_that_is_data_is_told_by_its_fields() -> None:
    text = '{"Preference": "Yes", "Reason": "It is shorter.", "Correct Title": "The Mill"}'
    assert ruled(text) == "Correct Title: The Mill; Reason: It is shorter.; Preference: Yes"


def test_a_ruling_has_no_heading_behind_it() -> None:
    text = (
        "Ana has decided: the maps go to the cellar, all forty of them, before May.\n\n"
        "## What we understand\n\n- nothing else is moved"
    )
    message = WrittenMessage(text, NAMES, shipped_cards())
    assert ruling_text(message, message.units[0]).text == (
        "Ana has decided: the maps go to the cellar, all forty of them, before May."
    )


def test_labels_are_read_once_each() -> None:
    labels = read_labels("Option A: a cookie\nOption A: Redis\n**Phase 2** (memory)", WORDINGS)
    assert {label: text for label, (_, text) in labels.items()} == {
        "option a": "a cookie", "phase 2": "memory",
    }  # fmt: skip


@given(st.text(alphabet="ab AB.:;,-(){}[]|*\"'\n#0+1", max_size=200))
def test_any_text_has_its_texts(text: str) -> None:
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    for unit in message.units:
        span = item_span(message, unit, [unit])
        assert len(item_text(message, unit, span).text) <= 700
        assert len(ruling_text(message, unit).text) <= 400


@pytest.mark.parametrize(
    "text",
    [
        "If so, I will move the maps.",
        "The instant it lands, open the hall.",
        "Do not treat it as a loan.",
        "Note: this should be moved to the cellar.",
        "If you agree, please put the file into the cellar.",
    ],
)
def test_conditions_and_things_named_before_point_back(text: str) -> None:
    assert points_elsewhere(text, WORDINGS)


def test_an_item_that_points_back_stands_behind_what_its_lead_is_about() -> None:
    text = (
        "The plan of the hall is on the table for everybody to see.\n\n"
        "It covers two rooms:\n\n- the cellar, where we should move all forty maps before May\n"
    )
    assert proposed(text)[-1].startswith(
        "The plan of the hall is on the table for everybody to see. It covers two rooms: the cellar"
    )


def test_a_title_makes_room_for_itself() -> None:
    """What leads up to a proposal gives way to what all of the message is about."""
    leads_up = "This is only for the maps of the harbour, and " + "not for the others, " * 9
    text = (
        "New shelves for the maps of the harbour, without any new room\n\n- a list\n\n"
        f"{leads_up}as was said.\n\nIf so, I suggest that we order the shelves from the mill. "
        f"I will ask for the price {'of each of them ' * 10}before May."
    )
    assert proposed(text)[-1].startswith("New shelves for the maps")


def test_a_row_is_told_under_its_heading_and_the_heads_of_its_columns() -> None:
    text = (
        "### Rooms\n\n| # | Room | Use | Who |\n|---|---|---|---|\n"
        "| 1 | Cellar | Please move all the maps here | Ana |\n"
    )
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    row = message.units[-1]
    assert item_text(message, row, (row.start, row.end)).text == (
        "Rooms: Cellar: Use: Please move all the maps here; Who: Ana"
    )


def test_a_part_of_a_list_is_told_with_the_others() -> None:
    text = "Proposed test:\n\n1. Ana writes a task\n2. Bo runs it\n3. Merge\n"
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    unit = message.units[-1]
    assert item_text(message, unit, (unit.start, unit.end)).text == (
        "Proposed test: Ana writes a task; Bo runs it; Merge"
    )


def test_politeness_that_is_spoken_of_stays() -> None:
    text = "You are right that the maps come first. That is why we should move the press in May."
    message = WrittenMessage(text, NAMES, shipped_cards())
    assert item_text(message, message.units[1], (0, len(text))).text == text


def test_data_and_titles_with_addresses_propose_nothing() -> None:
    text = (
        "We should read these before May:\n\n"
        "- Please Move the Maps: A History; URL: http://maps.example/1\n\n"
        "Here is what was said: [{'content': 'What if we move the maps?', 'role': 'user'}]"
    )
    assert not any("maps.example" in each and "content" in each for each in proposed(text)[1:])
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    assert [weighed.unit.start for weighed in message.proposals()] in ([], [0])


@pytest.mark.parametrize(
    ("lead", "text", "joined"),
    [
        ("Rooms", "Cellar", "Rooms: Cellar"),
        ("Rooms:", "Rooms: Cellar", "Rooms: Cellar"),
        (
            "Taken: the cellar; the hall; the small attic",
            "Move",
            "Taken: the cellar; the hall; the small attic. Move",
        ),
        ("It is dry.", "Move the maps.", "It is dry. Move the maps."),
    ],
)
def test_a_lead_stands_before_what_it_leads_in(lead: str, text: str, joined: str) -> None:
    assert join(lead, text) == joined


def silent(text: str) -> list[int]:
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    return list(filter(message.is_unsaid, range(len(message.units))))


@pytest.mark.parametrize(
    "text",
    [
        "Why: the old key opened two doors, and nobody knew which of them was meant.",
        "Verified: all forty shelves, twice; the list of the harbour maps as well.",
        "I moved the harbour maps to the cellar and counted them twice on Monday.",
        "The maps were counted twice, and the list is complete.",
        "Counted the maps of the harbour: forty, of which nine are torn.",
        "What if the roof leaks in the night?",
        "Is the list of the harbour maps complete?",
        "If the new pump holds, you should see the light go green at once.",
        "This plan will ensure that the maps stay dry and that the town is proud of them.",
        "This way, we can ensure that the maps stay dry.",
        "Perhaps I should learn to swim.",
        "The harbour has a long history, of which the town is proud.",
        "I vote for the second option.",
        "You are an archivist with forty years of work.",
        "Ben reported that the second press is sold and paid for.",
        "BUILD WINDOW OPEN for the second press.",
        "Note: the press is old, and its rollers are worn.",
        "Please confirm before I proceed.",
        "A map by which we can find the harbour in a fog.",
        "By counting the maps twice, we can be sure of their number.",
        "The press now runs on steam instead of water.",
        "I do not think the pump is the cause.",
        "Scenario: a guest needs to know when the hall opens.",
        "I want to ensure that I have the right keys.",
        "Comments welcome on the order of the rooms.",
        "The key is saved to: the drawer of the desk.",
        "Painting the hall will take a week.",
        "Answer to the question of Ben: the press was never used.",
        "[Review request for Ben]: the maps of the harbour lie in forty boxes.",
        "Forty, fifty and 9 store the keys of the cellar.",
        "To keep out of the way, I put the maps into the cellar.",
        "The keys have a hook of their own by the door.",
        "What I do *not* concede is the sale of the press.",
        "What colour would you paint the hall?",
        "We must remain realistic about the price of the press.",
        "See the list by the door for full details.",
        "If you want the keys, let me know and I'll bring a copy.",
        "Ben's objection to the sale is sound.",
        "Roof Repair Request",
        "Other - your choice",
    ],
)
def test_reports_reasons_and_musings_put_nothing_forward(text: str) -> None:
    assert silent(text) == [0]


@pytest.mark.parametrize(
    "text",
    [
        "Why: the old key opened two doors, so we should sell both locks.",
        "I moved the harbour maps on Monday; please count them.",
        "Should we sell the second press or lend it?",
        "What if we sell the second press?",
        "Ana: move the harbour maps before May.",
        "The hall should be dry by May.",
        "I would sell the second press.",
        "Bo will sell the second press.",
        "Please never leave the cellar open.",
        "Sell the second press instead.",
        "Please confirm that the second press can be sold.",
        "Bo, move the maps of the harbour.",
        "Fix: replace the rollers of the press.",
        "[For Ben]: replace the rollers of the press.",
        "You own the keys of the cellar.",
        "What if we lend the press instead?",
    ],
)
def test_a_word_of_a_course_puts_something_forward(text: str) -> None:
    assert not silent(text)


def test_what_stands_under_a_report_s_heading_puts_nothing_forward() -> None:
    files = "Files changed:\n\n- the index of the harbour maps\n- list of the keys\n"
    assert silent(files) == [0, 1, 2]
    assert silent(files.replace("Files changed", "Proposed order")) == []


def test_a_report_behind_a_proposal_is_no_part_of_its_text() -> None:
    text = "I suggest we sell the second press. Verified: the price of such a press, in two papers."
    assert proposed(text) == ["I suggest we sell the second press."]


def test_a_short_item_is_told_behind_the_title_of_its_message() -> None:
    text = (
        "# The harbour maps in spring\n\n## Requested actions\n\n"
        "1. Confirm who owns them and in what order they go.\n"
    )
    assert proposed(text) == [
        "The harbour maps in spring: Confirm who owns them and in what order they go."
    ]


def last_told(text: str) -> str:
    """What the last unit of `text` is told as."""
    message = WrittenMessage(to_plain(text), NAMES, shipped_cards())
    unit = message.units[-1]
    return item_text(message, unit, (unit.start, unit.end)).text


def test_an_instruction_that_says_to_what_is_told_without_headings() -> None:
    text = "# The cellar is dry again\n\n## You may proceed\n\n1. {}\n"
    move = "Move the torn harbour maps to the mill."
    assert last_told(text.format(move)) == move
    for bare in ("Review and confirm in the cellar.", "Move them to the mill on Monday."):
        assert last_told(text.format(bare)).endswith(f"You may proceed: {bare}")


@pytest.mark.parametrize("lead", ["Should we:", "If the roof is dry, I can:", "Before the sale:"])
def test_what_a_lead_governs_is_told_behind_it(lead: str) -> None:
    text = f"# The cellar is dry again\n\n{lead}\n\n- Move the torn harbour maps to the mill.\n"
    assert last_told(text) == f"{lead} Move the torn harbour maps to the mill."
    long = text.replace("to the mill", "and the boxes of old letters in it to the mill on the hill")
    assert last_told(long).startswith(f"{lead} Move the torn harbour maps and")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            "| Room | Before May | After May |\n|---|---|---|\n| Cellar | wet | dry |\n",
            "Cellar (Before May wet, After May dry)",
        ),
        (
            "| Room | Price | Paid |\n|---|---|---|\n| Cellar | 40 | 30 |\n",
            "Cellar (Price 40, Paid 30)",
        ),
        (
            "| Room | Owner | Notes |\n|---|---|---|\n| Cellar | bo | has the key |\n",
            "Cellar: bo",
        ),
    ],
)
def test_cells_that_are_compared_are_told_with_their_columns(table: str, words: str) -> None:
    text = to_plain(f"Please check what the rooms came to:\n\n{table}")
    message = WrittenMessage(text, NAMES, shipped_cards())
    assert with_parts(message, 0, "Rooms") == f"Rooms: {words}"


def test_a_line_of_capitals_without_an_end_is_read_at_once() -> None:
    """Whether it is a banner is known after one look at each of its letters."""
    plan = "We should move the maps of the harbour to the dry cellar of the mill.\n\n"
    for line in ("A" * 50_000 + "bc de.", "ABC " * 12_000 + "is what stands there."):
        assert proposed(f"{plan * 4}{line}\n\n{plan}")


def test_fields_of_a_form_are_no_title() -> None:
    text = (
        "Date: 4 May\nOwner: ana\nPriority: high\n\n## Requested actions\n\n1. Confirm the order.\n"
    )
    assert not any("Owner" in told for told in proposed(text))


def test_fields_of_a_form_are_no_part_of_what_a_title_leads_in() -> None:
    text = (
        "# Harbour maps: decision approved\n\nDate: 4 May\nOwner: ana\n\n"
        "The maps move to the dry cellar of the mill.\n"
    )
    assert ruled(text) == (
        "Harbour maps: decision approved: The maps move to the dry cellar of the mill."
    )


def test_what_only_announces_a_proposal_is_told_with_it() -> None:
    text = (
        "I would like to propose an alternative plan.\n\n"
        "The maps of the harbour could hang in the hall of the mill until May.\n"
    )
    assert proposed(text)[0].startswith(
        "I would like to propose an alternative plan. The maps of the harbour could hang"
    )


def test_a_bare_verdict_is_told_with_what_stands_below_its_headings() -> None:
    text = (
        "Human approved the plan.\n\n## 1. Question\n\n"
        "The maps of the harbour stay in the dry cellar until the roof of the hall is mended.\n"
    )
    assert "stay in the dry cellar" in ruled(text)


def test_an_option_is_told_behind_what_is_to_be_chosen() -> None:
    text = (
        "# Where the maps go\n\nI recommend we pick one room:\n\n"
        "- Option A: the dry cellar\n- Option B: the hall with the new roof\n"
    )
    assert proposed(text)[0] == (
        "Where the maps go: I recommend we pick one room: Option A: the dry cellar; or Option B: "
        "the hall with the new roof"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Next steps for the harbour:", False),
        ("Hours of May", False),
        ("Hours of May: move the maps", True),
        ("Hours of May:", False),
    ],
)
def test_a_heading_that_nothing_completes_is_no_item(text: str, told: bool) -> None:
    message = WrittenMessage("# Hours of May\n\nThe maps.", NAMES, shipped_cards())
    assert is_told(message, message.units[0], text) is told


def test_what_is_to_be_chosen_from_is_told_with_what_stands_beside_it() -> None:
    text = (
        "The hall can be used again in May, as the report of the town shows.\n\n"
        "Please pick one:\n\n- A market (every week, with music)\n- A library - open all day\n"
        "- A school for forty children\n"
    )
    assert proposed(text) == [
        "Please pick one: A market (every week, with music); or A library; or A school for forty "
        "children",
        "Please pick one: A library - open all day; or A market; or A school for forty children",
        "Please pick one: A school for forty children; or A market; or A library",
    ]


def test_an_item_that_points_back_is_told_with_the_item_before_it() -> None:
    """Where what leads in to both says it no more than the item."""
    text = "My recommendation:\n\n- plan around twelve weeks\n- treat anything earlier as a gift\n"
    assert proposed(text)[-1] == (
        "My recommendation: plan around twelve weeks; treat anything earlier as a gift"
    )


def test_what_leads_in_code_that_has_no_room_is_no_item() -> None:
    """Of a few lines those are told that do something."""
    call = (
        "Please call this:\n\n```\nfrom press import Press\n{}press = Press()\npress.start()\n```\n"
    )
    assert proposed(call.format("")) == ["Please call this: press = Press(); press.start()"]
    message = WrittenMessage(to_plain(call.format("a = 1\n" * 5)), NAMES, shipped_cards())
    text = item_text(message, message.units[0], (0, message.units[0].end)).text
    assert not is_told(message, message.units[0], text)


def test_a_path_alone_is_no_item() -> None:
    message = WrittenMessage("Reference: `plans/hall/roof.html`", NAMES, shipped_cards())
    assert not is_told(message, message.units[0], "Reference: plans/hall/roof.html")


def test_a_sentence_is_told_behind_its_own_heading() -> None:
    text = (
        "# Answers to three questions\n\nAll of them were looked at in the night.\n\n"
        "## The old press\n\nAnswer: YES - we should sell it to the museum of the town.\n"
    )
    assert proposed(text) == ["The old press: YES - we should sell it to the museum of the town."]
