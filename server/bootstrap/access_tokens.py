"""Tokens and links from the command line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from parley.server.basics.errors import Misuse
from parley.server.basics.output import print_json, print_notice, write_stdout
from parley.server.bootstrap import server_addresses
from parley.server.http.state.origins import OriginRules
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, build_claims
from parley.server.http.tokens.tickets import LINK_SECONDS, Tickets, ticket_url_path
from parley.server.runtime import signing_secret
from parley.server.runtime.signing_secret import key_id
from parley.server.settings import Settings


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """For whom a token is wanted; `session` None: every session."""

    name: str
    session: str | None
    role: Literal["person", "agent", "observer", "operator"]
    may: Sequence[str]
    hours: float
    link: bool


def print_token(settings: Settings, wish: TokenRequest, *, as_json: bool) -> None:
    """Print the token, or with `link` the page's address with a ticket. Raises `Misuse`."""
    secrets = signing_secret.load(settings)
    keyring = Keyring(secrets)
    may = [word.strip() for each in wish.may for word in each.split(",")]
    made = build_claims(
        wish.name, wish.role, wish.session or EVERY_SESSION, time.time(),
        may=may or None, seconds=wish.hours * 3600,
    )  # fmt: skip
    if wish.link:
        ticket = Tickets(keyring, time.time).issue(made, LINK_SECONDS)
        row: dict[str, Any] = {
            "link": _find_server_address(settings, secrets) + ticket_url_path(made, ticket)
        }
    else:
        row = {"token": keyring.sign(made)}
    if as_json:
        print_json({**row, "expires": made.expires})
        return
    write_stdout("".join(row.values()).encode() + b"\n")
    if made.session == EVERY_SESSION and made.role != "operator":
        print_notice("(valid for every session; --session NAME limits it to one)")
    if wish.link:
        print_notice(f"(good once, for {LINK_SECONDS / 60:.0f} minutes)")


def _find_server_address(settings: Settings, secrets: Sequence[str]) -> str:
    """Where the page is: of the server that runs beside `data`, else as the settings have it.

    Raises `Misuse` where that is no address, and where several servers run and none of
    them there.
    """
    serve = settings.serve
    url = OriginRules(serve, serve.port).url
    live = server_addresses.read_addresses(settings, [key_id(secret) for secret in secrets])
    if serve.public or url in live:
        return url
    if len(live) == 1:
        return live[0]
    if live:
        raise Misuse(f"several servers run: --serve-port says which of {', '.join(live)}")
    if not serve.port:
        raise Misuse("no server runs here; start 'parley serve', or say its --serve-port")
    print_notice(f"(no server runs beside this --data; the link is for one on {url})")
    return url
