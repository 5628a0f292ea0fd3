"""The wire contract: what may stand in a session's log. Start at `kinds`, which lists it.

Pure: no I/O, no clock, no Redis. `memory` imports this package and nothing
else of `bus`; the modules here import nothing of Parley but each other.

Every entry is a frozen pydantic model, told apart by `kind` and versioned by
`v`. Publishers validate with the models once, at the border; readers decode
with faster typed structs that `parley.bus.contract.wire` derives from the same models, so an
entry read from the log has the same attributes but not the same class:
dispatch on `entry.kind`, never on `isinstance`.

Each name is imported at its first use: who asks for none of the models loads none.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parley.bus.entries.control import (
        EntryRedacted,
        EntrySetAside,
        MemoryCompacted,
        PackRef,
        SessionClosed,
        SessionForked,
        SessionOpened,
        SettingsChanged,
        TalkPaused,
    )
    from parley.bus.entries.episodes import (
        Ending,
        EpisodeClosed,
        EpisodeKind,
        EpisodeOpened,
        Step,
        StepForm,
    )
    from parley.bus.entries.fields import (
        MAX_CONTENT_BYTES,
        Content,
        EntryModel,
        EpisodeRef,
        Name,
        Ref,
        is_rfc3339,
    )
    from parley.bus.entries.floor import (
        FloorBid,
        FloorGranted,
        FloorMuted,
        FloorNudged,
        FloorPassed,
        FloorPaused,
        FloorReleased,
        FloorResumed,
        Intent,
        Release,
    )
    from parley.bus.entries.items import (
        Claim,
        ClaimLabel,
        Doubt,
        ItemCheck,
        ItemCorrected,
        ItemsExtracted,
        Outcome,
        ReadSide,
        Refusal,
        Relation,
        Right,
        SimilarityFound,
        Verdict,
    )
    from parley.bus.entries.kind_groups import DERIVED, EPOCHS, PRIMARY
    from parley.bus.entries.kinds import KINDS, Entry
    from parley.bus.entries.messages import (
        ACTS,
        ACTS_ON_ITEMS,
        Act,
        Message,
        MessageEdited,
        ResultsFinal,
    )
    from parley.bus.entries.notes import LessonImported, NoteRefused, NoteRevised, NoteWritten
    from parley.bus.entries.participants import (
        LONGEST_ANSWER_MS,
        Listens,
        ParticipantAliased,
        ParticipantJoined,
        ParticipantLeft,
        Role,
    )
    from parley.bus.entries.record import Record, Unknown
    from parley.bus.entries.spending import Purpose, SpendReserved, SpendSettled
    from parley.bus.entries.summaries import Part, SummaryMade, TextCondensed
    from parley.bus.entries.tools import ContextInjected, ToolCalled, ToolReturned
    from parley.bus.entries.votes import (
        MAX_VOTE_SECONDS,
        BallotCast,
        BallotCompleted,
        VoteConfirmed,
        VoteExtended,
        VoteInitiated,
        VoteRule,
        VoteSeconds,
    )

__all__ = [
    "ACTS",
    "ACTS_ON_ITEMS",
    "DERIVED",
    "EPOCHS",
    "KINDS",
    "LONGEST_ANSWER_MS",
    "MAX_CONTENT_BYTES",
    "MAX_VOTE_SECONDS",
    "PRIMARY",
    "Act",
    "BallotCast",
    "BallotCompleted",
    "Claim",
    "ClaimLabel",
    "Content",
    "ContextInjected",
    "Doubt",
    "Ending",
    "Entry",
    "EntryModel",
    "EntryRedacted",
    "EntrySetAside",
    "EpisodeClosed",
    "EpisodeKind",
    "EpisodeOpened",
    "EpisodeRef",
    "FloorBid",
    "FloorGranted",
    "FloorMuted",
    "FloorNudged",
    "FloorPassed",
    "FloorPaused",
    "FloorReleased",
    "FloorResumed",
    "Intent",
    "ItemCheck",
    "ItemCorrected",
    "ItemsExtracted",
    "LessonImported",
    "Listens",
    "MemoryCompacted",
    "Message",
    "MessageEdited",
    "Name",
    "NoteRefused",
    "NoteRevised",
    "NoteWritten",
    "Outcome",
    "PackRef",
    "Part",
    "ParticipantAliased",
    "ParticipantJoined",
    "ParticipantLeft",
    "Purpose",
    "ReadSide",
    "Record",
    "Ref",
    "Refusal",
    "Relation",
    "Release",
    "ResultsFinal",
    "Right",
    "Role",
    "SessionClosed",
    "SessionForked",
    "SessionOpened",
    "SettingsChanged",
    "SimilarityFound",
    "SpendReserved",
    "SpendSettled",
    "Step",
    "StepForm",
    "SummaryMade",
    "TalkPaused",
    "TextCondensed",
    "ToolCalled",
    "ToolReturned",
    "Unknown",
    "Verdict",
    "VoteConfirmed",
    "VoteExtended",
    "VoteInitiated",
    "VoteRule",
    "VoteSeconds",
    "is_rfc3339",
]

_MODULES = {
    "control": (
        "EntryRedacted",
        "EntrySetAside",
        "MemoryCompacted",
        "PackRef",
        "SessionClosed",
        "SessionForked",
        "SessionOpened",
        "SettingsChanged",
        "TalkPaused",
    ),
    "episodes": ("Ending", "EpisodeClosed", "EpisodeKind", "EpisodeOpened", "Step", "StepForm"),
    "fields": (
        "MAX_CONTENT_BYTES",
        "Content",
        "EntryModel",
        "EpisodeRef",
        "Name",
        "Ref",
        "is_rfc3339",
    ),
    "floor": (
        "FloorBid",
        "FloorGranted",
        "FloorMuted",
        "FloorNudged",
        "FloorPassed",
        "FloorPaused",
        "FloorReleased",
        "FloorResumed",
        "Intent",
        "Release",
    ),
    "items": (
        "Claim",
        "ClaimLabel",
        "Doubt",
        "ItemCheck",
        "ItemCorrected",
        "ItemsExtracted",
        "Outcome",
        "ReadSide",
        "Refusal",
        "Relation",
        "Right",
        "SimilarityFound",
        "Verdict",
    ),
    "kind_groups": ("DERIVED", "EPOCHS", "PRIMARY"),
    "kinds": ("KINDS", "Entry"),
    "messages": (
        "ACTS",
        "ACTS_ON_ITEMS",
        "Act",
        "Message",
        "MessageEdited",
        "ResultsFinal",
    ),
    "notes": ("LessonImported", "NoteRefused", "NoteRevised", "NoteWritten"),
    "participants": (
        "LONGEST_ANSWER_MS",
        "Listens",
        "ParticipantAliased",
        "ParticipantJoined",
        "ParticipantLeft",
        "Role",
    ),
    "record": ("Record", "Unknown"),
    "spending": ("Purpose", "SpendReserved", "SpendSettled"),
    "summaries": ("Part", "SummaryMade", "TextCondensed"),
    "tools": ("ContextInjected", "ToolCalled", "ToolReturned"),
    "votes": (
        "MAX_VOTE_SECONDS",
        "BallotCast",
        "BallotCompleted",
        "VoteConfirmed",
        "VoteExtended",
        "VoteInitiated",
        "VoteRule",
        "VoteSeconds",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'parley.bus.entries' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
