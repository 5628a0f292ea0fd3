"""By which names the server is called, from whose pages, and what its answers carry."""

from __future__ import annotations

from typing import Any

import pytest

from parley.server.basics.errors import Misuse
from parley.server.http.identity.credentials import KEY_HEADER
from parley.server.http.state.origins import OriginRules
from parley.server.http.transport.asgi_middleware import FOR_DATA, FOR_PAGES
from parley.server.settings.serve_settings import ServeSettings
from tests.support.doors.doors import Standing, doors

EVIL = "https://evil.example"
FRIEND = "https://friend.example"


def origins(port: int = 8700, **given: Any) -> OriginRules:
    return OriginRules(ServeSettings(**given), port)


@pytest.mark.parametrize(
    ("given", "port", "host", "answered"),
    [
        ({}, 8700, "localhost:8700", True), ({}, 8700, "LOCALHOST:8700", True),
        ({}, 8700, "127.0.0.1:8700", True), ({}, 8700, "[::1]:8700", True),
        ({}, 8700, "localhost", False), ({}, 8700, "localhost:8701", False),
        ({}, 80, "localhost", True), ({}, 80, "localhost:80", True),
        ({}, 8700, "evil.example:8700", False), ({}, 8700, "127.0.0.1.nip.example:8700", False),
        ({}, 8700, "", False),
        ({"host": "10.0.0.7"}, 8700, "10.0.0.7:8700", True),
        ({"host": "fd00::7"}, 8700, "[fd00::7]:8700", True),
        ({"host": "0.0.0.0"}, 8700, "0.0.0.0:8700", False),
        ({"host": "0.0.0.0"}, 8700, "127.0.0.1:8700", True),
        ({"public": ("https://Parley.example/",)}, 8700, "parley.example", True),
        ({"public": ("https://parley.example",)}, 8700, "parley.example:443", True),
        ({"public": ("https://parley.example",)}, 8700, "parley.example:8700", False),
        ({"public": ("http://parley.example:81",)}, 8700, "parley.example:81", True),
        ({"public": ("https://Bücher.example",)}, 8700, "xn--bcher-kva.example", True),
        ({"origins": (FRIEND,)}, 8700, "friend.example", False),
    ],
)  # fmt: skip
def test_a_server_answers_to_its_own_names(
    given: dict[str, Any], port: int, host: str, answered: bool
) -> None:
    """Names of this machine with its port, the address it is bound to, the public ones."""
    assert origins(port, **given).is_host(host) is answered


def test_own_pages_and_allowed_pages_differ() -> None:
    """An origin that may call is not one whose cookies count."""
    rules = origins(public=("https://parley.example",), origins=("https://FRIEND.example:443/",))
    assert rules.url == "https://parley.example"
    assert rules.is_own("https://parley.example")
    assert rules.is_own("http://localhost:8700")
    assert not rules.is_own("http://parley.example")
    assert not rules.is_own(FRIEND)
    assert rules.is_allowed(FRIEND)
    assert not any(rules.is_allowed(origin) for origin in ("null", "", "*", EVIL))


@pytest.mark.parametrize(
    "given",
    [{"public": ("parley.example",)}, {"public": ("ftp://x",)}, {"origins": ("*",)},
     {"origins": ("https://a.example/path",)}, {"origins": ("https://me@a.example",)},
     {"public": ("https://a:port",)}, {"public": ("https://a..b",)}],
)  # fmt: skip
def test_what_is_no_address_is_refused_at_the_start(given: dict[str, Any]) -> None:
    """By the name of the setting."""
    with pytest.raises(Misuse, match=f"serve.{next(iter(given))}"):
        origins(**given)


def slug(answer: Any) -> str:
    return str(answer.json()["type"]).rpartition(":")[2]


async def logged_in(d: Standing, client: Any, role: Any = "person", session: str = "*") -> Any:
    async with d.client(d.operator()) as operator:
        wish = {"name": "ana", "role": role, "session": session, "force": True}
        ticket = (await operator.post("/v1/tickets", json=wish)).json()["ticket"]
    return await client.post("/v1/login", json={"ticket": ticket})


async def test_a_foreign_host_is_refused(redis_url: str) -> None:
    """A name that somebody pointed here: its pages would be of one origin with this server."""
    async with doors(redis_url) as d, d.client(d.operator()) as operator:
        for path in ("/v1/me", "/healthz", "/nothing"):
            response = await operator.get(path, headers={"Host": "evil.example"})
            assert (response.status_code, slug(response)) == (421, "host")


