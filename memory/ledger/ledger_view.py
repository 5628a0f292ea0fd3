"""The ledger of a session as every door shows it. Pure; the fold's items stay as they are.

The fold owns what participants marked. A model's reading is laid over it here: it confirms or
denies what rules read in prose, adds items of its own (M17), sides, and how proposals ended.
Whatever an act, a tag, a handle, a ballot, the chair or a person's correction made outranks it:
a model never retracts, rewords or settles that anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from parley.bus.entries import ReadSide
from parley.memory.extraction.model_claims.kept_claims import (
    SURE,
    check_key,
    claim_handle,
    claim_rule,
    is_claim_handle,
    was_read,
)
from parley.memory.extraction.structure.shelves import is_firm_side, is_marked, is_sure, may_count
from parley.memory.ledger.ledger_rows import (
    Ending,
    EndingWord,
    Grant,
    LedgerItem,
    ShownStatus,
    Side,
    Task,
)
from parley.memory.ledger.rulings import TAKEN, is_ruler, may_rule, resolve_name, ruler_of
from parley.memory.state.claim_state import KeptCheck, KeptClaim
from parley.memory.state.item_state import Cite, Decision, Origin, Proposal, Reaction, Stance
from parley.memory.state.memory import Memory
from parley.memory.text.sentences import topic_line

_STATUS: Final[dict[EndingWord, ShownStatus]] = {
    "accepted": "accepted",
    "accepted_with_changes": "accepted",
    "rejected": "rejected",
    "put_off": "put_off",
    "withdrawn": "withdrawn",
    "replaced": "modified",
    "carried_out": "adopted",
}
_STANCE: Final[dict[str, Stance]] = {
    "support": "support",
    "conditional": "support",
    "oppose": "oppose",
    "neutral": "neutral",
}
_RULED: Final[dict[str, ReadSide]] = {
    "accepted": "support",
    "accepted_with_changes": "support",
    "rejected": "oppose",
    "put_off": "neutral",
}
_GONE: Final = ("withdrawn", "replaced", "rejected")
_UNSETTLED: Final = ("active", "lapsed")


@dataclass(slots=True)
class _Laid:
    """What claims say of one item, by message."""

    sides: list[tuple[KeptClaim, ReadSide]] = field(default_factory=list)
    rulings: list[tuple[KeptClaim, str]] = field(default_factory=list)  # with their own handle
    successors: list[tuple[KeptClaim, str]] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    again: list[Origin] = field(default_factory=list)


_NOTHING_LAID: Final = _Laid()


class Ledger:
    """The items of a memory as they are shown. Items are made when they are asked for.

    Without a reading or a correction they are those of the fold: nothing is laid over them.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.tasks: list[Task] = []
        self.grants: list[Grant] = []
        self._same: dict[str, str] = {}  # handle of a claim -> the fold's item of the same words
        self._own: dict[str, KeptClaim] = {}  # items that a model alone reads, by handle
        self._claims: dict[str, list[KeptClaim]] = {}  # of items of the fold, those that confirm
        self._laid: dict[str, _Laid] = {}
        self._items: dict[str, LedgerItem] = {}
        self._settled: set[str] = set()
        claims = memory.claims
        self._is_plain = not (claims.kept or claims.checks or claims.touched or claims.closed)
        for claim in memory.claims.kept:
            self._enter(claim)
        for claim in memory.claims.kept:
            self._lay(claim)
        for handle in reversed(self._spoken_of()):  # an item depends on later ones only
            self.item(handle)
        self._settle_alternatives()

    # -- reading it ------------------------------------------------------------------

    def item(self, handle: str) -> LedgerItem | None:
        """The item that `handle` names now, merges followed; None if there is none."""
        item = self._with_sides(handle)
        if item is not None and not self._is_plain and item.handle not in self._settled:
            self._settled.add(item.handle)
            if item.kind == "decision":
                self._settle_decision(item)
            else:
                self._settle_proposal(item)
        return item

    def as_numbered(self, handle: str) -> LedgerItem | None:
        """`item`; of one that a person struck or merged, the item that had this handle."""
        memory = self.memory
        number = int(handle[1:]) if handle[1:].isdecimal() else 0
        known: Proposal | Decision | None = memory.decisions.get(number)
        if handle[:1] == "P":
            known = memory.proposals.get(number)
        if handle[:1] not in "PD" or known is None or known.stands:
            return self.item(handle)
        return self._of_fold(known)

    def proposals(self) -> Iterator[LedgerItem]:
        """Every proposal on either shelf, and the denied ones, by the message it was born in."""
        yield from self._all("proposal")

    def decisions(self) -> Iterator[LedgerItem]:
        """Every decision on either shelf, and the denied ones, by the message it was born in."""
        yield from self._all("decision")

    def open_proposals(self) -> list[LedgerItem]:
        """The firm proposals that nothing has settled, the newest first."""
        handles = list(filter(self.may_be_firm, (f"P{ref}" for ref in self.memory.live)))
        handles += [f"P{ref}" for ref in self._lapsed_or_ended()]
        handles += [handle for handle, claim in self._own.items() if claim.label == "proposal"]
        found = {item.handle: item for item in map(self.item, handles) if item is not None}
        opened = [item for item in found.values() if item.is_open]
        return sorted(opened, key=lambda item: (-item.born, item.handle))

    def may_be_firm(self, handle: str) -> bool:
        """False for a candidate that no model confirms: its item need not be made to know it."""
        known = self.memory.item(handle)
        if known is None or not known.candidate:
            return True
        return known.handle in self._claims or check_key(known.handle) in self.memory.claims.checks

    def actionable(self) -> list[Proposal]:
        """The open proposals that acts and votes can be on, those of the fold, the newest first."""
        items = (item.item for item in self.open_proposals())
        active = [each for each in items if isinstance(each, Proposal) and each.status == "active"]
        return sorted(active, key=lambda proposal: -proposal.ref)

    def decided(self) -> list[LedgerItem]:
        """The firm decisions that a model reads, the newest first; ratified ones are the fold's."""
        read = (self.item(handle) for handle, claim in self._own.items() if claim.label == "ruling")
        of_fold = (self.item(self._same[handle]) for handle in self._same)
        items = {
            item.handle: item
            for item in (*read, *of_fold)
            if item is not None and item.kind == "decision" and item.as_read
        }
        firm = [item for item in items.values() if item.shelf == "firm"]
        return sorted(firm, key=lambda item: (-item.born, item.handle))

    def candidates(self) -> list[LedgerItem]:
        """The items of the other shelf, unsettled, the newest first."""
        items = [item for item in (*self.proposals(), *self.decisions()) if _is_candidate(item)]
        return sorted(items, key=lambda item: (-item.born, item.handle))

    def rulings_on(self, item: LedgerItem) -> list[Ending]:
        """The rulings on a proposal that a model reads, by whoever has a right to them or not."""
        laid = self._laid.get(item.handle, _NOTHING_LAID)
        return [
            _ruling(self.memory, claim, own)
            for claim, own in laid.rulings
            if claim.outcome is not None
        ]

    def count_own(self) -> int:
        """How many items only a model reads."""
        return len(self._own)

    # -- laying claims ---------------------------------------------------------------

    def _with_sides(self, handle: str) -> LedgerItem | None:
        """The item with its sides; its shown status may not be known yet."""
        handle = self._same.get(handle, handle)
        item = self._items.get(handle)
        if item is not None:
            return item
        if (claim := self._own.get(handle)) is not None:
            item = self._read_alone(handle, claim)
        elif is_claim_handle(handle) or (known := self.memory.item(handle)) is None:
            return None
        elif (item := self._items.get(known.handle)) is not None:
            return item
        else:
            item = self._of_fold(known)
        self._items[item.handle] = item
        if not self._is_plain:
            self._lay_sides(item)
        return item

    def _all(self, kind: str) -> Iterator[LedgerItem]:
        memory = self.memory
        table = memory.proposals if kind == "proposal" else memory.decisions
        handles = [(item.born, item.handle) for item in table.values() if item.stands]
        label = "proposal" if kind == "proposal" else "ruling"
        handles += [(c.n, handle) for handle, c in self._own.items() if c.label == label]
        for _, handle in sorted(handles, key=lambda each: (each[0], len(each[1]), each[1])):
            item = self.item(handle)
            if item is not None:
                yield item

    def _spoken_of(self) -> list[str]:
        """The handles that claims or their targets name, by the message they were born in."""
        handles = {*self._own, *self._same.values(), *self._laid}
        born = {handle: self._born(handle) for handle in handles}
        return sorted(born, key=lambda handle: (born[handle], handle))

    def _born(self, handle: str) -> int:
        if (claim := self._own.get(handle)) is not None:
            return claim.n
        known = self.memory.item(handle)
        return 0 if known is None else known.born

    def _lapsed_or_ended(self) -> list[int]:
        """Proposals of the fold that claims speak of: their shown status may be another."""
        refs = [int(handle[1:]) for handle in self._laid if handle[0] == "P"]
        return [ref for ref in refs if ref not in self.memory.live]

    def _enter(self, claim: KeptClaim) -> None:
        """Find the item that a proposal or a ruling is: one of the fold, or its own."""
        handle = claim_handle(claim)
        if handle is None:
            return
        known = self._already(claim)
        if known is None:
            self._own[handle] = claim
        else:
            self._same[handle] = known.handle
            self._claims.setdefault(known.handle, []).append(claim)

    def _already(self, claim: KeptClaim) -> Proposal | Decision | None:
        """The fold's item of that kind with the most of the same words of the message."""
        memory = self.memory
        kind = Proposal if claim.label == "proposal" else Decision
        best: tuple[int, Proposal | Decision] | None = None
        for handle in memory.at_refs.get(claim.n, ()):
            item = memory.item(handle)
            if type(item) is not kind or item.born != claim.n:
                continue
            shared = _shared(item.origin, claim)
            if shared and (best is None or shared > best[0]) and self._may_be(item, claim):
                best = shared, item
        return None if best is None else best[1]

    def _may_be(self, item: Proposal | Decision, claim: KeptClaim) -> bool:
        """False if the reading that claims the words has judged the item apart from them.

        Then it means another course in the same words; and one item is one claim. A listed
        decision that is right may get its outcome and its targets from a ruling.
        """
        if item.handle in self._claims:
            return False
        check = self.memory.claims.checks.get(check_key(item.handle))
        if check is None or check.first != claim.first:
            return True
        return isinstance(item, Decision) and check.verdict != "wrong"

    def _lay(self, claim: KeptClaim) -> None:
        """Note what a claim says of other items; of its own one that is told from the claim."""
        if claim.label == "right":
            self.grants.append(self._grant(claim))
            return
        handle = claim_handle(claim) or ""
        own = self._same.get(handle, handle)
        task = self._task(claim) if claim.label == "task" else None
        if task is not None:
            self.tasks.append(task)
        for target in self._targets(claim):
            laid = self._laid.setdefault(target, _Laid())
            side = self._side_of(claim)
            if side is not None and (claim.label == "side" or _is_new_side(laid, claim)):
                laid.sides.append((claim, side))
            if claim.label == "ruling":
                laid.rulings.append((claim, own))
            elif claim.label == "proposal" and claim.relation in ("amends", "replaces"):
                laid.successors.append((claim, own))
            elif claim.label == "proposal" and claim.relation == "repeats":
                laid.again.append(_origin(claim))
            if task is not None:
                laid.tasks.append(task)

    def _side_of(self, claim: KeptClaim) -> ReadSide | None:
        """The side that a claim says or implies.

        Who rules or does the work is for or against it, and a counter-proposal is against what it
        replaces. Somebody else's ruling that is reported, or work given to somebody else, is none.
        """
        if claim.label == "side":
            return claim.side
        memory = self.memory
        if claim.named and resolve_name(memory, claim.named) != memory.named(claim.who):
            return None
        if claim.label == "task":
            return "support"
        if claim.label == "proposal":
            return "oppose" if claim.relation == "replaces" else None
        return _RULED.get(claim.outcome or "")

    def _targets(self, claim: KeptClaim) -> list[str]:
        """The handles of what it is about, as they are now: items that existed when it was read.

        A side answers an earlier message; an item is not about itself.
        """
        handles: list[str] = []
        handle = claim_handle(claim) or ""
        own = self._same.get(handle, handle)
        for target in claim.targets:
            handle = self._same.get(target, target)
            if (known := self._own.get(handle)) is not None:
                born = detected = known.n
            elif is_claim_handle(handle) or (item := self.memory.item(handle)) is None:
                continue
            else:
                handle, born, detected = item.handle, item.born, item.detected
            early = born < claim.n if claim.label == "side" else born <= claim.n
            if early and detected <= claim.last and handle not in (*handles, own):
                handles.append(handle)
        return handles

    def _grant(self, claim: KeptClaim) -> Grant:
        memory = self.memory
        who, by = resolve_name(memory, claim.named), memory.named(claim.who)
        return Grant(who, by, tuple(self._targets(claim)), _origin(claim))

    def _task(self, claim: KeptClaim) -> Task:
        memory = self.memory
        who = resolve_name(memory, claim.named) if claim.named else memory.named(claim.who)
        what = claim.statement or claim.text
        targets = tuple(self._targets(claim))
        return Task(who, what, claim.detail, claim.done, targets, _origin(claim))

    # -- items -----------------------------------------------------------------------

    def _read_alone(self, handle: str, claim: KeptClaim) -> LedgerItem:
        """An item that a model alone reads."""
        memory = self.memory
        item = LedgerItem(
            handle=handle,
            kind="proposal" if claim.label == "proposal" else "decision",
            participant=memory.named(claim.who),
            topic=topic_line(claim.statement or claim.text),
            text=claim.text,
            born=claim.n,
            origin=_origin(claim),
            as_read=True,
        )
        self._say_more(item, claim)
        self._judge(item)
        return item

    def _of_fold(self, known: Proposal | Decision) -> LedgerItem:
        """An item of the fold."""
        item = LedgerItem(
            handle=known.handle,
            kind="proposal" if isinstance(known, Proposal) else "decision",
            participant=known.participant,
            topic=known.topic,
            text=known.text if isinstance(known, Proposal) else known.outcome,
            born=known.born,
            origin=known.origin,
            item=known,
            shelf="candidate" if known.candidate else "firm",
            status=known.status,
        )
        if isinstance(known, Proposal):
            if known.amends is not None:
                item.relation, item.related = "amends", (f"P{known.amends}",)
            item.sides = _proposal_sides(known)
        else:
            offer = self.memory.proposals.get(known.resolves or 0)
            item.sides = _decision_sides(known, offer)
            item.settles = () if known.resolves is None else (f"P{known.resolves}",)
        for claim in self._claims.get(known.handle, ()):
            if not self._is_protected(item):
                self._say_more(item, claim)
            item.confirmed = _origin(claim)
            item.shelf = "firm"
        if not self._is_plain:
            self._judge(item)
        return item

    def _say_more(self, item: LedgerItem, claim: KeptClaim) -> None:
        """Give `item` what the claim that reads it says of it."""
        item.statement = claim.statement or item.statement
        related = tuple(self._targets(claim))
        if item.kind == "proposal":
            item.question = claim.detail or item.question
            if claim.relation and (related or claim.relation == "new"):
                item.relation, item.related = claim.relation, related
        else:
            item.settles = related or item.settles

    def _is_protected(self, item: LedgerItem) -> bool:
        """True if a participant marked it or took it up by name: no model rewords or denies it."""
        if item.handle in self.memory.claims.touched:
            return True
        known = item.item
        if known is None:
            return False
        if is_marked(known.origin):
            return True
        if isinstance(known, Proposal):
            if known.voted or (any(known.tally) and known.shrunk):
                return True
            if known.settled is not None and known.status != "lapsed" and is_marked(known.settled):
                return True
            return any(_is_explicit(reaction) for reaction in known.reactions.values())
        sides = (known.supporters, known.dissenters, known.abstainers)
        marked = any(is_marked(origin) for side in sides for origin in side.values())
        return marked or known.ratified is not None or known.disputed is not None

    def _judge(self, item: LedgerItem) -> None:
        """Let the newest check of `item` take effect; a person's word outranks it."""
        touched = self.memory.claims.touched.get(item.handle)
        if touched == "retract":
            item.shelf, item.doubt = "denied", None
            item.denied = Origin(item.origin.cites[:1], "person", "item.corrected")
            return
        check = self.memory.claims.checks.get(check_key(item.handle))
        if check is None or not self._is_later(item, check) or self._is_protected(item):
            return
        origin = Origin(item.origin.cites[:1], "model", claim_rule(check), SURE)
        if check.verdict == "wrong":
            item.shelf, item.denied, item.doubt = "denied", origin, check.reason
            return
        item.shelf, item.confirmed = "firm", origin
        item.statement = check.statement or item.statement

    def _is_later(self, item: LedgerItem, check: KeptCheck) -> bool:
        """True unless a later reading, or the same one, claims the item in so many words."""
        claims = self._claims.get(item.handle, [])
        if item.handle in self._own:
            claims = [self._own[item.handle]]
        return all(claim.first < check.first for claim in claims) or check.verdict != "wrong"

    # -- sides and endings -----------------------------------------------------------

    def _lay_sides(self, item: LedgerItem) -> None:
        """Put the sides that a model reads in place of those that rules read in the same prose."""
        memory = self.memory
        laid = self._laid.get(item.handle, _NOTHING_LAID)
        item.again = laid.again
        for name, side in list(item.sides.items()):
            denied = self._denied_from(item.handle, name) is not None
            if not _outranks(side) and (denied or was_read(memory, side.n)):
                del item.sides[name]
        for side in self._confirmed_sides(item):
            item.sides.setdefault(side.participant, side)
        for claim, stance in laid.sides:
            name = memory.named(claim.who)
            denied_from = self._denied_from(item.handle, name)
            if item.born == claim.n or (denied_from is not None and denied_from > claim.first):
                continue
            if name == item.participant and not _is_change_of_mind(claim, stance):
                continue  # who proposes is for it: that is no side
            before = item.sides.pop(name, None)
            if before is not None and _outranks(before):
                item.sides[name] = before
                continue
            if before is not None:
                item.earlier_sides.append(before)
            if stance != "withdraw":
                conditional = stance == "conditional"
                condition = claim.detail if conditional else ""
                item.sides[name] = Side(
                    name,
                    _STANCE[stance],
                    _origin(claim),
                    conditional=conditional,
                    condition=condition,
                    text=claim.text,
                )

    def _confirmed_sides(self, item: LedgerItem) -> Iterator[Side]:
        """The sides that rules read in prose, sure of them or not, and that a model confirms."""
        reactions = item.item.reactions if isinstance(item.item, Proposal) else {}
        for name, reaction in reactions.items():
            check = self.memory.claims.checks.get(check_key(item.handle, name))
            if check is not None and check.verdict != "wrong":
                origin = Origin(reaction.origin.cites[:1], "model", claim_rule(check), SURE)
                yield Side(name, reaction.stance, origin, conditional=reaction.conditional)

    def _denied_from(self, handle: str, name: str) -> int | None:
        """The first message of the stretch whose reading denies that `name` has a side on it."""
        check = self.memory.claims.checks.get(check_key(handle, name))
        return check.first if check is not None and check.verdict == "wrong" else None

    def _settle_proposal(self, item: LedgerItem) -> None:
        """Set the shown status by the last ending that counts, unless participants settled it.

        What was withdrawn, replaced or rejected cannot be withdrawn or replaced once more.
        """
        known = item.item
        laid = self._laid.get(item.handle, _NOTHING_LAID)
        if isinstance(known, Proposal) and _is_settled_by_mark(known):
            return
        ruled = [self._ending(item, claim, own) for claim, own in laid.rulings]
        ended = max(filter(None, ruled), key=lambda ending: ending.n, default=None)
        own = [self._withdrawal(item, claim) for claim, _ in laid.sides]
        own += [self._succession(item, claim, handle) for claim, handle in laid.successors]
        gone = min(filter(None, own), key=lambda ending: ending.n, default=None)
        if gone and (ended is None or (gone.n >= ended.n and ended.word not in _GONE)):
            ended = gone
        done = [task for task in laid.tasks if task.done]
        if done and not item.names("oppose") and (ended is None or ended.word == "put_off"):
            task = done[-1]
            ended = Ending("carried_out", task.who, task.origin)
        if ended is not None:
            item.ending = ended
            item.status, item.as_read = _STATUS[ended.word], True

    def _settle_alternatives(self) -> None:
        """Let an alternative that was chosen replace the open ones of its group."""
        groups: dict[str, set[str]] = {}
        for claim in self.memory.claims.kept:
            if claim.relation != "alternative":
                continue
            handle = claim_handle(claim) or ""
            group = {self._same.get(handle, handle), *self._targets(claim)}
            group = group.union(*(groups.get(each, ()) for each in group))
            groups.update(dict.fromkeys(group, group))
        for group in {id(group): group for group in groups.values()}.values():
            found = [self.item(handle) for handle in sorted(group)]
            items = [item for item in found if item is not None and item.shelf == "firm"]
            chosen = next((item for item in items if _is_accepted(item)), None)
            if chosen is None:
                continue
            origin = chosen.ending.origin if chosen.ending else chosen.origin
            for item in items:
                if item.status == "active" and not self._is_protected(item):
                    item.ending = Ending(
                        "replaced", chosen.participant, origin, detail=chosen.handle
                    )
                    item.status, item.as_read = _STATUS["replaced"], True

    def _ending(self, item: LedgerItem, claim: KeptClaim, own: str) -> Ending | None:
        """The ruling `claim` as an ending of `item`; None if its author may not rule on it."""
        memory = self.memory
        decision = self._with_sides(own)
        if claim.outcome is None or (decision is not None and decision.shelf == "denied"):
            return None
        sides = {name: side for name, side in item.sides.items() if side.n <= claim.n}
        if not may_rule(memory, self.grants, claim, item.participant, item.handle, sides):
            return None
        return _ruling(memory, claim, own)

    def _withdrawal(self, item: LedgerItem, claim: KeptClaim) -> Ending | None:
        """The proposer's own withdrawal."""
        if claim.side != "withdraw" or self.memory.named(claim.who) != item.participant:
            return None
        return Ending("withdrawn", item.participant, _origin(claim))

    def _succession(self, item: LedgerItem, claim: KeptClaim, own: str) -> Ending | None:
        """A newer version by its own proposer, or one that was accepted, replaces `item`.

        If somebody else answered with a counter-proposal and nobody else supports `item`, the
        newer version rejects it.
        """
        successor = self.item(own)
        if successor is None or successor.shelf != "firm" or successor is item:
            return None
        mine = successor.participant == item.participant and claim.relation == "replaces"
        if not (mine or _is_accepted(successor)):
            return None
        countered = mine and self._is_countered(item, claim.n)
        word: EndingWord = "rejected" if countered else "replaced"
        return Ending(word, successor.participant, _origin(claim), detail=own)

    def _is_countered(self, item: LedgerItem, until: int) -> bool:
        """True if another's proposal replaces it, up to message `until`, and no other is for it."""
        successors = self._laid.get(item.handle, _NOTHING_LAID).successors
        authors = {
            self.memory.named(claim.who)
            for claim, _ in successors
            if claim.relation == "replaces" and claim.n <= until
        }
        supporters = {name for name in item.names("support") if name != item.participant}
        return bool(authors - {item.participant}) and not supporters

    def _settle_decision(self, item: LedgerItem) -> None:
        """Set the shown status of a decision that a model reads: by what it settles."""
        claims = self._claims.get(item.handle, [])
        if item.handle in self._own:
            claims = [self._own[item.handle]]
        known = item.item
        rulings = [claim for claim in claims if claim.outcome is not None]
        if not rulings or (known is not None and known.status != "claimed"):
            return
        claim = rulings[-1]
        entitled = self._is_entitled(item, claim)
        item.outcomes = [_ruling(self.memory, claim, item.handle)]
        word = item.outcomes[0].word
        item.as_read = True
        item.status = _STATUS[word] if entitled else "claimed"

    def _is_entitled(self, item: LedgerItem, claim: KeptClaim) -> bool:
        """True if the ruling settles one of its targets; without any, if its ruler is known."""
        memory = self.memory
        targets = [each for each in map(self._with_sides, item.settles) if each is not None]
        if not targets:
            ruler = ruler_of(memory, claim)
            return bool(claim.named) or is_ruler(memory, self.grants, ruler)
        return any(
            may_rule(
                memory,
                self.grants,
                claim,
                target.participant,
                target.handle,
                {name: side for name, side in target.sides.items() if side.n <= claim.n},
            )
            for target in targets
        )


