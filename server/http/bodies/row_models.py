"""Schemas of rows, derived from the shapes that their makers are held to.

A row is declared once, as a `TypedDict` of `server.rows`. What a route says of it in the
interface's description is made from that declaration, nested shapes included.
"""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import create_model

from parley.server.http.bodies.session_responses import Answer, Page


@cache
def row_model(shape: type) -> type[Answer]:
    """The schema of a row of `shape`, a `TypedDict`; it has its name and its description."""
    hints = get_type_hints(shape)
    fields: dict[str, Any] = {name: (_typed(hint), ...) for name, hint in hints.items()}
    return create_model(shape.__name__, __base__=Answer, __doc__=shape.__doc__, **fields)


def page_model(shape: type) -> type[Answer]:
    """The schema of a part of a list of such rows."""
    item: Any = row_model(shape)
    return Page[item]


def _typed(hint: Any) -> Any:
    """`hint` with models in place of the shapes in it."""
    if is_typeddict(hint):
        return row_model(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return reduce(or_, map(_typed, parts))
    if origin in (list, dict):
        return origin[tuple(map(_typed, parts))]
    return hint
