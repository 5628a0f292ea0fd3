"""`parley transcript`: any record of talk as Parley's own JSON Lines, and what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.options import Json, SkipBad

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
    list_: Annotated[bool, typer.Option("--list", help="list the formats")] = False,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Convert a record of talk to JSON Lines; say what was left out."""
    from parley.server.basics.disk_files import write_bytes
    from parley.server.basics.errors import Misuse
    from parley.server.basics.output import emit_bytes
    from parley.server.transcripts.transcript_export import json_lines

    if list_:
        _list(json)
        return
    if file is None:
        raise Misuse("name the FILE to convert, or list the formats with --list")
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise Misuse(f"{str(out)!r} is the record itself, which would be lost; name another OUT")
    found = read(file, skip_bad, format)
    data = b"".join(json_lines(found))
    if out is None:
        emit_bytes(data)
    else:
        write_bytes(out, data)
    _report(found, json=json, on_stdout=out is not None)


def read(file: Path, skip_bad: bool, format: str | None) -> Transcript:
    """The transcript in `file`; with `skip_bad` what is wrong is told on stderr and left out."""
    from parley.server.basics.output import tell
    from parley.server.transcripts import read_transcript

    return read_transcript(
        file, (lambda bad: tell(f"left out {bad}")) if skip_bad else None, format
    )


def _list(json: bool) -> None:
    from parley.server.basics.output import cell, emit, listing, stdout
    from parley.server.transcripts import FORMATS

    if json:
        for each in FORMATS:
            emit({"name": each.name, "about": each.about, "extensions": each.extensions})
        return
    table = listing("FORMAT", "WHAT IT IS")
    for each in FORMATS:
        table.add_row(cell(each.name), cell(each.about))
    stdout().print(table)


def _report(found: Transcript, *, json: bool, on_stdout: bool) -> None:
    from parley.server.basics.output import emit, many, shown, stderr, stdout, tell
    from parley.server.transcripts.transcript_export import account, told

    if json and on_stdout:
        emit(account(found))
        return
    if json:
        import orjson

        tell(orjson.dumps(account(found)).decode())
        return
    row = account(found)
    lines = [
        f"{many(row['messages'], 'message')} of {many(len(row['speakers']), 'speaker')}, "
        f"read as {found.format}",
        *told(found),
    ]
    console = stdout() if on_stdout else stderr()
    for line in lines:
        console.print(shown(line), markup=False)
