"""Which summaries of a model are refused, and why."""

from __future__ import annotations

import pytest

from parley.listeners.models.model_port import Unfounded
from parley.listeners.summaries.unfounded import SummaryGrounds, refuse_unfounded

LINES = [
    ("ada", "The boiler was off on Monday again, as Cyd saw, and nobody had heard the alarm."),
    ("bob", "Then we need another alarm, and somebody who looks at it; I would ask the porter."),
]
GROUNDS = SummaryGrounds(frozenset({"ada", "bob", "Cyd", "Dora"}), False, frozenset({"P1"}))


def reason(text: str, grounds: SummaryGrounds = GROUNDS) -> str:
    try:
        refuse_unfounded(text, LINES, grounds)
    except Unfounded as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Ada saw it. Dora agreed that it was off.", "Dora"),
        ("Dora then proposed an alarm.", "Dora"),
        ("They spoke of P2.", "P2"),
        ("They decided to buy an alarm.", "decision"),
        ("The decision was that the porter looks at it.", "decision"),
        ("An alarm was approved.", "decision"),
        ("Another alarm is adopted.", "decision"),
        ("Ada asks for the porter. Bob also asks for the porter. So Cyd asks for the porter.", ""),
        (
            "Ada is for asking the porter about the alarm. Bob is for asking the porter about the "
            "alarm. Bob is again for asking the porter about the alarm.",
            "again and again",
        ),
        ("I apologize, but I cannot summarize the given text as it is not provided.", "declines"),
        ("Please provide the text that you would like me to summarize.", "declines"),
        ("As an AI, I have no opinion on boilers.", "declines"),
        ("I would ask the porter, says Bob, and Ada is sorry.", ""),
        ("Much was said of alarms, each time other words of it. " * 9, "again and again"),
        (" ".join(f"word{number}" for number in range(90)), "longer"),
        (
            "Ada: The boiler was off on Monday again, as Cyd saw, and nobody had heard the "
            "alarm.\n\nBob: Then we need another alarm, and somebody who looks at it; I would ask "
            "the porter, he says, and all of the boiler",
            "gives back",
        ),
    ],
)
def test_what_lines_and_ledger_do_not_bear_out_is_refused(text: str, why: str) -> None:
    """With what is wrong."""
    assert why in reason(text)
    assert bool(reason(text)) == bool(why)


@pytest.mark.parametrize(
    "text",
    [
        "Ada says that the boiler was off, as Cyd saw. Bob wants another alarm.",
        "Cyd said so. Dora was not there.",
        "No decision was made. Nothing was decided.",
        "It was not decided who looks at it; they should decide on P1.",
        "Undecided: who looks at the alarm.",
    ],
)
def test_what_they_do_not_speak_against_stands(text: str) -> None:
    """Names that are spoken of, decisions that are denied or wanted, items that there are."""
    assert not reason(text)


def test_a_decision_of_the_ledger_or_of_the_talk_may_be_told() -> None:
    """The ledger knows few decisions of free talk, so words for one are enough."""
    text = "They decided to ask the porter."
    assert not reason(text, SummaryGrounds(GROUNDS.names, True, GROUNDS.items))
    refuse_unfounded(text, [*LINES, ("ada", "All agreed, then.")], GROUNDS)
