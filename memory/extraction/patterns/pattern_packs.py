"""Pattern packs: immutable data that says which words make which act.

A pack is JSON: a name such as `en@1`, rules, and the guards of its language.
Only what RE2 accepts is a pattern, so no pattern can be slow; matching ignores
case. `parse_pack` is the border: behind it every pattern compiles.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from parley.bus.entries import Act
from parley.memory.errors import BadPattern
from parley.memory.extraction.patterns.regular_expressions import (
    compile_pattern,
    measure_pattern,
)

REACTIONS: Final = frozenset({"support", "oppose", "abstain"})

GuardName = Literal["negation", "hypothesis", "modal", "inverted", "reported"]
_MAX_RULES: Final = 2000
_MAX_INSTRUCTIONS: Final = 500_000  # of the packs that a session brings; a shipped pack has 84,249
_MAX_BROUGHT: Final = 20_000  # of the packs of a session file that nobody here knows: 12 ms
_MAX_BROUGHT_PATTERN: Final = 5_000  # of one pattern of those: others wait for it for 2 ms
_MAX_PATTERN: Final = 4000  # characters; the longest shipped one has under 600
_Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._@+-]{0,63}$")]
_Language = Annotated[str, Field(pattern=r"^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,3}$")]
_Pattern = Annotated[str, Field(min_length=1, max_length=_MAX_PATTERN)]
_Optional = Annotated[str, Field(max_length=_MAX_PATTERN)]


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences that a rule reads, and that it must not: tests which travel with it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    matches: tuple[str, ...] = ()
    misses: Annotated[tuple[str, ...], Field(alias="not")] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One wording of one act.

    `payload` says what it offers or settles: the group `text` of the pattern
    where it has one, else what follows to the sentence's end (`after`), from the
    group `from` on where the pattern has that, what leads up to it from the
    sentence's beginning (`before`), or the whole sentence. `before` and `after` are
    patterns at the end of what stands before the match in its sentence and at the start
    of what follows; either drops it; so does `within`, where it occurs in the match
    itself ("wir haben nichts beschlossen"). `question` keeps it in questions; `skip`
    names guards that it does not heed; `whole_words` refuses a match that begins or
    ends in a word.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: _Name
    act: Act
    pattern: _Pattern
    confidence: Annotated[int, Field(ge=1, le=899)] = 500  # a tag has 900
    payload: Literal["after", "before", "sentence"] = "after"
    question: bool = False
    conditional: bool = False
    handle: bool = False  # the match names the handles it is about
    skip: tuple[GuardName, ...] = ()
    before: _Optional = ""
    after: _Optional = ""
    within: _Optional = ""
    whole_words: bool = True
    examples: Examples = field(default=Examples(), compare=False)  # for `check`; not in the hash


@dataclass(frozen=True, slots=True)
class Guards:
    """What tells a claim from talk about one, in one language. "" for none.

    The first five make a match nothing: a `negation` in its clause, a
    `hypothesis` before it in its sentence, a `modal` in its clause, an
    `inverted` verb or a conjunction right before it, a `reported` speaker.
    `contrast` begins a clause that outweighs the one before, `reserve` makes
    a reaction conditional, `interrogative` begins a question after a comma.
    Languages whose verb comes last deny behind it: what ends in `_after` is
    looked for in the rest of the sentence (anchor it with ^), and `asks` in the
    whole sentence, for questions without a mark.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    negation: _Optional = ""
    hypothesis: _Optional = ""
    modal: _Optional = ""
    inverted: _Optional = ""
    reported: _Optional = ""
    contrast: _Optional = ""
    reserve: _Optional = ""
    interrogative: _Optional = ""
    negation_after: _Optional = ""
    hypothesis_after: _Optional = ""
    reported_after: _Optional = ""
    asks: _Optional = ""
    connective: _Optional = ""  # words to leave out at the start of a payload
    empty: _Optional = ""  # a payload that says there is none yet


