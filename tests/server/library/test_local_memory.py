"""A memory in plain calls: no server, no Redis, no event loop; the same bytes as a server's."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley import BallotCast, Bus, Memory, VoteInitiated
from parley.bus.contract.errors import BadSessionFile, InvalidEntry, SessionClosed
from parley.bus.sessions.session_file import decode_file, encode_file
from parley.bus.sessions.stored_rows import records_to_restore
from parley.listeners.cache.memory_reader import MemoryReader
from parley.listeners.sessions.shipped_packs import known_packs
from parley.memory.errors import ContextOverflow, SettingsRefused, UnknownRef
from parley.memory.fold.canonical_bytes import dump
from parley.memory.ledger.decision_rule import RULE
from parley.server.library import typed_rows
from parley.server.records.session_file import export_session

NAMES = ("Ana", "Ben", "Cy")
LINES = (
    "I propose that we try the place by the bridge.",
    "What if we took the bread along?",
    "+1 to P1",
    "-1 to P1: they close at two.",
    "I agree.",
    "Then we have agreed on the bridge.",
    "It rains.",
    "P2 is a great idea, but the oven is too small.",
)


def lunch() -> Memory:
    memory = Memory(title="Lunch", settings={"chair": ["Cy"]})
    memory.say("Ana", "I propose that we try the place by the bridge.", at="2026-05-04T12:00:00Z")
    memory.say("Ben", "-1 to P1: they close at two.")
    memory.say("Cy", "I support P1.", act="support", re="P1")
    memory.say("Ana", "We go to the bridge.", act="decide", re="P1")
    memory.say("Cy", "Yes.", act="ratify", re="D1")
    return memory


def test_a_memory_takes_three_lines() -> None:
    """Plain talk is read as it is: a proposal has a handle, and whoever asks is told of it."""
    memory = Memory()
    memory.say("Ana", "I propose that we try the place by the bridge.")
    assert 'P1 Ana n 1: "we try the place by the bridge"' in memory.context("Ben")
    assert "P1 Ana" in memory.context("Ben", brief=True)


def test_it_loads_neither_redis_nor_a_model_nor_an_event_loop(tmp_path: Path) -> None:
    """Not for speaking, reading, saving or loading either."""
    program = (
        "from parley import Memory\n"
        "memory = Memory()\n"
        "memory.say('Ana', 'I propose a walk.')\n"
        "memory.context('Ben'), memory.proposals, memory.stats\n"
        f"memory.save({str(tmp_path / 'm.json')!r})\n"
        f"Memory.load({str(tmp_path / 'm.json')!r})\n"
        "import sys\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    for library in ("redis", "openai", "anyio", "asyncio", "fastapi", "typer", "structlog"):
        assert f"'{library}'" not in ran.stdout


def test_items_are_rows_with_their_words() -> None:
    """Who proposed, who stands where, what was decided, each with the message that says so."""
    memory = lunch()
    (proposal,) = memory.proposals
    assert (proposal["handle"], proposal["status"]) == ("P1", "accepted")
    assert [(r["participant"], r["stance"]) for r in proposal["reactions"]] == [
        ("Ben", "oppose"), ("Cy", "support"), ("Ana", "support"),
    ]  # fmt: skip
    (decision,) = memory.decisions
    assert (decision["handle"], decision["resolves"]) == ("D1", "P1")
    assert {row["participant"] for row in memory.positions} == {"Ana", "Ben", "Cy"}
    quotes = [row["quote"] for row in memory.evidence("P1")]
    assert quotes[1:3] == ["-1 to P1: they close at two.", "I support P1."]
    assert memory.stats["messages"] == 5
    with pytest.raises(UnknownRef, match="P9"):
        memory.evidence("P9")


def test_say_gives_the_number_with_what_the_message_did() -> None:
    """The same receipt as every door's: made, touched, missing, repeats, and the rule."""
    memory = Memory()
    said = memory.say("Ana", "I propose that we try the place by the bridge.")
    assert (said, said.n, said.made, said.touched) == (1, 1, ["P1"], [])
    assert (said.missing, said.rule, said.repeats) == (["P1 needs 2 more supporters"], "", [])
    lacking = "P1 needs one more supporter, and only one other took part so far; no chair is named"
    lone = memory.say("Ben", "I accept it.", act="accept", re="P1")
    assert (lone.touched, lone.missing) == (["P1"], [lacking])
    assert lone.rule == RULE
    claimed = memory.say("Cy", "Decision: we buy a lamp.")
    assert claimed.made == ["D1"]
    assert claimed.missing == ["D1 is claimed, not binding: it needs 2 more supporters"]
    again = memory.say("Dee", "I propose that we try the place by the bridge.")
    assert [row["repeats"] for row in again.repeats] == ["P1"]
    assert not any(memory.say("Eli", "Fine weather.").outcome.values())


def test_the_count_of_a_proposal_does_not_jump_when_it_is_accepted() -> None:
    """As many as react to it, before and after; on the decision its proposer is on record, too."""
    memory = Memory()
    memory.say("Ana", "I propose that we try the place by the bridge.")
    for count, name in enumerate(("Ben", "Cy"), 1):
        memory.say(name, "I support P1.")
        (proposal,) = memory.proposals
        assert proposal["tally"]["support"] == len(proposal["reactions"]) == count
    (decision,) = memory.decisions
    assert (decision["status"], decision["tally"]["support"]) == ("ratified", 3)


