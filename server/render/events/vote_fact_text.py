"""What facts of votes say beyond their fields: answers, choices, counts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from parley.server.basics.durations import duration_text

SAYS: Final = {
    "vote.called": "{ref} vote called by {participant}: {question}",
    "vote.confirmed": "{ref} {participant}: vote now? {answer}",
    "vote.opened": "{ref} is open to {voters}",
    "vote.extended": "{ref} {participant} gives it {more} more",
    "vote.closed": "{ref} {status}{result}",
    "vote.refused": "vote: {participant}: {reason}",
    "ballot.cast": "{ref} {participant} voted{choices}",
    "ballot.invalid": "{ref} the ballot of {participant} could not be read{once_more}",
}


def vote_words(data: Mapping[str, Any]) -> dict[str, str]:
    """The blanks of `SAYS` that are no fields of the fact with that data.

    A ballot of a secret vote carries no choice, so none is said.
    """
    carried, reason, choice = data.get("carried"), data.get("reason"), data.get("choice")
    counts = ", ".join(f"{option} {weight}" for option, weight in (data.get("tally") or {}).items())
    won = f": {carried}" if carried else f": {reason}" if reason else ""
    return {
        "answer": "yes" if data.get("agreed") else "no",
        "voters": ", ".join(data.get("electorate") or ()),
        "result": won + (f" ({counts})" if counts and not reason else ""),
        "choices": f": {', '.join(choice)}" if choice else "",
        "more": duration_text(data.get("seconds") or 0),
        "once_more": ", asked once more" if data.get("again") else "",
    }
