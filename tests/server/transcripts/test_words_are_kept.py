"""Words in are words taken or words counted: whatever a file holds, and whatever it is called."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.bus.entries import Message
from parley.server.basics.errors import BadTranscript, Failure
from parley.server.transcripts import Transcript, parse_transcript
from tests.server.transcripts.samples import SAMPLES
from tests.server.transcripts.test_nothing_is_lost import IN_JSON, values

CASES: Final = 300  # of the default suite
LONG: Final = 100_000
_NAMES = st.sampled_from(
    ["Ana", "Bo", "Cy Lima", "dee", "Éva", "李", "Ana\u200b", "ＡＮＡ", "x" * 40]
)
_TEXTS = st.lists(
    st.sampled_from(["beans", "I propose peas", "+1", "naïve", "\u6c34", "No!", "#agreed yes",
                     "<b>a</b>", "\U0001f378", "(12:00)", "a & b"]),
    min_size=1, max_size=4,
).map(" ".join)  # fmt: skip
_MESSAGES = st.lists(st.tuples(_NAMES, _TEXTS), min_size=2, max_size=6)
_KEYS = st.sampled_from(["edited", "reference", "isBot", "meta", "x" * 90, "\u200b", "a.b", "-"])
_VALUES = st.one_of(
    st.integers(), st.booleans(), st.just("words"), st.just(["w"]), st.just({"a": 1})
)

Talk = list[tuple[str, str]]


def _listed(key: str, text: str) -> Callable[[Talk, dict[str, Any]], bytes]:
    def write(talk: Talk, odd: dict[str, Any]) -> bytes:
        rows = [{"id": str(n), key: who, text: words, **odd} for n, (who, words) in enumerate(talk)]
        return json.dumps(rows).encode()

    return write


def _ours(talk: Talk, odd: dict[str, Any]) -> bytes:
    rows = [{"index": n, "agent_id": who, "content": words, **odd}
            for n, (who, words) in enumerate(talk)]  # fmt: skip
    return b"\n".join(json.dumps(row).encode() for row in rows)


def _discord(talk: Talk, odd: dict[str, Any]) -> bytes:
    rows = [{"id": str(n), "type": "Default", "timestamp": "2024-05-03T09:00:00Z", "content": words,
             "author": {"id": who, "name": who, **odd}, **odd}
            for n, (who, words) in enumerate(talk)]  # fmt: skip
    return json.dumps({"messages": rows}).encode()


def _telegram(talk: Talk, odd: dict[str, Any]) -> bytes:
    rows = [{"id": n, "type": "message", "from": who, "from_id": who, **odd,
             "text": [words, {"type": "bold", "text": "."}]}
            for n, (who, words) in enumerate(talk)]  # fmt: skip
    return json.dumps({"name": "x", "messages": rows}).encode()


def _zulip(talk: Talk, odd: dict[str, Any]) -> bytes:
    rows = [{"id": n, "sender_id": who, "sender_full_name": who, "subject": "s", "content": words,
             "display_recipient": "d", "timestamp": 1_714_726_860, **odd}
            for n, (who, words) in enumerate(talk)]  # fmt: skip
    return "\n".join(json.dumps(row, indent=1) for row in rows).encode()


def _items(talk: Talk, odd: dict[str, Any]) -> bytes:
    rows: list[dict[str, Any]] = [{"type": "reasoning", "summary": []}]
    rows += [{"type": "message", "role": "assistant", "name": who, **odd,
              "content": [{"type": "output_text", "text": words, **odd}]}
             for who, words in talk]  # fmt: skip
    return json.dumps(rows).encode()


def _irc(talk: Talk, odd: dict[str, Any]) -> bytes:
    return "\n".join(f"10:00 <{who.replace(' ', '_')}> {words}" for who, words in talk).encode()


def _otter(talk: Talk, odd: dict[str, Any]) -> bytes:
    return "\n\n".join(f"{who}  0:0{n}\n{words}" for n, (who, words) in enumerate(talk)).encode()


WRITERS: Final[dict[str, Callable[[Talk, dict[str, Any]], bytes]]] = {
    "jsonl": _ours, "speakers": _listed("speaker", "text"), "discord": _discord,
    "telegram": _telegram, "zulip": _zulip, "openai-agents": _items, "irc": _irc, "otter": _otter,
}  # fmt: skip


def check(name: str, talk: Talk, odd: dict[str, Any]) -> None:
    """Each message is taken with all of its words or counted, each odd field counted by name."""
    transcript = parse_transcript(WRITERS[name](talk, odd), format=name)
    taken = [each.entry for each in transcript.entries if isinstance(each.entry, Message)]
    left = sum(each.count for reason, each in transcript.left.items()
               if "reasoning" not in reason)  # fmt: skip
    assert len(taken) + left == len(talk)
    said = " ".join(each.content for each in taken)
    if not left:
        for _, words in talk:
            assert words.removeprefix("#agreed ").split()[-1] in said
    if odd and name not in ("irc", "otter"):
        counted = sum(each.count for each in transcript.fields.values())
        assert counted >= len(taken) * len(odd)
        assert all(any(key[:60] in field for field in transcript.fields) for key in odd)


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=CASES // len(WRITERS), suppress_health_check=[HealthCheck.too_slow])
@given(talk=_MESSAGES, odd=st.dictionaries(_KEYS, _VALUES, max_size=2))
def test_each_word_is_taken_or_counted(name: str, talk: Talk, odd: dict[str, Any]) -> None:
    check(name, talk, odd)


@pytest.mark.long
@settings(max_examples=LONG, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(list(WRITERS)), talk=_MESSAGES,
    odd=st.dictionaries(_KEYS, _VALUES, max_size=2),
)  # fmt: skip
def test_each_word_is_taken_or_counted_in_many(name: str, talk: Talk, odd: dict[str, Any]) -> None:
    check(name, talk, odd)


# -- damage ----------------------------------------------------------------------------

_WORDS: Final = (
    b"null", b"{}", b"[]", b'""', b"-1", b"1e999", b"true", b'"\\ud83d"', b"\0", b"\xff",
    b'{"type":"function_call"}', b"[[[[", b"\n", b"9" * 40,
)  # fmt: skip


def damaged(data: bytes, chance: random.Random) -> bytes:
    """`data` with some places cut, doubled, or of another kind."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 5, 40)))
        data = data[:start] + chance.choice((b"", data[start:end] * 2, *_WORDS)) + data[end:]
    return data


