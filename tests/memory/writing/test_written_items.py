"""Written messages in the ledger: who answers what, what is quoted, what binds by agreement."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parley.bus.entries import (
    Entry,
    EntryRedacted,
    Message,
    ParticipantAliased,
    Record,
)
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.fold.redaction import choose_tombstone
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.server.render.events.fact_text import fact_line
from tests.support.logs.logs import PACKS, folded, numbered, opened, talk

CACHE = (
    "The second lookup costs us most of a request, as the profile of last night shows.\n\n"
    "I suggest we cache the tokens for an hour. The client can ask for a fresh one when it has to, "
    "and the log shows when that happens.\n\nWe keep the old path for a week, so that whoever "
    "needs it can go back."
)
OPTIONS = (
    "There are two ways to keep the tokens, and both of them were tried in the last project.\n\n"
    "I recommend we pick one of the following, and write it down before Friday:\n\n"
    "- Option A: keep the tokens in Redis with a lifetime of an hour\n"
    "- Option B: keep the tokens in a signed cookie of the browser\n\n"
    "Either of them is small enough to be done by one of us."
)
REPORT = (
    "The build was green in the night, and the image was pushed to the registry at four.\n\n"
    "All of the 312 tests passed. Nothing was skipped, and nothing was slow.\n\n"
    "The numbers of the last run were added to the table in the wiki, where the others are."
)
LONG = (
    " The log of the last week is attached, with the figures of every run in the table below, and "
    "there is nothing in it that would speak against going on as we said in the morning that day."
    " What is left of the old path was looked at as well, and it does not matter for what is said."
)


TWO = (
    "The archive of the town has two troubles, and both were seen in the report of last year.\n\n"
    "I suggest that we move the old maps to the cellar. They are read by nobody now.\n\n"
    "I also propose that we sell the second press to the museum. It was not used since spring."
)


def firm(memory: Memory) -> list[int]:
    """The numbers of the firm proposals."""
    return [ref for ref, proposal in memory.proposals.items() if not proposal.candidate]


def stances(memory: Memory, ref: int) -> dict[str, str]:
    return {who: each.stance for who, each in memory.proposals[ref].reactions.items()}


def without_words(records: list[Record], n: int) -> Memory:
    """The memory of the log with the words of entry `n` taken away; raises `RedactionRefused`."""
    tombstone = choose_tombstone(PACKS, records, n).entry
    blanked = (replace(each, entry=tombstone) if each.n == n else each for each in records[1:])
    return folded([records[0], *blanked])[0]


def test_a_document_proposes_and_an_answer_supports() -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", f"Agreed.{LONG}")))
    assert len(memory.proposals) == 1
    made = memory.proposals[1]
    assert made.topic == "I suggest we cache the tokens for an hour"
    assert (made.origin.rule or "").startswith("writing/propose: ")
    assert stances(memory, 1) == {"bo": "support"}


PARAGRAPH = (
    "The second lookup costs us most of a request, as the profile shows. I suggest we cache the "
    "tokens for an hour. The client can ask for a fresh one when it has to."
)


@pytest.mark.parametrize(("other", "candidate"), [(PARAGRAPH, True), (PARAGRAPH + LONG, False)])
def test_what_a_paragraph_proposes_is_a_candidate_unless_the_talk_is_documents(
    other: str, candidate: bool
) -> None:
    memory, _ = folded(talk(("bo", other.replace("tokens", "maps")), ("ana", PARAGRAPH)))
    made = memory.proposals[2]
    assert made.topic == "I suggest we cache the tokens for an hour"
    assert made.candidate is candidate


def test_short_lines_are_no_prose() -> None:
    lines = [("bo", "We see no reason to wait for that.")] * 9
    memory, _ = folded(talk(*lines, ("ana", PARAGRAPH)))
    assert not [each for each in memory.proposals.values() if "writing/" in str(each.origin.rule)]


def test_opposition_outweighs() -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", f"I see the point, but I disagree.{LONG}")))
    assert stances(memory, 1) == {"bo": "oppose"}


def test_an_option_is_named() -> None:
    memory, _ = folded(talk(("ana", OPTIONS), ("bo", f"I vote for option B.{LONG}")))
    texts = {ref: proposal.text for ref, proposal in memory.proposals.items()}
    named = next(ref for ref, text in texts.items() if ": Option B: " in text)
    assert stances(memory, named) == {"bo": "support"}
    assert not any(stances(memory, ref) for ref in texts if ref != named)


@pytest.mark.parametrize(
    "answer",
    [
        "Agreed. The maps are safe in the cellar.",
        "Agreed.\n\nThe maps go soft on the upper floor, and the cellar is dry.",
    ],
)
def test_an_agreement_is_on_what_it_speaks_of(answer: str) -> None:
    """Where it speaks of nothing it is on all that was proposed, and settles none of it."""
    memory, _ = folded(talk(("ana", TWO), ("bo", answer + LONG)))
    assert stances(memory, 1) == {"bo": "support"}
    assert not stances(memory, 2)
    assert [each.resolves for each in memory.decisions.values()] == [1]
    memory, _ = folded(talk(("ana", TWO), ("bo", f"Agreed.{LONG}")))
    assert stances(memory, 1) == stances(memory, 2) == {"bo": "support"}
    assert [each.resolves for each in memory.decisions.values()] == [None]


@pytest.mark.parametrize(
    "answer",
    [
        'You wrote: "I agree, we accept the offer." Nobody else has.',
        '"I suggest we cache the tokens for an hour." They are revoked in seconds.',
        'Bo asked for this: "We agreed to cache the tokens for an hour." Nobody did.',
    ],
)
def test_who_quotes_words_has_not_said_them(answer: str) -> None:
    """A line that is quoted to attack it supports nothing, proposes nothing, decides nothing.

    By wordings: the tables may take the answer for likely support, a candidate.
    """
    memory, _ = folded(talk(("ana", CACHE), ("cy", answer + LONG)))
    sides = memory.proposals[1].reactions.values()
    assert not [side for side in sides if not (side.origin.rule or "").startswith("prose/")]
    assert len(memory.proposals) == 1
    assert not memory.decisions


def test_an_answer_is_to_whom_it_names() -> None:
    """Though somebody else proposed since; to nothing where they wrote a document since that
    proposes nothing: it may be to that.
    """
    talked = talk(("ana", CACHE), ("bo", TWO), ("cy", f"Ana, I disagree.{LONG}"))
    memory, _ = folded(talked)
    assert stances(memory, 1) == {"cy": "oppose"}
    assert not stances(memory, 2)
    talked = talk(("ana", CACHE), ("ana", REPORT), ("bo", TWO), ("cy", f"Ana, I disagree.{LONG}"))
    memory, _ = folded(talked)
    assert not stances(memory, 1)
    memory, _ = folded(talk(("bo", TWO), ("ana", REPORT), ("cy", f"Ana, I disagree.{LONG}")))
    assert not stances(memory, 1)


def test_a_bare_ruling_is_told_with_the_proposal_that_it_settles() -> None:
    """And cites it, so that no word of it stays where it is redacted."""
    ruling = f"## Decision\n\nWe have decided to go with P2.\n\n{LONG}"
    memory, _ = folded(talk(("ana", TWO), ("bo", ruling)))
    decision = memory.decisions[1]
    assert decision.outcome == f"We have decided to go with P2: {memory.proposals[2].text}"
    assert memory.proposals[2].born in {cite.n for cite in decision.origin.cites}


def test_a_ruling_on_something_else_replaces_no_decision() -> None:
    memory, _ = folded(
        talk(
            ("ana", CACHE),
            ("bo", f"Decision: approved. The tokens are cached for an hour.{LONG}"),
            ("cy", f"Decision: approved. The roof of the hall is painted green.\n\n{REPORT}"),
        )
    )
    assert [each.resolves for each in memory.decisions.values()] == [1, None]
    assert [each.supersedes for each in memory.decisions.values()] == [None, None]


@pytest.mark.parametrize(
    ("line", "resolves"),
    [
        ("We have decided to move the old maps to the cellar.", 1),
        ("We've all settled on the museum for the second press.", 2),
        ("We have decided to go with P2.", 2),
        ("We therefore decided to close the town's archive in May.", None),
    ],
)
def test_who_says_what_was_decided_decides_it(line: str, resolves: int | None) -> None:
    """Below a heading, in plain words; a handle says on what, else the words do."""
    memory, _ = folded(talk(("ana", TWO), ("bo", f"## Decision\n\n{line}\n\n{LONG}")))
    assert [each.resolves for each in memory.decisions.values()] == [resolves]


def test_who_has_no_preference_decides_nothing() -> None:
    answer = f"Verdict: both are accepted. There is no clear preference between them.{LONG}"
    memory, _ = folded(talk(("ana", CACHE), ("bo", answer)))
    assert not memory.decisions
    assert stances(memory, 1) == {"bo": "neutral"}


@pytest.mark.parametrize(
    "line",
    [
        "The parser accepts lists and maps now.",
        "Fresh context picked up the plan of the morning.",
        "The survey is on human decision-makers in towns.",
        "Why it's the right choice:",
        "I think it is the right choice.",
        "We have not decided to cache anything yet.",
        "If we decided to cache the tokens, nobody would notice.",
        "Have we decided to cache the tokens for an hour?",
        "That is how we decided to split the work back then.",
    ],
)
def test_what_only_sounds_like_a_ruling_decides_nothing(line: str) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", line + LONG)))
    assert not memory.decisions


def test_who_said_another_thing_since_is_not_answered() -> None:
    """The report is what is agreed with, and a report is no item."""
    memory, _ = folded(talk(("ana", CACHE), ("ana", REPORT), ("bo", f"Agreed.{LONG}")))
    assert stances(memory, 1) == {}


def test_a_reply_is_on_what_it_replies_to() -> None:
    reply = Message(participant="bo", content=f"Agreed.{LONG}", re=1)
    memory, _ = folded(talk(("ana", CACHE), ("cy", OPTIONS), reply))
    assert stances(memory, 1) == {"bo": "support"}
    assert stances(memory, 2) == {}


def test_nothing_near_is_nothing() -> None:
    far: list[tuple[str, str]] = [("cy", f"{REPORT}{LONG}")] * 9
    memory, _ = folded(talk(("ana", CACHE), *far, ("bo", f"Agreed.{LONG}")))
    assert stances(memory, 1) == {}


def test_ticks_of_a_list_are_no_votes() -> None:
    ticks = f"{REPORT}\n\n- ✅ tests pass\n- ❌ docs are old\n- ✅ image pushed\n"
    memory, _ = folded(talk(("ana", CACHE), ("bo", ticks)))
    assert stances(memory, 1) == {}


@pytest.mark.parametrize(("line", "stance"), [("+1 to P1", "support"), ("-1 on P1", "oppose")])
def test_a_vote_on_a_handle_counts_in_a_document(line: str, stance: str) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", f"{REPORT}\n\n{line}")))
    assert stances(memory, 1) == {"bo": stance}


def test_a_tag_outranks_the_wording_around_it() -> None:
    marked = f"{REPORT}\n\nPROPOSAL: We should cache the tokens for an hour\n"
    memory, _ = folded(talk(("ana", marked)))
    texts = [proposal.text for proposal in memory.proposals.values()]
    assert texts == ["We should cache the tokens for an hour"]


def test_an_answer_that_is_quoted_whole_was_a_proposal() -> None:
    """Who holds on to it proposes nothing new, and who objects objects to it."""
    quoted = f'I believe the right name is "The old upload client".{2 * LONG}'
    holds = f"I understand, but I still believe that the old name is better.{LONG}"
    memory, facts = folded(talk(
        ("ana", "The old upload client."), ("ana", quoted), ("bo", f"I disagree.{LONG}"),
        ("ana", holds),
    ))  # fmt: skip
    made = memory.proposals[1]
    assert (made.participant, made.born, made.detected) == ("ana", 1, 2)
    assert stances(memory, 1)["bo"] == "oppose"
    assert all(proposal.born != 4 for proposal in memory.proposals.values())
    recalled = [fact for fact in facts if fact.kind == "proposal.recalled"]
    assert [(fact.n, fact.ref, fact.data["proposal_n"]) for fact in recalled] == [
        (2, "P1", 1), (4, "P1", 1),
    ]  # fmt: skip
    row = {"kind": recalled[1].kind, "ref": "P1", "data": recalled[1].data}
    assert fact_line(row) == "ana says P1 of message 1 again"


def test_who_writes_more_of_their_own_open_proposal_does_not_repeat_it() -> None:
    """In nearly the same words they do, and so does somebody else in like ones."""
    more = (
        "I suggest we cache the tokens for an hour, in Redis. The client can ask for a fresh one "
        "when it has to."
    )
    for who, text, echoes in (("ana", more, None), ("bo", more, 1), ("ana", CACHE, 1)):
        memory, _ = folded(talk(("ana", CACHE), ("bo", REPORT), (who, f"{text}\n\n{REPORT}")))
        assert [each.echoes for each in memory.proposals.values()] == [None, echoes]


def test_what_a_message_proposes_twice_is_one_proposal() -> None:
    """No repeat of itself; somebody else's same words are one."""
    twice = f"{CACHE}\n\nSo I suggest that we cache the tokens for an hour, please."
    memory, _ = folded(talk(("ana", twice), ("bo", CACHE)))
    assert [(each.participant, each.echoes) for each in memory.proposals.values()] == [
        ("ana", None), ("bo", 1),
    ]  # fmt: skip


