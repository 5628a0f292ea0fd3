"""What is shown has an address: it survives reload, can be sent, and Back returns from it."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.page.browsers import Visits

TALK = (
    ("Ana", "propose", "We paint the boat red.", None),
    ("Bo", "support", "I support P1.", "P1"),
    ("Cy", "support", "I support P1.", "P1"),
    ("Ana", "propose", "We paint the shed as well.", None),
)


def told(visits: Visits) -> Page:
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    for name, act, words, re in TALK:
        body = {"as": name, "content": words, "act": act, "re": re}
        visits.ask("POST", "/v1/sessions/boat/messages", content=json.dumps(body))
    return visits.person("Dee", "boat")


def test_an_address_that_was_sent_leads_there_and_survives_reload(visits: Visits) -> None:
    """A tab, a moment, an item, a message, a person; the ticket that lets in is none of it."""
    page = told(visits)
    expect(page.locator(".brief-sentence")).to_contain_text("Decided 1")
    for address, place in (
        ("?tab=decisions#D1", "#panel .decision[data-ref=D1]:focus"),
        ("#2", "article.msg[data-n='2']:focus"),
        ("?at=1", ".past:not([hidden])"),
        ("#@Bo", "dialog[open]:has-text('Bo')"),
        ("#P1", "dialog[open]:has-text('P1')"),
        ("#%E0%A4%A", ".brief-sentence"),
    ):
        page.goto("about:blank")
        page.goto(f"{visits.server.url}/s/boat{address}")
        expect(page.locator(place).first).to_be_visible()
        page.reload()
        expect(page.locator(place).first).to_be_visible()


def test_back_returns_to_what_was_shown(visits: Visits) -> None:
    """From a tab to the Brief, without the page being made anew; the slider is no step."""
    page = told(visits)
    expect(page.locator(".brief-sentence")).to_be_visible()
    page.evaluate("globalThis.same = true")
    page.get_by_role("tab", name="Proposals").click()
    page.wait_for_url("**/s/boat?tab=board")
    page.get_by_role("tab", name="Decisions").click()
    page.wait_for_url("**/s/boat?tab=decisions")
    page.get_by_label("Moment, by number").fill("1")
    page.wait_for_url("**/s/boat?tab=decisions&at=1")
    page.go_back()
    expect(page.locator("#tab-board[aria-selected=true]")).to_be_visible()
    expect(page.locator(".past")).to_be_hidden()
    page.go_back()
    expect(page.locator(".brief-sentence")).to_be_visible()
    page.locator(".brief-item[data-ref=P2] a.handle").click()
    page.wait_for_url("**/s/boat#P2")
    expect(page.locator(".brief-item[data-ref=P2]")).to_be_focused()
    assert page.evaluate("globalThis.same")
