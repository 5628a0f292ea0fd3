"""Every setting as a flag, made from the settings tree rather than by hand.

The flags belong to `parley` itself and may stand anywhere on the line, so that
`parley replay FILE --redis URL` reads as one writes it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import typer

from parley.server.basics.version import version
from parley.server.cli.shared.command_names import Family
from parley.server.settings.setting import Setting
from parley.server.settings.setting_table import SETTINGS

PANEL: Final = "Settings (anywhere on the line; also variables and keys, see docs/settings.md)"
_SWITCHES: Final = {
    name for s in SETTINGS.values() if s.switch for name in (s.flag, "--no-" + s.flag[2:])
}
SECRETS: Final = frozenset({"model_key", "serve.secret", "token"})
_TAKING: Final = {s.flag for s in SETTINGS.values() if not s.switch} | {"--config"}
_OFSETTINGS_CALL: Final = frozenset({"config", "version"})
_NEEDED: Final = "parley.flags"  # where a call keeps the flags that its line has, while it is read


class FlagsAnywhere(Family):
    """A command group whose own flags are understood behind its subcommands too."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ahead, rest = _split_settings(args)
        if not (rest and rest[0].startswith("-")):  # no flag of the group itself, or misspelt
            ctx.meta[_NEEDED] = {arg.partition("=")[0] for arg in ahead}
        try:
            return super().parse_args(ctx, ahead + rest)
        finally:
            ctx.meta.pop(_NEEDED, None)

    def get_params(self, ctx: Any) -> list[Any]:
        """All options; while a line is read that names few of the settings, no others.

        typer makes a model of each option that it looks at.
        """
        params = super().get_params(ctx)
        needed = ctx.meta.get(_NEEDED)
        if needed is None:
            return params
        return [
            param for param in params
            if needed.intersection((*param.opts, *param.secondary_opts))
            or param.name in _OFSETTINGS_CALL
        ]  # fmt: skip


def _split_settings(args: list[str]) -> tuple[list[str], list[str]]:
    """The settings among `args`, wherever they stand, and the rest."""
    ahead: list[str] = []
    rest: list[str] = []
    waiting = iter(args)
    for arg in waiting:
        if arg == "--":
            rest += [arg, *waiting]
        elif arg in _SWITCHES or (arg.partition("=")[0] in _TAKING and "=" in arg):
            ahead.append(arg)
        elif arg in _TAKING:
            ahead += [arg, *[value for value in [next(waiting, None)] if value is not None]]
        else:
            rest.append(arg)
    return ahead, rest


def with_settings(callback: Callable[..., None]) -> Callable[..., None]:
    """`callback(ctx, config, given)`, where `given` holds the settings that were flags."""

    @functools.wraps(callback)
    def called(ctx: typer.Context, config: Path | None = None, **_: Any) -> None:
        # of this call alone: typer 0.29 keeps what it passed to a function for the next one
        given = {name: ctx.params.get(_parameter(setting)) for name, setting in SETTINGS.items()}
        callback(ctx, config, {name: value for name, value in given.items() if _set(value)})

    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        inspect.Parameter(
            "config", inspect.Parameter.KEYWORD_ONLY, annotation=Path | None,
            default=typer.Option(
                None, "--config", help="settings file  [default: parley.toml, parley.yaml]",
                envvar="PARLEY_CONFIG", rich_help_panel=PANEL, show_envvar=False,
            ),
        ),
        inspect.Parameter(
            "version", inspect.Parameter.KEYWORD_ONLY, annotation=bool,
            default=typer.Option(
                False, "--version", help="print the version and end", is_eager=True,
                callback=_say_version,
            ),
        ),
        *map(_option, SETTINGS.values()),
    ]  # fmt: skip
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # how typer reads a callback
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


def list_shown_secrets(given: Mapping[str, Any]) -> list[Setting]:
    """The flags of `given` that hold a secret, which the list of processes shows to all."""
    return [
        setting for name, setting in SETTINGS.items()
        if name in given and (name in SECRETS or _has_password(name, given[name]))
    ]  # fmt: skip


def _has_password(name: str, value: Any) -> bool:
    try:
        return name == "redis" and urlsplit(value).password is not None
    except ValueError:  # an address that is none is refused later, in words
        return False


def _say_version(wanted: bool) -> None:
    """Prints the version, if it is wanted, and ends the call."""
    if wanted:
        typer.echo(f"parley {version()}")
        raise typer.Exit


def _set(value: Any) -> bool:
    return value is not None and value != []


def _parameter(setting: Setting) -> str:
    return "setting_" + setting.name.replace(".", "_")


def _option(setting: Setting) -> inspect.Parameter:
    kinds: dict[bool, Any] = {True: bool | None, False: str | None}
    annotation = list[str] | None if setting.many else kinds[setting.switch]
    flag = f"{setting.flag}/--no-{setting.flag[2:]}" if setting.switch else setting.flag
    shown = f"  [default: {setting.default}]" if setting.default else ""
    option = typer.Option(
        None,
        flag,
        help=setting.description + shown,
        metavar=None if setting.switch else setting.kind,
        rich_help_panel=PANEL,
        show_default=False,
    )
    return inspect.Parameter(
        _parameter(setting), inspect.Parameter.KEYWORD_ONLY, default=option, annotation=annotation
    )
