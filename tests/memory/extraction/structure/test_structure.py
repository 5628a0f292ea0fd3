"""The window over typed talk: what later lines say of earlier ones, and the scorecards."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from importlib import resources
from itertools import combinations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.extraction.structure import restatements, window_messages
from parley.memory.extraction.structure.evidence import (
    LATER_FEATURES,
    line_features,
    observe_message,
    vote_features,
)
from parley.memory.extraction.structure.line_wording import Lexicon, speaker_prefix_length
from parley.memory.extraction.structure.scorecards import (
    Label,
    Scorecard,
    current_scorecards,
    lexicon,
)
from parley.memory.extraction.structure.window_messages import WindowMessage
from parley.memory.state.line_state import REACH, PassedLine, Structure, WindowLine

CARDS = current_scorecards()
GATE: dict[str, int] = json.loads(
    resources.files("parley.memory.extraction.structure").joinpath("typed.json").read_bytes()
)["gate"]["weights"]
READER = SpeechActReader([])
MOST = 130  # features a label

Said = tuple[str, str]

PEOPLE = st.sampled_from(("ann", "bob", "cem", "dee", "eli"))
LINES = st.sampled_from((
    "Move the archive to the second rack", "move the archive to the second rack by Friday",
    "Close ticket #12 as done", "The index should be rebuilt every night", "cem: I am not sure",
    "shall we vote on this proposal?", "any objections?", "approve the minutes of last week",
    "minutes approved", "I think that is what we need", "resolved, then", "ok", "q+", "",
    "The archive MUST stay where it is; the rack is full", "thanks", "https://example.org/12",
))  # fmt: skip
VOTES = st.sampled_from(("+1", "-1", "0", "+0.5", "-0.5 the rack is full", "+1 to what ann says"))
TALK = st.lists(st.tuples(PEOPLE, LINES | VOTES | VOTES | st.text(max_size=60)), max_size=60)


def heard(place: int, line: Said) -> WindowMessage:
    """A message as the fold lets the window hear it."""
    who, content = line
    detections = READER.read(content)
    if detections and detections[0].vote:
        return window_messages.vote_message(place, place, who, content, detections[0])
    worded = window_messages.read_wording(content, detections)
    own = CARDS.own(tuple(worded.cues))
    aside = PassedLine(place, place, who, who, content)
    message = window_messages.revive_message(aside, worded, own, CARDS)
    if window_messages.deserves_place(content, worded, own):
        return message
    return message._replace(text="", passes=False)


def run(structure: Structure, talk: Iterable[Said], first: int = 1) -> list[list[WindowLine]]:
    """`talk` taken into `structure`; what each message touched."""
    return [
        observe_message(structure, heard(place, line), CARDS)
        for place, line in enumerate(talk, first)
    ]


def score(structure: Structure, line: WindowLine, label: Label) -> int:
    """What the scorecard of `label` says of a line by now."""
    if label == "proposal":
        return line.proposal + CARDS.proposal.stands(vote_features(structure, line))
    return line.decision + CARDS.decision.stands(vote_features(structure, line))


@given(TALK)
def test_the_running_score_of_a_line_is_that_of_its_features(talk: list[Said]) -> None:
    """What is added up as it comes true is what all of it adds up to."""
    structure = Structure()
    worded: dict[int, tuple[int, int]] = {}
    for place, spoken in enumerate(talk, 1):
        window_message = heard(place, spoken)
        worded[place] = window_message.wording
        observe_message(structure, window_message, CARDS)
        for line in structure.lines:
            known = line_features(structure, line)
            proposal, decision = worded[line.place]
            assert score(structure, line, "proposal") == proposal + CARDS.proposal.stands(known)
            assert score(structure, line, "decision") == decision + CARDS.decision.stands(known)


def places_of(talk: Sequence[Said], label: Label) -> set[int]:
    """The places of `talk` that are ever told to be proposals; or decisions, once votes show."""
    structure, yes = Structure(), set[int]()
    wait = CARDS.decision.wait
    for place, spoken in enumerate(talk):
        touched = observe_message(structure, heard(place, spoken), CARDS)
        if label == "decision":
            touched = [line for line in structure.lines if line.place == place - wait]
        yes |= {line.place for line in touched if score(structure, line, label) >= 0}
    return yes


# -- laws ----------------------------------------------------------------------------


@given(TALK, st.integers(0, 60))
def test_a_window_stored_and_loaded_goes_on_as_it_was(talk: list[Said], cut: int) -> None:
    """Folding in one go or after a dump and a load tells the same of every line."""
    whole, part = Structure(), Structure()
    run(whole, talk)
    run(part, talk[:cut])
    part = msgspec.json.decode(msgspec.json.encode(part), type=Structure)
    run(part, talk[cut:], cut + 1)
    assert part == whole
    assert [line_features(part, line) for line in part.lines] == [
        line_features(whole, line) for line in whole.lines
    ]


@given(TALK)
def test_the_window_is_bounded(talk: list[Said]) -> None:
    """It keeps the lines, votes and runs within its reach and nothing older."""
    structure = Structure()
    run(structure, talk * 3)
    newest = len(talk) * 3
    assert len(structure.lines) <= REACH + 1
    assert len(structure.votes) <= REACH + 1
    assert structure.led.bit_length() <= 20
    assert all(newest - line.place <= REACH for line in structure.lines)
    assert all(newest - vote_run.last <= REACH for vote_run in structure.runs)


@given(TALK)
def test_later_evidence_never_takes_a_proposal_back(talk: list[Said]) -> None:
    """The features of a line only grow, and its score as a proposal never falls."""
    structure = Structure()
    known: dict[int, tuple[set[str], int]] = {}
    for place, spoken in enumerate(talk, 1):
        observe_message(structure, heard(place, spoken), CARDS)
        for line in structure.lines:
            names, worth = set(line_features(structure, line)), score(structure, line, "proposal")
            before, least = known.get(line.place, (set(), worth))
            assert before <= names
            assert worth >= least
            assert all(
                name.startswith(LATER_FEATURES) for name in names - before if line.place < place
            )
            known[line.place] = names, worth


@given(TALK)
def test_what_is_touched_is_in_the_window_and_in_order(talk: list[Said]) -> None:
    """Each message names lines of the window, oldest first, none twice; one that passes itself."""
    structure = Structure()
    for place, spoken in enumerate(talk, 1):
        window_message = heard(place, spoken)
        touched = [line.place for line in observe_message(structure, window_message, CARDS)]
        assert touched == sorted(set(touched))
        assert set(touched) <= {line.place for line in structure.lines}
        assert (place in touched) == window_message.passes


@given(st.text(max_size=900))
def test_any_text_has_cues(text: str) -> None:
    """No input raises; a line's length is always told."""
    assert any(cue.startswith("len") for cue in lexicon().cues(text))
    assert 0 <= speaker_prefix_length(text) <= len(text)


