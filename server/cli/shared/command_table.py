"""Commands by name, of which each is made when it is asked for: its module is imported then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer

from parley.server.cli.shared.plain_values import read_plainly


class CommandTable(Mapping[str, Any]):
    """The commands of the modules below `package` that `families` names, in their order.

    Each module has `add_to`, which adds those commands to an app.
    """

    def __init__(self, package: str, families: Mapping[str, tuple[str, ...]]) -> None:
        self._package = package
        self._homes = {name: module for module, names in families.items() for name in names}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made |= self._family(self._homes[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def _family(self, module: str) -> dict[str, Any]:
        app = typer.Typer(rich_markup_mode=None)
        import_module(f"{self._package}.{module}").add_to(app)
        group = typer.main.get_group(app)
        read_plainly(group)
        return dict(group.commands)
