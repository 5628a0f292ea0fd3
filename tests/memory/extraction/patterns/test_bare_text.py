"""Bare text: what is read of a text with points, marks and loose accents, and where it stands."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from parley.listeners.sessions.shipped_packs import shipped_packs
from parley.memory.extraction.patterns.bare_text import strip_marks
from parley.memory.extraction.patterns.speech_acts import SpeechActReader
from parley.memory.text.sentences import sentence_span

READER = SpeechActReader(shipped_packs())
MARKS = "\u05b0\u05b8\u05c1\u05bf\u200e\u200f\u202b\u202c\u2067\u2069\u00ad\u200b\ufeff\u0301\u3099"
UNREAD = st.sampled_from(("ש\u05c1", "א\u05b0\u05bf", "e\u0301", "か\u3099", "\u200f", "a\u00adb"))
CHARACTERS = st.sampled_from(MARKS + "אבaeかハ。 \n") | st.characters()
MIXED = st.lists(UNREAD | CHARACTERS, max_size=40).map("".join)


@given(MIXED)
@example("a\u3099")  # no character is that
def test_every_character_knows_where_it_stood(text: str) -> None:
    """The places of a bare text are in order, within the original, and do not overlap."""
    made = strip_marks(text)
    assume(made is not None)
    assert made is not None
    assert len(made.text) == len(made.starts) == len(made.ends)
    places = [at for place in zip(made.starts, made.ends, strict=True) for at in place]
    assert places == sorted(places)
    assert all(0 <= at <= len(text) for at in places)
    assert len(made.text) < len(text)


@given(MIXED, st.sampled_from([None, "propose", "support"]))
def test_spans_lie_in_the_original(text: str, act: str | None) -> None:
    """Whatever stands between the words, evidence and payload are places of the message."""
    content = f"אני מציע ש{text}"
    for detection in READER.read(content, act):
        assert 0 <= detection.start <= detection.end <= len(content)
        assert 0 <= detection.text_start <= detection.text_end <= len(content)


@pytest.mark.parametrize(
    ("content", "act", "span"),
    [
        ("אֲנִי מַסְכִּים.", "support", "אֲנִי מַסְכִּים"),
        ("\u202bאני נגד\u202c", "oppose", "אני נגד"),
        ("\u200fאני תו\u200eמך\u200f ב\u2066P1\u2069", "support", "תו\u200eמך\u200f ב\u2066P1"),
        (unicodedata.normalize("NFD", "データを移すことを提案します"), "propose", None),
        ("賛成\u200bです", "support", "賛成\u200bです"),
        ("＋１", "support", "＋１"),
        ("P1に＋１です", "support", "＋１"),
    ],
)
def test_the_evidence_is_what_was_written(content: str, act: str, span: str | None) -> None:
    """The span is of the original, with its points, and without marks at its edges."""
    (detection,) = READER.read(content)
    assert detection.act == act
    if span is not None:
        assert content[detection.start : detection.end] == span


@pytest.mark.parametrize(
    ("content", "payload"),
    [
        ("会議は明日です。A案を採用することを提案します。以上です。", "A案を採用する"),
        ("B案に決まりました！次は予算です。", "B案"),
        ("我提议下周三开会。同意吗？", "下周三开会"),
        ("我的提議如下：每組派一位代表。", "每組派一位代表"),
        ("אני מציע: נחכה שבוע. מה דעתכם?", "נחכה שבוע"),
    ],
)
def test_a_payload_ends_where_its_sentence_ends(content: str, payload: str) -> None:
    """Ideographic stops end a sentence; a verb at the end has its payload before it."""
    detection = READER.read(content)[0]
    assert content[detection.text_start : detection.text_end] == payload


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("前。中の文です。後", "中の文です。"),
        ("前!中の文?後", "中の文?"),
        ("v1.2 の中の文", "v1.2 の中の文"),
        ("One. The 中の文 here! Two", "The 中の文 here!"),
    ],
)
def test_a_sentence_ends_without_a_space(text: str, sentence: str) -> None:
    """Before an ideograph a mark ends a sentence; a point inside a number does not."""
    at = text.index("中")
    start, end = sentence_span(text, at, at + 1)
    assert text[start:end] == sentence


@pytest.mark.parametrize(
    "content",
    [
        "「賛成です」と書いてある。",
        "『我反对』是一本书。",
        "《我同意》这首歌很好听。",
        'ה"אני מסכים" הזה לא משכנע.',
        "`我同意` と `賛成です`",
    ],
)
def test_a_quotation_in_any_script_claims_nothing(content: str) -> None:
    """Corner brackets, book titles and quotation marks hide what they hold."""
    assert READER.read(content) == ()


def test_a_mark_of_abbreviation_quotes_nothing() -> None:
    """Between the letters of an abbreviation a quotation mark is none."""
    (detection,) = READER.read('לפי דו"ח הביקורת אני מסכים עם מנכ"ל החברה')
    assert detection.act == "support"


@pytest.mark.parametrize(
    ("content", "refs"),
    [
        ("אני תומך בP1 ו-P2.", ("P1", "P2")),
        ("私はP1とP2に賛成です。", ("P1", "P2")),
        ("我支持P1和P2。", ("P1", "P2")),
        ("P4に反対です。", ("P4",)),
        ("我反对P4。", ("P4",)),
    ],
)
def test_a_handle_may_touch_what_stands_beside_it(content: str, refs: tuple[str, ...]) -> None:
    """Scripts that join words, or prefixes to them, name handles too."""
    (detection,) = READER.read(content)
    assert detection.refs == refs


@pytest.mark.parametrize("content", ["賛成ですが、費用が心配です。", "我同意，但是预算太高。"])
def test_a_reserve_makes_a_reaction_conditional(content: str) -> None:
    """What takes half of it back is heard in every language."""
    (detection,) = READER.read(content)
    assert (detection.act, detection.conditional) == ("support", True)


@pytest.mark.parametrize("content", ["+1日", "+1 天后", "+1個", "+1 יום"])
def test_an_amount_is_no_vote(content: str) -> None:
    """A number with a unit is none, whatever the unit's script."""
    assert READER.read(content) == ()
