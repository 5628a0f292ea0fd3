"""Presets: five memories as settings trees of one fold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import parley.memory as package
from parley.bus.entries import Message, SessionOpened
from parley.memory.context.context import Request, assemble
from parley.memory.errors import SettingsRefused
from parley.memory.fold.canonical_bytes import dump
from parley.memory.settings.presets import DEFAULT, PRESETS, load_preset
from parley.memory.settings.session_settings import Settings, merge_settings
from parley.memory.settings.setting_trees import overlay_trees
from tests.support.logs.logs import PACK_REFS, folded, numbered
from tests.support.logs.mixed import opening

SAID = [Message(participant=who, content="I propose we wait.") for who in ("ana", "user", "bo")]


@pytest.mark.parametrize("name", PRESETS)
def test_a_session_of_each_preset_opens(name: str) -> None:
    """Its tree is lawful settings, nothing is refused, and memory says which preset it was."""
    memory, facts = folded(numbered([opening(name, {}), *SAID]))
    assert "settings.refused" not in {fact.kind for fact in facts}
    assert memory.settings.preset == name
    assert memory.settings == merge_settings(Settings(), load_preset(name))


@pytest.mark.parametrize("name", PRESETS)
def test_the_openers_own_settings_lie_over_the_preset(name: str) -> None:
    """Key by key: what the opener leaves alone is the preset's."""
    own: dict[str, Any] = {"summary": {"interval": 5}, "limits": {"archive": {"items": 2}}}
    memory, _ = folded(numbered([opening(name, own)]))
    assert memory.settings.summary.interval == 5
    assert memory.settings.limits.archive.items == 2
    assert memory.settings == merge_settings(merge_settings(Settings(), load_preset(name)), own)


def test_the_default_preset_is_the_default_settings() -> None:
    """A session that names none is a deliberation."""
    assert merge_settings(Settings(), load_preset(DEFAULT)) == Settings()


def test_an_unknown_preset_names_the_nearest() -> None:
    """So that a slip of the pen is found at once."""
    with pytest.raises(SettingsRefused, match="'analyst'"):
        load_preset("analist")


def test_five_documents_are_five_configurations() -> None:
    """No two presets are the same settings, and no module of memory is named after one."""
    trees = [merge_settings(Settings(), load_preset(name)).model_dump_json() for name in PRESETS]
    assert len(set(trees)) == len(PRESETS) == 5
    modules = {path.stem for path in Path(str(package.__file__)).parent.rglob("*.py")}
    for name in PRESETS:
        assert not any(name in module for module in modules)


@pytest.mark.parametrize("name", ["assistant", "analyst"])
def test_an_assistant_and_an_analyst_see_all_messages_that_fit(name: str) -> None:
    """Whole, and once."""
    messages = [
        Message(participant="ana", content=f"Point {k} of the agenda.") for k in range(1, 31)
    ]
    records = numbered([opening(name, {}), *messages])
    memory, _ = folded(records)
    text = assemble(memory, Request("bo", recent=records)).text
    assert [k for k in range(1, 31) if f': "Point {k} of the agenda.' in text] == [*range(1, 31)]


def test_a_presets_name_alone_decides_nothing() -> None:
    """The fold reads the tree; the name that stands beside it is for people."""
    tree = load_preset("assistant")
    memories = [
        folded(numbered([SessionOpened(settings=settings, packs=PACK_REFS), *SAID]))[0]
        for settings in (tree, {**tree, "preset": "deliberation"}, {**tree, "preset": "gone"})
    ]
    for memory in memories:
        memory.govern(memory.settings.model_copy(update={"preset": ""}))
    assert len({dump(memory) for memory in memories}) == 1


def test_a_changed_preset_changes_no_open_session() -> None:
    """What is logged is the whole tree, and nothing that folds knows the presets."""
    logged = opening("experiment", {}).settings
    assert logged == overlay_trees({"preset": "experiment"}, dict(PRESETS["experiment"]))
    for module in Path(str(package.__file__)).parent.rglob("*.py"):
        assert "parley.memory.settings.presets" not in module.read_text(encoding="utf-8"), (
            module.name
        )