def test_no_two_lines_that_share_words_are_missed() -> None:
    """The sketch that spares comparisons has a bit for a word, and now and then one for two."""
    words = [f"w{number}x" for number in range(1, 400)]
    at = {word: restatements._said(word).sketch for word in words}
    first, second = next(pair for pair in combinations(words, 2) if at[pair[0]] == at[pair[1]])
    structure = Structure()
    run(structure, [("ann", f"Move {first} and {second}"), ("bob", f"Remove {first} and {second}")])
    assert structure.lines[1].behind is not None


@given(TALK)
def test_features_are_told_once(talk: list[Said]) -> None:
    """A sum of weights may not count one thing twice."""
    structure = Structure()
    run(structure, talk)
    for line in structure.lines:
        names = line_features(structure, line)
        assert len(names) == len(set(names))


# -- the shipped weights ---------------------------------------------------------------


def test_what_comes_later_adds_to_a_proposal_or_nothing() -> None:
    """No shipped weight lets a later message take a proposal back."""
    later = {
        name: weight
        for name, weight in CARDS.proposal.structure.items()
        if name.startswith(LATER_FEATURES)
    }
    assert later
    assert min(later.values()) >= 0


@pytest.mark.parametrize("card", [CARDS.proposal, CARDS.decision], ids=["proposal", "decision"])
def test_a_scorecard_is_small_and_whole(card: Scorecard) -> None:
    """Few features, whole weights, none of them nothing."""
    every = [*card.wording.values(), *card.structure.values()]
    assert 0 < len(every) <= MOST
    assert all(isinstance(weight, int) and weight for weight in every)


