"""`parley tool …`: results of tools that may be served again."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from parley.server.cli.sessions.goal_commands import By
from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, Session, settings

app = typer.Typer(
    cls=Family,
    help="Keep results of tools, look them up, list them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="tool")


Tool = Annotated[str, typer.Argument(metavar="TOOL", help="name of the tool")]
Args = Annotated[str, typer.Option("--arguments", "--args", metavar="JSON", help="an object")]
Ttl = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="exchanges it may be served for  [default: session]"),
]
Write = Annotated[bool, typer.Option("--write", help="it changes things: not kept")]
Version = Annotated[str, typer.Option(metavar="V", help="of the tool")]


@app.command()
def put(
    ctx: typer.Context,
    session: Session,
    tool: Tool,
    result: Annotated[
        str, typer.Option("--result", metavar="TEXT", help="what it returned; - reads stdin")
    ],
    args: Args = "{}",
    ttl: Ttl = None,
    call_id: Annotated[str | None, typer.Option(metavar="ID", help="of the call")] = None,
    error: Annotated[str | None, typer.Option(metavar="KIND", help="it failed so")] = None,
    write: Write = False,
    version: Version = "",
    of: Annotated[
        str | None,
        typer.Option(metavar="REF", help="its task or goal  [default: your newest open one]"),
    ] = None,
    as_: By = None,
    json: Json = False,
) -> None:
    """Publish what a tool returned. Prints the number of the entry."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.stdin_words import stdin_text
    from parley.server.render import command_output
    from parley.server.services import tool_cache
    from parley.server.services.goals import episode_handle

    text = stdin_text() if result == "-" else result
    given: dict[str, Any] = {"ttl": ttl, "call_id": call_id, "error": error, "version": version}
    receipt = call_service(
        settings(ctx), tool_cache.keep_result, session, tool, tool_cache.parse_arguments(args),
        text, as_ or login_name(), of=of and episode_handle(of), read_only=not write, **given,
    )  # fmt: skip
    command_output.show_receipt(receipt, receipt.n, json)


@app.command()
def get(
    ctx: typer.Context,
    session: Session,
    tool: Tool,
    args: Args = "{}",
    version: Version = "",
    as_: By = None,
    json: Json = False,
) -> None:
    """Print a kept result, in full; exit 1 where none is kept."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import tool_cache

    arguments = tool_cache.parse_arguments(args)
    result = call_service(
        settings(ctx), tool_cache.require_result, session, tool, arguments,
        as_ or login_name(), version,
    )  # fmt: skip
    command_output.show_result(result, json)


@app.command()
def call(
    ctx: typer.Context,
    session: Session,
    tool: Tool,
    command: Annotated[
        list[str], typer.Argument(metavar="-- COMMAND…", help="what runs it, and its arguments")
    ],
    args: Args = "{}",
    ttl: Ttl = None,
    write: Write = False,
    version: Version = "",
    as_: By = None,
    json: Json = False,
) -> None:
    """Print a kept result, or run COMMAND and keep what it prints; of several at once one runs."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import tool_cache

    result = call_service(
        settings(ctx), tool_cache.call_command, session, tool, tool_cache.parse_arguments(args),
        as_ or login_name(), command, read_only=not write, ttl=ttl, version=version,
    )  # fmt: skip
    command_output.show_result(result, json)


@app.command()
def screen(
    ctx: typer.Context,
    session: Session,
    screen: Annotated[str, typer.Argument(metavar="SCREEN", help="which one")],
    content: Annotated[str, typer.Argument(metavar="TEXT", help="what is on it; - reads stdin")],
    as_: By = None,
    json: Json = False,
) -> None:
    """Note what is on the user's screen. Prints the messages to show a model, none if it was."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.cli.shared.stdin_words import stdin_text
    from parley.server.render import command_output
    from parley.server.services import tool_cache

    text = stdin_text() if content == "-" else content
    messages = call_service(
        settings(ctx), tool_cache.show_screen, session, screen, text, as_ or login_name()
    )
    command_output.show_messages(messages, json)


@app.command()
def ls(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """List what is kept, and for how many exchanges."""
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import tool_cache

    command_output.show_kept_results(
        call_service(settings(ctx), tool_cache.list_results, session), json
    )
