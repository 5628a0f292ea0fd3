"""A batch of rows as drafts: in whose name each goes, under which id, and by what right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from parley.bus.contract.drafts import Draft, is_handle, seal
from parley.bus.contract.errors import InvalidEntry, StaleEpoch
from parley.bus.entries import KINDS, PRIMARY, ItemCorrected, Message, Record
from parley.bus.log.batches import BATCH_BYTES
from parley.memory.floor.seats import is_allowed
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.lookup import target_refusal
from parley.memory.state.memory import Memory
from parley.server.basics.entry_drafts import normalize_handle
from parley.server.basics.entry_json import (
    Fields,
    InvalidField,
    check_draft,
    is_message,
    parse_entry,
    read_id,
)
from parley.server.http.bodies.strict_json import check_fields, check_round_trip
from parley.server.http.identity.authorization import Caller
from parley.server.http.identity.token_grants import (
    check_correction,
    check_floor,
    check_message_authors,
    check_phase,
)
from parley.server.http.problems.problem_details import Problem, problem_from_exception
from parley.server.http.problems.problem_types import NOT_OF_THE_SESSION
from parley.server.http.problems.validation_details import describe_expected
from parley.server.http.requests.message_requests import check_act, entry_id
from parley.server.http.state.dependencies import Dependencies
from parley.server.services.publication import NO_EPOCH

# A result is counted by the server: whoever tells one is believed.
_NEEDS: Final = {
    "vote.initiated": "vote", "vote.extended": "vote", "ballot.completed": "operator",
}  # fmt: skip
_OF_MESSAGES: Final = frozenset({
    "kind", "id", "participant", "agent_id", "content", "act", "re", "to", "topic", "form", "at",
    "timestamp",
})  # fmt: skip
_NAMES: Final = frozenset(name for kind in KINDS.values() for name in kind.model_fields)


async def draft_batch(
    deps: Dependencies,
    session: str,
    caller: Caller,
    rows: Sequence[Fields],
    named: str | None,
    key: str,
) -> list[Draft]:
    """What `rows` publish, all of it checked. Raises `Problem` with the row and field at fault."""
    memory = await deps.backend.reader.current(session)
    drafts: list[Draft] = []
    ids: dict[str, str] = {}
    for index, row in enumerate(rows):
        try:
            drafts.append(_draft(memory, caller, row, named, ids, f"{key}.{index}"))
        except InvalidField as wrong:
            raise _at(index, wrong) from None
    messages: Any = [draft.entry for draft in drafts if draft.entry.kind == "message"]
    check_message_authors(memory, caller, messages)
    if sum(len(seal(draft.id, draft.entry).body) for draft in drafts) > BATCH_BYTES:
        raise Problem("too-large", limit=BATCH_BYTES)
    _check_targets(memory, drafts)
    await _check_references(deps, session, drafts, frozenset(ids.values()))
    return drafts


def _draft(
    memory: Memory, caller: Caller, row: Fields, named: str | None, ids: dict[str, str], key: str
) -> Draft:
    """`ids` has the row's own ids so far, each with what it became."""
    _check_shape(row)
    name = _speaker(caller, row, named)
    _check_right(memory, caller, name, row)
    target = row.get("re")
    re = ids.get(target, normalize_handle(target)) if isinstance(target, str) else target
    given = {**row, "by" if row.get("kind") == "item.corrected" else "participant": name}
    given.pop("agent_id", None)
    entry = parse_entry(given, re)
    check_round_trip(row, entry)
    check_act(caller, getattr(entry, "act", None))
    check_phase(memory, caller, name, entry)
    if isinstance(entry, ItemCorrected):
        check_correction(memory, caller, name, entry)
    own = read_id(row, "")
    if own and (len(own) > 100 or not own.isascii()):
        raise InvalidField("an id of a request is at most 100 characters of ASCII", "id")
    draft = Draft(entry_id(name, own or key), entry)
    check_draft(draft)
    if own:
        ids[own] = draft.id
    return draft


def _check_shape(row: Fields) -> None:
    if not isinstance(row.get("kind"), str | None):
        raise InvalidField("a kind is a word", "kind")
    if is_message(row) and not row.keys() <= _OF_MESSAGES:
        raise InvalidField("a message has no such field")
    check_fields(row)


def _speaker(caller: Caller, row: Fields, named: str | None) -> str:
    names = [row[name] for name in ("participant", "agent_id", "by") if row.get(name) is not None]
    if row.get("kind") != "item.corrected" and row.get("by") is not None:
        raise InvalidField("only a correction has it", "by")
    if any(not isinstance(name, str) for name in names) or len(set(names)) > 1:
        raise InvalidField("one name speaks", "participant")
    return caller.resolve_speaker(names[0] if names else named)


def _check_right(memory: Memory, caller: Caller, name: str, row: Fields) -> None:
    """What takes a right of its own by its route takes it here."""
    kind = row.get("kind") or "message"
    if kind == "message.edited":
        raise InvalidField("other words for a message are for PUT .../messages/{n}", "kind")
    check_floor(memory, caller, kind)
    needs = _NEEDS.get(kind, "")
    if not needs or caller.operator:
        return
    if not caller.may_do(needs, caller.session):
        raise Problem("forbidden", needs=needs)
    if not is_allowed(memory, name, needs):
        raise Problem("forbidden", needs=needs, detail=NOT_OF_THE_SESSION)


def _check_targets(memory: Memory, drafts: Sequence[Draft]) -> None:
    """Raises `Problem`, naming the row, for an act on what is not there.

    A row may be on what rows before it make: where one seems to be, those are folded first,
    into a copy.
    """
    ahead, folded = memory, 0
    for index, draft in enumerate(drafts):
        entry = draft.entry
        if not isinstance(entry, Message) or target_refusal(ahead, entry) is None:
            continue
        if ahead is memory:
            ahead = load(dump(memory), memory.packs, memory.seq)
        for earlier in drafts[folded:index]:
            n = ahead.n + (earlier.entry.kind in PRIMARY)
            apply(ahead, Record(ahead.seq + 1, n, earlier.id, 0, earlier.entry))
        folded = index
        if missing := target_refusal(ahead, entry):
            problem = problem_from_exception(missing)
            problem.extra["field"] = f"entries.{index}.re"
            raise problem


async def _check_references(
    deps: Dependencies, session: str, drafts: Sequence[Draft], own: frozenset[str]
) -> None:
    """Before anything lands, every id that is named from outside the batch is looked up."""
    foreign = {}
    for draft in drafts:
        re: Any = getattr(draft.entry, "re", None)
        if isinstance(re, str) and not is_handle(re) and re not in own:
            foreign[re] = draft
    if not foreign:
        return
    try:
        await deps.backend.bus.publish(session, list(foreign.values()), epoch=NO_EPOCH)
    except StaleEpoch:
        return
    except InvalidEntry:
        raise Problem("refused") from None


def _at(index: int, wrong: InvalidField) -> Problem:
    """What is wrong with a row, in words of the model alone."""
    field, error = wrong.field, wrong.error or {"type": "value_error"}
    place = f"entries.{index}" + (f".{field}" if field in _NAMES or field == "id" else "")
    return Problem("invalid", detail=describe_expected(error), field=place, fault=error["type"])
