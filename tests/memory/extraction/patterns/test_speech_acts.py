"""Reading speech acts: what is one, what only looks like one, and what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.extraction.patterns.pattern_packs import parse_pack
from parley.memory.extraction.patterns.speech_acts import SpeechActReader

READER = SpeechActReader(
    [parse_pack((Path(__file__).parents[4] / "memory/packs/en@1.json").read_bytes())]
)


def acts(content: str, act: str | None = None) -> list[str]:
    return [each.act for each in READER.read(content, act)]


def only(content: str, act: str | None = None) -> Detection:
    (detection,) = READER.read(content, act)
    return detection


def payload(content: str, act: str | None = None) -> str:
    detection = only(content, act)
    return content[detection.text_start : detection.text_end]


# -- the counter-examples of the source documents ----------------------------------

NOT_A_DECISION = [
    "What is the final answer?",
    "If we agreed to that, the archive would move.",
    "If we agreed to that…",
    "we agreed to disagree",
    "Do you think we agreed?",
    "Nobody would say consensus is near",
    "we have not agreed",
    "have we decided?",
    "have we decided",
    "if we decided",
]


@pytest.mark.parametrize("content", NOT_A_DECISION)
def test_talk_about_deciding_is_no_decision(content: str) -> None:
    """N6: questions, conditions, negations and idioms with the words of a decision are none."""
    assert acts(content) == []


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ("we have decided to keep the archive", "keep the archive"),
        ("we all agreed on B", "B"),
        ("agreed, B it is", "B it is"),
        ("let’s go with B", "B"),
        ("we’ve decided: keep it all", "keep it all"),
        ("we've agreed that Monday works", "Monday works"),
        ("We concluded that Monday works.", "Monday works"),
        ("Consensus is that we wait.", "we wait"),
        ("consensus reached on option C", "option C"),
        ("Final decision: option C", "option C"),
    ],
)
def test_a_decision_in_other_words_is_one(content: str, outcome: str) -> None:
    """N7: auxiliaries, adverbs and curly apostrophes do not hide a decision."""
    assert acts(content) == ["decide"]
    assert payload(content) == outcome


def test_an_agreement_inside_a_word_is_none() -> None:
    """N3: "Naomi agreed" is not "I agreed"."""
    assert acts("Naomi agreed") == []
    assert acts("Rabbi agrees, semi agree") == []


@pytest.mark.parametrize("content", ["I don't agree", "I don’t agree.", "nor can I agree"])
def test_refused_agreement_is_opposition(content: str) -> None:
    """N3: the negation is part of what is said."""
    assert acts(content) == ["oppose"]


def test_the_clause_after_but_wins() -> None:
    """N3: "I agree in part, but it won't work" opposes, with a reserve."""
    for content in (
        "I agree in part, but it won't work",
        "I agree in general. However, it won't work.",
        "Great idea, although I disagree.",
    ):
        detection = only(content)
        assert (detection.act, detection.conditional) == ("oppose", True)


def test_plain_talk_is_nothing_and_no_stance_is_no_reaction() -> None:
    """N2, N3: absent is not neutral; empty text is no match for everything."""
    for content in ("", "   ", "\n\n", "Good morning.", "The rack is loud.", "ok", "see P3"):
        assert READER.read(content) == ()


def test_a_message_has_as_many_acts_as_it_has() -> None:
    """N8: each act has its own span, in text order."""
    content = "I propose option A. We decided on B last time. I object to that."
    detections = READER.read(content)
    assert [each.act for each in detections] == ["propose", "decide", "oppose"]
    assert content[detections[0].text_start : detections[0].text_end] == "option A"
    assert [each.start for each in detections] == sorted(each.start for each in detections)


# -- guards ------------------------------------------------------------------------

NOTHING = [
    # negation
    "It is not true that we agreed on that.",
    "I never said we decided on B.",
    "There is no consensus.",
    "We haven't reached consensus.",
    "no final decision yet",
    "That is hardly a great idea.",
    "I don't see any problem with that.",
    "Not a bad idea.",
    "Without knowing more, nobody can say we agreed.",
    # questions
    "Did we agree on B?",
    "So we agreed on B?",
    "We decided on B, right?",
    "Is it a great idea?",
    "Is there consensus?",
    "what's the problem with P3?",
    "Who said let's go with B?",
    "Should we accept P3?",
    "Can I support P3?",
    # conditions and hypotheses
    "Once we have decided, I will write it down.",
    "When we agreed on B the rack was empty.",
    "Unless we agreed on B, nothing happens.",
    "Suppose we decided on B.",
    "Until consensus is reached, wait.",
    "If I agree, will you stop?",
    "if you support P3 say so",
    "We could say we agreed.",
    # reported speech
    "Ann said we agreed on B.",
    "She thinks that we decided on B.",
    "They claim we have agreed.",
    "I heard we decided on B.",
    "According to the minutes we agreed on B.",
    "He says I agree with everything.",
    "As we decided earlier, the archive stays.",
    "You say I propose too much.",
    # quotation and code
    'The phrase "we agreed" is in the log.',
    "'I agree' is what the button says",
    "> we agreed on B",
    "> PROPOSAL: move the archive",
    "run `let's go with B` and see",
    "```\nPROPOSAL: in a code block\n+1\n```",
    "see https://x.example/P3?q=[PROPOSAL]",
    "I like `[DECISION]` tags",
    # near misses of wording
    "consensus is hard",
    "We agree to differ.",
    "I agree to disagree.",
    "I had a great idea yesterday.",
    "What if we are wrong?",
    "my suggestion was rejected",
    "We need a final decision by Monday.",
    "The final decision is up to the board.",
    "The tool supports P3.",
    "They accepted P3.",
    "We should not accept P3.",
    "I don't oppose P3",
    "There is no support for P3.",
    "I agree we should not do it",
    "let's not go with B",
    "The plan that we agreed on is in the wiki.",
    "PROPOSAL",
    "PROPOSAL:",
    "Proposal: none",
    "Decision: TBD",
    "the [proposal](https://x.example) page",
    "please use the [PROPOSAL] tag",
    "a proposal: by nobody",
    "Unresolved: the colour",
]


@pytest.mark.parametrize("content", NOTHING)
def test_what_only_looks_like_an_act_is_nothing(content: str) -> None:
    """Negated, asked, supposed, reported, quoted or code: the guards come before the claim."""
    assert acts(content) == []


SOMETHING = [
    # decisions
    ("We finally agreed to move the archive.", ["decide"]),
    ("So we unanimously decided on B", ["decide"]),
    ("The team has decided that Monday works.", ["decide"]),
    ("It was agreed that Monday works.", ["decide"]),
    ("We have rough consensus on B.", ["decide"]),
    ("Let us go with B then.", ["decide"]),
    ("We're going with B.", ["decide"]),
    ("That's settled then: B.", ["decide"]),
    ("Monday it is, then!", ["decide"]),
    ("No, we agreed on B.", ["decide"]),
    ("We decided on B, but who writes it down?", ["decide"]),
    ("This is our final decision.", ["decide"]),
    ("I think we've agreed on B.", ["decide"]),
    # proposals
    ("I propose that we move the archive.", ["propose"]),
    ("I'd like to suggest a pause.", ["propose"]),
    ("I propose we move it, ok?", ["propose"]),
    ("What if we moved the archive?", ["propose"]),
    ("what if we move the archive", ["propose"]),
    ("Why don't we wait a week?", ["propose"]),
    ("How about we wait a week?", ["propose"]),
    ("Let’s consider waiting.", ["propose"]),
    ("My suggestion: wait a week.", ["propose"]),
    ("I recommend waiting a week.", ["propose"]),
    ("May I suggest waiting?", ["propose"]),
    ("I move that we adjourn.", ["propose"]),
    ("My suggestion: let's consider waiting", ["propose"]),
    # reactions
    ("I agree.", ["support"]),
    ("I fully agree with that", ["support"]),
    ("Great idea!", ["support"]),
    ("That would be a great idea.", ["support"]),
    ("let's do it", ["support"]),
    ("Sounds good to me.", ["support"]),
    ("Agreed.", ["support"]),
    ("ann: agreed", ["support"]),
    ("I couldn't agree more.", ["support"]),
    ("I'm in favour of that.", ["support"]),
    ("I second that.", ["support"]),
    ("count me in", ["support"]),
    ("I disagree.", ["oppose"]),
    ("That won't work.", ["oppose"]),
    ("There is a problem with that.", ["oppose"]),
    ("That's a terrible idea.", ["oppose"]),
    ("That is not a good idea.", ["oppose"]),
    ("I can't support this.", ["oppose"]),
    ("I’m strongly opposed.", ["oppose"]),
    ("I don't think this will work.", ["oppose"]),
    ("I have serious concerns about this.", ["oppose"]),
    ("I abstain.", ["abstain"]),
    ("I have no strong opinion here", ["abstain"]),
    ("I withdraw my proposal.", ["withdraw"]),
    # both at once
    ("I agree, let's go with B.", ["support", "decide"]),
    ("I disagree. I propose we wait.", ["oppose", "propose"]),
]


@pytest.mark.parametrize(("content", "expected"), SOMETHING)
def test_an_act_in_plain_words_is_found(content: str, expected: list[str]) -> None:
    """The documents' patterns and their everyday variants."""
    assert acts(content) == expected


