"""Tokens and links from the command line."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from parley.bus.contract.errors import SessionNotFound
from parley.server.basics.errors import Misuse
from parley.server.basics.output import print_json, print_line, print_notice, write_stdout
from parley.server.bootstrap import server_addresses
from parley.server.http.problems.problem_details import Problem
from parley.server.http.state.origins import OriginRules
from parley.server.http.tokens.bearer_tokens import (
    EVERY_SESSION,
    LONGEST_SECONDS,
    TOKEN_ID,
    Claims,
    Keyring,
    build_claims,
)
from parley.server.http.tokens.bound_claims import bind_claims
from parley.server.http.tokens.tickets import LINK_SECONDS, Tickets, ticket_url_path
from parley.server.runtime import signing_secret
from parley.server.runtime.backend import open_backend
from parley.server.runtime.connection import open_connection, run
from parley.server.runtime.signing_secret import key_id
from parley.server.settings import Settings

_CURE: Final = "--force makes it all the same"


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """For whom a token is wanted; `session` None: every session."""

    name: str
    session: str | None
    role: Literal["person", "agent", "observer", "operator"]
    may: Sequence[str]
    hours: float
    link: bool
    force: bool = False  # without a look at the session


def print_token(settings: Settings, wish: TokenRequest, *, as_json: bool) -> None:
    """Print the token, or with `link` the page's address with a ticket. Raises `Misuse`."""
    secrets = signing_secret.load(settings)
    keyring = Keyring(secrets)
    may = [word.strip() for each in wish.may for word in each.split(",")]
    made = build_claims(
        wish.name, wish.role, wish.session or EVERY_SESSION, time.time(),
        may=may or None, seconds=wish.hours * 3600,
    )  # fmt: skip
    if wish.session is not None and not wish.force:
        made = run(_bound(settings, made))
    if wish.link:
        ticket = Tickets(keyring, time.time).issue(made, LINK_SECONDS)
        row: dict[str, Any] = {
            "link": _find_server_address(settings, secrets) + ticket_url_path(made, ticket)
        }
    else:
        row = {"token": keyring.sign(made)}
    if as_json:
        print_json({**row, "id": made.jti, "expires": made.expires})
        return
    write_stdout("".join(row.values()).encode() + b"\n")
    if made.session == EVERY_SESSION and made.role != "operator":
        print_notice("(valid for every session; --session NAME limits it to one)")
    if wish.link:
        print_notice(f"(good once, for {LINK_SECONDS / 60:.0f} minutes)")


async def _bound(settings: Settings, made: Claims) -> Claims:
    async with open_backend(settings) as backend:
        try:
            return await bind_claims(backend, made, _CURE)
        except SessionNotFound:
            raise Misuse(
                f"there is no session {made.session!r}: open it first, or --force a token for it"
            ) from None


def revoke_tokens(settings: Settings, given: Sequence[str], *, as_json: bool) -> None:
    """Revoke tokens by themselves or their ids, and print what is revoked. Raises `Misuse`."""
    keyring = Keyring(signing_secret.load(settings)) if any("." in each for each in given) else None
    now, ends = int(time.time()), {}
    for each in given:
        if keyring is not None and "." in each:
            claims = _claims_of(keyring, each)
            ends[claims.jti] = claims.expires
        elif TOKEN_ID.fullmatch(each):
            ends[each] = now + LONGEST_SECONDS
        else:
            raise Misuse(f"{each!r} is no token, and no id of one: 16 digits and letters a to f")
    revoked = sorted(run(_revoke(settings, ends)).items())
    if as_json:
        print_json([{"id": each, "until": until} for each, until in revoked])
        return
    for each, until in revoked:
        print_line(f"{each}  until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC")


def _claims_of(keyring: Keyring, token: str) -> Claims:
    try:
        return keyring.verify(token, time.time())
    except Problem as problem:
        raise Misuse(problem.detail) from None


async def _revoke(settings: Settings, ends: Mapping[str, int]) -> dict[str, int]:
    async with open_connection(settings) as running:
        for token_id, expires in ends.items():
            await running.bus.revoke_token(token_id, expires)
        return await running.bus.revoked_tokens()


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
