"""The minutes to hand on: the same in every form, each line linked, what was said stays text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from parley.bus.entries import Message, Record
from parley.memory.fold.replay import fold_records
from parley.memory.state.memory import Memory
from parley.memory.text.fences import escape_invisible
from parley.server.minutes.attendance import talk_span
from parley.server.minutes.minutes_report import build_report
from parley.server.plays.demo import bundled
from parley.server.records.minutes_sources import is_file
from parley.server.records.transcript_analysis import Analysis, analyze
from parley.server.render.minutes.minutes_appendix import appendix, evidence_share
from parley.server.render.minutes.minutes_forms import Form, render
from parley.server.render.minutes.minutes_heading import short
from parley.server.render.minutes.minutes_markdown import escaped, quoted
from parley.server.render.minutes.minutes_sections import OPEN, sections
from parley.server.settings import resolve_defaults
from parley.server.transcripts import parse_transcript, read_transcript
from tests.support.doors.calls import Parley
from tests.support.doors.hostile import HOSTILE, MARKER, mebibyte
from tests.support.logs.corpora import ROOT, needs_corpora
from tests.support.logs.logs import PACKS, talk

Row = dict[str, Any]
HALF: Final = 500_000  # characters: two of them, and more, fit in an entry
VOID: Final = frozenset({"meta"})
OURS: Final = frozenset({
    "html", "head", "meta", "title", "style", "body", "main", "section", "article",
    "h1", "h2", "h3", "p", "ul", "li", "span", "a", "bdi", "blockquote",
    "table", "tr", "th", "td",
})  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Row:
    """The report on the bundled deliberation."""
    done = analyze(bundled(), resolve_defaults({}, {}))
    return build_report(done.memory, done.messages.values(), "ferry")


def hostile(words: str) -> Analysis:
    """A deliberation in which every field that a stranger may fill says `words`."""
    name = " ".join(words.split())[:100].strip() or "x"
    rows = [
        {"title": words[:500]},
        {"index": 0, "agent_id": name, "content": words, "act": "propose", "topic": words[:200]},
        {
            "index": 1,
            "agent_id": "Bo",
            "content": f"{words[:HALF]}\n[OPPOSE P1] {words[:HALF]}",
            "re": 0,
        },
        {"index": 2, "agent_id": name, "content": words, "act": "ask"},
        {"index": 3, "agent_id": name, "content": f"ACTION: {words[:HALF]}"},
        {"index": 4, "agent_id": "Cy", "content": words, "act": "decide", "topic": words[:200]},
    ]
    return analyze(
        parse_transcript("\n".join(map(json.dumps, rows)).encode()), resolve_defaults({}, {})
    )


def hostile_report(words: str) -> Row:
    done = hostile(words)
    return build_report(done.memory, done.messages.values(), "demo")


class Page(HTMLParser):
    """What a browser would make of a page: its elements, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    def values(self, name: str) -> list[str]:
        return [value or "" for _, attribute, value in self.attributes if attribute == name]


def inline(text: str) -> list[Token]:
    """The tokens of a Markdown page, nested ones in their place, with all extras on."""
    tokens: list[Token] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        tokens += [token, *(token.children or ())]
    return tokens


def shown_by(tokens: list[Token]) -> str:
    """The text that a reader sees."""
    plain = [
        token.content if token.type != "softbreak" else "\n"
        for token in tokens
        if not token.children
    ]
    return "".join(plain)


def test_the_report_has_all_that_a_reader_asks_for(whole: Row) -> None:
    """Decisions with dissent, open proposals, who moved, what to do, what is open."""
    assert (whole["session"], whole["n"], whole["messages"]) == ("ferry", 96, 96)
    assert any(row["dissenters"] for row in whole["decisions"])
    for name in ("open", "moved", "actions", "questions", "summaries", "evidence"):
        assert whole[name], name
    (move,) = whole["moved"]
    assert (move["participant"], move["from"], move["to"]) == ("Yusra", "support", "oppose")
    assert move["from_n"] < move["after_n"] < move["n"]