@dataclass(frozen=True, slots=True)
class Pack:
    """Rules and guards under one name; the same hash is the same behaviour.

    Packs of one language are judged by each other's guards, never by those of
    another: `no` denies in Spanish and is "in the" in Portuguese. A pack with
    `hints` is searched in text that is short, not ASCII, or holds one of them:
    a long sentence of plain letters without any is in another language.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: _Name
    rules: Annotated[tuple[Rule, ...], Field(min_length=1, max_length=_MAX_RULES)]
    guards: Guards = Guards()
    language: _Language = "en"
    hints: _Optional = ""  # words, one of which nearly every sentence of the language holds

    def __hash__(self) -> int:
        return hash((self.name, self.rules[0]))  # each opening looks a pack up: not by all rules

    def to_json(self) -> dict[str, Any]:
        """The pack as JSON-ready data, defaults left out; `parse_pack` takes it back."""
        rules = [_without_defaults(rule) for rule in self.rules]
        guards = {key: value for key, value in asdict(self.guards).items() if value}
        tree: dict[str, Any] = {"name": self.name, "rules": rules}
        if guards:
            tree["guards"] = guards
        if self.language != "en":
            tree["language"] = self.language
        return tree | {"hints": self.hints} if self.hints else tree

    @property
    def hash(self) -> str:
        """BLAKE2b-128 of the canonical JSON, in hex."""
        return _hash(self)


@lru_cache(maxsize=64)
def _hash(pack: Pack) -> str:
    data = json.dumps(pack.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()


def _without_defaults(rule: Rule) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for each in fields(rule):
        value = getattr(rule, each.name)
        if each.compare and value != each.default:
            shown[each.name] = list(value) if isinstance(value, tuple) else value
    return shown


NESTED: Final = "it is nested too deeply; a pack is an object of lists of rules"
PACK: Final = TypeAdapter(Pack)  # the shape; `parse_pack` checks the patterns too


def parse_pack(data: bytes | str | dict[str, Any]) -> Pack:
    """The pack in `data` (JSON text, or what JSON text decodes to).

    Raises `BadPattern`, naming the rule: not the shape of a pack, a doubled
    rule name, a pattern that RE2 refuses (look-around, back-references) or one
    that matches the empty text and so would fire everywhere.
    """
    pack = parse_shipped_pack(data)
    _check(pack)
    return pack


def parse_shipped_pack(data: bytes | str | dict[str, Any]) -> Pack:
    """`parse_pack` of a pack whose patterns are known to serve: no pattern is compiled for it."""
    try:
        tree = json.loads(data) if isinstance(data, bytes | str) else data
    except ValueError as error:
        raise BadPattern("pack", f"not JSON: {error}") from None
    except RecursionError:
        raise BadPattern("pack", NESTED) from None
    try:
        return PACK.validate_python(tree)
    except ValidationError as error:
        raise list_shape_errors(tree, error)[0] from None


def compile_pack(pack: Pack, others: int = 0) -> Iterator[int]:
    """Compile the patterns of `pack`, one at a step; the instructions of RE2 by then.

    After those of `others`. Raises `BadPattern` as soon as they are too many to be read with.
    """
    size = others
    for rule, pattern in _patterns(pack):
        size += compile_pattern(pattern, rule).programsize
        check_size(size)
        yield size


def measure_pack(pack: Pack, others: int = 0) -> int:
    """`compile_pack` in one go: what all come to."""
    return max((others, *compile_pack(pack, others)))


def measure_brought(tree: dict[str, Any], others: int = 0) -> Iterator[int]:
    """Measure the patterns of an unread pack, one at a step; the instructions of RE2 by then.

    After those of `others`. Raises `BadPattern` as soon as they are too many to be taken from a
    stranger's file: some 10 ms after they began to be counted. What is no pack counts nothing:
    it reads nothing.
    """
    try:
        pack = parse_shipped_pack(tree)
    except BadPattern:
        return
    size = others
    for rule, pattern in _patterns(pack):
        instructions = measure_pattern(pattern)
        size += instructions or 0
        is_large = instructions is None or instructions > _MAX_BROUGHT_PATTERN
        if is_large or size > _MAX_BROUGHT:
            what = "its pattern comes" if is_large else "its patterns come"
            most = _MAX_BROUGHT_PATTERN if is_large else _MAX_BROUGHT
            why = f"{what} to more than {most:,} instructions of RE2"
            cure = "or start with the pack (--packs) what is to read it"
            raise BadPattern(rule, f"{why}; make repetitions such as {{1,99}} shorter, {cure}")
        yield size


def check_size(instructions: int) -> None:
    """Raises `BadPattern` where they are too many for the packs that a session brings."""
    if instructions > _MAX_INSTRUCTIONS:
        why = f"its patterns come to more than {_MAX_INSTRUCTIONS:,} instructions of RE2"
        raise BadPattern("pack", f"{why}; make repetitions such as {{1,99}} shorter")


def _patterns(pack: Pack) -> Iterator[tuple[str, str]]:
    """Each pattern of `pack`, after the rule or guard that it is of."""
    for rule in pack.rules:
        for pattern in (rule.pattern, rule.before, rule.after, rule.within):
            if pattern:
                yield rule.name, pattern
    yield from ((name, pattern) for name, pattern in asdict(pack.guards).items() if pattern)


def list_shape_errors(tree: Any, error: ValidationError) -> list[BadPattern]:
    """What pydantic found wrong with the shape of a pack, each with its rule."""
    return [_refusal(tree, each) for each in error.errors()]


def _refusal(tree: Any, fault: Mapping[str, Any]) -> BadPattern:
    where = [part for part in fault["loc"] if part != "Pack"]
    rule = "pack"
    if len(where) >= 2 and where[0] == "rules" and isinstance(where[1], int):
        entry = tree["rules"][where[1]]
        name = entry.get("name") if isinstance(entry, dict) else None
        rule, where = str(name or f"rules[{where[1]}]"), where[2:]
    return BadPattern(rule, f"{'.'.join(map(str, where)) or 'pack'}: {fault['msg']}")


def _check(pack: Pack) -> None:
    measure_pack(pack)
    seen: set[str] = set()
    for rule in pack.rules:
        if rule.name in seen:
            raise BadPattern(rule.name, "the name is there twice; give each rule its own")
        seen.add(rule.name)
        if compile_pattern(rule.pattern, rule.name).search("") is not None:
            raise BadPattern(rule.name, "it matches the empty text; make some part required")
    for name, pattern in asdict(pack.guards).items():
        if not pattern:
            continue
        if compile_pattern(pattern, name).search("") is not None and name != "empty":
            raise BadPattern(name, "it matches the empty text; make some part required")
