"""The laws, for exchanges, kept results and models' shorter forms, under absurd limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parley.bus.entries import Entry
from parley.memory.context.chat_messages import prepare_messages
from parley.memory.exchanges.exchanges import list_kept_exchanges
from parley.memory.exchanges.short_forms import list_owed_short_forms, running_text
from parley.memory.exchanges.tool_cache import INJECTIONS, list_live_results
from parley.memory.fold.apply import apply
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size
from tests.support.logs.dialogues import condensed, entries, settled
from tests.support.logs.logs import PACKS, folded, numbered

DELAYS = st.lists(st.integers(0, 20), max_size=60)


@given(entries(), st.integers(0, 41), DELAYS)
def test_law_2_a_restored_memory_folds_on_as_the_live_one(
    log: list[Entry], cut: int, delays: list[int]
) -> None:
    """fold(a + b) = fold(load(dump(fold(a))), b), facts included, shorter forms among them."""
    records = numbered(with_forms(log))
    live_memory, _ = folded(records[:cut])
    restored = load(dump(live_memory), PACKS, live_memory.seq)
    assert dump(restored) == dump(live_memory)
    for record in records[cut:]:
        assert apply(restored, record) == apply(live_memory, record)
    assert dump(restored) == dump(live_memory)


def with_forms(log: list[Entry]) -> list[Entry]:
    """`log` with an answer after each entry that made one owed."""
    entries: list[Entry] = []
    memory, seq, n = Memory(PACKS), 0, 0
    for entry in log:
        queue: list[Entry] = [entry]
        while queue:
            entries.append(queue.pop())
            record = numbered(entries[-1:], seq, n)[0]
            seq, n = record.seq, record.n
            apply(memory, record)
            queue += [condensed(effect) for effect in list_owed_short_forms(memory)[:1]]
    return entries


@given(entries(), st.data())
def test_law_3_redelivered_records_change_nothing(log: list[Entry], data: st.DataObject) -> None:
    """A record that was folded before is ignored, wherever it turns up again."""
    records = numbered(log)
    memory = Memory(PACKS)
    for index, record in enumerate(records):
        apply(memory, record)
        assert apply(memory, records[data.draw(st.integers(0, index))]) == []
    assert dump(memory) == dump(folded(records)[0])


@given(entries(60))
def test_law_7_limits_hold_after_every_entry(log: list[Entry]) -> None:
    """Whatever the limits are, and however they change."""
    memory = Memory(PACKS)
    for record in numbered(with_forms(log)):
        apply(memory, record)
        limits, tools = memory.settings.limits, memory.tools
        assert len(list_kept_exchanges(memory)) <= limits.exchanges
        for episode in list_kept_exchanges(memory):
            assert episode.talk is not None
            assert byte_size(episode.talk.answer) <= limits.answer.cap
            assert len(episode.talk.question) <= limits.context_text
        assert byte_size(memory.exchanges.running) <= limits.running.cap
        assert byte_size(running_text(memory)) <= limits.running.cap
        assert len(tools.cached) <= limits.cached
        assert len(tools.calls) <= limits.cached
        for cached in list_live_results(memory):
            assert memory.exchanges.turn < cached.expires
            assert byte_size(cached.value) <= limits.answer.cap
        for shown in tools.injected.values():
            assert len(shown) <= INJECTIONS
            assert all(len(injection.text) <= limits.context_text for injection in shown.values())
        assert nothing_leaks(memory)


def nothing_leaks(memory: Memory) -> bool:
    """True when each shorter form is of something stored, and each stored exchange is in use."""
    stored = {f"result {cached.n}" for cached in memory.tools.cached.values()}
    stored |= {
        f"answer {episode.talk.answer_n}" for episode in list_kept_exchanges(memory) if episode.talk
    }
    stored |= {f"episode {episode.opened}" for episode in memory.episodes.by_ref.values()}
    running = [key for key in memory.condensed if key.startswith("running ")]
    exchanges = {ref for ref, episode in memory.episodes.by_ref.items() if episode.talk is not None}
    used = {*memory.exchanges.window, memory.exchanges.open}
    return len(running) <= 1 and set(memory.condensed) - {*running} <= stored and exchanges <= used


@given(entries(60), DELAYS)
def test_law_17_interleaving_of_shorter_forms_does_not_matter(
    log: list[Entry], delays: list[int]
) -> None:
    """They may land at once or late, in any order: the settled memory is the same."""
    assert dump(settled(log, delays)) == dump(settled(log))


@given(entries(60), st.integers(0, 400))
def test_law_8_prepared_messages_never_exceed_their_budget(log: list[Entry], extra: int) -> None:
    """What was left out is counted in the text, and every call has its result behind it."""
    records = numbered(log)
    memory, _ = folded(records)
    chat_messages = prepare_messages(
        memory, "helper", "And now?", budget=200 + extra, recent=records
    )
    assert chat_messages.size <= 200 + extra
    for name, count in chat_messages.dropped.items():
        assert f"{count} {name}" in chat_messages.messages[0]["content"]
    assert chat_messages.messages[-1] == {"role": "user", "content": "And now?"}
    asked: list[str] = []
    for message in chat_messages.messages:
        if message["role"] == "tool":
            assert [message["tool_call_id"]] == asked
        asked = [call["id"] for call in message.get("tool_calls", ())]
