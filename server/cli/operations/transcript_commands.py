"""`parley transcript`: any record of talk as Parley's own JSON Lines, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.options import Json, SkipBad, Speakers

if TYPE_CHECKING:
    from parley.server.transcripts import Transcript


def add_to(app: typer.Typer) -> None:
    app.command()(transcript)


def transcript(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="a record of talk in any format; - reads stdin"),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="its format; else by content"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT", help="where the JSON Lines go; else stdout"),
    ] = None,
    speaker: Speakers = None,
    list_: Annotated[bool, typer.Option("--list", help="list the formats")] = False,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Convert a record of talk to JSON Lines; say what was left out."""
    from parley.server.basics.disk_files import write_bytes
    from parley.server.basics.errors import Misuse
    from parley.server.basics.output import write_stdout
    from parley.server.transcripts.transcript_export import to_json_lines

    if list_:
        _list(json)
        return
    if file is None:
        raise Misuse("name the FILE to convert, or list the formats with --list")
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise Misuse(f"{str(out)!r} is the record itself, which would be lost; name another OUT")
    transcript = read(file, skip_bad, format, speaker)
    data = b"".join(to_json_lines(transcript))
    if out is None:
        write_stdout(data)
    else:
        write_bytes(out, data)
    _report(transcript, json=json, on_stdout=out is not None)


def read(file: Path, skip_bad: bool, format: str | None, speakers: list[str] | None) -> Transcript:
    """The transcript in `file`; with `skip_bad` what is wrong is told on stderr and left out."""
    from parley.server.basics.output import print_notice
    from parley.server.transcripts import read_transcript

    on_bad = (lambda bad: print_notice(f"left out {bad}")) if skip_bad else None
    return read_transcript(file, on_bad, format, speakers or ())


def _list(json: bool) -> None:
    from parley.server.basics.output import new_table, print_json, stdout, table_cell
    from parley.server.transcripts import all_formats

    if json:
        for each in all_formats():
            print_json({"name": each.name, "about": each.about, "extensions": each.extensions})
        return
    table = new_table("FORMAT", "WHAT IT IS")
    for each in all_formats():
        table.add_row(table_cell(each.name), table_cell(each.about))
    stdout().print(table)


def _report(transcript: Transcript, *, json: bool, on_stdout: bool) -> None:
    from parley.server.basics.output import (
        count_of,
        escape,
        print_json,
        print_notice,
        stderr,
        stdout,
    )
    from parley.server.transcripts.transcript_export import summary_lines, summary_row

    if json and on_stdout:
        print_json(summary_row(transcript))
        return
    if json:
        import orjson

        print_notice(orjson.dumps(summary_row(transcript)).decode())
        return
    row = summary_row(transcript)
    lines = [
        f"{count_of(row['messages'], 'message')} of {count_of(len(row['speakers']), 'speaker')}, "
        f"read as {transcript.format}",
        *summary_lines(transcript),
    ]
    console = stdout() if on_stdout else stderr()
    for line in lines:
        console.print(escape(line), markup=False)
