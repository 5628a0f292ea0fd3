"""The settings of a process: one frozen tree, built once and passed down as plain values.

Every setting has one dotted name, such as `summary.interval`, and is reached
three ways: as a flag (`--summary-interval 6`), as a variable
(`PARLEY_SUMMARY_INTERVAL=6`) and as a key of `parley.toml` (`[summary]`,
`interval = 6`). A flag outranks a variable, a variable the file, the file the
default. A name that no setting has is refused, with the nearest one that has.
"""

from __future__ import annotations

import json
import tomllib
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from rapidfuzz import process

from memory.settings import Settings as SessionSettings
from server.errors import Misuse

FILE: Final = "parley.toml"
PREFIX: Final = "PARLEY_"
# Read by the test suite alone; a shell that has it set may still run the command.
FOREIGN: Final = frozenset({"PARLEY_CORPORA"})
INHERITED: Final = "session"  # the branch of the tree whose name is left out of dotted names


class Settings(BaseSettings):
    """What a process of Parley goes by. `session` is what new sessions are opened with."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    redis: str = Field("", description="address of Redis; empty: the embedded server")
    embedded: Literal["auto", "path", "bundled", "fake"] = Field(
        "auto", description="which server to embed when no address is given"
    )
    data: Path = Field(
        Path("~/.local/share/parley"), description="directory of the embedded server"
    )
    packs: tuple[str, ...] = Field((), description="files of operator patterns")
    require_durable: bool = Field(
        False, description="refuse a Redis that can lose what it acknowledged"
    )
    lease_ms: int = Field(10_000, ge=100, description="how long a worker holds a session")
    effect_lease_ms: int = Field(60_000, ge=100, description="how long a runner holds an effect")
    batch: int = Field(500, ge=1, le=10_000, description="entries folded at once")
    snapshot_tail: int = Field(1000, ge=1, description="entries after which a snapshot is written")
    snapshot_seconds: float = Field(30, gt=0, description="the age at which a snapshot is written")
    effects_at_once: int = Field(4, ge=1, le=100, description="effects a runner has in hand")
    drain_seconds: float = Field(10, ge=0, description="grace after a request to stop")
    wedged_seconds: float = Field(
        30, ge=0, description="a worker silent this long is ended; 0: never"
    )
    model_url: str = Field("", description="base URL of an OpenAI-compatible endpoint")
    model_key: SecretStr = Field(SecretStr(""), description="key of that endpoint")
    model: str = Field("gpt-4o-mini", min_length=1, description="model that writes summaries")
    model_timeout_seconds: float = Field(30, gt=0, description="deadline of one model call")
    model_temperature: float = Field(0.1, ge=0, le=2, description="temperature of a model call")
    memo_hours: int = Field(
        24, ge=0, description="how long a model's answer is used again for the same; 0: never"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="lowest level that is logged"
    )
    log_json: bool = Field(False, description="log one JSON object a line")
    session: SessionSettings = Field(
        SessionSettings(), description="settings that new sessions are opened with"
    )

    @property
    def has_model(self) -> bool:
        return bool(self.model_url or self.model_key.get_secret_value())

    def opening(self) -> dict[str, Any]:
        """The partial tree that `session.opened` logs: what was set, nothing else.

        `summary.how` is resolved here, once: a process with a model opens
        sessions whose summaries are a model's.
        """
        given = self.session.model_dump(exclude_unset=True)
        if self.has_model and "how" not in given.get("summary", {}):
            given["summary"] = {**given.get("summary", {}), "how": "model"}
        return given

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `settled` hands in: it has read and checked every source already."""
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class Setting:
    """One leaf of the tree, by its dotted name."""

    name: str
    path: tuple[str, ...]
    info: FieldInfo

    @property
    def flag(self) -> str:
        return "--" + self.name.replace(".", "-").replace("_", "-")

    @property
    def variable(self) -> str:
        return PREFIX + self.name.replace(".", "_").upper()

    @property
    def switch(self) -> bool:
        return self.info.annotation is bool

    @property
    def many(self) -> bool:
        return typing.get_origin(self.info.annotation) is tuple

    @property
    def kind(self) -> str:
        """What a value looks like, for help and documentation."""
        annotation = self.info.annotation
        if typing.get_origin(annotation) is Literal:
            return "|".join(str(choice) for choice in typing.get_args(annotation))
        names = {int: "integer", float: "number", bool: "true|false", Path: "path"}
        return "list" if self.many else names.get(typing.cast("type", annotation), "text")

    @property
    def default(self) -> str:
        value = self.info.default
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        if isinstance(value, bool):
            return str(value).lower()
        return ", ".join(value) if isinstance(value, tuple) else str(value)


