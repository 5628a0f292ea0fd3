"""The words that a model says, without its thoughts, tool calls and control tokens. Pure.

Models mark these in several ways: `<think>…</think>` and its like, `[THINK]…[/THINK]`,
`◁think▷…◁/think▷`, the channels of Harmony (`<|channel|>final<|message|>…`), tokens that end a
turn (`<|im_end|>`), `<tool_call>{…}`. Endpoints should take them out; many leave some in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAMES: Final = "(?:seed:|ant)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
_OPENS: Final = (
    rf"<{_NAMES}>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|start_thinking\|>|<unused94>"
)
_CLOSES: Final = (
    rf"</{_NAMES}>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|end_thinking\|>|<unused95>"
)
_CALLS: Final = (
    r"<(?:tool_call|function_call|tool_code)>|\[tool_calls\]|<\|tool_calls?(?:_section)?_begin\|>"
    r"|<\|python_tag\|>|<｜tool▁calls▁begin｜>"
)
_CALLED: Final = re.compile(
    r"</(?:tool_call|function_call|tool_code)>|<\|tool_calls?(?:_section)?_end\|>"
    r"|<｜tool▁calls▁end｜>",
    re.IGNORECASE,
)
_HEADERS: Final = (
    r"<\|im_start\|>[ \t]*\w*\n?|<\|start_header_id\|>[^<]*<\|end_header_id\|>\s*"
    r"|<start_of_turn>\w*\n?"
)
_ENDS: Final = (
    r"<\|(?:im_end|eot_id|eom_id|end_of_text|endoftext|end_of_turn|end|return|call)\|>"
    r"|<end_of_turn>|<｜end▁of▁sentence｜>|</s>"
)
_MARK: Final = re.compile(
    rf"(?P<open>{_OPENS})|(?P<close>{_CLOSES})|(?P<call>{_CALLS})|(?P<header>{_HEADERS})"
    rf"|(?P<end>{_ENDS})|(?P<code>`+)",
    re.IGNORECASE,
)
_TICKS: Final = re.compile("`+")
_STRUCK: Final = "<s>"  # HTML that `</s>` closes, as well as the token of that name ends a turn
_CLOSE: Final = re.compile(_CLOSES, re.IGNORECASE)
_CHANNEL: Final = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"((?:(?!<\|(?:end|return|call|start|channel)\|>).)*)",
    re.DOTALL,
)
_FINAL: Final = "final"  # the one channel of Harmony that is for the user


def strip_reasoning(text: str) -> str:
    """`text` without thoughts, tool calls and control tokens; code in backticks is left alone.

    A thought or call that is never closed reaches to the end. Before a closing tag without an
    opening one everything is a thought: the template of the chat opened it. A token that ends the
    turn ends the answer: what follows are turns that the model made up.
    """
    if "<|channel|>" in text:
        spoken = [said for name, said in _CHANNEL.findall(text) if name.lower() == _FINAL]
        text = "\n".join(spoken)
    return "".join(_spoken(text))


def _spoken(text: str) -> Iterator[str]:
    """The stretches of `text` that are said."""
    said: list[str] = []
    at, seen = 0, False  # whether a thought was opened
    is_struck = _STRUCK in text
    closed_runs: dict[int, int] = {}  # by length of a run of backticks: from where no other comes
    while (mark := _MARK.search(text, at)) is not None:
        kind, begin, after = mark.lastgroup, mark.start(), mark.end()
        if kind == "code" or (is_struck and mark[0] == "</s>"):
            if kind == "code":
                after = _end_of_code(text, mark[0], after, closed_runs)
            said.append(text[at:after])
        elif kind == "close" and not seen:
            said.clear()
        else:
            said.append(text[at:begin])
            if kind == "end" or (kind == "header" and any(map(str.strip, said))):
                return iter(said)
            if kind in ("open", "call"):
                end = (_CLOSE if kind == "open" else _CALLED).search(text, after)
                after = len(text) if end is None else end.end()
        seen = seen or kind in ("open", "close")
        at = after
    return iter([*said, text[at:]])


def _end_of_code(text: str, ticks: str, after: int, closed_runs: dict[int, int]) -> int:
    """The end of the code that `ticks` open at `after`; `after` if they open none."""
    if after >= closed_runs.get(len(ticks), len(text) + 1):
        return after
    for run in _TICKS.finditer(text, after):
        if len(run[0]) == len(ticks):
            return run.end()
    closed_runs[len(ticks)] = after
    return after