def test_a_message_that_passes_on_another_proposes_nothing_of_its_own() -> None:
    """It has two proposals of that; who answers it answers them."""
    memory, facts = folded(talk(("ana", TWO), ("bo", TWO), ("cy", f"I agree.{LONG}")))
    assert [each.participant for each in memory.proposals.values()] == ["ana", "ana"]
    assert [fact.ref for fact in facts if fact.kind == "proposal.recalled"] == ["P1", "P2"]
    assert any(stances(memory, ref) == {"cy": "support"} for ref in (1, 2))


def test_a_quoted_answer_is_told_with_what_was_asked() -> None:
    """And no word of that stays where it is redacted."""
    asked = "Which name is to stand on the old client of Zanzibar?"
    quoted = f'I believe the right name is "The old upload client".{3 * LONG}'
    lines = (("bo", asked), ("ana", "The old upload client."), ("bo", quoted))
    memory, _ = folded(talk(*lines))
    assert memory.proposals[1].text == f"The old upload client. (asked: {asked})"
    assert 1 in {cite.n for cite in memory.proposals[1].origin.cites}
    assert b"Zanzibar" not in dump(without_words(talk(*lines), 1))


def test_a_tag_that_says_hardly_what_was_ruled_is_read_by_its_wording() -> None:
    vote = f"Council vote: approved.\n\n- CONSENSUS: PLAN APPROVED\n{LONG}"
    memory, _ = folded(talk(("ana", CACHE), ("bo", vote)))
    assert [each.outcome for each in memory.decisions.values()] != ["PLAN APPROVED"]


