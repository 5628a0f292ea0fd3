"""Hebrew, Japanese and Chinese: what is an act in them, and what only looks like one.

`languages/<lang>.tsv` has one sentence a line: label, "+" or "-", sentence, between tabs.
A sentence is positive for a label where an act of that label is read in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from listeners.packs import shipped
from memory.acts import Reader

FOLDER: Final = Path(__file__).parent / "languages"
LANGUAGES: Final = ("he", "ja", "zh")
LABELS: Final = {
    "proposal": {"propose", "amend"},
    "decision": {"decide", "ratify", "accept"},
    "support": {"support", "accept"},
    "oppose": {"oppose", "dispute", "reject"},
}
TOGETHER: Final = Reader(shipped())


def sentences(language: str, label: str, sign: str) -> list[str]:
    rows = (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    each = (row.split("\t") for row in rows)
    return [text for named, marked, text in each if (named, marked) == (label, sign)]


def misread(reader: Reader, language: str, label: str) -> list[str]:
    """The sentences that `reader` takes for what they are not, or not for what they are."""
    wrong = []
    for sign in "+-":
        for text in sentences(language, label, sign):
            acts = {found.act for found in reader.read(text)}
            if bool(acts & LABELS[label]) != (sign == "+"):
                wrong.append(f"{sign} {text} {sorted(acts)}")
    return wrong


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_read_as_it_is_meant(language: str, label: str) -> None:
    """With its own pack and with every shipped one, each sentence is read as it is marked."""
    own = Reader([pack for pack in shipped() if pack.name.startswith(f"{language}@")])
    assert misread(own, language, label) == []
    assert misread(TOGETHER, language, label) == []


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_forty_examples_each_way(language: str, label: str) -> None:
    """A language is claimed only with what shows it."""
    for sign in "+-":
        found = sentences(language, label, sign)
        assert len(set(found)) >= 40
