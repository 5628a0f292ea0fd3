"""The words that a model says, without its thoughts, tool calls and control tokens. Pure.

Models mark these in several ways: `<think>…</think>` and its like, `[THINK]…[/THINK]`,
`◁think▷…◁/think▷`, the channels of Harmony (`<|channel|>final<|message|>…`), tokens that end a
turn (`<|im_end|>`), `<tool_call>{…}`. Some servers leave Harmony's tokens out and its words in:
`analysis…assistantfinal…`. Endpoints should take them out; many leave some in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NAMES: Final = (
    "(?:(?:seed:|ant)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
    "|inner_(?:thoughts?|monologue)|chain_of_thought)"
)
_GIVEN: Final = r"(?:\s+\w{1,40}=[^<>]{0,80})?\s*"  # attributes of a tag
_OPENS: Final = (
    rf"(?:<{_NAMES}{_GIVEN}>|&lt;{_NAMES}&gt;)|\[think(?:ing)?\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|start_thinking\|>|<unused94>|(?-i:\A\s*analysis(?=[A-Z]))"
)
_CLOSES: Final = (
    rf"(?:</{_NAMES}\s*>|&lt;/{_NAMES}&gt;)|\[/think(?:ing)?\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|end_thinking\|>|<unused95>"
)
_CALL_NAMES: Final = r"(?:\w{1,20}:)?(?:tool_calls?|function_calls?|tool_code|tool_response|invoke)"
_CALLS: Final = (
    rf"<{_CALL_NAMES}{_GIVEN}>|<function=\w[^<>]{{0,80}}>|\[tool_calls\]|<\|python_tag\|>"
    r"|<\|(?:tool_calls?(?:_section)?(?:_begin)?|action_start|start_action)\|>"
    r"|<｜tool▁calls▁begin｜>"
)
_CALLED: Final = re.compile(
    r"<\|(?:tool_calls?(?:_section)?_end|action_end|end_action)\|>|<｜tool▁calls▁end｜>",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<([a-z]\w*(?::\w+)?)", re.IGNORECASE)
_ROLES: Final = "(?:user|assistant|system|human|tool|observation)"
_HEADERS: Final = (
    r"<\|im_start\|>[ \t]*\w*\n?|<\|(?:start_header_id|header_start)\|>[^<]*"
    r"<\|(?:end_header_id|header_end)\|>\s*"
    rf"|<start_of_turn>\w*\n?|<[|｜]{_ROLES}[|｜]>|\[/?INST\]"
)
_ENDS: Final = (
    r"<\|(?:im_end|eo[tms](?:_id|_token)?|end_?of_?(?:text|turn|message|sentence)(?:_token)?|end"
    r"|return|call)\|>|<end_of_turn>|<｜end▁of▁sentence｜>|</s>"
)
# Any other token: it is taken out, and the words beside it stay
_TOKENS: Final = rf"<[|｜][a-z][\w▁]{{0,40}}[|｜]>|</(?:{_CALL_NAMES}|function)\s*>"
_MARK: Final = re.compile(
    rf"(?P<open>{_OPENS})|(?P<close>{_CLOSES})|(?P<call>{_CALLS})|(?P<header>{_HEADERS})"
    rf"|(?P<end>{_ENDS})|(?P<token>{_TOKENS})|(?P<code>`+)",
    re.IGNORECASE,
)
_TICKS: Final = re.compile("`+")
_STRUCK: Final = "<s>"  # HTML that `</s>` closes, as well as the token of that name ends a turn
_CLOSE: Final = re.compile(_CLOSES, re.IGNORECASE)
_BARE: Final = "analysis"  # what Harmony begins with if its tokens are left out, …
_BARE_CLOSE: Final = re.compile("assistantfinal")  # and what is said after
_FENCE: Final = 3  # backticks; fewer are code within a line
_ANSWER: Final = re.compile(r"\s*<(answer|final_answer|response)>(.*)</\1>\s*", re.DOTALL)
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
    said = "".join(_spoken(text))
    framed = _ANSWER.fullmatch(said)
    return said if framed is None else framed[2]


def _spoken(text: str) -> Iterator[str]:
    """The stretches of `text` that are said."""
    said: list[str] = []
    at, seen = 0, False  # whether a thought was opened
    is_struck = _STRUCK in text
    closed_runs: dict[int, int] = {}  # by length of a run of backticks: up to where no other comes
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
                end = _closing(kind, mark[0]).search(text, after)
                after = len(text) if end is None else end.end()
        seen = seen or kind in ("open", "close")
        at = after
    return iter([*said, text[at:]])


def _closing(kind: str, mark: str) -> re.Pattern[str]:
    """What ends that which `mark` opens."""
    if mark.strip() == _BARE:
        return _BARE_CLOSE
    if kind == "open":
        return _CLOSE
    tag = _TAG.match(mark)  # calls may be within each other: of a tag the one of its name
    return _CALLED if tag is None else re.compile(rf"</{tag[1]}\s*>", re.IGNORECASE)


def _end_of_code(text: str, ticks: str, after: int, closed_runs: dict[int, int]) -> int:
    """The end of the code that `ticks` open at `after`; `after` if they open none."""
    size = len(ticks)
    end = len(text) if size >= _FENCE else text.find("\n", after) % (len(text) + 1)
    if closed_runs.get(size) == end:
        return after
    for run in _TICKS.finditer(text, after, end):
        if len(run[0]) == size:
            return run.end()
    closed_runs[size] = end
    return after
