"""Other words for one's own last message, by keys and by the pointer, and what others see of it."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from tests.page.browsers import Visits, violations

PROPOSAL = "We dredge the harbour in May."

# what the browser itself says of an answer that refuses
_REFUSED = "error: Failed to load resource: the server responded with a status of 409 (Conflict)"


def said(visits: Visits, *lines: tuple[str, str, str | None, str | None]) -> None:
    """A session with these messages: who, what, act, on what."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    for name, words, act, re in lines:
        body = {"as": name, "content": words, "act": act, "re": re}
        visits.ask("POST", "/v1/sessions/quays/messages", content=json.dumps(body))


def message(page: Page, n: int) -> Locator:
    return page.locator(f"article.msg[data-n='{n}']")


def test_the_last_words_are_edited_by_keys_alone(visits: Visits) -> None:
    """`e` opens them; the proposal has the new words, whose supporter stands from before."""
    said(visits, ("Ana", PROPOSAL, "propose", None), ("Bo", "Yes.", "support", "P1"))
    ana, bo = visits.person("Ana", "quays"), visits.person("Bo", "quays")
    expect(message(ana, 1)).to_be_visible()
    ana.keyboard.press("e")
    field = ana.get_by_label("Your words")
    expect(field).to_be_focused()
    expect(field).to_have_value(PROPOSAL)
    ana.keyboard.press("ControlOrMeta+a")
    ana.keyboard.type("We dredge the harbour in June.")
    assert violations(ana) == []
    visits.shot(ana, "edit-dialog")
    ana.keyboard.press("Tab")
    ana.keyboard.press("Tab")
    expect(ana.get_by_role("button", name="Save")).to_be_focused()
    ana.keyboard.press("Enter")
    expect(ana.get_by_role("dialog")).to_have_count(0)
    for page in (ana, bo):
        expect(message(page, 1).locator(".msg-body > .words")).to_have_text(
            "We dredge the harbour in June."
        )
        expect(page.locator("li.proposal[data-ref=P1] .brief-text")).to_contain_text("June")
        expect(page.locator(".stand.support")).to_contain_text("Bo (before the edit)")
        expect(page.locator(".between[data-n='3']")).to_contain_text("edited #1")
    first = message(bo, 1).locator("details.edited")
    expect(first.locator(".words")).to_be_hidden()
    first.locator("summary").click()
    expect(first.locator(".words")).to_have_text(PROPOSAL)
    assert violations(bo) == []
    visits.shot(bo, "edit-shown")
    bo.keyboard.press("[")
    expect(message(bo, 1).locator(".msg-body > .words")).to_have_text(PROPOSAL)
    expect(bo.locator("li.proposal[data-ref=P1] .brief-text")).to_contain_text("May")


def test_what_is_deleted_says_so_and_what_is_voted_on_stays(visits: Visits) -> None:
    """Delete stands in the opened message, with what it does; the server's reason is told."""
    said(visits, ("Bo", "Yes.", None, None), ("Ana", PROPOSAL, "propose", None))
    ana, bo = visits.person("Ana", "quays"), visits.person("Bo", "quays")
    message(bo, 1).click()
    message(bo, 1).press("Enter")
    bo.get_by_role("button", name="Delete…").click()
    expect(bo.get_by_role("dialog")).to_contain_text("still sees them")
    bo.get_by_role("button", name="Delete", exact=True).click()
    expect(message(ana, 1).locator("details.edited summary")).to_have_text("taken back")
    expect(message(ana, 1).locator(".msg-body > .words")).to_have_count(0)
    message(ana, 1).press("Enter")
    expect(ana.get_by_role("button", name="Delete…")).to_have_count(0)
    ana.keyboard.press("Escape")
    call = {"as": "Bo", "question": "Shall we?", "proposal": "P1"}
    visits.ask("POST", "/v1/sessions/quays/votes", json=call)
    expect(ana.locator(".room-vote")).to_be_visible()
    ana.keyboard.press("e")
    ana.get_by_label("Your words").fill("We do not.")
    ana.get_by_role("button", name="Save").click()
    expect(ana.get_by_role("alert").filter(has_text="P1 was put to a vote")).to_be_visible()
    visits.faults.remove(_REFUSED)
