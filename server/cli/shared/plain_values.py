"""Options that were not given, or are words or paths, read without a model.

typer 0.29 makes a pydantic model of each option that it looks at, and loads pydantic for it:
a third of the processor time of a command that needs none otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import typer
from typer._coercion import RuntimeParam, build_runtime_param

HELP: Final = ("-h", "--help")


class _PlainValue(RuntimeParam):
    """How a value is read: words and defaults as they are, all else as typer does it."""

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
        if type(value) is self.annotation and self.parameter_info.parser is None:
            return value  # words, or a default: what is typed comes as words
        if self.annotation is Path and isinstance(value, str) and _takes_any_path(param):
            return Path(value)
        usual = build_runtime_param(param.type_descriptor)
        return usual.coerce(value, param=param, ctx=ctx)


def _takes_any_path(param: Any) -> bool:
    """True where nothing is asked of what is there under a path."""
    info = param.type_descriptor.parameter_info
    return not (info.exists or info.resolve_path or info.path_type or info.parser)


def read_plainly(command: Any) -> None:
    """Has all options of `command`, and of those below it, read so."""
    asking = typer.Context(command, help_option_names=list(HELP))
    for param in command.get_params(asking):  # the option for help too, which is made once
        described = param.type_descriptor
        param._runtime_param = _PlainValue(described.parameter_info, described.annotation)
    for below in getattr(command, "commands", {}).values():
        read_plainly(below)
