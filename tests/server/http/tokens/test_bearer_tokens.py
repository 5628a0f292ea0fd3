"""Tokens: only what the server signed verifies, for as long as it says, for what it is."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final

import anyio
import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.bus import Bus
from parley.server.basics.errors import Misuse
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import Claims, Keyring, build_claims
from parley.server.http.tokens.tickets import Tickets, ticket_url_path
from parley.server.runtime.signing_secret import key_id

SECRET: Final = "a secret that is only used by the tests"
OTHER: Final = "another secret that is not less long"
NOW: Final = 1_800_000_000.0

keyring = Keyring([SECRET])
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=128).filter(
    lambda name: name.strip() != "" and name.strip().casefold() != "parley"
)


def payload(**changed: Any) -> dict[str, Any]:
    """What a token of ours says, some of it changed; None leaves a claim out."""
    whole = {
        "iss": "parley", "aud": "parley", "sub": "ana", "ses": "harbour", "rol": "person",
        "iat": int(NOW), "exp": int(NOW) + 60, "jti": "0123456789abcdef", **changed,
    }  # fmt: skip
    return {name: value for name, value in whole.items() if value is not None}


def signed(secret: str = SECRET, /, headers: Any = None, **changed: Any) -> str:
    return jwt.encode(
        payload(**changed), secret, algorithm="HS256", headers=headers or {"kid": key_id(secret)}
    )


def refusal(token: str, now: float = NOW, ring: Keyring = keyring) -> str:
    with pytest.raises(Problem) as caught:
        ring.verify(token, now)
    return caught.value.slug


@given(
    names, st.sampled_from(["person", "agent", "observer"]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True) | st.just("*"),
    st.none() | st.lists(st.sampled_from(["propose", "vote", "grant"]), unique=True),
)  # fmt: skip
def test_what_was_signed_verifies_as_it_was(
    name: str, role: Any, session: str, may: list[str] | None
) -> None:
    """Every claim comes back."""
    made = build_claims(name, role, session, NOW, may=may)
    assert keyring.verify(keyring.sign(made), NOW) == made


@given(st.data())
def test_no_altered_byte_verifies(data: st.DataObject) -> None:
    """Any character replaced, left out or put in is refused, at every place of the token."""
    token = signed()
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.characters(codec="utf-8"))
    for altered in (
        token[:at] + letter + token[at + 1 :], token[:at] + token[at + 1 :],
        token[:at] + letter + token[at:],
    ):  # fmt: skip
        if altered != token:
            assert refusal(altered) == "token-invalid"


def test_another_spelling_of_the_same_signature_is_refused() -> None:
    """Base64 leaves bits unused: a token has one spelling, or a cache and a list would have two."""
    token = signed()
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters.index(token[-1])
    assert keyring.verify(token, NOW).name == "ana"
    assert refusal(token[:-1] + letters[last ^ 1]) == "token-invalid"
    assert refusal(token + "=") == "token-invalid"
    assert refusal(token.replace(".", ".\n", 1)) == "token-invalid"


@pytest.mark.parametrize(
    "token",
    [
        "", "a", "a.b.c", ".." , "x" * 5000, "é.é.é",
        signed(OTHER),
        signed(OTHER, {"kid": key_id(SECRET)}),
        signed(headers={"kid": "ffffffff"}),
        signed(headers={"kid": key_id(SECRET), "crit": ["b64"]}),
        signed(headers={"kid": key_id(SECRET), "typ": "at+jwt"}),
        jwt.encode(payload(), "", algorithm="none", headers={"kid": key_id(SECRET)}),
        jwt.encode(payload(), SECRET * 2, algorithm="HS512", headers={"kid": key_id(SECRET)}),
        jwt.encode(payload(), SECRET, algorithm="HS256"),
        *(signed(SECRET, **{name: None}) for name in payload()),
        signed(iss="parsley"), signed(aud="parley-ticket"), signed(aud=["parley"]),
        signed(sub=""), signed(sub=" "), signed(sub="x" * 129), signed(sub="Parley"),
        signed(ses="../etc"), signed(ses=""), signed(rol="root"), signed(may="grant"),
        signed(may=["fly"]), signed(may=[1]), signed(jti="x"), signed(exp="later"),
        signed(iat=int(NOW) + 3600, exp=int(NOW) + 7200),
        signed(exp=int(NOW) + 91 * 86_400), signed(rol="operator", ses="harbour"),
        signed(sub="x" * 128, may=["propose"] * 900),
    ],
)  # fmt: skip
def test_what_is_no_token_of_ours_is_refused(token: str) -> None:
    """Forged, of another key or algorithm, unsigned, incomplete, or saying what none may say."""
    assert refusal(token) == "token-invalid"


def test_a_token_ends_when_it_says_and_stays_ended() -> None:
    """To five seconds, for clocks that differ; a token that was seen before ends too."""
    ring, token = Keyring([SECRET]), signed()
    assert ring.verify(token, NOW + 64).name == "ana"
    assert refusal(token, NOW + 66, ring) == "token-expired"
    assert refusal(token, NOW + 66, ring) == "token-expired"
    assert refusal(token, NOW + 66) == "token-expired"


def test_the_first_secret_signs_and_all_verify() -> None:
    """A secret is changed by putting the new one first, and taking the old one out later."""
    old = signed(OTHER)
    both, after = Keyring([SECRET, OTHER]), Keyring([SECRET])
    assert both.verify(old, NOW).name == "ana"
    assert after.verify(both.sign(build_claims("bo", "agent", "*", NOW)), NOW).name == "bo"
    assert refusal(old, ring=after) == "token-invalid"


@pytest.mark.parametrize("secrets", [[], ["short"], [SECRET, "short"], ["é" * 15]])
def test_a_short_secret_signs_nothing(secrets: list[str]) -> None:
    """Nor does none."""
    with pytest.raises(Misuse, match="32 bytes"):
        Keyring(secrets)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"name": "parley"}, "name"), ({"name": "\ud800"}, "name"), ({"session": "a b"}, "session"),
        ({"seconds": 0}, "90 days"), ({"seconds": 91 * 86_400}, "90 days"),
        ({"may": ["fly"]}, "fly"),
        ({"role": "operator", "session": "harbour"}, "every session"),
    ],
)  # fmt: skip
def test_what_no_token_may_say_is_not_signed(given: dict[str, Any], reason: str) -> None:
    """The person who asks for it is told why."""
    whole: dict[str, Any] = {"name": "ana", "role": "person", "session": "*", "now": NOW, **given}
    with pytest.raises(Misuse, match=reason):
        build_claims(**whole)


def test_as_many_tokens_as_come_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest that was verified is forgotten, and verified anew when it comes again."""
    monkeypatch.setattr("parley.server.http.tokens.bearer_tokens.VERIFIED_KEPT", 50)
    ring = Keyring([SECRET])
    made = build_claims("ana", "person", "*", NOW)
    tokens = [ring.sign(made, "parley-ticket"), *(signed(jti=f"{n:016x}") for n in range(60))]
    ring.verify(tokens[0], NOW, "parley-ticket")
    for token in tokens[1:]:
        ring.verify(token, NOW)
    assert len(ring._verified) == 50
    assert ring.verify(tokens[0], NOW, "parley-ticket") == made


