"""When the server is away: nothing that was typed is lost, and the page says what is so."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.faults.gateway import Gateway
from tests.page.browsers import Apart, Visits, violations
from tests.support.servers.patience import apart
from tests.support.servers.servers import RedisServer, real_flavours

BOAT: Final = "/v1/sessions/boat"


def test_what_is_written_while_the_server_is_away_is_sent_once_it_answers(visits: Visits) -> None:
    """Once, without another press; a banner says what is kept, and the lamp is not green."""
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    page = visits.person("Ana", "boat")
    expect(page.locator(".wire")).to_contain_text("live")

    def lost(route: Route) -> None:
        route.abort("connectionrefused")

    page.route("**/v1/**", lost)
    page.reload()  # the stream that stands would go on
    page.unroute("**/v1/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".wire")).to_contain_text("live")
    page.route("**/messages", lost)
    page.locator("#say").fill("We paint the boat.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".composer .told")).to_contain_text("What you wrote is kept")
    expect(page.locator("#say")).to_have_value("We paint the boat.")
    page.unroute("**/messages")
    expect(page.locator("#say")).to_have_value("")
    expect(page.locator("article.msg")).to_have_count(1)
    assert visits.ask("GET", "/v1/sessions/boat")["n"] == 1
    visits.faults[:] = [fault for fault in visits.faults if "ERR_CONNECTION_REFUSED" not in fault]


SAMPLE = """() => {
    window.lamp = [];
    setInterval(() => window.lamp.push(document.querySelector('.wire').textContent), 50);
}"""


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Gateway, RedisServer]]:
    """A server in a process of its own, on a Redis that keeps what it acknowledged."""
    with RedisServer(real_flavours()[0], aof="always") as redis:
        gateway = Gateway(redis.url, tmp_path)
        apart(gateway.start())
        yield gateway, redis
        gateway.kill()


def hears(page: Page, word: str) -> list[str]:
    """Wait until the lamp says `word`; what it said since this was last asked."""
    expect(page.locator(".wire")).to_contain_text(word)
    return cast("list[str]", page.evaluate("() => window.lamp.splice(0)"))


def written(page: Page, words: str) -> None:
    page.locator("#say").fill(words)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".composer .told")).to_contain_text("What you wrote is kept")


def test_what_is_wrong_is_said_and_nothing_typed_is_lost(
    browser: Browser, servers: tuple[Gateway, RedisServer]
) -> None:
    """Redis is stopped, the server is killed, then frozen: each is told apart, and ends.

    While it lasts the lamp never says "live"; each message lands once.
    """
    gateway, redis = servers
    visits = Visits(browser, Apart(gateway))
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    page = visits.person("Ana", "boat")
    expect(page.locator(".wire")).to_contain_text("live")
    page.evaluate(SAMPLE)
    redis.stop()
    written(page, "Redis is away.")
    hears(page, "not saving")
    expect(page.locator(".away")).to_contain_text("its Redis has not answered since")
    assert {*hears(page, "not saving")} <= {"not saving…"}
    redis.start()
    hears(page, "live")
    expect(page.locator("article.msg")).to_have_count(1)
    expect(page.locator(".away")).to_be_hidden()
    gateway.kill()
    written(page, "The server is away.")
    hears(page, "reconnecting")
    expect(page.locator(".away")).to_contain_text("Nothing is heard from the server since")
    assert {*hears(page, "reconnecting")} <= {"reconnecting…"}
    visits.shot(page, "away")
    apart(gateway.start())
    expect(page.locator("article.msg")).to_have_count(2)
    hears(page, "live")
    gateway.signal(signal.SIGSTOP)  # its connections stand, and nothing comes
    hears(page, "reconnecting")
    gateway.signal(signal.SIGCONT)
    hears(page, "live")
    expect(page.locator("#say")).to_have_value("")
    said = [row["entry"]["content"] for row in visits.ask("GET", f"{BOAT}/messages")["items"]]
    assert said == ["Redis is away.", "The server is away."]
    page.context.close()
    broken = re.compile("Failed to load resource|^50[0-9] |server responded with a status")
    assert [fault for fault in visits.faults if not broken.search(fault)] == []


def test_a_link_that_is_over_says_so_and_another_goes_on(visits: Visits) -> None:
    """The draft stays, with what it answers and does, through that and through a reload."""
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    visits.ask("POST", f"{BOAT}/messages", json={"content": "Who is @bo?", "as": "Bo Berg"})
    page = visits.person("Ana", "boat")
    page.locator("article.msg").hover()
    page.get_by_role("button", name="Answer").click()
    page.get_by_label("What the message does").select_option("propose")
    page.locator("#say").press_sequentially("We ask @be")
    expect(page.get_by_role("option", name="Bo Berg")).to_be_visible()
    assert violations(page) == []
    page.locator("#say").press("Enter")
    expect(page.locator("#say")).to_have_value("We ask @Bo Berg ")
    page.reload()
    expect(page.locator("#say")).to_have_value("We ask @Bo Berg ")
    expect(page.get_by_label("What the message does")).to_have_value("propose")
    expect(page.locator(".replying")).to_contain_text("#1")
    expect(page.locator("article.msg")).to_have_count(1)
    page.context.clear_cookies()
    page.locator("#say").press("Enter")
    expect(page.locator(".away")).to_contain_text("What you wrote is kept here.")
    expect(page.locator(".wire")).to_contain_text("cut off")
    assert violations(page) == []
    page.get_by_label("Link or ticket").fill(visits.link("/s/boat", "Ana", "person", "boat"))
    page.get_by_role("button", name="Come in again").click()
    expect(page.locator("article.msg", has_text="We ask @Bo Berg")).to_have_count(1)
    expect(page.locator("#say")).to_have_value("")
    (_, row) = visits.ask("GET", f"{BOAT}/messages")["items"]
    assert (row["entry"]["act"], row["entry"]["re"]) == ("propose", 1)
    visits.faults[:] = [fault for fault in visits.faults if "401" not in fault]


def test_who_closes_their_page_is_soon_shown_as_away(visits: Visits) -> None:
    """They keep their seat, and are back as soon as they come again."""
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    bo = visits.person("Bo", "boat")
    bo.get_by_role("button", name="Join").click()
    ana = visits.person("Ana", "boat")
    words = ana.locator(".person-name", has_text="Bo")
    expect(words).to_contain_text("person, 0 messages")
    bo.context.close()
    expect(words).to_contain_text("person, away, 0 messages")
    visits.person("Bo", "boat")
    expect(words).to_contain_text("person, 0 messages")
