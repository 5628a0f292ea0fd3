"""Emoji that are votes: what a thumb under a message says of it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Vote(NamedTuple):
    """A reaction that takes a side, as a message: the sign, and the act that it is."""

    sign: str
    act: str


_YES: Final = "support"
_NO: Final = "oppose"
# By Slack's names of them, and GitHub's; the rest of the emoji say nothing that counts.
VOTES: Final = {
    "+1": Vote("👍", _YES), "thumbsup": Vote("👍", _YES), "thumbs_up": Vote("👍", _YES),
    "-1": Vote("👎", _NO), "thumbsdown": Vote("👎", _NO), "thumbs_down": Vote("👎", _NO),
    "white_check_mark": Vote("✅", _YES), "heavy_check_mark": Vote("✔️", _YES),
    "ballot_box_with_check": Vote("☑️", _YES), "100": Vote("💯", _YES),
    "heavy_plus_sign": Vote("➕", _YES), "heavy_minus_sign": Vote("➖", _NO),
    "x": Vote("❌", _NO), "negative_squared_cross_mark": Vote("❎", _NO),
    "heavy_multiplication_x": Vote("✖️", _NO), "no_entry": Vote("⛔", _NO),
    "no_entry_sign": Vote("🚫", _NO), "o": Vote("⭕", _YES), "ok": Vote("🆗", _YES),
    "ok_hand": Vote("👌", _YES), "no_good": Vote("🙅", _NO),
}  # fmt: skip


def vote_of(name: str) -> Vote | None:
    """The vote that the emoji called `name` is, whatever its skin tone."""
    return VOTES.get(name.partition("::")[0].strip(":").lower())
