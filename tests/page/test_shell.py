"""The page in a browser: coming in, the list, the talk as it goes on, taking part, keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from parley.bus import Bus, Draft
from parley.bus.entries import SummaryMade
from parley.server.http.routes.access import page_file_routes
from tests.page.browsers import WAIT_MS
from tests.support.doors.doors import Standing, served
from tests.support.servers.patience import PATIENCE, apart


@pytest.fixture
def d(redis_url: str) -> Iterator[Standing]:
    with served(redis_url) as standing:
        yield standing


class Visitor:
    """Somebody with a browser of their own; what goes wrong in it fails the test."""

    def __init__(self, d: Standing, page: Page) -> None:
        self.d, self.page = d, page
        self.faults: list[str] = []
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda line: self.faults.append(line.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def comes(self, name: str, role: str = "person", session: str | None = None) -> None:
        wish = {"name": name, "role": role, "session": session or "*", "force": True}
        self.page.goto(self.d.url + asked(self.d, "/v1/tickets", wish)["path"])


@pytest.fixture
def visitor(browser: Browser, d: Standing) -> Iterator[Callable[..., Visitor]]:
    """Opens browsers, each with its own cookies."""
    made: list[Visitor] = []

    def come(**given: Any) -> Visitor:
        made.append(Visitor(d, browser.new_context(**given).new_page()))
        return made[-1]

    yield come
    for visitor in made:
        visitor.page.context.close()
    assert [fault for visitor in made for fault in visitor.faults] == []


def asked(d: Standing, path: str, body: dict[str, Any], method: str = "POST") -> Any:
    headers = {"Authorization": f"Bearer {d.operator()}"}
    answer = httpx2.request(method, d.url + path, json=body, headers=headers, timeout=PATIENCE)
    assert answer.is_success, answer.text
    return answer.json()


def seated(d: Standing, name: str, method: str = "POST") -> None:
    """Somebody takes a seat in the harbour; DELETE: gives it up."""
    headers = {"Authorization": f"Bearer {d.token(name, session='harbour')}"}
    url = f"{d.url}/v1/sessions/harbour/seats{'' if method == 'POST' else '/me'}"
    body: dict[str, str] | None = {} if method == "POST" else None
    assert httpx2.request(method, url, json=body, headers=headers, timeout=30).is_success


def opened(d: Standing, session: str, *lines: tuple[str, str], chair: tuple[str, ...] = ()) -> None:
    opening = {"session": session, "title": f"About {session}", "settings": {"chair": chair}}
    asked(d, "/v1/sessions", opening)
    for name, content in lines:
        asked(d, f"/v1/sessions/{session}/messages", {"content": content, "as": name})


def test_two_talk_and_see_each_other_at_once(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """One joins and proposes; the other, elsewhere, hears it, and answers it by the keyboard."""
    opened(d, "harbour")
    ana, bo = visitor(), visitor(color_scheme="dark")
    ana.comes("Ana", session="harbour")
    bo.comes("Bo", session="harbour")
    ana.page.get_by_role("button", name="Join").click()
    expect(ana.page.locator(".people")).to_contain_text("person, you")
    ana.page.select_option(".composer-tools select >> nth=0", "propose")
    ana.page.fill("textarea#say", "A light at the end of the pier.")
    ana.page.keyboard.press("Enter")
    heard = bo.page.locator(".msg").first
    expect(heard).to_contain_text("A light at the end of the pier.")
    expect(heard.locator(".fact.made")).to_contain_text("P1 proposed")
    expect(bo.page.locator("[role=log]")).to_contain_text("Ana: A light")
    assert bo.page.evaluate("document.documentElement.dataset.theme") == "dark"
    expect(bo.page.locator(".wire")).to_have_attribute("data-line", "live")
    bo.page.keyboard.press("k")
    bo.page.keyboard.press("r")
    bo.page.keyboard.type("And who pays?")
    bo.page.keyboard.press("Enter")
    answer = ana.page.locator(".msg", has_text="And who pays?")
    expect(answer.locator(".answered")).to_contain_text("Ana")
    expect(ana.page.locator("textarea#say")).to_have_value("")


def test_an_operator_takes_a_name_and_gives_it_back(
    d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """In one session they are somebody; elsewhere, and afterwards, an operator."""
    opened(d, "harbour")
    person = visitor()
    person.comes("chair", "operator", None)
    page = person.page
    page.click("text=About harbour")
    page.fill("#join-name", "Cy")
    page.keyboard.press("Enter")
    expect(page.locator(".states .me")).to_have_text("as Cy")
    expect(page.locator(".people")).to_contain_text("Cy")
    page.click(".people >> [aria-label=Leave]")
    expect(page.locator(".states .me")).to_have_text("as chair")
    expect(page.locator("#join-name")).to_be_visible()


def test_a_vote_is_called_cast_and_counted(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """By those who may; then the session is closed, and says so where one would write."""
    lines = ("Ana", "[PROPOSAL] A light at the pier."), ("Bo", "Yes?"), ("Cy", "Hm.")
    opened(d, "harbour", *lines)
    person = visitor()
    person.comes("Ana", session="harbour")
    page = person.page
    page.get_by_role("button", name="Call a vote", exact=True).click()
    page.select_option("#vote-on", "P1")
    expect(page.locator("#vote-question")).to_have_value("A light at the pier?")
    page.get_by_role("button", name="Call it").click()
    page.locator(".options >> text=accept").click()
    ballot = {"choice": ["accept"], "as": "Bo"}
    asked(d, "/v1/sessions/harbour/votes/V1/ballots", ballot)
    expect(page.locator(".room-vote")).to_contain_text("1 of 3 ballots cast")
    accept = page.locator(".options [data-option=accept]")
    expect(accept).to_have_attribute("aria-pressed", "true")  # what one chose stays chosen
    page.get_by_role("button", name="Cast my ballot").click()
    expect(page.locator(".room-vote")).to_contain_text("2 of 3 ballots cast")
    page.get_by_role("button", name="Count now").click()
    expect(page.locator(".over")).to_contain_text("accept")
    expect(page.get_by_role("button", name="Close the session")).to_have_count(0)
    asked(d, "/v1/sessions/harbour/close", {"reason": "done"})
    expect(page.locator(".write")).to_have_text(re.compile("This session is closed: done"))


def test_what_is_no_message_has_a_line_of_its_own(
    d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """With who did it, and the same whether it was heard or is read again; nobody else's chip."""
    opened(d, "harbour", ("Ana", "[PROPOSAL] A light at the pier."), ("Bo", "Yes."), chair=("Ana",))
    person = visitor()
    person.comes("Cy", session="harbour")
    page, path = person.page, "/v1/sessions/harbour"
    expect(page.locator(".wire")).to_have_attribute("data-line", "live")
    asked(d, f"{path}/votes", {"question": "Shall we?", "as": "Ana"})
    for name in ("Ana", "Bo"):
        asked(d, f"{path}/votes/V1/ballots", {"choice": ["accept"], "as": name})
    asked(d, f"{path}/corrections", {"ref": "P1", "op": "topic", "value": "lamp", "as": "Ana"})
    for name in ("Ana", "Bo", "Dee", "Eve", "Fay"):
        seated(d, name)
    seated(d, "Fay", method="DELETE")
    asked(d, f"{path}/settings", {"settings": {"vote": {"rule": "consent"}}}, "PATCH")
    asked(d, f"{path}/goals", {"title": "Buy it", "as": "Bo"})
    asked(d, f"{path}/close", {"reason": "done"})
    lines: list[str | re.Pattern[str]] = [
        "Ana called a vote V1: Shall we?",
        re.compile("^Ana and Bo cast ballots in V1"),
        "The ballot closed: V1 came to accept",
        "Ana corrected P1: topic lamp",
        "Ana, Bo, Dee and Eve joined; Fay left",
        "operator changed vote.rule",
        re.compile("^Bo began the goal E1 .*Buy it"),
        "The session closed: done",
    ]
    expect(page.locator(".happened p")).to_have_text(lines)
    expect(page.locator(".msg", has_text="Yes.").locator(".fact")).to_have_count(0)
    page.reload()
    expect(page.locator(".happened p")).to_have_text(lines)
    page.locator(".msg[data-n='1'] .fact", has_text="P1").first.click()
    page.keyboard.press("Escape")


