"""A transcript read by a model, as far as it answers."""

from __future__ import annotations

from parley.bus.log.local_log import LocalLog
from parley.listeners.cache.projection import EntryFacts
from parley.listeners.models.model_port import StreamingModel
from parley.listeners.offline.local_extraction import ExtractionReport, extract_whole_log
from parley.listeners.spending.prices import Prices
from parley.memory.state.memory import Memory
from parley.server.basics.errors import Failure, Misuse
from parley.server.basics.output import print_notice
from parley.server.runtime.connection import run
from parley.server.runtime.model_endpoint import closing_model, open_model, read_prices
from parley.server.settings import Settings


def analyse_by_model(log: LocalLog, memory: Memory, settings: Settings) -> list[EntryFacts]:
    """What a model reads out of `log`, folded; what it does not read is told of on stderr.

    Raises `Misuse` where there is no model, `Failure` where it reads nothing.
    """
    asked = open_model(settings)
    if asked is None:
        raise Misuse("extract.how is model, and there is none: give --model-url or --model-key")
    done: ExtractionReport = run(_read(asked, log, memory, read_prices(settings)))
    for effect, why in done.unread:
        print_notice(f"messages {effect.first}-{effect.last} were not read: {why}")
    if done.unread and not memory.claims.read:
        raise Failure("the model read nothing; mend that, or leave --extract-how out")
    return done.facts


async def _read(
    asked: StreamingModel, log: LocalLog, memory: Memory, known: Prices
) -> ExtractionReport:
    async with closing_model(asked):
        return await extract_whole_log(log, memory, asked, known)