def test_every_weight_of_wording_belongs_to_a_cue_that_some_line_has() -> None:
    """The cue lists name it, or the form of a line of each kind does."""
    words = "accept minutes approve week"
    shapes = {
        "ok", "ok then", *(" ".join(["word"] * count) for count in (3, 6, 10, 15, 25, 40, 60)),
        "is it?", "is it? no", "wait..", "see…", "yes!", "thus:", "Word.", "12 words", "- word",
        "q+", "a; b", "a, b", "(a)", "see ticket 12", "it MUST", "`a`", "a. b", "http://a",
        f"{words} as they were read out to us today", "approve minutes",
    }  # fmt: skip
    cues = {cue for text in shapes for cue in lexicon().cues(text)}
    names = cues.union(lexicon().names)
    for weights in (GATE, CARDS.proposal.wording, CARDS.decision.wording):
        assert set(weights) <= names


def test_every_weight_of_structure_belongs_to_a_feature_that_some_talk_shows() -> None:
    """Talk at random, with fixed seeds, shows all of them."""
    shown = {name for seed in range(12) for name in _shown(random.Random(seed))}
    for card in (CARDS.proposal, CARDS.decision):
        assert set(card.structure) <= shown


WORDS = (
    "archive", "rack", "index", "move", "close", "night", "ticket", "build", "keep", "drop",
    "second", "third",
)  # fmt: skip
ASIDES = (
    "cem: any objections?", "a proposal", "resolved", "vote?", "minutes approved", "ann: minutes",
    "Approve the minutes", "ann: I will see to it", "bob: close it now please",
)  # fmt: skip
CROWD = ("ann", "bob", "cem", "dee", "eli", "fay", "gus", "hal", "ida", "jo")


def _shown(draw: random.Random) -> set[str]:
    """The features that talk at random shows: votes, asides, lines said again, new lines."""
    structure, shown, text, place = Structure(), set[str](), "Move the archive", 0
    scribes = draw.random() < 0.3
    for _ in range(400):
        text, talk = _turn(draw, text, scribes)
        for spoken in talk:
            place += draw.choice((1, 1, 1, 1, 2, 3, 5))
            for line in observe_message(structure, heard(place, spoken), CARDS):
                shown.update(line_features(structure, line))
    return shown


def _turn(draw: random.Random, text: str, scribes: bool) -> tuple[str, list[Said]]:
    kind = draw.random()
    if kind < (0.2 if scribes else 0.5):
        voters = draw.sample(CROWD, draw.choice((1, 2, 3, 6, 9)))
        votes = ("+1", "+1", "+1", "-1", "0", "+1 as was said before")
        return text, [(who, draw.choice(votes)) for who in voters]
    if kind < 0.6:
        return text, [("cem", draw.choice(ASIDES))]
    if kind < 0.8:
        more = [*text.split(), *draw.sample(WORDS, draw.choice((0, 0, 1, 2, 4)))]
        return text, [(draw.choice(CROWD[:3]), " ".join(more[-draw.choice((4, 8, 12)) :]))]
    text = f"Close {' '.join(draw.sample(WORDS, draw.choice((2, 4, 7))))} #12"
    text = draw.choice((text, text.lower() + "?", "Approve, adopt, publish: " + text))
    return text, [(draw.choice(CROWD[:3]), text)]


# -- meetings by hand ---------------------------------------------------------------------


