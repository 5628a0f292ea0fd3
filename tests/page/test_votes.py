"""Votes among people: for how long, who is awaited, more time, one without a quorum."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx2
from playwright.sync_api import Page, expect

from tests.page.browsers import PHONE, Visits, violations

DAY_MS = 86_400_000


def told(visits: Visits, *, agents: bool = False) -> None:
    """Ana has proposed; Bo and Cy have spoken, or, where `agents`, sat down as such."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    said(visits, "Ana", "The two quiet quays switch first.", "propose")
    for name in ("Bo", "Cy"):
        if not agents:
            said(visits, name, "Let me think.")
            continue
        wish = {"name": name, "role": "agent", "session": "quays"}
        token = visits.ask("POST", "/v1/tokens", json=wish)["token"]
        headers = {"Authorization": f"Bearer {token}"}
        path = f"{visits.server.url}/v1/sessions/quays/seats"
        assert httpx2.post(path, headers=headers, json={}).is_success


def said(visits: Visits, name: str, words: str, act: str | None = None) -> None:
    body = {"as": name, "content": words, "act": act}
    visits.ask("POST", "/v1/sessions/quays/messages", content=json.dumps(body))


def called(visits: Visits, **given: Any) -> Any:
    body = {"question": "Shall the quiet ones go first?", "as": "Ana", **given}
    return visits.ask("POST", "/v1/sessions/quays/votes", json=body)


def extended(visits: Visits, seconds: int) -> Any:
    path = "/v1/sessions/quays/votes/V1/extend"
    return visits.ask("POST", path, json={"seconds": seconds, "as": "Ana"})


def room(page: Page) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("v")


def test_a_vote_of_two_without_a_chair_says_that_it_cannot_carry(visits: Visits) -> None:
    """In plain words, on the vote, with what would help."""
    visits.ask("POST", "/v1/sessions", json={"session": "quays", "title": "Quays"})
    said(visits, "Ana", "The two quiet quays switch first.", "propose")
    said(visits, "Bo", "Let me think.")
    assert "cannot carry" in called(visits, proposal="P1")["missing"]
    ana = visits.person("Ana", "quays")
    room(ana)
    vote = ana.locator(".room-vote[data-ref=V1]")
    expect(vote).to_contain_text("V1 cannot carry: it takes ballots of 2 others")
    assert violations(ana) == []


def test_a_vote_among_people_runs_for_a_day_and_is_given_more(visits: Visits) -> None:
    """The dialog offers a day; the card counts down, names who is awaited, and reminds them."""
    told(visits)
    ana = visits.person("Ana", "quays")
    ana.get_by_role("button", name="Call a vote on P1").click()
    expect(ana.get_by_label("Counted after")).to_have_value("86400")
    visits.shot(ana, "vote-dialog")
    assert violations(ana) == []
    ana.locator("dialog[open] form button.primary").click()
    card = ana.locator(".brief-vote")
    expect(card.locator(".countdown")).to_have_text(re.compile("^(1 day|23 h 59 min) left$"))
    expect(card).to_contain_text("awaited: Ana, Bo, Cy")
    visits.shot(ana, "vote-card")
    assert violations(ana) == []
    (vote,) = visits.ask("GET", "/v1/sessions/quays/votes")["items"]
    card.get_by_role("button", name="Remind them").click()
    expect(card.get_by_role("button", name="Reminded")).to_be_disabled()
    (reminder,) = [
        row["entry"]
        for row in visits.ask("GET", "/v1/sessions/quays/messages?by=Ana")["items"]
        if row["entry"]["act"] == "inform"
    ]
    assert reminder["to"] == ["Bo", "Cy"]
    card.get_by_role("button", name="More time for V1").click()
    ana.get_by_label("Counted later by").select_option("3 days")
    ana.get_by_role("button", name="Give it").click()
    expect(card.locator(".countdown")).to_have_text(re.compile("^(4 days|3 days 23 h) left$"))
    expect(ana.locator("#pane-talk .happened", has_text="gave V1 3 days more")).to_be_visible()
    (later,) = visits.ask("GET", "/v1/sessions/quays/votes")["items"]
    assert later["ends_ms"] - vote["ends_ms"] == 3 * DAY_MS
    ana.reload()
    expect(ana.locator("#pane-talk .happened", has_text="Ana gave V1 3 days more")).to_be_visible()
    room(ana)
    visits.shot(ana, "vote-room")


