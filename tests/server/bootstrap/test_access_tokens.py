"""`parley token`: tokens and links for the server of this machine, without asking it."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from parley.bus import Bus, Draft
from parley.bus.entries import Message, SessionOpened
from parley.server.basics.errors import Misuse
from parley.server.bootstrap import server_addresses
from parley.server.bootstrap.access_tokens import TokenRequest, print_token, revoke_tokens
from parley.server.http.tokens.bearer_tokens import Keyring
from parley.server.http.tokens.tickets import Tickets
from parley.server.runtime import signing_secret
from parley.server.runtime.signing_secret import SigningKeys, key_id
from parley.server.settings import Settings
from parley.server.settings.serve_settings import ServeSettings

SECRET = "a secret that is only used by the tests"


def wish(**given: Any) -> TokenRequest:
    whole = {
        "name": "ana", "session": "harbour", "role": "person", "may": (), "hours": 12.0,
        "link": False, "force": True, **given,
    }  # fmt: skip
    return TokenRequest(**whole)


def settings(data: Path, **serve: Any) -> Settings:
    return Settings(data=data, serve=ServeSettings(**serve))


def test_a_token_is_printed_that_the_server_takes(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """One line, for a variable of a shell; nothing else on stdout."""
    print_token(settings(tmp_path, secret=SECRET), wish(may=("vote",)), as_json=False)
    token = capfdbinary.readouterr().out.decode()
    assert token.endswith("\n")
    claims = Keyring([SECRET]).verify(token.strip(), time.time())
    assert (claims.name, claims.session, claims.role) == ("ana", "harbour", "person")
    assert claims.may == ("vote",)
    assert claims.expires - claims.issued == 12 * 3600


def test_a_token_for_every_session_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """On stderr, so that a script has the token alone; one for a session says nothing."""
    for session, warns in ((None, True), ("harbour", False)):
        print_token(settings(tmp_path, secret=SECRET), wish(session=session), as_json=False)
        assert ("valid for every session" in capsys.readouterr().err) == warns


def test_a_secret_that_a_server_made_signs_too(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As it lies beside the data; where none ever ran there is advice instead of a token."""
    own = settings(tmp_path)
    with pytest.raises(Misuse, match="parley serve"):
        print_token(own, wish(), as_json=False)
    signing = signing_secret.load_or_create(own)
    print_token(own, wish(session=None, role="operator"), as_json=True)
    tree = json.loads(capfdbinary.readouterr().out)
    claims = Keyring(signing.secrets).verify(tree["token"], time.time())
    assert (claims.role, claims.session, claims.expires) == ("operator", "*", tree["expires"])


@pytest.mark.parametrize(
    ("session", "address"),
    [(None, "http://127.0.0.1:8700/#ticket="), ("harbour", "http://127.0.0.1:8700/s/harbour#ticket=")],
)  # fmt: skip
async def test_a_link_opens_the_page_with_a_ticket(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], session: str | None, address: str,
    redis_url: str,
) -> None:  # fmt: skip
    """It is no token, and what comes of it holds as long as was asked for."""
    print_token(settings(tmp_path, secret=SECRET), wish(session=session, link=True), as_json=False)
    link, _, ticket = capfdbinary.readouterr().out.decode().strip().partition("=")
    assert f"{link}=" == address
    async with await Bus.connect(redis_url) as bus:
        claims = await Tickets(Keyring([SECRET]), time.time).redeem(ticket, bus)
    assert claims.name == "ana"
    assert claims.expires > time.time() + 11 * 3600


