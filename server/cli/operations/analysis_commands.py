"""Whole transcripts: `analyze` without a server, `replay` through the bus."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.options import (
    As,
    Brief,
    Budget,
    InputFormat,
    Json,
    Parts,
    SkipBad,
    Speakers,
    Transcript,
    settings,
)

if TYPE_CHECKING:
    from parley.server.transcripts import Transcript as Read


class Form(StrEnum):
    report = "report"
    memory = "memory"
    items = "items"
    context = "context"


def add_to(app: typer.Typer) -> None:
    app.command()(analyze)
    app.command()(replay)


def analyze(
    ctx: typer.Context,
    file: Transcript,
    form: Annotated[Form, typer.Option("--format", help="what to print")] = Form.report,
    input_format: InputFormat = None,
    speaker: Speakers = None,
    skip_bad: SkipBad = False,
    as_: As = None,
    brief: Brief = False,
    parts: Parts = None,
    budget: Budget = None,
    json: Json = False,
) -> None:
    """What a transcript came to. Reads the file, needs no server."""
    from parley.memory.context.parts import read_parts
    from parley.server.basics.errors import Misuse
    from parley.server.basics.output import print_json, write_stdout
    from parley.server.records import transcript_analysis
    from parley.server.render import command_output

    if form is not Form.context and (as_ is not None or brief or budget is not None or parts):
        raise Misuse("--as, --brief, --part and --budget shape a context: add --format context")
    analysis = transcript_analysis.analyze(
        _read(ctx, file, skip_bad, input_format, speaker), settings(ctx)
    )
    if form is Form.memory:
        write_stdout(analysis.canonical())
    elif form is Form.items:
        for row in analysis.items():
            print_json(row)
    elif form is Form.context:
        shown = analysis.context(as_, brief=brief, budget=budget, parts=read_parts(parts or ()))
        command_output.show_context(shown, json)
    else:
        command_output.show_minutes(analysis.minutes(), json)


def replay(
    ctx: typer.Context,
    file: Transcript,
    session: Annotated[str, typer.Option("--session", metavar="NAME", help="session to fill")],
    rate: Annotated[
        float | None,
        typer.Option("--rate", min=0.001, max=1e6, help="messages a second; else flat out"),
    ] = None,
    input_format: InputFormat = None,
    speaker: Speakers = None,
    skip_bad: SkipBad = False,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="wait until every summary is written, and report"),
    ] = True,
    json: Json = False,
) -> None:
    """Publish a transcript through the bus and print its minutes.

    A worker is started where none runs.
    Repeating it is harmless: messages that are there already stay as they are.
    """
    from parley.server.records.transcript_replay import replay_transcript
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    transcript = _read(ctx, file, skip_bad, input_format, speaker)
    report = run(replay_transcript(settings(ctx), transcript, session, rate=rate, wait=wait))
    if report is not None:
        command_output.show_minutes(report, json)


def _read(
    ctx: typer.Context, file: Path, skip_bad: bool, format: str | None, speakers: list[str] | None
) -> Read:
    from parley.server.basics.output import print_notice
    from parley.server.cli.operations.transcript_commands import read
    from parley.server.records.session_opening import assign_roles
    from parley.server.transcripts.transcript_export import summary_lines

    transcript = read(file, skip_bad, format, speakers)
    if transcript.format != "jsonl":
        print_notice(f"read as {transcript.format}")
    for line in (*summary_lines(transcript), *assign_roles(transcript, settings(ctx)).lines()):
        print_notice(line)
    return transcript
