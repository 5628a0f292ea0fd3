"""The whole story in a browser: two people come to a decision, look back, and take it home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.page.browsers import PHONE, Visits

IDEA = "We dredge the harbour before the ferries come back."


def opened(operator: Page) -> str:
    """The operator opens a session by its form, where its id comes from the title; its path."""
    operator.get_by_role("button", name="New session").click()
    operator.locator("#new-title").fill("Harbour: works?")
    expect(operator.locator("#new-id")).to_have_value("harbour-works")
    operator.locator("#new-title").fill("Harbour works")
    operator.locator("#new-goal").fill("Dredge now or later?")
    operator.locator("#new-id").fill("harbour")
    operator.get_by_role("button", name="Open it").click()
    operator.wait_for_url("**/s/harbour")
    expect(operator.get_by_role("heading", name="Harbour works")).to_be_visible()
    expect(operator.locator(".goal")).to_have_text("Dredge now or later?")
    return "/s/harbour"


def invited(operator: Page, name: str) -> str:
    """The link that the operator is given for somebody."""
    operator.get_by_role("button", name="Invite").click()
    operator.locator("#invite-name").fill(name)
    operator.get_by_role("button", name="Make the invitation").click()
    link = operator.get_by_label("The invitation").input_value()
    operator.keyboard.press("Escape")
    return link


def joined(page: Page, name: str) -> None:
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator("#pane-room").get_by_text(name).first).to_be_visible()
    assert "ticket" not in page.url


def say(page: Page, words: str, act: str = "") -> None:
    if act:
        page.get_by_label("What the message does").select_option(act)
    page.locator("#say").fill(words)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("article.msg", has_text=words).first).to_be_visible()


def chosen(page: Page, tab: str) -> None:
    page.get_by_role("tab", name=tab).click()
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")


def voted(pages: list[Page]) -> None:
    """Everybody agrees to the vote that was called, and casts a ballot for it."""
    for page in pages:
        expect(page.locator(".room-vote").first).to_be_visible()
    for page in pages:
        agree = page.get_by_role("button", name="Agree to vote")
        if agree.count():
            agree.click()
    for page in pages:
        page.locator("#pane-room [data-option=accept]").click()
        page.get_by_role("button", name="Cast my ballot").click()
        expect(page.get_by_role("button", name="Cast my ballot")).to_have_count(0)


def moved_to(page: Page, n: int) -> None:
    """The slider is put at message `n`."""
    page.get_by_label("Moment, by number").fill(str(n))
    expect(page.locator(".past")).to_contain_text(f"As it stood at #{n}")


def kept(page: Page, form: str) -> str:
    """What the button for that form has the browser keep."""
    with page.expect_download() as download:
        page.locator(f"button[data-format={form}]").click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_two_people_decide_look_back_and_take_the_minutes(visits: Visits, worker: None) -> None:
    """Create, join in two browsers, propose, react, vote, decide, slide back, export."""
    operator = visits.operator()
    expect(operator.get_by_text("No session yet")).to_be_visible()
    visits.shot(operator, "01-list")
    opened(operator)
    chairing = {"settings": {"chair": ["Ana"]}}
    visits.ask("PATCH", "/v1/sessions/harbour/settings", json=chairing)
    ana = visits.arrive(invited(operator, "Ana"))
    bo = visits.arrive(invited(operator, "Bo"))
    joined(ana, "Ana")
    joined(bo, "Bo")

    say(ana, IDEA, "propose")
    card = bo.locator("li.proposal", has_text="dredge the harbour")
    expect(card).to_be_visible()
    card.locator(".hand.support").click()
    card.get_by_label("Why, on P1").fill("The silt is a metre deep.")
    card.get_by_role("button", name="Say it").click()
    expect(ana.locator("article.msg", has_text="The silt is a metre deep.").first).to_be_visible()
    expect(ana.locator("li.proposal .stand.support")).to_contain_text("Bo")
    say(bo, "I'll order the dredger tomorrow.")
    visits.shot(bo, "02-proposed")

    ana.get_by_role("button", name="Call a vote", exact=True).click()
    ana.locator("#vote-on").select_option("P1")
    ana.locator("#vote-question").fill("Shall we dredge now?")
    ana.locator("dialog[open] form button.primary").click()
    expect(bo.locator(".room-vote-head")).to_contain_text("V1 on P1")
    voted([ana, bo])
    for page in (ana, bo):
        chosen(page, "Decisions")
    decision = bo.locator("li.decision")
    expect(decision.first).to_contain_text("Decided")
    quiet = bo.locator("#pane-talk .happened.quiet p")
    expect(quiet.filter(has_text="joined")).to_have_text("Ana and Bo joined")
    locator = bo.locator("#pane-talk .happened:not(.quiet)")
    expect(locator.filter(has_text="Ana called a vote V1: Shall we dredge now?")).to_have_count(1)
    expect(locator.filter(has_text="cast ballots in V1")).to_contain_text("Bo")
    expect(locator.last).to_contain_text("The ballot closed: V1 came to accept")
    expect(bo.locator(".between .fact", has_text="D1 decided")).to_be_visible()
    expect(bo.locator(".msg .fact.vote")).to_have_count(0)
    decision.first.locator(".cite").last.focus()
    expect(bo.locator("#evidence")).to_contain_text("The ballot closed: V1 came to accept")
    visits.shot(bo, "03-decided")

    look_back(visits, ana)
    take_home(visits, ana)


def look_back(visits: Visits, page: Page) -> None:
    """At the first message there was no decision, and nobody may write into the past."""
    moved_to(page, 1)
    expect(page.locator("li.decision")).to_have_count(0)
    expect(page.locator("#say")).to_have_count(0)
    visits.shot(page, "04-past")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator("li.decision").first).to_contain_text("Decided")
    expect(page.locator(".slider .latest")).to_contain_text("D1 decided")


def take_home(visits: Visits, page: Page) -> None:
    """The minutes as the page shows them, and in each form that can be kept."""
    chosen(page, "Minutes")
    paper = page.get_by_label("Minutes", exact=True).last
    expect(paper).to_contain_text("dredge", ignore_case=True)
    visits.shot(page, "05-minutes")
    markdown = kept(page, "md")
    assert "## Decisions" in markdown
    assert "| Order the dredger | tomorrow |" in markdown
    tree = json.loads(kept(page, "json"))
    assert [row["who"] for row in tree["actions"]] == ["Bo"]
    assert kept(page, "html").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "dark", [False, pytest.param(True, marks=pytest.mark.long)], ids=["light", "dark"]
)
def test_the_page_fits_a_phone(visits: Visits, dark: bool) -> None:
    """Nothing is wider than the screen, in any of its parts."""
    visits.ask("POST", "/v1/sessions", json={"session": "harbour", "title": "Harbour"})
    ana = visits.person("Ana", "harbour", size=PHONE, dark=dark)
    expect(ana.locator(".brief-sentence")).to_have_text("Nothing is decided yet.")
    ana.get_by_role("button", name="Talk", exact=True).click()
    say(ana, IDEA, "propose")
    for name in ("Talk", "Brief", "Room"):
        ana.get_by_role("button", name=name, exact=True).click()
        wide = ana.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE[0], name
        visits.shot(ana, f"phone-{name.lower()}-{'dark' if dark else 'light'}")


def tab_to(page: Page, name: str) -> None:
    """Tab, as often as it takes, but not long, to the button of that name."""
    for _ in range(20):
        page.keyboard.press("Tab")
        labels = page.evaluate(
            "() => [document.activeElement.ariaLabel, document.activeElement.innerText]"
        )
        if any((label or "").strip() == name for label in labels):
            return
    raise AssertionError(f"no {name!r} within twenty tabs")


def test_the_keyboard_alone_will_do(visits: Visits) -> None:
    """Join, propose, support, vote, look back, keep the minutes, and to the list of sessions."""
    visits.ask("POST", "/v1/sessions", json={"session": "harbour", "title": "Harbour"})
    ana = visits.person("Ana", "harbour")
    expect(ana.locator(".wire")).to_contain_text("live")
    keys = ana.keyboard
    keys.press("c")
    keys.press("Shift+Tab")
    keys.press("Enter")
    expect(ana.locator(".people")).to_contain_text("person, you")
    keys.press("Escape")
    keys.press("p")
    keys.type("First.")
    keys.press("Enter")
    expect(ana.locator("li.proposal")).to_contain_text("First.")
    keys.press("Escape")
    keys.press("1")
    tab_to(ana, "+Support")
    keys.press("Enter")
    keys.type("It is first.")
    keys.press("Enter")
    expect(ana.locator("li.proposal .stand.support")).to_contain_text("Ana")
    keys.press("v")
    tab_to(ana, "Call a vote")
    keys.press("Enter")
    expect(ana.locator("#vote-on")).to_be_focused()
    keys.press("Tab")
    keys.type("Shall we?")
    keys.press("Enter")
    expect(ana.locator(".room-vote")).to_contain_text("Shall we?")
    keys.press("v")
    tab_to(ana, "accept")
    keys.press("Enter")
    tab_to(ana, "Cast my ballot")
    keys.press("Enter")
    expect(ana.locator(".over")).to_contain_text("accept")
    keys.press("3")
    expect(ana.get_by_role("tab", name="Decisions")).to_have_attribute("aria-selected", "true")
    keys.press("{")
    expect(ana.locator(".past")).to_contain_text("As it stood at #")
    keys.press(".")
    expect(ana.locator(".past")).to_be_hidden()
    keys.press("7")
    expect(ana.get_by_role("button", name="Markdown")).to_be_visible()
    tab_to(ana, "Markdown")
    with ana.expect_download() as kept:
        keys.press("Enter")
    assert "Shall we?" in Path(kept.value.path()).read_text(encoding="utf-8")
    keys.press("?")
    expect(ana.locator("dialog[open]")).to_be_visible()
    keys.press("Escape")
    keys.press("g")
    keys.press("l")
    expect(ana.locator(".session-title")).to_have_text("Harbour")
