"""The views of the memory in a browser, against a real server: what they show, and of when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import httpx2
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Route, expect

from parley.bus import Bus, Draft
from parley.bus.entries import FloorNudged
from parley.memory.text.fences import escape_invisible
from tests.page.browsers import WAIT_MS
from tests.support.doors.doors import Standing, served
from tests.support.servers.patience import PATIENCE, apart
from tests.support.servers.servers import RedisServer, every_flavour

SESSION: Final = "harbour"
HALL: Final = "😀👍 Listen. I propose that we turn the hall into a workshop."
TRAP: Final = "I propose <img src=x onerror=alert(1)> **bold** \u202e reversed."
SHED: Final = (
    "the shed is painted green on all four sides in the first week of May, by whoever has a brush "
    "and two free hands, with paint that the house pays for and keeps under the stairs, and what "
    "is left of it goes to the fence along the road, which nobody has painted for eleven years."
)
HALL_SESSION: Final = {"session": SESSION, "title": "The hall", "settings": {"chair": ["Bo"]}}
NUDGE: Final = FloorNudged(content="What is missing?", participant="Bo")
TALK: Final = (
    ("Ana", None, HALL, None),
    ("Bo", "oppose", "I oppose P1, it is loud.", "P1"),
    ("Cy", "support", "I support P1.", "P1"),
    ("Ana", None, "It closes at eight.", None),
    ("Bo", "support", "Then I support P1.", "P1"),
    ("Cy", "propose", TRAP, None),
    ("Ana", "oppose", "I oppose P2.", "P2"),
    ("Bo", "decide", "We decided: the hall becomes a workshop.", "P1"),
    ("Cy", "oppose", "I oppose D1, we never saw the numbers.", "D1"),
    ("Bo", "propose", "I propose free coffee on Fridays.", None),
    ("Ana", "decide", f"We decided: {SHED}", None),
)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Standing]:
    """A server that holds the talk; the test that speaks in it speaks of P3 alone."""
    redis = RedisServer(every_flavour()[0])
    redis.start()
    try:
        with served(redis.url) as standing:
            _held(standing)
            apart(_nudged(redis.url))
            yield standing
    finally:
        redis.remove()


@pytest.fixture(scope="module")
def opened(browser: Browser, gateway: Standing) -> Iterator[tuple[Page, list[str]]]:
    """The session's page as Ana sees it, and what its console complains of."""
    token = gateway.token("Ana", session=SESSION)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        extra_http_headers={"Authorization": f"Bearer {token}"},
    )
    context.set_default_timeout(WAIT_MS)
    page, wrong = context.new_page(), list[str]()

    def heard(console_message: ConsoleMessage) -> None:
        if console_message.type in ("error", "warning"):
            wrong.append(console_message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{gateway.url}/s/{SESSION}")
    expect(page.locator(f".slider input[max='{len(TALK)}']")).to_be_attached()  # all of it is there
    yield page, wrong
    context.close()


@pytest.fixture
def page(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    """That page at its proposals and now; a complaint of the console fails the test."""
    page, wrong = opened
    page.locator("#tab-board").click()
    expect(page.locator("#tab-board[aria-selected=true]")).to_be_visible()
    yield page
    page.unroute_all()
    if page.locator(".slider .now").is_visible():
        page.locator(".slider .now").click()
    complaints, wrong[:] = list(wrong), []
    assert complaints == []


def test_a_cite_shows_its_words_marked_by_code_points(page: Page) -> None:
    """Two emoji before them shift nothing; the message is shown on focus, without a press."""
    proposal(page, "P1").locator(".cite").first.focus()
    card = page.locator("#evidence")
    expect(card).to_be_visible()
    marked = card.locator("mark").inner_text()
    assert marked in HALL
    assert marked.startswith("I propose")


def test_a_press_on_a_cite_opens_the_message_in_the_talk(page: Page) -> None:
    proposal(page, "P1").locator(".cite").first.click()
    expect(page.locator("#pane-talk mark").first).to_contain_text("I propose that we turn")


def test_what_others_wrote_is_text_on_the_board(page: Page) -> None:
    """Markup stays letters, and what turns the reading round is spelled out."""
    words = proposal(page, "P2").locator(".words")
    expect(words).to_contain_text("<img src=x onerror=alert(1)> bold \\u202e reversed")
    assert page.locator(".panel img").count() == 0


def test_who_stands_where_is_told_in_words_and_signs(page: Page) -> None:
    """Colour is never alone."""
    card = proposal(page, "P2")
    expect(card.locator(".reaction-bar")).to_have_attribute("aria-label", "1 oppose")
    expect(card.locator(".stand.oppose")).to_contain_text("−")
    expect(card.locator(".stand.oppose")).to_contain_text("Ana")


def test_a_decision_shows_its_dissent_with_the_reason(page: Page) -> None:
    page.locator("#tab-decisions").click()
    card = page.locator(".decision").filter(has=page.locator(".dissent")).first
    expect(card.locator(".dissent")).to_contain_text("Cy")
    expect(card.locator(".dissent q")).to_have_text("we never saw the numbers.")
    expect(card.locator(".handle").first).to_contain_text("D")


def test_a_decision_is_shown_in_full(page: Page, gateway: Standing) -> None:
    """Memory holds it in short; the rest comes from the message."""
    page.locator("#tab-decisions").click()
    newest = read(gateway, "view")["decisions"][0]
    assert newest["outcome"].endswith("…")
    expect(page.locator(".decision .outcome").first).to_have_text(f"We decided: {SHED}")


def test_what_the_floor_said_is_read_again(page: Page) -> None:
    """It has no number; the words come with the timeline."""
    expect(page.locator(".nudging")).to_have_text("↻The floor asked Bo: What is missing?")


def test_the_slider_shows_the_memory_as_it_stood(page: Page) -> None:
    """At message 3 there was one proposal, Bo was against it, and nobody may write there."""
    slide(page, 3)
    expect(page.locator(".proposal")).to_have_count(1)
    expect(proposal(page, "P1").locator(".stand.oppose")).to_contain_text("Bo")
    expect(page.locator(".hand")).to_have_count(0)
    page.locator(".slider .now").click()
    expect(page.locator(".proposal")).to_have_count(3)
    expect(page.locator(".hand").first).to_be_visible()


def test_of_many_moments_one_is_asked_for_at_a_time_and_the_newest_is_shown(page: Page) -> None:
    """However fast the slider goes; what it passed by is not asked for."""
    asked: list[Route] = []
    page.route("**/view?at=*", lambda route: asked.append(route))
    slide(page, 2)
    wait_for(page, lambda: len(asked) == 1)
    for moment in (3, 4, 5, 6):
        slide(page, moment)
    page.wait_for_timeout(300)
    assert [at(route) for route in asked] == ["2"]
    asked[0].continue_()
    wait_for(page, lambda: len(asked) == 2)
    assert at(asked[1]) == "6"
    asked[1].continue_()
    expect(page.locator(".proposal")).to_have_count(2)


def test_a_press_on_support_says_so_with_the_reason(page: Page, gateway: Standing) -> None:
    """It is a message like any other, and the board shows it when the server has it."""
    card = proposal(page, "P3")
    card.locator(".hand.support").click()
    card.locator(".because input").fill("It keeps people here.")
    page.keyboard.press("Enter")
    expect(card.locator(".hand.support")).to_have_attribute("aria-pressed", "true")
    entry = read(gateway, "messages")["items"][-1]["entry"]
    assert entry["participant"] == "Ana"
    assert entry["content"] == "It keeps people here."
    assert (entry["act"], entry["re"]) == ("support", "P3")


def test_a_change_of_side_is_marked_in_its_lane(page: Page) -> None:
    """By a sign, and in words when the mark has the focus; arrows go along the lane."""
    page.locator("#tab-lanes").click()
    lane = page.locator(".lane").filter(has_text="Bo")
    expect(lane.locator(".stance.flip")).to_contain_text("⇄")
    lane.locator(".stance").first.focus()
    page.keyboard.press("End")
    expect(page.locator(".stance-told")).to_contain_text("Bo")
    expect(page.locator(".stance.picked")).to_be_focused()


def test_the_outline_unfolds_to_the_messages(page: Page) -> None:
    page.locator("#tab-outline").click()
    page.locator(".branch > summary").first.click()
    line = page.locator(".outline-messages .leaf").nth(3)
    expect(line).to_contain_text("It closes at eight.")
    line.click()
    expect(page.locator("#pane-talk")).to_contain_text("It closes at eight.")


def test_plots_tell_their_numbers_as_a_table_too(page: Page) -> None:
    page.locator("#tab-plots").click()
    expect(page.locator(".plot canvas")).to_have_count(1)  # nothing was spent
    expect(page.locator(".plot:visible")).to_have_count(1)
    page.locator(".numbers summary").first.click()
    expect(page.locator(".numbers table").first).to_contain_text("#9")


def test_why_shows_the_words_an_item_rests_on(page: Page) -> None:
    """In a dialog, which gives the focus back to where it was."""
    button = proposal(page, "P1").locator(".why")
    button.click()
    dialog = page.get_by_role("dialog", name="Why is P1 here?")
    expect(dialog).to_contain_text("I propose that we turn the hall into a workshop")
    expect(dialog.locator(".stood")).to_contain_text("Bo")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_the_minutes_are_kept_as_markdown_of_the_moment(page: Page) -> None:
    slide(page, 5)
    page.locator("#tab-minutes").click()
    expect(page.locator(".paper")).to_contain_text("5 messages")
    with page.expect_download() as kept:
        page.locator("[data-format=md]").click()
    assert kept.value.suggested_filename == f"{SESSION}-minutes-5.md"
    assert "workshop" in kept.value.path().read_text("utf-8")
    with page.expect_download() as kept:
        page.locator("[data-format=csv]").click()
    assert kept.value.suggested_filename == f"{SESSION}-minutes-5.csv"
    rows = kept.value.path().read_text("utf-8").splitlines()
    assert rows[0] == '"who","what","by when","message"'


def test_the_minutes_tab_is_the_page_that_every_form_shows(page: Page, gateway: Standing) -> None:
    """Headings, lines and what they cite are those of the text, in its order and depth."""
    page.locator("#tab-minutes").click()
    expect(page.locator(".paper h3", has_text="Who moved")).to_be_visible()
    shown = page.locator(".paper").evaluate(
        """(paper) => [...paper.querySelectorAll('h2, h3, p')].flatMap((node) => {
            let depth = 0;
            for (let at = node; at !== paper; at = at.parentElement) depth += at.matches('li');
            const inner = node.matches('.line-long > .line-words');
            return node.innerText.split('\\n').map((words) => [depth + (inner ? 0.5 : 0), words]);
        })"""
    )
    told = read(gateway, "minutes")["page"]
    text = minutes_text(gateway).partition("\nEvidence\n")[0]
    cells = {
        f"{line['mark']} {line['text']}"
        for section in told["sections"]
        if section["columns"]
        for line in section["lines"]
    }
    words = [line for line in text.split("\n") if line and line.strip() not in cells]
    depths = [(len(line) - len(line.lstrip()) + 2) / 4 if line[0] == " " else 0 for line in words]
    lines = [re.sub(r"( \[\d+\])+$", "", line.strip()) for line in words]
    about = {section["about"] for section in told["sections"]}
    about |= {escape_invisible(line) for line in told["lead"].split("\n")}
    # The page leads to every message, a file only to those that it quotes.
    said = [(depth, re.sub(r"( #\d+)+$", "", " ".join(words.split()))) for depth, words in shown]
    assert [words for _, words in said] == lines
    assert [depth for (depth, words) in said if words not in about] == [
        depth for depth, line in zip(depths, lines, strict=True) if line not in about
    ]


def test_a_handle_in_the_minutes_tells_why_it_is_there(page: Page) -> None:
    """By its button, the cites mark what was said, and names have their colours."""
    page.locator("#tab-minutes").click()
    paper = page.locator(".paper")
    paper.locator(".line-against .cite").first.focus()
    expect(page.locator("#evidence mark")).to_contain_text("I oppose P2")
    expect(paper.locator(".line-against .name").first).to_have_attribute(
        "data-hue", re.compile(".")
    )
    page.get_by_role("button", name="Why is D1 here?").click()
    expect(page.get_by_role("dialog")).to_contain_text("workshop")
    page.keyboard.press("Escape")


def _held(gateway: Standing) -> None:
    with client(gateway, gateway.operator()) as operator:
        made = operator.post("/v1/sessions", json=HALL_SESSION)
        assert made.status_code == 201, made.text
    for who, act, content, about in TALK:
        with client(gateway, gateway.token(who, session=SESSION)) as speaker:
            fields = {"content": content, "act": act, "re": about}
            body = {name: value for name, value in fields.items() if value is not None}
            answer = speaker.post(f"/v1/sessions/{SESSION}/messages", json=body)
            assert answer.status_code == 201, answer.text


async def _nudged(redis_url: str) -> None:
    """The floor asks at the end, as an arbiter has it ask."""
    async with await Bus.connect(redis_url) as bus:
        await bus.publish(SESSION, [Draft("nudge:1", NUDGE)])


def minutes_text(gateway: Standing) -> str:
    with client(gateway, gateway.operator()) as operator:
        answer = operator.get(f"/v1/sessions/{SESSION}/minutes", params={"format": "text"})
        return str(answer.text)


def client(gateway: Standing, token: str) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.Client(base_url=gateway.url, headers=headers, timeout=PATIENCE)


def read(gateway: Standing, what: str) -> Any:
    with client(gateway, gateway.operator()) as operator:
        return operator.get(f"/v1/sessions/{SESSION}/{what}").json()


def proposal(page: Page, ref: str) -> Locator:
    return page.locator(f'.proposal[data-ref="{ref}"]')


def slide(page: Page, n: int) -> None:
    """As a hand does it: the value, and the event."""
    page.locator(".slider input").evaluate(
        "(node, n) => { node.value = n; node.dispatchEvent(new Event('input')); }", n
    )


def at(route: Route) -> str:
    return route.request.url.rpartition("=")[2]


def wait_for(page: Page, condition: Any) -> None:
    for _ in range(WAIT_MS // 20):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come about")
