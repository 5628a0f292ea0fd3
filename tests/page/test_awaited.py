"""What waits for one: in the title, on a phone's parts, in the list; what is new since one left."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import expect

from tests.page.browsers import PHONE, Visits, violations

NOTED = """() => {
    window.noted = [];
    window.Notification = class {
        static permission = 'default';
        static requestPermission() { this.permission = 'granted'; return Promise.resolve(); }
        constructor(title, {body}) { window.noted.push(`${title}: ${body}`); }
        close() {}
    };
    Object.defineProperty(document, 'hidden', {get: () => Boolean(window.elsewhere)});
}"""


def said(visits: Visits, name: str, content: str, act: str | None = None) -> Any:
    body = {"as": name, "content": content, "act": act}
    path = "/v1/sessions/quays/messages"
    return visits.ask("POST", path, content=json.dumps(body))


def test_who_is_awaited_is_told_wherever_they_look(visits: Visits) -> None:
    """A mention and a vote, while one looks elsewhere; seen, they are counted no more."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    said(visits, "Bo Berg", "The quiet quays switch first.", "propose")
    said(visits, "Ana", "Let me think.")
    ana = visits.person("Ana", "quays", size=PHONE)
    ana.add_init_script(f"({NOTED})()")
    ana.reload()
    expect(ana).to_have_title("Quays – Parley")
    talk, room = ana.get_by_role("button", name="Talk"), ana.get_by_role("button", name="Room")
    room.click()
    ana.get_by_role("button", name="Notify me here").click()
    expect(ana.get_by_role("button", name="Do not notify me")).to_be_visible()
    ana.get_by_role("button", name="Brief").click()
    ana.evaluate("() => (window.elsewhere = true)")
    said(visits, "Bo Berg", "@Ana, would you ask the port? @Anatol knows them.")
    said(visits, "Bo Berg", "Anatol: or you?")
    expect(ana).to_have_title("(1) Quays – Parley")
    vote = {"question": "Shall the quiet ones go first?", "as": "Bo Berg", "proposal": "P1"}
    visits.ask("POST", "/v1/sessions/quays/votes", json=vote)
    expect(ana).to_have_title("(2) Quays – Parley")
    expect(ana.locator("link[rel=icon]")).to_have_attribute("href", "/static/favicon-awaited.svg")
    expect(talk).to_have_attribute("data-badge", "1")
    expect(ana.locator(".brief-sentence")).to_contain_text("waiting for you: one vote")
    expect(ana.locator(".brief-sentence")).to_contain_text("one mention")
    assert ana.evaluate("() => window.noted") == [
        "Quays: Bo Berg: @Ana, would you ask the port? @Anatol knows them.",
        "Quays: A vote waits for your ballot",
    ]
    visits.shot(ana, "awaited-phone")
    assert violations(ana) == []
    ana.evaluate("() => (window.elsewhere = false)")
    ana.get_by_role("button", name="one mention").click()
    expect(ana).to_have_title("(1) Quays – Parley")
    ballot = {"choice": ["accept"], "as": "Ana"}
    visits.ask("POST", "/v1/sessions/quays/votes/V1/ballots", json=ballot)
    expect(ana).to_have_title("Quays – Parley")
    assert len(ana.evaluate("() => window.noted")) == 2


def test_what_came_since_one_left_is_marked_and_counted(visits: Visits) -> None:
    """In the talk by a line, in the Brief in words, in the list by a number."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    said(visits, "Bo", "Good morning.")
    operator = visits.operator("/s/quays")
    operator.locator("#join-name").fill("Ana")
    operator.get_by_role("button", name="Join").click()
    expect(operator.locator(".people")).to_contain_text(", you")
    expect(operator.locator("article.msg")).to_have_count(1)
    operator.locator(".brand").click()
    expect(operator.locator(".session-card")).to_contain_text("1 entry")
    for content in ("I propose we paint the sheds.", "Who else?"):
        said(visits, "Bo", content)
    visits.ask("POST", "/v1/sessions/quays/votes", json={"question": "Paint?", "as": "Bo"})
    expect(operator.locator(".fresh-count")).to_have_text("3 new")
    expect(operator.locator(".session-card .awaited")).to_have_text("waits for you: 1 vote")
    visits.shot(operator, "awaited-list")
    assert violations(operator) == []
    operator.locator(".session-card").click()
    expect(operator.locator(".brief-since")).to_contain_text("New since you left: 3 messages")
    expect(operator.locator(".brief-since")).to_contain_text("proposed P1")
    line = operator.locator(".msg:has(> .since)")
    expect(line).to_have_count(1)
    expect(line).to_have_attribute("data-n", "2")
    visits.shot(operator, "awaited-since")