def test_every_link_leads_to_a_message_of_the_appendix() -> None:
    """In both forms, and every message there is led to."""
    whole = quoting()
    page = Page(render(whole, "html").decode())
    links = {value.removeprefix("#") for value in page.values("href")}
    assert links == {f"m{len(PROMISES) + 1}"}
    assert links == {name for name in page.values("id") if name.startswith("m")}
    tokens = inline(render(whole, "md").decode())
    led = {str(token.attrGet("href")) for token in tokens if token.type == "link_open"}
    anchors = {token.content for token in tokens if token.type == "html_inline"} - {"</a>"}
    assert anchors == {f'<a id="{anchor.removeprefix("#")}">' for anchor in led}
    assert links == {anchor[1:] for anchor in led} <= {f"m{row['n']}" for row in whole["evidence"]}


PROMISES: Final = tuple(
    f"I'll measure the depth of basin {k} with the long pole and write it down in the harbour book."
    for k in range(1, 7)
)


def quoting() -> Row:
    """The report on a talk with an action that only its message explains."""
    said = "I cannot speak for the yard, which has its own mind, but I'll ask the harbour master."
    return report_of_rows(
        *({"agent_id": "Ana", "content": words} for words in PROMISES),
        {"agent_id": "Bo", "content": said},
    )


def test_what_is_quoted_at_the_end_says_more_than_its_line() -> None:
    """Most promises are told in their words; of some the rest of the sentence may say why."""
    whole = quoting()
    text = render(whole, "text").decode()
    assert re.search(r"Bo Ask the harbour master .*\[7\]\n", text)
    quotes = text.partition("\nEvidence\n")[2]
    assert "which has its own mind" in quotes
    assert "long pole" not in quotes


def test_all_forms_have_the_same_sections(whole: Row) -> None:
    """Text, Markdown and HTML tell one document."""
    forms = {form: render(whole, form).decode() for form in ("text", "md", "html")}
    for heading in (
        "Decisions", "Disputed", "Actions", "Open questions", "Proposed, not decided", "Who moved",
        "Other settled proposals",
    ):  # fmt: skip
        assert f"\n{heading}\n" in forms["text"]
        assert f"\n## {heading}\n" in forms["md"]
        assert f">{heading}</h2>" in forms["html"]


def test_json_is_the_report_itself(whole: Row) -> None:
    """Nothing that the other forms show is missing from it."""
    assert json.loads(render(whole, "json")) == json.loads(json.dumps(whole))


def lines_in(lines: list[Row]) -> list[Row]:
    """Those, and whatever stands below them."""
    return [row for line in lines for row in (line, *lines_in(line["under"]))]


def test_the_report_has_the_page_that_the_forms_show(whole: Row) -> None:
    """Title, head, headings and lines, in order, as the text form has them."""
    page = json.loads(render(whole, "json"))["page"]
    quoted = {row["n"] for row in appendix(whole, sections(whole))}
    texts = [page["title"], *page["head"], *page["lead"].split("\n")]
    for section in page["sections"]:
        texts += filter(None, [section["heading"], section["about"]])
        for line in lines_in(section["lines"]):
            note = f"({line['note']})" if line["note"] else ""
            decided = line["kind"] == "firm" and line["of"] == "item"
            cites = " ".join(f"[{n}]" for n, _, _ in line["cites"] if n in quoted or decided)
            words = (line["mark"], "" if line["kind"] == "long" else line["text"], note, cites)
            texts.append(" ".join(filter(None, words)))
            long = line["text"].split("\n") if line["kind"] == "long" else []
            texts += [part.strip() for part in long]
    text = render(whole, "text").decode().partition("\nEvidence\n")[0]
    assert [line.strip() for line in text.split("\n") if line] == texts


@pytest.mark.parametrize("words", ["plain", *HOSTILE.values()], ids=["plain", *HOSTILE])
def test_a_line_of_the_page_tells_participants_from_words(words: str) -> None:
    """Marks and spans name who takes part, whatever they are called; cites lie in their entry."""
    report = hostile_report(words)
    known = {row["participant"] for row in report["positions"]}
    lines = [line for part in report["page"]["sections"] for line in lines_in(part["lines"])]
    named = {line["text"][start:end] for line in lines for start, end in line["names"]}
    assert named | {line["mark"] for line in lines if line["of"] == "participant"} <= known
    assert named
    handles = {row["handle"] for kind in ("decisions", "open", "settled") for row in report[kind]}
    assert {line["mark"] for line in lines if line["of"] == "item"} <= handles
    for n, start, end in (cite for line in lines for cite in line["cites"]):
        assert 0 < n <= report["n"]
        assert 0 <= start <= end