def _leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[Setting]:
    for name, info in model.model_fields.items():
        below = info.annotation
        here = (*path, name)
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from _leaves(below, here)
        else:
            spoken = here[1:] if here[0] == INHERITED else here
            yield Setting(".".join(spoken), here, info)


SETTINGS: Final = {setting.name: setting for setting in _leaves(Settings)}
VARIABLES: Final = {setting.variable: setting for setting in SETTINGS.values()}


def settled(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Settings:
    """The settings in force; `flags` are by dotted name.

    `file` must exist when named; otherwise `parley.toml` of the working
    directory is read where there is one. Raises `Misuse`, naming the setting
    and where its value came from.
    """
    sources = [
        _from_file(file),
        _from_environment(environment),
        {name: (value, SETTINGS[name].flag) for name, value in flags.items()},
    ]
    values = {name: value for source in sources for name, value in source.items()}
    tree: dict[str, Any] = {}
    for name, (value, _) in values.items():
        setting = SETTINGS[name]
        branch = tree
        for step in setting.path[:-1]:
            branch = branch.setdefault(step, {})
        branch[setting.path[-1]] = split(value) if setting.many else value
    try:
        return Settings(**tree)
    except ValidationError as refused:
        raise _explained(refused, values) from None


def split(value: Any) -> Any:
    """A list given as text: names between commas, or a JSON list where a name has one."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return (value,)
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


def environment(settings: Settings) -> dict[str, str]:
    """The variables that give a child process these settings, secrets included."""
    found: dict[str, str] = {}
    for setting in SETTINGS.values():
        value: Any = settings
        for step in setting.path:
            value = getattr(value, step)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        found[setting.variable] = json.dumps(value) if setting.many else str(value)
    return found


def _explained(refused: ValidationError, values: Mapping[str, tuple[Any, str]]) -> Misuse:
    first = refused.errors(include_url=False, include_context=False)[0]
    path = tuple(str(step) for step in first["loc"])
    for name, setting in SETTINGS.items():
        if path[: len(setting.path)] == setting.path and name in values:
            return Misuse(f"{values[name][1]}: {first['msg']}; it takes {setting.kind}")
    return Misuse(f"{'.'.join(path)}: {first['msg']}")


def _from_environment(environment: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable in FOREIGN | {CONFIG}:
            continue
        setting = VARIABLES.get(variable)
        if setting is None:
            near = nearest(variable, [*VARIABLES, CONFIG])
            raise Misuse(f"no setting reads {variable!r}; the nearest is {near!r}")
        found[setting.name] = (value, variable)
    return found


CONFIG: Final = "PARLEY_CONFIG"  # names the file, as --config does


def _from_file(file: Path | None) -> dict[str, tuple[Any, str]]:
    path = file or Path(FILE)
    if file is None and not path.is_file():
        return {}
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Misuse(f"cannot read {str(path)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"{str(path)!r} is not TOML: {error}") from None
    found: dict[str, tuple[Any, str]] = {}
    for name, value in _flattened(tree):
        if name not in SETTINGS:
            near = nearest(name, list(SETTINGS))
            raise Misuse(f"no setting is called {name!r} ({path}); the nearest is {near!r}")
        found[name] = (value, f"{name} ({path})")
    return found


def _flattened(tree: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        name = before + key
        if isinstance(value, dict):
            yield from _flattened(value, name + ".")
        else:
            yield name, value


def nearest(name: str, choices: Sequence[str]) -> str:
    """The choice that `name` was most likely meant to be."""
    best = process.extractOne(name, choices)
    return best[0] if best else choices[0]


def table() -> str:
    """The settings as a Markdown table; docs/settings.md holds it, and a test holds them alike."""
    rows = ["| key | flag | variable | takes | default | |", "|---|---|---|---|---|---|"]
    for setting in SETTINGS.values():
        flag = setting.flag
        if setting.switch:
            flag += f" / --no-{flag[2:]}"
        default = f"`{setting.default}`" if setting.default else "empty"
        kind = setting.kind.replace("|", ", ")
        about = setting.info.description or ""
        rows.append(
            f"| `{setting.name}` | `{flag}` | `{setting.variable}` | {kind} | {default} | {about} |"
        )
    return "\n".join(rows) + "\n"
