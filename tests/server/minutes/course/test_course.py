"""What a talk was about, beside its items: topics, hands, documents, what was put off."""

from __future__ import annotations

import json
from typing import Any

from parley.server.minutes.course.documents import explain, taken_up
from parley.server.minutes.minutes_report import build_report
from parley.server.records.transcript_analysis import analyze
from parley.server.render.minutes.minutes_forms import render
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript

Row = dict[str, Any]
PLAN = """**Output: Lamp Plan**

1. **Piers:** A lamp on each.
2. **Yard:**
   - Two lamps.
   - A bell.
3. **Slip:** None."""


def report_of(*messages: tuple[str, str], **more: str) -> Row:
    rows = [
        {"index": k, "agent_id": who, "content": said, **more}
        for k, (who, said) in enumerate(messages)
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    done = analyze(parse_transcript(data), resolve_defaults({}, {}))
    return build_report(done.memory, done.messages.values())


def section(report: Row, heading: str) -> Row:
    (found,) = [part for part in report["page"]["sections"] if part["heading"] == heading]
    return dict(found)


def test_topics_are_what_was_called_out() -> None:
    """Each once, in order; the head tells them."""
    report = report_of(
        ("Ana", "Topic: The lamps."), ("Bo", "They are dark."), ("Ana", "topic: the boats"),
        ("Ana", "Topic: the lamps."), ("Bo", "Topical it is."),
    )  # fmt: skip
    assert [row["text"] for row in report["topics"]] == ["The lamps.", "the boats"]
    assert report["page"]["head"][-1] == "Topics: The lamps; the boats"


def test_without_topics_the_words_that_came_up_most_are_told() -> None:
    """Those of more than one speaker, in pairs where they come in pairs; nobody's name."""
    said = ["the harbour lamp is dark", "a harbour lamp costs money", "who mends the harbour lamp"]
    report = report_of(*((who, f"{text}, Anabel") for text in said for who in ("Anabel", "Bo")))
    assert report["subjects"][0] == "harbour lamp"
    assert not any("nabel" in subject for subject in report["subjects"])
    alone = report_of(*[("Anabel", text) for text in said])
    assert alone["subjects"] == []


def test_a_show_of_hands_is_counted_by_the_last_word_of_each() -> None:
    """A question with numbered answers, and four or more who give one."""
    asked = ("Ana", "straw-poll: [1] a lamp or [2] a bell")
    hands = [("Ana", "1"), ("Bo", "2"), ("Cy", "1"), ("Dee", "2"), ("Bo", "1 please")]
    (poll,) = report_of(asked, *hands)["polls"]
    assert poll["question"] == "[1] a lamp or [2] a bell"
    assert (poll["participant"], poll["n"], poll["counts"]) == ("Ana", 1, {"1": 3, "2": 1})
    assert report_of(asked, *hands[:3])["polls"] == []
    assert report_of(("Ana", "How many lamps?"), *hands)["polls"] == []


def test_a_document_that_was_drawn_up_is_told_in_its_points() -> None:
    """The last form of it; what stands further in belongs to its point; the rest are counted."""
    talk = [("Bo", PLAN), ("Ana", "Let's have a lamp on each of the piers, please."),
            ("Bo", PLAN.replace("Two", "Three"))]  # fmt: skip
    report = report_of(*talk)
    (document,) = report["documents"]
    assert (document["title"], document["n"], document["earlier"]) == ("Lamp Plan", 3, [1])
    assert document["points"] == [
        "Piers: A lamp on each.",
        "Yard: Three lamps; A bell",
        "Slip: None.",
    ]
    (line,) = section(report, "Drawn up")["lines"]
    assert [below["text"] for below in line["under"]] == document["points"]
    assert "Drawn up, not put to a vote: “Lamp Plan” (Piers; Yard; Slip)." in report["page"]["lead"]


def test_a_list_in_a_message_is_no_document() -> None:
    """Nor is a heading that does not say that it is one."""
    assert report_of(("Bo", PLAN.replace("Lamp Plan", "Good morning")))["documents"] == []
    assert report_of(("Bo", "1. a lamp\n2. a bell\n3. a rope"))["documents"] == []


def test_a_suggestion_whose_words_come_back_in_a_later_document_is_taken_up() -> None:
    """By roots of words; what was said after it is not."""
    (document,) = report_of(("Bo", "Hello."), ("Bo", PLAN))["documents"]
    assert taken_up("two lamps and a bell in the yard", 1, [document]) == 2
    assert taken_up("two lamps and a bell in the yard", 2, [document]) is None
    assert taken_up("paint all the boats of the harbour red", 1, [document]) is None


def test_what_is_put_off_is_told_with_who_says_so() -> None:
    """Of the last third of the talk: before that it may come up again."""
    talk = [("Ana", "Let's take it to the mailing list."), *[("Bo", "The lamp is dark.")] * 4]
    assert report_of(*talk)["put_off"] == []
    (row,) = report_of(*talk, ("Ana", "Let's take it to the mailing list."))["put_off"]
    assert (row["participant"], row["text"], row["n"]) == (
        "Ana", "Let's take it to the mailing list.", 6
    )  # fmt: skip


def test_a_talk_without_decisions_is_told_by_what_was_said() -> None:
    """By topic, with the speaker of each sentence, also where somebody else wrote it down."""
    names = [("Ana", "Present."), ("Bo", "Present."), ("Cy", "Present.")]
    chat = [("Cy", "Yes."), ("Bo", "Hm.")] * 6
    said = "Cy: the lamp of the north pier needs a new wire because the old wire of the lamp is wet"
    last = ("Ana", "A lamp and its wire belong to the north pier, as they always did.")
    report = report_of(*names, ("Ana", "Topic: The lamp"), *chat, ("Bo", said), *chat, last)
    told = section(report, "What was said")["lines"]
    assert [line["mark"] for line in told] == ["The lamp"]
    first = told[0]["under"][0]
    assert (first["mark"], first["text"]) == ("Cy", f"“{said.removeprefix('Cy: ')}”")
    decided = report_of(*names, ("Ana", "PROPOSAL: a lamp on the pier"),
                        *[(who, "+1") for who in ("Ana", "Bo", "Cy")],
                        ("Ana", "RESOLVED: a lamp on the pier"), ("Bo", said))  # fmt: skip
    assert decided["brief"]["decided"]
    assert decided["discussion"] == []


def test_a_decision_that_somebody_has_to_carry_out_says_that_nobody_is_named() -> None:
    """Until somebody takes it on; what only holds needs nobody."""
    voices = [(who, "+1") for who in ("Ana", "Bo", "Cy")]
    decide = [("Ana", "PROPOSAL: send the offer to the yard"), *voices,
              ("Ana", "RESOLVED: send the offer to the yard")]  # fmt: skip
    report = report_of(*decide)
    lead = report["page"]["lead"]
    assert lead.endswith("No actions were recorded. Nobody is named for carrying out D1.")
    taken = report_of(*decide, ("Bo", "I'll write to them today."))
    assert [line["mark"] for line in section(taken, "Actions")["lines"]] == ["Bo"]
    kept = report_of(("Ana", "PROPOSAL: the yard keeps its lamp"), *voices,
                     ("Ana", "RESOLVED: the yard keeps its lamp"))  # fmt: skip
    assert "Nobody is named" not in kept["page"]["lead"]


def test_people_under_two_names_are_one_in_the_head() -> None:
    """With the other name behind it, and both counted as one."""
    report = report_of(("Ida_Stone", "Hello there."), ("ida", "And again."), ("Bo", "Hello."))
    assert report["page"]["head"][1] == "Present (2): Ida Stone (ida), Bo"
    assert [row["messages"] for row in report["present"]] == [2, 1]


VOICES = ("Ana", "Bo", "Cy")
KEY = "a key with a colon in it is a compact address if its prefix is known"


def decided(words: str, voices: tuple[str, ...] = VOICES) -> list[tuple[str, str]]:
    said = [(who, "+1") for who in voices]
    return [("Ana", f"PROPOSAL: {words}"), *said, ("Ana", f"RESOLVED: {words}")]


def test_what_is_decided_again_at_once_in_better_words_is_one_decision() -> None:
    """By the same people, and to the same end: another figure or a "non-" is another thing."""
    report = report_of(*decided(KEY), *decided(KEY.replace("a colon", "one colon")))
    (line,) = section(report, "Decisions")["lines"]
    assert line["mark"] == "D2"
    assert line["note"].endswith("; rewords D1")
    assert report["brief"]["counts"]["decided"] == 1
    for other in (KEY.replace("compact", "non-compact"), f"{KEY} for 3 days"):
        assert report_of(*decided(KEY), *decided(other))["brief"]["counts"]["decided"] == 2


def test_a_decision_made_again_by_others_says_so() -> None:
    """Both stand: which of them holds is not for the minutes to say."""
    again = decided(KEY.replace("a colon", "one colon"), ("Ana", "Bo", "Dee"))
    report = report_of(*decided(KEY), *again)
    first, second = section(report, "Decisions")["lines"]
    assert "nearly the words of" not in first["note"]
    assert "nearly the words of D1, which stands too" in second["note"]
    assert render(report, "md").decode().count("nearly the words") == 1


def test_what_somebody_says_is_to_come_next_is_nobodys_action() -> None:
    """ "Let's …" of the end of a talk; its own words where it is no more than put off."""
    talk = [("Bo", "The lamp is dark.")] * 6
    report = report_of(*talk, ("Ana", "Let's take it to the mailing list."))
    (line,) = section(report, "Actions")["lines"]
    assert (line["mark"], line["text"]) == ("nobody named", "Take it to the mailing list")
    apart = report_of(*talk, ("Ana", "The bell is off the table until the summer is over."))
    later = "Left for later: “The bell is off the table until the summer is over” (Ana)."
    assert later in apart["page"]["lead"].split("\n")


def test_a_short_task_is_told_with_what_was_spoken_of_before_it() -> None:
    """Where several messages had it; a decision that it is for is enough."""
    talk = [("Bo", f"The bell of the watch house is number {k}.") for k in range(5)]
    report = report_of(*talk, ("Ana", "I'll talk to Jo."))
    (line,) = section(report, "Actions")["lines"]
    assert line["text"].startswith("Talk to Jo (when they spoke of bell")


def test_a_short_proposal_is_told_with_what_its_words_were_said_to_mean() -> None:
    """By whoever said so, anywhere in the talk."""
    talk = [("Bo", "The green hut represents whatever the yard pays for. So it does."),
            ("Ana", "PROPOSAL: another meeting on the green hut")]  # fmt: skip
    (line,) = section(report_of(*talk), "Proposed, not decided")["lines"]
    assert (
        line["text"] == "Another meeting on the green hut [green hut: whatever the yard pays for]"
    )
    (line,) = section(report_of(talk[1]), "Proposed, not decided")["lines"]
    assert line["text"] == "Another meeting on the green hut"


def test_what_these_are_is_told_by_the_document_that_says_so() -> None:
    """In brackets, in a decision that has no more than "these …"."""
    plan = PLAN.replace("Two lamps.", "Two trial lamps for the slip with a bell.")
    (document,) = report_of(("Bo", plan))["documents"]
    assert explain("pay for these trial lamps now", [document]) == (
        "pay for these trial lamps (for the slip) now"
    )
    assert explain("pay for these boats now", [document]) == "pay for these boats now"


def test_that_earlier_minutes_were_approved_is_told_apart() -> None:
    """It is no decision of this talk."""
    report = report_of(("Ana", "RESOLVED: minutes of the last meeting approved"))
    lead = report["page"]["lead"].split("\n")
    assert lead[-1] == "Earlier minutes were approved (“Minutes of the last meeting approved”)."
    assert not [part for part in report["page"]["sections"] if "decided" in part["heading"]]


def test_whose_meeting_it_is_is_told_by_the_addresses_that_were_given() -> None:
    """The list of the agenda, else what several addresses are of; issues without topics."""
    lamps, day = "https://github.com/pier/lamps", {"timestamp": "2026-03-02"}
    links = [("Bo", f"see {lamps}/issues/7 and …/8"), ("Bo", f"{lamps}/pull/9, {lamps}/issues/7")]
    report = report_of(*links, **day)
    assert report["page"]["title"] == "Meeting on pier/lamps, 2 March 2026"
    assert "Issues that were named: pier/lamps#7, pier/lamps#9" in report["page"]["head"]
    agenda = ("Ana", "Agenda: https://lists.example.org/Archives/Public/public-lamps/7.html")
    whole = report_of(agenda, ("Ana", "Topic: lamps"), *links, **day)
    assert whole["page"]["title"] == "Meeting of public-lamps, 2 March 2026"
    assert not any("Issues" in line for line in whole["page"]["head"])
    assert report_of(links[0], **day)["page"]["title"] == "Meeting of 2 March 2026"


def test_what_was_proposed_upon_a_show_of_hands_stands_with_it() -> None:
    """Also in the lead, which says that nothing was decided."""
    asked = ("Ana", "straw-poll: [1] a lamp or [2] a bell")
    hands = [(who, "1") for who in ("Ana", "Bo", "Cy", "Dee")]
    offer = ("Ana", "Maybe we should order the lamp of the first kind.")
    report = report_of(asked, *hands, offer)
    (line,) = section(report, "Shows of hands")["lines"]
    assert "order the lamp" in line["under"][0]["text"].casefold()
    assert report["page"]["lead"].startswith(
        "Nothing was decided, but hands were shown: “[1] a lamp"
    )
    assert "Ana then proposed: order the lamp" in report["page"]["lead"]