def test_the_page_allows_its_own_style_and_nothing_else(whole: Row) -> None:
    """By a hash of what stands in it; no script, nothing from elsewhere."""
    text = render(whole, "html").decode()
    style = text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = [value for value in Page(text).values("content") if "default-src" in value]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert not {"src", "style", "onload", "action"} & {name for _, name, _ in Page(text).attributes}
    assert "prefers-color-scheme:dark" in style
    assert "@media print" in style


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_a_stranger_says_is_text_in_html(words: str) -> None:
    """No element, attribute or address but ours; its words are all there."""
    page = Page(render(hostile_report(words), "html").decode())
    assert set(page.tags) <= OURS
    assert {name for _, name, _ in page.attributes} <= {
        "lang", "charset", "http-equiv", "content", "name", "aria-labelledby", "id", "class", "href"
    }  # fmt: skip
    assert all(value.startswith("#m") for value in page.values("href"))
    assert page.open == []
    text = "".join(page.text)
    assert escape_invisible(text, keep_newlines=True) == text
    assert MARKER in text
    quoted = "\n".join(
        escape_invisible(row) for row in words.strip().replace("\r\n", "\n").split("\n")
    )
    assert len(words) > 1200 or " ".join(quoted.split())[:60] in " ".join(text.split())


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_a_stranger_says_is_text_in_markdown(words: str) -> None:
    """No structure but ours comes of it; a reader sees the characters themselves."""
    whole = hostile_report(words)
    tokens = inline(render(whole, "md").decode())
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert kinds <= {
        "heading", "inline", "text", "text_special", "paragraph", "bullet_list", "list_item",
        "strong", "em", "link", "html_inline", "blockquote", "softbreak", "hardbreak",
        "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    headings = [token for token in tokens if token.type == "heading_open"]
    assert next(token.tag for token in headings) == "h1"
    assert {token.tag for token in headings[1:]} == {"h2"}
    links = [str(token.attrGet("href")) for token in tokens if token.type == "link_open"]
    assert all(link.startswith("#m") and link[2:].isdecimal() for link in links)
    raw = {token.content for token in tokens if token.type == "html_inline"}
    assert raw <= {"</a>"} | {f'<a id="m{row["n"]}">' for row in whole["evidence"]}
    text = shown_by(tokens)
    assert escape_invisible(text, keep_newlines=True) == text
    first = " ".join(escape_invisible(" ".join(words.split("\n")).strip())[:60].split())
    assert first in " ".join(text.split())


@given(st.text("\\`*_{}[]()#+-.!|<>~&:@=^$\"'/%, 12aZ\n", min_size=1, max_size=40))
@example("1. a\n2) b\n- c\n+ d\n* e\n: f")
@example("a\n---\nb\n===\n# c\n> d\n|-|-|\n```\n    e")
@example("![a](b) [c](d) [e]: f <g> &amp; **h** _i_ ~~j~~ `k`")
def test_marks_are_text_wherever_they_stand(words: str) -> None:
    """In a line, in a heading, in brackets and line for line in a quotation."""
    plain = " ".join(words.split())
    assume(plain)
    mark = escaped(words)
    lines = (f"# {mark}", "", mark, "", f"- {mark}", f"- **P1** ({mark}) *“{mark}”*", "")
    tokens = inline("\n".join((*lines, quoted(words))))
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert kinds <= {
        "heading", "inline", "text", "text_special", "paragraph", "bullet_list", "list_item",
        "strong", "em", "blockquote", "softbreak", "hardbreak",
    }  # fmt: skip
    shown = " ".join(shown_by(tokens).split())
    assert len(re.findall(re.escape(plain), shown)) >= 5


@pytest.mark.parametrize(
    "words",
    [
        "2026-11-20 10:00 to 10:05 UTC (5 min); 5 messages by 3 participants, up to entry 5",
        "“Bram's, and/or 2.5 of it”: a well-known one - isn't it? Yes, it is!",
    ],
)
def test_what_no_reader_takes_for_a_mark_stands_as_it_is(words: str) -> None:
    """People read the file itself, too."""
    assert escaped(words) == words


@pytest.mark.parametrize(
    "words", ["http://example.org", "www.example.org", "a.b@example.org", ":smile:", "@ana", "#12"]
)
def test_what_some_reader_makes_a_link_of_is_no_link(words: str) -> None:
    """Bare addresses, mentions and references have a backslash in them."""
    assert re.search(r"\\[:.@#]", escaped(words))


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_what_a_stranger_says_is_text_in_a_terminal(words: str) -> None:
    """No control character reaches it, and no line of theirs stands where ours do."""
    text = render(hostile_report(words), "text").decode()
    assert escape_invisible(text, keep_newlines=True) == text
    head, present = text.split("\n")[1:3]
    assert ("5 messages" in head, present[:9]) == (True, "Present (")
    ours = [line for line in text.split("\n")[3:] if line and not line.startswith(" ")]
    assert {*ours} - {line for line in ours if line.startswith("Spoken of most: ")} <= {
        "Decisions", "Put down as decided", "Disputed", "Actions", "Open questions", "Votes",
        "Proposed, not decided", "Shows of hands", "Drawn up", "Left for later", "What was said",
        "Who moved", "Unconfirmed", "Other settled proposals", "Evidence",
    }  # fmt: skip


def test_a_mebibyte_is_clipped_in_every_form() -> None:
    """The page stays one that a person would read."""
    whole = hostile_report(mebibyte())
    for form in ("text", "md", "html", "json"):
        assert len(render(whole, form)) < 300_000
    assert any(row["clipped"] for row in whole["evidence"])


def test_what_is_called_a_file_is_told_by_its_name() -> None:
    """As in other commands: a slash, an ending of talk, or stdin."""
    assert all(map(is_file, ("-", "./demo", "talk.jsonl", "a.json", "x.vtt", "mail.MBOX")))
    assert not any(map(is_file, ("demo", "demo.2", "v1.0")))


def test_minutes_of_a_file_need_no_server(parley: Parley, tmp_path: Path) -> None:
    """From a transcript, now or as of any message, to stdout or a file."""
    talk = tmp_path / "talk.jsonl"
    rows = [{"index": k, "agent_id": "Ana", "content": f"I'll write {k}."} for k in range(3)]
    talk.write_text("\n".join(map(json.dumps, rows)))
    ran = parley("minutes", talk, "--format", "json")
    assert ran.code == 0
    assert len(json.loads(ran.out)["actions"]) == 3
    then = parley("minutes", talk, "--format", "json", "--at", "2")
    assert json.loads(then.out)["n"] == 2
    out = tmp_path / "minutes.html"
    written = parley("minutes", talk, "--format", "html", "-o", out)
    assert (written.code, written.out) == (0, "")
    assert out.read_text().startswith("<!doctype html>")
    assert "Ana Write 0\n" in parley("minutes", talk).out


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.md", "# "), ("a.HTML", "<!doctype"), ("a.json", "{"), ("a.txt", "Minutes"), ("a", "Min")],
)
def test_the_name_of_what_is_written_says_its_form(parley: Parley, name: str, begins: str) -> None:
    """Where nobody says otherwise."""
    Path("talk.jsonl").write_text('{"index": 0, "agent_id": "Ana", "content": "Hello."}')
    assert parley("minutes", "talk.jsonl", "-o", name).code == 0
    assert Path(name).read_text().startswith(begins)
    assert parley("minutes", "talk.jsonl", "-o", name, "--format", "text").code == 0
    assert Path(name).read_text().startswith("Minutes")


