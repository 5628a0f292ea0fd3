"""Events of a process: where they go, and what a process without any does not load."""

from __future__ import annotations

import subprocess
import sys

from structlog.testing import capture_logs

from parley.bus.connection.event_log import EventLog, set_up_at_first_event


def test_an_event_is_a_name_and_facts() -> None:
    with capture_logs() as lines:
        EventLog("parley.test").warning("tail_lost", session="s", after=3)

    assert lines == [{"event": "tail_lost", "session": "s", "after": 3, "log_level": "warning"}]


def test_the_set_up_runs_once_before_the_first_event() -> None:
    runs: list[str] = []
    set_up_at_first_event(lambda: runs.append("set up"))
    log = EventLog("parley.test")
    assert runs == []

    with capture_logs():
        log.info("first")
        log.info("second")

    assert runs == ["set up"]


def test_a_process_without_events_does_not_load_structlog() -> None:
    script = (
        "import sys; import parley.bus.client; from parley.server.basics import log_setup;"
        "log_setup.configure_logging('info', False);"
        "sys.exit('structlog' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