def test_a_link_leads_to_the_public_address(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Where the server has one."""
    own = settings(tmp_path, secret=SECRET, public=("https://parley.example",))
    print_token(own, wish(link=True), as_json=True)
    tree = json.loads(capfdbinary.readouterr().out)
    assert tree["link"].startswith("https://parley.example/s/harbour#ticket=")


def _link(own: Settings, capfdbinary: pytest.CaptureFixture[bytes]) -> str:
    print_token(own, wish(link=True), as_json=True)
    link: str = json.loads(capfdbinary.readouterr().out)["link"]
    return link.partition("/s/harbour#ticket=")[0]


HERE = "http://127.0.0.1:8700"
THERE = "http://127.0.0.1:41234"
OURS = SigningKeys((SECRET,), "set")
OTHERS = SigningKeys((SECRET[::-1],), "kept")
PASSING = SigningKeys((SECRET,), "passing")


@pytest.mark.parametrize(
    ("live", "port", "url"),
    [
        ([], 8700, HERE),
        ([], 9000, "http://127.0.0.1:9000"),
        ([(THERE, OURS)], 8700, THERE),
        ([(THERE, OURS)], 0, THERE),
        ([(THERE, OURS), (HERE, OURS)], 8700, HERE),
        ([(THERE, OURS), (HERE, OURS)], 41234, THERE),
        ([(THERE, OTHERS)], 8700, HERE),
        ([(THERE, PASSING)], 8700, HERE),
    ],
)
def test_a_link_leads_to_the_server_that_runs(
    live: list[tuple[str, SigningKeys]], port: int, url: str, tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:  # fmt: skip
    """Whatever port it took; where none runs that the token is for, to where one would."""
    own = settings(tmp_path, secret=SECRET, port=port)
    with ExitStack() as running:
        for there, signing in live:
            running.enter_context(server_addresses.publish_address(own, there, signing))
        assert _link(own, capfdbinary) == url
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("live", "reason"), [(0, "no server runs here"), (2, "--serve-port says which")]
)
def test_a_link_that_would_lead_nowhere_is_not_printed(
    live: int, reason: str, tmp_path: Path
) -> None:
    """A line says what to do instead."""
    own = settings(tmp_path, secret=SECRET, port=0)
    with ExitStack() as running:
        for number in range(live):
            running.enter_context(
                server_addresses.publish_address(own, f"http://127.0.0.1:4000{number}", OURS)
            )
        with pytest.raises(Misuse, match=reason):
            print_token(own, wish(link=True), as_json=False)


def test_a_server_that_was_killed_is_not_led_to(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """It left its file, which nobody holds; the same of one that is no record."""
    left = tmp_path / "serve.7.json"
    left.write_text(json.dumps({"url": THERE, "kid": key_id(SECRET)}))
    assert _link(settings(tmp_path, secret=SECRET), capfdbinary) == HERE
    assert not left.exists()


def test_a_server_that_can_write_nothing_runs_all_the_same(tmp_path: Path) -> None:
    """Others go by the settings."""
    file = tmp_path / "file"
    file.touch()
    with server_addresses.publish_address(settings(file, secret=SECRET), THERE, OURS):
        assert server_addresses.read_addresses(settings(file), [key_id(SECRET)]) == ()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"name": "Parley"}, "name"), ({"may": ("fly",)}, "fly"), ({"session": "a b"}, "session"),
        ({"role": "operator"}, "every session"),
    ],
)  # fmt: skip
def test_what_no_token_may_say_is_told_in_a_line(
    tmp_path: Path, given: dict[str, Any], reason: str
) -> None:
    """Before anything is printed."""
    with pytest.raises(Misuse, match=reason):
        print_token(settings(tmp_path, secret=SECRET), wish(**given), as_json=False)


def test_rights_are_given_by_commas_or_one_by_one(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As one would write them either way."""
    print_token(settings(tmp_path, secret=SECRET), wish(may=("vote, close", "ask")), as_json=False)
    claims = Keyring([SECRET]).verify(capfdbinary.readouterr().out.decode().strip(), time.time())
    assert set(claims.may or ()) == {"vote", "close", "ask"}


@pytest.mark.parametrize("name", ["Ana", "\u0430na", "\uff41\uff4e\uff41", "ANA"])
def test_a_name_that_looks_like_another_is_refused(
    name: str, redis_url: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """It says whom it looks like; forced, it is made, and so is the same name spelt otherwise."""
    own = Settings(redis=redis_url, serve=ServeSettings(secret=SECRET))
    asyncio.run(_talk(redis_url))
    with pytest.raises(Misuse, match="looks like 'ana'"):
        print_token(own, wish(name=name, force=False), as_json=False)
    print_token(own, wish(name=name), as_json=False)
    capfdbinary.readouterr()
    for same in ("ana ", "ana\u200b", "ana"):
        print_token(own, wish(name=same, force=False), as_json=False)
        claims = Keyring([SECRET]).verify(
            capfdbinary.readouterr().out.decode().strip(), time.time()
        )
        assert (claims.name, claims.log is None) == ("ana", False)


def test_tokens_are_revoked_by_themselves_or_their_ids(
    redis_url: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What is listed afterwards has both; what is neither is refused."""
    own = Settings(redis=redis_url, serve=ServeSettings(secret=SECRET))
    print_token(own, wish(), as_json=True)
    tree = json.loads(capfdbinary.readouterr().out)
    revoke_tokens(own, [tree["token"], "0123456789abcdef"], as_json=True)
    rows = json.loads(capfdbinary.readouterr().out)
    assert {row["id"] for row in rows} == {tree["id"], "0123456789abcdef"}
    assert {row["until"] for row in rows if row["id"] == tree["id"]} == {tree["expires"]}
    with pytest.raises(Misuse, match="is no token"):
        revoke_tokens(own, ["ana"], as_json=True)


async def _talk(redis_url: str) -> None:
    async with await Bus.connect(redis_url) as bus:
        await bus.open("harbour", SessionOpened())
        await bus.publish("harbour", [Draft("m", Message(participant="ana", content="Hello."))])