PUT = "Move the archive to the second rack"
VOTED: list[Said] = [
    ("ann", "so where were we with the racks"), ("ann", PUT), ("bob", "+1"), ("cem", "+1"),
    ("ann", "+1"), ("dee", "0"),
]  # fmt: skip


def test_votes_mark_the_line_above() -> None:
    """Four people vote right below a bare line: it was put to them."""
    assert places_of(VOTED, "proposal") == {1}


def test_a_restatement_after_votes_marks_the_decision() -> None:
    """Who put it says it again once all have voted, and talk goes on."""
    talk = [*VOTED, ("ann", PUT), ("bob", "I can bring the trolley"), ("cem", "thanks"),
            ("dee", "what is next then?"), ("ann", "we have the lights")]  # fmt: skip
    assert places_of(talk, "decision") == {6}
    assert places_of(talk, "proposal") == {1}


def test_what_is_said_in_part_again_is_looked_at_again() -> None:
    """A line that says some of it tells something new of it, the next such line nothing."""
    structure = Structure()
    other = "The archive key should be hung on the rack near the second door at night"
    touched = run(structure, [("ann", PUT), ("bob", other), ("bob", other)])
    assert "restated some" in restatements.restatement_features(structure.lines[0].restated)
    assert [[line.place for line in each] for each in touched] == [[1], [1, 2], [2, 3]]


def test_chatter_marks_nothing() -> None:
    """Talk that nobody votes on and nobody says again is talk."""
    talk = [
        ("ann", "hello all"), ("bob", "I was at the rack this morning and it looked full"),
        ("ann", "ok"), ("cem", "did you see the lights?"), ("bob", "no, what is with them"),
        ("cem", "they were on all night I think"), ("ann", "thanks, I will have a look"),
        ("dee", "maybe somebody just forgot"), ("bob", "so it goes"), ("ann", "see you"),
    ]  # fmt: skip
    assert places_of(talk, "proposal") == set()
    assert places_of(talk, "decision") == set()


def test_agreeing_with_a_speaker_puts_nothing_to_a_vote() -> None:
    """One "+1 to" somebody who reports is assent, not a vote on a proposal."""
    talk = [("cem", "ann: I think that we were a bit slow with this"), ("bob", "+1 to ann"),
            ("cem", "ann: but it was fun"), ("dee", "it was")]  # fmt: skip
    assert places_of(talk, "proposal") == set()


def test_a_second_question_has_its_own_votes() -> None:
    """Both lines are proposals where the same people vote twice."""
    other = "Close the side door at night"
    talk = [*VOTED, ("ann", PUT), ("bob", "next is the door"), ("ann", other), ("bob", "+1"),
            ("cem", "+1"), ("ann", "+1"), ("dee", "-1 I need it open")]  # fmt: skip
    assert places_of(talk, "proposal") == {1, 8}


# -- wording ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Close ticket 12", "imperative"), ("do not close it", "imperative"),
        ("shall we close it?", "asks"), ("close it? no", "asks within"), ("well...", "trails off"),
        ("It MUST stay", "keyword"), ("see issue 12", "number"), ("see #12", "number"),
        ("one. two", "sentences"), ("q+ to ask", "command"), ("minutes approved", "minutes"),
        ("minutes of last week accepted", "approves minutes, short"), ("agreed", "assents"),
        ("last week's meeting approved", "approves minutes, short"),
    ],
)  # fmt: skip
def test_a_cue_is_told(text: str, cue: str) -> None:
    """What the wording of a line alone says."""
    assert cue in lexicon().cues(text)


def test_cues_of_several_languages_are_read_together() -> None:
    """A lexicon of two languages knows the words of both, by place and anywhere."""
    both = Lexicon(
        [{"^imperative": "close", "modal": "must"}, {"^imperative": "schließe bitte_tu"}]
    )
    assert "imperative" in both.cues("Schließe die Tür")
    assert "imperative" in both.cues("bitte tu es")
    assert {"imperative", "modal"} <= both.cues("close it, you must")
    assert {"imperative", "modal"} <= {*both.names}
