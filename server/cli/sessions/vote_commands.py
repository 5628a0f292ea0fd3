"""`parley vote …`: call a vote, agree to it, give it time, cast, count, look back."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from parley.server.cli.shared import completions
from parley.server.cli.shared.command_names import Family
from parley.server.cli.shared.dashed_words import Spoken
from parley.server.cli.shared.options import Json, Session, settings

app = typer.Typer(
    cls=Family,
    help="Votes: a question, its options, ballots, what they come to.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(root: typer.Typer) -> None:
    root.add_typer(app, name="vote")


class Rule(StrEnum):
    majority = "majority"
    two_thirds = "two_thirds"
    unanimity = "unanimity"
    consent = "consent"
    ranked = "ranked"


By = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="in whose name  [default: your login]")
]
Ref = Annotated[
    str,
    typer.Argument(
        metavar="V1", help="handle of the vote", autocompletion=completions.complete_handles
    ),
]
Quorum = Annotated[
    int | None,
    typer.Option(min=0, max=1000, metavar="N", help="weight that must be cast, per mille"),
]


@app.command(cls=Spoken)
def call(
    ctx: typer.Context,
    session: Session,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="what is voted on")],
    proposal: Annotated[
        str | None,
        typer.Option("--proposal", "--on", metavar="P3", help="what to accept or reject"),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="a proposal or a word; repeat  [default: accept, reject]"),
    ] = None,
    rule: Annotated[
        Rule | None, typer.Option(help="what carries  [default: the session's]")
    ] = None,
    secret: Annotated[
        bool | None, typer.Option("--secret/--open", help="who chose what is not shown")
    ] = None,
    quorum: Quorum = None,
    window: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="messages without objection: consent")
    ] = None,
    seconds: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="until it is counted: 90s, 30m, 1d  [default: session's]"
        ),
    ] = None,
    as_: By = None,
    json: Json = False,
) -> None:
    """Call a vote. Prints its handle."""
    from parley.server.basics.durations import parse_duration
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    entry = votes.draft_vote_call(
        question, by=as_ or login_name(), on=proposal, options=option or (),
        rule=rule and rule.value, secret=secret, quorum=quorum, window=window,
        seconds=seconds and parse_duration(seconds),
    )  # fmt: skip
    vote_text.show_called(publish_by_service(settings(ctx), votes.call_vote, session, entry), json)


@app.command()
def confirm(
    ctx: typer.Context,
    session: Session,
    vote: Ref,
    no: Annotated[bool, typer.Option("--no", help="it should not be held now")] = False,
    as_: By = None,
    json: Json = False,
) -> None:
    """Agree that a vote is held now, where the session asks for that."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    row = publish_by_service(
        settings(ctx), votes.confirm_vote, session, vote, agreed=not no, by=as_ or login_name()
    )
    vote_text.show_done(row, f"{row['ref']} {'not ' if no else ''}agreed to", json)


@app.command()
def extend(
    ctx: typer.Context,
    session: Session,
    vote: Ref,
    seconds: Annotated[str, typer.Argument(metavar="TIME", help="such as 90s, 30m, 2h, 1d")],
    as_: By = None,
    json: Json = False,
) -> None:
    """Give an open vote more time than it has."""
    from parley.server.basics.durations import duration_text, parse_duration
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    more = parse_duration(seconds)
    row = publish_by_service(
        settings(ctx), votes.extend_vote, session, vote, more, by=as_ or login_name()
    )
    vote_text.show_done(row, f"{row['ref']} has {duration_text(more)} more", json)


@app.command()
def cast(
    ctx: typer.Context,
    session: Session,
    vote: Ref,
    choice: Annotated[
        list[str], typer.Argument(metavar="CHOICE", help="an option; of a ranked vote several")
    ],
    as_: By = None,
    why: Annotated[str, typer.Option(metavar="TEXT", help="a reason, for the log")] = "",
    json: Json = False,
) -> None:
    """Cast a ballot; the latest one counts."""
    from parley.server.basics.entry_drafts import login_name
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    row = publish_by_service(
        settings(ctx), votes.cast_ballot, session, vote, choice, by=as_ or login_name(), why=why
    )
    vote_text.show_done(row, "cast", json)


@app.command()
def show(
    ctx: typer.Context,
    session: Session,
    vote: Annotated[
        str | None, typer.Argument(metavar="V1", help="one of them  [default: all]")
    ] = None,
    json: Json = False,
) -> None:
    """Votes and how they stand. Nobody is told who chose what in a secret one."""
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    rows = call_service(settings(ctx), votes.list_votes, session, vote)
    vote_text.show_votes(rows, json, whole=vote is not None)


@app.command()
def tally(
    ctx: typer.Context,
    session: Session,
    vote: Ref,
    rule: Annotated[Rule | None, typer.Option(help="count by this rule as well")] = None,
    quorum: Quorum = None,
    count: Annotated[
        bool, typer.Option("--count", help="close it with the ballots that are in")
    ] = False,
    json: Json = False,
) -> None:
    """Count the ballots, also by another rule. Changes nothing; --count closes the vote."""
    from parley.server.basics.errors import Misuse
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.render import vote_text
    from parley.server.services import votes

    if count:
        if rule is not None or quorum is not None:
            raise Misuse("a vote is closed by the rule it was called under; give --count alone")
        row = publish_by_service(settings(ctx), votes.close_vote, session, vote)
        vote_text.show_done(row, f"{row['ref']} is closed", json)
        return
    by: Any = rule and rule.value
    row = publish_by_service(settings(ctx), votes.recount_vote, session, vote, by, quorum)
    vote_text.show_tally(row, json)
