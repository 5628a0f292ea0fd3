"""Names that settings had elsewhere: still accepted, with a warning that names the new one.

A file, `parley session set` and, for those of layered memory, variables with
the prefix `AEC_MEMORY_` may use them.
Where both an old and a new name are given the new one wins; of two old names for
one setting, the one that stands first in `ALIASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from msgspec import Struct

from parley.server.basics.errors import Misuse

OLD_PREFIX: Final = "AEC_MEMORY_"
# The tables that old keys stood in.
_NESTS: Final = ("phase2_settings.memory_management.", "phase2_settings.", "memory_management.")
CAP: Final = "limits.note.cap"  # what the old shares were shares of


class GivenValue(Struct, frozen=True):
    """A value as somebody gave it, and where: a flag, a variable, a key with its file."""

    value: Any
    where: str


Cap = Callable[[], int]
Read = Callable[[Any, Cap], Any]  # what the new setting gets; None: nothing. Raises ValueError.


def _same(value: Any, cap: Cap) -> Any:
    return value


def _on(value: Any) -> bool:
    text = str(value).strip().lower()
    if text in ("true", "1", "yes", "on"):
        return True
    if text in ("false", "0", "no", "off"):
        return False
    raise ValueError(f"{value!r} is neither true nor false")


def _off_is_zero(value: Any, cap: Cap) -> Any:
    return None if _on(value) else 0


def _on_is_4000(value: Any, cap: Cap) -> Any:
    return 4000 if _on(value) else None


def _always(value: Any, cap: Cap) -> Any:
    if not _on(value):
        raise ValueError("it cannot be switched off: the limit always holds")


def _share(value: Any) -> Decimal:
    try:
        share = Decimal(str(value).strip())
    except InvalidOperation:
        share = Decimal(-1)
    if not 0 <= share <= 1:
        raise ValueError(f"{value!r} is no share between 0 and 1")
    return share


def _share_of_cap(value: Any, cap: Cap) -> Any:
    return int(_share(value) * cap())


def _per_mille(value: Any, cap: Cap) -> Any:
    return int(_share(value) * 1000)


def _three_quarters(value: Any, cap: Cap) -> Any:
    try:
        return int(str(value)) * 3 // 4
    except ValueError:
        raise ValueError(f"{value!r} is no whole number of tokens") from None


_STRATEGIES: Final = {
    "sync": "inline", "inline": "inline", "async": "background", "background": "background",
}  # fmt: skip


def _strategy(value: Any, cap: Cap) -> Any:
    strategy = _STRATEGIES.get(str(value).strip().lower())
    if strategy is None:
        raise ValueError(f"{value!r} is none of sync, async, background")
    return strategy


_ABOUT: Final[Mapping[Read, str]] = {
    _same: "",
    _off_is_zero: "false: 0",
    _on_is_4000: "true: 4000, unless a cap is given",
    _always: "true, and nothing else: the limit always holds",
    _share_of_cap: f"a share of `{CAP}`, in characters",
    _per_mille: "a share, per mille",
    _three_quarters: "tokens; three words for four of them",
    _strategy: "sync: inline; async, background: background",
}


class Alias(Struct, frozen=True):
    """An old name, the settings it became, and how its value carries over."""

    old: str
    new: tuple[str, ...]
    read: Read = _same
    layered: bool = False  # a variable with `AEC_MEMORY_` says it, too


def _layered(old: str, new: str, read: Read = _same) -> Alias:
    return Alias(old, (new,), read, layered=True)


ALIASES: Final = (
    # notebooks and the shared history
    Alias("memory_character_limit", (CAP,)),
    Alias("memory_length", (CAP,)),
    Alias("memory_compression_threshold", ("limits.note.warn",), _share_of_cap),
    Alias("memory_compression_target", ("limits.note.target",), _share_of_cap),
    Alias("enable_truncation", ("limits.statement", "limits.reasoning"), _off_is_zero),
    Alias("statement_max_length", ("limits.statement",)),
    Alias("reasoning_max_length", ("limits.reasoning",)),
    Alias("guidance_style", ("note.style",)),
    Alias("public_history_max_length", ("limits.history.cap",)),
    # layered memory
    _layered("short_term_buffer_size", "context.recent_full"),
    _layered("window_size", "context.recent_full"),
    _layered("enable_short_term_summarization", "limits.short_term.cap", _off_is_zero),
    _layered("enable_summarization", "limits.short_term.cap", _off_is_zero),
    _layered("short_term_token_cap", "limits.short_term.cap"),
    _layered("enable_short_term_summarization", "limits.short_term.cap", _on_is_4000),
    _layered("enable_summarization", "limits.short_term.cap", _on_is_4000),
    _layered("short_term_token_warning_threshold", "limits.short_term.warn"),
    _layered("max_token_limit", "summary.words", _three_quarters),
    _layered("summarization_strategy", "summary.strategy", _strategy),
    _layered("session_token_cap", "limits.session.cap"),
    _layered("session_token_warning_threshold", "limits.session.warn"),
    _layered("enable_session_compaction", "limits.session.cap", _always),
    _layered("completed_goals_token_cap", "limits.archive.cap"),
    _layered("keep_completed_goals", "limits.archive.items"),
    _layered("tool_history_keep_recent", "limits.tool_history"),
    _layered("subtask_keep_failed", "limits.failed_tasks"),
    _layered("context_max_length", "limits.context_text"),
    _layered("max_execution_steps", "limits.steps"),
    _layered("enable_goal_based_archiving", "episodes.supersede"),
    _layered("enable_goal_archiving", "episodes.supersede"),
    _layered("auto_archive_on_goal_change", "episodes.supersede"),
    _layered("enable_context_deduplication", "episodes.deduplicate"),
    _layered("summarization_model", "model"),
    _layered("summarization_temperature", "model_temperature"),
    _layered("enable_summarization_cache", "memo_hours", _off_is_zero),
    _layered("cache_ttl_hours", "memo_hours"),
    # deliberation
    Alias("SUMMARY_INTERVAL", ("summary.interval",)),
    Alias("maxSummaries", ("caps.summaries",)),
    Alias("maxDecisions", ("caps.decisions",)),
    Alias("maxProposals", ("caps.proposals",)),
    Alias("pruneThreshold", ("caps.threshold",), _per_mille),
)
OLD: Final[Mapping[str, tuple[str, ...]]] = {alias.old: alias.new for alias in ALIASES}
OLD_VARIABLES: Final = {
    OLD_PREFIX + alias.old.upper(): alias.old for alias in ALIASES if alias.layered
}
# Old keys below a participant's own name in `note.agents`.
OLD_FIELDS: Final = {"memory_character_limit": "limit", "memory_length": "limit"}


def old_name(key: str) -> str | None:
    """The old name that `key` is, without the table it stood in; None where it is none."""
    for nest in _NESTS:
        if key.startswith(nest):
            key = key.removeprefix(nest)
            break
    return key if key in OLD else None


def translate_old_names(
    old: Mapping[str, GivenValue], new: Mapping[str, GivenValue], cap: Callable[[], int]
) -> tuple[dict[str, GivenValue], list[str]]:
    """What `old` names come to by their new ones, but for those given in `new`; the warnings.

    `cap` is what shares are shares of, where neither says it. Raises `Misuse`,
    naming the old name, for a value that cannot be carried over.
    """
    values: dict[str, GivenValue] = {}
    warnings = [_renamed(given.where, OLD[name]) for name, given in old.items()]

    def share_of() -> int:
        given_value = new.get(CAP) or values.get(CAP)
        return cap() if given_value is None else _size(given_value.value)

    for alias in ALIASES:
        given = old.get(alias.old)
        if given is None:
            continue
        try:
            value = alias.read(given.value, share_of)
        except ValueError as wrong:
            raise Misuse(f"{given.where}: {wrong}") from None
        if value is None:
            continue
        for name in alias.new:
            stronger = new.get(name) or values.get(name)
            if stronger is None:
                values[name] = GivenValue(value, given.where)
            elif alias.read is not _on_is_4000:
                warnings.append(f"{given.where} is left out: {stronger.where} says {name}")
    return values, warnings


def _size(value: Any) -> int:
    """The cap as given; one that is no number is refused by its own name, later."""
    try:
        return int(str(value))
    except ValueError:
        return 1000


def rename_old_fields(agents: Any, where: str) -> tuple[Any, list[str]]:
    """The value of `note.agents` with today's keys, and the warnings."""
    if not isinstance(agents, dict):
        return agents, []
    warnings: list[str] = []
    row: dict[str, Any] = {}
    for name, fields in agents.items():
        row[name] = fields
        if not isinstance(fields, dict):
            continue
        row[name] = dict(fields)
        for old in OLD_FIELDS.keys() & fields.keys():
            warnings.append(f"{where}: {old!r} of {name!r} is an old name; write 'limit'")
            del row[name][old]
        for old in OLD_FIELDS:
            if old in fields:
                row[name].setdefault("limit", fields[old])
    return row, sorted(warnings)


def _renamed(where: str, new: Iterable[str]) -> str:
    return f"{where} is an old name; write {' and '.join(new)}"


def old_name_rows() -> str:
    """The old names as a Markdown table; docs/settings.md holds it."""
    rows = ["| old name | variable | setting | value |", "|---|---|---|---|"]
    notes: dict[str, list[str]] = {}
    for alias in ALIASES:
        notes.setdefault(alias.old, []).append(_ABOUT[alias.read])
    variables = {old: f"`{variable}`" for variable, old in OLD_VARIABLES.items()}
    for old, about in notes.items():
        variable = variables.get(old, "")
        names = ", ".join(f"`{name}`" for name in OLD[old])
        rows.append(f"| `{old}` | {variable} | {names} | {'; '.join(filter(None, about))} |")
    return "\n".join(rows) + "\n"