# -- tags --------------------------------------------------------------------------

TAGS = [
    ("[PROPOSAL] Move the archive", "propose", "Move the archive"),
    ("[decision] Move it.", "decide", "Move it."),
    ("We all want B. [CONSENSUS]", "decide", "We all want B."),
    ("PROPOSAL: move the archive", "propose", "move the archive"),
    ("proposal: move the archive", "propose", "move the archive"),
    ("Proposal 2: move the archive", "propose", "move the archive"),
    ("PROPOSED RESOLUTION: move the archive", "propose", "move the archive"),
    ("ann: PROPOSED: move the archive", "propose", "move the archive"),
    ("DRAFT PROPOSAL: move the archive", "propose", "move the archive"),
    ("Counter-proposal: burn the archive", "propose", "burn the archive"),
    ("**Proposal:** move the archive", "propose", "move the archive"),
    ("- **PROPOSAL 3**: move the archive", "propose", "move the archive"),
    ("## Proposal: move the archive", "propose", "move the archive"),
    ("RESOLVED: move the archive", "decide", "move the archive"),
    ("resolved: move the archive", "decide", "move the archive"),
    ("Resolution #3: move the archive", "decide", "move the archive"),
    ("DECISION: move the archive", "decide", "move the archive"),
    ("AGREED: move the archive", "decide", "move the archive"),
    ("ann: RESOLVED: move the archive", "decide", "move the archive"),
    ("We all want B. [CONSENSUS]\nThanks all", "decide", "We all want B."),
    ("[PROPOSAL]\nMove the archive\nBecause.", "propose", "Move the archive"),
    ("ＰＲＯＰＯＳＡＬ： move the archive", "propose", "move the archive"),
    ("[CONSENSUS]", "decide", "CONSENSUS"),
]


