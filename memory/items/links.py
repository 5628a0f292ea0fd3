"""Which proposal or decision an act speaks of.

By precedence: the envelope's `re`, a handle in the clause, a quotation, the
participant whose proposal it is ("I agree with ann", "@ann +1"), and for a bare
vote the newest proposal nearby, for other words the only active one nearby.
Only what names its item by a handle, and votes, acts and tags that reply to it or quote it,
can count toward a quorum.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from parley.memory.extraction.patterns.detections import Detection
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.item_state import Decision, LinkedBy, Proposal
from parley.memory.state.memory import CALLED, Memory
from parley.memory.text.plain_text import to_plain
from parley.memory.text.similarity import fingerprint

_QUOTE_CHARS = 12  # shorter quotations identify nothing
_VOTED_ON = ("active", "accepted", "adopted", "rejected")
_LOOK_BACK = 8  # proposals that a bare vote may skip over: withdrawn ones, its own
_NEAR_CONFIDENCE = 400  # of a link by nearness alone, per mille
_ADDRESSED_CONFIDENCE = 600  # of one by the name of who proposed it
_CONNECTING = 8  # characters of the word between a stance and the name it is for: "with ann"


@dataclass(slots=True, frozen=True)
class Link:
    """What an act speaks of, and what says so."""

    item: Proposal | Decision
    by: LinkedBy
    confidence: int = 1000

    @property
    def sure(self) -> bool:
        """True if it is named, replied to, or told in its own words."""
        return self.by in ("handle", "reply", "quote")


def link_stance(moment: FoldStep, detection: Detection, re: int | str | None) -> list[Link]:
    """The items that a stance speaks of, none when nothing says which.

    Somebody who names what is no item (a handle that does not exist, a message
    that proposed nothing) is not understood to mean what stands nearby.
    """
    memory = moment.memory
    named = _named(memory, detection.refs)
    item = None if re is None else find_referred(memory, re)
    if item is not None and all(item is not link.item for link in named):
        named.insert(0, _referred_link(item, re))
    if named:
        return named
    if (quoted := _quoted(moment, detection)) is not None:
        return [Link(quoted, "quote", 900)]
    if re is not None or detection.refs:
        return []  # they said what they mean, and it is no item: nothing to guess
    addressed = _proposal_of_addressee(moment, detection)
    if addressed is not None:
        return [Link(addressed, "name", _ADDRESSED_CONFIDENCE)]
    item = newest_nearby_proposal(moment) if detection.vote else _sole_nearby_proposal(moment)
    return [] if item is None else [Link(item, "near", _NEAR_CONFIDENCE)]


def _referred_link(item: Proposal | Decision, re: int | str | None) -> Link:
    return Link(item, "handle" if isinstance(re, str) else "reply")


def find_referred(memory: Memory, re: int | str) -> Proposal | Decision | None:
    """The item that an envelope's `re` names: by handle, or by the n it was born at."""
    return memory.known(re) if isinstance(re, int) else memory.item(re)


def _named(memory: Memory, refs: tuple[str, ...]) -> list[Link]:
    links: list[Link] = []
    for handle in refs:
        item = memory.item(handle)
        if item is not None and all(item is not link.item for link in links):
            links.append(Link(item, "handle"))
    return links


def _quoted(moment: FoldStep, detection: Detection) -> Proposal | None:
    memory = moment.memory
    for start, end in detection.quotes:
        quote = to_plain(moment.content[start:end]).casefold().strip()
        if len(quote) < _QUOTE_CHARS:
            continue
        for ref in sorted(memory.live, reverse=True):
            proposal = memory.proposals[ref]
            if proposal.born != moment.n and quote in to_plain(proposal.text).casefold():
                return proposal
        similarity = memory.settings.echo.similarity
        nearest = memory.proposal_index.nearest(fingerprint(quote), similarity)
        if nearest is not None:
            return memory.proposal(nearest[0])
    return None


def _proposal_of_addressee(moment: FoldStep, detection: Detection) -> Proposal | None:
    """The newest open proposal of the participant whom a stance names, None where it names nobody.

    Right behind its words ("with ann"), else in its clause ("ann's plan", "@ann"), else at the
    beginning of the message ("ann,"). Of several with one name none is meant.
    """
    memory = moment.memory
    newest: dict[str, Proposal] = {}
    for ref in reversed(memory.live):
        proposal = memory.proposals[ref]
        if not memory.in_window(proposal):
            break
        own = proposal.participant == moment.participant
        if not own and proposal.born != moment.n and not proposal.candidate:
            standing = newest.get(proposal.participant)
            if standing is None or standing.born < proposal.born:
                newest[proposal.participant] = proposal
    if not newest:
        return None
    named = _named_first(moment.content, detection, [*newest, moment.participant])
    return newest.get(named) if named else None


