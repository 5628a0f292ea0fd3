"""What memory refuses.

DomainError
├── SettingsRefused    a setting that does not exist or is out of range
├── BadPattern         a pattern that is not linear-time, or not a pattern
├── PackMissing        the session names a pattern pack this process lacks
├── ContextOverflow    a budget below the floor of the profile
├── UnknownRef         a handle that names no item
├── NotOpened          an episode that there was no room for
├── NothingOpen        an episode to close or to work on that is not open
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


class NotOpened(DomainError):
    def __init__(self, title: str, most: int) -> None:
        super().__init__(
            f"{title!r} was not opened: limits.open_episodes is {most}; close what is done"
        )
        self.title, self.most = title, most


class NothingOpen(DomainError):
    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not open; 'parley goal ls' lists what is")
        self.what = what


class SnapshotMismatch(DomainError):
    pass