# -- tickets -------------------------------------------------------------------


class Clock:
    now = NOW

    def __call__(self) -> float:
        return self.now


def tickets(ring: Keyring = keyring) -> tuple[Tickets, Clock]:
    clock = Clock()
    return Tickets(ring, clock), clock


async def refused(use: Awaitable[Claims]) -> str:
    with pytest.raises(Problem) as caught:
        await use
    return caught.value.slug


async def test_a_ticket_is_good_for_one_use(redis_url: str) -> None:
    """What comes of it lasts as long as what it was made of, and is counted as that.

    A server that was started anew, and another one on that Redis, know that it was used.
    """
    desk, _ = tickets()
    made = build_claims("ana", "person", "harbour", NOW, may=["vote"])
    ticket = desk.issue(made)
    async with await Bus.connect(redis_url) as bus:
        claims = await desk.redeem(ticket, bus)
        assert (claims.name, claims.session, claims.may) == ("ana", "harbour", ("vote",))
        assert claims == made
        assert await refused(desk.redeem(ticket, bus)) == "token-invalid"
    async with await Bus.connect(redis_url) as bus:
        assert await refused(tickets()[0].redeem(ticket, bus)) == "token-invalid"


async def test_of_many_who_bring_a_ticket_at_once_one_gets_in(redis_url: str) -> None:
    ticket = tickets()[0].issue(build_claims("ana", "person", "*", NOW))
    came: list[str] = []

    async def bring(bus: Bus) -> None:
        with suppress(Problem):
            came.append((await tickets()[0].redeem(ticket, bus)).name)

    async with (
        await Bus.connect(redis_url) as first,
        await Bus.connect(redis_url) as second,
        anyio.create_task_group() as group,
    ):
        for k in range(20):
            group.start_soon(bring, (first, second)[k % 2])
    assert came == ["ana"]


async def test_a_ticket_ends_after_its_minute(redis_url: str) -> None:
    """Or earlier, where the token itself does."""
    desk, clock = tickets()
    ticket = desk.issue(build_claims("ana", "person", "*", NOW))
    short = desk.issue(build_claims("ana", "person", "*", NOW, seconds=10))
    async with await Bus.connect(redis_url) as bus:
        clock.now += 20
        assert await refused(desk.redeem(short, bus)) == "token-expired"
        clock.now += 50
        assert await refused(desk.redeem(ticket, bus)) == "token-expired"


async def test_a_ticket_is_no_token_and_a_token_no_ticket(redis_url: str) -> None:
    """Each is for its own door."""
    desk, _ = tickets()
    made = build_claims("ana", "person", "*", NOW)
    assert refusal(desk.issue(made)) == "token-invalid"
    async with await Bus.connect(redis_url) as bus:
        for token in (keyring.sign(made), keyring.sign(made, "parley-ticket")):
            assert await refused(desk.redeem(token, bus)) == "token-invalid"


def test_a_link_opens_what_its_ticket_is_for() -> None:
    """The ticket stands behind the `#`, where no server sees it."""
    assert ticket_url_path(build_claims("ana", "person", "*", NOW), "t") == "/#ticket=t"
    assert (
        ticket_url_path(build_claims("ana", "person", "harbour", NOW), "t") == "/s/harbour#ticket=t"
    )
