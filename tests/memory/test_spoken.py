"""Spoken talk: told from the lines themselves, read turn by turn."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bus.entries import Message, Record, SettingsChanged
from memory.canonical import dump, load
from memory.fold import apply
from memory.items import Fact
from memory.state import Memory
from memory.structure import regions, register, surroundings, utterance
from memory.structure.speech_card import NEVER, SpeechCard, chance, speech_card, spoken_by
from memory.structure.state import REACH, Spoken
from tests.corpora import drafts_of, meetings, needs_corpora
from tests.logs import PACKS, folded, numbered, opened, talk
from tests.spoken import DECIDED, WARMING_UP, WINDING_DOWN

SUGGESTION = ("Lea", "Maybe we could put a sheet over it first.")
MEETING = (*WARMING_UP, SUGGESTION, *WINDING_DOWN)
SUGGESTED = len(WARMING_UP) + 1  # its n
TYPED = (
    ("mia", "https://example.org/agenda is up"),
    ("jon", "mia: thanks, um, got it"),
    ("lea", "+1"),
    ("mia", "jon: can you take #12?"),
    ("jon", "sure, `make test` is green"),
)
LINES = st.lists(
    st.tuples(
        st.sampled_from(["Mia", "Jon", "Lea"]),
        st.one_of(st.sampled_from([line for _, line in (*MEETING, *TYPED)]), st.text(min_size=1)),
    ),
    max_size=60,
)


def made(facts: list[Fact], kind: str = "proposal.made") -> list[tuple[int, int]]:
    """Where each was said, and which entry revealed it."""
    return [
        (int(str(fact.data.get("born", fact.n))), fact.n) for fact in facts if fact.kind == kind
    ]


def test_a_suggestion_in_a_meeting_becomes_a_proposal() -> None:
    """Born at its line, told by the turn that let it be judged; citing both."""
    memory, facts = folded(talk(*MEETING))
    assert memory.structure.spoken.settled == "spoken"
    assert made(facts) == [(SUGGESTED, SUGGESTED + surroundings.REACH)]
    (proposal,) = memory.proposals.values()
    assert (proposal.participant, proposal.text) == SUGGESTION
    assert [cite.n for cite in proposal.origin.cites] == [SUGGESTED, SUGGESTED + 6]
    assert proposal.origin.how == "structure"
    assert "has: cue" in (proposal.origin.rule or "")
    assert 240 <= proposal.origin.confidence < 1000


def test_lines_before_talk_was_known_to_be_spoken_are_judged_too() -> None:
    """Those still in reach when that shows."""
    lines = (*MEETING[:3], SUGGESTION, *islice(cycle(WARMING_UP), 24))
    _, facts = folded(talk(*lines))
    ((born, told),) = made(facts)
    assert born == 4
    assert told > 4 + surroundings.REACH


def test_lines_out_of_reach_by_then_are_not() -> None:
    """The window is bounded: what is said is not held for ever on the chance."""
    dull = [("Jon", "The roof of it is letting water in again.")] * (REACH + 5)
    memory, facts = folded(talk(SUGGESTION, *dull, *WARMING_UP, *WARMING_UP))
    assert memory.structure.spoken.settled == "spoken"
    assert made(facts) == []


def test_typed_talk_is_never_taken_for_spoken() -> None:
    """Not by fillers, nor by turns that only assent, where lines have the marks of typing."""
    memory, facts = folded(talk(*TYPED * 20, *MEETING * 10))
    assert memory.structure.spoken == Spoken(settled="typed")
    assert made(facts) == []


def test_what_leans_neither_way_is_typed_in_the_end() -> None:
    """And costs nothing from then on."""
    memory, _ = folded(talk(*[("Jon", "The roof of it is letting water in.")] * 150))
    assert memory.structure.spoken == Spoken(settled="typed")


@given(st.lists(st.sampled_from([line for _, line in (*MEETING, *TYPED)]), max_size=120))
def test_the_manner_is_settled_once(lines: list[str]) -> None:
    """Whatever is said later, it does not go back and forth."""
    held, settled = Spoken(), set[str]()
    for line in lines:
        if not held.settled:
            register.lean(held, line)
        settled.add(held.settled)
        assert len(held.leaning) <= 50
    assert len(settled - {""}) <= 1


@pytest.mark.parametrize(
    ("leans", "lines"),
    [
        (2, ("um, the roof", "it's, Uhhh, wet", "er", "so mm-hmm, that", "the_ hmm.")),
        (1, ("Yeah.", "  - OK!", "alright", "yes\n")),
        (3, ("Mmm.", "hmm", "uh-huh", "Mm-hmm.")),
        (0, ("", "the drum is here", "yeah sure", "ümum", "aér", "um_", "10 of them", "/ME too")),
        (-3, ("see x://y", "mia: um", "\u2003Mia: no", "mia+", "+1", "0 from me", "-1, um",
              "\x85 1", "/me nods", "...", "… and", "a=b", "um #4", "smile :-)", "and/or", "é/ü",
              "3.5", "٣.٤")),
    ],
)  # fmt: skip
def test_what_a_line_says_for_speech(leans: int, lines: tuple[str, ...]) -> None:
    """Fillers and lone assent for it, marks against it: words of any script have their ends."""
    assert [(line, register.leaning(line)) for line in lines] == [(line, leans) for line in lines]


def test_a_line_of_more_than_400_characters_leans_neither_way() -> None:
    """Whatever is in it."""
    assert register.leaning("word " * 79 + "um, x") == 2
    assert register.leaning("word " * 80 + "um, x") == 0


def test_the_manner_can_be_set() -> None:
    """Both ways, and at any time."""
    memory, facts = folded(talk(*MEETING, structure={"manner": "typed"}))
    assert made(facts) == []
    assert memory.structure.spoken == Spoken()
    _, facts = folded(talk(SUGGESTION, *WINDING_DOWN, structure={"manner": "spoken"}))
    assert made(facts) == [(1, 7)]
    changed = SettingsChanged(settings={"structure": {"manner": "spoken"}})
    _, facts = folded(talk(SUGGESTION, *WINDING_DOWN[:4], changed, *WINDING_DOWN[4:]))
    assert made(facts) == [(1, 7)]


def test_a_marked_proposal_is_not_made_twice() -> None:
    """What a tag says is said; the scorecard adds what nothing else found."""
    marked = ("Lea", "[PROPOSAL] Maybe we could put a sheet over it first.")
    _, facts = folded(talk(*WARMING_UP, marked, *WINDING_DOWN))
    assert made(facts) == [(SUGGESTED, SUGGESTED)]


def test_likely_decisions_are_told_and_never_entered() -> None:
    """Nine in ten are none: no ledger, no minutes, no supporters."""
    memory, facts = folded(talk(*WARMING_UP, *DECIDED * 4, *WINDING_DOWN))
    hints = [fact for fact in facts if fact.kind == "decision.hinted"]
    assert hints
    assert not memory.decisions
    assert all(fact.ref is None and fact.data["how"] == "structure" for fact in hints)
    assert {fact.data["participant"] for fact in hints} == {"Mia"}
    regions = [fact.data for fact in facts if fact.kind == "decision.region"]
    assert regions
    assert regions[0]["last"] is None
    assert regions[0]["confidence"] == speech_card().inside


DULL = [("Jon", "The roof of it is letting water in again.")]
ASKED = [("Mia", "Is the roof of it letting water in?")]
ASKING = SpeechCard({"is: ask": (0, 0, 100)}, (NEVER, NEVER, 0), (0, 0), 1000, 500, 550)


def heard(card: SpeechCard, *lines: tuple[str, str]) -> list[Fact]:
    """What `card` makes of a session that is spoken from its first line on, its n 1."""
    with spoken_by(card):
        return folded(talk(*lines, structure={"manner": "spoken"}))[1]


def spans(facts: list[Fact]) -> list[tuple[object, object]]:
    """The first and last line of each region, as often as it was told."""
    told = [fact.data for fact in facts if fact.kind == "decision.region"]
    return [(each["first"], each["last"]) for each in told]


def test_a_region_opens_for_more_than_it_goes_on_for() -> None:
    """Ten telling lines of 26 open one, fifteen before and ten after; fewer than five close it."""
    lines = (*DULL * 30, *ASKED * 20, *DULL * 50)
    assert spans(heard(ASKING, *lines)) == [(30, None), (30, 61)]
    assert spans(heard(ASKING._replace(opens=500), *lines)) == [(25, None), (25, 61)]
    assert spans(heard(ASKING._replace(stays=1000), *lines)) == [(30, None), (30, 56)]


def test_no_region_is_told_before_a_whole_stretch_is_known() -> None:
    """A session that has just begun has said nothing for it or against."""
    eager = ASKING._replace(opens=-1000, stays=-1000)
    late = regions.STRETCH + surroundings.REACH
    assert spans(heard(eager, *DULL * (late - 1))) == []
    assert spans(heard(eager, *DULL * late)) == [(regions.HERE + 1, None)]


def test_lines_that_may_decide_themselves_pull_a_region_to_them() -> None:
    """With nothing else to tell by it reaches from three lines before them to three after."""
    deciding = SpeechCard({"is: ask": (0, 600, 0)}, (NEVER, NEVER, 0), (0, 0), 2000, 2000, 550)
    assert spans(heard(deciding, *DULL * 30, *ASKED, *DULL * 50)) == [(28, None), (28, 34)]


def test_a_line_is_likelier_to_decide_where_those_before_sound_so() -> None:
    """The third of them tells, though none would by itself; and so for some lines after."""
    card = SpeechCard({"is: ask": (0, 0, 320)}, (NEVER, -100, 0), (0, 0), 9999, 9999, 550)
    facts = heard(card, *DULL * 10, *ASKED * 10, *DULL * 30)
    hinted = [born for born, _ in made(facts, "decision.hinted")]
    assert hinted == list(range(13, 34))
    assert made(facts, "proposal.made") == []


@pytest.mark.parametrize(
    ("decisions", "kinds"), [("regions", {"decision.region"}), ("off", set[str]())]
)
def test_what_is_told_of_decisions_is_a_setting(decisions: str, kinds: set[str]) -> None:
    """Regions alone, or nothing; proposals are the same."""
    lines = (*WARMING_UP, *DECIDED * 4, SUGGESTION, *WINDING_DOWN)
    whole = folded(talk(*lines))[1]
    facts = folded(talk(*lines, structure={"decisions": decisions}))[1]
    assert {fact.kind for fact in facts if fact.kind.startswith("decision.")} == kinds
    assert made(facts) == made(whole)


# -- laws --------------------------------------------------------------------------


@given(LINES, st.integers(0, 60), st.sampled_from(["auto", "spoken"]))
def test_law_2_holds_of_spoken_talk(lines: list[tuple[str, str]], cut: int, manner: str) -> None:
    """A restored window goes on as the live one, facts included."""
    said = [(who, line) for who, line in lines if line.strip()]
    records = numbered(
        [
            opened(structure={"manner": manner}),
            *(Message(participant=w, content=c) for w, c in said),
        ]
    )
    live, _ = folded(records[:cut])
    restored = load(dump(live), PACKS, live.seq)
    for record in records[cut:]:
        assert apply(restored, record) == apply(live, record)
    assert dump(restored) == dump(live)


@given(st.text())
def test_any_line_can_be_read(line: str) -> None:
    """Nothing that somebody says raises, and a lone line has features of known names."""
    said = utterance.read(line)
    assert said.kind in {"noise", "back", "praise", "yes", "no", "ask", "short", "say"}
    assert f"is: {said.kind}" in said.names
    register.lean(Spoken(), line)


@given(LINES)
def test_the_window_is_bounded(lines: list[tuple[str, str]]) -> None:
    """However long the talk: turns, words, chances; text only of lines to be judged."""
    memory = Memory(PACKS)
    for record in spoken_records(lines * 3):
        apply(memory, record)
        held = memory.structure.spoken
        assert len(held.turns) <= 2 * surroundings.REACH + 1
        assert len(held.judged) <= regions.STRETCH
        assert sum(bool(turn.text) for turn in held.turns) <= surroundings.REACH
        assert held.waiting == []


@given(LINES, st.integers(0, 40))
def test_a_proposal_is_told_by_the_turns_in_reach(lines: list[tuple[str, str]], cut: int) -> None:
    """What is said later changes nothing: a line is judged once."""
    records = spoken_records(lines)
    assert folded(records[:cut])[1] == [f for f in folded(records)[1] if f.n <= cut - 1]


def spoken_records(lines: list[tuple[str, str]]) -> list[Record]:
    """A session that is spoken from its first line on."""
    said = [Message(participant=who, content=line) for who, line in lines if line.strip()]
    return numbered([opened(structure={"manner": "spoken"}), *said])


# -- recorded talk -----------------------------------------------------------------


@needs_corpora
@pytest.mark.parametrize(("kind", "manner"), [("ami", "spoken"), ("irc", "typed"), ("wg", "typed")])
def test_recorded_talk_is_taken_for_what_it_is(kind: str, manner: str) -> None:
    """Every meeting that was spoken, within its first 50 lines, and none that was typed."""
    for file in meetings(kind):
        held = Spoken()
        for draft in drafts_of(file)[: 50 if manner == "spoken" else 150]:
            if isinstance(draft.entry, Message) and not held.settled:
                register.lean(held, draft.entry.content)
        assert held.settled == manner or (manner == "typed" and not held.settled), file.name


# -- the shipped data --------------------------------------------------------------


def test_every_weight_is_a_whole_number_of_a_feature_that_exists() -> None:
    """A name that nothing can say would be dead weight; one too heavy would decide alone."""
    card = speech_card()
    known = utterance.words()
    classes = set(known.pronouns.values())
    heads = {"is", "ends", "long", "content", "has", "own before", "own after", "after",
             "lately", "fresh", "chair"}  # fmt: skip
    for name, weights in card.weights.items():
        assert all(isinstance(weight, int) and abs(weight) <= 300 for weight in weights)
        head, colon, _ = name.partition(": ")
        if colon:
            assert head in heads
        elif name != "chair":
            words = set(name.split()) - classes - {"^", "$", "*", "#"}
            assert words <= set(known.plain), name
    for label in (0, 1, 2):
        assert 0 < sum(weights[label] != 0 for weights in card.weights.values()) <= 400


def test_chances_rise_with_the_score() -> None:
    """Per mille, from hardly any to nearly all, even odds at 0."""
    told = [chance(score) for score in range(NEVER - 50, 651)]
    assert told == sorted(told)
    assert (chance(0), told[0], told[-1]) == (500, 2, 998)
