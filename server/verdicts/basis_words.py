"""What an item rests on, in words that need no grammar of ours. Pure."""

from __future__ import annotations

from typing import Final

from parley.memory.state.item_state import Origin

_BY_RULE: Final = {
    "ratify.quorum": "adopted",
    "proposal.accepted": "its proposal was accepted",
    "item.confirmed": "confirmed by a person",
    "vote.majority": "by a vote, the majority",
    "vote.two_thirds": "by a vote, two thirds",
    "vote.unanimity": "by a vote, all of them",
    "vote.consent": "by consent: nobody objected",
    "vote.ranked": "by a ranked vote",
}
_BY_FINDER: Final = {
    "act": "declared",
    "tag": "marked",
    "pattern": "it sounds like one",
    "structure": "from the course of the talk",
    "vote": "by a vote",
    "rule": "by the rules of the session",
    "model": "as a model reads it",
    "person": "put right by a person",
}


def basis_words(origin: Origin) -> str:
    """By what it stands: "adopted", "declared", "by its wording"."""
    return _BY_RULE.get(origin.rule or "") or _BY_FINDER[origin.how]
