"""Other names of commands, those that people try first: `session remove` for `session rm`."""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperGroup

# What is tried, and the names of what is meant: the first of them that the family has.
_VERBS: Final = {
    "list": ("ls", "show"),
    "ls": ("show",),
    "status": ("show",),
    "get": ("show",),
    "info": ("show",),
    "remove": ("rm",),
    "delete": ("rm",),
    "create": ("new", "open", "call"),
    "open": ("new", "call"),
    "new": ("open", "call"),
    "save": ("export",),
    "restore": ("import",),
    "load": ("import",),
    "copy": ("fork",),
    "edit": ("revise", "set"),
    "validate": ("check", "verify"),
}


class Family(TyperGroup):
    """A family of commands that answer to other verbs and numbers as well, shown under none."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, else the one that is meant by it."""
        for name in (
            cmd_name,
            *_VERBS.get(cmd_name, ()),
            cmd_name.removesuffix("s"),
            f"{cmd_name}s",
        ):
            command = super().get_command(ctx, name)
            if command is not None:
                return command
        return None
