"""Asking a session: `memory`, `context`, `explain`, `stats`."""

from __future__ import annotations

from typing import Annotated

import typer

from server.commands.options import As, At, Brief, Budget, Json, Session, settings


def add_to(app: typer.Typer) -> None:
    for command in (memory, context, explain, stats):
        app.command()(command)


def memory(ctx: typer.Context, session: Session, json: Json = False, at: At = None) -> None:
    """The minutes: what the session has come to.

    With --json, exactly the canonical bytes of its memory.
    """
    from server import questions, views
    from server.output import emit_bytes
    from server.running import run

    if json:
        emit_bytes(run(questions.canonical_memory(settings(ctx), session, at)))
    else:
        views.show_minutes(run(questions.minutes_of(settings(ctx), session, at)), False)


def context(
    ctx: typer.Context,
    session: Session,
    as_: As = None,
    brief: Brief = False,
    budget: Budget = None,
    at: At = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="SESSION", help="its decisions too; may be repeated"),
    ] = None,
    json: Json = False,
) -> None:
    """What a listener is told before it speaks."""
    from server import questions, views
    from server.running import run

    question = questions.context_of(
        settings(ctx), session, as_, "brief" if brief else "full", budget, at, with_ or ()
    )
    found = run(question)
    views.show_context(found, json)


def explain(
    ctx: typer.Context,
    session: Session,
    ref: Annotated[str, typer.Argument(metavar="REF", help="handle of the item: P3, D2")],
    json: Json = False,
) -> None:
    """Where a proposal or decision comes from, and who stood where."""
    from server import questions, views
    from server.running import run

    views.show_item(run(questions.story_of(settings(ctx), session, ref)), json)


def stats(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Counts and sizes of a session's memory."""
    from server import questions, views
    from server.running import run

    views.show_statistics(run(questions.stats_of(settings(ctx), session)), json)
