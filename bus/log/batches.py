"""Batches: the drafts that one script run appends together. Pure.

A step lands whole or not at all. It is bounded, so that one script stays short,
and ends before a draft whose `re` names an entry that the step itself appends:
that entry has no number yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from parley.bus.contract.drafts import Draft, SealedDraft, check_draft_id
from parley.bus.contract.drafts import seal as seal_draft
from parley.bus.contract.errors import InvalidEntry
from parley.bus.log.references import referenced_id, resolve_reference

BATCH_DRAFTS: Final = 500  # one script stays below 2 ms
BATCH_BYTES: Final = 4_194_304
_ONE_STEP: Final = (
    f"what is published under an epoch lands in one step: at most {BATCH_DRAFTS} entries and "
    f"{BATCH_BYTES:,} bytes, of which none names another by its id"
)


def check_drafts(drafts: Sequence[Draft], epoch: int | None) -> None:
    """Raises `InvalidEntry` for drafts that no log takes, whatever its entries."""
    for draft in drafts:
        check_draft_id(draft)
    if epoch is not None and len(drafts) > BATCH_DRAFTS:
        raise InvalidEntry(_ONE_STEP)


def check_one_step(
    seals: Sequence[SealedDraft], drafts: Sequence[Draft], epoch: int | None
) -> None:
    """Raises `InvalidEntry` where `seals` are but a part of what an epoch has to hold."""
    if epoch is not None and len(seals) < len(drafts):
        raise InvalidEntry(_ONE_STEP)


def next_batch(
    session: str, drafts: Sequence[Draft], numbers: Mapping[str, int]
) -> list[SealedDraft]:
    """The longest part of `drafts` that can be sealed now, at least one draft.

    `numbers` has the n of every entry in the log that some `re` names. Raises
    `UnknownReference` and `InvalidEntry`.
    """
    seals: list[SealedDraft] = []
    ahead: set[str] = set()
    size = 0
    for draft in drafts[:BATCH_DRAFTS]:
        name = referenced_id(draft)
        if name in ahead and name not in numbers:
            break
        seal = seal_draft(draft.id, resolve_reference(session, draft, numbers))
        size += len(seal.body)
        if seals and size > BATCH_BYTES:
            break
        seals.append(seal)
        ahead.add(draft.id)
    return seals