async def test_a_foreign_page_may_not_change_anything(redis_url: str) -> None:
    """Not even with a token in the header, unless it is one that the settings allow."""
    async with doors(redis_url, origins=(FRIEND,)) as d, d.client(d.operator()) as operator:
        for origin in (EVIL, "null", ""):
            response = await operator.post("/v1/tickets", json={}, headers={"Origin": origin})
            assert (response.status_code, slug(response)) == (403, "origin")
        for origin in (d.url, FRIEND):
            response = await operator.post("/v1/tickets", json={}, headers={"Origin": origin})
            assert response.status_code == 201
        assert (await operator.get("/v1/me", headers={"Origin": EVIL})).status_code == 200
        response = await operator.get("/mcp", headers={"Origin": EVIL})
        assert (response.status_code, slug(response)) == (403, "origin")


async def test_a_cookie_counts_for_our_own_pages_only(redis_url: str) -> None:
    """What changes something needs the origin of the server: not none, not another's."""
    async with doors(redis_url, origins=(FRIEND,)) as d, d.client() as browser:
        response = await logged_in(d, browser)
        assert (response.status_code, response.json()["name"]) == (200, "ana")
        assert (await browser.get("/v1/me")).json()["name"] == "ana"
        for headers in ({}, {"Origin": FRIEND}):
            response = await browser.post("/v1/tickets", json={}, headers=headers)
            assert (response.status_code, slug(response)) == (403, "origin")
        response = await browser.post("/v1/tickets", json={}, headers={"Origin": d.url})
        assert response.status_code == 201


async def test_cookies_are_for_the_browser_alone(redis_url: str) -> None:
    """No script reads them, and no other site's page sends them."""
    async with doors(redis_url) as d, d.client() as browser:
        kept = (await logged_in(d, browser)).headers.get_list("set-cookie")
        assert len(kept) == 1
        assert {"HttpOnly", "SameSite=strict", "Path=/"} < set(kept[0].split("; "))
        assert "Secure" not in kept[0]


async def test_a_cookie_counts_for_nothing_alone(redis_url: str) -> None:
    """Browsers send it to every port of the host: whoever listens there can do nothing with it."""
    async with doors(redis_url) as d, d.client() as browser, d.client() as thief:
        await logged_in(d, browser, "operator")
        (cookie,) = browser.cookies.jar
        assert (await browser.get("/v1/me")).status_code == 200
        thief.headers.pop(KEY_HEADER)
        sent = {"Cookie": f"{cookie.name}={cookie.value}"}
        for key in ({}, {KEY_HEADER: "another key, as long"}):
            response = await thief.get("/v1/me", headers={**sent, **key})
            assert (response.status_code, slug(response)) == (401, "token-missing")
            assert KEY_HEADER in response.json()["detail"]
        for value in (f"Bearer {cookie.value}", f"bearer {cookie.value}"):
            response = await thief.get("/v1/me", headers={"Authorization": value})
            assert (response.status_code, slug(response)) == (401, "token-invalid")
        async with d.client(d.operator()) as operator:
            ticket = (await operator.post("/v1/tickets", json={"name": "ana"})).json()["ticket"]
        for short in ({}, {KEY_HEADER: "short"}):
            response = await thief.post("/v1/login", json={"ticket": ticket}, headers=short)
            assert (response.status_code, response.json()["field"]) == (422, KEY_HEADER)
        key = {KEY_HEADER: "a key that is long enough"}
        assert (await thief.post("/v1/login", json={"ticket": ticket}, headers=key)).is_success


async def test_behind_https_a_cookie_is_for_https(redis_url: str) -> None:
    """The page's own origin says how the browser came, where no proxy is believed."""
    public = "https://parley.example"
    async with doors(redis_url, public=(public,)) as d, d.client(d.operator()) as operator:
        ticket = (await operator.post("/v1/tickets", json={"name": "ana"})).json()["ticket"]
        response = await operator.post(
            "/v1/login",
            json={"ticket": ticket},
            headers={"Host": "parley.example", "Origin": public},
        )
        assert "Secure" in response.headers["set-cookie"]


