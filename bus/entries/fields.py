"""What the fields of entries hold: names, texts, references, times.

`EntryModel` is what every kind is built on: frozen, versioned by `v`, and with the
publisher's own time in `at`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

MAX_CONTENT_BYTES: Final = 1_048_576  # a pasted log fits; a pasted disk image does not

Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"\S")]
Content = Annotated[str, StringConstraints(min_length=1, pattern=r"\S")]
Ref = Annotated[
    str, StringConstraints(pattern=r"^([PD][1-9][0-9]{0,8}|M[1-9][0-9]{0,8}(\.[1-9][0-9]?)?)$")
]
EpisodeRef = Annotated[str, StringConstraints(pattern=r"^E[1-9][0-9]{0,8}$")]


class EntryModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    v: Literal[1] = 1
    at: str | None = None  # RFC 3339 as the publisher gave it; shown, never compared
    at_text: str | None = None  # the original, where it was not RFC 3339

    @model_validator(mode="before")
    @classmethod
    def _keep_odd_times_as_text(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("at") is not None:
            at = data["at"]
            if isinstance(at, datetime):
                at = at.isoformat()
            if not is_rfc3339(str(at)):
                data = {**data, "at": None, "at_text": data.get("at_text") or str(at)}
            else:
                data = {**data, "at": str(at)}
        return data


def is_rfc3339(text: str) -> bool:
    """True for a full date-time with an offset, such as 2026-01-31T09:30:00Z."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return "T" in text and moment.tzinfo is not None
