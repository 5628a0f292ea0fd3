"""The command `parley`: one module a family of commands, this one puts them together.

A user's mistake or a Redis that cannot serve ends in one line on stderr and
an exit code, never in a traceback: 2 for misuse, 1 for failure.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from parley.server.basics.collector import rest_collector
from parley.server.basics.version import version
from parley.server.cli.help_text import ready_help

_NO_CHOICE: Final = re.compile(r"'([^']*)' is not one of (.+)$")


def main(args: Sequence[str] | None = None) -> None:
    """Runs the command line; always ends in `SystemExit`.

    Without `args` the process is the command's own, and set up for it alone.
    """
    if args is None:
        _set_up_process()
    args = list(sys.argv[1:] if args is None else args)
    try:
        text = f"parley {version()}\n" if args == ["--version"] else ready_help(args)
        if text is None:
            _run(args)
        else:  # at once: nothing heavy is imported yet
            sys.stdout.write(text)
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
            raise
        _end(f"cannot write the output: {error.strerror}", 1)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    raise SystemExit(0)


def _set_up_process() -> None:
    rest_collector()
    # or it reads the entry points of all that is installed, before the first model is built
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _run(args: Sequence[str]) -> None:
    from typer import Abort, BadParameter

    from parley.bus.contract.errors import BusError, InvalidEntry
    from parley.memory.errors import BadPattern, DomainError, SettingsRefused
    from parley.personas.errors import PersonaError
    from parley.server.basics.errors import Refused
    from parley.server.cli.command_tree import command

    # typer carries a click of its own, and exports no parent of its errors (0.29.2)
    usage: Any = next(kind for kind in BadParameter.__mro__ if kind.__name__ == "ClickException")
    try:
        if code := command()(args=args, prog_name="parley", standalone_mode=False):
            raise SystemExit(code)
    except usage as wrong:
        _end_usage(wrong)
    except Abort:
        _end("given up", 1)
    except Refused as refused:
        _end(refused, refused.exit_code)
    except (BadPattern, SettingsRefused, InvalidEntry) as refused:
        _end(refused, 2)
    except (BusError, DomainError, PersonaError) as refused:
        _end(_with_advice(refused), 1)
    except BaseExceptionGroup as group:
        _end(_with_advice(_first(group, (Refused, BusError, DomainError, PersonaError))), 1)


def _with_advice(refused: BaseException) -> str:
    """What was refused, and the command that lists what there is."""
    from parley.memory import errors

    match refused:
        case errors.ItemLeft():
            return str(refused)
        case errors.UnknownRef():
            return (
                f"no item {refused.ref!r} in this session; 'parley memory' lists proposals and "
                "decisions, --layer episodes and --layer insights those"
            )
        case errors.UnknownVote():
            return f"{refused}; 'parley vote show' lists them"
        case errors.NothingOpen():
            return f"{refused}; 'parley goal ls' lists what is"
        case errors.ContextOverflow():
            return str(refused).replace("raise budget", "raise --budget")
    return str(refused)


def _end_usage(wrong: Any) -> None:
    """In one line, as every refusal; who gave no arguments at all is shown what there is."""
    if type(wrong).__name__ == "NoArgsIsHelpError":
        wrong.show()
        raise SystemExit(wrong.exit_code)
    from parley.bus.entries.fields import quoted, suggest

    words = wrong.format_message().rstrip(".")
    if choice := _NO_CHOICE.search(words):
        words = words.replace("Value error, ", "") + suggest(choice[1], quoted(choice[2]))
    ctx = getattr(wrong, "ctx", None)
    joint = "" if words.endswith("?") else ";"
    advice = "" if ctx is None else f"{joint} '{ctx.command_path} -h' tells what it takes"
    _end(f"{words[:1].lower()}{words[1:]}{advice}", wrong.exit_code)


def _first(group: BaseExceptionGroup[Any], kinds: tuple[type[Exception], ...]) -> BaseException:
    """The refusal that ended a task group; a group without one is a bug, and passes."""
    refused, rest = group.split(kinds)
    if refused is None or rest is not None:
        raise group
    error: BaseException = refused
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _end(refused: object, code: int) -> None:
    from parley.server.basics.output import escape

    sys.stderr.write(f"parley: {escape(refused, keep_newlines=True)}\n")
    raise SystemExit(code) from None
