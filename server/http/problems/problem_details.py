"""What goes wrong, as `application/problem+json`: one table from exceptions to answers.

Nothing that a caller sent is sent back: a problem's words are fixed, or a domain's
own with every value taken out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Final

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from parley.bus.contract import errors as bus_errors
from parley.listeners.cache.ranges import RangeGone
from parley.listeners.rooms.log_port import LogReplaced
from parley.listeners.rooms.participant import Superseded
from parley.listeners.sessions.argument_checks import ActNotAllowed
from parley.listeners.sessions.turns import FloorLost, Muted, NotGranted
from parley.memory import errors as memory_errors
from parley.memory.settings.session_settings import Settings
from parley.personas.errors import PersonaError, PersonaNotFound
from parley.server.basics import errors
from parley.server.basics.entry_json import InvalidField
from parley.server.http.problems.floor_obstacles import describe_obstacle, end_time
from parley.server.http.problems.problem_types import EVERYWHERE, KINDS, describe_missing_right
from parley.server.http.problems.validation_details import redact_input

MEDIA: Final = "application/problem+json"
_MUTED: Final = "You are muted: nothing you say is taken until a moderator unmutes you."
RETRY_SECONDS: Final = 1.0  # where nobody can say how long it takes
_TAKES: Final = "Input should be "  # how a model's own words begin that name what is taken
_EXTRA: Final = ("field", "fault", "because", "retry_after", "epoch", "limit", "seq", "needs")

SCHEMA: Final[dict[str, Any]] = {
    "title": "Problem",
    "type": "object",
    "required": ["type", "title", "status", "detail", "request"],
    "additionalProperties": False,
    "properties": {
        "type": {"type": "string", "description": "urn:parley:problem:<slug>"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request": {"type": "string", "description": "id of the request, as in the log"},
        "field": {"type": "string", "description": "the field at fault"},
        "fault": {"type": "string", "description": "what is wrong with it, as a word"},
        "because": {"type": "string", "description": "what stands in the way, and what to do"},
        "retry_after": {"type": "number", "description": "seconds to wait"},
        "epoch": {"type": "integer", "description": "epoch that the floor is in"},
        "limit": {"type": "integer", "description": "the most that is taken"},
        "seq": {"type": "integer", "description": "entry that is in the way"},
        "needs": {"type": "string", "description": "the right that is missing"},
    },
}


class Problem(Exception):
    """A refusal by its slug; `extra` are members of its answer, such as `retry_after`.

    `detail` and `status` stand for the slug's own, where a refusal says more.
    """

    def __init__(
        self, slug: str, *, detail: str = "", status: int | None = None, **extra: Any
    ) -> None:
        super().__init__(slug)
        kind = KINDS[slug]
        self.slug, self.extra = slug, extra
        self.status = status or kind.status
        self.title, self.detail = kind.title, detail or kind.detail
        if slug == "forbidden" and not detail and "needs" in extra:
            self.detail = describe_missing_right(extra["needs"])

    def body(self, request: str = "") -> dict[str, Any]:
        """The JSON of it, for request id `request`."""
        whole: dict[str, Any] = {
            "type": f"urn:parley:problem:{self.slug}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "request": request,
            **{name: _told_as(self.extra[name]) for name in _EXTRA if name in self.extra},
        }
        return {name: value for name, value in whole.items() if value is not None}

    @property
    def headers(self) -> dict[str, str]:
        """Header fields that its status asks for."""
        headers = {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if (seconds := self.extra.get("retry_after")) is not None:
            headers["Retry-After"] = str(max(1, math.ceil(seconds)))
        if self.slug == "rate":
            headers["RateLimit-Remaining"] = "0"
        if allow := self.extra.get("allow"):
            headers["Allow"] = allow
        return headers


def _told_as(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def problem_response(problem: Problem, scope: Scope) -> JSONResponse:
    """The response that `problem` is, to the request of `scope`."""
    request = scope.get("state", {}).get("request_id", "")
    return JSONResponse(problem.body(request), problem.status, problem.headers, MEDIA)


async def send_problem(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request, or a handshake that was not accepted yet, with `problem`."""
    await problem_response(problem, scope)(scope, receive, send)


def problem_from_exception(error: BaseException) -> Problem:
    """The problem that an exception is; `internal` for a bug."""
    if isinstance(error, Problem):
        return error
    for kind in type(error).__mro__:
        if made := _TABLE.get(kind):
            return made(error)
    return Problem("internal")


