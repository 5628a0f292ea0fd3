"""From what a model wrote to what is published."""

from __future__ import annotations

import pytest

from parley.listeners.agents.answer_entries import clean_answer


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
        "<think>Shall I speak? No.</think>\n(silent)",
        "<think>Shall I speak? I wonder whether",
        "\u200b\u2060\ufeff",
        "...",
        "pass",
        "(pass)",
    ],
)
def test_what_is_no_message(text: str) -> None:
    """However a model says that it has nothing to say, and what it thinks before."""
    assert clean_answer(text, "ana", "The Analyst") == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ana: Tea.", "Tea."),
        ("THE ANALYST: Tea.", "Tea."),
        ("<think>Tea?</think>\n\nTea.", "Tea."),
        ("Silent nights need tea.", "Silent nights need tea."),
        ("Why did you answer (silent)?", "Why did you answer (silent)?"),
        ("pass the tea", "pass the tea"),
        ("\U0001f44d", "\U0001f44d"),
        ("?", "?"),
        ("Tea <think> or </think> coffee.", "Tea <think> or </think> coffee."),
    ],
)
def test_what_is_one(text: str, message: str) -> None:
    """Without the speaker's name in front, and otherwise as it was written."""
    assert clean_answer(text, "ana", "The Analyst") == message
