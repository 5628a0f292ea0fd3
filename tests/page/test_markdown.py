"""Messages are shown as the Markdown that they are written in, and as nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.page.browsers import Visits, violations
from tests.support.doors.hostile import HOSTILE

ALLOWED: Final = frozenset({
    "a", "blockquote", "button", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "li",
    "mark", "ol", "p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
})  # fmt: skip
WRITTEN: Final = """\
## Plan

I propose **two** steps, see [the notes](https://notes.example/a "t") & `make test`:

1. Freeze the *schema*
   - keep `id`
   - [x] drop ~~old~~ new names
2. Move the data

| step | days |
|------|-----:|
| 1    |    2 |

```python
def move():
\treturn 1
```

> Somebody said: no.

[PROPOSE] We do it on Friday.
"""
SEEN: Final = {
    "a <b>bold</b> <script>x</script>": "a <b>bold</b> <script>x</script>",
    "<div>\n*x*\n</div>": "<div>\nx\n</div>",
    "[a]: https://evil.example/ 'hidden words'": "[a]: https://evil.example/ 'hidden words'",
    "[x](javascript:alert(1)) ![y](data:text/html,z)": "x image: y",
    "\ufeffone **two**": "\\ufeffone **two**",
    "a\u202eb &#x202e; &nbsp;c": "a\\u202eb \\u202e  c",
    "```\n\n\nx\n```": "Copy\n\nx\n",
}
MARKED: Final = {
    "**two** steps": "two| steps",
    "Freeze the *schema*": "Freeze the |schema",
    "return 1": "return 1",
    "| 1    |    2 |": "1|2",
    "& `make test`": "& |make test",
    "[PROPOSE] We do it": "PROPOSE| We do it",
}
READ_EXAMPLES: Final = "JSON.stringify(require('commonmark-spec').tests)"

# Evaluated on the page: how a text is shown there.
SHOW: Final = """async ([text, spans]) => {
    const { words } = await import('/static/words.js');
    const box = words(text, spans);
    document.querySelector('main, body').append(box);
    const nodes = [...box.querySelectorAll('*')];
    const links = nodes.filter((node) => node.localName === 'a');
    const marks = nodes.filter((node) => node.localName === 'mark');
    const shown = {
        words: box.textContent,
        names: [...new Set(nodes.map((node) => node.localName))],
        attributes: [...new Set(nodes.flatMap((node) => node.getAttributeNames()))],
        links: links.map((node) => [node.href, node.rel, node.dataset.host ?? null]),
        marked: marks.map((node) => node.textContent).join('|'),
    };
    box.remove();
    return shown;
}"""


@pytest.fixture
def page(visits: Visits) -> Page:
    """The page of a session with one message, written in Markdown."""
    visits.ask("POST", "/v1/sessions", json={"session": "demo", "title": "Demo"})
    body = {"content": WRITTEN, "as": "Ana", "act": "propose"}
    visits.ask("POST", "/v1/sessions/demo/messages", content=json.dumps(body))
    return visits.person("Ben", "demo")


def show(page: Page, text: str, spans: tuple[tuple[int, int], ...] = ()) -> Any:
    return page.evaluate(SHOW, [text, spans])


def test_a_message_is_shown_as_it_is_written(visits: Visits, page: Page) -> None:
    """Headings, lists, tables, code and quotes are such; a tag of the grammar is a chip."""
    message = page.locator("article.msg").last
    expect(message.locator("h4")).to_have_text("Plan")
    expect(message.locator("ol > li")).to_have_count(2)
    expect(message.locator("ol ul > li")).to_have_count(2)
    expect(message.get_by_role("img", name="done")).to_be_visible()
    expect(message.locator("td").last).to_have_text("2")
    expect(message.locator("pre code")).to_have_text("def move():\n    return 1")
    expect(message.locator("blockquote")).to_have_text("Somebody said: no.")
    expect(message.locator(".tag")).to_have_text("PROPOSE")
    expect(message.locator(".act")).to_have_count(0)
    link = message.get_by_role("link", name="the notes")
    expect(link).to_have_attribute("rel", "noreferrer noopener")
    expect(link).to_have_attribute("data-host", "notes.example")
    message.get_by_role("button", name="Copy").click()
    expect(message.locator(".code button")).not_to_have_text("Copy")
    assert violations(page) == []
    visits.shot(page, "markdown")


def test_whatever_was_said_is_seen(page: Page) -> None:
    """Raw HTML, definitions of links, and addresses that no browser should follow are words."""
    for text, words in SEEN.items():
        shown = show(page, text)
        assert shown["words"] == words
        assert [link for link in shown["links"] if not link[0].startswith("https:")] == []


def test_a_link_tells_its_host(page: Page) -> None:
    """Unless the words are its address; a name before the host is no disguise."""
    text = "[bank](https://evil.example/x) https://a.example/b https://bank.example@evil.example/"
    assert show(page, text)["links"] == [
        ["https://evil.example/x", "noreferrer noopener", "evil.example"],
        ["https://a.example/b", "noreferrer noopener", None],
        ["https://bank.example@evil.example/", "noreferrer noopener", "evil.example"],
    ]


def test_a_cited_span_is_marked_to_the_character(page: Page) -> None:
    """Whatever signs of Markdown stand within it; what stands beside it is not."""
    text = "\U0001f600 " + WRITTEN  # a character that is two in JavaScript
    for quote, marked in MARKED.items():
        start = text.index(quote)
        assert show(page, text, ((start, start + len(quote)),))["marked"] == marked


def test_no_text_makes_another_element(page: Page) -> None:
    """Hostile words, and nesting without end."""
    deep = [
        "> " * 2000 + "x",
        "- " * 900 + "x",
        "*a **b " * 600,
        "[" * 3000,
        "`" * 3001 + "a",
        "|a" * 900,
    ]
    for text in [*HOSTILE.values(), *deep, WRITTEN]:
        shown = show(page, text)
        assert set(shown["names"]) <= ALLOWED, text[:80]
        assert not any(name.startswith("on") or name == "src" for name in shown["attributes"])


@pytest.mark.long
def test_the_examples_of_the_specification_make_no_other_element(
    page: Page, tmp_path: Path
) -> None:
    """The CommonMark examples, from their package."""
    if shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts",
               "commonmark-spec@0.31.2"]  # fmt: skip
    if subprocess.run(install, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("the examples of CommonMark cannot be had here")
    listing = subprocess.run(
        ["node", "-p", READ_EXAMPLES],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    examples = json.loads(listing)
    assert len(examples) > 600
    for example in examples:
        assert set(show(page, example["markdown"])["names"]) <= ALLOWED, example["number"]
