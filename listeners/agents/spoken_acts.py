"""Which acts an agent's words may count as: what it may do, on items that there are. Pure.

Models repeat tags as they repeat everything else: in the middle of a sentence, on
items that nobody proposed, for what only others may do. The fold reads a tag
wherever it stands, so one that is not to count is taken out before it is published.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from parley.bus.entries import ACTS_ON_ITEMS, Act, Intent
from parley.listeners.votes.stance_words import (
    find_side,
    is_reserved,
    stands_on_condition,
)
from parley.memory.extraction.patterns.clauses import PreparedText
from parley.memory.extraction.patterns.detections import Detection
from parley.memory.ledger.ledger_view import ledger_of
from parley.memory.state.floor_state import Bid
from parley.memory.state.item_state import Proposal
from parley.memory.state.memory import Memory
from parley.memory.text.plain_text import to_plain
from parley.memory.voting.electorate import may_call

_OFFERED: Final = 3  # proposals that tags are offered for, the newest
_INTENDED_ACTS: Final[dict[Intent, Act | None]] = {
    "answer": None, "propose": "propose", "amend": "amend", "support": "support",
    "oppose": "oppose", "ask": "ask", "decide": "decide", "vote": None,
}  # fmt: skip

_SIDES: Final = frozenset({"support", "oppose"})
_OF_PROPOSALS: Final = frozenset({"amend", "accept"})
_AGAINST: Final[dict[str, frozenset[str]]] = {
    "support": frozenset({"oppose", "dispute", "reject"}),
    "oppose": frozenset({"support", "accept", "ratify", "decide", "withdraw"}),
    "propose": frozenset({"support", "oppose", "withdraw", "decide"}),
    "amend": frozenset({"withdraw"}),
    "decide": frozenset({"oppose", "dispute", "reject", "withdraw"}),
}
_MAKING: Final = frozenset({"propose", "amend", "withdraw", "decide"})
_LONG: Final = 80  # characters of a message; shorter talk is read by its line
# "I would move the readings to DuckDB.": an answer that proposes
_CHOOSES: Final = re.compile(
    r"I(?: would|'d) (?:rather |choose to |prefer to |choose |prefer )?"
    r"(?:adopt|assign|build|buy|choose|create|drop|eat|go|have|hire|keep|let|log|make|move|order|pick"
    r"|postpone|put|rotate|run|send|share|ship|stay(?! silent)|store|switch|take|use|wait)\b"
    r"(?![^.!?\n]*(?:\b(?:if|unless|not|whether)\b|\?|n't\b))[^.!?\n]{12,}[.!]",
)
_YIELDS: Final = re.compile(
    r"\b(?:settles?|resolves?|answers?|addresses|removes?|meets?|withdraw|drop|no longer)\b"
    r"[^.!?\n]{0,40}\b(?:objections?|concerns?|worr(?:y|ies)|doubts?|oppose)\b",
    re.IGNORECASE,
)
_WIDE: Final = {ord("？"): "?"}
_ASKING: Final = re.compile(
    r"\?|\b(?:asks?|please|wonder|(?:my|one|the|a|our) questions?|clarify|tell (?:me|us))\b",
    re.IGNORECASE,
)
_STATES: Final = re.compile(r"[.!…](?=\s|$)|[。！]")  # ends a sentence that asks nothing
_SENTENCE_END: Final = re.compile(r"[.!…?](?=\s|$)|[。！]|\n")
_LINE_LEAD: Final = re.compile(r"[ \t]*(?:(?:[-*•>]|#{1,6}|[0-9]{1,2}[.)])[ \t]+)*[*_]{0,2}\Z")
_GOES_ON: Final = re.compile(r"[ \t]*[,;.?!)]")  # behind a tag: it is a word of a sentence
_VOTE: Final = re.compile(r"(?m)^[ \t]*\[VOTE (P[1-9][0-9]{0,8})\][ \t]*:?[ \t]*")


def may_act(memory: Memory, name: str, act: str) -> bool:
    """Whether canonical `name` may do `act`: chairs may do all, a seat without `may` every act."""
    seat = memory.floor.seats.get(name)
    return name in memory.chairs or seat is None or seat.may is None or act in seat.may


def may_intend(memory: Memory, name: str, intent: Intent, re: int | str | None) -> bool:
    """Whether canonical `name` may do what it asks the floor for, on what is there."""
    handle = re if isinstance(re, str) else ""
    if intent == "vote":
        return _can_call(memory, name, handle)
    act = _INTENDED_ACTS[intent]
    return act is None or not _is_void(memory, name, act, (handle,) if handle else (), None)


def offer_tags(memory: Memory, name: str) -> str:
    """The tags that canonical `name` may begin a message with now; "" for none.

    With the handle of the newest open proposal, and those of the others behind them.
    """
    active = [proposal.handle for proposal in ledger_of(memory).actionable()[:_OFFERED]]
    tags = ["[PROPOSE]"] if may_act(memory, name, "propose") else []
    for handle in active[:1]:
        tags += [
            f"[{act.upper()} {handle}]"
            for act in ("amend", "support", "oppose", "withdraw", "decide")
            if not _is_void(memory, name, act, (handle,), None)
        ]
        if may_call(memory, name):
            tags.append(f"[VOTE {handle}]")
    others = f" (or of {', '.join(active[1:])})" if len(active) > 1 and len(tags) > 1 else ""
    return ", ".join(tags) + others


def drop_void_tags(memory: Memory, name: str, text: str, intent: Bid | None) -> str:
    """`text` without the tags that `name` may not use, or that are about nothing.

    Within a sentence the tag's words stay, without brackets. A message does one
    thing: of tags of other acts behind the first that counts none does.
    """
    text = _VOTE.sub(lambda match: match[0] if _can_call(memory, name, match[1]) else "", text)
    for _ in range(len(text)):
        void = _first_void(memory, name, text, intent)
        if void is None:
            break
        text = _without(text, void)
    return text.strip()


def drop_tags(memory: Memory, text: str) -> str:
    """`text` without any tag of an act; its words stay."""
    for _ in range(len(text)):
        tag = next((d for d in memory.reader.read(text) if d.how == "tag" and not d.vote), None)
        if tag is None:
            break
        text = _without(text, tag)
    return text.strip()


def called_vote(text: str) -> str:
    """The handle of a tag [VOTE P1] at the beginning of a line of `text`; "" for none."""
    tagged = _VOTE.search(text)
    return "" if tagged is None else tagged[1]


def agreed_act(
    memory: Memory, name: str, text: str, intent: Bid | None
) -> tuple[Act | None, int | str | None]:
    """The act and its target that both a bid and the words that it led to stand for.

    A tag is the words' own act and stands alone. An act that `name` may not do,
    that is about nothing that there is, or that the words do not bear out (they
    name another item, take the other side, or this one on a condition, only ask, or do not ask at
    all) is none.
    """
    if intent is None:
        return None, None
    handles = PreparedText(to_plain(text)).handles(0, len(text))
    target = _target(memory, intent.re)
    act = _INTENDED_ACTS[parse_intent(intent.intent)]
    if handles and isinstance(target, str) and target not in handles:
        target = None  # the words are on something else
    detections = memory.reader.read(text)
    if act is None or any(detection.how == "tag" for detection in detections):
        return None, target
    refs = (target,) if isinstance(target, str) else ()
    if _is_void(memory, name, act, refs, None) or _denies(act, text, detections):
        return None, target
    return act, target


def worded_act(
    memory: Memory, name: str, text: str, target: int | str | None = None
) -> tuple[Act | None, int | str | None]:
    """The act of an answer on `target`, without a tag, that says in so many words all that it does.

    One that begins with what its speaker would do proposes; what it would propose if something
    else failed it does not. One that is for or against an open proposal in words of it has that
    side, or `inform` for its own; where it proposes something, too, it has no act, and is on that
    proposal. A long one has the one side that it takes, on the item that it names; or `inform`
    where it takes several, or none, and proposes, decides and withdraws nothing outright. Else it
    has none, and its sentences are weighed as a document's: in these "I am concerned that we may
    save time if we ship" is a proposal.
    """
    detections = memory.reader.read(text)
    if not detections and _CHOOSES.match(text) is not None and may_act(memory, name, "propose"):
        return "propose", target
    made = [d for d in detections if d.how == "tag" or d.act in _MAKING]
    makes = any(d.how == "tag" or d.act != "propose" or not is_reserved(text, d) for d in made)
    side = find_side(memory, name, text, target)
    if side is not None and may_act(memory, name, side[0]):
        item = memory.item(side[1])
        own = isinstance(item, Proposal) and item.participant == name
        informs = own and may_act(memory, name, "inform")
        return (None if makes else "inform" if informs else side[0]), side[1]
    if made and not makes and may_act(memory, name, "inform"):
        return "inform", target
    if len(text) < _LONG or makes:
        return None, target
    sides = {
        (d.act, d.refs[0]) for d in detections if d.refs and d.reacts and not is_reserved(text, d)
    }
    if len(sides) == 1 and all(detection.refs for detection in detections):
        ((act, handle),) = sides
        item = memory.item(handle)
        if item is not None and may_act(memory, name, act):
            return cast("Act", act), handle
    named = not ledger_of(memory).actionable() or any(detection.refs for detection in detections)
    if (named or not detections) and may_act(memory, name, "inform"):
        return "inform", target
    return None, target


def parse_intent(name: str) -> Intent:
    """The intent of that name; `answer` for any other."""
    return name if name in _INTENDED_ACTS else "answer"


def _target(memory: Memory, re: str | None) -> int | str | None:
    """What a bid is about, where there is such an item or message."""
    if re is None:
        return None
    if re.isdecimal():
        return int(re) if 0 < int(re) <= memory.n else None
    return re if memory.item(re) is not None else None


def _is_void(memory: Memory, name: str, act: str, refs: Sequence[str], intent: Bid | None) -> bool:
    """Whether `act` of `name` on `refs` may not count."""
    if not may_act(memory, name, act):
        return True
    items = [memory.item(ref) for ref in refs]
    proposals = [item for item in items if isinstance(item, Proposal)]
    if act == "withdraw":
        owners = {proposal.participant for proposal in proposals}
        return owners != {name} and name not in memory.chairs
    if act == "decide":
        wanted = "decide" if intent is None else intent.intent
        active = any(proposal.status == "active" for proposal in proposals)
        return not active or wanted not in ("decide", "answer")
    if act in _OF_PROPOSALS:
        return not proposals
    return act in ACTS_ON_ITEMS and not any(item is not None for item in items)


def _denies(act: str, text: str, detections: Sequence[Detection]) -> bool:
    """Whether the words say something else than `act`, or only ask."""
    if act in _SIDES and stands_on_condition(text, act, detections):
        return True
    acts = {detection.act for detection in detections if not is_reserved(text, detection)}
    if act in acts:
        return False
    if act == "ask":
        return _ASKING.search(text.translate(_WIDE)) is None
    return (
        _asks(text)
        or bool(acts & _AGAINST[act])
        or (act == "oppose" and _YIELDS.search(text) is not None)
    )


def _asks(text: str) -> bool:
    """Whether all that it says is a question."""
    return "?" in text.translate(_WIDE) and _STATES.search(text) is None


def _only_asks(memory: Memory, act: str, words: str) -> bool:
    """Whether the words behind a tag ask for what it says they do: "What if we …?" proposes."""
    first = _SENTENCE_END.search(words.translate(_WIDE))
    if act not in ("propose", "amend", "decide") or first is None or first[0] != "?":
        return False
    return all(detection.act != act for detection in memory.reader.read(words))


def _takes_a_side(memory: Memory, act: str, words: str) -> bool:
    """Whether the words behind a tag that proposes begin with a stance: "I would support P1"."""
    if act not in ("propose", "amend"):
        return False
    end = _SENTENCE_END.search(words)
    detections = memory.reader.read(words if end is None else words[: end.end()])
    acts = {detection.act for detection in detections if not detection.conditional}
    return bool(acts & _SIDES) and not acts & {"propose", "amend"}


def _first_void(memory: Memory, name: str, text: str, intent: Bid | None) -> Detection | None:
    """The first tag of `text` that is not to count."""
    script = PreparedText(to_plain(text))
    first = ""
    for tag in memory.reader.read(text):
        if tag.how != "tag" or tag.vote:
            continue
        within = script.handles(tag.start, tag.end)
        if (
            _is_inside(text, tag)
            or (first and tag.act != first)
            or any(memory.item(handle) is None for handle in within)
            or _is_void(memory, name, tag.act, within or tag.refs, intent)
            or _only_asks(memory, tag.act, text[tag.text_start : tag.text_end])
            or _takes_a_side(memory, tag.act, text[tag.text_start : tag.text_end])
        ):
            return tag
        first = tag.act
    return None


def _is_inside(text: str, tag: Detection) -> bool:
    """Whether a bracketed tag is a word of a sentence, or ends it."""
    if text[tag.start] != "[":
        return False
    lead = text[text.rfind("\n", 0, tag.start) + 1 : tag.start]
    close = text.index("]", tag.start) + 1
    return _LINE_LEAD.match(lead) is None or _GOES_ON.match(text, close) is not None


def _without(text: str, tag: Detection) -> str:
    """`text` without that tag; of one within a sentence the words stay."""
    start, end = tag.start, tag.end
    if text[start] != "[":
        while start and text[start - 1] in "*_":
            start -= 1
        return text[:start] + text[end:]
    close = text.index("]", start) + 1
    lead = text[text.rfind("\n", 0, start) + 1 : start]
    if _LINE_LEAD.match(lead) is not None:
        bold = len(lead) - len(lead.rstrip("*_"))
        return text[: start - bold] + text[close + bold :].lstrip(" \t:,;.")
    if text[close:].partition("\n")[0].strip(" \t.:"):
        word, space, handles = text[start + 1 : close - 1].partition(" ")
        return f"{text[:start]}{word.lower()}{space}{handles}{text[close:]}"
    return text[:start].rstrip() + text[close:]


def _can_call(memory: Memory, name: str, handle: str) -> bool:
    proposal = memory.item(handle)
    return may_call(memory, name) and proposal is not None and proposal.status == "active"
