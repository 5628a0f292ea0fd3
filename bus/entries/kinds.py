"""Every kind of entry, and the model of each.

Here and in `kind_groups` alone a new kind is listed; readers and writers take the kinds from
these names.
"""

from __future__ import annotations

from typing import Annotated, Final, get_args

from pydantic import Field

from parley.bus.entries.control import (
    EntryRedacted,
    EntrySetAside,
    MemoryCompacted,
    SessionClosed,
    SessionForked,
    SessionOpened,
    SettingsChanged,
    TalkPaused,
)
from parley.bus.entries.episodes import EpisodeClosed, EpisodeOpened, Step
from parley.bus.entries.fields import EntryModel
from parley.bus.entries.floor import (
    FloorBid,
    FloorGranted,
    FloorMuted,
    FloorNudged,
    FloorPassed,
    FloorPaused,
    FloorReleased,
    FloorResumed,
)
from parley.bus.entries.items import ItemCorrected, ItemsExtracted, SimilarityFound
from parley.bus.entries.messages import Message, MessageEdited, ResultsFinal
from parley.bus.entries.notes import LessonImported, NoteRefused, NoteRevised, NoteWritten
from parley.bus.entries.participants import ParticipantAliased, ParticipantJoined, ParticipantLeft
from parley.bus.entries.spending import SpendReserved, SpendSettled
from parley.bus.entries.summaries import SummaryMade, TextCondensed
from parley.bus.entries.tools import ContextInjected, ToolCalled, ToolReturned
from parley.bus.entries.votes import (
    BallotCast,
    BallotCompleted,
    VoteConfirmed,
    VoteExtended,
    VoteInitiated,
)

Entry = Annotated[
    Message
    | MessageEdited
    | VoteInitiated
    | VoteConfirmed
    | BallotCast
    | BallotCompleted
    | ResultsFinal
    | ToolCalled
    | ToolReturned
    | ContextInjected
    | EpisodeOpened
    | EpisodeClosed
    | Step
    | NoteWritten
    | ItemCorrected
    | SessionOpened
    | SessionClosed
    | SessionForked
    | SettingsChanged
    | TalkPaused
    | ParticipantAliased
    | ParticipantJoined
    | ParticipantLeft
    | FloorBid
    | FloorPassed
    | FloorGranted
    | FloorReleased
    | FloorNudged
    | FloorPaused
    | FloorResumed
    | FloorMuted
    | VoteExtended
    | SpendReserved
    | SpendSettled
    | MemoryCompacted
    | EntrySetAside
    | EntryRedacted
    | SummaryMade
    | TextCondensed
    | SimilarityFound
    | ItemsExtracted
    | NoteRevised
    | NoteRefused
    | LessonImported,
    Field(discriminator="kind"),
]
KINDS: Final[dict[str, type[EntryModel]]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Entry)[0])
}
