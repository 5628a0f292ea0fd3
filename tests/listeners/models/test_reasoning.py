"""Thoughts are no answer: neither in a message, nor in a summary, nor in a shape."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.listeners.models.model_port import BadAnswer
from parley.listeners.models.openai_answers import StreamedAnswer, parse_completion
from parley.listeners.models.reasoning import strip_reasoning


@pytest.mark.parametrize(
    ("answer", "answer_text"),
    [
        ("<think>hm</think>Yes.", "Yes."),
        ("<thinking>\nhm\n</thinking>\n\nYes.", "Yes."),
        ("<THINK>a</THINK> <think>b</think> Yes.", "Yes."),
        ("<think>a</think>Yes.<think>b", "Yes."),
        ("Sure.\n<think>hm</think>Yes.", "Sure.\nYes."),
        ("[THINK]hm[/THINK]Yes.", "Yes."),
        ("◁think▷hm◁/think▷Yes.", "Yes."),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=f"
            "<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
            "Yes.",
        ),
        ("<|channel|>analysis<|message|>hm, and then it was cut", ""),
        ("Yes.<|im_end|>\n<|im_start|>user\nAnd who are you?", "Yes."),
        ("<|im_start|>assistant\nYes.", "Yes."),
        ("Yes.</s>[INST] And now?", "Yes."),
        ("<s>No</s> Yes.", "<s>No</s> Yes."),
        ('Yes. <tool_call>{"name": "speak"}', "Yes."),
        ('<tool_call>{"name": "speak"}</tool_call>\nYes.', "Yes."),
        (
            "Put it in `<think>` tags: `</think>` ends it.",
            "Put it in `<think>` tags: `</think>` ends it.",
        ),
        (
            "```\n<think>\n``` is opened by the template.",
            "```\n<think>\n``` is opened by the template.",
        ),
        ("<think>a ` tick</think>Yes, `x`.", "Yes, `x`."),
        ("hm, they want a yes</think>\nYes.", "Yes."),
        ("<think>hm, and then the answer was cut", ""),
        ("<reasoning>a</reasoning><thought>b</thought>Yes.", "Yes."),
        ("Tea <think>or</think>and coffee.", "Tea and coffee."),
        (" <think>a<think>b</think>Yes.", "Yes."),
        ("analysisThey want a yes.assistantfinalYes.", "Yes."),
        ("analysisThey want a yes.assistantcommentary to=look{}assistantfinalYes.", "Yes."),
        ("analysisThey want a yes, and then it was cut", ""),
        ("analysis of beans: none", "analysis of beans: none"),
        ('<think time="3">hm</think >Yes.', "Yes."),
        ("&lt;think&gt;hm&lt;/think&gt;Yes.", "Yes."),
        ("<think>hm</think><answer>Yes.</answer>", "Yes."),
        (
            "<|begin_of_thought|>hm<|end_of_thought|><|begin_of_solution|>Yes.<|end_of_solution|>",
            "Yes.",
        ),
        ("<|im_start|>assistant<|im_sep|>Yes.<|im_end|>", "Yes."),
        ("Yes.<|eot|><|header_start|>user<|header_end|>And you?", "Yes."),
        ("Yes.\n<|user|>\nAnd you?", "Yes."),
        ("[/INST] Yes. [INST] And you?", "Yes."),
        ('<function_calls>\n<invoke name="look">x</invoke>\n</function_calls>Yes.', "Yes."),
        ('Yes.\n<function=look>{"a": 1}</function>', "Yes."),
        ("Use ` once.\n<think>hm ` hm</think>Yes.", "Use ` once.\nYes."),
        ("I think </b> so.", "I think </b> so."),
        ("We say <think twice> here.", "We say <think twice> here."),
        ("", ""),
    ],
)
def test_what_a_model_says_to_itself_is_taken_out(answer: str, answer_text: str) -> None:
    assert strip_reasoning(answer).strip() == answer_text


MARKS = ("<think>", "</think>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "<|im_end|>", "</s>",
         "<|im_start|>user\n", "<tool_call>", "</tool_call>", "`", "``", "<|end|>", " tea ", "\n",
         "<|channel|>final<|message|>", "<|channel|>analysis<|message|>")  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_many_marks_take_linear_time(mark: str) -> None:
    """However many are open: twenty thousand in a small part of a second."""
    began = time.process_time()
    strip_reasoning("x" + mark * 20_000)
    strip_reasoning(f"x{mark}y" * 20_000)
    assert time.process_time() - began < 2


@given(st.lists(st.sampled_from(MARKS), max_size=12))
def test_what_is_said_is_a_part_of_the_answer_and_holds_no_thought(marks: list[str]) -> None:
    """No word is made up, and what stands between the tags of a thought is not said."""
    said = strip_reasoning("".join(marks))
    assert len(said) <= sum(map(len, marks)) + marks.count("<|channel|>final<|message|>")
    hidden = strip_reasoning("Yes." + "<think>secret</think>" + "".join(marks))
    assert "secret" not in hidden


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