def test_a_record_of_talk_is_read_as_one_is_told(parley: Parley) -> None:
    """Also where its name is none of a file."""
    Path("talk").write_text("<ana> Hello.\n<bo> Hello, Ana.\n")
    ran = parley("minutes", "talk", "--input-format", "irc")
    assert (ran.code, "Present (2): ana, bo" in ran.out) == (0, True), ran.err


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("nowhere.jsonl",), 1, "cannot read 'nowhere.jsonl'"),
        (("talk.jsonl", "--at", "9"), 2, "--at 9: 'talk.jsonl' has 1 primary entr"),
        (("talk.jsonl", "-o", "no/such/place.md"), 1, "cannot write"),
        (("talk.jsonl", "--format", "pdf"), 2, "'pdf'"),
        (("cut.json",), 1, "cut.json: cut short"),
    ],
)
def test_a_fault_is_one_line(parley: Parley, args: tuple[str, ...], code: int, says: str) -> None:
    """Which says what is wrong, and nothing is written."""
    Path("talk.jsonl").write_text('{"index": 0, "agent_id": "Ana", "content": "Hello."}')
    Path("cut.json").write_text('{"parley":"session","version":1,"session":"x","entries":[')
    ran = parley("minutes", *args)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_minutes_of_a_session_and_of_its_file_are_the_same(at: Parley, tmp_path: Path) -> None:
    """Live and exported, whole and at a past moment."""
    assert at("session", "new", "demo", "--title", "Harbour").code == 0
    for words in ("I propose that we dredge the harbour.", "I'll measure the depth."):
        assert at("say", "demo", words, "--as", "Ana").code == 0
    exported = tmp_path / "demo.json"
    assert at("session", "export", "demo", "-o", exported).code == 0
    for moment in ((), ("--at", "1")):
        live = at("minutes", "demo", "--format", "json", *moment)
        filed = at("minutes", exported, "--format", "json", *moment)
        assert live.code == filed.code == 0
        assert json.loads(live.out) == json.loads(filed.out)
        assert at("minutes", "demo", "--format", "html", *moment).out == (
            at("minutes", exported, "--format", "html", *moment).out
        )
        assert len(json.loads(live.out)["actions"]) == (0 if moment else 1)
    late = at("minutes", "demo", "--at", "9")
    assert (late.code, "has 2 primary entries" in late.err) == (2, True)
    Path("talk").mkdir()
    missed = at("minutes", "talk")
    assert (missed.code, "'./talk' is the file of that name" in missed.err) == (1, True)


