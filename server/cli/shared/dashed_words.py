"""Commands whose words may begin with a dash: a vote such as `-1 to P1` is no flag."""

from __future__ import annotations

import re
from typing import Any, Final

from typer.core import TyperCommand

# One dash, then a number or words: no flag of ours looks so.
_TALK: Final = re.compile(r"-(?:\d|[^-\s]*\s)")


class Spoken(TyperCommand):
    """A command that takes `"-1 to P1"` as the words they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        taking = {
            name
            for param in self.params
            if param.param_type_name == "option" and not getattr(param, "is_flag", False)
            for name in param.opts
        }
        return super().parse_args(ctx, _words_last(args, taking))


def _words_last(args: list[str], taking: set[str]) -> list[str]:
    """`args` with what is talk behind a `--`; the value of a flag stays where it is."""
    ahead: list[str] = []
    words: list[str] = []
    for place, arg in enumerate(args):
        if arg == "--":
            return [*ahead, "--", *words, *args[place + 1 :]]
        value = place > 0 and args[place - 1] in taking
        (words if _TALK.match(arg) and not value else ahead).append(arg)
    return [*ahead, "--", *words] if words else args
