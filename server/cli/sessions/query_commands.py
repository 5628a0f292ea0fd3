"""Asking a session: `memory`, `context`, `explain`, `stats`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.options import (
    As,
    At,
    Brief,
    Budget,
    Json,
    Layer,
    Parts,
    Session,
    settings,
)

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
    from parley.memory.fold import canonical_bytes
    from parley.server.basics.output import write_stdout
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.queries.memory_queries import read_digest, read_memory
    from parley.server.render import command_output, memory_layers

    if layer is not None:
        shown = memory_layers.find_layer(layer)  # refused before anything is opened
        memory = call_service(settings(ctx), read_memory, session, at)
        command_output.show_layer(shown, memory, json)
    elif json:
        memory = call_service(settings(ctx), read_memory, session, at)
        write_stdout(canonical_bytes.dump(memory))
    else:
        minutes = call_service(settings(ctx), read_digest, session, at)
        command_output.show_minutes(minutes, json=False)


def context(
    ctx: typer.Context,
    session: Session,
    as_: As = None,
    brief: Brief = False,
    profile: Profiled = None,
    trace: Trace = False,
    parts: Parts = None,
    budget: Budget = None,
    at: At = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="SESSION", help="its decisions too; may be repeated"),
    ] = None,
    json: Json = False,
) -> None:
    """What a listener is told before it speaks."""
    from parley.memory.context.parts import read_parts
    from parley.server.basics.errors import Misuse
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.queries import assistant_trace
    from parley.server.queries.memory_queries import read_context
    from parley.server.render import command_output

    own = settings(ctx)
    if brief and (trace or profile not in (None, "brief")):
        raise Misuse("--brief is --profile brief; give one of them")
    if (trace or profile == "exchange") and with_:
        raise Misuse("--with goes with the other profiles; --trace and exchange show one session")
    if (trace or profile == "exchange") and at is not None:
        raise Misuse("--at goes with the other profiles; --trace and exchange show the present")
    if parts and (trace or profile not in (None, "full", "brief")):
        raise Misuse("--part goes with the profiles full and brief")
    if trace:
        views = call_service(own, assistant_trace.read_trace, session, as_, budget)
        command_output.show_trace(views, json)
        return
    if profile == "exchange":
        prompt = call_service(own, assistant_trace.read_prompt, session, as_, budget)
        command_output.show_messages(prompt.messages, json)
        return
    shared = with_ or ()
    if session in shared:
        raise Misuse(f"--with {session}: its decisions are there already; name another session")
    chosen = profile or ("brief" if brief else "full")
    shown = call_service(
        own, read_context, session, as_, chosen, budget, at, shared, read_parts(parts or ())
    )
    command_output.show_context(shown, json)


def explain(
    ctx: typer.Context,
    session: Session,
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF",
            help="handle of the item: P3, D2, E1, I4",
            autocompletion=completions.complete_handles,
        ),
    ],
    json: Json = False,
) -> None:
    """Where an item comes from, and who stood where.

    A proposal, a decision, an episode or an insight.
    """
    from parley.server.basics.entry_drafts import normalize_handle
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.queries.explanation import explain_item
    from parley.server.render import command_output

    row = call_service(settings(ctx), explain_item, session, normalize_handle(ref))
    command_output.show_item(row, json)


def stats(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Counts and sizes of a session's memory."""
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.queries.session_stats import measure_session
    from parley.server.render import command_output

    command_output.show_statistics(call_service(settings(ctx), measure_session, session), json)
