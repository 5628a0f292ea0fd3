"""Whatever a stranger says is text on the page: nothing of it runs, loads, or poses as ours."""

from __future__ import annotations

import json
import re
from typing import Final

from playwright.sync_api import Page, expect

from parley.memory.text.fences import escape_invisible
from tests.page.browsers import Visits
from tests.support.doors.hostile import HOSTILE, MARKER, mebibyte

TABS: Final = ("Brief", "Proposals", "Decisions", "Positions", "Outline", "Course", "Minutes")
SAYABLE: Final = {name: words for name, words in HOSTILE.items() if words.strip()}


def untouched(page: Page, title: str) -> None:
    """The page has only elements of its own, asked nobody else, and shows no raw control."""
    assert title in page.title()
    made = page.evaluate(
        """() => [...document.querySelectorAll('body *')].flatMap((one) => [
            ...(['script', 'iframe', 'object', 'embed', 'base', 'meta', 'link', 'style',
                 'foreignobject'].includes(one.localName) ? [one.localName] : []),
            ...(one.localName === 'img' && !one.src.startsWith(location.origin) ? ['img'] : []),
            ...[...one.attributes].filter(({name, value}) => name.startsWith('on')
                || (/^(href|src|srcdoc|action|formaction|xlink:href)$/.test(name)
                    && /^\\s*(javascript|data):/i.test(value))).map(({name}) => `@${name}`),
            ...(one.localName === 'a' && one.origin !== location.origin
                && !(one.rel.includes('noreferrer') && /^(https?|mailto):$/.test(one.protocol))
                ? ['a'] : []),
        ])"""
    )
    assert made == []
    raw = page.evaluate(
        r"""() => document.body.textContent
            .match(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u200b\u2060\ufeff]/gu)"""
    )
    assert raw is None
    assert escape_invisible(page.title()) == page.title()


def test_hostile_words_names_and_titles_are_text_in_every_view(visits: Visits) -> None:
    """As content, topic and speaker, in the talk, each tab and the dialogs; as title of the tab."""
    title = HOSTILE["closing script"] + HOSTILE["bidi"]
    visits.ask("POST", "/v1/sessions", json={"session": "demo", "title": title})
    acts = ("propose", "ask", "decide", None)
    for index, (name, words) in enumerate(SAYABLE.items()):
        body = {"content": words, "as": " ".join(words.split())[:100].strip()}
        if act := acts[index % len(acts)]:
            body |= {"act": act, "topic": f"{name} {words}"[:100]}
        visits.ask("POST", "/v1/sessions/demo/messages", content=json.dumps(body))
    worst = SAYABLE["bidi"]
    visits.ask("POST", "/v1/sessions/demo/goals", json={"title": worst, "as": worst})
    alias = {"alias": f"{HOSTILE['image'][:100]}", "participant": worst}
    visits.ask("POST", "/v1/sessions/demo/aliases", json=alias)
    rules = {"goal": HOSTILE["svg"], "chair": [HOSTILE["colours"]]}
    visits.ask("PATCH", "/v1/sessions/demo/settings", json={"settings": rules})
    page = visits.person("Ana", "demo")
    requests: list[str] = []
    page.on("request", lambda asked: requests.append(asked.url))
    expect(page.locator(".wire")).to_contain_text("live")
    expect(page.locator("article.msg").last).to_contain_text(MARKER)
    for tab in TABS:
        page.get_by_role("tab", name=tab).click()
        expect(page.locator("#panel .view")).not_to_be_empty()
        untouched(page, "</script>")
    page.get_by_role("tab", name="Proposals").click()
    page.get_by_role("button", name="Why is P1 here?").first.click()
    expect(page.locator("dialog[open]")).to_contain_text(MARKER)
    untouched(page, "</script>")
    page.keyboard.press("Escape")
    page.locator("article.msg").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open] .words")).to_contain_text(MARKER)
    untouched(page, "</script>")
    page.keyboard.press("Escape")
    expect(page.locator(".goals li")).to_contain_text(MARKER)
    page.locator(".person-name:has(.also)").click()
    expect(page.locator("dialog[open]")).to_contain_text("Also known as")
    untouched(page, "</script>")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="About this session").click()
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("[data-key=goal] .setting")).to_contain_text(MARKER)
    untouched(page, "</script>")
    page.keyboard.press("Escape")
    for k in range(1, len(SAYABLE) + 1, 4):
        page.get_by_label("Moment, by number").fill(str(k))
    untouched(page, "</script>")
    own = (visits.server.url, f"blob:{visits.server.url}", "data:image/")
    assert [url for url in requests if not url.startswith(own)] == []


def test_the_title_of_the_tab_is_text_and_of_this_session_alone(visits: Visits) -> None:
    """Each hostile title as it can be seen; what one session is called is gone with it."""
    secret = "merger with the third harbour"
    visits.ask("POST", "/v1/sessions", json={"session": "secret", "title": secret})
    page = visits.operator("/s/secret")
    expect(page).to_have_title(f"{secret} – Parley")
    for k, words in enumerate(SAYABLE.values()):
        title = words[:200]
        visits.ask("POST", "/v1/sessions", json={"session": f"s{k}", "title": title})
        page.evaluate("path => history.pushState(null, '', path)", f"/s/s{k}")
        page.evaluate("dispatchEvent(new Event('popstate'))")
        expect(page.locator(".wire")).to_contain_text("live")
        expect(page).not_to_have_title(re.compile(secret))
        untouched(page, "– Parley")
        assert not re.search(r"[\x00-\x1f\u202a-\u202e\u2066-\u2069]", page.title())
    page.evaluate("history.pushState(null, '', '/'); dispatchEvent(new Event('popstate'))")
    expect(page).to_have_title("Parley")
    guest = visits.person("Ana", "s0")
    expect(guest.locator(".wire")).to_contain_text("live")
    guest.goto(f"{visits.server.url}/s/secret")
    expect(guest.locator("body")).not_to_be_empty()
    assert secret not in guest.title()
    assert secret not in guest.content()


def test_a_mebibyte_does_not_stop_the_page(visits: Visits) -> None:
    """It is shown, and the next message is still written."""
    visits.ask("POST", "/v1/sessions", json={"session": "demo", "title": "Demo"})
    body = {"content": mebibyte(), "as": "Mo"}
    visits.ask("POST", "/v1/sessions/demo/messages", json=body)
    page = visits.person("Ana", "demo")
    expect(page.locator("article.msg", has_text=MARKER).first).to_be_attached()
    page.locator("#say").fill("Still here.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("article.msg", has_text="Still here.").first).to_be_visible()
    untouched(page, "Demo")


def test_the_minutes_file_runs_nothing(visits: Visits) -> None:
    """Opened by itself in a browser that would run scripts."""
    visits.ask("POST", "/v1/sessions", json={"session": "demo", "title": HOSTILE["image"]})
    for words in SAYABLE.values():
        body = {"content": words, "as": "Mo", "act": "propose"}
        visits.ask("POST", "/v1/sessions/demo/messages", content=json.dumps(body))
    page = visits.shown(visits.fetch("/v1/sessions/demo/minutes?format=html"))
    assert "<img" in page.title()
    kinds = page.evaluate("[...new Set([...document.querySelectorAll('*')].map(o => o.localName))]")
    assert not {"script", "img", "iframe", "svg", "form", "input", "object"} & set(kinds)
    assert page.locator("a:not([href^='#m'])").count() == 0