def test_a_person_looks_after_goals_and_their_notebook(
    d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """A goal, its task, what came of it; and nothing is offered that a person may not do."""
    opened(d, "harbour", ("Bo", "Morning."))
    rules = {"settings": {"note": {"policy": "append"}}}
    asked(d, "/v1/sessions/harbour/settings", rules, "PATCH")
    person = visitor()
    person.comes("Ana", session="harbour")
    page = person.page
    for title, of in (("A light", ""), ("A lamp", "E1")):
        page.get_by_role("button", name="Open a goal").click()
        page.fill("#goal-title", title)
        if of:
            page.select_option("#goal-of", of)
        page.get_by_role("button", name="Open it").click()
        expect(page.locator(".goals li").last).to_contain_text(title)
    expect(page.locator(".goals li").first).to_contain_text("0 of 1 task closed")
    page.get_by_role("button", name="Close E2").click()
    page.fill("#goal-result", "Two, of brass.")
    page.get_by_role("button", name="Close it").click()
    expect(page.locator(".goals li")).to_have_count(1)
    expect(page.locator(".goals li")).to_contain_text("1 of 1 task closed")
    ended = "Ana ended the task E2 A lamp: completed, Two, of brass."
    expect(page.locator(".happened p").last).to_have_text(ended)
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_title("More about Ana").click()
    page.fill("#notebook", "Ask Bo for the key.")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".notebook .told")).to_contain_text("Kept")
    expect(page.locator("#alias")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_title("More about Bo").click()
    expect(page.locator(".profile .fields")).to_contain_text("1 message")
    expect(page.locator(".notebook")).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="About this session").click()
    page.get_by_role("button", name="Settings").click()
    expect(page.locator(".settings [data-key='note.policy'] .setting")).to_contain_text("append")
    expect(page.get_by_role("button", name=re.compile("^Change "))).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator(".msg[data-n='1']").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("Morning.")
    expect(page.get_by_role("button", name="Take these words out")).to_have_count(0)


