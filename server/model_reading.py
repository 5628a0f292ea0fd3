"""A transcript read by a model, as far as it answers."""

from __future__ import annotations

from bus.local import LocalLog
from listeners.effects.extraction.offline import ReadThrough, read_through
from listeners.models.port import Speaker
from listeners.models.prices import Prices
from listeners.projection import Found
from memory.state import Memory
from server.errors import Failure, Misuse
from server.model_endpoint import heard, model, prices
from server.output import tell
from server.running import run
from server.settings import Settings


def read_by_model(log: LocalLog, memory: Memory, settings: Settings) -> list[Found]:
    """What a model reads out of `log`, folded; what it does not read is told of on stderr.

    Raises `Misuse` where there is no model, `Failure` where it reads nothing.
    """
    asked = model(settings)
    if asked is None:
        raise Misuse("extract.how is model, and there is none: give --model-url or --model-key")
    done: ReadThrough = run(_read(asked, log, memory, prices(settings)))
    for effect, why in done.unread:
        tell(f"messages {effect.first}-{effect.last} were not read: {why}")
    if done.unread and not memory.claims.read:
        raise Failure("the model read nothing; mend that, or leave --extract-how out")
    return done.found


async def _read(asked: Speaker, log: LocalLog, memory: Memory, known: Prices) -> ReadThrough:
    async with heard(asked):
        return await read_through(log, memory, asked, known)