def ledger_of(memory: Memory) -> Ledger:
    """The ledger of `memory` as it is now; made once for each entry that was folded."""
    if memory.ledger_view is None:
        memory.ledger_view = Ledger(memory)
    view: Ledger = memory.ledger_view
    return view


def _origin(claim: KeptClaim) -> Origin:
    """The words that a claim cites, and the derived entry that cites them."""
    cites = (Cite(claim.n, claim.start, claim.end),)
    return Origin(cites, "model", claim_rule(claim), SURE)


def _is_change_of_mind(claim: KeptClaim, stance: ReadSide) -> bool:
    """True for a proposer's own words against it; a newer version of it is none."""
    return claim.label != "proposal" and stance in ("oppose", "withdraw")


def _is_new_side(laid: _Laid, claim: KeptClaim) -> bool:
    """True unless its author's side is known already, in so many words.

    Work that is taken on and rulings only imply a side: that of somebody who took none before. Work
    that is done, or that an earlier message accepted, implies none, nor does a ruling that sums up
    several proposals.
    """
    if claim.label == "proposal":
        return not _has_side(laid, claim, claim.n)
    if claim.done or (claim.label == "ruling" and len(claim.targets) > 1):
        return False
    duty = claim.label == "task" and any(
        ruling.n < claim.n and ruling.outcome in TAKEN for ruling, _ in laid.rulings
    )
    return not duty and not _has_side(laid, claim, 0)


