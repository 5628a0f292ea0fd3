"""The packs that Parley ships, and what happens once a release ships another for a language."""

from __future__ import annotations

import pytest

from parley.bus.entries import Entry, Message, SessionOpened, SettingsChanged
from parley.listeners.sessions import shipped_packs
from parley.listeners.sessions.shipped_packs import known_packs, newest_packs
from parley.memory.extraction.patterns.pattern_packs import Pack, parse_pack
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from tests.support.logs.logs import numbered

FIRST = newest_packs()


@pytest.fixture
def reworded(monkeypatch: pytest.MonkeyPatch) -> Pack:
    """A second English pack with one rule, shipped beside those that there are."""
    rule = {"name": "propose.ahoy", "act": "propose", "pattern": r"\bahoy\b"}
    pack = parse_pack({"name": "en@2", "rules": [rule]})
    packs = (*shipped_packs.shipped_packs(), pack)
    monkeypatch.setattr(shipped_packs, "shipped_packs", lambda: packs)
    return pack


def test_there_is_one_pack_a_language() -> None:
    assert [ref.name for ref in newest_packs()] == [
        f"{language}@1" for language in ("de", "en", "es", "fr", "he", "ja", "pt", "zh")
    ]


def test_a_new_session_opens_with_the_newest_pack(reworded: Pack) -> None:
    """One of each language, in the place of the one before."""
    names = [ref.name for ref in newest_packs()]
    assert names == ["de@1", "en@2", "es@1", "fr@1", "he@1", "ja@1", "pt@1", "zh@1"]
    assert {pack.name for pack in known_packs().values()} == {*names, "en@1"}


def test_an_open_session_keeps_its_pack_until_it_is_given_another(reworded: Pack) -> None:
    """It is read with the wording that it was opened with."""
    said = Message(participant="ana", content="Ahoy, we paint the shed on Friday.")
    plain = Message(participant="ana", content="I propose we buy a ladder.")
    log: list[Entry] = [
        SessionOpened(packs=FIRST),
        said,
        plain,
        SettingsChanged(packs=newest_packs()),
        said,
    ]
    memory = fold_records(Memory(known_packs()), numbered(log))
    rules = [item.origin.rule for item in memory.proposals.values()]
    assert rules == ["en@1/propose.i-propose", "en@2/propose.ahoy"]
