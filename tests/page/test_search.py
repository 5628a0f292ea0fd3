"""Search on the page: messages, items, people and actions from one field, by the keyboard."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.browsers import Visits, violations

FIELD = "[role=combobox][aria-label=Search]"


def talk(visits: Visits, *lines: tuple[str, str]) -> None:
    visits.ask("POST", "/v1/sessions", json={"session": "demo", "title": "The harbour"})
    for name, content in lines:
        visits.ask("POST", "/v1/sessions/demo/messages", json={"as": name, "content": content})


def search(page: Page, words: str) -> None:
    page.locator(FIELD).fill(words)
    expect(page.locator("dialog.search [role=status]")).not_to_have_text("Looking…")


def test_words_lead_to_messages_items_and_people(visits: Visits) -> None:
    """Opened by a key; arrows and Enter go to what is chosen, its words marked."""
    lines = [("Ana", "[PROPOSE] Tin tokens for the ferry."), ("Ben", "I like **tokens** of paper.")]
    talk(visits, *lines, *[("Cid", f"Line {n} of no weight.") for n in range(40)])
    page = visits.person("Ana", "demo")
    expect(page.locator("article.msg").last).to_be_visible()
    page.keyboard.press("/")
    search(page, "tokens OF paper")
    expect(page.locator(".match")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("article.msg[data-n='2'] mark")).to_have_text("tokens")
    page.keyboard.press("Control+k")
    search(page, "tin tokens")
    items = page.get_by_role("group", name="Decisions and proposals")
    expect(items.get_by_role("option")).to_contain_text("P1")
    expect(page.get_by_role("group", name="Messages").get_by_role("option")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("#panel [data-ref=P1]").first).to_be_focused()
    page.keyboard.press("Control+k")
    search(page, "cid")
    people = page.get_by_role("group", name="People")
    expect(people.get_by_role("option")).to_contain_text("Cid")
    visits.shot(page, "search")
    for _ in range(20):
        page.keyboard.press("ArrowDown")
    expect(page.locator("[role=option][aria-selected=true]")).to_have_count(1)
    people.get_by_role("option").click()
    expect(page.locator("dialog[open]")).to_contain_text("40 messages")


def test_what_is_not_there_is_said_and_actions_are(visits: Visits) -> None:
    """Nothing is found of a past moment that was said later; a tab is reached by its name."""
    talk(visits, ("Ana", "Early words."), ("Ben", "Late words."))
    page = visits.person("Ana", "demo")
    page.get_by_label("Moment, by number").fill("1")
    expect(page.locator(".past")).to_be_visible()
    page.locator("article.msg").first.focus()
    page.keyboard.press("/")
    search(page, "late words")
    expect(page.locator("dialog.search")).to_contain_text("Nothing has all of these words.")
    search(page, "minutes")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Minutes")).to_have_attribute("aria-selected", "true")


def test_many_people_are_found_by_name_and_the_strip_waits_for_nothing(visits: Visits) -> None:
    """In the room and among the lanes; what the board tells stands on the strip meanwhile."""
    names = [f"Somebody {n}" for n in range(13)]
    talk(
        visits,
        ("Ana", "[PROPOSE] Tin tokens for the ferry."),
        *[(n, "[SUPPORT P1]") for n in names],
    )
    page = visits.person("Ana", "demo")
    page.route(
        "**/timeline", lambda route: route.fulfill(status=202, json={"ready": False, "done": 1})
    )
    page.reload()
    expect(page.locator(".slider .latest")).to_contain_text("decided")
    rows = page.locator(".people li")
    expect(rows).to_have_count(14)
    page.get_by_label("Find somebody by name").fill("body 12")
    expect(rows).to_have_count(1)
    page.get_by_label("Find somebody by name").fill("Zoë")
    expect(page.locator(".part-people")).to_contain_text("Nobody here has such a name.")
    page.locator("#tab-lanes").click()
    expect(page.locator(".lane")).to_have_count(14)
    page.get_by_label("Lanes of whose name has").fill("12")
    expect(page.locator(".lane")).to_have_count(1)
    assert violations(page) == []
