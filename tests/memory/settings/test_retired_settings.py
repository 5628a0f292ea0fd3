"""Settings of earlier builds: logs that have them fold as if nobody had set them."""

from __future__ import annotations

from typing import Any

import pytest

from parley.bus.entries import Message, SettingsChanged
from parley.memory.fold.canonical_bytes import dump, load
from parley.memory.settings.session_settings import Settings, merge_settings, parse_settings
from parley.memory.settings.setting_trees import drop_retired_keys, list_retired_keys
from tests.support.logs.logs import PACKS, folded, talk

OLD = {"structure": {"manner": "spoken", "decisions": "regions"}}
SAID = (
    ("Jon", "Um so I had a look at the, uh, the shed on Sunday."),
    ("Mia", "Mm-hmm."),
    ("Lea", "Yeah."),
    ("Mia", "Maybe we could use the green paint?"),
    ("Jon", "I propose we paint the shed green."),
    ("Mia", "+1 to P1"),
)  # fmt: skip
LINES = tuple(Message(participant=who, content=content) for who, content in SAID * 5)


@pytest.mark.parametrize("manner", ["auto", "typed", "spoken", "sung"])
def test_a_log_opened_with_them_folds_as_one_without(manner: str) -> None:
    """Facts and canonical bytes are the same, whatever the value."""
    memory, facts = folded(talk(*LINES, structure={"manner": manner}))
    plain, wanted = folded(talk(*LINES))
    assert facts == wanted
    assert dump(memory) == dump(plain)
    assert dump(load(dump(memory), PACKS, memory.seq)) == dump(memory)


def test_a_change_to_them_changes_nothing() -> None:
    """It is a change like any other, told as it stands in the log; what comes after is the same."""
    memory, facts = folded(talk(*LINES, SettingsChanged(settings=OLD), *LINES))
    plain, wanted = folded(talk(*LINES, SettingsChanged(settings={}), *LINES))
    assert dump(memory) == dump(plain)
    assert [fact.kind for fact in facts] == [fact.kind for fact in wanted]
    assert [fact.data["settings"] for fact in facts if fact.kind == "settings.changed"] == [OLD]


def test_what_stands_beside_them_holds() -> None:
    """Only the two are read past."""
    tree: dict[str, Any] = {
        "structure": {"manner": "spoken", "scribes": ("ann",)},
        "summary": {"interval": 6},
    }
    for settings in (merge_settings(Settings(), tree), parse_settings(tree)):
        assert settings.structure.scribes == ("ann",)
        assert settings.summary.interval == 6
    assert "manner" in tree["structure"]


def test_they_are_named() -> None:
    """For whoever warns of them; what is no tree has none."""
    assert list_retired_keys(OLD) == ["structure.decisions", "structure.manner"]
    assert drop_retired_keys(OLD) == {"structure": {}}
    assert list_retired_keys({"structure": "spoken"}) == list_retired_keys({}) == []
