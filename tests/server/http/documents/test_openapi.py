"""The description of the API: the same as in docs/, whole, and true to the routes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

from parley.server.bootstrap import api_schemas
from parley.server.http.bodies import request_bodies
from parley.server.http.documents.openapi import TAGS, route_rights
from parley.server.http.http_app import list_routes, openapi_document

GOLDEN = Path(__file__).parents[4] / "docs" / "openapi.json"


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in openapi_document()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def refs(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if isinstance(ref := tree.get("$ref"), str):
            yield ref
        tree = list(tree.values())
    if isinstance(tree, list):
        for node in tree:
            yield from refs(node)


def test_the_one_in_docs_is_this_one() -> None:
    """`parley schema openapi > docs/openapi.json` writes it anew."""
    assert GOLDEN.read_bytes() == api_schemas.text("openapi")


def test_it_is_printed(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """On standard output, and nothing else."""
    api_schemas.schema("openapi")
    assert capfdbinary.readouterr().out == api_schemas.text("openapi")


def test_every_operation_has_a_name_a_family_and_words() -> None:
    """Names are verb and noun, and no two are the same."""
    names = [operation["operationId"] for *_, operation in operations()]
    assert len(set(names)) == len(names)
    families = set(TAGS)
    for method, path, operation in operations():
        where = f"{method} {path}"
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"]), where
        assert operation["description"], where
        assert set(operation.get("tags", ())) <= families, where
        assert operation["tags"], where


def test_every_operation_tells_its_right() -> None:
    """The one that its route needs; whatever is not public tells how to show who one is."""
    by_id = {operation["operationId"]: operation for *_, operation in operations()}
    for route in list_routes():
        if not isinstance(route, APIRoute) or not route.include_in_schema:
            continue
        operation = by_id[route.name]
        assert [operation["x-parley-right"]] == list(route_rights(route))
        assert ("security" in operation) == (operation["x-parley-right"] != "public")


def test_every_operation_tells_how_it_refuses() -> None:
    """As a problem, whichever the status."""
    for method, path, operation in operations():
        if operation["x-parley-right"] == "public":
            continue
        assert {"401", "403", "422", "429"} <= operation["responses"].keys(), f"{method} {path}"


def test_nothing_is_referred_to_that_is_not_there() -> None:
    """And the framework's own form of errors is not told of."""
    tree = openapi_document()
    for ref in set(refs(tree)):
        node: Any = tree
        for step in ref.removeprefix("#/").split("/"):
            node = node[step]
    assert not {"HTTPValidationError", "ValidationError"} & tree["components"]["schemas"].keys()


def test_the_examples_of_bodies_are_bodies() -> None:
    """Each is taken by the model that shows it."""
    shown = 0
    for name in dir(request_bodies):
        model = getattr(request_bodies, name)
        if isinstance(model, type) and issubclass(model, request_bodies.Body):
            for example in model.model_json_schema().get("examples", ()):
                model.model_validate(example)
                shown += 1
    assert shown >= 4