async def summed(redis_url: str) -> None:
    """A worker's summary of the two messages of the harbour."""
    made = SummaryMade(level=0, first=1, last=2, how="extract", text="Bo greets, Bob proposes.")
    async with await Bus.connect(redis_url) as bus:
        await bus.publish("harbour", [Draft("sum:1", made)])


def test_an_operator_sets_rules_joins_names_and_takes_words_out(
    redis_url: str, d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """Each where it stands, and told to everybody in the talk."""
    opened(d, "harbour", ("Bo", "Morning."), ("Bob", "[PROPOSAL] Say kestrel."))
    apart(summed(redis_url))
    person = visitor()
    person.comes("chair", "operator", None)
    page = person.page
    page.click("text=About harbour")
    page.get_by_role("button", name="About this session").click()
    page.get_by_role("button", name="Settings").click()
    page.fill("#find-setting", "what carries an option")
    page.get_by_role("button", name="Change vote.rule").click()
    page.fill("#setting-value", "consent")
    page.keyboard.press("Enter")
    rule = page.locator(".settings [data-key='vote.rule']")
    expect(rule.locator(".setting")).to_contain_text("consent")
    expect(rule.locator("button")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".happened.quiet p")).to_have_text("chair changed vote.rule")

    page.get_by_title("More about Bo", exact=True).click()
    page.fill("#alias", "Bob")
    page.keyboard.press("Enter")
    expect(page.locator(".people li")).to_have_count(1)
    expect(page.locator(".people .also")).to_have_text("also Bob")
    expect(page.locator(".happened.quiet p").last).to_have_text("Bo is also Bob")

    page.locator(".msg[data-n='2']").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Take these words out").click()
    expect(page.locator(".goes")).to_have_text("[PROPOSAL] Say kestrel.")
    expect(page.locator(".consequences")).to_contain_text("1 summary is made again")
    page.fill("#redact-reason", "a secret")
    page.get_by_role("button", name="Take them out").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".msg[data-n='2'] .words.gone")).not_to_contain_text("kestrel")
    expect(page.locator(".msg[data-n='2'] .words.gone")).to_contain_text("[redacted 2]")
    expect(page.locator(".msg[data-n='2'] .fact")).to_contain_text("P1 proposed")
    expect(page.locator(".proposal")).not_to_contain_text("kestrel")