def test_who_agrees_and_promises_is_told_with_what_they_agree_to() -> None:
    answer = "Agreed. We'll ensure that everything is balanced and viable from now on."
    memory, _ = folded(talk(("ana", CACHE), ("bo", answer)))
    assert [each.outcome for each in memory.decisions.values()] in (
        [], ["Agreed: " + memory.proposals[1].text],
    )  # fmt: skip


def test_a_quotation_of_stops_alone_quotes_nothing() -> None:
    """It neither makes an answer of an ellipsis nor hides what its message proposes."""
    dots = '"............"'
    memory, _ = folded(talk(("bo", "......."), ("ana", f"{CACHE}\n\n{dots}")))
    assert [proposal.participant for proposal in memory.proposals.values()] == ["ana"]


def test_a_redacted_answer_leaves_no_word() -> None:
    memory, _ = folded(talk(
        ("ana", "The upload client of Zanzibar."), EntryRedacted(redacted=1, reason="private"),
    ))  # fmt: skip
    assert b"Zanzibar" not in dump(memory)


def test_somebody_known_by_two_names_does_not_answer_themselves() -> None:
    alias = ParticipantAliased(participant="ana", alias="ana-2")
    memory, _ = folded(talk(("ana-2", CACHE), alias, ("ana", f"Agreed.{LONG}")))
    assert stances(memory, 1) == {}


