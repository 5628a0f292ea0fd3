"""Taking part: `say`, `publish`, `watch`, `search`, `correct`, `alias`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, get_args

import typer

from parley.bus.entries import Act
from parley.server.cli.shared import completions
from parley.server.cli.shared.dashed_words import Spoken
from parley.server.cli.shared.options import Json, Session, settings, startup

if TYPE_CHECKING:
    from parley.bus import Bus, Receipt
    from parley.bus.entries import Message
    from parley.memory.ledger.outcome_rows import OutcomeRow
    from parley.server.settings import Settings

ACTS: Final = "what it does: " + ", ".join(get_args(Act))
_BINDING: Final = frozenset({"accept", "reject", "ratify", "decide"})  # who says them hears at once
_FROM: Final = "start after this entry, 0: from the first  [default: what comes next]"

Seq = Annotated[
    int | None,
    typer.Option("--after", min=0, max=2**53 - 1, metavar="SEQ", help=_FROM),
]
Speaker = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="in whose name  [default: your login]")
]
Other = Annotated[
    str | None,
    typer.Option(
        "--merge",
        metavar="REF",
        help="it is the same as this",
        autocompletion=completions.complete_handles,
    ),
]


def add_to(app: typer.Typer) -> None:
    for command in (say, publish, watch, search, correct, alias):
        app.command(cls=Spoken)(command)


def say(
    ctx: typer.Context,
    session: Session,
    content: Annotated[str, typer.Argument(metavar="TEXT", help="what is said; - reads stdin")],
    as_: Speaker = None,
    act: Annotated[
        str | None, typer.Option(metavar="ACT", help=ACTS, autocompletion=completions.complete_acts)
    ] = None,
    re: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="message number, handle (P3) or id meant",
            autocompletion=completions.complete_handles,
        ),
    ] = None,
    topic: Annotated[str | None, typer.Option(metavar="TEXT", help="what it is about")] = None,
    to: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="addressed to; may be repeated")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="own id: resending is harmless")
    ] = None,
    outcome: Annotated[
        bool,
        typer.Option("--outcome", help="then say what it made, what that lacks, what it repeats"),
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="say it though --re is not there yet, or --act has none",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Publish one message. Prints its number; of a ruling or a decision also what it did."""
    from parley.server.basics import entry_drafts
    from parley.server.cli.shared.bus_calls import call_bus, follow_published
    from parley.server.cli.shared.stdin_words import stdin_text
    from parley.server.render import command_output
    from parley.server.services.publication import publish_entry

    text = stdin_text() if content == "-" else content
    message = entry_drafts.draft_message(as_, text, act=act, re=re, topic=topic, to=to or [])
    if act is not None and re is None and not force:
        _check_needed(message)
    if act is None or force or (re is None and act != "decide"):
        known = startup(ctx)
        verb = follow_published(known, publish_entry)
        receipt = call_bus(known, verb, session, message, id_ or "")
    else:
        receipt = _say_on_target(settings(ctx), session, message, id_ or "")
    asked = outcome or act in _BINDING
    row = _find_outcome(settings(ctx), session, receipt.n) if asked else None
    command_output.show_message_receipt(receipt, row, json)


def _check_needed(message: Message) -> None:
    """Raises `Misuse` for an act that needs an item and names none."""
    from parley.memory.act_targets import needed_target
    from parley.server.basics.errors import Misuse

    if (needed := needed_target(message)) is not None:
        raise Misuse(f"--re is missing: {needed}")


def _say_on_target(settings: Settings, session: str, message: Message, id: str) -> Receipt:
    from parley.server.cli.shared.backend_calls import publish_by_service
    from parley.server.services.publication import publish_on_target

    return publish_by_service(settings, publish_on_target, session, message, id)


def _find_outcome(settings: Settings, session: str, n: int) -> OutcomeRow | None:
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.services.message_outcomes import find_outcome

    return call_service(settings, find_outcome, session, n)