def lines_of(whole: Row, heading: str) -> list[str]:
    """The lines of one section, as text shows them."""
    text = render(whole, "text").decode()
    section = text.partition(f"\n{heading}\n")[2].partition("\n\n")[0]
    return section.splitlines()


def report_of_rows(*rows: Row, session: str = "") -> Row:
    data = "\n".join(json.dumps({"index": k, **row}) for k, row in enumerate(rows)).encode()
    done = analyze(parse_transcript(data), resolve_defaults({}, {}))
    return build_report(done.memory, done.messages.values(), session)


def test_what_holds_comes_first_and_what_it_replaced_stands_beneath_it(whole: Row) -> None:
    """Whoever reads the beginning alone knows what holds; what is disputed stands apart."""
    lines = lines_of(whole, "Decisions")
    assert [line[:4] for line in lines if line.startswith("  D")] == ["  D1", "  D2", "  D4"]
    replaced = next(at for at, line in enumerate(lines) if line.lstrip().startswith("D3 "))
    assert lines[replaced].endswith("(replaced)")
    assert replaced > lines.index(next(line for line in lines if line.startswith("  D4")))
    assert any(line.startswith("  D5") for line in lines_of(whole, "Disputed"))


def test_the_lead_says_what_it_came_to() -> None:
    """In a few sentences; that nothing was decided where nothing was."""
    bare = report_of_rows({"agent_id": "Ana", "content": "[PROPOSE] A lamp on the pier."})
    assert bare["page"]["lead"].split("\n") == [
        "Nothing was decided.",
        "One proposal was not decided: (P1) A lamp on the pier (no votes were recorded).",
        "No actions were recorded.",
    ]
    claimed = report_of_rows({"agent_id": "Ana", "content": "[DECISION] The pier gets a lamp."})
    assert claimed["page"]["lead"].split("\n")[:2] == [
        "Nothing was decided.",
        "Put down as decided, with no word for or against: (D1) The pier gets a lamp.",
    ]


def test_the_lead_tells_all_decisions_and_who_has_to_do_something(whole: Row) -> None:
    """In the order of the talk, by handle; what is open and how it stands; who has to do what."""
    lead = whole["page"]["lead"].split("\n")
    assert lead[0].startswith("Three things were decided: (D1) P2 with a reserve:")
    assert "; (D2) The quay machines" in lead[0]
    assert "; (D4) West and Skerry first" in lead[0]
    assert any("(P9) Print a paper stub" in line and "1 for, 1 against" in line for line in lead)
    assert lead[-1] == (
        "To do: 4 things, by Marek (2), Bram (1), Yusra (1). "
        "Nobody is named for carrying out D1, D2, D4."
    )