def test_memory_goes_on_from_its_bytes() -> None:
    """Law 2, with turns and claims that wait."""
    lines: list[tuple[str, str] | Entry] = [
        ("ana", CACHE), ("bo", f"Plan approved. Agreed.{LONG}"), ("cy", REPORT), ("ana", OPTIONS),
        ("bo", f"I vote for option B.{LONG}"), ("cy", f"The user approved option B.{LONG}"),
        ("ana", REPORT), ("bo", REPORT), ("cy", REPORT),
    ]  # fmt: skip
    records = talk(*lines)
    whole, _ = folded(records)
    for cut in range(1, len(records)):
        before, _ = folded(records[:cut])
        again = load(dump(before), PACKS, records[cut - 1].seq)
        for record in records[cut:]:
            apply(again, record)
        assert dump(again) == dump(whole)


def test_a_redacted_choice_is_not_taken_for_the_other_option() -> None:
    """Who was for one of two by its words is for neither when the words are gone."""
    chosen = f"I agree with keeping the tokens in a signed cookie of the browser.\n\n{REPORT}"
    records = talk(("ana", OPTIONS), ("bo", chosen))
    before, _ = folded(records)
    (other,) = (ref for ref in before.proposals if not stances(before, ref))
    assert stances(without_words(records, 1), other) == {}


