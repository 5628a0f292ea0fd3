"""What memory refuses.

DomainError
├── SettingsRefused    a setting that does not exist or is out of range
├── BadPattern         a pattern that is not linear-time, or not a pattern
├── PackMissing        the session names a pattern pack this process lacks
├── ContextOverflow    a budget below the floor of the profile
├── UnknownPart        a name that no part of a context has
├── UnknownRef         a handle that names no item
│   └── ItemLeft       a handle of an item that left memory
├── UnknownMessage     a number that no entry has
├── TargetNeeded       an act on an item that says none
├── AlreadyDecided     a decision on what others decided
├── EditRefused        other words for a message that somebody else wrote, or something rests on
├── NameOfChair        a seat under a chair's name in another spelling
├── UnknownVote        a handle that names no vote
├── RedactionRefused   taking an entry's words away would rename later items
├── LimitExceeded      a text that is too long for a notebook
├── StaleRevision      a notebook that changed since it was read
├── NoNotebook         a participant who keeps none in this session
├── UpdateRefused      no answer fitted a notebook, and the session ends for it
├── NotOpened          an episode that there was no room for
├── NothingOpen        an episode to close or to work on that is not open
└── SnapshotMismatch   bytes that are not a memory of this fold version
"""

from __future__ import annotations

from collections.abc import Sequence


class DomainError(Exception):
    """Any refusal of the domain; its text says what to do."""


class SettingsRefused(DomainError):
    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"setting {key!r}: {reason}")
        self.key, self.reason = key, reason


class BadPattern(DomainError):
    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"pattern {rule!r}: {reason}")
        self.rule, self.reason = rule, reason


class PackMissing(DomainError):
    def __init__(self, name: str, hash: str) -> None:
        super().__init__(
            f"this session reads with pattern pack {name!r} ({hash}), which is not here; "
            "run the version of parley that ships it, or add it to --packs"
        )
        self.name, self.hash = name, hash


class ContextOverflow(DomainError):
    def __init__(self, budget: int, floor: int) -> None:
        super().__init__(f"a budget of {budget} tokens is below the floor of {floor}; raise budget")
        self.budget, self.floor = budget, floor


class UnknownPart(DomainError):
    def __init__(self, name: str, parts: Sequence[str]) -> None:
        super().__init__(f"a context has no part {name!r}; its parts are {', '.join(parts)}")
        self.name = name


class NameOfChair(DomainError):
    def __init__(self, name: str, chair: str) -> None:
        super().__init__(
            f"{name!r} is not the chair {chair!r}: join as {chair!r}, or under another name"
        )
        self.name, self.chair = name, chair


class UnknownVote(DomainError):
    def __init__(self, ref: str) -> None:
        super().__init__(f"no vote {ref!r} in this session")
        self.ref = ref


class UnknownRef(DomainError):
    def __init__(self, ref: str) -> None:
        super().__init__(
            f"no item {ref!r} in this session; proposals and decisions list those that there are"
        )
        self.ref = ref


class ItemLeft(UnknownRef):
    """An item that memory held once: the log still has it."""

    def __init__(self, ref: str) -> None:
        DomainError.__init__(
            self,
            f"item {ref!r} left memory, which holds the newest settled items only (caps.*); "
            f"'explain {ref}' reads it from the log; to take it up again, propose it anew",
        )
        self.ref = ref


class UnknownMessage(DomainError):
    def __init__(self, n: int, newest: int) -> None:
        super().__init__(f"no message {n} in this session; the newest is {newest}")
        self.n, self.newest = n, newest


class TargetNeeded(DomainError):
    def __init__(self, act: str) -> None:
        super().__init__(
            f"{act} is an act on an item: pass re, the item's handle (P3, D1) or the number of the "
            "message that made it"
        )
        self.finding = act


class AlreadyDecided(DomainError):
    """`proposal` was decided, as `decision`; both are handles."""

    def __init__(self, proposal: str, decision: str) -> None:
        super().__init__(
            f"{proposal} is decided, as {decision}: to agree, support {decision}; to decide "
            f"otherwise pass re {decision}, without {proposal} in the words, which claims a "
            "decision that takes its place once others ratify it"
        )
        self.proposal, self.decision = proposal, decision


class EditRefused(DomainError):
    """Message `n` stays as it is, for `reason`."""

    def __init__(self, n: int, reason: str) -> None:
        super().__init__(f"message {n} stays as it is: {reason}; say what you mean in a new one")
        self.n, self.reason = n, reason


class RedactionRefused(DomainError):
    def __init__(self, n: int, differing: int) -> None:
        cure = (
            "what it did cannot be told without them; --renumber redacts it all the same"
            if differing == n
            else f"entry {differing} repeats or quotes it: redact {differing} first, or --renumber"
        )
        super().__init__(f"without the words of entry {n} later items would be renumbered: {cure}")
        self.n, self.differing = n, differing


class LimitExceeded(DomainError):
    """`size` and `limit` in characters."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"Memory length {size} exceeds limit {limit}. Please shorten your memory.")
        self.size, self.limit = size, limit


class StaleRevision(DomainError):
    """`head` is the revision that stands; `base` the one that was read (both n, 0: none)."""

    def __init__(self, base: int, head: int) -> None:
        finding = (
            f"there is no revision {base}; the last is {head}"
            if base > head
            else f"the notebook was revised at n {head} since revision {base} was read"
        )
        super().__init__(f"{finding}; read it again and write on that")
        self.base, self.head = base, head


class NoNotebook(DomainError):
    def __init__(self, participant: str) -> None:
        super().__init__(
            f"{participant!r} keeps no notebook in this session; "
            "set note.policy to append or rewrite"
        )
        self.participant = participant


class UpdateRefused(DomainError):
    """`sizes` are those of the answers, in characters."""

    def __init__(self, participant: str, attempts: int, sizes: tuple[int, ...]) -> None:
        super().__init__(
            f"{participant} failed to create valid memory after {attempts} attempts: "
            f"answers of {', '.join(map(str, sizes))} characters; raise limits.note.cap, or set "
            "note.exhausted to keep_previous or clip"
        )
        self.participant, self.attempts, self.sizes = participant, attempts, sizes


class NotOpened(DomainError):
    def __init__(self, title: str, most: int) -> None:
        super().__init__(
            f"{title!r} was not opened: limits.open_episodes is {most}; close what is done"
        )
        self.title, self.most = title, most


class NothingOpen(DomainError):
    def __init__(self, finding: str) -> None:
        super().__init__(finding)
        self.finding = finding


class SnapshotMismatch(DomainError):
    pass
