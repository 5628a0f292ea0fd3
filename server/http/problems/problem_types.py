"""Every kind of problem that a request can meet: its status, its title, its fixed sentence."""

from __future__ import annotations

from typing import Final, NamedTuple


class Kind(NamedTuple):
    status: int
    title: str
    detail: str


KINDS: Final[dict[str, Kind]] = {
    "malformed": Kind(400, "Malformed request", "The request cannot be read as JSON."),
    "token-missing": Kind(401, "No token", "Send a token, or log in with a ticket."),
    "token-invalid": Kind(401, "Bad token", "The token or ticket is not one of this server."),
    "token-expired": Kind(401, "Expired token", "The token or ticket has expired; get a new one."),
    "forbidden": Kind(403, "Not permitted", "The token does not give this right."),
    "other-session": Kind(403, "Another session", "The token is for another session."),
    "not-your-name": Kind(403, "Another's name", "A token speaks in its own name alone."),
    "act-not-allowed": Kind(403, "Act not permitted", "The token does not allow this act."),
    "origin": Kind(403, "Foreign page", "Pages of this origin may not call this server."),
    "not-found": Kind(404, "Nothing here", "There is nothing under this address."),
    "no-session": Kind(404, "No such session", "There is no session of this name."),
    "no-item": Kind(404, "No such item", "There is no item of this handle in the session."),
    "no-vote": Kind(404, "No such vote", "There is no vote of this handle in the session."),
    "no-message": Kind(404, "No such message", "There is no message of this number."),
    "no-result": Kind(404, "No such result", "No result of this call is kept in the session."),
    "no-persona": Kind(404, "No such persona", "There is no persona of this name."),
    "method": Kind(405, "Wrong method", "This address does not take this method."),
    "too-slow": Kind(408, "Too slow", "The request did not come in time; send it again."),
    "exists": Kind(409, "Session exists", "A session of this name exists already."),
    "closed": Kind(409, "Session closed", "The session is closed; fork it to go on."),
    "conflict": Kind(409, "Id taken", "The id was used before, for something else."),
    "floor-moved": Kind(409, "The floor moved on", "The floor is in another epoch by now."),
    "seat-taken": Kind(409, "Seat taken", "This participant joined again from elsewhere."),
    "floor-lost": Kind(
        409, "Floor lost", "The floor is another's by now, and nothing was published; ask again."
    ),
    "floor-required": Kind(
        409,
        "Floor required",
        "An agent speaks when it has the floor: take a seat, and wait for it.",
    ),
    "floor-not-granted": Kind(
        409, "Floor not granted", "The floor was not given in the time waited for."
    ),
    "note-moved": Kind(
        409, "Notebook revised", "The notebook was revised since it was read; read it again."
    ),
    "too-large": Kind(413, "Too large", "The body of the request is too long."),
    "query-too-long": Kind(414, "Too long a query", "The query of the address is too long."),
    "media-type": Kind(415, "Wrong media type", "Send the body as application/json."),
    "host": Kind(
        421, "Another host", "This server is not called so; serve.public says what it is called."
    ),
    "invalid": Kind(422, "Invalid request", "A field of the request is missing or wrong."),
    "refused": Kind(422, "Refused", "The session does not take this."),
    "not-yet": Kind(422, "Not yet", "The session has not come so far."),
    "budget-too-small": Kind(
        422, "Budget too small", "The budget does not hold the least there is."
    ),
    "too-long": Kind(422, "Too long", "The text is longer than the session allows."),
    "bad-file": Kind(422, "Bad session file", "The file is cut, altered, or of another version."),
    "rate": Kind(429, "Too many requests", "Wait, then ask again."),
    "busy": Kind(429, "Busy", "The session is behind; wait, then ask again."),
    "streams": Kind(429, "Too many streams", "Too many streams are open; close one, or wait."),
    "internal": Kind(500, "A fault of the server", "The log of the server tells more."),
    "unavailable": Kind(503, "Unavailable", "The store does not answer; ask again in a moment."),
}

# What any route may answer, whatever it does.
EVERYWHERE: Final = (
    "malformed", "token-missing", "token-invalid", "token-expired", "forbidden", "other-session",
    "origin", "too-slow", "too-large", "query-too-long", "media-type", "host", "invalid", "rate",
    "unavailable",
)  # fmt: skip
