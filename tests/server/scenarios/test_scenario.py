"""Scenario files: what is read, what is refused and how, and the format's schema."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.settings.session_settings import Settings, merge_settings
from parley.server.basics.errors import Misuse
from parley.server.catalogue import scenario_catalogue
from parley.server.scenarios.cast import cast_scenario, settings_tree
from parley.server.scenarios.scenario import MemoryOverlay
from parley.server.scenarios.scenario_files import bundled, load, parse
from tests.support.doors.calls import Parley

ROOT = Path(__file__).parents[3]
LEAST = """\
scenario: 1
title: A meeting
participants:
  - persona: skeptic
  - persona: proposer
    as: ana
stop: {turns: 10}
"""


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_scenario_is_whole(name: str) -> None:
    """Its personas are there, its settings hold, and everyone with a seat has lines."""
    cast = cast_scenario(name)
    assert merge_settings(Settings(), cast.tree) == cast.settings
    assert {part.name for part in cast.parts} == set(cast.scenario.script)
    turns = sum(len(lines.turns) for lines in cast.scenario.script.values())
    assert 18 <= turns <= 30
    assert cast.settings.vote.fallback


def test_what_is_not_said_is_not_set() -> None:
    """The session's settings hold what the file says, and that agents bid."""
    assert settings_tree(parse(LEAST, "f.yaml").scenario) == {
        "floor": {"policy": "bid"}, "stop": {"turns": 10},
    }  # fmt: skip


def test_money_is_counted_in_millionths(tmp_path: Path) -> None:
    """Of what the session may cost, of what a seat may, and of prices."""
    text = LEAST + "budget: {cost: 1.5}\nprices: {large: {input: 2.5, output: 10}}\n"
    text = text.replace("as: ana", "as: ana\n    budget: {cost: 0.25}")
    assert settings_tree(parse(text, "f.yaml").scenario)["budget"] == {"micros": 1_500_000}
    path = tmp_path / "f.yaml"
    path.write_text(text)
    cast = cast_scenario(str(path))
    assert cast.parts[1].persona.budget.micros == 250_000
    assert cast.prices["large"].input == 2_500_000


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("stop:", "stopp:", "stopp: there is no such key; is 'stop' meant?"),
        ("as: ana", "asa: ana", "f.yaml:6:5: participants[1].asa: there is no such key; is 'as'"),
        ("title: A meeting\n", "", "title: it must be there"),
        ("scenario: 1", "scenario: 2", "scenario: Input should be 1"),
        ("as: ana", "may: [suport]", "is 'support' meant?"),
        ("as: ana", "budget: {tokens: 99999999999999999999}", "less than or equal to"),
        ("stop:", "budget: {calls: 99999999999999999999}\nstop:", "less than or equal to"),
        ("stop:", "budget: {tokens: 99999999999999999999}\nstop:", "less than or equal to"),
        ("stop: {", "floor: {policy: bids}\nstop: {", "floor.policy: Input should be 'open'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_line_and_key(was: str, now: str, says: str) -> None:
    """In one line, with what would be right."""
    assert parse(LEAST, "f.yaml")
    text = LEAST.replace(was, now)
    assert text != LEAST
    with pytest.raises(Misuse) as refused:
        parse(text, "f.yaml")
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("f.yaml")


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("skeptic", "sceptic", "is 'skeptic' meant?"),
        ("proposer", "propser", "f.yaml:5:5: participants[1].persona: "),
        ("as: ana", "as: skeptic", "two are called 'skeptic'"),
        ("as: ana", "as: Parley", "the server's own name"),
        ("{turns: 10}", "{turn: 10}", "the nearest is 'turns'"),
        ("stop:", "floor: {order: [bob]}\nstop:", "no participant is called 'bob'"),
        ("stop:", "script: {bob: {}}\nstop:", "no participant is called 'bob'"),
        ("stop:", "memory: {preset: analist}\nstop:", "f.yaml:7:10: memory.preset: no preset"),
        ("stop:", "opening: {by: Parley, say: hi}\nstop:", "'Parley' is the server's own name"),
        (
            "stop:", "script: {ana: {turns: [{say: no, act: ratify}]}}\nstop:",
            "script.ana.turns[0].act: 'ana' may not ratify",
        ),
        (
            "stop:", "prices: {large: {input: 1, output: 1, cached: 2}}\nstop:",
            "prices.large: Value error, cached input must not cost more",
        ),
    ],
)  # fmt: skip
def test_what_only_the_whole_shows_is_refused_too(
    tmp_path: Path, was: str, now: str, says: str
) -> None:
    """A persona that is not there, a name that two have, a line nobody may say."""
    path = tmp_path / "f.yaml"
    path.write_text(LEAST.replace(was, now))
    with pytest.raises(Misuse, match=re.escape(says)):
        cast_scenario(str(path))


