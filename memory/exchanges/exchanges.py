"""Exchanges: a question, its answer, and what lies before as a running summary.

The newest closed ones are kept one by one; what leaves the window is told in
the running summary, a line a question and a line an answer. Where that is over
its limit it is compressed at once, to the first sentences of the older
exchanges; a model's better form of it is owed from then on (`short_forms`).
"""

from __future__ import annotations

from typing import Final

from parley.memory.exchanges import short_forms, tool_cache
from parley.memory.state.episode_state import Episode, Exchange
from parley.memory.state.fold_step import FoldStep
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size, clip_bytes, first_sentence, shorten_bytes
from parley.memory.text.plain_text import clip

_GIST_BYTES: Final = 120  # of a line of an old exchange: a sentence of some twenty words


def add_message(memory: Memory, n: int, name: str, content: str) -> None:
    """Take a message into the open exchange: the first one asks, another's newest one answers."""
    talk = memory.episodes.by_ref[memory.exchanges.open].talk
    if talk is None:
        return
    talk.messages += 1
    if not talk.question_n:
        talk.asker, talk.question_n = name, n
        talk.question = clip(content, memory.settings.limits.context_text)
    elif name != talk.asker:
        talk.answerer, talk.answer_n = name, n
        _keep_answer(memory, talk, content)


def edit_words(memory: Memory, of: int, content: str) -> None:
    """Put the new words of message `of` for the old ones in the exchange that is open."""
    current = open_exchange(memory)
    talk = None if current is None else current.talk
    if talk is not None and talk.question_n == of:
        talk.question = clip(content, memory.settings.limits.context_text)
    elif talk is not None and talk.answer_n == of:
        _keep_answer(memory, talk, content)


def _keep_answer(memory: Memory, talk: Exchange, content: str) -> None:
    limit = memory.settings.limits.answer
    talk.answer = shorten_bytes(content, limit.cap, limit.target)
    talk.answer_bytes = byte_size(content)


def close_exchange(moment: FoldStep, closing: Episode) -> None:
    """Count a turn, keep the exchange in the window, fold what leaves it into the summary."""
    memory, talk = moment.memory, closing.talk
    store = memory.exchanges
    store.turn += 1
    if store.open == closing.ref:
        store.open = 0
        moment.memory.regard_layers()
    store.window.append(closing.ref)
    if talk is not None:
        moment.record_fact(
            "exchange.closed",
            closing.handle,
            turn=store.turn,
            question_n=talk.question_n or None,
            answer_n=talk.answer_n or None,
            bytes=talk.answer_bytes,
        )
    _shift(memory)
    tool_cache.expire_results(memory)


def enforce_exchange_limits(memory: Memory) -> None:
    """Hold the limits in force over what is held already."""
    limits = memory.settings.limits
    for episode in memory.episodes.by_ref.values():
        if episode.talk is not None:
            episode.talk.question = clip(episode.talk.question, limits.context_text)
            episode.talk.answer = shorten_bytes(
                episode.talk.answer, limits.answer.cap, limits.answer.target
            )
    _shift(memory)
    if byte_size(memory.exchanges.running) > limits.running.cap:
        _compress(memory)


def rename_speaker(memory: Memory, old: str, new: str) -> None:
    """Put `new` for `old` wherever an exchange that is held names who spoke."""
    for episode in memory.episodes.by_ref.values():
        if episode.talk is not None:
            episode.talk.asker = new if episode.talk.asker == old else episode.talk.asker
            episode.talk.answerer = new if episode.talk.answerer == old else episode.talk.answerer


def list_kept_exchanges(memory: Memory) -> list[Episode]:
    """The closed exchanges that are kept one by one, oldest first."""
    return [memory.episodes.by_ref[ref] for ref in memory.exchanges.window]


def open_exchange(memory: Memory) -> Episode | None:
    """The open exchange."""
    return memory.episodes.by_ref.get(memory.exchanges.open)


# -- the running summary -------------------------------------------------------


def _shift(memory: Memory) -> None:
    """Tell in the summary what is beyond the window."""
    store, limits = memory.exchanges, memory.settings.limits
    while len(store.window) > limits.exchanges:
        gone = memory.episodes.by_ref.pop(store.window.pop(0))
        if gone.talk is not None:
            store.running = "\n".join(filter(None, [store.running, *_told(gone.talk)]))
            short_forms.drop_short_form(memory, "answer", gone.talk.answer_n)
        store.since = store.since or gone.opened
        store.through = gone.closed or 0
        if byte_size(store.running) > limits.running.cap:
            _compress(memory)


def _told(talk: Exchange) -> list[str]:
    lines = []
    if talk.question_n:
        lines.append(f"Q ({_flat(talk.asker)}): {_flat(talk.question)}")
    if talk.answer_n:
        lines.append(f"A ({_flat(talk.answerer)}): {_flat(talk.answer)}")
    return lines


def _flat(text: str) -> str:
    return " ".join(text.split())


def _compress(memory: Memory) -> None:
    """Bring the summary down to its target."""
    store, limit = memory.exchanges, memory.settings.limits.running
    store.running = clip_running_lines(store.running.split("\n"), min(limit.cap, limit.target))
    store.kept = len(store.running)
    store.first = store.since or store.first
    store.since, store.cause = 0, store.through
    store.compressions += 1
    short_forms.drop_running_short_form(memory)


def clip_running_lines(lines: list[str], limit: int) -> str:
    """`lines`, oldest first, in at most `limit` bytes.

    Each has its first sentence; from the newest back, the whole of it while
    there is room. Where not even the first sentences fit, the oldest go.
    """
    kept: list[str] = []
    left = limit
    for line in reversed(lines):
        short = first_sentence(line, _GIST_BYTES, line.find("): ") + 3)
        cost = byte_size(short) + bool(kept)
        if cost > left:
            break
        kept.append(short)
        left -= cost
    if not kept:
        return clip_bytes(lines[-1], limit) if lines else ""
    for place, line in enumerate(reversed(lines[len(lines) - len(kept) :])):
        more = byte_size(line) - byte_size(kept[place])
        if more > left:
            break
        kept[place] = line
        left -= more
    return "\n".join(reversed(kept))
