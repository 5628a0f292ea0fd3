"""The README's picture can be made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page import picture


@pytest.mark.long
def test_the_picture_is_made_of_the_page_as_it_is(tmp_path: Path) -> None:
    """What it shows is there, nothing complains, and it is small enough to keep."""
    file = tmp_path / "page.webp"
    picture.main(file)
    assert file.read_bytes()[8:12] == b"WEBP"
    assert Path("docs/page.webp").stat().st_size <= picture.MOST