def test_an_item_without_a_sender_s_time_has_that_of_its_receipt() -> None:
    """Marked as such; memory itself knows the sender's alone."""
    memory = Memory()
    memory.say("Ana", "I propose a walk.", at="2026-05-04T12:00:00Z")
    memory.say("Ben", "I propose a swim.")
    sent, received = memory.proposals
    assert (sent["at"], sent["at_from"]) == ("2026-05-04T12:00:00Z", "sender")
    assert received["at_from"] == "receipt"
    assert (
        abs(datetime.now(UTC) - datetime.fromisoformat(received["at"] or "")).total_seconds() < 600
    )
    assert memory.state.proposals[2].at is None


def test_rows_have_the_shapes_that_are_promised() -> None:
    """Every field of every row is of its declared type, and none is undeclared."""
    memory = lunch()
    for k in range(20):
        memory.say("Ben", f"Thought {k} on the weather at the river.")
    rows: dict[type, Sequence[object]] = {
        typed_rows.ProposalRow: memory.proposals,
        typed_rows.DecisionRow: memory.decisions,
        typed_rows.PositionRow: memory.positions,
        typed_rows.SummaryRow: memory.summaries,
        typed_rows.Evidence: memory.evidence("P1"),
    }
    for kind, listed in rows.items():
        assert listed
        for row in listed:
            assert msgspec.convert(row, kind, strict=True) == row


def test_summaries_are_made_as_they_fall_due() -> None:
    """Every twelve messages an extract, without anybody to run it."""
    memory = Memory()
    for k in range(25):
        memory.say("Ana", f"Thought {k} on the boat and its paint.")
    assert [(row["first"], row["last"]) for row in memory.summaries] == [(1, 12), (13, 24)]
    assert "Earlier" not in memory.context()  # all is shown
    assert "Earlier" in memory.context(budget=400)


def test_what_a_session_refuses_is_refused() -> None:
    """Settings, names, acts on what is not there, and talk after the end."""
    with pytest.raises(SettingsRefused):
        Memory(settings={"summary": {"intervall": 3}})
    memory = Memory()
    with pytest.raises(InvalidEntry):
        memory.say("", "Hello.")
    with pytest.raises(UnknownRef):
        memory.say("Ana", "Yes!", act="support", re="P7")
    assert memory.say("Ana", "Yes!", act="support", re="P7", force=True) == 1
    memory.close()
    with pytest.raises(SessionClosed):
        memory.say("Ana", "One more thing.")


def test_other_entries_are_taken_too() -> None:
    """A vote and its ballots, as any entry of the log."""
    memory = Memory()
    memory.say("Ana", "I propose a walk.")
    memory.say("Ben", "Good.")
    memory.publish(VoteInitiated(participant="Ana", content="A walk?", options=("yes", "no")))
    memory.publish(BallotCast(participant="Ben", re="V1", choice=("yes",), content="Yes."))
    vote = memory.state.votes.by_ref[1]
    assert (vote.question, list(vote.ballots)) == ("A walk?", ["Ben"])


def test_it_is_saved_and_loaded(tmp_path: Path) -> None:
    """The file gives the same memory and the same file, and the talk goes on from it."""
    memory, path = lunch(), tmp_path / "lunch.json"
    memory.save(path)
    again = Memory.load(path)
    assert dump(again.state) == dump(memory.state)
    assert again.to_json() == memory.to_json() == path.read_text("utf-8")
    for talk in (memory, again):
        talk.say("Ben", "I withdraw my objection.", id="b1")
        talk.say("Ben", "I withdraw my objection.", id="b1")
    assert dump(again.state) == dump(memory.state)
    assert again.context("Ben") == memory.context("Ben")


def test_a_file_that_was_altered_is_refused(tmp_path: Path) -> None:
    """And named."""
    path = tmp_path / "lunch.json"
    path.write_text(lunch().to_json().replace("bridge", "brigde"), "utf-8")
    with pytest.raises(BadSessionFile, match=r"lunch\.json.*checksum"):
        Memory.load(path)


@settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(LINES)), max_size=40))
def test_a_server_makes_the_same_bytes_of_the_same_log(
    redis_url: str, talk: list[tuple[str, str]]
) -> None:
    """What the library saved is restored on Redis, folded, and exported as the same file."""
    memory = Memory()
    for name, line in talk:
        memory.say(name, line)
    file = decode_file(memory.to_json().encode())

    async def on_redis() -> tuple[bytes, bytes]:
        async with await Bus.connect(redis_url) as bus:
            await bus.restore("memory", records_to_restore(file.rows), replace=True)
            folded = await MemoryReader(bus, known_packs()).current("memory")
            return dump(folded), encode_file(await export_session(bus, "memory"))

    data, exported = asyncio.run(on_redis())
    assert data == dump(memory.state)
    assert exported.decode() == memory.to_json()


def test_a_refusal_names_calls_of_python_and_no_command() -> None:
    """Whoever has a library has no shell at hand."""
    memory = lunch()
    with pytest.raises(
        UnknownRef, match=r"no item 'P9' .*; proposals and decisions list"
    ) as on_said:
        memory.say("Ana", "Yes!", act="support", re="P9")
    with pytest.raises(UnknownRef) as on_evidence:
        memory.evidence("D9")
    with pytest.raises(ContextOverflow, match="raise budget") as small:
        memory.context("Ana", budget=1)
    for refused in (on_said, on_evidence, small):
        assert not re.search(r"'parley |--", str(refused.value))
