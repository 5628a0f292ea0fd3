"""A verified caller, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from parley.bus.entries import ACTS
from parley.memory.text.plain_text import plain_name
from parley.server.http.problems.problem_details import Problem
from parley.server.http.tokens.bearer_tokens import EVERY_SESSION, Claims, Role, is_valid_name


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified caller. `name` is who speaks; `operator` may stand beside another's name."""

    name: str
    role: Role
    session: str
    may: tuple[str, ...] | None
    operator: bool
    jti: str
    expires: int
    log: str | None = None  # of its one session, where the token is bound to it

    @property
    def seat_role(self) -> Literal["agent", "person"]:
        """As what it sits down: the floor binds agents, and a seat is of one kind."""
        return "agent" if self.role == "agent" else "person"

    def may_do(self, right: str, session: str) -> bool:
        """Whether the token gives `right` in `session`; the fold may still refuse."""
        if right == "public" or self.operator:
            return True
        if right == "token":
            return bool(self.jti)
        if right in ("operator", "metrics") or not self.may_enter(session):
            return False
        if right == "read":
            return True
        return self.role in ("person", "agent") and (right == "speak" or self._can(right))

    @property
    def only_session(self) -> str | None:
        """The one session that the token is for; None: every session."""
        return None if self.session == EVERY_SESSION else self.session

    def may_enter(self, session: str) -> bool:
        """Whether the token is for `session`."""
        return bool(self.jti) and (self.operator or self.session in (EVERY_SESSION, session))

    def may_use_act(self, act: str | None) -> bool:
        """Whether the token lets `act` be said; a list without any act lets all."""
        acts = {word for word in self.may or () if word in ACTS}
        return self.operator or not acts or act is None or act in acts

    def resolve_speaker(self, named: str | None) -> str:
        """In whose name an entry goes: its own, or for an operator `named`.

        Raises `Problem` `not-your-name` where another is named, and `forbidden` for an
        operator that names nobody.
        """
        if named is not None and named != self.name:
            if not self.operator:
                raise Problem("not-your-name", needs="operator")
            if not is_valid_name(named):
                raise Problem("invalid", field="as", fault="name")
            return plain_name(named)
        if self.role == "operator" and named is None:
            raise Problem("forbidden", detail="An operator says in whose name it speaks: `as`.")
        return self.name

    def _can(self, capability: str) -> bool:
        if self.may is None:
            return self.role == "person" and capability == "vote"
        return capability in self.may or "moderate" in self.may


NOBODY: Final = Caller("", "observer", "", (), operator=False, jti="", expires=0)


def caller_from_claims(claims: Claims) -> Caller:
    """Who speaks by a token of those claims."""
    return Caller(
        claims.name, claims.role, claims.session, claims.may, claims.role == "operator",
        claims.jti, claims.expires, claims.log,
    )  # fmt: skip
