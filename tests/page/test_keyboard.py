"""A session by keys alone: what is written, pressed, voted, found, edited, looked back at."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from tests.page.browsers import Visits

MOST = 150  # presses of Tab until something has the focus


def tab_to(page: Page, wanted: Locator) -> None:
    """Tab until `wanted` has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(MOST):
        if wanted.evaluate("(node) => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {wanted}")


def test_keys_alone_do_everything(visits: Visits) -> None:
    """Write, propose, react, undo, call a vote and cast a ballot, search, edit, go back, tabs."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    body = {"as": "Bo", "content": "We dredge in May.", "act": "propose"}
    visits.ask("POST", "/v1/sessions/quays/messages", content=json.dumps(body))
    page = visits.person("Ana", "quays")
    keys = page.keyboard
    card = page.locator("li.proposal[data-ref=P1]")
    expect(card).to_be_visible()

    keys.press("c")
    keys.type("Morning, all of you.")
    keys.press("Enter")
    expect(page.locator("article.msg", has_text="Morning, all of you.")).to_be_visible()
    keys.press("Escape")  # out of the field

    tab_to(page, card.locator(".hand.support"))
    keys.press("Enter")
    undo = card.get_by_role("button", name="Undo")
    tab_to(page, undo)
    keys.press("Enter")
    expect(undo).to_have_count(0)
    tab_to(page, card.locator(".hand.support"))
    keys.press("Enter")
    tab_to(page, card.get_by_role("button", name="Say it"))
    keys.press("Enter")
    expect(card.locator(".stand.support")).to_contain_text("Ana")

    tab_to(page, card.get_by_role("button", name="Vote"))
    keys.press("Enter")
    dialog = page.get_by_role("dialog")
    tab_to(page, dialog.get_by_role("button", name="Call it"))
    keys.press("Enter")
    expect(dialog).to_have_count(0)
    keys.press("v")
    accept = page.locator("#pane-room [data-option=accept]")
    tab_to(page, accept)
    keys.press("Space")
    cast = page.get_by_role("button", name="Cast my ballot")
    tab_to(page, cast)
    keys.press("Enter")
    expect(cast).to_have_count(0)

    keys.press("/")
    keys.type("dredge")
    expect(page.locator("dialog [role=option]").first).to_be_visible()
    keys.press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#tab-board")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel [data-ref=P1]")).to_be_visible()

    keys.press("e")
    words = page.get_by_label("Your words")
    expect(words).to_be_focused()
    keys.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)

    keys.press("[")
    expect(page.locator(".past")).to_be_visible()
    keys.press(".")
    expect(page.locator(".past")).to_be_hidden()

    keys.press("2")
    board = page.locator("#tab-board")
    expect(board).to_have_attribute("aria-selected", "true")
    keys.press("Shift+Tab")
    expect(board).to_be_focused()
    keys.press("ArrowRight")
    expect(page.locator("#tab-decisions")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#tab-decisions")).to_be_focused()