def test_the_lead_cuts_no_decision_and_tells_three_of_many() -> None:
    """The first, that which most spoke for, and the last: the others stand below it."""
    offers = [
        "Paint the ferry green before the summer, as the rules of the harbour ask for it, and "
        "write its name and number on both sides in letters that the watch can read",
        "Mend the north wall",
        "Buy a lamp for the pier that shines as far as the outer buoy, since two boats missed the "
        "channel in autumn, and have the yard look after it each month",
        "Close the old slip",
        "Hire another watchman for nights of storm from the dues of the visitors, to ring the bell "
        "by hand as often as the power fails, and to keep the book of the harbour meanwhile",
    ]
    rows = [
        {"agent_id": who, "content": content}
        for k, offer in enumerate(offers, 1)
        for who, content in [
            ("Ana", f"[PROPOSE] {offer}."),
            *((name, f"[SUPPORT P{k}]") for name in ("Bo", "Cleo", "Dov")[: 3 if k == 3 else 2]),
            ("Ana", f"[DECISION P{k}] {offer}."),
        ]
    ]
    rows += [{"agent_id": name, "content": "See you tomorrow."} for name in ("Bo", "Cleo", "Dov")]
    lead = report_of_rows(*rows)["page"]["lead"].split("\n")[0]
    assert lead == (
        f"Five things were decided: first (D1) {offers[0]}; "
        f"with the most voices (D3) {offers[2]}; last (D5) {offers[4]}."
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("the pier gets a lamp.", "The pier gets a lamp"),
        ("Mend the wall. It is the north one, e.g. by the lamp.", "Mend the wall"),
        (
            "Mend the wall of the north pier before the summer, when the ferries come back with "
            "many people who do not know it, and have the yard pay for stones, and for whatever "
            "else it may be that they need.",
            "Mend the wall of the north pier before the summer, when the ferries come back with "
            "many people who do not know it, and have the yard pay for stones…",
        ),
        (
            "While the lamp of the north pier is dear and old, the council keeps it for now.",
            "The council keeps it for now",
        ),
        (
            "If the lamp of the north pier is dark, the watch rings the bell.",
            "If the lamp of the north pier is dark, the watch rings the bell",
        ),
    ],
)
def test_a_short_form_ends_with_a_clause(text: str, told: str) -> None:
    """What is conceded first is left out; a condition keeps what follows from it."""
    assert short(text) == told


def evidence_of(page: str, objections: bool = True) -> int:
    """Characters that a reader of the Markdown counts as evidence: quotations at the end, notes on
    who is for and against, numbers of messages, and, with `objections`, what is said against it."""
    body, _, quotes = page.partition("\n## Evidence\n")
    notes = re.findall(r"\([^()]*\d+ for, \d+ against[^()]*\)", body)
    voices = re.findall(r"- \*\*(?:for|against|abstaining)\*\*.*", body) if objections else []
    numbers = re.findall(r"\[?\\\[\d+\\\](?:\]\(#m\d+\))?", body)
    return len(quotes) + sum(map(len, (*notes, *voices, *numbers)))


def test_evidence_is_at_most_a_fifth_of_a_page(whole: Row) -> None:
    """Objections are what minutes are for; where they fill the fifth, nothing else is quoted."""
    page = render(whole, "md").decode()
    assert "\n## Evidence\n" not in page
    assert 0 < evidence_of(page, objections=False) <= 0.2 * len(page)
    quotes = quoting()
    assert evidence_of(render(quotes, "md").decode()) > 0
    assert 0 < evidence_share(quotes, sections(quotes)) <= 0.2


SIX: Final = (
    "dev/irc/jsonld-pre-wg-2013-10-15", "dev/irc/ccg-2021-06-29-vchttpapi",
    "dev/wg/publ-wg-2018-07-23-pwg", "dev/wg/json-ld-wg-2020-03-27-json-ld",
    "agents/dev/council", "demo/demo",
)  # fmt: skip


@needs_corpora
@pytest.mark.parametrize("name", SIX)
def test_evidence_is_at_most_a_fifth_of_recorded_meetings(name: str) -> None:
    """Of talk as it was imported: no date but its own, no action without an owner."""
    done = analyze(read_transcript(ROOT / f"{name}.jsonl"), resolve_defaults({}, {}))
    now = 1_795_000_000_000
    imported = [Record(r.seq, r.n, r.id, now, r.entry) for r in done.messages.values()]
    whole = build_report(done.memory, imported, "meeting")
    page = render(whole, "md").decode()
    assert evidence_of(page) <= 0.2 * len(page)
    assert "received" not in page
    assert page.count("2026-11-") == (1 if whole["imported"] else 0)
    assert all(line["mark"] for part in whole["page"]["sections"] for line in part["lines"]
               if part["heading"] == "Actions")  # fmt: skip