def test_few_rows_stand_for_many_messages(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """Only those near the screen are elements; from end to beginning all can be reached."""
    opened(d, "long")
    rows = [{"content": f"Line {n} of many. " + "More words. " * (n % 7)} for n in range(1, 501)]
    asked(d, "/v1/sessions/long/entries", {"entries": rows, "as": "Ana"})
    person = visitor()
    person.comes("Bo", session="long")
    page = person.page
    expect(page.locator(".msg[data-n='500']")).to_be_in_viewport()
    assert page.locator(".rows > *").count() <= 80
    page.locator(".list").evaluate(
        """(list) => {  // as where something comes to stand below the talk while it scrolls
             Object.assign(list.style, {flex: 'none', height: '200px'});
             list.firstChild.dispatchEvent(new Event('scroll'));
           }"""
    )
    expect(page.locator(".msg[data-n='500']")).to_be_in_viewport()
    expect(page.locator(".fresh")).to_be_hidden()
    page.locator(".list").evaluate("(list) => list.removeAttribute('style')")
    page.evaluate("document.querySelector('.scroller').scrollTop = 0")
    expect(page.locator(".msg[data-n='1']")).to_be_in_viewport()
    expect(page.locator(".fresh")).to_be_visible()
    asked(d, "/v1/sessions/long/messages", {"content": "The newest.", "as": "Ana"})
    expect(page.locator(".fresh")).to_have_text("1 new message")
    page.keyboard.press("End")
    expect(page.locator(".msg[data-n='501']")).to_be_in_viewport()


def test_the_talk_goes_on_after_the_stream_broke(
    d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """What was said meanwhile is there once, in its place."""
    opened(d, "harbour", ("Ana", "Before."))
    person = visitor()
    person.comes("Bo", session="harbour")
    expect(person.page.locator(".wire")).to_have_attribute("data-line", "live")
    person.page.context.set_offline(True)
    asked(d, "/v1/sessions/harbour/messages", {"content": "Meanwhile.", "as": "Ana"})
    person.page.context.set_offline(False)
    asked(d, "/v1/sessions/harbour/messages", {"content": "After.", "as": "Ana"})
    expect(person.page.locator(".msg .words")).to_have_text(["Before.", "Meanwhile.", "After."])
    person.faults.clear()  # the browser says itself that it was offline


def test_whoever_has_no_link_is_told(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """And may paste one; until then the page holds nothing of the session."""
    opened(d, "harbour")
    person = visitor()
    person.page.goto(d.url + "/s/harbour")
    expect(person.page.locator("h1")).to_have_text("Come in")
    assert "About harbour" not in person.page.content()
    wish = {"name": "Ana", "role": "observer", "session": "harbour"}
    person.page.fill("#ticket", d.url + asked(d, "/v1/tickets", wish)["path"])
    person.page.keyboard.press("Enter")
    expect(person.page.locator(".write")).to_have_text(re.compile("You are watching"))


def test_to_be_kept_out_is_said_on_the_page_and_not_in_the_console(
    d: Standing, visitor: Callable[..., Visitor]
) -> None:
    """By a link that was used, in a session that is not there, in another's session."""
    opened(d, "harbour")
    wish = {"name": "Ana", "role": "person", "session": "harbour"}
    link = d.url + asked(d, "/v1/tickets", wish)["path"]
    first, second = visitor(), visitor()
    first.page.goto(link)
    expect(first.page.locator("h1")).to_have_text("About harbour")
    second.page.goto(link)
    expect(second.page.locator("h1")).to_have_text("This link opens nothing")
    first.page.goto(d.url + "/s/elsewhere")
    expect(first.page.locator("h1")).to_have_text("You were not let into this one")
    first.page.click("text=Your session")
    expect(first.page.locator("h1")).to_have_text("About harbour")
    second.comes("chair", "operator")
    expect(second.page.locator("h1")).to_have_text("Sessions")
    second.page.goto(d.url + "/s/absent")
    expect(second.page.locator("h1")).to_have_text("There is no such session")
    expect(second.page.locator(".doorway")).to_contain_text("absent")
    second.page.click("text=All sessions")
    expect(second.page.locator(".session-title")).to_have_text(["About harbour"])


def test_text_is_shown_as_memory_shows_it(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """The table of test_visible.py, in the browser."""
    person = visitor()
    person.page.goto(d.url + "/docs")
    table = page_file_routes.FILES["visible.json"].body.decode()
    shown = person.page.evaluate(
        """async (table) => {
             const { visible } = await import("/static/text.js");
             return JSON.parse(table).filter(([text, line, lines]) =>
               visible(text) !== line || visible(text, true) !== lines).map(([, line]) => line);
           }""",
        table,
    )
    assert shown == []
    assert len(json.loads(table)) > 30


def test_the_api_is_shown_and_searched(d: Standing, visitor: Callable[..., Visitor]) -> None:
    """Each route once; what is unfolded has its fields."""
    person = visitor()
    page = person.page
    page.goto(d.url + "/docs")
    expect(page.locator(".route").first).to_be_visible()
    with httpx2.Client(timeout=PATIENCE) as client:
        paths = client.get(d.url + "/openapi.json").json()["paths"]
    verbs = {"get", "post", "put", "patch", "delete"}
    assert page.locator(".route").count() == sum(
        len(verbs & item.keys()) for item in paths.values()
    )
    page.fill(".api-nav input", "post /messages")
    page.click(".route:not([hidden]) summary >> nth=0")
    expect(page.locator(".route[open] .shape").first).to_contain_text("content")
