"""Work: `goal`, `task`, `episode` with `open` and `close`; `goal ls`, `step`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.options import Json, Session, settings

By = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="in whose name  [default: your login]")
]
Parent = Annotated[
    str | None,
    typer.Option(metavar="REF", help="what holds it  [default: the innermost open one that can]"),
]
After = Annotated[
    str | None, typer.Option(metavar="REFS", help="completed before it, such as E2,E3")
]
Title = Annotated[str, typer.Argument(metavar="TEXT", help="what it is about")]
Open = Annotated[
    str | None,
    typer.Argument(metavar="REF", help="its handle  [default: your newest, else anyone's]"),
]
Result = Annotated[str, typer.Option(metavar="TEXT", help="what it came to")]


class Status(StrEnum):
    completed = "completed"
    failed = "failed"
    superseded = "superseded"
    abandoned = "abandoned"


class Kind(StrEnum):
    phase = "phase"
    stage = "stage"
    round = "round"
    exchange = "exchange"
    goal = "goal"
    task = "task"


class Form(StrEnum):
    reasoning = "reasoning"
    tool_execution = "tool_execution"
    validation = "validation"
    replanning = "replanning"


Ended = Annotated[Status, typer.Option(help="how it ended")]


def add_to(app: typer.Typer) -> None:
    app.add_typer(goal, name="goal")
    app.add_typer(task, name="task")
    app.add_typer(episode, name="episode")
    app.command()(step)


goal = typer.Typer(
    cls=Family, no_args_is_help=True, help="Goals: a new one archives one's previous one."
)
task = typer.Typer(
    cls=Family, no_args_is_help=True, help="Tasks of a goal; they may wait for others."
)
episode = typer.Typer(
    cls=Family, no_args_is_help=True, help="Any stretch of a session: phases, rounds, …."
)


@goal.command("open")
def open_goal(
    ctx: typer.Context,
    session: Session,
    text: Title,
    as_: By = None,
    parent: Parent = None,
    after: After = None,
    json: Json = False,
) -> None:
    """Open a goal. Prints its handle."""
    _begin(ctx, session, "goal", text, json, by=as_, parent=parent, after=after)


@task.command("open")
def open_task(
    ctx: typer.Context,
    session: Session,
    text: Title,
    as_: By = None,
    parent: Parent = None,
    after: After = None,
    json: Json = False,
) -> None:
    """Open a task of the innermost open goal. Prints its handle."""
    _begin(ctx, session, "task", text, json, by=as_, parent=parent, after=after)


@episode.command("open")
def open_episode(
    ctx: typer.Context,
    session: Session,
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="phase, stage, round, exchange, …")],
    text: Title,
    as_: By = None,
    parent: Parent = None,
    after: After = None,
    json: Json = False,
) -> None:
    """Open an episode of any kind. Prints its handle."""
    _begin(ctx, session, kind.value, text, json, by=as_, parent=parent, after=after)


@goal.command("close")
def close_goal(
    ctx: typer.Context,
    session: Session,
    ref: Open = None,
    as_: By = None,
    status: Ended = Status.completed,
    result: Result = "",
    json: Json = False,
) -> None:
    """Close a goal and what is open in it; its counts and insights stay."""
    _finish(ctx, session, ref, json, kind="goal", by=as_, status=status.value, result=result)


@task.command("close")
def close_task(
    ctx: typer.Context,
    session: Session,
    ref: Open = None,
    as_: By = None,
    status: Ended = Status.completed,
    result: Result = "",
    json: Json = False,
) -> None:
    """Close a task; what waited for it is ready once it is completed."""
    _finish(ctx, session, ref, json, kind="task", by=as_, status=status.value, result=result)


@episode.command("close")
def close_episode(
    ctx: typer.Context,
    session: Session,
    ref: Open = None,
    as_: By = None,
    status: Ended = Status.completed,
    result: Result = "",
    json: Json = False,
) -> None:
    """Close an episode of any kind and what is open in it."""
    _finish(ctx, session, ref, json, kind=None, by=as_, status=status.value, result=result)


@goal.command("ls")
def ls(ctx: typer.Context, session: Session, json: Json = False) -> None:
    """List goals, tasks, phases and rounds as a tree. Says what was done in each."""
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import goal_text
    from parley.server.services import goals

    goal_text.show_episodes(call_service(settings(ctx), goals.list_goals, session), json)


def step(
    ctx: typer.Context,
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="what was done or thought")],
    as_: By = None,
    form: Annotated[Form, typer.Option(help="what kind of step")] = Form.reasoning,
    failed: Annotated[bool, typer.Option("--failed", help="it did not work")] = False,
    discovered: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="worth keeping; repeatable")
    ] = None,
    confidence: Annotated[
        int | None, typer.Option(min=0, max=1000, metavar="N", help="per mille")
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(metavar="REF", help="its task or goal  [default: your newest open one]"),
    ] = None,
    json: Json = False,
) -> None:
    """Record a step of a task or goal. Prints its number."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import goals

    entry = goals.draft_step(
        text, by=as_ or login_name(), of=of, discovered=discovered or (), form=form.value,
        ok=not failed, confidence=confidence,
    )  # fmt: skip
    row = call_service(settings(ctx), goals.record_step, session, entry)
    command_output.show_value(row, "n", json)


def _begin(
    ctx: typer.Context,
    session: str,
    kind: str,
    text: str,
    json: bool,
    *,
    by: str | None,
    parent: str | None,
    after: str | None,
) -> None:
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import goals

    entry = goals.draft_episode(
        kind, text, by=by or login_name(), parent=parent, after=goals.split_handles(after)
    )
    row = call_service(settings(ctx), goals.open_episode, session, entry)
    command_output.show_value(row, "ref", json)


def _finish(
    ctx: typer.Context, session: str, ref: str | None, json: bool, *, by: str | None, **given: Any
) -> None:
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import goal_text
    from parley.server.services import goals

    row = call_service(
        settings(ctx), goals.close_episode, session, ref, by=by or login_name(), **given
    )
    goal_text.show_closed(row, json)