def _has_side(laid: _Laid, claim: KeptClaim, since: int) -> bool:
    """True if the author of `claim` has a side in a message from number `since` on."""
    return any(other.n >= since and other.who == claim.who for other, _ in laid.sides)


def _is_accepted(item: LedgerItem) -> bool:
    return item.status in ("accepted", "adopted")


def _ruling(memory: Memory, claim: KeptClaim, decision: str) -> Ending:
    """The ruling that `claim` reads, which is the decision of handle `decision`."""
    author, ruler = memory.named(claim.who), ruler_of(memory, claim)
    reporter = author if ruler != author else ""
    word = claim.outcome or "accepted"
    return Ending(word, ruler, _origin(claim), claim.right, reporter, claim.detail, decision)


def _shared(origin: Origin, claim: KeptClaim) -> int:
    """How many characters of the message both cite."""
    return max(
        (
            min(cite.end or claim.end, claim.end) - max(cite.start, claim.start)
            for cite in origin.cites
            if cite.n == claim.n
        ),
        default=0,
    )


def _is_candidate(item: LedgerItem) -> bool:
    return item.shelf == "candidate" and item.status in ("active", "claimed")


def _is_settled_by_mark(proposal: Proposal) -> bool:
    """True if participants settled it by an act, a vote or the quorum; silence settles nothing."""
    if proposal.status in _UNSETTLED:
        return False
    return proposal.settled is None or is_marked(proposal.settled)


