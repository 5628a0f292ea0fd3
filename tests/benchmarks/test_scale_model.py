"""The model of sessions, workers and nodes tells what was measured, and what theory says."""

from __future__ import annotations

import json
import random
import statistics

import pytest

from benchmarks.scale import LONG, SHORT, Point, predict
from benchmarks.scale_model import (
    COPIES,
    POINTS,
    Costs,
    Resource,
    Simulation,
    Steps,
    drain,
    live,
    use,
)

DATA = json.loads(POINTS.read_text())
COSTS = Costs(
    publish=1e-4, node_turn=3e-4, node_entry=1e-5, worker_turn=5e-4, worker_entry=2e-4, refold=2e-4
)


@pytest.mark.parametrize(
    "row", DATA["points"], ids=lambda row: f"{row['nodes']}-{row['workers']}-{row['load']}"
)
def test_every_measured_point_is_reproduced(row: dict[str, float]) -> None:
    """Within 15 %, by the costs of one node and one worker."""
    point = Point(**{name: value for name, value in row.items() if name != "model"})  # type: ignore[arg-type]  # read back
    assert predict(Costs(**DATA["costs"]), point) == pytest.approx(point.seconds, rel=0.15)


def test_a_line_is_as_long_as_theory_has_it() -> None:
    """Random arrivals, one server, equal service: the mean wait is rho / 2 (1 - rho) of it."""
    simulation, chance, waits = Simulation(), random.Random(7), list[float]()
    server = Resource(simulation)

    def customer() -> Steps:
        came = simulation.now
        yield from use(1.0, server)
        waits.append(simulation.now - came - 1.0)

    def arrivals() -> Steps:
        for _ in range(40_000):
            simulation.start(customer())
            yield chance.expovariate(0.5)

    simulation.start(arrivals())
    simulation.run()
    assert len(waits) == 40_000
    assert statistics.fmean(waits) == pytest.approx(0.5, rel=0.06)


def test_a_backlog_takes_what_its_work_takes() -> None:
    """One worker is busy all along; with as many cores as processes, four take a quarter."""
    one = drain(COSTS, nodes=1, workers=1, sessions=96, entries=20, cores=8)
    four = drain(COSTS, nodes=1, workers=4, sessions=96, entries=20, cores=8)
    assert one == pytest.approx(96 * (5e-4 + 20 * 2e-4), rel=0.1)
    assert one / four == pytest.approx(4, rel=0.1)
    assert SHORT.sessions * SHORT.entries + LONG.sessions * LONG.entries > 10_000


def test_more_sessions_than_memories_are_folded_anew() -> None:
    """While people talk in fewer sessions than workers keep, nothing is."""
    shape = {"nodes": 1, "workers": 2, "cores": 3, "sessions": 10_000, "rate": 500.0, "history": 20}
    few = live(COSTS, active=COPIES, seconds=4.0, **shape)  # type: ignore[arg-type]  # by name
    many = live(COSTS, active=4 * COPIES, seconds=4.0, **shape)  # type: ignore[arg-type]  # by name
    assert few["cold_share"] == 0
    assert many["cold_share"] > 0.4
    assert many["p99_ms"] > few["p99_ms"]