def test_a_ruling_on_redacted_options_accepts_no_other() -> None:
    ruled = f"Approved: the signed cookie of the browser.\n\n{REPORT}"
    records = talk(("ana", OPTIONS), ("bo", ruled))
    before, _ = folded(records)
    (meant,) = (decision.resolves for decision in before.decisions.values())
    assert meant is not None
    after = without_words(records, 1)
    assert [decision.resolves for decision in after.decisions.values()] in ([None], [meant])


def test_an_answer_to_a_redacted_message_answers_no_other() -> None:
    """Of two messages in a row, the words told which was answered."""
    answer = f"I agree with keeping the tokens in a signed cookie of the browser.\n\n{REPORT}"
    records = talk(("ana", OPTIONS), ("ana", CACHE), ("bo", answer))
    before, _ = folded(records)
    ref = next(ref for ref, made in before.proposals.items() if made.born == 2)
    assert stances(before, ref) == {}
    assert stances(without_words(records, 1), ref) == {}


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_redaction_leaves_the_manner_of_the_talk(n: int) -> None:
    """The blank is short, and no line that somebody typed: the rest is read as before."""
    one_line = (
        "I suggest we cache the tokens for an hour, so that the second lookup costs nothing, and "
        "that the client can ask for a fresh one when it has to; the log shows when that happens, "
        "and the old path is kept for a week for whoever needs it still, as we did the last time."
    )
    plain = one_line.replace("I suggest we cache", "The last build did not cache")
    records = talk(("ana", plain), ("bo", plain), ("ana", plain), ("bo", plain), ("cy", one_line))
    before, _ = folded(records)
    assert [made.born for made in before.proposals.values()][-1:] == [5]
    assert (before.proposals[len(before.proposals)].origin.rule or "").startswith("writing/")
    after = without_words(records, n)
    assert (after.proposals[len(after.proposals)].origin.rule or "").startswith("writing/")


