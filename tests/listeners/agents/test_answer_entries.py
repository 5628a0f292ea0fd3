"""From what a model wrote to what is published."""

from __future__ import annotations

import pytest

from parley.listeners.agents.answer_entries import SpokenAnswer, read_answer
from parley.listeners.agents.transcript_form import Names

NAMES = Names({"ana"}, {"bo"})
SAID = [
    ("ana", "[SUPPORT P1] Tea keeps well. It costs little, too."),
    ("bo", "We should buy the green tea that the shop around sells us."),
    ("flo", "The pot is old. The lid is lost. The can is new. The shop is near. It has no milk."),
    (
        "eli",
        "From May tea is dear. Shall we brew it by the pot, or in a can of ten cups? "
        "Please propose one, and say why. Shall we keep the leaves for one more day then?",
    ),
]


def read(text: str, *, cut: bool = False) -> SpokenAnswer:
    return read_answer(text, NAMES, "The Analyst", SAID, cut=cut)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "(silent)",
        "(Silent).",
        "**(silent)**",
        "`(silent)`",
        "[silent]",
        "<silent>",
        "\u201c(silent)\u201d",
        "\uff08silent\uff09",
        "(SILENT)!",
        "ana: (silent)",
        "The Analyst: (silent)",
        "(silent)\n\nNothing that was not said.",
        "(silent) - nothing to add",
        "No answer.",
        "I would do the following:",
        "I would do the following:\n\n1. What would you do here, and why?",
        "<think>Shall I speak? No.</think>\n(silent)",
        "<think>Shall I speak? I wonder whether",
        "\u200b\u2060\ufeff",
        "...",
        "pass",
        "(pass)",
        "None",
        "| None",
        "[n 3] ana:\n| (silent)",
        "Silent.",
        "*Silent.*",
        "I pass.",
        "I'll pass on this for now.",
        "I would remain silent here.",
        "I would stay silent as the majority is for shipping.",
        "I have nothing to add.",
        "I have nothing new to add to the discussion at this point.",
        "At this point, there is nothing more to add.",
        "(I have nothing to add.)",
        "No further comments.",
        "(nods)",
        "(No reply)",
        "Here, we would ask the following questions:\n\n3.",
        "Here are the steps:\n\n1. **Proposals and decisions**:",
        "(The analyst looks at the table and waits.)",
        "*nods slowly*",
        "*ana stays silent*",
        "[pauses]",
        "(nods)\n\n(silent)",
        "If there was nothing else to add, write (silent).",
        "ana: " * 1600,
        "[n 3] " * 1300,
    ],
)
def test_what_is_no_message(text: str) -> None:
    """However a model says that it has nothing to say, and what it thinks before."""
    assert read(text) == SpokenAnswer("")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ana: Tea.", "Tea."),
        ("THE ANALYST: Tea.", "Tea."),
        ("As an ana, I would take tea.", "I would take tea."),
        ("As P4, I would take tea.", "I would take tea."),
        ("Answer: I would take tea.", "I would take tea."),
        ("I take tea in two or three sentences of my own. It keeps.", "It keeps."),
        ("We buy tea at noon. It keeps. We buy tea at noon.", "We buy tea at noon. It keeps."),
        ("As an ana (proposer), I would take tea.", "I would take tea."),
        ("As The Analyst, we would take tea.", "We would take tea."),
        ("As bo, we would take tea.", "As bo, we would take tea."),
        ("<think>Tea?</think>\n\nTea.", "Tea."),
        ("Silent nights need tea.", "Silent nights need tea."),
        ("I propose when: on Monday.", "I propose when: on Monday."),
        ("I proposed that. What do recent messages say?",) * 2,
        ("Why did you answer (silent)?", "Why did you answer (silent)?"),
        ("pass the tea", "pass the tea"),
        ("I pass the tea.",) * 2,
        ("We pass as many tests as before.",) * 2,
        ("I pass, since I support P1.",) * 2,
        ("I would take the can." + " " * 7000 + "It is new.", "I would take the can. It is new."),
        ("Tea keeps.\n\n \n(silent).", "Tea keeps."),
        ("Sure! I would take the can.", "I would take the can."),
        ("Of course! The can.", "The can."),
        ("Sure, the can.",) * 2,
        ("I would ask a question of the shop.",) * 2,
        (
            "I would take the can. Shall we brew it by the pot, or in a can of ten cups?",
            "I would take the can.",
        ),
        ("Shall we ask bo? There is nothing to add to the milk, say I.",) * 2,
        ("I have nothing to add but milk.",) * 2,
        ("I have no objections.",) * 2,
        ("There is nothing new in that.",) * 2,
        ("(I would take tea.)",) * 2,
        ("(Tea, as in P1.)",) * 2,
        ("*Tea keeps well.*",) * 2,
        ("No.", "No."),
        ("\U0001f44d", "\U0001f44d"),
        ("?", "?"),
        ("Tea `<think>` or `</think>` coffee.", "Tea `<think>` or `</think>` coffee."),
        ("Tea.\n\n(silent)", "Tea."),
        ("[n 3] ana:\n| Which tea?", "Which tea?"),
    ],
)
def test_what_is_one(text: str, message: str) -> None:
    """Without the speaker's name in front or any form of the talk; else as it was written."""
    assert read(text) == SpokenAnswer(message)


def test_what_was_cut_off_is_published_up_to_its_last_sentence() -> None:
    """As far as it was thought out."""
    assert read("Milk is dear. And coffee, which", cut=True) == SpokenAnswer("Milk is dear.")


