"""Emoji that are votes: what a thumb under a message says of it."""

from __future__ import annotations

from typing import Final, NamedTuple


class EmojiVote(NamedTuple):
    """A reaction that takes a side, as a message: the sign, and the act that it is."""

    sign: str
    act: str


_YES: Final = "support"
_NO: Final = "oppose"
# By Slack's names of them, and GitHub's; the rest of the emoji say nothing that counts.
VOTES: Final = {
    "+1": EmojiVote("👍", _YES), "thumbsup": EmojiVote("👍", _YES),
    "thumbs_up": EmojiVote("👍", _YES), "thumbs_down": EmojiVote("👎", _NO),
    "-1": EmojiVote("👎", _NO), "thumbsdown": EmojiVote("👎", _NO),
    "white_check_mark": EmojiVote("✅", _YES), "heavy_check_mark": EmojiVote("✔️", _YES),
    "ballot_box_with_check": EmojiVote("☑️", _YES), "100": EmojiVote("💯", _YES),
    "heavy_plus_sign": EmojiVote("➕", _YES), "heavy_minus_sign": EmojiVote("➖", _NO),
    "x": EmojiVote("❌", _NO), "negative_squared_cross_mark": EmojiVote("❎", _NO),
    "heavy_multiplication_x": EmojiVote("✖️", _NO), "no_entry": EmojiVote("⛔", _NO),
    "no_entry_sign": EmojiVote("🚫", _NO), "o": EmojiVote("⭕", _YES), "ok": EmojiVote("🆗", _YES),
    "ok_hand": EmojiVote("👌", _YES), "no_good": EmojiVote("🙅", _NO),
}  # fmt: skip


_SIGNS: Final = {vote.sign: vote for vote in VOTES.values()}
_PLAIN: Final = dict.fromkeys([0xFE0F, *range(0x1F3FB, 0x1F400)])  # how it is drawn, skin tones


def read_emoji_sign(sign: object) -> EmojiVote | None:
    """The vote that an emoji itself is, whatever its skin tone."""
    plain = sign.translate(_PLAIN) if isinstance(sign, str) else ""
    return _SIGNS.get(plain) or _SIGNS.get(f"{plain}\ufe0f")


def read_emoji(name: str) -> EmojiVote | None:
    """The vote that the emoji called `name` is, whatever its skin tone."""
    return VOTES.get(name.partition("::")[0].strip(":").lower())
