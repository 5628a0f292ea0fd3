"""Signed tokens: who somebody is, for which session, what they may do, and until when. Pure."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

import jwt
from jwt.utils import base64url_decode, base64url_encode

from parley.bus.contract.keys import SESSION_ID
from parley.bus.entries import ACTS
from parley.memory.text.plain_text import plain_name
from parley.memory.voice import VOICE, is_voice
from parley.personas.persona_file import CAPABILITIES
from parley.server.basics.errors import Misuse
from parley.server.http.problems.problem_details import Problem
from parley.server.runtime.signing_secret import BYTES, key_id

Role = Literal["person", "agent", "observer", "operator"]
Audience = Literal["parley", "parley-ticket", "parley-page"]  # the last in cookies alone

EVERY_SESSION: Final = "*"
_ROLES: Final[tuple[str, ...]] = get_args(Role)
LONGEST_SECONDS: Final = 90 * 24 * 3600
LEEWAY_SECONDS: Final = 5  # after its end, for clocks that differ
_EARLY_SECONDS: Final = 60  # how far ahead the clock of whoever signed may be
LONGEST: Final = 4096  # characters of a token
VERIFIED_KEPT: Final = 10_000  # verified tokens remembered
_ALGORITHM: Final = "HS256"
_REQUIRED: Final = ("iss", "aud", "sub", "ses", "rol", "iat", "exp", "jti")
_WORDS: Final = ("sub", "ses", "rol")
TOKEN_ID: Final = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token says. `may` None: every act and no capability, but a person's vote."""

    name: str
    role: Role
    session: str  # an id, or EVERY_SESSION
    issued: int
    expires: int
    jti: str
    may: tuple[str, ...] | None = None
    until: int | None = None  # of a ticket: when what comes of it expires
    of: str | None = None  # of a ticket: the jti of what comes of it
    log: str | None = None  # the log of its session when it was made; None: any of that name
    key: str | None = None  # of a cookie: the SHA-256 of the key it counts beside, in hex


class Keyring:
    """Secrets, the first of which signs while all of them verify."""

    def __init__(self, secrets: Sequence[str]) -> None:
        """Raises `Misuse` for none, or for one shorter than `signing_secret.BYTES`."""
        if not secrets or any(len(secret.encode()) < BYTES for secret in secrets):
            raise Misuse(f"tokens are signed with secrets of {BYTES} bytes or more")
        self._keys = {key_id(secret): secret for secret in reversed(secrets)}
        self._signs = key_id(secrets[0])
        self._verified: OrderedDict[tuple[str, str], Claims] = OrderedDict()

    def sign(self, claims: Claims, audience: Audience = "parley") -> str:
        """A JWT that only `audience` takes, by the newest secret; its times are seconds of Unix."""
        payload: dict[str, Any] = {
            "iss": "parley", "aud": audience, "sub": claims.name, "ses": claims.session,
            "rol": claims.role, "iat": claims.issued, "exp": claims.expires, "jti": claims.jti,
        }  # fmt: skip
        if claims.may is not None:
            payload["may"] = list(claims.may)
        if claims.until is not None:
            payload["til"] = claims.until
        if claims.of is not None:
            payload["of"] = claims.of
        if claims.log is not None:
            payload["log"] = claims.log
        if claims.key is not None:
            payload["key"] = claims.key
        return jwt.encode(
            payload, self._keys[self._signs], algorithm=_ALGORITHM, headers={"kid": self._signs}
        )

    def verify(self, token: str, now: float, audience: Audience = "parley") -> Claims:
        """Raises `Problem` `token-invalid` or `token-expired`."""
        key = (audience, token)
        claims = self._verified.get(key)
        if claims is None:
            claims = _claims(self._payload(token, audience), now)
            self._verified[key] = claims
            if len(self._verified) > VERIFIED_KEPT:
                self._verified.popitem(last=False)
        else:
            self._verified.move_to_end(key)
        if now > claims.expires + LEEWAY_SECONDS:
            self._verified.pop(key, None)
            raise Problem("token-expired")
        return claims

    def _payload(self, token: str, audience: Audience) -> dict[str, Any]:
        if len(token) > LONGEST or not _is_canonical(token):
            raise Problem("token-invalid")
        try:
            header = jwt.get_unverified_header(token)
            if header.keys() != {"alg", "typ", "kid"} or header["typ"] != "JWT":
                raise Problem("token-invalid")
            return jwt.decode(
                token, self._keys[header["kid"]], algorithms=[_ALGORITHM], audience=audience,
                issuer="parley",
                options={"require": list(_REQUIRED), "verify_exp": False, "verify_iat": False,
                         "verify_nbf": False, "strict_aud": True},
            )  # fmt: skip
        except (jwt.PyJWTError, KeyError, TypeError, ValueError):
            raise Problem("token-invalid") from None