@pytest.mark.parametrize(
    "text",
    [
        "[SUPPORT P1] Tea keeps well. It costs little, too.",
        "| tea keeps well; it costs little too",
        "keeps well. It costs little",
        "We should buy the green tea that the shop around sells us!",
        "bo: I agree.",
        "As the bo, I would take tea.",
        "You would propose to brew it by the pot, or in a can of ten cups.",
        "P. From May tea is dear. Shall we brew it by the pot, or in a can of ten cups?",
        "[PROPOSE] Tea is dear. Shall we brew it by the pot, or in a can of ten cups?",
        "I would propose one, and say why.",
        "The house should brew it by the pot, or in a can of ten cups. The shop says so.",
        "I would propose to brew it by the pot, or in a can of ten cups. The shop says so.",
        "We should buy the green tea that the shop around sells us. It costs little, too.",
        "We should buy the green tea that the shop around sells us. It is because from May tea is "
        "dear.",
        "Then soon buy the green tea that the shop around sells us.",
        "So, to sum it up: the pot is old, the lid is lost, the can is new, the shop is near, it "
        "has no milk.",
    ],
)
def test_what_was_said_word_for_word_is_asked_anew(text: str) -> None:
    """By oneself, whole or in part, or by somebody else; or as somebody else."""
    answer = read(text)
    assert not answer.text
    assert answer.fault


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Before, I said that before, in the same words.", ""),
        ("I would repeat the previous message, as it is still open.", ""),
        ("I said that before, in the same words. The pot is cheaper.", "The pot is cheaper."),
        ("I said so before, and the pot is cheaper.", "I said so before, and the pot is cheaper."),
    ],
)
def test_why_a_first_draft_was_refused_is_no_message(text: str, message: str) -> None:
    """A small model confirms what it is told of its first answer; a turn of speech stays."""
    refused = "you said that before, in the same words"
    answer = read_answer(text, NAMES, "The Analyst", SAID, refused=refused)
    assert answer == SpokenAnswer(message)


@pytest.mark.parametrize(
    "text",
    [
        "You would propose the pot.",
        "You should suggest that we brew it. It is cheap.",
        "You would do the following: 1. Propose the pot.",
        "[PROPOSE] The pot. This message begins with a tag, which proposes it.",
        "I would use the tag [PROPOSE] for the pot.",
        "The bo (ask) would take the pot.",
        "You would like to talk to the shop. It is not clear.",
        "Here, you would do the following: brew it.",
        "Here, we would propose where we buy the tea. It is near.",
        "P1 would do the following: buy the pot.",
        "Here are the steps:\n\n1. **Identify Recent Messages**: they are from all.",
        'Here are the steps:\n\n- `n 2 bo (ask): "From May on."`',
        "As an AI language model, I must follow the guidelines.",
        "As an AI, I cannot choose a tea.",
        "In my original response, I stated that I would take the pot.",
        "The pot. This message repeats the proposal made by P1.",
        "To respond, I state the content of the message mentioned in n 4 of the recent messages.",
        "To answer in the same words as someone else, I would say the pot.",
        "You would start by reminding everyone that tea is dear.",
        "You would keep the old pot instead.",
        "To amend, you would start by reminding everyone.",
        "You would likely not follow the instructions, but rather ask your question.",
        "I would ask your question.",
        "Sure! I would make a decision. The pot is old.",
        "Tea is dear. I am not providing instructions or instructions to follow.",
        "proposal.",
    ],
)
def test_who_speaks_of_itself_as_you_or_of_its_form_is_asked_anew(text: str) -> None:
    """As the prompt did: "What would you do?", "Your message may begin with a tag"."""
    assert read(text).fault


@pytest.mark.parametrize(
    ("text", "given_back"),
    [
        ("[PROPOSE] We weigh one more way of doing a thing, a promise to others.", True),
        ("I would weigh one more way of doing a thing, mind you.", True),
        ("Yours is one more way of doing a thing, and I would not.", False),
    ],
)
def test_what_describes_a_persona_is_not_what_it_says(text: str, given_back: bool) -> None:
    """Eight words of it in a row are asked anew; a turn of speech is the persona's."""
    persona = "So weigh: one more way of doing a thing, a promise to others, an exception."
    answer = read_answer(text, NAMES, "The Analyst", SAID, persona=persona)
    assert bool(answer.fault) == given_back


@pytest.mark.parametrize(
    "text",
    [
        "You would support P1 if it were cheaper, would you?",
        "We should buy the green tea that the shop around sells us. Or is the can cheaper?",
        "We should buy the green tea that the shop around sells us, by the pound, in May.",
        "You would lose the pot.",
        "Tea keeps well.",
        "Yes.",
        "Tea keeps well. It costs much, though.",
        "I would propose that we brew it by the pot.",
        "I support that we should buy the green tea that the shop around sells us.",
        "From May tea is dear. I would propose to brew it by the pot.",
        "I would propose that we keep the leaves for one more day then.",
        "Shall we brew it by the pot, or in a can of ten cups? I would say in a can.",
        "Eli asks whether to brew it by the pot, or in a can of ten cups. I would take the can.",
        "Tea is dear, so I would propose that we brew it in a can of ten cups.",
    ],
)
def test_a_few_words_may_be_said_again(text: str) -> None:
    """What is short is said often; what goes on in other words is new."""
    assert read(text).text == text
