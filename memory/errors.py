"""What memory refuses.

DomainError
├── SettingsRefused    a setting that does not exist or is out of range
├── BadPattern         a pattern that is not linear-time, or not a pattern
├── PackMissing        the session names a pattern pack this process lacks
├── ContextOverflow    a budget below the floor of the profile
├── UnknownRef         a handle that names no item
├── RedactionRefused   taking an entry's words away would rename later items
└── SnapshotMismatch   bytes that are not a memory of this fold version
"""

from __future__ import annotations


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
        super().__init__(
            f"a budget of {budget} tokens is below the floor of {floor}; raise --budget"
        )
        self.budget, self.floor = budget, floor


class UnknownRef(DomainError):
    def __init__(self, ref: str) -> None:
        super().__init__(f"no item {ref!r} in this session; list them with 'parley memory'")
        self.ref = ref


class RedactionRefused(DomainError):
    def __init__(self, n: int, differing: int) -> None:
        cure = (
            "what it did cannot be told without them; --renumber redacts it all the same"
            if differing == n
            else f"entry {differing} repeats or quotes it: redact {differing} first, "
            "or --renumber"
        )
        super().__init__(f"without the words of entry {n} later items would be renumbered: {cure}")
        self.n, self.differing = n, differing


class SnapshotMismatch(DomainError):
    pass