def _is_explicit(reaction: Reaction) -> bool:
    return reaction.counted or reaction.vote or is_marked(reaction.origin)


def _outranks(side: Side) -> bool:
    """True for a side by an act, a tag, a handle or a vote."""
    return side.counted or side.vote or is_marked(side.origin)


def _proposal_sides(proposal: Proposal) -> dict[str, Side]:
    """The firm sides on a proposal of the fold."""
    return {
        name: Side(
            name, reaction.stance, reaction.origin, reaction.counted, reaction.conditional,
            vote=reaction.vote,
        )
        for name, reaction in proposal.reactions.items()
        if is_firm_side(reaction)
    }  # fmt: skip


def _decision_sides(decision: Decision, offer: Proposal | None) -> dict[str, Side]:
    """The firm sides on a decision of the fold: those counted on `offer`, and its maker's, too."""
    counted = {name for name, side in (offer.reactions if offer else {}).items() if side.counted}
    sides: dict[str, Side] = {}
    by_stance: tuple[tuple[Stance, dict[str, Origin]], ...] = (
        ("support", decision.supporters),
        ("oppose", decision.dissenters),
        ("neutral", decision.abstainers),
    )
    for stance, voices in by_stance:
        for name, origin in voices.items():
            if name in counted or name == decision.participant or is_sure("side", origin):
                sides[name] = Side(name, stance, origin, name in counted or may_count(origin))
    return sides
