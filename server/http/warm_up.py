"""What a process works out once, worked out before somebody waits for it.

The description of the API is made for the first refusal that names a field, and patterns
are compiled by the first fold.
"""

from __future__ import annotations

from fastapi import FastAPI

from parley.server.http.problems.problem_responses import api_names
from parley.server.http.state.dependencies import Dependencies
from parley.server.runtime.packs import compile_packs


def warm_up(app: FastAPI, deps: Dependencies) -> None:
    """Load what the first request would wait for: tenths of a second, best from a thread."""
    api_names(app)
    compile_packs(deps.backend.packs)
