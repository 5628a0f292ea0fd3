"""Thoughts are no answer: neither in a message, nor in a summary, nor in a shape."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from parley.listeners.models.model_port import BadAnswer
from parley.listeners.models.openai_answers import StreamedAnswer, parse_completion
from parley.listeners.models.reasoning import strip_reasoning


@pytest.mark.parametrize(
    ("answer", "answer_text"),
    [
        ("<think>hm</think>Yes.", "Yes."),
        ("<thinking>\nhm\n</thinking>\n\nYes.", "Yes."),
        ("<THINK>a</THINK> <think>b</think> Yes.", "Yes."),
        ("<think>a</think>Yes.<think>b", "Yes.<think>b"),
        ("hm, they want a yes</think>\nYes.", "Yes."),
        ("<think>hm, and then the answer was cut", ""),
        ("<reasoning>a</reasoning><thought>b</thought>Yes.", "Yes."),
        ("Tea <think> or </think> coffee.", "Tea <think> or </think> coffee."),
        (" <think>a<think>b</think>Yes.", "Yes."),
        ("I think </b> so.", "I think </b> so."),
        ("We say <think twice> here.", "We say <think twice> here."),
        ("", ""),
    ],
)
def test_what_a_model_says_to_itself_is_taken_out(answer: str, answer_text: str) -> None:
    assert strip_reasoning(answer).strip() == answer_text


def test_many_tags_take_linear_time() -> None:
    """However many are open."""
    assert strip_reasoning("x" + "<think>" * 20_000)


def completion(text: str) -> SimpleNamespace:
    """What the client gives for an answer of `text`."""
    choice = SimpleNamespace(message=SimpleNamespace(content=text), finish_reason="stop")
    return SimpleNamespace(choices=[choice], model="small", usage=None)


def test_an_answer_of_an_endpoint_comes_without_thoughts() -> None:
    """So nobody who asks a model can pass them on; of thoughts alone it is no answer."""
    assert parse_completion(completion("<think>hm</think>Yes.")).text == "Yes."
    with pytest.raises(BadAnswer, match="empty answer"):
        parse_completion(completion("<think>hm, and then it was cut"))


def test_a_streamed_answer_comes_without_thoughts() -> None:
    answer = StreamedAnswer("small")
    for piece in ("<thi", "nk>hm</th", "ink>Y", "es."):
        choice = SimpleNamespace(delta=SimpleNamespace(content=piece), finish_reason=None)
        answer.take(SimpleNamespace(choices=[choice], usage=None))
    answer.finish = "stop"
    assert answer.completion().text == "Yes."
