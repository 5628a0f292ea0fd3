"""The layers of a memory, one at a time: as a tree, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memory.state import Memory
from server import layer_lines, layer_trees
from server.errors import Misuse


@dataclass(frozen=True, slots=True)
class Layer:
    """How one layer is told."""

    tree: Callable[[Memory], dict[str, Any]]
    lines: Callable[[Memory], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Told:
    """A layer of one memory, both ways."""

    tree: dict[str, Any]
    text: str


def layer(name: str) -> Layer:
    """The layer of that name. Raises `Misuse`, listing them."""
    found = LAYERS.get(name)
    if found is None:
        raise Misuse(f"--layer {name!r}: there is none; the layers are {', '.join(LAYERS)}")
    return found


LAYERS: Final[Mapping[str, Layer]] = {
    "conversation": Layer(layer_trees.conversation, layer_lines.conversation),
    "session": Layer(layer_trees.session, layer_lines.session),
    "execution": Layer(layer_trees.execution, layer_lines.execution),
    "notebooks": Layer(layer_trees.notebooks, layer_lines.notebooks),
    "history": Layer(layer_trees.history, layer_lines.history),
    "exchanges": Layer(layer_trees.exchanges, layer_lines.exchanges),
    "tools": Layer(layer_trees.tools, layer_lines.tools),
    "episodes": Layer(layer_trees.episodes, layer_lines.episodes),
    "insights": Layer(layer_trees.insights, layer_lines.insights),
    "lessons": Layer(layer_trees.lessons, layer_lines.lessons),
    "ledger": Layer(layer_trees.ledger, layer_lines.ledger),
}
