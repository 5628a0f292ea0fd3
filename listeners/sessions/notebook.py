"""A participant's notebook as its program sees it: read, write, revise, look back.

    notebook = session.notebook
    page = await notebook.read()
    await notebook.write("I rank the floor first.", base=page.base)
    await notebook.revise_now()

What is refused here is refused before anything is published; what overtakes a
write on its way to the log is found out afterwards, and is `StaleRevision` too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from parley.bus import Draft, Receipt
from parley.bus.contract.drafts import new_id, validate_entry
from parley.bus.entries import ContextInjected, NoteRefused, NoteRevised, NoteWritten, Record
from parley.listeners.cache.ranges import read_pages, read_range
from parley.listeners.cache.session_access import SessionAccess
from parley.listeners.effects.reflection import ReflectionJob, abort_run
from parley.listeners.effects.reflection_prompt import create_memory_update_prompt
from parley.listeners.models.model_port import Model
from parley.memory.errors import LimitExceeded, NoNotebook, StaleRevision, UpdateRefused
from parley.memory.fold.replay import replay
from parley.memory.notebooks.notebooks import render_notebook, standing_revision
from parley.memory.notebooks.reflections import note_limit, note_policy
from parley.memory.state.effects import ReflectionEffect
from parley.memory.state.item_state import Fact
from parley.memory.state.memory import Memory, Packs
from parley.memory.text.fences import quote_lines

ASKED: Final = "asked"  # why, of a revision that nobody but its caller wanted
ROUND: Final = "round"  # the key that what happened is shown under
_KINDS: Final = ("note.written", "note.revised", "note.refused")


@dataclass(frozen=True, slots=True)
class NotebookPage:
    """A notebook as it stands: `text` is what its owner's context holds, at most `limit` long.

    `standing_revision` is the revision in it, `base` the n that a write on it names (0: none).
    """

    text: str
    standing: str
    base: int
    limit: int


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision, or an attempt at one, as the log has it; `stood` is False where it did not."""

    n: int  # of the entry; of a model's, the last primary entry before it
    kind: Literal["written", "revised", "refused"]
    cause: int  # n up to which it digests what happened: the revision's name
    base: int
    text: str
    size: int
    why: str
    at: str | None = None
    model: str | None = None
    attempts: int = 1
    sizes: tuple[int, ...] = ()
    clipped: bool = False
    stood: bool = True
    reason: str = ""


