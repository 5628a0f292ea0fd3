"""The page is accessible: axe-core finds nothing serious, light and dark, wide and narrow."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.page.browsers import DESKTOP, PHONE, Visits, violations

SIZES = [
    pytest.param(DESKTOP, False, id="light"),
    pytest.param(DESKTOP, True, id="dark"),
    pytest.param(PHONE, False, id="phone", marks=pytest.mark.long),
    pytest.param(PHONE, True, id="phone-dark", marks=pytest.mark.long),
]
DARK_TOO = [
    pytest.param(False, id="light"),
    pytest.param(True, id="dark", marks=pytest.mark.long),
]
TABS = ("Brief", "Proposals", "Decisions", "Positions", "Outline", "Course", "Minutes")


def deliberated(visits: Visits) -> None:
    """A session with something of everything in it."""
    visits.ask("POST", "/v1/sessions", json={"session": "harbour", "title": "Harbour works"})
    for name, words, more in (
        ("Ana", "We dredge the harbour now.", {"act": "propose"}),
        ("Bo", "It is a metre deep.", {"act": "support", "re": "P1"}),
        ("Cy", "Too dear before the summer.", {"act": "oppose", "re": "P1"}),
        ("Bo", "Too dear after all.", {"act": "oppose", "re": "P1"}),
        ("Ana", "Who would pay for the dredger?", {"act": "ask"}),
        ("Dee", "We dredge next spring.", {"act": "propose"}),
        ("Ana", "Next spring it is.", {"act": "decide", "re": "P2"}),
        ("Bo", "I'll order the dredger.", {"re": 5}),
    ):
        row = {"content": words, "as": name, **more}
        visits.ask("POST", "/v1/sessions/harbour/messages", json=row)
    goal = {"title": "The harbour is deep", "as": "Ana"}
    visits.ask("POST", "/v1/sessions/harbour/goals", json=goal)
    rules = {"settings": {"note": {"policy": "append"}}}
    visits.ask("PATCH", "/v1/sessions/harbour/settings", json=rules)


def sound(page: Page, where: str, dark: bool = False) -> None:
    """Nothing serious; in the dark only colours can be otherwise than in the light."""
    only = ("color-contrast", "link-in-text-block") if dark else ()
    assert violations(page, only=only) == [], where


def test_what_is_not_accessible_is_found(visits: Visits) -> None:
    """A field without a name, and grey on grey."""
    page = visits.shown("<main><h1>Hm</h1><input><p style='color:#bbb'>grey</p></main>")
    text = " ".join(violations(page))
    assert "label (critical)" in text
    assert "color-contrast (serious)" in text
    assert "label" not in " ".join(violations(page, only=("color-contrast",)))


@pytest.mark.parametrize(("size", "dark"), SIZES)
def test_the_list_and_its_dialogs_are_accessible(
    visits: Visits, size: tuple[int, int], dark: bool
) -> None:
    """The sessions there are, the form for a new one, the invitation, the keys."""
    deliberated(visits)
    page = visits.operator(size=size, dark=dark)
    expect(page.locator(".session-card")).to_be_visible()
    sound(page, "list", dark)
    for name in ("New session", "Invite"):
        page.get_by_role("button", name=name).click()
        expect(page.locator("dialog[open]")).to_be_visible()
        sound(page, name, dark)
        page.keyboard.press("Escape")
    page.locator(".session-card").click()
    page.get_by_role("button", name="About this session").click()
    page.get_by_role("button", name="Settings").click()
    page.locator("#find-setting").fill("note")
    page.get_by_role("button", name="Change note.policy").click()
    sound(page, "settings", dark)
    page.keyboard.press("Escape")
    if size == PHONE:
        page.get_by_role("button", name="Talk", exact=True).click()
    page.locator("article.msg[data-n='1']").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Take these words out").click()
    expect(page.locator("#redact-reason")).to_be_visible()
    sound(page, "redaction", dark)
    page.keyboard.press("Escape")
    if size == PHONE:
        page.get_by_role("button", name="Room", exact=True).click()
    page.get_by_title("More about Ana").click()
    expect(page.locator(".notebook pre")).to_be_visible()
    sound(page, "somebody", dark)


@pytest.mark.parametrize(("size", "dark"), SIZES)
def test_a_session_and_all_its_views_are_accessible(
    visits: Visits, size: tuple[int, int], dark: bool
) -> None:
    """The talk, each tab, the dialog that explains, and the past."""
    deliberated(visits)
    page = visits.person("Ana", "harbour", size=size, dark=dark)
    expect(page.locator(".wire")).to_contain_text("live")
    if size == PHONE:
        page.get_by_role("button", name="Talk", exact=True).click()
    expect(page.locator("article.msg", has_text="order the dredger").first).to_be_visible()
    sound(page, "talk", dark)
    if size == PHONE:
        page.get_by_role("button", name="Room", exact=True).click()
        sound(page, "room", dark)
        page.get_by_role("button", name="Brief", exact=True).click()
    for name in TABS:
        page.get_by_role("tab", name=name).click()
        expect(page.locator("#panel .view")).not_to_be_empty()
        sound(page, name, dark)
    page.get_by_role("tab", name="Proposals").click()
    page.get_by_role("button", name="Why is P1 here?").click()
    expect(page.locator("dialog[open]")).to_contain_text("harbour")
    sound(page, "why", dark)
    page.keyboard.press("Escape")
    page.get_by_label("Moment, by number").fill("3")
    expect(page.locator(".past")).to_contain_text("As it stood at #3")
    sound(page, "past", dark)


@pytest.mark.parametrize("dark", DARK_TOO)
def test_the_door_is_accessible(visits: Visits, dark: bool) -> None:
    """Who has no link is told so where everybody can read it."""
    page = visits.arrive(f"{visits.server.url}/", dark=dark)
    expect(page.get_by_role("heading", name="Come in")).to_be_visible()
    sound(page, "door", dark)


@pytest.mark.parametrize("dark", DARK_TOO)
def test_the_minutes_that_are_handed_on_are_accessible(visits: Visits, dark: bool) -> None:
    """The one file, shown by itself; its own policy lets no script of ours in, so from outside."""
    deliberated(visits)
    text = visits.fetch("/v1/sessions/harbour/minutes?format=html")
    page = visits.shown(text, dark=dark)
    assert "Next spring" in page.inner_text("main")
    sound(page, "minutes", dark)
