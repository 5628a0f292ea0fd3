"""Another build of the fold, pretended: of the same version, or of a later one."""

from __future__ import annotations

import pytest

from parley.listeners.cache import memory_cache
from parley.listeners.workers import projector, worker
from parley.memory.fold import canonical_bytes


def pretend_build(patch: pytest.MonkeyPatch, name: str) -> None:
    """Fold as the build `name`, such as "2-another": its version is in memory's bytes."""
    for module in (memory_cache, projector, worker):
        patch.setattr(module, "fold_build", lambda: name)
    patch.setattr(canonical_bytes, "FOLD", name.partition("-")[0])
