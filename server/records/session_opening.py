"""How sessions are opened and transcripts become entries: alike with a bus and without."""

from __future__ import annotations

from typing import Any

from parley.bus.contract.drafts import Draft
from parley.bus.entries import SessionOpened
from parley.server.basics.entry_drafts import draft_alias
from parley.server.runtime.packs import Packs
from parley.server.settings import Settings
from parley.server.transcripts import Transcript
from parley.server.transcripts.speaker_roles import Roles, infer_roles


def open_entry(
    settings: Settings, packs: Packs, title: str | None = None, **given: Any
) -> SessionOpened:
    """Entry 1 of a new session; `given` are session settings that were not set otherwise."""
    tree = settings.opening({key: value for key, value in given.items() if value})
    return SessionOpened(settings=tree, packs=packs.opening, title=title)


def opening_of_transcript(
    transcript: Transcript, settings: Settings, packs: Packs
) -> SessionOpened:
    """Entry 1 of a transcript's session: its first line may name a title, chairs, scribe and bots.

    Whom it does not name, its words may tell.
    """
    meta, roles = transcript.meta, assign_roles(transcript, settings)
    title = meta.get("title")
    scribes = _names(meta.get("scribe")) or list(roles.scribes)
    return open_entry(
        settings,
        packs,
        title if isinstance(title, str) and title.strip() else None,
        chair=_names(meta.get("chair")) or list(roles.chair),
        bots=_names(meta.get("bots")) or list(roles.bots),
        structure={"scribes": scribes} if scribes else {},
    )


def assign_roles(transcript: Transcript, settings: Settings) -> Roles:
    """Whom the words of a transcript tell to be what, where neither it nor a setting says so."""
    roles, own = infer_roles(transcript), settings.session.model_fields_set
    return Roles(
        bots=() if "bots" in own else roles.bots,
        chair=() if "chair" in own else roles.chair,
        scribes=() if "scribes" in settings.session.structure.model_fields_set else roles.scribes,
    )


def transcript_drafts(transcript: Transcript) -> list[Draft]:
    """What is published for a transcript, under ids that the file alone decides.

    Who is called what comes first, from the field `aliases` of its first line: names by nick.
    """
    aliases = transcript.meta.get("aliases")
    named = sorted(aliases.items()) if isinstance(aliases, dict) else []
    return [
        *(
            Draft(f"alias:{number}", draft_alias(nick, name, "transcript"))
            for number, (nick, name) in enumerate(named, 1)
            if isinstance(name, str) and nick and name and nick != name
        ),
        *(Draft(entry.id, entry.entry) for entry in transcript.entries),
    ]


def _names(value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
