"""A session of each released fold version: folded by that version it comes to the same bytes, and
a later version folds it anew.

`make.sh` in the folder of the sessions made them: a session's file as `parley session export`
writes it, and the canonical bytes of its memory. One that was released does not change again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from parley.memory.errors import SnapshotMismatch
from parley.memory.fold import canonical_bytes
from parley.memory.fold.canonical_bytes import load
from parley.memory.state.memory import FOLD
from parley.server.runtime.packs import read_packs
from tests.support.doors.calls import Parley

GOLDEN: Final = Path(__file__).resolve().parents[2] / "data" / "golden"
VERSIONS: Final = sorted(path.stem.removeprefix("fold-") for path in GOLDEN.glob("fold-*.json"))
VOTERS: Final = ("ana", "bo", "cy", "dee")


def memory_of(version: str) -> bytes:
    """The bytes that this version made of its session."""
    return (GOLDEN / f"memory-{version}.json").read_bytes()


def test_this_version_has_a_golden_session() -> None:
    assert FOLD in VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_a_golden_session_is_taken_and_folded(version: str, at: Parley) -> None:
    """By its own version to its own bytes; by another, it comes to what was said all the same."""
    assert at("session", "import", GOLDEN / f"fold-{version}.json").code == 0
    verified = at("session", "verify", "golden")
    assert (verified.code, verified.err) == (0, "")
    brief = at("brief", "golden").out
    assert all(words in brief for words in ("we store it in tins", "we buy no more bags"))
    (vote,) = at("vote", "show", "golden", "V1", "--json").rows()
    assert (vote["proposal"], vote["carried"]) == ("P2", "accept")
    assert vote["ballots"] == {name: ["accept"] for name in VOTERS}
    if version == FOLD:
        assert at("memory", "golden", "--json").out.encode() == memory_of(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_later_version_takes_no_memory_of_it(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused by its version, whatever its bytes look like."""
    packs = read_packs(()).known
    data = memory_of(version)
    assert load(data, packs).messages > 0
    monkeypatch.setattr(canonical_bytes, "FOLD", str(int(version) + 1))
    with pytest.raises(SnapshotMismatch, match=f"not a memory of fold version {int(version) + 1}"):
        load(data, packs)