@pytest.mark.parametrize("line", [
    "Not approved.", "The plan was not approved.", "Plan not yet approved.", "Nobody agreed.",
    "Is the plan approved?", "Was this approved by anyone?", "Agreed?", "Sounds good?",
    "Approved by nobody.", "It will be approved tomorrow.", "I never agreed to that.",
    "I can't say that I agree with this.", "If we had more time, I would agree.",
    "I would agree only if the tests pass.", "Before I agree, I need to see the log.",
    'cy said "I agree with you".', "The user has not confirmed.",
])  # fmt: skip
def test_what_is_denied_asked_or_hedged_is_no_agreement(line: str) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", f"{line}\n\n{REPORT}")))
    assert stances(memory, 1).get("bo") != "support"
    assert all(decision.candidate for decision in memory.decisions.values())


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        ("I go with option 2 here.", 2),
        ("I vote for the second option.", 2),
        ("I support the first one, it is small.", 1),
        ("I agree with proposal 1 alone.", 1),
    ],
)
def test_an_option_is_named_by_number_or_order(answer: str, meant: int) -> None:
    """It resolves to the item of the list, which need not say its number itself."""
    lists = OPTIONS.replace("- Option A: keep", "1. We should keep").replace(
        "- Option B: keep", "2. We should keep"
    )
    memory, _ = folded(talk(("ana", lists), ("bo", answer + LONG)))
    assert len(firm(memory)) == 2
    assert stances(memory, meant) == {"bo": "support"}
    assert not stances(memory, 3 - meant)


def test_one_message_holds_a_stance_on_each_of_several() -> None:
    """By the words that each sentence shares with one of them."""
    answer = (
        "My answers, one by one, after the talk with the others of this morning:\n\n"
        "- I agree with the old maps in the cellar.\n"
        "- I disagree with selling the second press to a museum.\n"
    )
    memory, _ = folded(talk(("ana", TWO), ("bo", answer + LONG)))
    assert stances(memory, 1) == {"bo": "support"}
    assert stances(memory, 2) == {"bo": "oppose"}


def test_the_votes_of_others_that_a_message_tallies_are_not_its_own() -> None:
    answer = (
        "The tally of this morning, as it was read to us:\n\n"
        "- ana: agreed on the old maps\n- cleo: I disagree with selling the second press\n"
    )
    memory, _ = folded(talk(("cleo", CACHE), ("ana", TWO), ("bo", answer + LONG)))
    assert "bo" not in stances(memory, 3)


@pytest.mark.parametrize(
    ("answer", "stance"),
    [
        ("On it.", {"bo": "support"}),
        ("Thanks Ana. Implementing this now.", {"bo": "support"}),
        ("I'll take the cache.", {"bo": "support"}),
        ("Implemented the cache, following Ana's suggestion.", {"bo": "support"}),
        ("I will wait for the figures.", {}),
        ("I'll take it if nobody minds.", {}),
    ],
)
def test_who_promises_what_was_proposed_is_for_it(answer: str, stance: dict[str, str]) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("bo", answer + LONG)))
    assert stances(memory, 1) == stance


@pytest.mark.parametrize(
    "words",
    [
        "Could you please share more details on the profile?",
        "I would like a decision by Friday. Please bring numbers.",
        "I disagree with ana's proposal, for we must be able to revoke them.",
        "I disagree with the plan to cache tokens, because they should be short-lived.",
    ],
)
def test_a_request_for_facts_or_a_decision_and_a_mere_stance_propose_nothing(words: str) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("cy", f"{words}{LONG}")))
    assert firm(memory) == [1]