@pytest.mark.parametrize(("content", "act", "text"), TAGS)
def test_a_tag_marks_its_payload(content: str, act: str, text: str) -> None:
    """Brackets and line markers, with number, qualifier, markup or scribed name before them."""
    detection = only(content)
    assert (detection.act, detection.how, detection.confidence) == (act, "tag", 900)
    assert payload(content) == text


def test_a_tag_outranks_the_patterns_in_its_payload() -> None:
    """What a tag says is said once."""
    assert acts("PROPOSAL: I propose we agreed to move") == ["propose"]
    assert acts("RESOLVED: accept P3") == ["decide"]
    assert only("RESOLVED: accept P3").refs == ("P3",)


def test_several_tags_stand_in_one_message() -> None:
    """Each tag's payload ends where the next tag begins."""
    content = "[PROPOSAL] Use A. [DECISION] Use B.\nRESOLVED: use C"
    detections = READER.read(content)
    assert [content[each.text_start : each.text_end] for each in detections] == [
        "Use A.", "Use B.", "use C",
    ]  # fmt: skip


def test_an_amendment_tag_names_what_it_rewords() -> None:
    """AMENDED PROPOSAL (P3) amends; without a handle it is a new proposal."""
    assert only("AMENDED PROPOSAL (P3): keep it a year").act == "amend"
    assert only("AMENDED PROPOSAL (P3): keep it a year").refs == ("P3",)
    assert only("Amended proposal: keep it a year").act == "propose"
    assert only("[SUPPORT P3, P4] fine").refs == ("P3", "P4")


# -- votes -------------------------------------------------------------------------

