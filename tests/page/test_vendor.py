"""What others wrote of the page is what they published, byte for byte."""

from __future__ import annotations

import hashlib
from importlib import resources

import pytest

VENDORED = {  # uPlot 1.6.32; micromark 4.0.3 as `make vendor` bundles it
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "LICENSE-uPlot.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    "micromark.min.js": "cd36607a0ef228d04e1f01957f6ccf370434178b4e8a52d62a46ab8cc5643e0b",
    "LICENSE-micromark.txt": "b8d15faabc4f29ac5e0503bd36301f689b597db89db4e5af76a8ebb4583405f4",
}
FOLDER = resources.files("parley.server") / "page" / "vendor"


@pytest.mark.parametrize("name", VENDORED)
def test_a_file_of_others_is_unaltered(name: str) -> None:
    """By its SHA-256; whoever takes a newer one writes the new sum here."""
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == VENDORED[name]


def test_there_is_nothing_else_of_others() -> None:
    """Each file in the folder has its sum."""
    assert {file.name for file in FOLDER.iterdir()} == set(VENDORED)
