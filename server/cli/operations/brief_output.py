"""The Brief where it is wanted: on a terminal, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parley.server.basics.entry_drafts import speaker_name
from parley.server.basics.output import print_json, stdout
from parley.server.cli.shared.backend_calls import call_service
from parley.server.cli.shared.talk_sources import read_source
from parley.server.records.brief_sources import brief_file, brief_session
from parley.server.render.minutes import brief_text
from parley.server.settings import Settings


def show_brief(
    settings: Settings,
    source: str,
    at: int | None,
    input_format: str | None,
    speakers: Sequence[str],
    reader: str | None,
    json: bool,
) -> None:
    """Print it. `source` names a session, a file or `-`; `reader` is whom it waits for by "you"."""

    def of_file() -> dict[str, Any]:
        return brief_file(settings, source, at, input_format, speakers)

    def of_session() -> dict[str, Any]:
        return call_service(settings, brief_session, source, at, speaker_name(reader))

    as_file = input_format is not None or bool(speakers)
    row = read_source(source, of_file, of_session, file=as_file)
    if json:
        print_json(row)
    else:
        brief_text.write(stdout(), row)
