"""Results of tools that may be served again: which, for how long, and how many."""

from __future__ import annotations

import pytest

from parley.bus.entries import (
    ContextInjected,
    Entry,
    ParticipantAliased,
    SettingsChanged,
    ToolReturned,
)
from parley.memory.exchanges.tool_cache import (
    INJECTIONS,
    SHOWN,
    find_result,
    list_injections,
    list_live_results,
    remaining_exchanges,
)
from parley.memory.exchanges.tool_keys import cache_key
from parley.memory.state.exchange_state import CachedResult
from parley.memory.state.memory import Memory
from parley.memory.text.byte_limits import byte_size
from tests.support.logs.dialogues import (
    HELPER,
    ask,
    assistant,
    called,
    done,
    exchange,
    records,
    remembered,
    reply,
    returned,
)
from tests.support.logs.logs import folded

KEY = cache_key("weather", "", {})


def only(memory: Memory) -> CachedResult:
    (cached,) = list_live_results(memory)
    return cached


def test_a_result_is_kept_under_the_key_of_its_call() -> None:
    """With its call id, its whole size and the entry that has it in full."""
    memory = remembered(returned(content="rain", call_id="call_7", city="Oslo", days=1.0))
    cached = only(memory)
    assert cached.key == cache_key("weather", "", {"days": 1, "city": "Oslo"})
    assert (cached.tool, cached.participant, cached.call_id, cached.value, cached.n) == (
        "weather", HELPER, "call_7", "rain", 1,
    )  # fmt: skip
    assert (cached.bytes, cached.arguments) == (4, '{"city":"Oslo","days":1}')


def test_a_result_is_of_who_gave_it_by_the_name_they_have_now() -> None:
    """Whatever they called themselves then, or are called since."""
    alias = ParticipantAliased(alias=HELPER, participant="hal")
    for memory in (
        remembered(returned(content="rain"), alias),
        remembered(alias, returned(content="rain")),
    ):
        assert only(memory).participant == "hal"


@pytest.mark.parametrize(
    "entry",
    [
        returned(ok=False),
        returned(read_only=False),
        returned(ttl=0),
    ],
)
def test_only_read_only_successes_with_a_lifetime_are_kept(entry: ToolReturned) -> None:
    """A failure, a write and a result for no exchange are not."""
    assert list_live_results(remembered(entry)) == []


def test_a_result_for_one_exchange_serves_exactly_the_next() -> None:
    """Stored in exchange t it is there until t + 1 closes, and gone in t + 2."""
    log: list[Entry] = [ask("One?"), returned(ttl=1), reply("1."), done()]
    assert remaining_exchanges(remembered(log[:2]), only(remembered(log[:2]))) == 1
    log += [ask("Two?")]
    assert find_result(remembered(log), KEY) is not None
    assert remaining_exchanges(remembered(log), only(remembered(log))) == 0
    log += [reply("2."), done()]
    assert find_result(remembered(log), KEY) is None


def test_a_hit_gives_a_result_its_lifetime_anew() -> None:
    """Without hits it ends with its lifetime; with them it is refreshed, and they are counted."""
    log: list[Entry] = [returned(ttl=2)]
    for number in range(1, 5):
        log += [called(), *exchange(number)]
    memory = remembered(log)
    assert only(memory).hits == 4
    assert remaining_exchanges(memory, only(memory)) == 1
    assert memory.tools.hits == 4
    assert (
        list_live_results(remembered(returned(ttl=2), *(exchange(number) for number in range(3))))
        == []
    )


def test_a_hot_result_ends_at_its_greatest_age() -> None:
    """However often it is hit: one more exchange than `cache.max_age` after it was stored."""
    log: list[Entry] = [assistant(cache={"ttl": 2, "max_age": 5}), returned()]
    lived = 0
    while list_live_results(remembered(log)):
        lived += 1
        log += [called(), *exchange(lived)]
    assert lived == 6
    assert remembered([*log, called()]).tools.misses == 1


def test_a_lifetime_of_its_own_may_be_longer_than_the_greatest_age() -> None:
    """It is kept as it was asked for; no hit makes it longer."""
    memory = remembered(assistant(cache={"max_age": 1}), returned(ttl=4), exchange(1), called())
    assert remaining_exchanges(memory, only(memory)) == 3