VOTES = [
    ("+1", "support", False),
    ("-1", "oppose", False),
    ("−1", "oppose", False),
    ("0", "abstain", False),
    ("+0", "abstain", False),
    ("-0", "abstain", False),
    ("+0.5", "support", True),
    ("-0.5", "oppose", True),
    ("+.5", "support", True),
    ("+1000", "support", False),
    ("+1.", "support", False),
    ("+1!", "support", False),
    ("  +1 thanks", "support", False),
    ("ann: +1", "support", False),
    ("+1 if it is cheap", "support", True),
    ("+1, but not in May", "support", True),
    ("aye", "support", False),
    ("Nay.", "oppose", False),
    ("0 on that", "abstain", False),
    ("+1, great idea", "support", False),
]


@pytest.mark.parametrize(("content", "act", "conditional"), VOTES)
def test_a_vote_at_a_lines_start_counts(content: str, act: str, conditional: bool) -> None:
    """The sign is the stance; between -1 and 1, and with a reserve, it is conditional."""
    detection = only(content)
    assert (detection.act, detection.vote, detection.conditional) == (act, True, conditional)


@pytest.mark.parametrize(
    "content",
    ["+1 555 0100", "+1.555.010.0100", "-1 is an invalid index", "0: introduction", "0. start",
     "0 items left", "+15:30", "-5 degrees", "1", "+", "a +1", "ayes have it", "-1px", "+1%",
     "0.5 mm", "- 1 egg", "+1/2 cup", "PROPOSAL 2: +1 from me"],
)  # fmt: skip
def test_a_number_is_not_a_vote(content: str) -> None:
    """Telephone numbers, times, units, lists and prose about numbers are no votes."""
    assert [
        each for each in READER.read(content) if not (each.vote and "PROPOSAL" in content)
    ] == []


def test_votes_name_their_proposals() -> None:
    """Several votes in a message each have the handle in their own part."""
    assert [(v.act, v.refs) for v in READER.read("+1 to P3, -1 on P4")] == [
        ("support", ("P3",)), ("oppose", ("P4",)),
    ]  # fmt: skip
    assert [(v.act, v.refs) for v in READER.read("P3: +1, P4: -1")] == [
        ("support", ("P3",)), ("oppose", ("P4",)),
    ]  # fmt: skip
    assert [(v.act, v.refs) for v in READER.read("+1\n-1 P9")] == [
        ("support", ()), ("oppose", ("P9",)),
    ]  # fmt: skip


# -- handles -----------------------------------------------------------------------

HANDLES = [
    ("I support P3", "support", ("P3",)),
    ("I oppose P3 because it is slow", "oppose", ("P3",)),
    ("I can't support P3.", "oppose", ("P3",)),
    ("Support P1, P2 and P4.", "support", ("P1", "P2", "P4")),
    ("I prefer P3 over P4", "support", ("P3",)),
    ("I agree with P3", "support", ("P3",)),
    ("I agree, P3 is what we need", "support", ("P3",)),
    ("P3 won't work", "oppose", ("P3",)),
    ("**I support P3.** It is sound.", "support", ("P3",)),
    ("- Support P3: it is sound", "support", ("P3",)),
    ("Strong support for P3.", "support", ("P3",)),
    ("Yes to P3", "support", ("P3",)),
    ("No to P4", "oppose", ("P4",)),
    ("Not convinced by P4.", "oppose", ("P4",)),
    ("I vote against P4", "oppose", ("P4",)),
    ("Please accept P3 now.", "accept", ("P3",)),
    ("I'm for P3", "support", ("P3",)),
    ("withdraw P2", "withdraw", ("P2",)),
    ("I withdraw P2.", "withdraw", ("P2",)),
    ("P2 is withdrawn", "withdraw", ("P2",)),
    ("accept P3", "accept", ("P3",)),
    ("P3 is accepted.", "accept", ("P3",)),
    ("reject P4", "reject", ("P4",)),
    ("P4 is hereby rejected", "reject", ("P4",)),
    ("ratify D1", "ratify", ("D1",)),
    ("I dispute D2.", "dispute", ("D2",)),
    ("abstain on P3", "abstain", ("P3",)),
    ("Let's go with P3", "decide", ("P3",)),
]


