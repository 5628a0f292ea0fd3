"""When the server is away: nothing that was typed is lost, and the page says what is so."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.page.browsers import Visits


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


def test_a_stream_that_is_gone_is_told_in_a_banner(visits: Visits) -> None:
    """After some seconds, and no longer than it lasts."""
    visits.ask("POST", "/v1/sessions", json={"session": "boat", "title": "Boat"})
    page = visits.operator()
    page.route("**/events?*", lambda route: route.abort("connectionrefused"))
    page.goto(f"{visits.server.url}/s/boat")
    expect(page.locator(".away")).to_contain_text("Nothing is heard from the server since")
    expect(page.locator(".wire")).to_contain_text("reconnecting")
    page.unroute("**/events?*")
    expect(page.locator(".wire")).to_contain_text("live")
    expect(page.locator(".away")).to_be_hidden()
    visits.faults[:] = [fault for fault in visits.faults if "ERR_CONNECTION_REFUSED" not in fault]