def publish(
    ctx: typer.Context,
    session: Session,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON, one entry a line; - reads stdin")
    ] = Path("-"),
    json: Json = False,
) -> None:
    """Publish entries of any kind, one a line.

    Messages, votes, results, tool calls, episodes, steps. Each line has the
    fields of docs/wire.md, and where you want resending to be harmless an id.
    Nothing is published when a line is wrong. Prints their numbers.
    """
    from parley.server.cli.shared.bus_calls import call_bus, follow_published
    from parley.server.render import command_output
    from parley.server.services import entry_import

    drafts, known = entry_import.read_drafts(file), startup(ctx)

    async def publish_drafts(bus: Bus) -> list[Receipt]:
        return await bus.publish(session, drafts)

    for receipt in call_bus(known, follow_published(known, publish_drafts)):
        command_output.show_receipt(receipt, receipt.n, json)


def watch(
    ctx: typer.Context,
    session: Session,
    after: Seq = None,
    cursor: Annotated[str | None, typer.Option(metavar="CURSOR", help="resume there")] = None,
    facts: Annotated[bool, typer.Option("--facts/--no-facts", help="what entries changed")] = True,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="end after so many lines")
    ] = None,
    json: Json = False,
) -> None:
    """Follow a session live: entries, and what the fold found."""
    from parley.server.cli.sessions import live_log
    from parley.server.runtime.connection import run

    start = live_log.start(after, cursor)
    run(live_log.watch(settings(ctx), session, start, facts=facts, limit=limit, as_json=json))


def search(
    ctx: typer.Context,
    session: Session,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="all must be there")],
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="said by")] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="newest matches shown")] = 50,
    json: Json = False,
) -> None:
    """Find messages that hold all the words, oldest first."""
    from parley.server.cli.sessions.search_output import show_matches
    from parley.server.cli.shared.bus_calls import call_bus
    from parley.server.queries.message_search import search_messages

    matches = call_bus(startup(ctx), search_messages, session, words, by, limit)
    show_matches(matches, words, by, json)


def correct(
    ctx: typer.Context,
    session: Session,
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF",
            help="handle of the item: P3, D2",
            autocompletion=completions.complete_handles,
        ),
    ],
    retract: Annotated[bool, typer.Option("--retract", help="it never was one")] = False,
    confirm: Annotated[bool, typer.Option("--confirm", help="it is one; a claim binds")] = False,
    merge: Other = None,
    topic: Annotated[
        str | None, typer.Option(metavar="TEXT", help="what it is really about")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="whose it is")] = None,
    as_: Speaker = None,
    json: Json = False,
) -> None:
    """Put an item right. A person's word: extraction never brings back what it struck."""
    from parley.server.basics import entry_drafts
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import corrections

    ops = {
        "retract": retract or None, "confirm": confirm or None,
        "merge": merge, "topic": topic, "by": by,
    }  # fmt: skip
    entry = entry_drafts.draft_correction(ref, ops, as_)
    receipt = call_service(settings(ctx), corrections.correct_item, session, entry)
    command_output.show_notice(receipt, f"{entry.ref} is corrected, for good", json)


def alias(
    ctx: typer.Context,
    session: Session,
    nick: Annotated[str, typer.Argument(metavar="NICK", help="the other name")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="the participant it belongs to")],
    as_: Speaker = None,
    json: Json = False,
) -> None:
    """Count NICK and NAME as one participant, now and before."""
    from parley.server.basics.entry_drafts import speaker_name
    from parley.server.cli.shared.backend_calls import call_service
    from parley.server.render import command_output
    from parley.server.services import participant_aliases

    receipt = call_service(
        settings(ctx), participant_aliases.add_alias, session, nick, name, speaker_name(as_)
    )
    command_output.show_notice(receipt, f"{nick} counts as {name}, now and before", json)
