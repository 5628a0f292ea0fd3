"""What was set, and where: flags over variables over a file, old names carried over."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from parley.memory.errors import SettingsRefused
from parley.memory.settings.presets import load_preset
from parley.personas.errors import PersonaRefused
from parley.server.basics.errors import Misuse
from parley.server.basics.spelling import nearest
from parley.server.settings.old_names import (
    CAP,
    OLD_PREFIX,
    OLD_VARIABLES,
    GivenValue,
    old_name,
    rename_old_fields,
    translate_old_names,
)
from parley.server.settings.setting import PREFIX
from parley.server.settings.setting_table import SETTINGS

FILES: Final = ("parley.toml", "parley.yaml", "parley.yml")
CONFIG: Final = "PARLEY_CONFIG"  # names the file, as --config does
# Read by the test suite alone; a shell that has it set may still run the command.
_FOREIGN: Final = frozenset({"PARLEY_CORPORA"})


class Sources(Struct, frozen=True):
    """Every value that was given, by dotted name; what a person should hear about them."""

    values: dict[str, GivenValue]
    warnings: tuple[str, ...] = ()


class _SourceValues(Struct):
    """What one source, or all so far, gave under today's names and under old ones."""

    new: dict[str, GivenValue]
    old: dict[str, GivenValue]
    warnings: list[str]


def read_sources(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Sources:
    """Every value that was given, and where; `flags` are by dotted name, and outrank the rest.

    `file` must exist when named; otherwise `parley.toml` or `parley.yaml` of the
    working directory is read where there is one. Raises `Misuse` for a name that no
    setting has, with the nearest one that has.
    """
    sources = _SourceValues({}, {}, [])
    _read_file(sources, file)
    _read_environment(sources, environment)
    for name, value in flags.items():
        sources.new[name] = GivenValue(value, SETTINGS[name].flag)
    _check_preset(sources.new.get("preset"))
    kept, warnings = translate_old_names(
        sources.old, sources.new, lambda: _note_cap(sources.new.get("preset"))
    )
    values = kept | sources.new
    agents = values.get("note.agents")
    if agents is not None:
        tree, more = rename_old_fields(SETTINGS["note.agents"].read(agents.value), agents.where)
        values["note.agents"] = GivenValue(tree, agents.where)
        warnings += more
    return Sources(values, tuple(sources.warnings + warnings))


def _check_preset(given: GivenValue | None) -> None:
    if given is not None:
        try:
            load_preset(str(given.value))
        except SettingsRefused as refused:
            raise Misuse(f"{given.where}: {refused.reason}") from None


def _note_cap(given: GivenValue | None) -> int:
    """The limit of a notebook where nobody set it."""
    tree = {} if given is None else load_preset(str(given.value))
    cap = tree.get("limits", {}).get("note", {}).get("cap", SETTINGS[CAP].default)
    return int(cap)


def _read_environment(sources: _SourceValues, environment: Mapping[str, str]) -> None:
    variables = {setting.variable: name for name, setting in SETTINGS.items()}
    for variable, value in environment.items():
        if not value:
            continue  # set to nothing is not set, as in a shell
        given = GivenValue(value, variable)
        if (old := OLD_VARIABLES.get(variable)) is not None:
            sources.old[old] = given
        elif variable.startswith(OLD_PREFIX):
            near = nearest(variable, list(OLD_VARIABLES))
            sources.warnings.append(f"no setting reads {variable}; the nearest is {near}")
        elif variable.startswith(PREFIX) and variable not in _FOREIGN | {CONFIG}:
            if variable not in variables:
                near = nearest(variable, [*variables, CONFIG])
                raise Misuse(f"no setting reads {variable!r}; the nearest is {near!r}")
            sources.new[variables[variable]] = given


def _read_file(sources: _SourceValues, file: Path | None) -> None:
    path = file or _file_at_hand()
    if path is None:
        return
    for name, value in _flattened(_read_tree(path)):
        given = GivenValue(value, f"{name} ({path})")
        if name in SETTINGS:
            sources.new[name] = given
        elif (old := old_name(name)) is not None:
            sources.old[old] = given
        else:
            near = nearest(name, list(SETTINGS))
            raise Misuse(f"no setting is called {name!r} ({path}); the nearest is {near!r}")


def _file_at_hand() -> Path | None:
    """The file of the working directory. Raises `Misuse` where there are two."""
    there = [path for path in map(Path, FILES) if path.is_file()]
    if len(there) > 1:
        raise Misuse(f"{there[0]} and {there[1]} are both here; --config FILE says which counts")
    return there[0] if there else None


def _read_tree(path: Path) -> dict[str, Any]:
    """The keys of a file: YAML where its name says so, else TOML."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".yaml", ".yml"):
            from parley.personas.front_matter import parse_front_matter

            return parse_front_matter(text, str(path))[0] if text.strip() else {}
        return tomllib.loads(text)
    except OSError as error:
        raise Misuse(f"cannot read {str(path)!r}: {error.strerror}") from None
    except PersonaRefused as refused:
        raise Misuse(str(refused)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"{str(path)!r} is not TOML: {error}") from None


def _flattened(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of `tree` by dotted name; a mapping that is a setting is one leaf."""
    for key, value in tree.items():
        name = before + key
        if isinstance(value, dict) and not (name in SETTINGS and SETTINGS[name].mapping):
            yield from _flattened(value, name + ".")
        else:
            yield name, value
