"""The layers of a memory, one at a time: as a tree, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from parley.memory.state.memory import Memory
from parley.server.basics.errors import Misuse
from parley.server.render import layer_text
from parley.server.rows import layer_rows


@dataclass(frozen=True, slots=True)
class Layer:
    """How one layer is told."""

    tree: Callable[[Memory], dict[str, Any]]
    lines: Callable[[Memory], Iterable[str]]


def find_layer(name: str) -> Layer:
    """The layer of that name. Raises `Misuse`, listing them."""
    layer = LAYERS.get(name)
    if layer is None:
        raise Misuse(f"--layer {name!r}: there is none; the layers are {', '.join(LAYERS)}")
    return layer


LAYERS: Final[Mapping[str, Layer]] = {
    "conversation": Layer(layer_rows.conversation, layer_text.conversation),
    "session": Layer(layer_rows.session, layer_text.session),
    "execution": Layer(layer_rows.execution, layer_text.execution),
    "notebooks": Layer(layer_rows.notebooks, layer_text.notebooks),
    "history": Layer(layer_rows.history, layer_text.history),
    "exchanges": Layer(layer_rows.exchanges, layer_text.exchanges),
    "tools": Layer(layer_rows.tools, layer_text.tools),
    "episodes": Layer(layer_rows.episodes, layer_text.episodes),
    "insights": Layer(layer_rows.insights, layer_text.insights),
    "lessons": Layer(layer_rows.lessons, layer_text.lessons),
    "ledger": Layer(layer_rows.ledger, layer_text.ledger),
}