def read_damaged(seed: int) -> Transcript | None:
    """What comes of a damaged sample; nothing but a refusal may be raised."""
    chance = random.Random(seed)
    kind, data = SAMPLES[chance.choice(list(SAMPLES))]
    bad: list[BadTranscript] = []
    try:
        forced = kind if chance.random() < 0.7 else None
        transcript = parse_transcript(damaged(data, chance), bad.append, forced)
    except Failure:
        return None
    assert transcript.bad == len(bad)
    return transcript


def test_damage_ends_in_a_refusal_or_in_entries() -> None:
    for seed in range(CASES):
        read_damaged(seed)


@pytest.mark.long
def test_much_damage_ends_in_a_refusal_or_in_entries() -> None:
    for seed in range(LONG):
        read_damaged(seed)


@pytest.mark.parametrize("sample", IN_JSON)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_name_of_a_field_may_be_anything(sample: str, data: st.DataObject) -> None:
    """Control characters, half a character, dots: counted, and in one line of the report."""
    kind, whole = SAMPLES[sample]
    trees = values(whole) or []
    key = data.draw(st.text(min_size=1, max_size=80))
    for tree in trees:
        for row in tree if isinstance(tree, list) else [tree]:
            if isinstance(row, dict):
                row.setdefault(key, 7)
    parse_transcript(b"\n".join(json.dumps(t).encode() for t in trees), lambda _: None, kind)