def test_among_agents_a_vote_is_as_the_session_has_it(visits: Visits) -> None:
    """Minutes are enough where everybody else is a program."""
    told(visits, agents=True)
    ana = visits.person("Ana", "quays")
    ana.get_by_role("button", name="Call a vote on P1").click()
    expect(ana.get_by_label("Counted after")).to_have_value("")
    ana.locator("dialog[open] form button.primary").click()
    expect(ana.locator(".brief-vote .countdown")).to_have_text(re.compile("(1|2) min left"))


def test_a_vote_without_a_quorum_says_so_where_it_was_called(visits: Visits, worker: None) -> None:
    """Called for two seconds, given three more, short: on the card, in the talk, in the room."""
    told(visits)
    ana = visits.person("Ana", "quays")
    bo = visits.person("Bo", "quays", size=PHONE)
    begun = called(visits, proposal="P1", seconds=2)
    later = extended(visits, 3)
    assert later["ends_ms"] - begun["ends_ms"] == 3_000
    expect(ana.locator(".brief-vote .countdown")).to_be_visible()
    ballot = {"choice": ["accept"], "as": "Ana"}
    visits.ask("POST", "/v1/sessions/quays/votes/V1/ballots", json=ballot)
    told_words = "ended without a quorum: accept 1, reject 0."
    expect(ana.locator("p.brief-missed")).to_have_text(f"▤The vote V1 {told_words}")
    closed = next(
        row
        for row in visits.ask("GET", "/v1/sessions/quays/entries?after=0&limit=100")["items"]
        if row["entry"]["kind"] == "ballot.completed"
    )
    assert closed["t"] >= later["ends_ms"]
    line = ana.locator("#pane-talk .happened", has_text="called a vote")
    expect(line.locator(".happened-then")).to_have_text(f"It {told_words}")
    last = ana.locator("#pane-talk .happened", has_text="The ballot closed")
    expect(last).to_contain_text(told_words)
    room(ana)
    expect(ana.locator("#pane-room .over")).to_contain_text(told_words)
    visits.shot(ana, "vote-missed")
    assert violations(ana) == []
    expect(bo.locator("p.brief-missed")).to_contain_text(told_words)
    visits.shot(bo, "vote-missed-phone")
    called(visits, question="Do we meet on Monday?", seconds=1)
    expect(bo.locator(".brief-lost .poll")).to_contain_text("Do we meet on Monday?")
    expect(bo.locator(".brief-lost .poll")).to_contain_text("ended without a quorum")


def test_a_decision_says_what_it_settles_before_it_is_sent(visits: Visits) -> None:
    """As support names what it is for; nothing is settled where nothing is chosen."""
    told(visits)
    bo = visits.person("Bo", "quays")
    bo.get_by_label("What the message does").select_option("decide")
    about = bo.get_by_label("Which proposal or decision")
    expect(about).to_be_visible()
    expect(about.locator("option").first).to_have_text("settles nothing that is proposed")
    about.select_option("P1")
    expect(about.locator("option:checked")).to_contain_text("settles P1 The two quiet quays")
    visits.shot(bo, "decide")
    bo.locator("#say").fill("The quiet quays go first.")
    bo.get_by_role("button", name="Send").click()
    expect(bo.locator("#pane-talk .fact", has_text="D1")).to_be_visible()
    (decision,) = visits.ask("GET", "/v1/sessions/quays/decisions")["items"]
    assert decision["resolves"] == "P1"
