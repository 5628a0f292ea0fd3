"""What stands in the place of an entry whose words are taken away. Pure.

The envelope stays: who, when, to whom, about what number, which act. Every
word goes. What later entries are called must not change by it, so the tags of
what the entry did (`[PROPOSAL]`, `[SUPPORT P1]`) stand where its words stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from parley.bus.entries import Entry, Record, Unknown
from parley.memory.extraction.structure.marking_style import CANDIDATE, UNMARKED
from parley.memory.state.item_state import Fact
from parley.memory.state.line_state import UnlinkedVote

_WORDLESS: Final = "[redacted]"
_STANCES: Final = {"support": "SUPPORT", "oppose": "OPPOSE", "neutral": "ABSTAIN"}
_VOTES: Final = {"support": "+1", "oppose": "-1", "neutral": "0"}
_BALLOTS: Final = tuple(_VOTES.values())
_RULINGS: Final = {"accepted": "ACCEPT", "rejected": "REJECT"}
_ID: Final = re.compile(r"P[1-9][0-9]{0,8}|accept|reject|abstain", re.IGNORECASE)
_WORDS: Final = ("act", "tag", "pattern", "structure")
_MAKES: Final = ("[PROPOSAL", "[AMENDED", "[DECISION")
_ABOUT: Final = ("reaction.changed", "proposal.settled", "decision.restated", "decision.disputed",
                 "decision.ratified")  # fmt: skip

# By kind: what each field becomes. Fields that are not named stay.
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "message": {"topic": None},
    "message.edited": {"topic": None},
    "vote.initiated": {},
    "vote.confirmed": {},
    "ballot.cast": {},
    "ballot.completed": {},
    "results.final": {"earnings": None, "counterfactuals": {}},
    "tool.called": {"arguments": {}},
    # not read-only: nobody is served an empty result
    "tool.returned": {"content": "", "arguments": {}, "read_only": False},
    "context.injected": {},
    "episode.opened": {},
    "episode.closed": {"result": ""},
    "step": {},
    "note.written": {},
    "item.corrected": {},
}
_SAYS: Final = {"episode.opened": "title", "item.corrected": "value", "tool.returned": "error"}


def build_tombstone(
    record: Record, facts: Sequence[Fact], vote: UnlinkedVote | None = None
) -> Iterator[Entry | Unknown]:
    """What may stand in the place of `record`, that which keeps most of what it did first.

    `facts` are those that it brought about, and those of later entries that tell
    what it did; `vote` is the bare vote that it is.
    """
    entry: Any = record.entry
    if isinstance(entry, Unknown):
        yield Unknown(entry.kind, b'{"kind":"%s","v":1}' % entry.kind.encode())
        return
    lead = f"{_lead(record.n, facts, vote)}[redacted {record.n}]"
    fields = {"at_text": None, **_FIELDS[entry.kind]}
    if entry.kind == "step":
        for count in range(len(entry.discovered), -1, -1):
            texts = {f"redacted {record.n}.{k}": _WORDLESS for k in range(1, count + 1)}
            yield _with(entry, {**fields, "content": lead, "discovered": texts})
        return
    fields |= _papers(entry, record.n)
    name = _SAYS.get(entry.kind, "content")
    if _speaks(entry, name):
        fields[name] = lead
    if entry.kind not in ("message", "message.edited"):
        yield _with(entry, fields)
        return
    for lines in _skeletons(entry, record.n, facts, vote):
        yield _with(entry, {**fields, "content": "\n".join([lead, *filter(None, lines)])})


def _papers(entry: Any, n: int) -> dict[str, Any]:
    """Options, choices and counts of a vote without their words; ids that are none stay.

    Options keep their number and which are the same, so a vote stays one.
    """
    match entry.kind:
        case "vote.initiated":
            words = {" ".join(option.split()).casefold(): None for option in entry.options}
            places = {word: place for place, word in enumerate(words, 1)}
            return {"options": tuple(
                option if _is_id(option) else
                f"redacted {n}.{places[' '.join(option.split()).casefold()]}"
                for option in entry.options
            )}  # fmt: skip
        case "ballot.cast":
            return {"choice": entry.choice if all(map(_is_id, entry.choice)) else ()}
        case "ballot.completed":
            counts = enumerate(sorted(entry.tally.items()), 1)
            is_carried = entry.carried is None or _is_id(entry.carried)
            return {
                "carried": entry.carried if is_carried else f"redacted {n}",
                "tally": {
                    option if _is_id(option) else f"redacted {n}.{place}": weight
                    for place, (option, weight) in counts
                },
            }
    return {}


def _is_id(option: str) -> bool:
    """True for an option that is no word of somebody's: a handle, accept, reject, abstain."""
    return _ID.fullmatch(" ".join(option.split())) is not None


def _speaks(entry: Any, name: str) -> bool:
    """True where the field holds words: a correction's value may be a handle, or a name."""
    if entry.kind == "item.corrected":
        return bool(entry.op == "topic" and entry.value)
    return bool(getattr(entry, name, None))


