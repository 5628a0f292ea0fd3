"""The minutes where they are wanted: on a terminal, on stdout, in a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from parley.server.basics.disk_files import write_bytes
from parley.server.basics.output import print_notice, stdout, write_stdout
from parley.server.cli.shared.backend_calls import call_service
from parley.server.cli.shared.talk_sources import read_source
from parley.server.records.minutes_sources import report_file, report_session
from parley.server.render.minutes import minutes_text
from parley.server.render.minutes.minutes_forms import Form, render
from parley.server.settings import Settings

_FORMS: Final[dict[str, Form]] = {
    ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json",
}  # fmt: skip


def hand_on_minutes(
    settings: Settings,
    source: str,
    form: Form | None,
    at: int | None,
    out: Path | None,
    input_format: str | None = None,
    speakers: Sequence[str] = (),
) -> None:
    """Print them, or write them to `out`. `source` names a session, a file or `-`.

    `form`: else that of the ending of `out`. What has an `input_format` or `speakers` is a file.
    """
    form = form or _FORMS.get(out.suffix.lower() if out else "", "text")
    row = read_source(
        source,
        lambda: report_file(settings, source, at, input_format, speakers),
        lambda: call_service(settings, report_session, source, at),
        file=input_format is not None or bool(speakers),
    )
    if out is not None:
        write_bytes(out, render(row, form))
        print_notice(f"the minutes are in {out}")
    elif form == "text" and sys.stdout.isatty():
        minutes_text.write(stdout(), row)
    else:
        write_stdout(render(row, form))
