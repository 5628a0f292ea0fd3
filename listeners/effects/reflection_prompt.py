"""What happened to a participant since its last revision, and the question that it is asked. Pure.

A round is told in three parts: `Prompt:` what others said and asked, `Your
Response:` its own words, `Outcome:` votes, results and phases. Each event is an item of a list, its
content in quotation marks, as messages are shown to who speaks (docs/decisions/0031).
What does not fit goes from the oldest end, whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from parley.bus.entries import Record
from parley.memory.notebooks.history_events import Known, result_facts, vote_facts
from parley.memory.notebooks.notebooks import event_route
from parley.memory.settings.setting_defaults import RouteSettings
from parley.memory.state.notebook_state import LineKind
from parley.memory.text.fences import INDENT, escape_invisible, quote_lines, unfence_lines
from parley.memory.text.plain_text import clip
from parley.memory.text.similarity import content_stems

Part = Literal["Prompt", "Your Response", "Outcome"]
PARTS: Final[tuple[Part, ...]] = ("Prompt", "Your Response", "Outcome")
_TASK: Final = "Update your memory based on what just happened."
_INTEGRATE: Final = (
    "Integrate it into your memory, update your beliefs, and reflect on what it means for your "
    "decision-making."
)
# Asked for "the whole new text", a small model copies the question (docs/decisions/0031).
ASK: Final = "Say in your own words what you will remember, all of it"
# What else a small model says of the request itself: "I will integrate the information …"
_REQUEST_STEMS: Final = frozenset(
    content_stems(
        f"{_TASK} {_INTEGRATE} {ASK}, in at most so many characters, nothing else. "
        "information events occurred provided"
    )
)
_FEWEST: Final = 4  # words that are the request; two of them may be a memory
_SAID: Final = ("message", "message.edited")
_OUTCOMES: Final = (
    "vote.initiated", "vote.confirmed", "ballot.completed", "results.final", "episode.opened",
    "episode.closed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One event, ready to be quoted."""

    part: Part
    head: str
    text: str


@dataclass(frozen=True, slots=True)
class Witness:
    """Who looks at what happened: a canonical name, what others are called, what is told."""

    name: str
    named: Callable[[str], str]
    routes: RouteSettings

    def saw(self, entry: Any) -> bool:
        """True but for others' reasoning, what was meant for others, and what no route tells."""
        if entry.kind not in _SAID and entry.kind not in _OUTCOMES:
            return False
        own = self.named(entry.participant) == self.name
        to = getattr(entry, "to", ())
        if to and not own and self.name not in map(self.named, to):
            return False
        return event_route(self.routes, _kind(entry), own) != "off"


def _kind(entry: Any) -> LineKind:
    """Which line of the history tells `entry`."""
    if entry.kind in _SAID:
        return "reasoning" if entry.form == "reasoning" else "statement"
    if entry.kind == "results.final":
        return "results"
    if entry.kind.startswith("episode"):
        return "phase"
    return "consensus" if getattr(entry, "consensus", False) else "vote"


def events_seen_by(records: Sequence[Record], witness: Witness) -> list[Event]:
    """What `witness` saw of `records`, oldest first."""
    return [_event(record, witness) for record in records if witness.saw(record.entry)]


def _event(record: Record, witness: Witness) -> Event:
    entry: Any = record.entry
    who = witness.named(entry.participant)
    head = f"n {record.n} {escape_invisible(who)}"
    if entry.kind not in _SAID:
        action, content = _outcome(entry)
        return Event("Outcome", f"{head}, {action}", content)
    attributes = (
        f"edited n {entry.of}" if entry.kind == "message.edited" else "",
        "thought" if entry.form == "reasoning" else "",
        entry.act or "",
        f"on {entry.topic}" if entry.topic else "",
        f"re {entry.re}" if entry.re else "",
    )
    marks = ", ".join(filter(None, attributes))
    head += f" ({escape_invisible(marks)})" if marks else ""
    return Event(
        "Your Response" if who == witness.name else "Prompt", head, entry.content or "(taken back)"
    )


def _outcome(entry: Any) -> tuple[str, str]:
    """The action in words, and its content with each further detail on a line.

    Votes and results are worded as in notebooks.
    """
    details: Known = ()
    if entry.kind == "results.final":
        action, content, details = "final results", entry.content, result_facts(entry)
    elif entry.kind == "episode.opened":
        action, content = f"{entry.episode} opened", entry.title
    elif entry.kind == "episode.closed":
        action, content = f"{entry.episode or 'episode'} {entry.status}", entry.result
    else:
        action, details = vote_facts(entry)
        content = getattr(entry, "content", "")
    lines = [content] if content else []
    return action, "\n".join([*lines, *(f"{name}: {value}" for name, value in details)])


def total_characters(parts: Sequence[Event]) -> int:
    """Characters of the heads and texts of `parts`."""
    return sum(len(piece.head) + len(piece.text) for piece in parts)


def newest_within(parts: Sequence[Event], room: int) -> list[Event]:
    """The newest of `parts` in `room` characters; the last one always, clipped where it must be."""
    newest: list[Event] = []
    for piece in reversed(parts):
        characters = len(piece.head) + len(piece.text)
        if characters > room:
            if not newest:
                newest.append(Event(piece.part, piece.head, clip(piece.text, max(1, room))))
            break
        newest.append(piece)
        room -= characters
    return newest[::-1]


def round_content(parts: Sequence[Event], left_out: int = 0) -> str:
    """`Prompt:`, `Your Response:` and `Outcome:`, each quoted; `left_out` older events counted."""
    sections = [f"({left_out} earlier events are left out)"] if left_out else []
    for part in PARTS:
        lines = [
            f"- {event.head}: {quote_lines(event.text)}" for event in parts if event.part == part
        ]
        sections.append(f"{part}:\n" + ("\n".join(lines) if lines else "(nothing)"))
    return "\n\n".join(sections)


def create_memory_update_prompt(
    current_memory: str, round_content: str, *, limit: int, integrate: bool = False
) -> str:
    """The question: the memory as it stands, what happened since, and the request.

    `round_content` is quoted already (`round_content`, or `quote_lines`); `limit`
    in characters is what the answer may have.
    """
    memory = quote_lines(current_memory) if current_memory else "(empty)"
    task = f"{_TASK} {_INTEGRATE}" if integrate else _TASK
    return (
        f"Your memory so far:\n{memory}\n\nWhat happened since:\n\n{round_content}\n\n{task} "
        f"{ASK}, in at most {limit} characters, and nothing else."
    )


def gives_request_back(text: str) -> bool:
    """Whether all that `text` says is that its writer will do what was asked: no memory at all."""
    stems = {stem for stem in content_stems(text) if not stem.isdecimal()}
    return len(stems) >= _FEWEST and stems <= _REQUEST_STEMS


def read_memory_text(answer: str) -> str:
    """The new text that `answer` gives, without the marks of quotation that a model copied."""
    text = unfence_lines(answer.strip())
    first, *further = text.split("\n")
    if further and all(line.startswith(INDENT) for line in further if line.strip()):
        text = "\n".join([first, *(line.removeprefix(INDENT) for line in further)])
    inner = text[1:-1]
    if len(text) < 2 or text[0] + text[-1] != '""' or '"' in inner.replace('\\"', ""):
        return text
    return inner.replace('\\"', '"').strip()
