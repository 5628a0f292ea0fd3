"""The doors: `serve`, `print_token`, `serve_stdio`, `schema`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated, Literal

import typer

from parley.server.basics.errors import Failure
from parley.server.cli.shared.help_pages import listing
from parley.server.cli.shared.options import As, Json, settings


def add_to(app: typer.Typer) -> None:
    app.command(cls=listing("serve-"))(serve)
    for command in (token, revoke, mcp, schema):
        app.command()(command)


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="address to listen on; as --serve-host")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, metavar="PORT", help="its port; 0: any that is free"),
    ] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="start no worker beside the embedded server")
    ] = False,
    ready: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write address and process id there once it listens"),
    ] = None,
) -> None:
    """Serve sessions over HTTP and MCP, live, with a page.

    Runs until told to stop: Ctrl-C or SIGTERM drains. Without --redis it brings an
    embedded server and a worker.
    """
    _installed()
    from parley.server.bootstrap import serve

    own = settings(ctx)
    given = {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    own = own.model_copy(update={"serve": own.serve.model_copy(update=given)})
    raise SystemExit(serve.serve(own, worker=not no_worker, ready=ready))


def token(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="whose it is, as in the talk")],
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="the one session it is for  [default: all]")
    ] = None,
    role: Annotated[
        Literal["person", "agent", "observer", "operator"], typer.Option(help="what they are")
    ] = "person",
    may: Annotated[
        list[str] | None,
        typer.Option(metavar="WORDS", help="acts and capabilities, by commas or repeated"),
    ] = None,
    hours: Annotated[float, typer.Option(min=0.01, max=2160, help="how long it holds")] = 12,
    link: Annotated[
        bool, typer.Option("--link", help="print a link that opens the page, good for one use")
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="do not look at the session: it is to come, or NAME looks like another"
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Print a token for the doors of 'parley serve'.

    For a session it holds until that is removed or replaced.
    """
    _installed()
    from parley.server.bootstrap import access_tokens

    wish = access_tokens.TokenRequest(name, session, role, tuple(may or ()), hours, link, force)
    access_tokens.print_token(settings(ctx), wish, as_json=json)


def revoke(
    ctx: typer.Context,
    tokens: Annotated[
        list[str] | None, typer.Argument(metavar="[TOKEN|ID]...", help="what is to count no more")
    ] = None,
    json: Json = False,
) -> None:
    """Revoke tokens, and list those that are.

    Servers refuse them, and the links and cookies that came of them, within a second.
    """
    _installed()
    from parley.server.bootstrap import access_tokens

    access_tokens.revoke_tokens(settings(ctx), tokens or (), as_json=json)


def mcp(
    ctx: typer.Context,
    as_: As = None,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="the one session it may enter")
    ] = None,
    tools: Annotated[
        Literal["core", "all"], typer.Option(help="list the few that an agent needs, or all")
    ] = "core",
    output_schemas: Annotated[
        bool, typer.Option("--output-schemas", help="list what the core tools give, too")
    ] = False,
) -> None:
    """Serve MCP on standard input and output, for one agent.

    --token (or PARLEY_TOKEN) says who it is; --as NAME suffices on a machine of one's own.
    """
    _installed()
    from parley.server.bootstrap import stdio_server

    given = stdio_server.StdioOptions(as_, session, tools, output_schemas)
    raise SystemExit(stdio_server.serve_stdio(settings(ctx), given))


def schema(
    which: Annotated[
        Literal["openapi", "asyncapi"], typer.Argument(metavar="openapi|asyncapi", help="which")
    ],
) -> None:
    """Print what the HTTP interface or the live streams take."""
    _installed()
    from parley.server.bootstrap import api_schemas

    api_schemas.schema(which)


def _installed() -> None:
    if importlib.util.find_spec("fastapi") is None:
        raise Failure(
            "the packages of the doors are missing: install parley-deliberation[serve]"
            " (docs/install.md)"
        )