def test_every_action_has_an_owner_or_says_that_nobody_is_named() -> None:
    """In a table, with by when."""
    actions = report_of_rows(
        {"agent_id": "Ana", "content": "I'll measure the depth by Friday."},
        {"agent_id": "Ana", "content": "ACTION: Gregor to create the page."},
        {"agent_id": "Ana", "content": "ACTION: order the cable."},
    )
    table = render(actions, "md").decode().partition("## Actions\n\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()]
    assert [row[1] for row in rows[2:]] == [
        "Measure the depth",
        "Create the page",
        "Order the cable",
    ]
    assert [row[0] for row in rows] == ["Who", "---", "Ana", "Gregor", "nobody named"]
    assert [row[2] for row in rows] == ["By when", "---", "Friday", "", ""]


def test_nothing_is_told_twice(whole: Row) -> None:
    """A proposal that a decision settles, a count of nought, a quotation of the line above."""
    page = render(whole, "text").decode().partition("\nEvidence\n")[0]
    settled_by = {row["resolves"] for row in whole["decisions"]} - {None}
    others = " ".join(lines_of(whole, "Other settled proposals"))
    assert settled_by
    assert not [handle for handle in settled_by if f"  {handle} (" in others]
    assert "0 abstaining" not in page
    claim = "The quay machines write to SQLite"
    assert page.count(claim) == 2  # the lead tells it, and its own line


def test_dissent_is_told_with_its_reason(whole: Row) -> None:
    """Not only the sentence that takes the stand, and without the mark that says it too."""
    page = render(whole, "text").decode()
    assert "against Odette: “Call it a log" in page
    marked = report_of_rows(
        {"agent_id": "Ana", "content": "[PROPOSE] A lamp."},
        {"agent_id": "Bo", "content": "[OPPOSE P1] It is dear. It is dark as well."},
    )
    assert lines_of(marked, "Proposed, not decided") == [
        "  P1 A lamp. (by Ana; 0 for, 1 against; no decision was recorded)",
        "      against Bo: “It is dear. It is dark as well.”",
    ]


def test_a_long_talk_has_short_minutes() -> None:
    """Each section has an end, says what it leaves out, and JSON has all."""
    rows = [
        {"agent_id": "Ana", "content": f"Build pier number {k}.", "act": "propose"}
        for k in range(40)
    ]
    whole = report_of_rows(*rows, {"agent_id": "Bo", "content": "+1 to P3."})
    shown = lines_of(whole, "Proposed, not decided")
    assert len(whole["open"]) == 40
    assert len([line for line in shown if line.lstrip().startswith("P")]) == OPEN
    assert shown[1] == "  Ana"  # whose they all are
    assert f"{40 - OPEN} more are left out here; the JSON form has all." in shown[0]


def test_what_only_sounds_like_a_decision_stands_apart() -> None:
    """Until somebody takes it up by its handle."""
    maybe = {"agent_id": "Ana", "content": "We have decided to move the meeting to noon."}
    alone = report_of_rows(maybe, {"agent_id": "Bo", "content": "Nice weather."})["brief"]
    assert (alone["claimed"], [row["ref"] for row in alone["candidates"]]) == ([], ["D1"])
    assert alone["candidates"][0]["why"] == (
        "found by the rules for wording, which are right about 18 times in 100"
    )
    heard = report_of_rows(maybe, {"agent_id": "Bo", "content": "+1 to D1."})["brief"]
    assert (heard["claimed"], heard["candidates"]) == (["D1"], [])


def test_the_head_says_when_it_was_and_who_was_there() -> None:
    """By the messages' own times; the talkative first."""
    rows = [
        {"agent_id": "Bo", "content": "Hello.", "timestamp": "2026-03-02T09:00:00+01:00"},
        {"agent_id": "Ana", "content": "Hello.", "timestamp": "2026-03-02T08:10:00Z"},
        {"agent_id": "Ana", "content": "So.", "timestamp": "2026-03-02T09:25:00Z"},
    ]
    whole = report_of_rows(*rows)
    assert (whole["began"], whole["ended"]) == ("2026-03-02T08:00:00Z", "2026-03-02T09:25:00Z")
    name, head, present, *_ = render(whole, "text").decode().split("\n")
    assert name == "Meeting of 2 March 2026"
    assert head == "2026-03-02 08:00 to 09:25 UTC (1 h 25 min); 3 messages"
    assert present == "Present (2): Ana, Bo"
    days = report_of_rows({"agent_id": "Bo", "content": "Hello.", "timestamp": "2026-03-02"})
    assert (days["began"], days["ended"]) == ("2026-03-02", "2026-03-02")
    assert "\n2026-03-02; 1 message" in render(days, "text").decode()
    assert report_of_rows({"agent_id": "Bo", "content": "Hello."})["began"] is None


def test_a_time_of_the_log_is_that_of_live_talk_alone() -> None:
    """What came with a file was said before; the head says so, and no line has a date."""
    offer = "I propose that we paint the boat red."
    records = talk(("Ana", offer))
    report = build_report(fold_records(Memory(PACKS), records), records, "boat")
    assert report["page"]["title"] == "Meeting of 14 November 2023"
    filed = [Record(r.seq, r.n, f"line:{r.n}", r.received_ms, r.entry) for r in records]
    imported = build_report(fold_records(Memory(PACKS), filed), filed, "boat")
    forms: tuple[Form, ...] = ("text", "md", "html")
    for form in forms:
        page = render(imported, form).decode()
        assert page.count("2023-11-14") == 1
        assert "Imported 2023-11-14; the record does not say when the talk was" in page
    (proposal,) = imported["open"]
    assert (imported["began"], proposal["at"], proposal["at_from"]) == (None, None, None)
    (proposal,) = report["open"]
    assert (proposal["at"], proposal["at_from"]) == ("2023-11-14T22:13:20Z", "receipt")
    (proposal,) = report_of_rows({"agent_id": "Ana", "content": offer})["open"]
    assert (proposal["at"], proposal["at_from"]) == (None, None)


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0000-00-00T00:00:00Z"]
)
def test_a_time_that_no_calendar_has_is_told_of_no_talk(moment: str) -> None:
    """Whoever says something names its time: the minutes stand whatever that is."""
    whole = report_of_rows({"agent_id": "Bo", "content": "Hello.", "timestamp": moment})
    assert (whole["began"], whole["ended"]) == (None, None)
    assert "1 message\n" in render(whole, "text").decode()
    read = Message.model_construct(participant="Bo", content="Hello.", at=moment, at_text=None)
    assert talk_span([Record(1, 1, "a", 0, read)], logged=False) == (None, None)
    late = Record(1, 1, "a", 2**53 - 1, Message(participant="Bo", content="Hello."))
    assert talk_span([late], logged=True) == (None, None)