def _named_first(content: str, detection: Detection, names: list[str]) -> str:
    """Which of `names` a stance names, "" for none, and for a name that two have."""
    text = to_plain(content).casefold()
    if len(text) != len(content):
        return ""
    end = max(detection.end, detection.text_end)
    clause = text[detection.text_start : end]
    behind = text[detection.end : end]
    places = []
    for name in names:
        call = _calls(name)
        matches = (
            re.match(rf"\s+(?:\w{{1,{_CONNECTING}}}\s+)?{call}(?!-?\w)", behind),
            re.search(rf"@{call}(?!-?\w)|(?<!\w){call}'s?(?!\w)", clause),
            re.match(rf"\s*@{call}(?!-?\w)|\s*{call}\s*[,:](?!\w)", text),
        )
        places += [
            (place, match.start(), -len(match[0]), name)
            for place, match in enumerate(matches)
            if match
        ]
    places.sort()
    if not places or places[0][:3] in [each[:3] for each in places[1:]]:
        return ""
    return places[0][3]


def _calls(name: str) -> str:
    """A pattern of what somebody is called: their name, or its first word ("ann" of "Ann Lee")."""
    small = name.casefold()
    first = CALLED.match(small)
    if first is None or first[0] == small:
        return re.escape(small)
    return f"(?:{re.escape(small)}|{first[0]})"


def newest_nearby_proposal(moment: FoldStep) -> Proposal | None:
    """The last born proposal within the window that still stands for a vote."""
    memory = moment.memory
    newest: Proposal | None = None
    for proposal in islice(reversed(memory.proposals.values()), _LOOK_BACK):
        if not proposal.stands or proposal.candidate or proposal.born == moment.n:
            continue
        if proposal.status in _VOTED_ON and memory.in_window(proposal):
            newest = proposal if newest is None or newest.born < proposal.born else newest
    return newest


def _sole_nearby_proposal(moment: FoldStep) -> Proposal | None:
    """The only active proposal within the window, None when there are several."""
    memory, sole = moment.memory, None
    for ref in reversed(memory.live):
        proposal = memory.proposals[ref]
        if not memory.in_window(proposal):
            break
        if proposal.born == moment.n or proposal.candidate:
            continue
        if sole is not None:
            return None
        sole = proposal
    return sole


def find_resolved_proposal(
    moment: FoldStep, detection: Detection, re: int | str | None, marks: tuple[int, ...]
) -> Link | None:
    """The proposal that a decision settles: named, restated, or the only one nearby."""
    memory = moment.memory
    if re is not None and isinstance(item := find_referred(memory, re), Proposal):
        return _referred_link(item, re)
    for link in _named(memory, detection.refs):
        if isinstance(link.item, Proposal):
            return link
    if (quoted := _quoted(moment, detection)) is not None:
        return Link(quoted, "quote", 900)
    if re is not None or detection.refs:
        return _find_restated_proposal(moment, marks)
    return find_resolved_by_words(moment, marks)


def find_resolved_by_words(moment: FoldStep, marks: tuple[int, ...]) -> Link | None:
    """The proposal that a decision settles by its words alone: restated, or the only one nearby."""
    restated = _find_restated_proposal(moment, marks)
    if restated is not None:
        return restated
    near = _sole_nearby_proposal(moment)
    if near is None or not _may_speak_of(marks, near):
        return None
    return Link(near, "near", _NEAR_CONFIDENCE)


def _find_restated_proposal(moment: FoldStep, marks: tuple[int, ...]) -> Link | None:
    """The proposal whose words these are."""
    memory = moment.memory
    nearest = memory.proposal_index.nearest(marks, memory.settings.echo.similarity)
    item = None if nearest is None else memory.proposal(nearest[0])
    return None if item is None or nearest is None else Link(item, "quote", nearest[1])


def _may_speak_of(marks: tuple[int, ...], near: Proposal) -> bool:
    """True when words are shared, or when there are none to share ("Agreed, then")."""
    return len(marks) <= 1 or not set(marks).isdisjoint(near.fingerprint)
