"""Asking a session: `memory`, `context`, `explain`, `stats`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from parley.server.cli.shared.options import As, At, Brief, Budget, Json, Layer, Session, settings

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
    from parley.server.basics.output import write_stdout
    from parley.server.queries import memory_queries
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    if layer is not None:
        command_output.show_layer(
            run(memory_queries.read_layer(settings(ctx), session, layer, at)), json
        )
    elif json:
        write_stdout(run(memory_queries.dump_memory(settings(ctx), session, at)))
    else:
        command_output.show_minutes(
            run(memory_queries.read_digest(settings(ctx), session, at)), False
        )


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
    from parley.server.basics.errors import Misuse
    from parley.server.queries import assistant_trace, memory_queries
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    own = settings(ctx)
    if brief and (trace or profile not in (None, "brief")):
        raise Misuse("--brief is --profile brief; give one of them")
    if (trace or profile == "exchange") and with_:
        raise Misuse("--with goes with the other profiles; --trace and exchange show one session")
    if (trace or profile == "exchange") and at is not None:
        raise Misuse("--at goes with the other profiles; --trace and exchange show the present")
    if trace:
        command_output.show_trace(run(assistant_trace.read_trace(own, session, as_, budget)), json)
        return
    if profile == "exchange":
        command_output.show_messages(
            run(assistant_trace.read_prompt(own, session, as_, budget)), json
        )
        return
    chosen = profile or ("brief" if brief else "full")
    question = memory_queries.read_context(own, session, as_, chosen, budget, at, with_ or ())
    command_output.show_context(run(question), json)


def explain(
    ctx: typer.Context,
    session: Session,
    ref: Annotated[str, typer.Argument(metavar="REF", help="handle of the item: P3, D2, E1, I4")],
    json: Json = False,
) -> None:
    """Where an item comes from, and who stood where.

    A proposal, a decision, an episode or an insight.
    """
    from parley.server.queries import memory_queries
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    command_output.show_item(run(memory_queries.explain_item(settings(ctx), session, ref)), json)


def stats(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Counts and sizes of a session's memory."""
    from parley.server.queries import memory_queries
    from parley.server.render import command_output
    from parley.server.runtime.connection import run

    command_output.show_statistics(run(memory_queries.stats_of(settings(ctx), session)), json)
