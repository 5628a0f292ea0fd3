"""`parley token`: tokens and links for the server of this machine, without asking it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from server import secret
from server.errors import Misuse
from server.gateway.keys import Keyring
from server.gateway.tickets import Tickets
from server.minting import Wish, token
from server.settings import Settings
from server.settings.serve import ServeSettings

SECRET = "a secret that is only used by the tests"


def wish(**given: Any) -> Wish:
    whole = {
        "name": "ana", "session": "harbour", "role": "person", "may": (), "hours": 12.0,
        "link": False, **given,
    }  # fmt: skip
    return Wish(**whole)


def settings(data: Path, **serve: Any) -> Settings:
    return Settings(data=data, serve=ServeSettings(**serve))


def test_a_token_is_printed_that_the_server_takes(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """One line, for a variable of a shell; nothing else on stdout."""
    token(settings(tmp_path, secret=SECRET), wish(may=("vote",)), as_json=False)
    said = capfdbinary.readouterr().out.decode()
    assert said.endswith("\n")
    found = Keyring([SECRET]).verify(said.strip(), time.time())
    assert (found.name, found.session, found.role) == ("ana", "harbour", "person")
    assert found.may == ("vote",)
    assert found.expires - found.issued == 12 * 3600


def test_a_secret_that_a_server_made_signs_too(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As it lies beside the data; where none ever ran there is advice instead of a token."""
    own = settings(tmp_path)
    with pytest.raises(Misuse, match="parley serve"):
        token(own, wish(), as_json=False)
    signing = secret.at_start(own)
    token(own, wish(session=None, role="operator"), as_json=True)
    said = json.loads(capfdbinary.readouterr().out)
    found = Keyring(signing.secrets).verify(said["token"], time.time())
    assert (found.role, found.session, found.expires) == ("operator", "*", said["expires"])


@pytest.mark.parametrize(
    ("session", "address"),
    [(None, "http://127.0.0.1:8700/#ticket="), ("harbour", "http://127.0.0.1:8700/s/harbour#ticket=")],
)  # fmt: skip
def test_a_link_opens_the_page_with_a_ticket(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], session: str | None, address: str
) -> None:
    """It is no token, and what comes of it holds as long as was asked for."""
    token(settings(tmp_path, secret=SECRET), wish(session=session, link=True), as_json=False)
    link, _, ticket = capfdbinary.readouterr().out.decode().strip().partition("=")
    assert f"{link}=" == address
    found = Tickets(Keyring([SECRET]), time.time).used(ticket)
    assert found.name == "ana"
    assert found.expires > time.time() + 11 * 3600


def test_a_link_leads_to_the_public_address(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Where the server has one."""
    own = settings(tmp_path, secret=SECRET, public=("https://parley.example",))
    token(own, wish(link=True), as_json=True)
    said = json.loads(capfdbinary.readouterr().out)
    assert said["link"].startswith("https://parley.example/s/harbour#ticket=")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": "Parley"}, "name"), ({"may": ("fly",)}, "fly"), ({"session": "a b"}, "session"),
        ({"role": "operator"}, "every session"),
    ],
)  # fmt: skip
def test_what_no_token_may_say_is_told_in_a_line(
    tmp_path: Path, given: dict[str, Any], told: str
) -> None:
    """Before anything is printed."""
    with pytest.raises(Misuse, match=told):
        token(settings(tmp_path, secret=SECRET), wish(**given), as_json=False)


def test_rights_are_given_by_commas_or_one_by_one(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As one would write them either way."""
    token(settings(tmp_path, secret=SECRET), wish(may=("vote, close", "ask")), as_json=False)
    found = Keyring([SECRET]).verify(capfdbinary.readouterr().out.decode().strip(), time.time())
    assert set(found.may or ()) == {"vote", "close", "ask"}
