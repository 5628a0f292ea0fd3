"""Asking a session: `memory`, `context`, `explain`, `stats`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from server.commands.options import As, At, Brief, Budget, Json, Layer, Session, settings

Profiled = Annotated[
    Literal["full", "brief", "raw", "history", "exchange"] | None,
    typer.Option(
        metavar="PROFILE",
        help="full, brief, raw (the notebook), history, or exchange (a list of messages)",
    ),
]
Trace = Annotated[
    bool, typer.Option("--trace", help="memory, kept results and messages of an assistant")
]


def add_to(app: typer.Typer) -> None:
    for command in (memory, context, explain, stats):
        app.command()(command)


def memory(
    ctx: typer.Context,
    session: Session,
    json: Json = False,
    at: At = None,
    layer: Layer = None,
) -> None:
    """What the session has come to.

    With --json, exactly the canonical bytes of its memory. With --layer, one
    layer of it.
    """
    from server import questions, views
    from server.output import emit_bytes
    from server.running import run

    if layer is not None:
        views.show_layer(run(questions.layer_of(settings(ctx), session, layer, at)), json)
    elif json:
        emit_bytes(run(questions.canonical_memory(settings(ctx), session, at)))
    else:
        views.show_minutes(run(questions.minutes_of(settings(ctx), session, at)), False)


def context(
    ctx: typer.Context,
    session: Session,
    as_: As = None,
    brief: Brief = False,
    profile: Profiled = None,
    trace: Trace = False,
    budget: Budget = None,
    at: At = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="SESSION", help="its decisions too; may be repeated"),
    ] = None,
    json: Json = False,
) -> None:
    """What a listener is told before it speaks."""
    from server import questions, tracing, views
    from server.errors import Misuse
    from server.running import run

    own = settings(ctx)
    if brief and (trace or profile not in (None, "brief")):
        raise Misuse("--brief is --profile brief; give one of them")
    if (trace or profile == "exchange") and with_:
        raise Misuse("--with goes with the other profiles; --trace and exchange show one session")
    if (trace or profile == "exchange") and at is not None:
        raise Misuse("--at goes with the other profiles; --trace and exchange show the present")
    if trace:
        views.show_trace(run(tracing.trace_of(own, session, as_, budget)), json)
        return
    if profile == "exchange":
        views.show_messages(run(tracing.messages_of(own, session, as_, budget)), json)
        return
    chosen = profile or ("brief" if brief else "full")
    question = questions.context_of(own, session, as_, chosen, budget, at, with_ or ())
    views.show_context(run(question), json)


def explain(
    ctx: typer.Context,
    session: Session,
    ref: Annotated[str, typer.Argument(metavar="REF", help="handle of the item: P3, D2, E1, I4")],
    json: Json = False,
) -> None:
    """Where an item comes from, and who stood where.

    A proposal, a decision, an episode or an insight.
    """
    from server import questions, views
    from server.running import run

    views.show_item(run(questions.story_of(settings(ctx), session, ref)), json)


def stats(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Counts and sizes of a session's memory."""
    from server import questions, views
    from server.running import run

    views.show_statistics(run(questions.stats_of(settings(ctx), session)), json)
