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
    "decisions": ("brief",),
    "proposals": ("brief",),
}
_ALIKE: Final = 0.8  # of a command that was meant; below it names merely end alike


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

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that `args` begin with; what is none is told the one that is near it."""
        name = args[0]
        if self.get_command(ctx, name) or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from parley.bus.entries.fields import nearest  # which few calls need

        near = nearest(name, self.commands, _ALIKE)
        advice = "" if near is None else f" Did you mean {near!r}?"
        return ctx.fail(f"No such command {name!r}.{advice}")