async def test_a_participant_of_a_session_stands_beside_the_operator(redis_url: str) -> None:
    """In that session the name is the participant's, and the rights are the operator's too."""
    async with doors(redis_url) as d, d.client() as browser:
        await logged_in(d, browser, "operator")
        await logged_in(d, browser, "person", "harbour")
        here = (await browser.get("/v1/sessions/harbour/me")).json()
        assert (here["name"], here["role"], here["operator"]) == ("ana", "person", True)
        there = (await browser.get("/v1/me")).json()
        assert (there["role"], there["operator"]) == ("operator", True)
        own = {"Origin": d.url}
        left = await browser.post("/v1/logout?session=harbour", headers=own)
        assert left.status_code == 204
        assert (await browser.get("/v1/sessions/harbour/me")).json()["role"] == "operator"
        await browser.post("/v1/logout", headers=own)
        assert (await browser.get("/v1/me")).status_code == 401


async def test_a_participant_without_an_operator_is_only_that(redis_url: str) -> None:
    """A seat's cookie gives no right outside its session, and none that it has not."""
    async with doors(redis_url) as d, d.client() as browser:
        await logged_in(d, browser, "person", "harbour")
        assert (await browser.get("/v1/sessions/harbour/me")).json()["operator"] is False
        response = await browser.get("/v1/sessions/other/me")
        assert (response.status_code, slug(response)) == (403, "other-session")
        wish = {"name": "bo"}
        response = await browser.post("/v1/tokens", json=wish, headers={"Origin": d.url})
        assert (response.status_code, response.json()["needs"]) == (403, "operator")


async def test_a_header_outranks_cookies_even_where_it_is_wrong(redis_url: str) -> None:
    """Who sends one means it."""
    async with doors(redis_url) as d, d.client() as browser:
        await logged_in(d, browser)
        token = d.token("bo")
        response = await browser.get("/v1/me", headers={"Authorization": f"Bearer {token}"})
        assert response.json()["name"] == "bo"
        for header in ("Bearer wrong", f"Basic {token}", "Bearer", ""):
            response = await browser.get("/v1/me", headers={"Authorization": header})
            assert (response.status_code, slug(response)) == (401, "token-invalid")
            assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_other_pages_read_nothing_unless_the_settings_say_so(redis_url: str) -> None:
    """No header of sharing by default; for an allowed origin the answer and its preflight."""
    ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x"}
    async with doors(redis_url, origins=(FRIEND,)) as d, d.client(d.operator()) as operator:
        for origin in (EVIL, d.url):
            response = await operator.options("/v1/tokens", headers={"Origin": origin, **ask})
            assert response.status_code == 405
            assert not [name for name in response.headers if name.startswith("access-control")]
        response = await operator.options("/v1/tokens", headers={"Origin": FRIEND, **ask})
        assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (
            204,
            FRIEND,
        )
        assert "Authorization" in response.headers["Access-Control-Allow-Headers"]
        assert "Access-Control-Allow-Credentials" not in response.headers
        response = await operator.get("/v1/me", headers={"Origin": FRIEND})
        assert response.headers["Access-Control-Allow-Origin"] == FRIEND
        assert response.headers["Vary"] == "Origin"


async def test_every_answer_has_its_headers(redis_url: str) -> None:
    """Whether it is data or a refusal, and whoever refused."""
    async with doors(redis_url) as d, d.client(d.token("ana")) as ana:
        ids = set()
        for response in (
            await ana.get("/v1/me"), await ana.get("/nothing"), await ana.get("/v1/tokens"),
            await ana.get("/v1/me", headers={"Host": "evil.example"}),
            await ana.get("/v1/me?" + "a" * 9000),
        ):  # fmt: skip
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert response.headers["Referrer-Policy"] == "no-referrer"
            assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert response.headers["Content-Security-Policy"] == FOR_DATA
            assert response.headers["Cache-Control"] == "no-store"
            ids.add(response.headers["X-Request-Id"])
            if response.is_error:
                assert response.json()["request"] == response.headers["X-Request-Id"]
        assert len(ids) == 5


def test_the_policy_of_pages_runs_own_scripts_only() -> None:
    """Nothing inline, nothing from elsewhere, no markup made of strings, no frame around it."""
    rules = dict(part.split(" ", 1) for part in FOR_PAGES.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in FOR_PAGES
