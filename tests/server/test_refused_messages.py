"""A message that is no good is refused at every door, and each says what to do."""

from __future__ import annotations

from typing import Any, Final

import pytest

from parley import Memory
from parley.bus.contract.drafts import validate_entry
from parley.bus.contract.errors import InvalidEntry
from parley.bus.entries import ACTS, ACTS_ON_ITEMS, Act, Message
from parley.memory.act_targets import needed_target
from tests.support.doors.calls import Parley
from tests.support.doors.doors import doors
from tests.support.doors.gateway_talk import NAME, PATH, begin
from tests.support.doors.refusals import refusals

RATIFIED: Final[list[Any]] = [
    {"as": "ana", "content": "I propose a lamp.", "act": "propose"},
    {"as": "bo", "content": "Yes.", "act": "support", "re": "P1"},
    {"as": "cy", "content": "Yes.", "act": "support", "re": "P1"},
]


@pytest.mark.parametrize("act", ["support", "ratify"])
async def test_an_act_on_an_item_that_names_none_is_refused_at_every_door(
    redis_url: str, parley: Parley, act: Act
) -> None:
    """With what to pass; nothing lands."""
    async with doors(redis_url) as d:
        await begin(d)
        refused = await refusals(d, redis_url, parley, {"content": "I am for it.", "act": act})
        async with d.client(d.operator()) as operator:
            assert (await operator.get(PATH)).json()["n"] == 0
    for door, text in refused.items():
        assert f"{act} is an act on an item: pass re, the item's handle (P3, D1)" in text, door
    for door in ("http", "batch", "websocket"):
        field = "re" if door == "http" else "entries.0.re"
        assert f'"field":"{field}"' in refused[door], door
        assert "urn:parley:problem:invalid" in refused[door], door


@pytest.mark.parametrize(
    ("re", "words"),
    [
        ("P99", ("no-item", "no item 'P99'", "There is no item of this handle")),
        (99, ("no-message", "no message 99", "There is no message of this number")),
    ],
)
async def test_an_act_on_what_is_not_there_is_refused_at_every_door(
    redis_url: str, parley: Parley, re: int | str, words: tuple[str, ...]
) -> None:
    """By its kind; nothing lands."""
    async with doors(redis_url) as d:
        await begin(d)
        said = {"content": "I am for it.", "act": "support", "re": re}
        refused = await refusals(d, redis_url, parley, said)
        async with d.client(d.operator()) as operator:
            kinds = (await operator.get(f"{PATH}/entries")).json()["items"]
    for door, text in refused.items():
        assert any(word in text for word in words), (door, text)
    assert [row["entry"]["kind"] for row in kinds].count("message") == 0


@pytest.mark.parametrize("act", ACTS)
def test_only_an_act_that_is_on_nothing_without_an_item_needs_one(act: Act) -> None:
    """A handle in the words is one, as is a topic for a stance; force lets all of it through."""

    def needs(content: str, topic: str | None = None) -> bool:
        said = Message(participant="ana", content=content, act=act, topic=topic)
        return needed_target(said) is not None

    assert needs("The red one.") == (act in ACTS_ON_ITEMS)
    assert needs("The MP3 player, in A4.") == (act in ACTS_ON_ITEMS)
    assert not needs("The red one, as in P1.")
    on_topic = act in ("support", "oppose", "abstain", "dispute")
    assert needs("The red one.", "colours") == (act in ACTS_ON_ITEMS and not on_topic)
    assert Memory().say("ana", "The red one.", act=act, force=True) == 1


def test_a_command_forced_says_it_all_the_same(parley: Parley, redis_url: str) -> None:
    """For logs that are not read by this memory."""
    at = ("--redis", redis_url)
    assert parley(*at, "session", "new", NAME).code == 0
    words = ("say", NAME, "I am for it.", "--act", "support")
    refused = parley(*at, *words)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("parley: --re is missing: support is an act on an item")
    assert parley(*at, *words, "--force").code == 0


async def test_a_misspelt_act_is_told_the_nearest_at_every_door(
    redis_url: str, parley: Parley
) -> None:
    """Beside all that there are."""
    async with doors(redis_url) as d:
        await begin(d)
        said = {"content": "I am for P1.", "act": "suport"}
        refused = await refusals(d, redis_url, parley, said)
    for door, text in refused.items():
        assert "or 'inform'; did you mean 'support'?" in text, (door, text)


@pytest.mark.parametrize(
    ("word", "act"), [("Agree", "support"), ("object", "oppose"), ("suggest", "propose")]
)
def test_an_everyday_word_for_an_act_is_told_the_act(word: str, act: str) -> None:
    """It is none itself: what people say for it is known to the refusal alone."""
    with pytest.raises(Exception, match=f"did you mean '{act}'") as refused:
        validate_entry(Message, participant="ana", content="P1 it is.", act=word, re="P1")
    assert isinstance(refused.value, InvalidEntry)


async def test_what_is_near_nothing_is_told_what_there_is(redis_url: str, parley: Parley) -> None:
    """No guess is better than a wild one."""
    async with doors(redis_url) as d:
        await begin(d)
        refused = await refusals(d, redis_url, parley, {"content": "La, la.", "act": "zzz"})
    for door, text in refused.items():
        assert "or 'inform'" in text, (door, text)
        assert "mean" not in text, (door, text)


@pytest.mark.parametrize("words", ["We leave it dark.", "We leave it dark, whatever P1 says."])
async def test_nobody_replaces_alone_what_was_ratified(
    redis_url: str, parley: Parley, words: str
) -> None:
    """Refused at every door, with how to decide otherwise, which binds once others ratify it."""
    on = {} if "P1" in words else {"re": "P1"}
    async with doors(redis_url) as d:
        await begin(d)
        async with d.client(d.operator()) as operator:
            for body in RATIFIED:
                assert (await operator.post(f"{PATH}/messages", json=body)).status_code == 201
        said = {"content": words, "act": "decide", **on}
        refused = await refusals(d, redis_url, parley, said)
        async with d.client(d.token("dee", session=NAME)) as dee:
            otherwise = {"content": "We leave it dark.", "act": "decide", "re": "D1"}
            assert (await dee.post(f"{PATH}/messages", json=otherwise)).status_code == 201
            rows = (await dee.get(f"{PATH}/decisions")).json()["items"]
    for door, text in refused.items():
        assert "P1 is decided, as D1: to agree, support D1; to decide otherwise" in text, door
    status = {row["handle"]: (row["status"], row["supersedes"]) for row in rows}
    assert status == {"D1": ("ratified", None), "D2": ("claimed", "D1")}


def test_a_chair_replaces_it() -> None:
    """As every word of a chair binds; and anybody decides what nobody has decided."""
    memory = Memory(settings={"chair": ["dee"]})
    for body in RATIFIED:
        memory.say(body["as"], body["content"], act=body["act"], re=body.get("re"))
    assert memory.say("dee", "We leave it dark.", act="decide", re="P1") == 4
    assert [row["status"] for row in memory.decisions] == ["superseded", "ratified"]