def _skeletons(
    entry: Any, n: int, facts: Sequence[Fact], vote: UnlinkedVote | None
) -> Iterator[list[str]]:
    """Tags for all that a message did, then for what it revealed; for what it made; none."""
    did = [fact for fact in facts if birth_entry(fact) == n]
    lines = [line for fact in did if (line := _line(n, fact, did)) is not None]
    if vote is not None:
        lines = [_cast(vote), *(line for line in lines if line not in _BALLOTS)]
    revealed = [fact for fact in facts if fact.n == n and birth_entry(fact) != n]
    revealed_lines = [line for fact in revealed if (line := _line(n, fact, facts)) is not None]
    made = [line for line in lines if line.startswith(_MAKES)]
    also = [line for line in revealed_lines if line.startswith(_MAKES)]
    named = [] if entry.re is not None else [_named(did)]
    seen: list[list[str]] = []
    for skeleton in ([*named, *lines], lines, [*lines, *also], made, []):
        if skeleton not in seen:
            seen.append(skeleton)
            yield skeleton


def birth_entry(fact: Fact) -> int:
    """The entry whose words a fact tells of: its own, or an earlier one that it reveals."""
    n = fact.data.get("born", fact.n)
    return n if isinstance(n, int) else fact.n


def _lead(n: int, facts: Sequence[Fact], vote: UnlinkedVote | None) -> str:
    """The name of whose words a scribe typed, where the entry did anything; "" for its own."""
    if vote is not None and vote.typist:
        return f"{vote.who}: "
    scribed = (fact for fact in facts if birth_entry(fact) == n and "typist" in fact.data)
    return next(
        (f"{fact.data['participant']}: " for fact in scribed if "participant" in fact.data), ""
    )


def _cast(vote: UnlinkedVote) -> str:
    """A bare vote without its words: the same number, with a remark where it had one."""
    number = {"support": "+1", "oppose": "-1", "neutral": "0"}[vote.stance]
    if vote.conditional and vote.stance != "neutral":
        number = f"{number[0]}0.5"
    return f"{number}, redacted" if vote.remarks else number


def _named(facts: Sequence[Fact]) -> str:
    """The handles that the envelope's act was about, where its words named them."""
    names: dict[str, None] = {}
    for fact in facts:
        refs = [fact.data.get("resolves"), fact.data.get("earlier")]
        if fact.kind in _ABOUT and fact.data.get("counted", True):
            refs.append(fact.ref)
        if fact.data.get("how") == "act" or fact.kind == "proposal.amended":
            names.update(dict.fromkeys(str(ref) for ref in refs if ref))
    return " ".join(names)


def _line(n: int, fact: Fact, facts: Sequence[Fact]) -> str | None:
    """The tag of what the words of entry `n` did; None for what the envelope says, or follows."""
    data, ref = fact.data, fact.ref
    if data.get("how") == "act":
        return None
    number = f"{n}.{facts.index(fact) + 1}"
    match fact.kind:
        case "proposal.made" | "proposal.edited":
            return f"[{_wording(fact, facts)}] redacted {number}{_dress(fact, facts)}"
        case "decision.claimed" if not _follows(fact, facts):
            resolves = f" {data['resolves']}" if data.get("resolves") else ""
            return f"[DECISION{resolves}] redacted {number}{_dress(fact, facts)}"
        case "reaction.changed":
            return _reaction(fact, _ruling(ref, facts))
        case "proposal.settled" if data.get("status") == "withdrawn":
            return f"[WITHDRAW {ref}]"
        case "decision.restated":
            return f"[SUPPORT {ref}]"
        case "decision.disputed":
            return f"[DISPUTE {ref}]"
        case "decision.ratified" if data.get("participant"):
            return f"[RATIFY {ref}]"
    return None


def _dress(fact: Fact, facts: Sequence[Fact]) -> str:
    """What was not marked is no mark if it has become a tag, nor firm if it was a candidate."""
    if any(each.kind == "item.candidate" and each.ref == fact.ref for each in facts):
        return f" {CANDIDATE}"
    return "" if fact.data.get("how") == "tag" else f" {UNMARKED}"


def _wording(made: Fact, facts: Sequence[Fact]) -> str:
    for fact in facts:
        if fact.kind == "proposal.amended" and fact.ref == made.ref:
            return f"AMENDED PROPOSAL {fact.data['earlier']}"
    return "PROPOSAL"


def _follows(claimed: Fact, facts: Sequence[Fact]) -> bool:
    """True for a decision that the acceptance of its proposal made by itself."""
    before = facts[: facts.index(claimed)]
    resolved = claimed.data.get("resolves")
    return any(fact.kind == "proposal.settled" and fact.ref == resolved for fact in before)


def _ruling(ref: str | None, facts: Sequence[Fact]) -> str | None:
    """The tag of what somebody permitted said; None where a rule, or a vote, settled it."""
    for fact in facts:
        if fact.kind == "proposal.settled" and fact.ref == ref and fact.data.get("how") in _WORDS:
            return _RULINGS.get(str(fact.data.get("status")))
    return None


def _reaction(fact: Fact, ruling: str | None) -> str | None:
    """The stance that is left; a bare vote stays one, and names no item unless it did."""
    stance = str(fact.data["stance"])
    if str(fact.data.get("rule")).startswith("vote/"):
        vote = _VOTES[stance]
        return f"{vote} to {fact.ref}" if fact.data.get("counted") else vote
    if not fact.data.get("counted"):
        return f"[{_STANCES[stance]} {fact.ref}] {UNMARKED}"
    return f"[{ruling or _STANCES[stance]} {fact.ref}]"


def _with(entry: Any, fields: dict[str, Any]) -> Entry:
    """`entry` with other values; like any entry of a log, not a model."""
    changed: Entry = replace(entry, **fields)
    return changed