class Notebook:
    """One participant's notebook in one session; `model` rewrites it where it is asked to."""

    def __init__(self, access: SessionAccess, model: Model | None = None) -> None:
        self._access, self._model = access, model
        self._participant = access.participant

    async def read(self, *, at: int | None = None) -> NotebookPage:
        """The notebook now, or as it was after entry `at`. Raises `NoNotebook`."""
        access = self._access
        memory = await (access.memory() if at is None else access.reader.at(access.session, at))
        return _notebook_page(memory, self._participant)

    async def write(self, text: str, base: int | None = None, *, id: str | None = None) -> Receipt:
        """Make `text` the notebook, in place of revision `base` (None: whichever stands).

        With an `id` and a `base` of your own, writing it again changes nothing.
        Raises `LimitExceeded`, `StaleRevision`, `NoNotebook` and what `bus.publish` does.
        """
        page = await self.read()
        if len(text) > page.limit:
            raise LimitExceeded(len(text), page.limit)
        on = page.base if base is None else base
        if on != page.base and (id is None or not await self._stands(text)):
            raise StaleRevision(on, page.base)
        entry = validate_entry(NoteWritten, participant=self._participant, content=text, base=on)
        receipt = await self._access.publish(entry, id or "")
        memory = await self._access.memory()
        note = memory.notebooks.notes.get(memory.named(self._participant))
        if note is None or note.written < receipt.n:
            raise StaleRevision(on, 0 if note is None else note.written)
        return receipt

    async def _stands(self, text: str) -> bool:
        return (await self.read()).standing == text

    async def history(self) -> list[Revision]:
        """Every revision of the notebook and every refusal, oldest first, from the log."""
        return revisions(await self._log(), self._access.reader.packs, self._participant)

    async def _log(self) -> list[Record]:
        skips = set((await self._access.bus.info(self._access.session)).skips)
        return [
            record
            async for page in read_pages(self._access.bus, self._access.session)
            for record in page
            if record.seq not in skips
        ]

    async def revise_now(self, why: str = ASKED) -> str:
        """Have the model rewrite the notebook in the light of what happened since.

        The text that stands then; where nothing happened since, or no answer
        fitted and the session says so, the one that stood before. Raises
        `UpdateRefused` where that ends the session, `Fenced` where it was redacted
        meanwhile, and `ModelError`.
        """
        info = await self._access.bus.info(self._access.session)
        memory = await self._access.memory()
        page = _notebook_page(memory, self._participant)
        if memory.n <= page.base:
            return page.standing
        job = self._job(memory, why)
        skips = frozenset((await self._access.bus.info(self._access.session)).skips)
        bus, session = self._access.bus, self._access.session
        entry_range = await read_range(bus, session, job.first, job.last, skips)
        return await self._carry_out(job, entry_range.records, info.incarnation)

    async def prompt_agent_for_memory_update(
        self, round_content: str, max_retries: int | None = None, *, why: str = ASKED
    ) -> str:
        """`revise_now` with `round_content` as what happened, in at most `max_retries` answers.

        It is logged as what the participant was shown; the notebook then
        digests everything up to it.
        """
        info = await self._access.bus.info(self._access.session)
        shown = validate_entry(
            ContextInjected, participant=self._participant, key=ROUND, content=round_content
        )
        _notebook_page(await self._access.memory(), self._participant)
        await self._access.publish(shown)
        memory = await self._access.memory()
        job = replace(self._job(memory, why), round_text=round_content)
        if max_retries is not None:
            terms = job.terms.model_copy(update={"retries": max_retries})
            job = replace(job, terms=terms)
        return await self._carry_out(job, [], info.incarnation)

    @staticmethod
    def create_memory_update_prompt(
        current_memory: str, round_content: str, limit: int = 50_000
    ) -> str:
        """The question that a model is asked, with both texts quoted behind a fence."""
        return create_memory_update_prompt(current_memory, quote_lines(round_content), limit=limit)

    def _job(self, memory: Memory, why: str) -> ReflectionJob:
        name = memory.named(self._participant)
        return ReflectionJob.of(memory, ReflectionEffect(name, memory.n, why))

    async def _carry_out(
        self, job: ReflectionJob, records: Sequence[Record], incarnation: str
    ) -> str:
        if self._model is None:
            raise ValueError(
                "this notebook has no model to rewrite it; give the session one: model=…"
            )
        made = await job.run(self._model, records)
        draft = Draft(f"{job.effect.id}:{ASKED}:{new_id()}", made)
        await self._access.bus.publish(self._access.session, [draft], incarnation=incarnation)
        if isinstance(made, NoteRefused) and made.aborted:
            await abort_run(self._access.bus, self._access.session, made.participant)
            raise UpdateRefused(made.participant, made.attempts, made.sizes)
        return (await self.read()).standing


def _notebook_page(memory: Memory, participant: str) -> NotebookPage:
    """The notebook of `participant` in `memory`. Raises `NoNotebook`."""
    name = memory.named(participant)
    if note_policy(memory, name) == "off":
        raise NoNotebook(participant)
    text, base = standing_revision(memory, name)
    return NotebookPage(render_notebook(memory, name), text, base, note_limit(memory, name))


def revisions(records: Sequence[Record], packs: Packs, participant: str) -> list[Revision]:
    """The revisions of a notebook among `records`, folded to tell which of them stood.

    A participant's other names count, whenever they became its own.
    """
    memory = Memory(packs)
    named_revisions: list[tuple[str, Revision]] = []
    for record, facts in replay(memory, records):
        if record.entry.kind in _KINDS:
            entry = cast("NoteWritten | NoteRevised | NoteRefused", record.entry)
            named_revisions.append((entry.participant, _revision(record, facts)))
    own = memory.named(participant)
    return [revision for name, revision in named_revisions if memory.named(name) == own]


def _revision(record: Record, facts: Sequence[Fact]) -> Revision:
    entry: Any = record.entry
    note_fact = next((fact for fact in facts if fact.kind.startswith("note.")), None)
    reason = "" if note_fact is None else str(note_fact.data.get("reason", ""))
    stood = note_fact is not None and note_fact.kind == "note.revised"
    if entry.kind == "note.refused":
        return Revision(
            record.n, "refused", entry.cause, entry.base, "", 0, "", entry.at,
            attempts=entry.attempts, sizes=tuple(entry.sizes), stood=False, reason=reason,
        )  # fmt: skip
    if entry.kind == "note.written":
        return Revision(
            record.n, "written", record.n, entry.base, entry.content, len(entry.content), "written",
            entry.at, stood=stood, reason=reason,
        )  # fmt: skip
    return Revision(
        record.n, "revised", entry.cause, entry.base, entry.text, len(entry.text), entry.why,
        entry.at, entry.model, entry.attempts, clipped=entry.clipped, stood=stood,
        reason="" if stood else "overtaken",
    )  # fmt: skip
