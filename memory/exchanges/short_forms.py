"""Models' shorter forms of what memory holds clipped: owed, landed, read, let go.

What is owed follows from primary and control entries alone: an answer or a
result that was clipped, the compressed part of the running summary, a closed
episode. A form stands while memory holds what it is of, the first one that
landed. That of an earlier running summary stands until the next one lands: the
next is made of it. Where no next one is wanted, none stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from parley.bus.entries import Part, TextCondensed
from parley.memory.state.effects import ShortFormEffect
from parley.memory.state.episode_state import Episode
from parley.memory.state.exchange_state import CachedResult, ShortForm
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Era, Memory
from parley.memory.text.byte_limits import byte_size, clip_bytes

_Wanted = tuple[Part, int, int]  # part, of, the bytes it may have


def keep_short_form(moment: FoldStep, entry: TextCondensed) -> None:
    """Let a shorter form stand while memory holds what it is of."""
    memory = moment.memory
    room = _room(memory, entry.part, entry.of)
    if not room or f"{entry.part} {entry.of}" in memory.condensed:
        return
    if entry.part == "running":
        earlier = _earlier(memory)
        if earlier > entry.of:
            return
        drop_short_form(memory, "running", earlier)
    text = clip_bytes(entry.text.strip(), room)
    memory.condensed[f"{entry.part} {entry.of}"] = ShortForm(text=text, size=byte_size(text))
    moment.record_fact("text.condensed", None, part=entry.part, of=entry.of, bytes=byte_size(text))


def list_owed_short_forms(memory: Memory) -> list[ShortFormEffect]:
    """The clipped texts that a model could put better, where the session took a model's then."""
    return [
        ShortFormEffect(part, of)
        for part, of, _ in _wanted(memory)
        if f"{part} {of}" not in memory.condensed
    ]


def allowed_bytes(memory: Memory, effect: ShortFormEffect) -> int:
    """The bytes that the shorter form may have; 0 where memory wants none."""
    wanted = ((ShortFormEffect(part, of), room) for part, of, room in _wanted(memory))
    return next((room for short_form_effect, room in wanted if short_form_effect == effect), 0)


def drop_short_form(memory: Memory, part: Part, of: int) -> None:
    """Drop the shorter form of what memory lets go of."""
    memory.condensed.pop(f"{part} {of}", None)


def drop_running_short_form(memory: Memory) -> None:
    """Drop the form of the running summary before, where none will be made of the one now."""
    if not _is_wanted_of_running(memory):
        drop_short_form(memory, "running", _earlier(memory))


def _room(memory: Memory, part: Part, of: int) -> int:
    if part == "running" and 0 < of <= memory.exchanges.cause:
        return _running_room(memory, of) if _is_wanted_of_running(memory) else 0
    return allowed_bytes(memory, ShortFormEffect(part, of))


def _is_wanted_of_running(memory: Memory) -> bool:
    store = memory.exchanges
    return bool(store.cause and store.kept and _running_room(memory, store.cause))


def _running_room(memory: Memory, of: int) -> int:
    era = memory.era(of)
    return era.running if era.how != "extract" else 0


def _earlier(memory: Memory) -> int:
    """What the form of the running summary that stands now is of; 0: none stands."""
    pairs = (key.partition(" ") for key in memory.condensed)
    return max((int(of) for part, _, of in pairs if part == "running"), default=0)


def _wanted(memory: Memory) -> Iterator[_Wanted]:
    """Every text that a model's shorter form may stand for, and the bytes that it may have."""
    for part, of, era, room in _held(memory):
        if era.how != "extract" and room > 0:
            yield part, of, room


def _held(memory: Memory) -> Iterator[tuple[Part, int, Era, int]]:
    store = memory.exchanges
    for ref in store.window:
        talk = memory.episodes.by_ref[ref].talk
        if talk is not None and byte_size(talk.answer) < talk.answer_bytes:
            era = memory.era(talk.answer_n)
            yield "answer", talk.answer_n, era, era.answer
    for cached in sorted(memory.tools.cached.values(), key=lambda cached: cached.n):
        if byte_size(cached.value) < cached.bytes:
            era = memory.era(cached.n)
            yield "result", cached.n, era, era.answer
    if store.cause and store.kept:
        era = memory.era(store.cause)
        yield "running", store.cause, era, era.running
    for episode in memory.episodes.by_ref.values():
        if episode.closed is not None and episode.talk is None:
            era = memory.era(episode.closed)
            if era.prose:
                yield "episode", episode.opened, era, era.answer


# -- reading -------------------------------------------------------------------


def answer_text(memory: Memory, episode: Episode) -> str:
    """The answer of an exchange, in a model's words where it was clipped and they stand."""
    talk = episode.talk
    return "" if talk is None else _better(memory, "answer", talk.answer_n, talk.answer)


def result_text(memory: Memory, cached: CachedResult) -> str:
    """A kept result, in a model's words where it was clipped and they stand."""
    return _better(memory, "result", cached.n, cached.value)


def episode_text(memory: Memory, episode: Episode) -> str:
    """What a closed episode came to, in a model's words; "" where none stand."""
    return _better(memory, "episode", episode.opened, "")


def running_text(memory: Memory) -> str:
    """The running summary, its compressed part in a model's words where they stand."""
    store, limit = memory.exchanges, memory.settings.limits.running
    better = memory.condensed.get(f"running {store.cause}")
    if better is None or not better.text:
        return store.running
    rest = store.running[store.kept :].lstrip("\n")
    text = clip_bytes(better.text, limit.cap - byte_size(rest) - bool(rest))
    return "\n".join(filter(None, [text, rest]))


def earlier_text(memory: Memory) -> str:
    """What stands of the running summary before its last compression, in a model's words."""
    before = memory.condensed.get(f"running {_earlier(memory)}")
    return before.text if before is not None and before.text else ""


def _better(memory: Memory, part: Part, of: int, text: str) -> str:
    """A model's form of `text`, within the limit in force; `text` where none stands."""
    short_form = memory.condensed.get(f"{part} {of}")
    if short_form is None or not short_form.text:
        return text
    limit = memory.settings.limits.answer
    return clip_bytes(short_form.text, min(limit.cap, limit.target))