def test_a_decision_is_told_in_full() -> None:
    """Memory keeps its first 200 characters; the message has the rest."""
    words = " and ".join(f"number {k} gets a lamp of its own" for k in range(12))
    whole = report_of_rows({"agent_id": "Ana", "content": f"[DECISION] The pier {words}."})
    (row,) = whole["decisions"]
    assert row["outcome"].endswith("…")
    assert f"The pier {words}." in " ".join(lines_of(whole, "Put down as decided"))


def test_a_vote_stands_with_what_it_decided(parley: Parley, tmp_path: Path) -> None:
    """Once, without its question; and the same minutes are the same bytes."""
    out = tmp_path / "played.json"
    assert parley("run", "architecture", "--seed", "1", "--fast", "--out", out).code == 0
    first, second = (parley("minutes", out, "--format", "html").out for _ in range(2))
    assert first == second
    text = parley("minutes", out).out.partition("\nEvidence\n")[0]
    assert text.count("V1 ") == text.count("V2 ") == 1
    assert "Shall P4 be accepted" not in text
    assert "\nVotes\n" not in text


def test_goals_and_what_they_taught_are_told(at: Parley) -> None:
    """Of a session that works toward goals; each line leads to where it was said."""
    assert at("session", "new", "work", "--preset", "analyst").code == 0
    assert at("goal", "open", "work", "Count the lamps", "--as", "Ana").code == 0
    assert at("goal", "close", "work", "--result", "There are twelve.", "--as", "Ana").code == 0
    text = at("minutes", "work").out
    assert "E1 Count the lamps (goal, completed)" in text
    assert "There are twelve." in text.partition("\nEvidence\n")[0]