def test_a_persona_beside_the_file_is_found_from_anywhere(tmp_path: Path) -> None:
    """A path in a scenario begins at the scenario."""
    (tmp_path / "eve.md").write_text("---\nname: eve\ndescription: Listens.\n---\nYou are Eve.\n")
    path = tmp_path / "f.yaml"
    path.write_text(LEAST.replace("persona: skeptic", "persona: ./eve.md"))
    assert cast_scenario(str(path)).parts[0].name == "eve"


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ("scenario", "title", "participants", "persona", "script", "x", "say")
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_whatever_a_file_holds_it_is_read_or_refused(tree: object) -> None:
    """Never with a traceback."""
    with suppress(Misuse):
        parse(yaml.safe_dump(tree, allow_unicode=True), "f.yaml")


@pytest.mark.parametrize(
    "text", ["a: &a [*a]", "a: !!python/object:os.system {}", "a: [", "a: 1\na: 2", "\x00", "- 1"]
)
def test_hostile_yaml_is_refused(text: str) -> None:
    """Tags, values within themselves, keys that stand twice."""
    with pytest.raises(Misuse):
        parse(text, "f.yaml")


def test_the_committed_schema_is_that_of_the_models() -> None:
    """'parley scenario schema > docs/scenario.schema.json' writes it anew."""
    data = (ROOT / "docs" / "scenario.schema.json").read_bytes()
    assert data == scenario_catalogue.scenario_schema()


@pytest.mark.parametrize("name", bundled())
def test_bundled_scenarios_are_valid_under_the_schema(name: str) -> None:
    """So an editor that checks by it agrees with us."""
    jsonschema.validate(
        yaml.safe_load(bundled()[name]), json.loads(scenario_catalogue.scenario_schema())
    )


def test_an_unknown_name_gets_the_nearest(parley: Parley) -> None:
    """And says how a file is told from a name."""
    with pytest.raises(Misuse, match="the nearest is 'budget'"):
        load("buget")
    ran = parley("scenario", "show", "revue")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert "'review'" in ran.err
    with pytest.raises(Misuse, match="there are architecture, budget, review; a file's name"):
        load("xyz")


def test_scenarios_are_listed_shown_and_checked(parley: Parley, tmp_path: Path) -> None:
    """What is wrong with one file does not hide what is right with another."""
    names = [row["scenario"] for row in parley("scenario", "ls", "--json").rows()]
    assert names == sorted(bundled())
    (row,) = parley("scenario", "show", "review", "--json").rows()
    assert row["people"] == ["tomas"]
    assert row["worst"]["turns"] == 40
    assert "unanimity" in parley("scenario", "show", "review").out
    assert parley("scenario", "show", "review", "--raw").out == bundled()["review"]
    bad = tmp_path / "bad.yaml"
    bad.write_text(LEAST.replace("skeptic", "nobody-at-all"))
    ran = parley("scenario", "check", "budget", bad)
    assert ran.code == 1
    first, second = ran.out.splitlines()
    assert first.startswith("budget: sound; at most")
    assert "no persona 'nobody-at-all'" in second


def test_a_file_may_set_whatever_a_sessions_memory_goes_by() -> None:
    """All but what has a place of its own in the file."""
    elsewhere = {"goal", "floor", "speak", "vote", "budget", "stop"}
    assert MemoryOverlay.model_fields.keys() == Settings.model_fields.keys() - elsewhere
