"""Ask an embedding which earlier proposal a new one repeats, in words that share nothing.

The vectors stay in this process: the newest thousands, by text, asked for again
when they are gone. An embedder that does not answer is left alone for a while.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import anyio

from parley.bus.connection.event_log import EventLog
from parley.bus.entries import SimilarityFound
from parley.listeners.models.breaker import Breaker
from parley.listeners.models.embedding import Embedder, Embeddings, Vector, similarity
from parley.listeners.models.model_port import BadAnswer, Completion, ModelError, OverBudget
from parley.listeners.spending.accounts import PARLEY, Account, Charge, outcome_of
from parley.listeners.spending.prices import FRAME, cost
from parley.memory.items.embedding_comparisons import comparison_text, list_candidates
from parley.memory.state.effects import ComparisonEffect
from parley.memory.state.memory import Memory
from parley.memory.text.text_sizes import count_tokens

VECTORS: Final = 1000  # kept, of a process: of 1,536 numbers they take 50 MB
AT_ONCE: Final = 64  # texts of one call

log = EventLog("parley.compare")


@dataclass(frozen=True, slots=True)
class ComparisonJob:
    """One proposal beside the earlier ones, as memory had them when the effect was taken."""

    effect: ComparisonEffect
    text: str
    earlier: tuple[tuple[str, str], ...]  # (handle, text), the newest first
    at_least: int  # per mille

    @classmethod
    def of(cls, memory: Memory, effect: ComparisonEffect) -> Self:
        """The job of an effect that `memory` owes."""
        earlier = tuple(
            (proposal.handle, comparison_text(proposal))
            for proposal in list_candidates(memory, effect.ref)
        )
        text = comparison_text(memory.proposals[effect.ref])
        return cls(effect, text, earlier, memory.settings.echo.embedding)


class Comparer:
    """Compares through `embedder`, its vectors kept here."""

    def __init__(self, embedder: Embedder, first_pause_seconds: float) -> None:
        self._embedder = embedder
        self._breaker = Breaker(first_pause_seconds)
        self._turn = anyio.Lock()  # what two want at once is asked for once
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    @property
    def is_ready(self) -> bool:
        """True where the embedder would be asked now."""
        return not self._breaker.seconds_left

    async def compare(
        self, session: str, job: ComparisonJob, account: Account | None
    ) -> SimilarityFound | None:
        """The entry that answers, None where the embedder gives no usable answer."""
        if not self.is_ready:
            return None
        try:
            answer = await self._nearest(job, account)
        except OverBudget as error:  # nothing is wrong with the embedder: it was not asked
            log.info("over_budget", session=session, effect=job.effect.id, reason=str(error))
            return None
        except ModelError as error:
            self._breaker.record_failure(error)
            log.warning("embedder_failed", session=session, effect=job.effect.id,
                        kind=type(error).__name__, reason=str(error))  # fmt: skip
            return None
        self._breaker.record_success()
        return answer

    async def _nearest(self, job: ComparisonJob, account: Account | None) -> SimilarityFound:
        texts = dict.fromkeys([job.text, *(text for _, text in job.earlier)])
        async with self._turn:
            vectors = await self._embed(list(texts), job.effect.id, account)
        mine, best, handle = vectors[job.text], 0, None
        try:
            for earlier, text in job.earlier:
                if (likeness := similarity(mine, vectors[text])) > best:
                    best, handle = likeness, earlier
        except BadAnswer:
            self._vectors.clear()  # the endpoint has another model under the name now
            raise
        return SimilarityFound(
            ref=f"P{job.effect.ref}",
            of=job.effect.of,
            earlier=handle if best >= job.at_least else None,
            similarity=best,
            model=self._embedder.name,
        )

    async def _embed(
        self, texts: Sequence[str], call: str, account: Account | None
    ) -> dict[str, Vector]:
        """The vectors of `texts`; those that are not at hand are asked for."""
        vectors = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in texts if text not in vectors]
        for start in range(0, len(missing), AT_ONCE):
            asked = missing[start : start + AT_ONCE]
            answer = await self._ask(asked, call, account)
            vectors.update(zip(asked, answer.vectors, strict=True))
        for text in texts:
            self._vectors[text] = vectors[text]
            self._vectors.move_to_end(text)
        while len(self._vectors) > VECTORS:
            self._vectors.popitem(last=False)
        return vectors

    async def _ask(self, texts: Sequence[str], call: str, account: Account | None) -> Embeddings:
        """One call, paid for where the session keeps books."""
        if account is None:
            return await self._embedder.embed(texts)
        charge = await account.reserve(self._charge(texts, call, account))
        if charge is None:
            raise OverBudget(f"the account of {PARLEY!r} has no room for this call")
        try:
            answer = await self._embedder.embed(texts)
        except ModelError as error:
            await account.settle(charge, *outcome_of(error))
            raise
        await account.settle(charge, Completion("", answer.model, answer.input_tokens))
        return answer

    def _charge(self, texts: Sequence[str], call: str, account: Account) -> Charge:
        name = self._embedder.name
        most = -(-sum(map(count_tokens, texts)) * 3 // 2) + FRAME
        return Charge(call, PARLEY, "embed", most, cost(account.prices, name, most, 0), name)
