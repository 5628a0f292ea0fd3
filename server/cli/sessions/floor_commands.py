"""`parley join`, and `parley floor …`: taking part live, and moderating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.dashed_words import Spoken
from parley.server.cli.shared.options import Json, Session, settings

if TYPE_CHECKING:
    from parley.server.chat_commands.moderator_commands import Verb

app = typer.Typer(
    cls=Family,
    help="See who may speak, and moderate: grant, mute, pause.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="a participant")]
Moderator = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="who says so  [default: your login]")
]


def add_to(root: typer.Typer) -> None:
    root.command(cls=Spoken)(join)
    root.add_typer(app, name="floor")


def join(
    ctx: typer.Context,
    session: Session,
    as_: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="under what name  [default: login]")
    ] = None,
    may: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT",
            help="acts and capabilities: grant, mute, pause, phase, vote, close, interrupt, or "
            "moderate for all; may be repeated",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="also under a name that looks like another's")
    ] = False,
    json: Json = False,
) -> None:
    """Take part live.

    What is said appears, what you type is said; /help lists the commands.
    """
    from parley.server.basics.entry_drafts import login_name
    from parley.server.chat import guest
    from parley.server.chat_commands import capabilities
    from parley.server.runtime.connection import run

    name = as_ or login_name()
    rights = capabilities.parse_rights(may)
    run(guest.join(settings(ctx), session, name, rights, as_json=json, force=force))


@app.command()
def show(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """Who has the floor, who asks for it, who has passed or is muted."""
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import floor_moderation

    lines, tree = call_service(settings(ctx), floor_moderation.read_floor, session)
    command_output.show_lines(lines, tree, json)


@app.command()
def grant(
    ctx: typer.Context, session: Session, name: Name, as_: Moderator = None, json: Json = False
) -> None:
    """Give an agent the floor, also from whoever has it."""
    _moderate(ctx, session, "grant", name, as_, f"{name} has the floor", json)


@app.command()
def interrupt(
    ctx: typer.Context, session: Session, as_: Moderator = None, json: Json = False
) -> None:
    """Take the floor from whoever has it."""
    _moderate(ctx, session, "interrupt", "", as_, "the floor is free", json)


@app.command()
def mute(
    ctx: typer.Context, session: Session, name: Name, as_: Moderator = None, json: Json = False
) -> None:
    """Give a participant no floor."""
    _moderate(ctx, session, "mute", name, as_, f"{name} is muted", json)


@app.command()
def unmute(
    ctx: typer.Context, session: Session, name: Name, as_: Moderator = None, json: Json = False
) -> None:
    """Let a participant have the floor again."""
    _moderate(ctx, session, "unmute", name, as_, f"{name} may have the floor", json)


@app.command()
def pause(ctx: typer.Context, session: Session, as_: Moderator = None, json: Json = False) -> None:
    """Give no agent the floor; people go on talking."""
    _moderate(ctx, session, "pause", "", as_, "no agent is given the floor", json)


@app.command()
def resume(ctx: typer.Context, session: Session, as_: Moderator = None, json: Json = False) -> None:
    """Give agents the floor again."""
    _moderate(ctx, session, "resume", "", as_, "agents are given the floor", json)


def _moderate(
    ctx: typer.Context, session: str, verb: Verb, target: str, as_: str | None, done: str,
    json: bool,
) -> None:  # fmt: skip
    from parley.bus.contract.errors import StaleEpoch
    from parley.server.basics.entry_drafts import login_name
    from parley.server.basics.errors import Failure
    from parley.server.chat_commands.moderator_commands import Moderation
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services.floor_moderation import moderate_floor

    moderation, by = Moderation(verb, target), as_ or login_name()
    try:
        receipt = call_service(settings(ctx), moderate_floor, session, moderation, by)
    except StaleEpoch:
        raise Failure(
            "the floor moved on meanwhile; see 'parley floor show', and say it again"
        ) from None
    command_output.show_notice(receipt, done, json)
