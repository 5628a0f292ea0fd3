"""Every kind of problem that a request can meet: its status, its title, its fixed sentence."""

from __future__ import annotations

from typing import Final, NamedTuple


class ProblemType(NamedTuple):
    status: int
    title: str
    detail: str


KINDS: Final[dict[str, ProblemType]] = {
    "malformed": ProblemType(400, "Malformed request", "The request cannot be read as JSON."),
    "token-missing": ProblemType(401, "No token", "Send a token, or log in with a ticket."),
    "token-invalid": ProblemType(
        401, "Bad token", "The token or ticket is not one of this server."
    ),
    "token-expired": ProblemType(
        401, "Expired token", "The token or ticket has expired; get a new one."
    ),
    "forbidden": ProblemType(403, "Not permitted", "The token does not give this right."),
    "other-session": ProblemType(403, "Another session", "The token is for another session."),
    "not-your-name": ProblemType(403, "Another's name", "A token speaks in its own name alone."),
    "act-not-allowed": ProblemType(403, "Act not permitted", "The token does not allow this act."),
    "quota": ProblemType(403, "Quota used up", "The tenant has all that it may have."),
    "origin": ProblemType(403, "Foreign page", "Pages of this origin may not call this server."),
    "not-found": ProblemType(404, "Nothing here", "There is nothing under this address."),
    "no-session": ProblemType(404, "No such session", "There is no session of this name."),
    "no-item": ProblemType(404, "No such item", "There is no item of this handle in the session."),
    "no-vote": ProblemType(404, "No such vote", "There is no vote of this handle in the session."),
    "no-message": ProblemType(404, "No such message", "There is no message of this number."),
    "no-result": ProblemType(
        404, "No such result", "No result of this call is kept in the session."
    ),
    "no-persona": ProblemType(404, "No such persona", "There is no persona of this name."),
    "method": ProblemType(405, "Wrong method", "This address does not take this method."),
    "too-slow": ProblemType(408, "Too slow", "The request did not come in time; send it again."),
    "exists": ProblemType(
        409,
        "Session exists",
        "A session of this name exists already; an import overwrites it with ?replace=true.",
    ),
    "closed": ProblemType(409, "Session closed", "The session is closed; fork it to go on."),
    "conflict": ProblemType(409, "Id taken", "The id was used before, for something else."),
    "floor-moved": ProblemType(409, "The floor moved on", "The floor is in another epoch by now."),
    "seat-taken": ProblemType(409, "Seat taken", "This participant joined again from elsewhere."),
    "floor-lost": ProblemType(
        409, "Floor lost", "The floor is another's by now, and nothing was published; ask again."
    ),
    "floor-required": ProblemType(
        409,
        "Floor required",
        "An agent speaks here when it has the floor: take a seat first, with POST …/seats or "
        "the tool join_session.",
    ),
    "floor-not-granted": ProblemType(
        409, "Floor not granted", "The floor was not given in the time waited for."
    ),
    "note-moved": ProblemType(
        409, "Notebook revised", "The notebook was revised since it was read; read it again."
    ),
    "too-large": ProblemType(413, "Too large", "The body of the request is too long."),
    "query-too-long": ProblemType(414, "Too long a query", "The query of the address is too long."),
    "media-type": ProblemType(415, "Wrong media type", "Send the body as application/json."),
    "host": ProblemType(
        421, "Another host", "This server is not called so; serve.public says what it is called."
    ),
    "invalid": ProblemType(422, "Invalid request", "A field of the request is missing or wrong."),
    "refused": ProblemType(422, "Refused", "The session does not take this."),
    "not-yet": ProblemType(422, "Not yet", "The session has not come so far."),
    "budget-too-small": ProblemType(
        422, "Budget too small", "The budget does not hold the least there is."
    ),
    "too-long": ProblemType(422, "Too long", "The text is longer than the session allows."),
    "bad-file": ProblemType(
        422, "Bad session file", "The file is cut, altered, of another version, or forged."
    ),
    "rate": ProblemType(429, "Too many requests", "Wait, then ask again."),
    "busy": ProblemType(429, "Busy", "The session is behind; wait, then ask again."),
    "streams": ProblemType(
        429, "Too many streams", "Too many streams are open; close one, or wait."
    ),
    "internal": ProblemType(500, "A fault of the server", "The log of the server tells more."),
    "damaged": ProblemType(
        500, "Session damaged", "What Redis has of this session is not what Parley wrote."
    ),
    "unavailable": ProblemType(
        503, "Unavailable", "The store does not answer; ask again in a moment."
    ),
}

_ROLES: Final = {"operator": "operator", "metrics": "operator", "speak": "person or agent"}


def describe_missing_right(right: str) -> str:
    """That a token lacks `right`, and how a token is made that has it."""
    made = f"--role {_ROLES[right]}" if right in _ROLES else f"--may {right}"
    refusal = KINDS["forbidden"].detail.rstrip(".")
    return f"{refusal}; one does that was made with {made}."


NOT_OF_THE_SESSION: Final = (
    "The session does not give this right: its chairs have it, and who takes a seat with a token "
    "that does."
)

# What any route may answer, whatever it does.
EVERYWHERE: Final = (
    "malformed", "token-missing", "token-invalid", "token-expired", "forbidden", "other-session",
    "quota", "origin", "too-slow", "too-large", "query-too-long", "media-type", "host", "invalid",
    "rate", "damaged", "unavailable",
)  # fmt: skip
