"""The page over HTTP: its files, their headers, and what they may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest

from parley.server.http.routes.access import page_file_routes
from parley.server.http.transport.asgi_middleware import FOR_PAGES
from tests.support.doors.doors import doors

OWN = {
    name: file for name, file in page_file_routes.FILES.items() if not name.startswith("vendor/")
}
SCRIPTS = {name: file.body.decode() for name, file in OWN.items() if name.endswith(".js")}
SHELLS = {name: file.body.decode() for name, file in OWN.items() if name.endswith(".html")}


@pytest.mark.parametrize("path", ["/", "/s/harbour", "/docs"])
async def test_a_shell_is_for_anyone_under_the_strict_policy(redis_url: str, path: str) -> None:
    """Nobody's name is needed for it, and nothing of any session is in it."""
    async with doors(redis_url) as d, d.client() as nobody:
        response = await nobody.get(path)
        assert response.status_code == 200
        assert response.headers["content-security-policy"] == FOR_PAGES
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert "camera=()" in response.headers["permissions-policy"]
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert "harbour" not in response.text


async def test_a_file_is_kept_by_who_has_it(redis_url: str) -> None:
    """Its tag is of its bytes: whoever sends it back is told that nothing changed."""
    async with doors(redis_url) as d, d.client() as nobody:
        response = await nobody.get("/static/app.js")
        assert response.headers["content-type"] == "text/javascript; charset=utf-8"
        assert response.headers["cache-control"] == "max-age=300"
        same = await nobody.get(
            "/static/app.js", headers={"If-None-Match": response.headers["etag"]}
        )
        assert (same.status_code, same.content) == (304, b"")
        other = await nobody.get("/static/app.js", headers={"If-None-Match": '"other"'})
        assert other.content == response.content


@pytest.mark.parametrize(
    "path",
    [
        "/static/nothing.js",
        "/static/",
        "/static/css",
        "/static/index.html",
        "/static/../pages.py",
        "/static/%2e%2e/gateway/pages.py",
        "/static/..%2fgateway%2fpages.py",
        "/static//etc/passwd",
    ],
)
async def test_only_files_of_the_page_are_sent(redis_url: str, path: str) -> None:
    """No request names a path that is opened."""
    async with doors(redis_url) as d, d.client() as nobody:
        response = await nobody.get(httpx2.URL(d.url + path))
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/problem+json"


async def test_a_session_that_cannot_be_is_refused(redis_url: str) -> None:
    """Its name is not one that a session may have."""
    async with doors(redis_url) as d, d.client() as nobody:
        assert (await nobody.get("/s/a%20b")).status_code == 422


def wanted(script: str, name: str) -> Iterator[str]:
    """The files that a script imports."""
    folder = name.rpartition("/")[0]
    for path in re.findall(r'\bfrom "((?:/static|\.)/[^"]+)";', script):
        yield path.removeprefix("/static/") if path[0] == "/" else f"{folder}/{path[2:]}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_script_imports_is_there(name: str) -> None:
    """A name that is written wrong would only be found where somebody opens that view."""
    assert [
        path for path in wanted(SCRIPTS[name], name) if path not in page_file_routes.FILES
    ] == []


def test_every_tab_has_its_view() -> None:
    """Views are loaded by name when they are first shown."""
    tabs = re.findall(r'^  \["(\w+)", "', SCRIPTS["tabs.js"], re.MULTILINE)
    assert len(tabs) == 7
    assert [tab for tab in (*tabs, "time", "why", "travel") if f"views/{tab}.js" not in OWN] == []


@pytest.mark.parametrize("name", SHELLS)
def test_what_a_shell_links_is_there_and_nothing_stands_in_it(name: str) -> None:
    """No script, style or handler in the page itself: the policy would not let it run."""
    text = SHELLS[name]
    linked = re.findall(r'(?:src|href)="/static/([^"]+)"', text)
    assert linked
    assert [path for path in linked if path not in page_file_routes.FILES] == []
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text)


FORBIDDEN = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment"
    r"|\beval\(|new Function|setAttribute\(\s*\"style\"|javascript:|localStorage\.setItem\(\"token"
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_of_words(name: str) -> None:
    """What comes from a session is only ever text."""
    assert re.findall(FORBIDDEN, SCRIPTS[name]) == []


@pytest.mark.parametrize("name", OWN)
def test_nothing_is_fetched_from_elsewhere(name: str) -> None:
    """No address of another host, but those that name a kind of markup or an example."""
    matches = re.findall(r"https?://[\w.]+", OWN[name].body.decode())
    assert set(matches) <= {"http://www.w3.org"}


def test_scripts_are_short() -> None:
    """As modules of the server are."""
    assert {
        name: text.count("\n") for name, text in SCRIPTS.items() if text.count("\n") > 260
    } == {}