def problem_responses(*slugs: str) -> dict[int | str, dict[str, Any]]:
    """`responses=` of a route that may answer these, beside those that any route may."""
    content = {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    responses: dict[int | str, dict[str, Any]] = {}
    for slug in dict.fromkeys((*EVERYWHERE, *slugs)):
        kind = KINDS[slug]
        row = responses.setdefault(kind.status, {"description": "", "content": content})
        row["description"] = "; ".join(filter(None, (row["description"], kind.title)))
    return dict(sorted(responses.items(), key=lambda row: int(row[0])))


def _told(slug: str, status: int | None = None) -> Callable[[Any], Problem]:
    """The domain's own words, without those of the caller."""

    def made(error: BaseException) -> Problem:
        return Problem(slug, status=status, detail=redact_input(str(error), _values(error)))

    return made


def _values(error: BaseException) -> Iterable[str]:
    """What the exception keeps of the call; its finding is words of our own."""
    for name, value in vars(error).items():
        if isinstance(value, str) and name not in ("reason", "finding"):
            yield value


def _as(slug: str, **members: str) -> Callable[[Any], Problem]:
    """The slug alone, with those attributes of the exception as members."""
    return lambda error: Problem(
        slug, **{member: getattr(error, name) for member, name in members.items()}
    )


def _not_granted(error: NotGranted) -> Problem:
    """With what stands in the way, until when, and what to do."""
    because = describe_obstacle(error.obstacle, end_time(error.obstacle.left))
    return Problem("floor-not-granted", because=because)


def _setting(error: memory_errors.SettingsRefused) -> Problem:
    """Which setting, as far as its name is ours, and what it takes."""
    path, tree = ["settings"], Settings().model_dump()
    for step in error.key.split("."):
        if not isinstance(tree, dict) or step not in tree:
            break
        path.append(step)
        tree = tree[step]
    reason = error.reason if error.reason.startswith(_TAKES) else redact_input(error.reason)
    return Problem("refused", detail=reason, field=".".join(path))


def _target_needed(error: memory_errors.TargetNeeded) -> Problem:
    return Problem("invalid", detail=f"{error}.", field="re", fault="missing")


def _unavailable(_: BaseException) -> Problem:
    return Problem("unavailable", retry_after=RETRY_SECONDS)


def _damaged(error: bus_errors.BusError) -> Problem:
    return Problem("damaged", detail=f"{error}; 'parley doctor' names all that are damaged.")


_TABLE: Final[dict[type[BaseException], Callable[[Any], Problem]]] = {
    bus_errors.SessionNotFound: _as("no-session"),
    bus_errors.SessionExists: _as("exists"),
    bus_errors.SessionClosed: _as("closed"),
    bus_errors.Conflict: _as("conflict", seq="seq"),
    bus_errors.StaleEpoch: _as("floor-moved", epoch="current"),
    bus_errors.UnknownReference: _told("refused"),
    bus_errors.InvalidEntry: _told("refused"),
    bus_errors.Busy: _as("busy", retry_after="retry_after"),
    bus_errors.QuotaExceeded: lambda error: Problem(
        "quota", detail=f"{error.reason[0].upper()}{error.reason[1:]}.", limit=error.limit
    ),
    bus_errors.SessionDamaged: _damaged,
    bus_errors.WrongType: _damaged,
    bus_errors.BusError: _unavailable,
    TimeoutError: _unavailable,
    RangeGone: _unavailable,
    LogReplaced: _unavailable,
    memory_errors.UnknownRef: _as("no-item"),
    memory_errors.UnknownMessage: _as("no-message"),
    memory_errors.TargetNeeded: _target_needed,
    memory_errors.AlreadyDecided: lambda error: Problem(
        "refused", detail=f"{error}.", field="re", status=409
    ),
    memory_errors.EditRefused: _told("refused", 409),
    memory_errors.UnknownVote: _as("no-vote"),
    memory_errors.StaleRevision: _as("note-moved"),
    memory_errors.ContextOverflow: _as("budget-too-small", limit="floor"),
    memory_errors.LimitExceeded: _as("too-long", limit="limit"),
    memory_errors.DomainError: _told("refused"),
    memory_errors.SettingsRefused: _setting,
    memory_errors.PackMissing: _told("refused", 409),
    memory_errors.RedactionRefused: _told("refused", 409),
    memory_errors.NotOpened: _told("refused", 409),
    memory_errors.NothingOpen: _told("refused", 409),
    ActNotAllowed: _as("act-not-allowed"),
    Superseded: _as("seat-taken"),
    FloorLost: _as("floor-lost", epoch="current"),
    NotGranted: _not_granted,
    Muted: lambda _: Problem("floor-not-granted", detail=_MUTED),
    PersonaNotFound: _as("no-persona"),
    PersonaError: _told("refused"),
    InvalidField: _told("refused"),
    bus_errors.BadSessionFile: _as("bad-file"),
    errors.NotYet: _as("not-yet", limit="n"),
    errors.Misuse: _told("refused"),
    errors.Refused: _told("refused", 409),
}

KNOWN: Final = (Problem, *_TABLE)  # exceptions that are answered, those below them too