@pytest.mark.parametrize(
    "words",
    [
        "Please bring the server down on Friday.",
        "I disagree with ana's proposal, I suggest that we keep the tokens in a cookie instead.",
        "I disagree with ana's proposal, we should keep the tokens in a cookie.",
        "I support ana's proposal, and we should keep the tokens in a cookie.",
    ],
)
def test_a_request_to_act_and_a_stance_with_another_course_propose(words: str) -> None:
    memory, _ = folded(talk(("ana", CACHE), ("cy", f"{words}{LONG}")))
    assert list(memory.proposals) == [1, 2]


ROTA = (
    "[PROPOSE] I propose that we create a rotation system where one person is on call each week. "
    "We can start by assigning one person to call on Monday, Tuesday, and Wednesday, and then "
    "rotate to the next person on Thursday, Friday, and Saturday. This way, we can ensure that we "
    "have someone on call each week and that we can quickly respond to any issues that arise."
)
AGAIN = (
    "I think it would be a good way to ensure that we have someone on call each week and that we "
    "can quickly respond to any issues that arise. I would assign one person to call on Monday, "
    "Tuesday, and Wednesday, and then rotate to the next person on Thursday, Friday, and Saturday."
)


@pytest.mark.parametrize(
    ("answer", "made", "recalled"),
    [
        (
            f"I support your proposal of creating a rotation system for on-call personnel. {AGAIN}",
            [1],
            1,
        ),
        (AGAIN, [1, 2], 0),
    ],
)
def test_who_supports_a_proposal_says_it_again_without_making_a_new_one(
    answer: str, made: list[int], recalled: int
) -> None:
    """Who says it without a side repeats it, as an echo."""
    memory, facts = folded(talk(("rosa", ROTA), ("olga", answer)))
    assert list(memory.proposals) == made
    assert [fact.kind for fact in facts].count("proposal.recalled") == recalled


def test_a_document_of_what_was_decided_proposes_nothing() -> None:
    plan = "I suggest we move the old maps to the cellar, and please count them before May."
    report = f"{plan}\n\nWe should also sell the second press to the museum in May.{LONG}"
    output = f"**Output: The final plan of the maps**\n\n{report}"
    assert len(folded(talk(("ana", report)))[0].proposals) == 2
    memory, _ = folded(talk(("ana", output)))
    assert not memory.proposals
    assert len(memory.decisions) == 1


def test_items_under_one_title_are_not_alike_for_it() -> None:
    """The title stands before each of them; they are compared without it."""
    text = (
        "# The harbour maps, the keys of the cellar and the roof of the old hall in spring\n\n"
        "## Next steps\n\n- Check the torn ones\n- Ask bo for a lock\n"
    )
    memory, facts = folded(talk(("ana", f"{text}\n{LONG.strip()}")))
    texts = [each.text for each in memory.proposals.values()]
    assert len([text for text in texts if text.startswith("The harbour maps")]) == 2
    assert not [fact for fact in facts if fact.kind == "proposal.echoed"]


# -- what is likely --------------------------------------------------------------------

ASKED = f"Could you share the profile, and a test for it?\n\n{REPORT}"


def likely(memory: Memory) -> list[Proposal]:
    return [
        each for each in memory.proposals.values() if (each.origin.rule or "").startswith("prose/")
    ]


def test_what_is_likely_by_the_tables_alone_is_a_candidate() -> None:
    """It is in no tally and no context; its rule names the signs."""
    memory, _ = folded(talk(("ana", CACHE), ("bo", ASKED)))
    (item,) = likely(memory)
    assert (item.text, item.candidate) == ("Could you share the profile, and a test for it?", True)
    assert 0 < item.origin.confidence < 1000
    assert firm(memory) == [1]


def test_nothing_is_likely_where_a_model_reads() -> None:
    """It is shown the talk, and says itself what is proposed."""
    lines = [
        Message(participant=who, content=text) for who, text in (("ana", CACHE), ("bo", ASKED))
    ]
    memory, _ = folded(numbered([opened(extract={"how": "model"}), *lines]))
    assert not likely(memory)