def test_a_miss_is_a_call_under_way_until_it_returns() -> None:
    """Whoever asks next joins it, which is neither a hit nor a miss."""
    memory = remembered(called(call_id="a"), called(call_id="b"))
    call = memory.tools.calls[str(KEY)]
    assert (call.call_id, memory.tools.misses, memory.tools.hits) == ("a", 1, 0)
    failed = returned(call_id="a", ok=False)
    assert remembered(called(call_id="a"), failed).tools.calls == {}
    other = returned(call_id="b", ok=False)
    assert remembered(called(call_id="a"), other).tools.calls != {}
    assert remembered(called(call_id="a"), exchange(1)).tools.calls == {}


def test_a_newer_result_takes_the_place_of_the_older() -> None:
    """One a key."""
    memory = remembered(returned(content="rain"), returned(content="sun", call_id="c2"))
    assert (only(memory).value, only(memory).call_id) == ("sun", "c2")


def test_a_long_result_is_held_in_500_bytes() -> None:
    """The whole of it stays in the log."""
    memory = remembered(returned(content="é" * 750))
    assert (only(memory).bytes, byte_size(only(memory).value)) == (1500, 499)


def test_what_would_end_first_makes_room() -> None:
    """Of those that end together the oldest goes; it is counted."""
    memory = remembered(
        assistant(limits={"cached": 2}),
        returned("a", ttl=3), returned("b", ttl=1), returned("c", ttl=3), returned("d", ttl=3),
    )  # fmt: skip
    assert [cached.tool for cached in list_live_results(memory)] == ["c", "d"]
    assert memory.tools.evicted == 2


def test_limits_hold_for_what_is_kept_when_they_change() -> None:
    """Fewer results, shorter ones, shorter surroundings."""
    shown = ContextInjected(participant=HELPER, key="screen", content="A long form with fields.")
    tight = {"cached": 1, "answer": {"cap": 10, "target": 10}, "context_text": 5}
    memory = remembered(
        returned("a", city="Oslo"), returned("b", content="x" * 50, city="Oslo"), shown,
        SettingsChanged(settings={"limits": tight}),
    )  # fmt: skip
    assert (only(memory).tool, byte_size(only(memory).value)) == ("b", 10)
    assert only(memory).arguments == ""
    assert list_injections(memory, HELPER)["screen"].text == "A lo…"


def test_surroundings_are_noted_by_participant_and_key() -> None:
    """Until they left the window of exchanges; a newer one under the same key replaces them."""
    log: list[Entry] = [
        assistant(limits={"exchanges": 2}),
        ContextInjected(participant=HELPER, key="screen", content="The order form"),
    ]
    assert [injection.text for injection in list_injections(remembered(log), HELPER).values()] == [
        "The order form"
    ]
    assert list_injections(remembered(log), "other") == {}
    log += [*exchange(1), *exchange(2)]
    assert "screen" in list_injections(remembered(log), HELPER)
    log += exchange(3)
    assert list_injections(remembered(log), HELPER) == {}
    log += [ContextInjected(participant=HELPER, key="screen", content="The bill")]
    assert list_injections(remembered(log), HELPER)["screen"].text == "The bill"


def test_a_participant_s_surroundings_are_bounded() -> None:
    """The newest keys are kept; an alias' are its own."""
    log: list[Entry] = [
        ContextInjected(participant="hal", key=f"k{number}", content="x")
        for number in range(INJECTIONS + 5)
    ]
    log += [ParticipantAliased(alias="hal", participant=HELPER)]
    shown = list_injections(remembered(log), HELPER)
    assert len(shown) == INJECTIONS
    assert list(shown)[-1] == f"k{INJECTIONS + 4}"


def test_what_the_cache_does_is_told_as_facts() -> None:
    """Kept, served, shown."""
    shown = ContextInjected(participant=HELPER, key="screen", content="The order form")
    _, facts = folded(records(returned(), called(), shown))
    assert [fact.kind for fact in facts] == ["tool.cached", "tool.hit", "context.injected"]
    assert facts[0].data == {"tool": "weather", "key": KEY, "n": 1, "expires": 4}
    assert facts[2].data == {"participant": HELPER, "key": "screen"}


def test_contexts_are_kept_of_so_many_participants() -> None:
    """Those who were shown something last: whoever comes later is shown it anew."""
    shown: list[Entry] = [
        ContextInjected(participant=f"p{k}", key="screen", content="Floor plan.")
        for k in (*range(SHOWN), 0, SHOWN)
    ]
    memory = remembered(shown)
    assert memory.tools.injected.keys() == {f"p{k}" for k in range(SHOWN + 1) if k != 1}
