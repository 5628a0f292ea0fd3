"""Tokens and links from the command line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from parley.server.basics.errors import Misuse
from parley.server.basics.output import emit, emit_bytes, tell
from parley.server.bootstrap import server_addresses
from parley.server.http.state.origins import Origins
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Keyring, claims
from parley.server.http.tokens.tickets import LINK_SECONDS, Tickets, page_path
from parley.server.runtime import signing_secret
from parley.server.runtime.signing_secret import kid
from parley.server.settings import Settings


@dataclass(frozen=True, slots=True)
class Wish:
    """For whom a token is wanted; `session` None: every session."""

    name: str
    session: str | None
    role: Literal["person", "agent", "observer", "operator"]
    may: Sequence[str]
    hours: float
    link: bool


def token(settings: Settings, wish: Wish, *, as_json: bool) -> None:
    """Print the token, or with `link` the page's address with a ticket. Raises `Misuse`."""
    secrets = signing_secret.as_kept(settings)
    keyring = Keyring(secrets)
    may = [word.strip() for each in wish.may for word in each.split(",")]
    made = claims(
        wish.name, wish.role, wish.session or EVERY_SESSION, time.time(),
        may=may or None, seconds=wish.hours * 3600,
    )  # fmt: skip
    if wish.link:
        ticket = Tickets(keyring, time.time).made(made, LINK_SECONDS)
        told: dict[str, Any] = {"link": address(settings, secrets) + page_path(made, ticket)}
    else:
        told = {"token": keyring.sign(made)}
    if as_json:
        emit({**told, "expires": made.expires})
        return
    emit_bytes("".join(told.values()).encode() + b"\n")
    if wish.link:
        tell(f"(good once, for {LINK_SECONDS / 60:.0f} minutes)")


def address(settings: Settings, secrets: Sequence[str]) -> str:
    """Where the page is: of the server that runs beside `data`, else as the settings have it.

    Raises `Misuse` where that is no address, and where several servers run and none of
    them there.
    """
    serve = settings.serve
    said = Origins(serve, serve.port).url
    live = server_addresses.listening(settings, [kid(secret) for secret in secrets])
    if serve.public or said in live:
        return said
    if len(live) == 1:
        return live[0]
    if live:
        raise Misuse(f"several servers run: --serve-port says which of {', '.join(live)}")
    if not serve.port:
        raise Misuse("no server runs here; start 'parley serve', or say its --serve-port")
    tell(f"(no server runs beside this --data; the link is for one on {said})")
    return said
