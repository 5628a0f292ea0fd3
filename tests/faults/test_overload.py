"""More than the workers fold is refused; nothing grows, and all is folded soon after."""

from __future__ import annotations

import pytest

from tests.faults.overload import overload

MINUTES = 20


@pytest.mark.long
@pytest.mark.timeout(60 * (MINUTES + 10))
async def test_twice_what_is_folded_is_borne_for_twenty_minutes() -> None:
    """Publishers, gateway and workers keep their size."""
    figures = await overload(60 * MINUTES)
    print(*figures.lines(), sep="\n")
    assert figures.faults() == []
