"""Clients that generators make of the description pass a strict type checker."""

from __future__ import annotations

import builtins
import keyword
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from parley.server.bootstrap import api_schemas
from parley.server.http.http_app import openapi_document

_IMPORTED = {"cast", "Any"}  # names that generated modules import
_ROWS = ("DecisionRow", "ProposalRow", "SideRow", "VoteRow", "ParticipantStands", "SummaryRow")


def schemas() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = openapi_document()["components"]["schemas"]
    return found


@pytest.mark.parametrize("name", _ROWS)
def test_the_rows_that_people_ask_for_have_schemas(name: str) -> None:
    """Each with its fields and, of those that hold items, a description."""
    schema = schemas()[name]
    assert len(schema["properties"]) > 4
    assert name in ("VoteRow", "SummaryRow") or schema["description"]


def test_lists_of_items_name_the_schema_of_their_rows() -> None:
    """So a generated client has their fields, not a bag of keys."""
    paths = openapi_document()["paths"]
    for list_name, row in (("decisions", "DecisionRow"), ("proposals", "ProposalRow")):
        answer = paths[f"/v1/sessions/{{session}}/{list_name}"]["get"]["responses"]["200"]
        page = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert schemas()[page]["properties"]["items"]["items"]["$ref"].endswith(f"/{row}")


def test_no_field_shadows_what_generated_modules_import() -> None:
    """Nor has a list the name of the variable that holds its object, the class in small letters."""
    for name, schema in schemas().items():
        fields = schema.get("properties", {})
        assert not _IMPORTED & set(fields), name
        assert fields.get(name.lower(), {}).get("type") != "array", name


def test_no_field_defaults_to_null() -> None:
    """Generators give such a default to a class of its own, which does not take it."""
    for name, schema in schemas().items():
        for field, described in schema.get("properties", {}).items():
            assert described.get("default", ...) is not None, (name, field)


def test_names_of_schemas_are_plain() -> None:
    """Two classes of one name would be told apart by their modules."""
    for name in schemas():
        assert "__" not in name
        assert not keyword.iskeyword(name)
        assert name not in dir(builtins)


@pytest.mark.parametrize("generator", ["openapi-python-client", "datamodel-codegen"])
def test_generated_code_passes_a_strict_type_checker(generator: str, tmp_path: Path) -> None:
    """Of the two generators that most programs in Python use; skipped if one is not installed."""
    program = shutil.which(generator)
    checker = shutil.which("mypy", path=str(Path(program).parent)) if program else None
    if program is None or checker is None:
        pytest.skip(f"{generator} with mypy is not on PATH")
    document = tmp_path / "openapi.json"
    document.write_bytes(api_schemas.text("openapi"))
    made = tmp_path / "made"
    made.mkdir()
    if generator == "datamodel-codegen":
        options = [
            "--input", document, "--input-file-type", "openapi", "--output", made / "models.py",
            "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated",
            "--set-default-enum-member", "--target-python-version", "3.11",
        ]  # fmt: skip
    else:
        options = ["generate", "--path", document, "--output-path", made / "client", "--meta=none"]
    subprocess.run([program, *map(str, options)], check=True, capture_output=True, text=True)
    ran = subprocess.run(
        [checker, "--strict", "--no-incremental", str(made)],
        check=False, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    faults = [line for line in ran.stdout.splitlines() if ": error:" in line]
    of_ours = [line for line in faults if not line.startswith("made/client/client.py")]
    assert not of_ours  # that module is the generator's own, the same for every description
    assert "checked" in ran.stdout or "no issues found" in ran.stdout
