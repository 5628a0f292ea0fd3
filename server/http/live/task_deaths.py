"""What is said of a task of the live rooms that died of an error nobody foresaw."""

from __future__ import annotations

from parley.bus.connection.event_log import EventLog
from parley.bus.connection.tasks import Child

log = EventLog("parley.live")


def log_death(child: Child, error: Exception) -> None:
    """The `on_death` of a `TaskHost` whose children others do not wait for."""
    log.error("task_died", task=child.name, exc_info=error)
