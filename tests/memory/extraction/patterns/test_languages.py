"""Every shipped language against sentences written for it, alone and among all the others.

`languages/<name>.tsv`, read with the newest pack `<name>@N`, has one sentence a line:

    label TAB + or - TAB sentence

`label` is proposal, decision, support or oppose; `+` says that reading finds an
act of it, `-` that it finds none. `\\n` stands for a line's end; lines that begin
with `#` are comments. Both signs of each label have 40 sentences at least.
"""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from parley.listeners.sessions.shipped_packs import newest_packs, shipped_packs
from parley.memory.extraction.patterns.pattern_packs import Pack
from parley.memory.extraction.patterns.speech_acts import SpeechActReader

ACTS = {
    "proposal": {"propose", "amend"},
    "decision": {"decide", "ratify", "accept"},
    "support": {"support", "accept"},
    "oppose": {"oppose", "dispute", "reject"},
}
FOLDER = Path(__file__).parent / "languages"
LANGUAGES = sorted(file.stem for file in FOLDER.glob("*.tsv"))


class Example(NamedTuple):
    label: str
    positive: bool
    sentence: str


@functools.cache
def examples(language: str) -> tuple[Example, ...]:
    examples = []
    for line in (FOLDER / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            label, sign, sentence = line.split("\t")
            assert label in ACTS, line
            assert sign in ("+", "-"), line
            examples.append(Example(label, sign == "+", sentence.replace("\\n", "\n")))
    return tuple(examples)


@functools.cache
def packs() -> dict[str, Pack]:
    """The packs that a new session opens with, by language."""
    chosen = {ref.name for ref in newest_packs()}
    return {pack.name.partition("@")[0]: pack for pack in shipped_packs() if pack.name in chosen}


@functools.cache
def reader(language: str | None) -> SpeechActReader:
    """A reader of one pack, or with None of all that a new session opens with."""
    return SpeechActReader(list(packs().values()) if language is None else [packs()[language]])


def acts(language: str | None, sentence: str) -> set[str]:
    return {detection.act for detection in reader(language).read(sentence)}


@pytest.mark.parametrize("label", ACTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_read_as_it_is_spoken(language: str, label: str) -> None:
    """What acts is found and what only sounds like it is not, whatever else is read."""
    wrong = [
        f"{'+' if each.positive else '-'} {scope or 'all'}: {each.sentence}"
        for each in examples(language)
        for scope in (language, None)
        if each.label == label and bool(acts(scope, each.sentence) & ACTS[label]) != each.positive
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_misread_by_another(language: str) -> None:
    """Other packs neither take an act from a sentence nor add one that is not its label's."""
    wrong = []
    for each in examples(language):
        alone, among = acts(language, each.sentence), acts(None, each.sentence)
        allowed = ACTS[each.label] if each.positive else set()
        if alone - among or among - alone - allowed:
            wrong.append(f"{sorted(alone)} became {sorted(among)}: {each.sentence}")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_enough_examples(language: str) -> None:
    """40 sentences that act and 40 that only sound like it, for each label, none twice."""
    counts = Counter((each.label, each.positive) for each in examples(language))
    short = {
        key: counts[key] for key in ((label, sign) for label in ACTS for sign in (True, False))
    }
    assert min(short.values()) >= 40, short
    doubled = [each for each, times in Counter(examples(language)).items() if times > 1]
    assert not doubled


def test_every_shipped_language_has_examples() -> None:
    """A pack cannot be shipped untried."""
    assert set(packs()) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_says_its_language(language: str) -> None:
    """Guards are shared within a language, so a pack must name its own."""
    assert packs()[language].language == language