def build_claims(
    name: str,
    role: Role,
    session: str,
    now: float,
    *,
    may: Sequence[str] | None = None,
    seconds: float = 12 * 3600,
) -> Claims:
    """Claims as of `now`, with a `jti` of their own, for `name` as the talk has it.

    Raises `Misuse` for what no token may say."""
    if not 1 <= seconds <= LONGEST_SECONDS:
        raise Misuse("a token holds for 1 second to 90 days")
    issued = int(now)
    made = Claims(
        plain_name(name), role, session, issued, issued + int(seconds), secrets.token_hex(8),
        None if may is None else tuple(dict.fromkeys(may)),
    )  # fmt: skip
    if reason := _unfit(made):
        raise Misuse(reason)
    return made


def is_valid_name(name: str) -> bool:
    """Whether somebody may be called so: it stands in entries, and is not the server's own."""
    return (
        1 <= len(name) <= 128
        and bool(name.strip())
        and not is_voice(name)
        and not any("\ud800" <= letter <= "\udfff" for letter in name)
    )


def _unfit(made: Claims) -> str:
    """Why no token may say this; "" where it may."""
    if not is_valid_name(made.name):
        return f"a name has 1 to 128 characters, and is not {VOICE!r}"
    if made.role not in _ROLES:
        return f"a role is one of {', '.join(_ROLES)}"
    if made.session != EVERY_SESSION:
        if not SESSION_ID.match(made.session):
            return "a session id has 1 to 64 letters, digits, '.', '_', '-'"
        if made.role == "operator":
            return "an operator is one of every session; leave the session out"
    unknown = [word for word in made.may or () if word not in (*ACTS, *CAPABILITIES)]
    if unknown:
        return f"{unknown[0]!r} is no act or capability: {', '.join((*ACTS, *CAPABILITIES))}"
    return ""


def _claims(payload: dict[str, Any], now: float) -> Claims:
    """The claims of a payload whose signature is right; it may still be of another version."""
    may, issued, expires, until = (payload.get(name) for name in ("may", "iat", "exp", "til"))
    ids = [payload["jti"], *([payload["of"]] if "of" in payload else [])]
    whole = all(type(value) is int for value in (issued, expires, 0 if until is None else until))
    words = all(isinstance(value, str) for value in (*(payload[name] for name in _WORDS), *ids))
    listed = may is None or (isinstance(may, list) and all(isinstance(value, str) for value in may))
    key = payload.get("key")
    log = payload.get("log")
    named = all(each is None or isinstance(each, str) for each in (key, log))
    if not (whole and words and listed and named) or not all(map(TOKEN_ID.fullmatch, ids)):
        raise Problem("token-invalid")
    made = Claims(
        payload["sub"], payload["rol"], payload["ses"], cast("int", issued), cast("int", expires),
        payload["jti"], None if may is None else tuple(may), until, payload.get("of"), log,
        key,
    )  # fmt: skip
    if _unfit(made) or made.issued > now + _EARLY_SECONDS:
        raise Problem("token-invalid")
    if (made.until or made.expires) - made.issued > LONGEST_SECONDS:
        raise Problem("token-invalid")
    return made


def _is_canonical(token: str) -> bool:
    """Whether each part is written as we write it: base64 has several spellings of some bytes."""
    if not token.isascii() or token.count(".") != 2:
        return False
    try:
        return all(
            base64url_encode(base64url_decode(part)) == part.encode() for part in token.split(".")
        )
    except ValueError:
        return False