@pytest.mark.parametrize(("content", "act", "refs"), HANDLES)
def test_a_handle_says_what_it_is_about(content: str, act: str, refs: tuple[str, ...]) -> None:
    """Acts on a proposal or a decision that people and agents write by its handle."""
    detection = only(content)
    assert (detection.act, detection.refs) == (act, refs)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I amend P3: keep logs for 90 days", "keep logs for 90 days"),
        ("Amend P3 to read keep logs for 90 days.", "keep logs for 90 days"),
        ("P3 with 90 days instead", "P3 with 90 days instead"),
        ("I propose P3 with 90 days", "I propose P3 with 90 days"),
    ],
)
def test_an_amendment_carries_its_wording(content: str, text: str) -> None:
    """ "I amend P3: …" and "P3 with …" reword P3 and are no proposal beside it."""
    detection = only(content)
    assert (detection.act, detection.refs) == ("amend", ("P3",))
    assert payload(content) == text


@pytest.mark.parametrize(
    "content", ["i support p3", "I support XP3", "I support P03", "support P3x"]
)
def test_handles_are_whole_words_in_capitals(content: str) -> None:
    """Lower case, a letter beside it and a leading zero are no handle."""
    assert all(each.refs == () for each in READER.read(content))


def test_handles_in_code_and_addresses_are_text() -> None:
    """Only what was said names a proposal."""
    assert only("I agree, see https://x.example/P3 and `P4`").refs == ()


def test_two_stances_on_two_proposals_are_two_reactions() -> None:
    """A contrast between two handles takes nothing back from either."""
    detections = READER.read("I support P1 but oppose P2.")
    assert [(each.act, each.refs, each.conditional) for each in detections] == [
        ("support", ("P1",), False), ("oppose", ("P2",), False),
    ]  # fmt: skip


def test_quotations_are_offered_as_evidence() -> None:
    """Quoted words and quoted lines may say which proposal is meant."""
    content = '> move the archive\nI agree with "the new rack"'
    detection = only(content)
    assert [content[start:end] for start, end in detection.quotes] == [
        "move the archive", "the new rack",
    ]  # fmt: skip


@pytest.mark.parametrize("content", ["I agree if it is cheap", "I mostly agree", "I'd agree",
                                     "I agree, but later", "I can live with that"])  # fmt: skip
def test_a_reserve_makes_support_conditional(content: str) -> None:
    """What is not unconditional is not counted as if it were."""
    detection = only(content)
    assert (detection.act, detection.conditional) == ("support", True)


# -- the envelope ------------------------------------------------------------------


def test_the_envelopes_act_comes_first_and_has_the_whole_message() -> None:
    """The speaker's own word outranks every detector; a leading tag is not payload."""
    detection = only("[PROPOSAL] Move the archive", "propose")
    assert (detection.how, detection.rule, detection.confidence) == ("act", "act/propose", 1000)
    assert (detection.start, detection.end) == (0, 27)
    assert payload("[PROPOSAL] Move the archive", "propose") == "Move the archive"


def test_under_an_act_patterns_need_a_handle() -> None:
    """Loose wording inside an explicit act is only its text."""
    assert acts("We agreed on lunch. I disagree with soup.", "inform") == ["inform"]
    detections = READER.read("Fine with me. I oppose P4 though.", "support")
    assert [(each.act, each.refs) for each in detections] == [("support", ()), ("oppose", ("P4",))]


def test_an_act_takes_the_handles_that_nothing_else_claims() -> None:
    """A vote or the same words under the act do not count twice."""
    assert [each.refs for each in READER.read("+1 to P3", "support")] == [("P3",)]
    assert [each.refs for each in READER.read("I support P3 and P4", "support")] == [("P3", "P4")]


def test_tags_still_count_under_an_act() -> None:
    """A message may announce a decision and carry another act."""
    assert acts("Notes below.\nRESOLVED: move the archive", "inform") == ["inform", "decide"]
    content = "[PROPOSAL] one\n[PROPOSAL] two"
    detections = READER.read(content, "propose")
    assert [content[each.text_start : each.text_end].strip() for each in detections] == [
        "one",
        "two",
    ]


def test_reading_twice_gives_the_same() -> None:
    """Readers hold no state between messages."""
    again = SpeechActReader(
        [parse_pack((Path(__file__).parents[4] / "memory/packs/en@1.json").read_bytes())]
    )
    for content, _ in SOMETHING:
        assert READER.read(content) == again.read(content) == READER.read(content)
