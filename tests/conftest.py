"""What every test may ask for: servers to run against, and patience.

`--servers` chooses the servers of tests that take `redis_url` or
`redis_server`: by default the best real one; `all` for each that is installed. A test
marked `real_server` asks for what fakeredis does not have and runs on the real ones.
`HYPOTHESIS_PROFILE` chooses the examples of a law: `quick` tries the same 40 at
each run, `random` others each time, `thorough` 1,000 others.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from parley.bus.connection.event_log import set_up_at_first_event
from tests.support.logs.corpora import ROOT as CORPORA
from tests.support.processes.machine import (
    count_open_files,
    describe_programs,
    found_programs,
)
from tests.support.servers.servers import (
    Aof,
    Flavour,
    RedisServer,
    StartServer,
    describe_servers,
    every_flavour,
    path_binary,
    real_flavours,
)

gc.disable()  # until the tests are collected: of eight thousand there is no garbage

# Where it is set, each of hundreds of child processes compiles all of its modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What a busy machine does to a clock is not the law's doing. Which examples are tried is
# no chance where a change has to pass: whoever wants new ones asks for them.
CLOCKLESS: Final[dict[str, Any]] = {
    "deadline": None, "suppress_health_check": [HealthCheck.too_slow],
}  # fmt: skip
settings.register_profile("quick", max_examples=40, derandomize=True, **CLOCKLESS)
settings.register_profile("random", max_examples=40, derandomize=False, **CLOCKLESS)
settings.register_profile("thorough", max_examples=1000, derandomize=False, **CLOCKLESS)
PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "quick")
settings.load_profile(PROFILE)
if PROFILE == "quick":
    # Some examples are made of the constants in whatever was imported by then, which with
    # several test processes is chance (Hypothesis 6.170 has no switch for it).
    providers._get_local_constants = Constants


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--servers",
        default="default",
        help="servers of the bus suite: default, all, or a list such as path,bundled,fake",
    )


def pytest_report_header() -> list[str]:
    """Which servers and programs the run has: a log says what it did not try."""
    return [*describe_servers(), *describe_programs()]


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a bare run (`.ci/bare`) that reaches what a newcomer's machine does not have."""
    if os.environ.get("TEST_BARE") != "1":
        return
    reached = [*(["a Redis server"] if path_binary() else []), *found_programs()]
    if reached:
        raise pytest.UsageError(f"a bare run reaches {', '.join(reached)}; see .ci/bare")


@pytest.fixture(autouse=True)
def _charge_open_files() -> Iterator[None]:
    """Charge a file that a test leaves open to that test, not to the one that runs at its end.

    Garbage in a cycle is collected at any later time; so it is collected now if there are more
    open files than before. That is rare: shared servers, and tests that leak.
    """
    before = count_open_files()
    yield
    if count_open_files() > before:
        gc.collect()


def pytest_collection_finish() -> None:
    gc.freeze()  # the tests themselves stay to the end: no collection walks through them
    gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """Two processes a core: tests of servers and of other processes wait more than they work."""
    return 2 * (os.cpu_count() or 1)


def _chosen(config: pytest.Config, *, real: bool) -> list[Flavour]:
    asked = str(config.getoption("--servers"))
    installed = real_flavours() if real else every_flavour()
    if asked == "default":
        return installed[:1]
    if asked == "all":
        return installed
    return [flavour for flavour in installed if flavour in asked.split(",")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    needs_real = metafunc.definition.get_closest_marker("real_server") is not None
    if "real_flavour" in metafunc.fixturenames:
        metafunc.parametrize("real_flavour", _chosen(metafunc.config, real=True), scope="session")
    if "any_flavour" in metafunc.fixturenames:
        chosen = _chosen(metafunc.config, real=needs_real)
        metafunc.parametrize("any_flavour", chosen, scope="session")
    if "every_real_flavour" in metafunc.fixturenames:
        metafunc.parametrize("every_real_flavour", real_flavours(), scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A long form ends when its work is done: the limit of `pyproject.toml` is for the others."""
    for item in items:
        if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(scope="session")
def _standing_servers() -> Iterator[dict[Flavour, RedisServer]]:
    """One server of a flavour for the whole run, for tests that only need its state."""
    servers: dict[Flavour, RedisServer] = {}
    yield servers
    for server in servers.values():
        server.remove()


@pytest.fixture
def corpora() -> Path:
    """The recorded deliberations; skips where they are absent."""
    if not CORPORA.is_dir():
        pytest.skip(f"the corpora are not at {CORPORA}")
    return CORPORA


@pytest.fixture
def any_server(any_flavour: Flavour, _standing_servers: dict[Flavour, RedisServer]) -> RedisServer:
    """An empty server, shared with other tests: flush it at will, but do not end it."""
    server = _standing_servers.get(any_flavour)
    if server is None:
        server = _standing_servers[any_flavour] = RedisServer(any_flavour)
        server.start()
    server.flush()
    return server


@pytest.fixture
def redis_url(any_server: RedisServer) -> str:
    """The address of an empty server, shared with other tests."""
    return any_server.url


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Starts servers of this test's own: `start_server(aof="always")`."""
    started: list[RedisServer] = []

    def start(
        flavour: Flavour | None = None,
        *,
        aof: Aof | None = None,
        options: dict[str, str] | None = None,
    ) -> RedisServer:
        server = RedisServer(flavour or every_flavour()[0], aof=aof, options=options)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.remove()


@pytest.fixture
def redis_server(real_flavour: Flavour, start_server: StartServer) -> RedisServer:
    """A real server of this test's own, without persistence: kill it at will."""
    return start_server(real_flavour)


@pytest.fixture
def durable_server(real_flavour: Flavour, start_server: StartServer) -> RedisServer:
    """A real server of this test's own whose acknowledgement means on disk."""
    return start_server(real_flavour, aof="always")


@pytest.fixture(autouse=True)
def _log_of_its_own() -> Iterator[None]:
    """A command run in this process points the log at a stream that closes with its test."""
    _log_plainly()
    yield
    set_up_at_first_event(None)
    structlog.reset_defaults()


def _log_plainly() -> None:
    """structlog's default draws an error with each variable of each frame: ten seconds' work."""
    trace = structlog.dev.plain_traceback
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=trace)
    structlog.configure(processors=[structlog.processors.add_log_level, renderer])
