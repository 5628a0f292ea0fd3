"""The Brief, a session's first view: what it tells, a hand in it, what of the past it marks."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from parley.bus import Bus
from parley.bus.contract.drafts import Draft
from tests.page.browsers import Visits, violations
from tests.support.logs.read_talk import (
    CANDIDATE,
    FIRM,
    LINES,
    RULING,
    SETTINGS,
    reading,
)
from tests.support.servers.patience import apart

TALK = (
    ("Ana", "propose", "All five quays switch in one night, on Sunday.", None),
    ("Cy", "support", "I support P1.", "P1"),
    ("Di", "support", "I support P1.", "P1"),
    ("Ana", "propose", "The two quiet quays switch first, which replaces D1.", None),
    ("Cy", "decide", "The two quiet quays switch first. This replaces D1.", "P2"),
    ("Di", "ratify", "I ratify D2.", "D2"),
    ("Bo", "oppose", "I oppose D2. Two systems for two weeks, and I answer the phone.", "D2"),
    ("Di", "ratify", "I ratify D2 all the same.", "D2"),
    ("Ana", "propose", "We print a paper stub for every sale.", None),
    ("Cy", None, "[DECISION] We paint the sheds.", None),
    ("Di", None, "I will ask the port by Friday.", None),
)


def told(visits: Visits) -> Page:
    """A session of two chairs with something in each part, as Bo, who is one, comes to it."""
    opening = {"session": "quays", "title": "Quays", "settings": {"chair": ["Bo", "Di"]}}
    visits.ask("POST", "/v1/sessions", json=opening)
    for name, act, words, re in TALK:
        body = {"as": name, "content": words, "act": act, "re": re}
        visits.ask("POST", "/v1/sessions/quays/messages", content=json.dumps(body))
    return visits.person("Bo", "quays")


def item(page: Page, ref: str) -> Locator:
    return page.locator(f".brief-item[data-ref={ref}]")


def brief(visits: Visits) -> Any:
    return visits.ask("GET", "/v1/sessions/quays/brief")


def test_five_seconds_tell_what_stands(visits: Visits) -> None:
    """The sentence; what is in force with count, dissent and what it replaced; what may be."""
    page = told(visits)
    sentence = brief(visits)["sentence"]
    expect(page.locator(".brief-sentence")).to_have_text(f"{sentence[:-1]}; nothing waits for you.")
    assert sentence.startswith("Decided 1")
    decision = item(page, "D2")
    expect(decision.locator(".brief-text")).to_contain_text("The two quiet quays switch first")
    expect(decision.locator(".tally")).to_contain_text("1 against")
    expect(decision.locator(".dissent q")).to_have_text(
        "Two systems for two weeks, and I answer the phone."
    )
    decision.locator("summary", has_text="replaces").click()
    expect(decision.locator(".replaced s")).to_contain_text("All five quays")
    expect(page.locator(".brief-item[data-ref=D1]")).to_have_count(0)
    expect(page.locator(".action-who")).to_have_text("Di")
    expect(page.locator(".action-when")).to_have_text("by Friday")
    expect(item(page, "D3")).to_contain_text("paint the sheds")
    assert violations(page) == []
    visits.shot(page, "brief")


def test_a_press_is_said_after_some_seconds_or_taken_back(visits: Visits) -> None:
    """Taken back nothing was said; left alone it is said, with no further press."""
    page = told(visits)
    before = brief(visits)["n"]
    open_item = item(page, "P3")
    open_item.get_by_role("button", name="Oppose").click()
    expect(open_item.get_by_role("status")).to_have_text("You oppose it.")
    open_item.get_by_role("button", name="Undo").click()
    expect(open_item.get_by_role("button", name="Abstain")).to_be_visible()
    open_item.get_by_role("button", name="Abstain").click()
    expect(open_item.locator("[data-act=abstain]")).to_have_attribute("aria-pressed", "true")
    assert brief(visits)["n"] == before + 1
    assert brief(visits)["open"][0]["stances"]["neutral"] == ["Bo"]


def test_a_claim_is_confirmed_or_dismissed_by_one_press(visits: Visits) -> None:
    """Confirmed it is in force by that word."""
    page = told(visits)
    item(page, "D3").get_by_role("button", name="Confirm").click()
    expect(page.locator(".brief-decided .brief-item[data-ref=D3]")).to_contain_text(
        "confirmed by a person"
    )


def test_a_moment_of_the_past_marks_what_differs_from_now(visits: Visits) -> None:
    """What was decided then and is replaced now says so; and what came since is named."""
    page = told(visits)
    expect(item(page, "D2")).to_be_visible()
    page.get_by_label("Moment, by number").fill("3")
    expect(item(page, "D1").locator(".brief-differs")).to_have_text("now replaced by D2")
    expect(page.locator(".brief-since")).to_contain_text("Decided since: D2")
    expect(page.locator(".hand")).to_have_count(0)
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".brief-differs")).to_have_count(0)


async def land(url: str, session: str, joke: str) -> None:
    """A model's reading of the whole talk, as a worker would publish it."""
    async with await Bus.connect(url) as bus:
        await bus.publish(session, [Draft("extract:1:14:model", reading(joke))])


def test_what_a_model_reads_is_marked_and_people_correct_it(visits: Visits, redis_url: str) -> None:
    """A ruling as read is among the decisions until somebody dismisses it; candidates are apart."""
    body = {"session": "read", "title": "The index", "settings": SETTINGS}
    visits.ask("POST", "/v1/sessions", json=body)
    for who, text in LINES:
        body = {"as": who, "content": text}
        visits.ask("POST", "/v1/sessions/read/messages", content=json.dumps(body))
    found = visits.ask("GET", "/v1/sessions/read/proposals")["items"]
    found += visits.ask("GET", "/v1/sessions/read/proposals?shelf=candidate")["items"]
    joke = next(row["handle"] for row in found if "sail to the office" in row["text"])
    apart(land(redis_url, "read", joke))
    page = visits.person("eli", "read")
    expect(item(page, RULING)).to_contain_text("accepted with changes (as read)")
    expect(page.locator(f".fact[data-ref={joke}]")).to_have_count(0)
    ruling = item(page, RULING)
    expect(ruling).to_contain_text("accepted with changes (as read)")
    expect(page.locator(".brief-sentence")).to_contain_text("Decided 1")
    expect(item(page, FIRM)).to_contain_text("1 for bo (as read)")
    expect(item(page, FIRM)).to_contain_text("1 against cy (as read)")
    expect(page.locator(f".brief-item[data-ref={joke}]")).to_have_count(0)
    expect(item(page, CANDIDATE)).not_to_be_visible()
    assert violations(page) == []
    visits.shot(page, "read-brief")
    page.locator(".brief-candidates > summary").click()
    item(page, CANDIDATE).get_by_role("button", name="Confirm").click()
    expect(page.locator(f".brief-open .brief-item[data-ref={CANDIDATE}]")).to_be_visible()
    ruling.get_by_role("button", name="Dismiss").click()
    expect(ruling).to_have_count(0)
    page.get_by_role("tab", name="Minutes").click()
    expect(page.locator(".paper")).to_contain_text("May rule: eli (chair), dee (says eli, as read)")
    for name in ("Proposals", "Decisions", "Positions", "Minutes"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tabpanel")).to_be_visible()
        visits.shot(page, f"read-{name.lower()}")
